/*
 * text - small things that are asked of C++ text without parsing it: words, blanks, matching brackets, and a
 * growing piece of output. Texts are bytes with a length; they may hold any byte.
 */
#ifndef L3R_RANK_WORKER_SPLICE_TEXT_H
#define L3R_RANK_WORKER_SPLICE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/base/error.h"

struct span {
    const char *at;
    size_t size;
};

#define TEXT_NONE ((size_t)-1)

/* Part of an identifier; bytes of other alphabets count, since compilers take them. */
bool text_is_word(char c);
bool text_is_blank(char c); /* line ends too */

/* First place of `literal` at or after `from`, or TEXT_NONE. */
size_t text_find(struct span text, size_t from, const char *literal);

/* The same for a whole word. */
size_t text_find_word(struct span text, size_t from, const char *word);

/* Whether the whole word stands at `at`. */
bool text_word_at(struct span text, size_t at, const char *word);

/* The first place at or after `at` that holds no blank. */
size_t text_skip_blanks(struct span text, size_t at);

/* End of the word that starts at `at`. */
size_t text_word_end(struct span text, size_t at);

/* The next line from `*at` on, its line end included; false at the end of the text. */
bool text_next_line(struct span text, size_t *at, struct span *line);

/* Without blanks at both ends. */
struct span text_trim(struct span text);

bool text_equals(struct span text, const char *literal);
bool text_starts(struct span text, const char *literal);

/* How many '{' are still open at the end of C++ text; strings and comments do not count. */
long text_open_braces(struct span text);

/* Output that grows: write to `stream`, then text_end(). */
struct text_output {
    FILE *stream;
    char *data;
    size_t size;
};

int text_begin(struct text_output *out, struct error *err);
void text_put(struct text_output *out, const char *data, size_t size);
/* 0: `data` (to be freed, with a NUL after `size` bytes); -1 without memory, nothing left to free. */
int text_end(struct text_output *out, struct error *err);

#endif
