#include "orchestrator/batch/batch_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/json_write.h"

enum { JOURNAL_MAX = 256 << 20 };

static const char hint[] = "leave --resume out to begin anew";

static int read_head(struct json_source *src, const cJSON *line, const struct manifest *m)
{
    const char *content;
    int64_t version;

    if (json_get_int(src, line, "batch_journal", 1, 1, &version) < 0 ||
        json_get_string(src, line, "manifest", &content) < 0) {
        return -1;
    }
    return strcmp(content, m->content) == 0
               ? 0
               : json_fail(src, line, "manifest", "the manifest has changed since that batch began");
}

static int read_line(struct json_source *src, const cJSON *line, size_t i, struct batch_outcome *o)
{
    const char *verdict, *text;
    int64_t entry, device = -1;

    if (json_get_int(src, line, "entry", (int64_t)i, (int64_t)i, &entry) < 0 ||
        json_get_string(src, line, "result", &verdict) < 0 || json_get_number(src, line, "seconds", &o->seconds) < 0 ||
        json_optional_int(src, line, "device", 0, INT32_MAX, &device) < 0) {
        return -1;
    }
    o->verdict = batch_verdict_of(verdict);
    o->device = (int)device;
    o->earlier = true;
    text = json_text_of(line, "what");
    snprintf(o->error.what, sizeof o->error.what, "%s", text ? text : "");
    text = json_text_of(line, "where");
    snprintf(o->error.where, sizeof o->error.where, "%s", text ? text : "");
    text = json_text_of(line, "hint");
    snprintf(o->error.hint, sizeof o->error.hint, "%s", text ? text : "");
    return o->verdict == BATCH_NOT_RUN ? json_fail(src, line, "result", "\"%.20s\" is no verdict", verdict) : 0;
}

/* Lines with their newlines; what is behind the last one was being written. */
static long read_lines(struct json_source *src, char *text, const struct manifest *m, struct batch_outcome *outcomes)
{
    long n = -1;

    for (char *end; (end = strchr(text, '\n')); text = end + 1) {
        cJSON *line;
        int rc;

        *end = '\0';
        line = json_parse(src, text, (size_t)(end - text));
        if (!line) {
            return -1;
        }
        if (n < 0) {
            rc = read_head(src, line, m);
        } else if ((size_t)n < m->count) {
            rc = read_line(src, line, (size_t)n, &outcomes[n]);
        } else {
            rc = json_fail(src, line, NULL, "it has more entries than the manifest");
        }
        cJSON_Delete(line);
        if (rc < 0) {
            return -1;
        }
        n++;
    }
    return n < 0 ? 0 : n;
}

long batch_journal_read(const char *path, const struct manifest *m, struct batch_outcome *outcomes, struct error *err)
{
    struct json_source src = {.file = path, .hint = hint, .err = err};
    char *text;
    long n;

    if (access(path, F_OK) < 0 && errno == ENOENT) {
        return 0;
    }
    text = file_read(path, JOURNAL_MAX, NULL, err);
    if (!text) {
        return -1;
    }
    n = read_lines(&src, text, m, outcomes);
    free(text);
    return n;
}

/* In one write, on the disk when this returns: a line is there whole, or does not count. */
static int append(struct batch_journal *j, struct json_writer *w, cJSON *root, struct error *err)
{
    char *line = json_finish_line(w, root, "batch journal", err);
    size_t n;
    int rc = -1;

    if (!line) {
        return -1;
    }
    n = strlen(line);
    line[n] = '\n'; /* in the place of the NUL */
    if (write(j->fd, line, n + 1) == (ssize_t)(n + 1) && fdatasync(j->fd) == 0) {
        rc = 0;
    } else {
        error_errno(err, j->path, "give it space, or a directory that can be written",
                    "cannot write the batch's journal");
    }
    free(line);
    return rc;
}

/* Behind the last whole line. */
static int cut(const struct batch_journal *j)
{
    char *text = file_read(j->path, JOURNAL_MAX, NULL, NULL), *end = text ? strrchr(text, '\n') : NULL;
    const off_t size = end ? end + 1 - text : 0;

    free(text);
    return ftruncate(j->fd, size) < 0 || lseek(j->fd, size, SEEK_SET) < 0 ? -1 : size > 0;
}

int batch_journal_open(struct batch_journal *j, const char *path, const struct manifest *m, bool resumed,
                       struct error *err)
{
    struct json_writer w = {0};
    cJSON *root;
    int begun;

    *j = (struct batch_journal){.path = strdup(path), .fd = -1};
    if (!j->path) {
        return error_nomem(err, path, strlen(path));
    }
    j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (resumed ? 0 : O_TRUNC), 0666);
    begun = j->fd >= 0 && file_is_regular(path) ? cut(j) : -1;
    if (begun < 0) {
        error_errno(err, path, "give the manifest a directory that can be written", "cannot keep the batch's journal");
        batch_journal_close(j, false);
        return -1;
    }
    if (begun) {
        return 0;
    }
    root = json_new_object(&w);
    json_put_number(&w, root, "batch_journal", 1);
    json_put_string(&w, root, "manifest", m->content);
    if (append(j, &w, root, err) < 0) {
        batch_journal_close(j, false);
        return -1;
    }
    return 0;
}

int batch_journal_add(struct batch_journal *j, size_t i, const struct batch_outcome *o, struct error *err)
{
    struct json_writer w = {0};
    cJSON *root;

    if (j->fd < 0) {
        return 0;
    }
    root = json_new_object(&w);
    json_put_number(&w, root, "entry", (double)i);
    json_put_string(&w, root, "result", batch_verdict_name(o->verdict));
    json_put_number(&w, root, "seconds", o->seconds);
    if (o->device >= 0) {
        json_put_number(&w, root, "device", o->device);
    }
    json_put_text(&w, root, "what", o->error.what);
    json_put_text(&w, root, "where", o->error.where);
    json_put_text(&w, root, "hint", o->error.hint);
    return append(j, &w, root, err);
}

void batch_journal_close(struct batch_journal *j, bool done)
{
    if (j->fd >= 0) {
        close(j->fd);
        if (done) {
            unlink(j->path);
        }
    }
    free(j->path);
    *j = (struct batch_journal)BATCH_JOURNAL_NONE;
}
