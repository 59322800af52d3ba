/* `l3replay cache`: how large the store of compiled objects is and how it serves; --trim, --clear. */
#include <argp.h>
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/base/json_write.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "rank-worker/compile/headers_later.h"
#include "rank-worker/compile/store_trim.h"
#include "rank-worker/compile/store_use.h"

enum { OPT_TRIM = 0x700, OPT_CLEAR, OPT_JSON, OPT_MAKE_HEADERS };

struct cache_command {
    bool trim, clear, json, make_headers;
};

struct cache_state {
    struct store_size size;
    struct store_counts counts;
    struct store_trimmed trimmed;
    uint64_t limit;
};

static const struct argp_option option_table[] = {
    {"trim", OPT_TRIM, NULL, 0, "remove what was not used for longest, until the store is within its limit", 0},
    {"clear", OPT_CLEAR, NULL, 0, "remove everything that no running process uses, and the counts", 0},
    {"make-headers", OPT_MAKE_HEADERS, NULL, 0,
     "make the precompiled headers that replays did without, as a replay does in the background when it has its "
     "verdict",
     0},
    {"json", OPT_JSON, NULL, 0, "print JSON", 0},
    {0},
};

static const char doc[] =
    "Show the store of compiled objects: where it is, its size and limit, its entries, and how many look-ups found an "
    "object.\v"
    "The store is $L3REPLAY_CACHE_DIR, else $XDG_CACHE_HOME/l3replay, else ~/.cache/l3replay; its limit is "
    "$L3REPLAY_CACHE_MAX (bytes, or KB, MB, GB, TB; 5G unless given; 0 is no limit). A replay that has compiled "
    "something "
    "trims it at its end. What running replays use is never removed.\n"
    "\n"
    "Examples:\n"
    "  l3replay cache\n"
    "  L3REPLAY_CACHE_MAX=500M l3replay cache --trim\n"
    "  l3replay cache --clear --json\n"
    "\n"
    "Exit status: 0 done; 2 wrong usage; 3 the store cannot be read or trimmed (the message says why).";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct cache_command *c = state->input;

    switch (key) {
    case OPT_TRIM:
        c->trim = true;
        return 0;
    case OPT_CLEAR:
        c->clear = true;
        return 0;
    case OPT_MAKE_HEADERS:
        c->make_headers = true;
        return 0;
    case OPT_JSON:
        c->json = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "there is nothing to name here: '%s'", arg);
        return EINVAL;
    case ARGP_KEY_END:
        if (c->trim && c->clear) {
            argp_error(state, "give --trim or --clear, not both");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *size_text(uint64_t nbytes, char *buf, size_t size)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    double value = (double)nbytes;
    size_t unit = 0;

    while (value >= 1024 && unit < sizeof units / sizeof *units - 1) {
        value /= 1024;
        unit++;
    }
    snprintf(buf, size, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return buf;
}

static void print_text(const struct cache_command *c, const struct store *s, const struct cache_state *st)
{
    char size[32], limit[32];

    if (c->trim || c->clear) {
        printf("removed  %" PRIu64 " entries, %s\n", st->trimmed.nentry,
               size_text(st->trimmed.nbytes, size, sizeof size));
        if (st->trimmed.nused) {
            printf("kept     %" PRIu64 " entries that running processes use\n", st->trimmed.nused);
        }
    }
    printf("store    %s\n", s->root);
    printf("size     %s of %s\n", size_text(st->size.nbytes, size, sizeof size),
           st->limit ? size_text(st->limit, limit, sizeof limit) : "any");
    printf("entries  %" PRIu64 " objects, %" PRIu64 " precompiled headers, %" PRIu64 " lists of headers, %" PRIu64
           " files of golden.py, %" PRIu64 " recordings\n",
           st->size.nobject, st->size.nheader, st->size.nlist, st->size.ngolden, st->size.nrecording);
    printf("hits     %" PRIu64 " of %" PRIu64 " look-ups\n", st->counts.hits, st->counts.lookups);
}

static int print_json(const struct cache_command *c, const struct store *s, const struct cache_state *st,
                      struct error *err)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *removed;

    json_put_text(&w, root, "store", s->root);
    json_put_number(&w, root, "bytes", (double)st->size.nbytes);
    if (st->limit) {
        json_put_number(&w, root, "limit_bytes", (double)st->limit);
    } else {
        json_put_null(&w, root, "limit_bytes");
    }
    json_put_number(&w, root, "objects", (double)st->size.nobject);
    json_put_number(&w, root, "precompiled_headers", (double)st->size.nheader);
    json_put_number(&w, root, "header_lists", (double)st->size.nlist);
    json_put_number(&w, root, "golden_files", (double)st->size.ngolden);
    json_put_number(&w, root, "recordings", (double)st->size.nrecording);
    json_put_number(&w, root, "lookups", (double)st->counts.lookups);
    json_put_number(&w, root, "hits", (double)st->counts.hits);
    if (c->trim || c->clear) {
        removed = json_put_object(&w, root, "removed");
        json_put_number(&w, removed, "entries", (double)st->trimmed.nentry);
        json_put_number(&w, removed, "bytes", (double)st->trimmed.nbytes);
        json_put_number(&w, removed, "in_use", (double)st->trimmed.nused);
    }
    return json_print(&w, root, "object store", stdout, err);
}

static int make_headers(struct error *err)
{
    const struct compile_session_options options = {0};
    struct compile_session *session = NULL;
    unsigned made;
    int rc = compile_session_open(&options, &session, err);

    if (rc == 0) {
        rc = headers_make_ordered(session, &made, err);
    }
    compile_session_close(session);
    return rc;
}

static int look(const struct cache_command *c, const struct store *s, struct cache_state *st, struct error *err)
{
    if (store_limit(&st->limit, err) < 0) {
        return -1;
    }
    if (c->clear || (c->trim && st->limit > 0)) {
        if (store_trim(s, c->clear ? 0 : st->limit, &st->trimmed, err) < 0) {
            return -1;
        }
        if (c->clear) {
            store_counts_clear(s);
        }
    }
    st->counts = store_counts_read(s);
    return store_measure(s, &st->size, err);
}

const struct argp cache_command = {.options = option_table, .parser = parse_option, .doc = doc};

int cli_cache(int argc, char **argv)
{
    struct cache_command c = {0};
    struct cache_state state = {0};
    struct store store;
    struct error err;
    int rc;

    command_parse(&cache_command, argc, argv, &c);
    if (c.make_headers && make_headers(&err) < 0) {
        return command_end(-1, &err);
    }
    rc = store_open(&store, &err);
    if (rc == 0 && store.is_private) { /* it goes with this process, and holds nothing */
        rc = error_set(&err, "L3REPLAY_CACHE_DIR", "name a directory that can be written, or set HOME",
                       "there is no store: the note above says why");
    }
    if (rc == 0) {
        rc = look(&c, &store, &state, &err);
    }
    if (rc == 0 && c.json) {
        rc = print_json(&c, &store, &state, &err);
    } else if (rc == 0) {
        print_text(&c, &store, &state);
    }
    store_close(&store);
    if (rc == 0 && (fflush(stdout) || ferror(stdout))) {
        rc = error_errno(&err, "stdout", NULL, "cannot write");
    }
    return command_end(rc, &err);
}
