#include "rank-worker/compile/inline_names.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

enum { DIGITS_MAX = 9 };

static const char mark[] = "_inline";

struct reader {
    const char *at;
    FILE *out;
    uint32_t *numbers; /* in the order of their first occurrence */
    size_t nnumber, room;
    int depth; /* of braces */
    bool found, refused;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool inline_names_occur(const char *text)
{
    for (const char *p = text; (p = strstr(p, mark)); p++) {
        if (isdigit((unsigned char)p[sizeof mark - 1])) {
            return true;
        }
    }
    return false;
}

/* 1, 2, 3, ... for a number that `digits` are; 0 when it cannot be one that was drawn. */
static size_t canonical_number(struct reader *r, const char *digits, size_t ndigit)
{
    uint32_t number;

    if (ndigit > DIGITS_MAX || (ndigit > 1 && digits[0] == '0')) {
        return 0;
    }
    number = (uint32_t)strtoul(digits, NULL, 10);
    for (size_t i = 0; i < r->nnumber; i++) {
        if (r->numbers[i] == number) {
            return i + 1;
        }
    }
    if (array_reserve(&r->numbers, &r->room, r->nnumber, 1, sizeof *r->numbers) < 0) {
        return 0;
    }
    r->numbers[r->nnumber++] = number;
    return r->nnumber;
}

/* `n` bytes at `at`; numbers are allowed where `local`. */
static void pass(struct reader *r, size_t n, bool local)
{
    const char *end = r->at + n;

    while (r->at < end) {
        const char *p = memmem(r->at, (size_t)(end - r->at), mark, sizeof mark - 1);
        size_t ndigit = 0, number;

        if (!p) {
            fwrite(r->at, 1, (size_t)(end - r->at), r->out);
            break;
        }
        p += sizeof mark - 1;
        fwrite(r->at, 1, (size_t)(p - r->at), r->out);
        while (p + ndigit < end && isdigit((unsigned char)p[ndigit])) {
            ndigit++;
        }
        r->at = p;
        if (ndigit == 0) {
            continue;
        }
        number = canonical_number(r, p, ndigit);
        r->found = true;
        r->refused = r->refused || !local || number == 0;
        fprintf(r->out, "%zu", number);
        r->at += ndigit;
    }
    r->at = end;
}

static size_t literal_length(const char *p)
{
    size_t n = 1;

    while (p[n] && p[n] != p[0] && p[n] != '\n') {
        n += p[n] == '\\' && p[n + 1] ? 2 : 1;
    }
    return n + (p[n] == p[0]);
}

/* With the lines that continue it, without the last newline. */
static size_t directive_length(const char *p)
{
    size_t n = strcspn(p, "\n");

    while (n > 0 && p[n] == '\n' && p[n - 1] == '\\') {
        n += 1 + strcspn(p + n + 1, "\n");
    }
    return n;
}

static size_t comment_length(const char *p)
{
    const char *end;

    if (p[1] == '/') {
        return directive_length(p); /* a backslash continues it too */
    }
    end = strstr(p + 2, "*/");
    return end ? (size_t)(end + 2 - p) : strlen(p);
}

static size_t word_length(const char *p)
{
    size_t n = 0;

    while (is_word(p[n])) {
        n++;
    }
    return n;
}

/* One token, comment or blank. */
static void read_one(struct reader *r, bool at_line_start)
{
    const char *p = r->at;
    size_t n;

    if (p[0] == '/' && (p[1] == '/' || p[1] == '*')) {
        pass(r, comment_length(p), true);
    } else if (*p == '#' && at_line_start) {
        pass(r, directive_length(p), false);
    } else if (*p == '"' || *p == '\'') {
        pass(r, literal_length(p), false);
    } else if (is_word(*p)) {
        n = word_length(p);
        r->refused = r->refused || (p[n] == '"' && p[n - 1] == 'R'); /* a raw string */
        /* 1'000 is a number, and its quote begins no literal. */
        while (isdigit((unsigned char)*p) && p[n] == '\'' && is_word(p[n + 1])) {
            n += 1 + word_length(p + n + 1);
        }
        pass(r, n, r->depth > 0);
    } else {
        r->depth += (*p == '{') - (*p == '}');
        r->refused = r->refused || r->depth < 0;
        pass(r, 1, true);
    }
}

char *inline_names_canonical(const char *text)
{
    struct reader r = {.at = text};
    char *canonical = NULL;
    size_t size;
    bool at_line_start = true;

    if (!inline_names_occur(text) || !(r.out = open_memstream(&canonical, &size))) {
        return NULL;
    }
    while (*r.at && !r.refused) {
        const char c = *r.at;

        read_one(&r, at_line_start);
        at_line_start = c == '\n' || (at_line_start && (c == ' ' || c == '\t'));
    }
    r.refused = ferror(r.out) || r.refused || !r.found || r.depth != 0;
    if (fclose(r.out) != 0 || r.refused) {
        free(canonical);
        canonical = NULL;
    }
    free(r.numbers);
    return canonical;
}
