#include "rank-worker/compile/identity.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/args.h"
#include "common/base/file.h"
#include "rank-worker/compile/jobs.h"
#include "rank-worker/compile/store.h"
#include "rank-worker/compile/toolchain.h"

enum { GIT_LIMIT_MS = 5000 };

static char *copy(const char *text, bool *failed)
{
    char *own = text ? strdup(text) : NULL;

    if (text && !own) {
        *failed = true;
    }
    return own;
}

int identity_make(const char *platform, const char *runtime_name, const char *runtime_revision,
                  const char *pto_isa_revision, struct cache_identity *out, struct error *err)
{
    bool failed = false;

    *out = (struct cache_identity){copy(platform, &failed), copy(runtime_name, &failed),
                                   copy(runtime_revision, &failed), copy(pto_isa_revision, &failed)};
    if (!failed) {
        return 0;
    }
    identity_free(out);
    return error_nomem(err, platform, 256);
}

void identity_free(struct cache_identity *id)
{
    free(id->platform);
    free(id->runtime_name);
    free(id->runtime_revision);
    free(id->pto_isa_revision);
    memset(id, 0, sizeof *id);
}

/* --- git ------------------------------------------------------------------ */

/* Our environment without what would make git look at another checkout (inside of git's hooks it is set). */
static void git_environment(struct args *env)
{
    static const char *const foreign[] = {
        "GIT_DIR=",       "GIT_WORK_TREE=", "GIT_INDEX_FILE=", "GIT_COMMON_DIR=", "GIT_OBJECT_DIRECTORY=",
        "GIT_NAMESPACE=", "LC_ALL="};

    for (char **v = environ; *v; v++) {
        bool kept = true;
        for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
            kept = kept && strncmp(*v, foreign[i], strlen(foreign[i])) != 0;
        }
        if (kept) {
            args_add(env, "%s", *v);
        }
    }
    args_add(env, "LC_ALL=C");
}

/* What `git -C dir ...` prints, messages included, without blanks at the end; NULL when it fails. */
static char *git(const char *dir, const char *const *words)
{
    struct args argv = {0}, env = {0};
    struct job_result result = {0};
    char *text = NULL;

    args_add(&argv, "/usr/bin/env");
    args_add(&argv, "git");
    args_add(&argv, "--no-optional-locks");
    args_add(&argv, "-C");
    args_add(&argv, "%s", dir);
    while (*words) {
        args_add(&argv, "%s", *words++);
    }
    git_environment(&env);
    if (args_done(&argv, NULL) == 0 && args_done(&env, NULL) == 0 &&
        job_run(&(struct job){.argv = argv.v, .envp = env.v, .limit_ms = GIT_LIMIT_MS}, &result, NULL) == 0) {
        if (result.code == 0) {
            text = result.output;
        } else {
            free(result.output);
        }
    }
    args_free(&argv);
    args_free(&env);
    for (size_t n = text ? strlen(text) : 0; n > 0 && isspace((unsigned char)text[n - 1]); n--) {
        text[n - 1] = '\0';
    }
    return text;
}

static bool is_revision(const char *text)
{
    size_t n = strlen(text);

    return (n == 40 || n == 64) && strspn(text, "0123456789abcdef") == n;
}

static bool is_checkout(const char *dir)
{
    char *path = file_join(dir, ".git", NULL);
    struct stat st;
    bool yes = path && stat(path, &st) == 0;

    free(path);
    return yes;
}

char *identity_checkout(const char *dir, const char **why)
{
    static const char *const head[] = {"rev-parse", "HEAD", NULL};
    static const char *const state[] = {"status", "--porcelain=v1", "--untracked-files=normal", NULL};
    char *revision = NULL, *changes = NULL;
    const char *reason = NULL;

    if (!is_checkout(dir)) {
        reason = "it is not a git checkout";
    } else if (!(revision = git(dir, head)) || !is_revision(revision)) {
        reason = "git does not know its revision";
    } else if (!(changes = git(dir, state))) {
        reason = "git does not know whether it was changed";
    } else if (*changes) {
        reason = "files in it were changed or added";
    }
    free(changes);
    if (why) {
        *why = reason;
    }
    if (reason) {
        free(revision);
        return NULL;
    }
    return revision;
}

/* --- content -------------------------------------------------------------- */

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int hash_file(struct hasher *h, const FTSENT *entry, size_t below, struct error *err)
{
    size_t size;
    char *data = file_read(entry->fts_path, STORE_SOURCE_MAX, &size, err);

    if (!data) {
        return -1;
    }
    hasher_text(h, entry->fts_path + below);
    hasher_bytes(h, data, size);
    free(data);
    return 0;
}

static int hash_tree(struct hasher *h, const char *dir, struct error *err)
{
    char *roots[] = {(char *)dir, NULL};
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    FTSENT *entry;
    int rc = 0;

    if (!tree) {
        return error_errno(err, dir, file_errno_hint(errno), "cannot read the directory %s", dir);
    }
    while (rc == 0 && (errno = 0, entry = fts_read(tree)) != NULL) {
        switch (entry->fts_info) {
        case FTS_D:
            if (strcmp(entry->fts_name, ".git") == 0) {
                fts_set(tree, entry, FTS_SKIP);
            }
            break;
        case FTS_F:
            rc = hash_file(h, entry, strlen(dir), err);
            break;
        case FTS_DNR:
        case FTS_ERR:
        case FTS_NS:
            errno = entry->fts_errno;
            rc = error_errno(err, entry->fts_path, file_errno_hint(errno), "cannot read %s", entry->fts_path);
            break;
        default:
            break;
        }
    }
    if (rc == 0 && errno) {
        rc = error_errno(err, dir, file_errno_hint(errno), "cannot read the directory %s", dir);
    }
    fts_close(tree);
    return rc;
}

char *identity_content(const char *dir, struct error *err)
{
    struct hasher *h = hasher_new();
    char *text = NULL;
    struct key key;
    int rc;

    if (!h) {
        error_nomem(err, dir, 1024);
        return NULL;
    }
    rc = hash_tree(h, dir, err);
    key = hasher_end(h);
    if (rc) {
        return NULL;
    }
    text = text_format("l3replay-content-%016" PRIx64 "%016" PRIx64, key.high, key.low);
    if (!text) {
        error_nomem(err, dir, 64);
    }
    return text;
}

/* --- the cpu device ------------------------------------------------------- */

char *identity_cpu_revision(const char *include, const struct toolchain *kernel, const struct toolchain *orchestration,
                            struct error *err)
{
    /* The answer to its probe follows from headers and compiler, and a stamp is checked before it is known. */
    struct toolchain unprobed = *kernel;
    char *headers = identity_content(include, err), *text = NULL;
    struct hasher *h = headers ? hasher_new() : NULL;
    struct args flags = {0};
    struct key key;

    unprobed.bfloat16 = BFLOAT16_UNKNOWN;
    if (headers && !h) {
        error_nomem(err, include, 1024);
    }
    if (h) {
        hasher_text(h, headers);
        hasher_key(h, kernel->id);
        hasher_key(h, orchestration->id);
        toolchain_flags(&unprobed, TOOLCHAIN_KERNEL, CORE_AIC, &flags);
        toolchain_flags(&unprobed, TOOLCHAIN_KERNEL, CORE_AIV, &flags);
        toolchain_flags(orchestration, TOOLCHAIN_ORCHESTRATION, CORE_AIV, &flags);
        for (size_t i = 0; i < flags.n; i++) {
            hasher_text(h, flags.v[i]);
        }
        key = hasher_end(h);
        if (args_done(&flags, err) == 0) {
            text = text_format("l3replay-cpu-%016" PRIx64 "%016" PRIx64, key.high, key.low);
            if (!text) {
                error_nomem(err, include, 64);
            }
        }
    }
    args_free(&flags);
    free(headers);
    return text;
}

char *identity_pto_revision(const char *root, struct error *err)
{
    char *revision, *include;

    if (!root || !*root) {
        revision = strdup(IDENTITY_NO_PTO);
        if (!revision) {
            error_nomem(err, "PTO_ISA_ROOT", 16);
        }
        return revision;
    }
    revision = identity_checkout(root, NULL);
    if (revision) {
        return revision;
    }
    include = file_join(root, "include", err);
    if (include) {
        revision = identity_content(include, err);
    }
    free(include);
    return revision;
}
