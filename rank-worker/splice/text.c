#include "rank-worker/splice/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool text_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || ((unsigned char)c & 0x80);
}

bool text_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

size_t text_find(struct span text, size_t from, const char *literal)
{
    const char *found = from < text.size ? memmem(text.at + from, text.size - from, literal, strlen(literal)) : NULL;

    return found ? (size_t)(found - text.at) : TEXT_NONE;
}

bool text_word_at(struct span text, size_t at, const char *word)
{
    size_t n = strlen(word);

    return at <= text.size && text.size - at >= n && memcmp(text.at + at, word, n) == 0 &&
           (at == 0 || !text_is_word(text.at[at - 1])) && (at + n == text.size || !text_is_word(text.at[at + n]));
}

size_t text_find_word(struct span text, size_t from, const char *word)
{
    size_t at = text_find(text, from, word);

    while (at != TEXT_NONE && !text_word_at(text, at, word)) {
        at = text_find(text, at + 1, word);
    }
    return at;
}

size_t text_skip_blanks(struct span text, size_t at)
{
    while (at < text.size && text_is_blank(text.at[at])) {
        at++;
    }
    return at;
}

size_t text_word_end(struct span text, size_t at)
{
    while (at < text.size && text_is_word(text.at[at])) {
        at++;
    }
    return at;
}

bool text_next_line(struct span text, size_t *at, struct span *line)
{
    const char *end;

    if (*at >= text.size) {
        return false;
    }
    end = memchr(text.at + *at, '\n', text.size - *at);
    *line = (struct span){text.at + *at, end ? (size_t)(end - text.at) + 1 - *at : text.size - *at};
    *at += line->size;
    return true;
}

struct span text_trim(struct span text)
{
    size_t from = text_skip_blanks(text, 0), to = text.size;

    while (to > from && text_is_blank(text.at[to - 1])) {
        to--;
    }
    return (struct span){text.at + from, to - from};
}

bool text_equals(struct span text, const char *literal)
{
    return text.size == strlen(literal) && memcmp(text.at, literal, text.size) == 0;
}

bool text_starts(struct span text, const char *literal)
{
    size_t n = strlen(literal);

    return text.size >= n && memcmp(text.at, literal, n) == 0;
}

/* The place after a comment or a string or character literal that starts at `at`; `at` when none does. */
static size_t skip_opaque(struct span text, size_t at)
{
    char quote = text.at[at];
    size_t end;

    if (quote == '/' && at + 1 < text.size && (text.at[at + 1] == '/' || text.at[at + 1] == '*')) {
        bool line = text.at[at + 1] == '/';
        end = text_find(text, at + 2, line ? "\n" : "*/");
        return end == TEXT_NONE ? text.size : end + (line ? 1 : 2);
    }
    /* 1'000 is a number, not the start of a character. */
    if (quote != '"' && (quote != '\'' || (at > 0 && text_is_word(text.at[at - 1])))) {
        return at;
    }
    for (end = at + 1; end < text.size && text.at[end] != quote && text.at[end] != '\n'; end++) {
        end += text.at[end] == '\\';
    }
    return end < text.size ? end + 1 : text.size;
}

long text_open_braces(struct span text)
{
    long open = 0;

    for (size_t at = 0; at < text.size;) {
        size_t next = skip_opaque(text, at);
        if (next == at) {
            open += (text.at[at] == '{') - (text.at[at] == '}');
            next++;
        }
        at = next;
    }
    return open;
}

int text_begin(struct text_output *out, struct error *err)
{
    *out = (struct text_output){0};
    out->stream = open_memstream(&out->data, &out->size);
    return out->stream ? 0 : error_nomem(err, NULL, 8192);
}

void text_put(struct text_output *out, const char *data, size_t size)
{
    fwrite(data, 1, size, out->stream); /* failures are found by ferror() at the end */
}

int text_end(struct text_output *out, struct error *err)
{
    bool failed = ferror(out->stream) != 0;

    failed = fclose(out->stream) != 0 || failed;
    out->stream = NULL;
    if (!failed && out->data) {
        return 0;
    }
    free(out->data);
    out->data = NULL;
    return error_nomem(err, NULL, out->size);
}
