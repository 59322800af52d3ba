#include "rank-worker/splice/mgather.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define BLANK "[[:space:]]"
#define WORD "[A-Za-z_][A-Za-z0-9_]*"

/* A line that does nothing but name the pointer of a tile, or of a global tensor. */
#define TILE_POINTER                                                                                                   \
    "^" BLANK "*__(ubuf|cbuf)__" BLANK "+.+\\*" BLANK "*(" WORD ")" BLANK "*=" BLANK "*(" WORD ")\\.data\\(\\);" BLANK \
    "*$"
#define GLOBAL_POINTER                                                                                                 \
    "^" BLANK "*__gm__()" BLANK "+.+\\*" BLANK "*(" WORD ")" BLANK "*=" BLANK "*\\(__gm__" BLANK "+.+\\*\\)" BLANK     \
    "*(" WORD ");" BLANK "*$"
#define CALL                                                                                                           \
    "\\<MGATHER(<[^;()]+>)?\\((" WORD ")" BLANK "*," BLANK "*(" WORD ")" BLANK "*," BLANK "*(" WORD ")"                \
    "(" BLANK "*," BLANK "*(" WORD "))?(\\);)"

enum { ALIAS_GROUP = 2, WRAPPER_GROUP = 3, ALIAS_GROUPS = 4 };
enum { OPERAND_GROUP = 2, SCRATCH_GROUP = 6, END_GROUP = 7, CALL_GROUPS = 8, OPERANDS = 4 };

struct alias {
    struct span name, wrapper;
    size_t line;
};

struct lines {
    struct span *items;
    bool *dropped;
    size_t count;
    struct alias *aliases; /* in order of their lines */
    size_t nalias;
    regex_t tile, global, call;
};

static bool match(const regex_t *pattern, struct span line, regmatch_t *groups, size_t count)
{
    groups[0] = (regmatch_t){.rm_so = 0, .rm_eo = (regoff_t)line.size};
    return regexec(pattern, line.at, count, groups, REG_STARTEND) == 0;
}

static struct span group(struct span line, regmatch_t m)
{
    return (struct span){line.at + m.rm_so, (size_t)(m.rm_eo - m.rm_so)};
}

static bool same(struct span a, struct span b)
{
    return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

static void find_aliases(struct lines *l)
{
    regmatch_t m[ALIAS_GROUPS];

    for (size_t i = 0; i < l->count; i++) {
        struct span line = l->items[i];
        if (!match(&l->tile, line, m, ALIAS_GROUPS) && !match(&l->global, line, m, ALIAS_GROUPS)) {
            continue;
        }
        l->aliases[l->nalias++] = (struct alias){group(line, m[ALIAS_GROUP]), group(line, m[WRAPPER_GROUP]), i};
    }
}

/* How often the word occurs in the lines from `from` to before `to`, counted up to 3. */
static int count_uses(const struct lines *l, struct span name, size_t from, size_t to)
{
    const struct span last = l->items[to - 1];
    struct span text = {l->items[from].at, (size_t)(last.at + last.size - l->items[from].at)};
    int uses = 0;

    for (size_t at = 0; at + name.size <= text.size && uses < 3; at++) {
        const char *found = memmem(text.at + at, text.size - at, name.at, name.size);
        if (!found) {
            break;
        }
        at = (size_t)(found - text.at);
        uses += (at == 0 || !text_is_word(text.at[at - 1])) &&
                (at + name.size == text.size || !text_is_word(text.at[at + name.size]));
    }
    return uses;
}

/* The definition that `name` has at line `call`, if its pointer is used there and nowhere else. */
static const struct alias *resolve(const struct lines *l, struct span name, size_t call)
{
    const struct alias *found = NULL;
    size_t end = l->count;

    for (size_t i = 0; i < l->nalias; i++) {
        const struct alias *alias = &l->aliases[i];
        if (!same(alias->name, name)) {
            continue;
        }
        if (alias->line >= call) {
            end = alias->line;
            break;
        }
        found = alias;
    }
    return found && end > found->line && count_uses(l, name, found->line, end) == 2 ? found : NULL;
}

static bool is_alias(const struct lines *l, struct span name)
{
    for (size_t i = 0; i < l->nalias; i++) {
        if (same(l->aliases[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* Operands of the call in line `i`: definitions (NULL: stays as it is). Returns how many; 0: leave the call alone. */
static int operands(const struct lines *l, size_t i, const regmatch_t *m, const struct alias *found[OPERANDS])
{
    struct span scratch;

    for (int k = 0; k < OPERANDS - 1; k++) {
        found[k] = resolve(l, group(l->items[i], m[OPERAND_GROUP + k]), i);
        if (!found[k]) {
            return 0;
        }
    }
    if (m[SCRATCH_GROUP].rm_so < 0) {
        return OPERANDS - 1;
    }
    scratch = group(l->items[i], m[SCRATCH_GROUP]);
    found[OPERANDS - 1] = resolve(l, scratch, i);
    return found[OPERANDS - 1] || !is_alias(l, scratch) ? OPERANDS : 0;
}

/* The line `i` anew, to be freed; NULL without memory. */
static char *rewrite(const struct lines *l, size_t i, const regmatch_t *m, const struct alias *const *found, int count,
                     size_t *size)
{
    struct text_output out;
    struct span line = l->items[i];

    if (text_begin(&out, NULL)) {
        return NULL;
    }
    text_put(&out, line.at, (size_t)m[OPERAND_GROUP].rm_so);
    for (int k = 0; k < count; k++) {
        struct span own = found[k] ? found[k]->wrapper : group(line, m[SCRATCH_GROUP]);
        fprintf(out.stream, "%s%.*s", k ? ", " : "", (int)own.size, own.at);
    }
    text_put(&out, line.at + m[END_GROUP].rm_so, line.size - (size_t)m[END_GROUP].rm_so);
    if (text_end(&out, NULL)) {
        return NULL;
    }
    *size = out.size;
    return out.data;
}

static int split(struct span text, struct lines *l, struct error *err)
{
    size_t at = 0, count = 0;
    struct span line;

    while (text_next_line(text, &at, &line)) {
        count++;
    }
    l->items = calloc(count + 1, sizeof *l->items);
    l->dropped = calloc(count + 1, sizeof *l->dropped);
    l->aliases = calloc(count + 1, sizeof *l->aliases);
    if (!l->items || !l->dropped || !l->aliases) {
        return error_nomem(err, NULL, (count + 1) * sizeof *l->aliases);
    }
    for (at = 0; text_next_line(text, &at, &line);) {
        l->items[l->count++] = line;
    }
    return 0;
}

/* `fresh[i]` becomes the line anew where a call was restored. */
static int restore(struct lines *l, struct span *fresh, struct error *err)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct alias *found[OPERANDS] = {NULL};
        regmatch_t m[CALL_GROUPS];
        int count;

        if (text_find(l->items[i], 0, "MGATHER") == TEXT_NONE || !match(&l->call, l->items[i], m, CALL_GROUPS)) {
            continue;
        }
        count = operands(l, i, m, found);
        if (count == 0) {
            continue;
        }
        fresh[i].at = rewrite(l, i, m, found, count, &fresh[i].size);
        if (!fresh[i].at) {
            return error_nomem(err, NULL, l->items[i].size);
        }
        for (int k = 0; k < count; k++) {
            if (found[k]) {
                l->dropped[found[k]->line] = true;
            }
        }
    }
    return 0;
}

int mgather_restore(struct span text, struct text_output *out, struct error *err)
{
    struct lines l = {0};
    struct span *fresh = NULL;
    int rc = -1;

    if (text_find(text, 0, "MGATHER") == TEXT_NONE) {
        text_put(out, text.at, text.size);
        return 0;
    }
    if (regcomp(&l.tile, TILE_POINTER, REG_EXTENDED) || regcomp(&l.global, GLOBAL_POINTER, REG_EXTENDED) ||
        regcomp(&l.call, CALL, REG_EXTENDED)) {
        error_nomem(err, NULL, sizeof l);
        goto out;
    }
    if (split(text, &l, err)) {
        goto out;
    }
    find_aliases(&l);
    fresh = calloc(l.count + 1, sizeof *fresh);
    if (!fresh) {
        error_nomem(err, NULL, (l.count + 1) * sizeof *fresh);
    } else {
        rc = restore(&l, fresh, err);
    }
    for (size_t i = 0; fresh && i < l.count; i++) {
        struct span line = fresh[i].at ? fresh[i] : l.items[i];
        if (!l.dropped[i]) {
            text_put(out, line.at, line.size);
        }
        free((char *)fresh[i].at);
    }
out:
    free(fresh);
    free(l.items);
    free(l.dropped);
    free(l.aliases);
    regfree(&l.tile);
    regfree(&l.global);
    regfree(&l.call);
    return rc;
}
