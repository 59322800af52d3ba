/*
 * json_stream - large JSON texts, value by value and without a tree.
 *
 * Profiles and timelines hold millions of small numbers: a tree of them costs fifty times their memory, and its doubles
 * lose digits of 64-bit ids. Everything else is read with json.h and written with json_write.h.
 *
 * Reading: the first fault (also the early end of a truncated file) stops the reader for good. From then on every
 * function returns false, so that callers keep what they have read and ask json_pull_fault() once.
 *
 * Writing: the caller prints brackets, commas and numbers to a FILE; strings and times are here. Errors of the FILE are
 * found by file_write_commit().
 */
#ifndef L3R_COMMON_BASE_JSON_STREAM_H
#define L3R_COMMON_BASE_JSON_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_pull {
    const char *text, *at, *end;
    bool fresh;        /* right after an opening bracket */
    const char *fault; /* NULL: none so far */
};

/* `text` stays the caller's, must have a NUL at `size`, and must outlive `p`. */
void json_pull_start(struct json_pull *p, const char *text, size_t size);

/* Step into an array ('[') or object ('{'). */
bool json_pull_open(struct json_pull *p, char bracket);

/* Before each element: false at the end of the array, which is then left. */
bool json_pull_item(struct json_pull *p);

/* Before each member: its key (cut to fit) in `key`; false at the end of the object, which is then left. */
bool json_pull_key(struct json_pull *p, char *key, size_t size);

/* One value. Numbers may stand in strings, decimal or 0x; a fraction is cut off; negative ones wrap in _u64. */
bool json_pull_u64(struct json_pull *p, uint64_t *value);
bool json_pull_i64(struct json_pull *p, int64_t *value);
bool json_pull_text(struct json_pull *p, char *buf, size_t size); /* null gives "" */
bool json_pull_skip(struct json_pull *p);                         /* whatever stands there */

/* The first character of the next value: '[', '{', '"', 'n', ...; 0 at the end. */
char json_pull_peek(struct json_pull *p);

/* What is wrong, with the byte offset, in `buf`; NULL when nothing is. */
const char *json_pull_fault(const struct json_pull *p, char *buf, size_t size);

/* `text` as a quoted JSON string of valid UTF-8; NULL becomes null. */
void json_out_text(FILE *f, const char *text);

/* Nanoseconds as a number of microseconds with all digits: 1500 is 1.500. */
void json_out_us(FILE *f, uint64_t ns);

#endif
