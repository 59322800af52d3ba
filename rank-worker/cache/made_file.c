#include "rank-worker/cache/made_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/file.h"
#include "common/base/line_name.h"
#include "rank-worker/cache/beside.h"

enum { FILE_MAX = 256 << 20, KEY_TEXT = 32 };

static const char first_line[] = "l3replay-made 1\n", last_line[] = "end\n";

/* A header with one content; sources share most of theirs. */
struct shared {
    const char *name;
    struct key content;
};

struct table {
    size_t count, capacity;
    struct shared *items;
};

void made_file_free(struct made_file *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->items[i].binary);
        free(f->items[i].source);
        made_of_free(&f->items[i].made);
    }
    free(f->items);
    *f = (struct made_file){0};
}

char *made_entry_source(const struct made_entry *e, const char *dir)
{
    return e->source[0] == '/' ? strdup(e->source) : text_format("%s/%s", dir, e->source);
}

/* --- writing -------------------------------------------------------------- */

int made_file_add(struct made_file *f, const char *dir, const char *binary, const char *source, struct key object,
                  const struct made_of *made, struct error *err)
{
    struct made_entry *e;
    size_t n = strlen(dir);
    bool below = strncmp(source, dir, n) == 0 && source[n] == '/';

    if (array_room(&f->items, &f->capacity, f->count, sizeof *f->items)) {
        return error_nomem(err, binary, sizeof *f->items);
    }
    e = &f->items[f->count++];
    *e = (struct made_entry){
        .binary = strdup(binary), .source = strdup(below ? source + n + 1 : source), .object = object};
    if (made_of_copy(made, &e->made) < 0 || !e->binary || !e->source) {
        return error_nomem(err, binary, made->headers.n * sizeof *e->made.contents);
    }
    return 0;
}

static void put_key(FILE *f, struct key key)
{
    fprintf(f, "%016" PRIx64 "%016" PRIx64, key.high, key.low);
}

static int place_of(struct table *t, const char *name, struct key content, FILE *f, size_t *place, struct error *err)
{
    for (size_t i = 0; i < t->count; i++) {
        if (key_equal(t->items[i].content, content) && strcmp(t->items[i].name, name) == 0) {
            *place = i;
            return 0;
        }
    }
    if (array_room(&t->items, &t->capacity, t->count, sizeof *t->items)) {
        return error_nomem(err, MADE_FILE, sizeof *t->items);
    }
    *place = t->count;
    t->items[t->count++] = (struct shared){name, content};
    fputs("header ", f);
    put_key(f, content);
    putc(' ', f);
    line_name_put(f, name);
    putc('\n', f);
    return 0;
}

static int put_entry(const struct made_entry *e, struct table *t, FILE *f, struct error *err)
{
    size_t *places = calloc(e->made.headers.n + 1, sizeof *places);
    int rc = places ? 0 : error_nomem(err, MADE_FILE, e->made.headers.n * sizeof *places);

    for (size_t i = 0; rc == 0 && i < e->made.headers.n; i++) {
        rc = place_of(t, e->made.headers.v[i], e->made.contents[i], f, &places[i], err);
    }
    if (rc == 0) {
        fputs("binary ", f);
        put_key(f, e->object);
        putc(' ', f);
        put_key(f, e->made.source);
        putc(' ', f);
        line_name_put(f, e->binary);
        putc(' ', f);
        line_name_put(f, e->source);
        for (size_t i = 0; i < e->made.headers.n; i++) {
            fprintf(f, " %zu", places[i]);
        }
        putc('\n', f);
    }
    free(places);
    return rc;
}

int made_file_write(const struct made_file *file, const char *dir, struct error *err)
{
    char *path = file_join(dir, MADE_FILE, err);
    struct file_writer w = {.unsynced = true};
    struct table t = {0};
    int rc = path ? file_replace_begin(&w, path, err) : -1;

    free(path);
    if (rc < 0) {
        return -1;
    }
    fputs(first_line, w.stream); /* errors are found by the commit */
    for (size_t i = 0; rc == 0 && i < file->count; i++) {
        rc = file->items[i].made.known ? put_entry(&file->items[i], &t, w.stream, err) : 0;
    }
    fputs(last_line, w.stream);
    free(t.items);
    if (rc < 0) {
        file_write_abort(&w);
        return -1;
    }
    return file_write_commit(&w, err);
}

int made_file_discard(const char *dir, struct error *err)
{
    char *path = file_join(dir, MADE_FILE, err);
    int rc = path ? 0 : -1;

    if (path && (file_clear_place(path) < 0 || unlink(path) < 0) && errno != ENOENT && errno != ENOTDIR) {
        rc = error_errno(err, path, file_errno_hint(errno), "cannot delete %s", path);
    }
    free(path);
    return rc;
}

/* --- reading -------------------------------------------------------------- */

/* The next word of a line; NULL at its end. */
static char *word(char **at)
{
    char *begin = *at;

    if (!begin || !*begin) {
        return NULL;
    }
    *at = strchr(begin, ' ');
    if (*at) {
        *(*at)++ = '\0';
    }
    return begin;
}

static bool take_key(char **at, struct key *key)
{
    const char *text = word(at);
    unsigned long long high, low;

    if (!text || strlen(text) != KEY_TEXT || strspn(text, "0123456789abcdef") != KEY_TEXT ||
        sscanf(text, "%16llx%16llx", &high, &low) != 2) {
        return false;
    }
    *key = (struct key){.high = high, .low = low};
    return true;
}

/* 1 taken, 0 it is no such line, -1 out of memory. */
static int take_header(char *at, struct table *t)
{
    struct key content;
    char *name;

    if (!take_key(&at, &content) || !(name = word(&at))) {
        return 0;
    }
    if (array_room(&t->items, &t->capacity, t->count, sizeof *t->items)) {
        return -1;
    }
    t->items[t->count++] = (struct shared){line_name_take(name), content};
    return 1;
}

static int take_places(char *at, const struct table *t, struct made_of *m)
{
    size_t capacity = 0;
    char *text, *end;

    while ((text = word(&at))) {
        unsigned long place = strtoul(text, &end, 10);
        if (end == text || *end || place >= t->count) {
            return 0;
        }
        if (array_room(&m->contents, &capacity, m->headers.n, sizeof *m->contents)) {
            return -1;
        }
        m->contents[m->headers.n] = t->items[place].content;
        args_take(&m->headers, strdup(t->items[place].name));
        if (m->headers.failed) {
            return -1;
        }
    }
    return 1;
}

static int take_binary(char *at, const struct table *t, struct made_file *f)
{
    struct made_entry e = {.made.known = true}, *to;
    char *binary, *source;

    if (!take_key(&at, &e.object) || !take_key(&at, &e.made.source) || !(binary = word(&at)) || !(source = word(&at))) {
        return 0;
    }
    if (array_room(&f->items, &f->capacity, f->count, sizeof *f->items)) {
        return -1;
    }
    to = &f->items[f->count++];
    *to = e;
    to->binary = strdup(line_name_take(binary));
    to->source = strdup(line_name_take(source));
    return to->binary && to->source ? take_places(at, t, &to->made) : -1;
}

/* 1 the whole file was taken, 0 it is damaged, -1 out of memory. */
static int take_lines(char *text, struct made_file *f)
{
    struct table t = {0};
    int rc = 1;

    for (char *line = text, *end; rc == 1; line = end + 1) {
        end = strchr(line, '\n');
        if (!end) {
            rc = 0;
            break;
        }
        *end = '\0';
        if (strcmp(line, "end") == 0) {
            break;
        }
        rc = strncmp(line, "header ", 7) == 0   ? take_header(line + 7, &t)
             : strncmp(line, "binary ", 7) == 0 ? take_binary(line + 7, &t, f)
                                                : 0;
    }
    free(t.items);
    return rc;
}

int made_file_read(const char *dir, struct made_file *out, struct error *err)
{
    char *path = file_join(dir, MADE_FILE, err), *text;
    size_t n = sizeof first_line - 1;
    int rc;

    *out = (struct made_file){0};
    if (!path) {
        return -1;
    }
    text = file_read(path, FILE_MAX, NULL, NULL);
    free(path);
    rc = text && strncmp(text, first_line, n) == 0 ? take_lines(text + n, out) : 0;
    free(text);
    if (rc < 1) {
        made_file_free(out);
    }
    return rc < 0 ? error_nomem(err, MADE_FILE, 1) : 0;
}

/* --- asking --------------------------------------------------------------- */

const struct made_entry *made_file_find(const struct made_file *f, const char *dir, const char *binary,
                                        struct hashes *hashes)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct made_entry *e = &f->items[i];
        char *path;
        struct key key = {0};
        bool same;

        if (strcmp(e->binary, binary) != 0) {
            continue;
        }
        path = text_format("%s/cache/%s", dir, binary);
        same = path && hashes_file(hashes, path, &key, NULL) == 0 && key_equal(key, e->object);
        free(path);
        return same ? e : NULL;
    }
    return NULL;
}

static bool holds(const char *path, struct key content, struct hashes *hashes)
{
    struct key key;

    return path && hashes_file(hashes, path, &key, NULL) == 0 && key_equal(key, content);
}

static bool is_current(const struct made_entry *e, const char *dir, struct hashes *hashes)
{
    char *source = made_entry_source(e, dir), *at = source ? strdup(source) : NULL, *beside, *path;
    bool same = at && holds(source, e->made.source, hashes);

    beside = same ? beside_source(source) : NULL;
    same = beside && holds(beside, e->object, hashes);
    if (same) {
        *strrchr(at, '/') = '\0';
    }
    for (size_t i = 0; same && i < e->made.headers.n; i++) {
        path = made_of_path(&e->made, i, at);
        same = holds(path, e->made.contents[i], hashes);
        free(path);
    }
    free(beside);
    free(at);
    free(source);
    return same;
}

bool made_file_is_current(const struct made_file *f, const char *dir, size_t nfile, struct hashes *hashes)
{
    bool same = f->count > 0 && nfile == 2 * f->count;

    for (size_t i = 0; same && i < f->count; i++) {
        same = made_file_find(f, dir, f->items[i].binary, hashes) && is_current(&f->items[i], dir, hashes);
    }
    return same;
}
