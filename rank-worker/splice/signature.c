#include "rank-worker/splice/signature.h"

#include <stdlib.h>
#include <string.h>

static bool is_named(struct span text, size_t at, struct span name)
{
    return text.size - at >= name.size && memcmp(text.at + at, name.at, name.size) == 0 &&
           (at == 0 || !text_is_word(text.at[at - 1])) &&
           (at + name.size == text.size || !text_is_word(text.at[at + name.size]));
}

/* The place of the parenthesis that closes the one at `at`, or TEXT_NONE. */
static size_t closing(struct span text, size_t at)
{
    long depth = 0;

    for (; at < text.size; at++) {
        depth += (text.at[at] == '(') - (text.at[at] == ')');
        if (depth == 0) {
            return at;
        }
    }
    return TEXT_NONE;
}

/* Parameters, without the parentheses, of the function whose "void" is at `at`, when its name is `name`. */
static bool parameters(struct span text, size_t at, struct span name, struct span *out, bool *definition)
{
    size_t start = text_skip_blanks(text, at + strlen("void")), open, end, after;

    if (!is_named(text, start, name)) {
        return false;
    }
    open = text_skip_blanks(text, start + name.size);
    if (open >= text.size || text.at[open] != '(') {
        return false;
    }
    end = closing(text, open);
    if (end == TEXT_NONE) {
        return false;
    }
    *out = (struct span){text.at + open + 1, end - open - 1};
    after = text_skip_blanks(text, end + 1);
    *definition = after < text.size && text.at[after] == '{';
    return true;
}

/* End of the comment that starts at `at`, or `at`. */
static size_t skip_comment(struct span text, size_t at)
{
    bool line = at + 1 < text.size && text.at[at] == '/' && text.at[at + 1] == '/';
    bool block = at + 1 < text.size && text.at[at] == '/' && text.at[at + 1] == '*';
    size_t end;

    if (!line && !block) {
        return at;
    }
    end = text_find(text, at + 2, line ? "\n" : "*/");
    return end == TEXT_NONE ? text.size : end + (line ? 1 : 2);
}

/* One blank between two words, one after a comma. */
static void put_normal(struct span list, struct text_output *out)
{
    char last = '\0';

    for (size_t at = 0; at < list.size;) {
        size_t next = skip_comment(list, at);
        char c = list.at[at];
        if (next != at) {
            at = next;
            continue;
        }
        at++;
        if (text_is_blank(c)) {
            continue;
        }
        bool apart = at >= 2 && (text_is_blank(list.at[at - 2]) || list.at[at - 2] == '/');
        if (last == ',' || (text_is_word(c) && ((apart && text_is_word(last)) || (last && strchr("*&>", last))))) {
            text_put(out, " ", 1);
        }
        text_put(out, &c, 1);
        last = c;
    }
}

char *signature_find(struct span text, struct span name, bool *failed, struct error *err)
{
    struct span list = {0}, found;
    struct text_output out;
    bool any = false, definition = false;

    *failed = false;
    for (size_t at = text_find_word(text, 0, "void"); at != TEXT_NONE && !definition;
         at = text_find_word(text, at + 1, "void")) {
        bool defines;
        if (!parameters(text, at, name, &found, &defines) || (any && !defines)) {
            continue;
        }
        list = found;
        any = true;
        definition = defines;
    }
    if (!any) {
        return NULL;
    }
    *failed = true;
    if (text_begin(&out, err)) {
        return NULL;
    }
    put_normal(list, &out);
    if (text_end(&out, err)) {
        return NULL;
    }
    *failed = false;
    return out.data;
}

static bool is_type_word(struct span word)
{
    static const char *const words[] = {"void",   "bool",   "char",     "short", "int",  "long", "float",
                                        "double", "signed", "unsigned", "const", "half", "auto", "size_t"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_equals(word, words[i])) {
            return true;
        }
    }
    return word.size > 2 && memcmp(word.at + word.size - 2, "_t", 2) == 0;
}

/* A parameter of a normal list without its name, when it has one: the last word, after a type. */
static struct span type_of(struct span parameter)
{
    size_t n = parameter.size;
    struct span word;

    while (n > 0 && text_is_word(parameter.at[n - 1])) {
        n--;
    }
    word = (struct span){parameter.at + n, parameter.size - n};
    if (word.size == 0 || n == 0 || parameter.at[n - 1] == ':' || is_type_word(word)) {
        return parameter;
    }
    return text_trim((struct span){parameter.at, n});
}

/* The next parameter from `*at` on, commas in brackets not counting. */
static bool next_parameter(const char *list, size_t *at, struct span *out)
{
    size_t start = *at;
    int depth = 0;

    if (!list[start]) {
        return false;
    }
    for (; list[*at] && (list[*at] != ',' || depth > 0); ++*at) {
        depth += (strchr("<([{", list[*at]) != NULL) - (strchr(">)]}", list[*at]) != NULL);
    }
    *out = text_trim((struct span){list + start, *at - start});
    *at += list[*at] == ',';
    return true;
}

bool signature_equal(const char *a, const char *b)
{
    size_t i = 0, k = 0;
    struct span p, q;

    for (;;) {
        bool more = next_parameter(a, &i, &p);
        if (more != next_parameter(b, &k, &q)) {
            return false;
        }
        if (!more) {
            return true;
        }
        p = type_of(p);
        q = type_of(q);
        if (p.size != q.size || memcmp(p.at, q.at, p.size) != 0) {
            return false;
        }
    }
}
