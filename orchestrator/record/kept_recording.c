#include "orchestrator/record/kept_recording.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/install.h"
#include "common/base/log.h"
#include "orchestrator/kept/kept_files.h"
#include "rank-worker/compile/store_entry.h"
#include "rank-worker/compile/store_use.h"

enum { VERSION = 1 };

extern char **environ;

static void hash_file_times(struct hasher *h, const char *path)
{
    struct stat st = {0};

    stat(path, &st);
    hasher_bytes(h, &st.st_size, sizeof st.st_size);
    hasher_bytes(h, &st.st_mtim.tv_sec, sizeof st.st_mtim.tv_sec);
    hasher_bytes(h, &st.st_mtim.tv_nsec, sizeof st.st_mtim.tv_nsec);
}

/* The recorder itself, which another version of l3replay has changed. False: it is not found. */
static bool hash_recorder(struct hasher *h)
{
    struct args names = {0};
    char dir[PATH_MAX];
    bool found = install_find(INSTALL_RECORDER, dir, sizeof dir, NULL) == 0 && directory_list(dir, NULL, &names) == 0;

    hasher_text(h, found ? dir : "");
    for (size_t i = 0; found && i < names.n; i++) {
        char *path = file_join(dir, names.v[i], NULL);

        found = path != NULL;
        if (found && strcmp(names.v[i], "__pycache__") != 0) {
            hasher_text(h, names.v[i]);
            hash_file_times(h, path);
        }
        free(path);
    }
    args_free(&names);
    return found;
}

/* What changes how Python runs. */
static void hash_environment(struct hasher *h)
{
    struct args names = {0};

    for (char **e = environ; *e; e++) {
        if (strncmp(*e, "PYTHON", 6) == 0) {
            args_add(&names, "%s", *e);
        }
    }
    args_sort_unique(&names);
    for (size_t i = 0; i < names.n; i++) {
        hasher_text(h, names.v[i]);
    }
    args_free(&names);
}

static bool make_key(struct key *key, const struct build *build, const char *request, const char *python)
{
    struct hasher *h = hasher_new();
    bool ok;

    if (!h) {
        return false;
    }
    hasher_text(h, "l3replay-recording " L3R_VERSION);
    hasher_text(h, request);
    for (uint32_t i = 0; i < build->sub_workers.count; i++) {
        hasher_text(h, build->sub_workers.items[i].name); /* the recorder lists them itself */
    }
    hasher_text(h, python);
    hash_file_times(h, python);
    hash_environment(h);
    ok = hash_recorder(h);
    *key = hasher_end(h);
    return ok;
}

void kept_recording_open(struct kept_recording *k, const struct build *build, const char *request, const char *python)
{
    struct error err;
    struct key key;

    *k = (struct kept_recording){.begun = kept_files_clock()};
    if (!strchr(python, '/') || !make_key(&key, build, request, python) || store_open(&k->store, &err) < 0) {
        return;
    }
    if (!k->store.is_private) { /* that one goes with this process */
        k->path = store_path(&k->store, "recordings", key, "");
    }
}

void kept_recording_close(struct kept_recording *k)
{
    free(k->path);
    store_close(&k->store);
    *k = (struct kept_recording){0};
}

char *kept_recording_find(struct kept_recording *k)
{
    struct json_source src = {.file = k->path, .bytes = true};
    struct args paths = {0};
    int64_t version;
    char *text, *newline, *lines = NULL;
    cJSON *head;

    if (!k->path || store_use(&k->store, k->path, NULL) < 0 || !kept_file_is_ours(k->path) ||
        !(text = store_kept_text(k->path))) {
        return NULL;
    }
    newline = strchr(text, '\n');
    if (newline) {
        *newline = '\0';
    }
    head = newline ? json_parse(&src, text, (size_t)(newline - text)) : NULL;
    if (head && json_get_int(&src, head, "version", VERSION, VERSION, &version) == 0 &&
        kept_files_same(&src, head, &paths)) {
        lines = strdup(newline + 1);
    }
    cJSON_Delete(head);
    args_free(&paths);
    free(text);
    return lines;
}

void kept_recording_keep(struct kept_recording *k, const char *lines, size_t nbytes, const struct args *paths)
{
    struct json_writer w = {.bytes = true};
    struct error err = {0};
    char *head, *text = NULL;
    cJSON *root;
    size_t length;

    /* Without a file that decides it nothing would ever change it. */
    if (!k->path || paths->failed || !paths->n || !kept_files_are_old(paths, k->begun)) {
        return;
    }
    root = json_new_object(&w);
    json_put_u64(&w, root, "version", VERSION);
    kept_files_put(&w, root, paths);
    head = json_finish_line(&w, root, "object store", &err);
    length = head ? strlen(head) : 0;
    text = head ? malloc(length + 1 + nbytes) : NULL;
    if (text) {
        memcpy(text, head, length);
        text[length] = '\n';
        memcpy(text + length + 1, lines, nbytes);
        if (store_keep_text(&k->store, k->path, text, length + 1 + nbytes, &err) < 0) {
            log_msg(LOG_WARN, "the recording is not kept: %s", err.what);
        }
    }
    free(text);
    free(head);
}
