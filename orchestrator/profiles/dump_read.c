#include "orchestrator/profiles/dump_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/clean_name.h"
#include "common/base/file.h"
#include "common/base/json_stream.h"

#define MANIFEST "args_dump/args_dump.json"

/* A record has about 400 bytes: two million of them. */
static const size_t max_nbytes = (size_t)1 << 30;

/* What the manifest says about the file of bytes. */
struct dump {
    char bin[256];  /* "": it names none */
    uint64_t nbyte; /* that the records reach to */
};

static void read_record(struct json_pull *p, struct dump *dump)
{
    uint64_t offset = 0, size = 0;
    char key[24];

    if (!json_pull_open(p, '{')) {
        return;
    }
    while (json_pull_key(p, key, sizeof key)) {
        if (strcmp(key, "bin_offset") == 0) {
            json_pull_u64(p, &offset);
        } else if (strcmp(key, "bin_size") == 0) {
            json_pull_u64(p, &size);
        } else {
            json_pull_skip(p);
        }
    }
    size = offset > UINT64_MAX - size ? UINT64_MAX : offset + size;
    dump->nbyte = size > dump->nbyte ? size : dump->nbyte;
}

static void read_manifest(struct json_pull *p, struct dump *dump)
{
    char key[24];

    if (!json_pull_open(p, '{')) {
        return;
    }
    while (json_pull_key(p, key, sizeof key)) {
        if (strcmp(key, "bin_file") == 0) {
            json_pull_text(p, dump->bin, sizeof dump->bin);
        } else if (strcmp(key, "args") != 0) {
            json_pull_skip(p);
        } else if (json_pull_open(p, '[')) {
            while (json_pull_item(p)) {
                read_record(p, dump);
            }
        }
    }
}

static int check_bytes(const char *dir, const struct dump *dump, struct notes *notes, struct error *err)
{
    char name[sizeof dump->bin], *path, *inner = file_join(dir, "args_dump", err);
    struct stat st;

    if (!inner) {
        return -1;
    }
    path = file_join(inner, dump->bin, err);
    free(inner);
    if (!path) {
        return -1;
    }
    memcpy(name, dump->bin, sizeof name);
    clean_name(name);
    if (strchr(dump->bin, '/')) {
        notes_add(notes, "%s: its bin_file \"%s\" is not beside it", MANIFEST, name);
    } else if (stat(path, &st)) {
        notes_add(notes, "%s: its bin_file %s cannot be used: %s", MANIFEST, name, strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        notes_add(notes, "%s: its bin_file %s is no regular file", MANIFEST, name);
    } else if ((uint64_t)st.st_size < dump->nbyte) {
        notes_add(notes, "%s: its bin_file %s is cut short: %" PRIu64 " bytes, and the arguments reach to %" PRIu64,
                  MANIFEST, name, (uint64_t)st.st_size, dump->nbyte);
    }
    free(path);
    return 0;
}

int dump_check(const char *dir, struct notes *notes, struct error *err)
{
    char *path = file_join(dir, MANIFEST, err), *text, buf[160];
    struct dump dump = {0};
    struct error fault = {0};
    struct json_pull p;
    size_t size;
    int rc = 0;

    if (!path) {
        return -1;
    }
    if (!file_is_regular(path)) {
        free(path);
        return 0;
    }
    text = file_read(path, max_nbytes, &size, &fault);
    free(path);
    if (!text) {
        notes_add(notes, "%s: %s", MANIFEST, fault.what);
        return 0;
    }
    json_pull_start(&p, text, size);
    read_manifest(&p, &dump);
    if (json_pull_fault(&p, buf, sizeof buf)) {
        notes_add(notes, "%s: %s", MANIFEST, buf);
    } else if (dump.bin[0]) {
        rc = check_bytes(dir, &dump, notes, err);
    }
    free(text);
    return rc;
}
