#include "orchestrator/tensor_file/pickle.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "orchestrator/tensor_file/pickle_code.h"

/* The machine that a pickle is a program for. */
struct machine {
    struct pickle *p;
    struct pickle_reader in;
    const struct pickle_global *allowed;
    uint32_t *stack, *memo;
    size_t depth, stack_room, nmemo, memo_room;
    size_t *marks;
    size_t nmark, mark_room;
};

enum { NO_VALUE = UINT32_MAX };

static int damaged(struct machine *m)
{
    return pickle_reader_fail(&m->in, "it does not hold together");
}

static int no_memory(struct machine *m)
{
    return error_nomem(m->in.err, m->in.origin, m->p->count * sizeof *m->p->values);
}

/* --- values --------------------------------------------------------------- */

static int push(struct machine *m, uint32_t value)
{
    if (array_reserve(&m->stack, &m->stack_room, m->depth, 1, sizeof *m->stack)) {
        return no_memory(m);
    }
    m->stack[m->depth++] = value;
    return 0;
}

static int new_value(struct machine *m, enum pickle_kind kind, uint32_t *number)
{
    struct pickle *p = m->p;

    if (p->count >= NO_VALUE || array_room(&p->values, &p->capacity, p->count, sizeof *p->values)) {
        return no_memory(m);
    }
    p->values[p->count] = (struct pickle_value){.kind = kind};
    *number = (uint32_t)p->count++;
    return push(m, *number);
}

static int push_integer(struct machine *m, enum pickle_kind kind, int64_t integer)
{
    uint32_t number = 0;

    if (new_value(m, kind, &number)) {
        return -1;
    }
    m->p->values[number].integer = integer;
    return 0;
}

static int add_items(struct machine *m, uint32_t to, const uint32_t *items, size_t count)
{
    struct pickle_value *v = &m->p->values[to];

    if (array_reserve(&v->items, &v->capacity, v->count, count, sizeof *v->items)) {
        return no_memory(m);
    }
    if (count) {
        memcpy(v->items + v->count, items, count * sizeof *items);
    }
    v->count += count;
    return 0;
}

/* Where the values above the last mark begin; what lies below a mark is out of reach until it is gone. */
static size_t floor_of(const struct machine *m)
{
    return m->nmark ? m->marks[m->nmark - 1] : 0;
}

static bool has(const struct machine *m, size_t count)
{
    return m->depth - floor_of(m) >= count;
}

static int pop_mark(struct machine *m, size_t *begin)
{
    if (!m->nmark) {
        return damaged(m);
    }
    *begin = m->marks[--m->nmark];
    return 0;
}

/* The topmost `count` values become one. */
static int gather(struct machine *m, enum pickle_kind kind, size_t count)
{
    const size_t begin = m->depth - count;
    uint32_t number = 0;

    if (new_value(m, kind, &number) || add_items(m, number, m->stack + begin, count)) {
        return -1;
    }
    m->depth = begin;
    return push(m, number);
}

/* A value with a text of `length` bytes, which the caller writes to `*text`. */
static int new_text(struct machine *m, enum pickle_kind kind, size_t length, char **text)
{
    uint32_t number = 0;

    if (new_value(m, kind, &number)) {
        return -1;
    }
    *text = calloc(1, length + 1);
    if (!*text) {
        return no_memory(m);
    }
    m->p->values[number].text = *text;
    m->p->values[number].length = length;
    return 0;
}

static int push_text(struct machine *m, const char *text, size_t length)
{
    char *copy;

    if (new_text(m, PICKLE_TEXT, length, &copy)) {
        return -1;
    }
    memcpy(copy, text, length);
    return 0;
}

/* --- functions and classes -------------------------------------------------- */

static int push_global(struct machine *m, const char *module, size_t module_length, const char *name, size_t length)
{
    const struct pickle_global *a = m->allowed;
    char *text;

    while (a->name && (strlen(a->module) != module_length || memcmp(a->module, module, module_length) != 0 ||
                       strlen(a->name) != length || memcmp(a->name, name, length) != 0)) {
        a++;
    }
    if (!a->name) {
        return pickle_reader_refuse(&m->in, module, module_length, name, length);
    }
    if (new_text(m, PICKLE_GLOBAL, module_length + 1 + length, &text)) {
        return -1;
    }
    memcpy(text, a->module, module_length);
    memcpy(text + module_length + 1, a->name, length);
    return 0;
}

static int read_global(struct machine *m)
{
    const char *module, *name;
    size_t module_length, length;

    if (pickle_reader_line(&m->in, &module, &module_length) || pickle_reader_line(&m->in, &name, &length)) {
        return -1;
    }
    return push_global(m, module, module_length, name, length);
}

static int stack_global(struct machine *m)
{
    const struct pickle_value *module, *name;

    if (!has(m, 2)) {
        return damaged(m);
    }
    module = &m->p->values[m->stack[m->depth - 2]];
    name = &m->p->values[m->stack[m->depth - 1]];
    if (module->kind != PICKLE_TEXT || name->kind != PICKLE_TEXT) {
        return damaged(m);
    }
    m->depth -= 2;
    return push_global(m, module->text, module->length, name->text, name->length);
}

/* --- memo ------------------------------------------------------------------- */

static int remember(struct machine *m, uint64_t slot)
{
    if (!has(m, 1) || slot >= m->in.size) { /* a pickle has no more slots than bytes */
        return damaged(m);
    }
    if (slot >= m->nmemo) {
        if (array_reserve(&m->memo, &m->memo_room, m->nmemo, slot + 1 - m->nmemo, sizeof *m->memo)) {
            return no_memory(m);
        }
        while (m->nmemo <= slot) {
            m->memo[m->nmemo++] = NO_VALUE;
        }
    }
    m->memo[slot] = m->stack[m->depth - 1];
    return 0;
}

static int recall(struct machine *m, uint64_t slot)
{
    return slot < m->nmemo && m->memo[slot] != NO_VALUE ? push(m, m->memo[slot]) : damaged(m);
}

/* --- containers --------------------------------------------------------------- */

/* The values from `begin` on go into the container below them. */
static int fill(struct machine *m, size_t begin, bool pairs)
{
    const size_t count = m->depth - begin;
    enum pickle_kind kind;

    if (begin <= floor_of(m) || (pairs && count % 2)) {
        return damaged(m);
    }
    kind = m->p->values[m->stack[begin - 1]].kind;
    if (pairs ? kind != PICKLE_DICT && kind != PICKLE_CALL : kind != PICKLE_LIST) {
        return damaged(m);
    }
    m->depth = begin;
    return add_items(m, m->stack[begin - 1], m->stack + begin, count);
}

static int fill_from_mark(struct machine *m, bool pairs)
{
    size_t begin = 0;

    return pop_mark(m, &begin) || fill(m, begin, pairs) ? -1 : 0;
}

static int fill_one(struct machine *m, size_t count)
{
    return has(m, count + 1) ? fill(m, m->depth - count, count == 2) : damaged(m);
}

static int gather_from_mark(struct machine *m, enum pickle_kind kind)
{
    size_t begin = 0;

    if (pop_mark(m, &begin) || (kind == PICKLE_DICT && (m->depth - begin) % 2)) {
        return damaged(m);
    }
    return gather(m, kind, m->depth - begin);
}

static int call(struct machine *m)
{
    if (!has(m, 2) || m->p->values[m->stack[m->depth - 2]].kind != PICKLE_GLOBAL ||
        m->p->values[m->stack[m->depth - 1]].kind != PICKLE_TUPLE) {
        return damaged(m);
    }
    return gather(m, PICKLE_CALL, 2);
}

/* Sets attributes of the object below: they change no element. */
static int build(struct machine *m)
{
    if (!has(m, 2)) {
        return damaged(m);
    }
    m->depth--;
    return 0;
}

static int mark(struct machine *m)
{
    if (array_reserve(&m->marks, &m->mark_room, m->nmark, 1, sizeof *m->marks)) {
        return no_memory(m);
    }
    m->marks[m->nmark++] = m->depth;
    return 0;
}

static int pop(struct machine *m)
{
    if (!has(m, 1)) {
        return m->nmark && m->depth == floor_of(m) ? (m->nmark--, 0) : damaged(m);
    }
    m->depth--;
    return 0;
}

static int counted(struct machine *m, enum pickle_kind kind, size_t count)
{
    return has(m, count) ? gather(m, kind, count) : damaged(m);
}

/* --- running ------------------------------------------------------------------ */

static int step_simple(struct machine *m, const struct pickle_code *code)
{
    switch (code->action) {
    case PICKLE_PUSH_NONE:
        return push_integer(m, PICKLE_NONE, 0);
    case PICKLE_PUSH_BOOL:
        return push_integer(m, PICKLE_BOOL, code->count);
    case PICKLE_PUSH_FLOAT:
        return push_integer(m, PICKLE_FLOAT, 0);
    case PICKLE_MARK:
        return mark(m);
    case PICKLE_POP:
        return pop(m);
    case PICKLE_GATHER_TUPLE:
        return counted(m, PICKLE_TUPLE, code->count);
    case PICKLE_GATHER_LIST:
        return counted(m, PICKLE_LIST, 0);
    case PICKLE_GATHER_DICT:
        return counted(m, PICKLE_DICT, 0);
    case PICKLE_MARKED_TUPLE:
        return gather_from_mark(m, PICKLE_TUPLE);
    case PICKLE_MARKED_LIST:
        return gather_from_mark(m, PICKLE_LIST);
    case PICKLE_MARKED_DICT:
        return gather_from_mark(m, PICKLE_DICT);
    case PICKLE_FILL_ONE:
        return fill_one(m, code->count);
    case PICKLE_FILL_MARKED:
        return fill_from_mark(m, code->count == 2);
    case PICKLE_STACK_GLOBAL:
        return stack_global(m);
    case PICKLE_PERSISTENT_ID:
        return counted(m, PICKLE_PERSISTENT, 1);
    case PICKLE_REDUCE:
        return call(m);
    case PICKLE_BUILD:
        return build(m);
    default:
        return 0; /* nothing to do: frames and the protocol's number */
    }
}

static int step(struct machine *m, const struct pickle_code *code)
{
    struct pickle_argument a;

    if (code->action == PICKLE_NAMED_GLOBAL) {
        return read_global(m);
    }
    if (pickle_reader_argument(&m->in, code, &a)) {
        return -1;
    }
    switch (code->action) {
    case PICKLE_PUSH_INT:
        return push_integer(m, PICKLE_INT, a.integer);
    case PICKLE_PUSH_TEXT:
        return push_text(m, a.text, a.length);
    case PICKLE_PUT:
        return remember(m, (uint64_t)a.integer);
    case PICKLE_MEMOIZE:
        return remember(m, m->nmemo);
    case PICKLE_GET:
        return recall(m, (uint64_t)a.integer);
    default:
        return step_simple(m, code);
    }
}

static int run(struct machine *m)
{
    const struct pickle_code *code;

    do {
        code = pickle_reader_code(&m->in);
        if (!code || step(m, code)) {
            return -1;
        }
    } while (code->action != PICKLE_STOP);
    if (m->depth != 1 || m->nmark) {
        return damaged(m);
    }
    m->p->root = m->stack[0];
    return 0;
}

int pickle_read(const void *bytes, size_t size, const struct pickle_global *allowed, const char *origin,
                struct pickle *out, struct error *err)
{
    struct machine m = {.p = out, .allowed = allowed, .in = {bytes, size, 0, origin, err}};
    const int rc = run(&m);

    free(m.stack);
    free(m.memo);
    free(m.marks);
    return rc;
}

void pickle_free(struct pickle *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->values[i].text);
        free(p->values[i].items);
    }
    free(p->values);
    *p = (struct pickle){0};
}

/* --- asking ------------------------------------------------------------------- */

bool pickle_is_global(const struct pickle_value *v, const char *module, const char *name)
{
    return v && v->kind == PICKLE_GLOBAL && strcmp(v->text, module) == 0 &&
           strcmp(v->text + strlen(v->text) + 1, name) == 0;
}

const struct pickle_value *pickle_item(const struct pickle *p, const struct pickle_value *v, size_t index)
{
    return index < v->count ? &p->values[v->items[index]] : NULL;
}
