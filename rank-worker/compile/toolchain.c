#include "rank-worker/compile/toolchain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/executable.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "rank-worker/compile/jobs.h"
#include "rank-worker/compile/store_entry.h"

enum { VERSION_TIMEOUT_MS = 20000, PROBE_TIMEOUT_MS = 60000 };

struct requirement {
    const char *variable, *what, *hint;
    int gcc, clang; /* lowest major versions */
    const char *names[16];
};

/* g++ 15 is what the reference compiles kernels with, so g++ comes first where it is new enough. */
static const struct requirement requirements[] = {
    [TOOLCHAIN_KERNEL] = {"L3REPLAY_KERNEL_CXX",
                          "kernels: g++ 13 or later, or clang++ 17 or later",
                          "install the package clang-19 (Debian 12), or g++ (Debian 13), or set L3REPLAY_KERNEL_CXX",
                          13,
                          17,
                          {"g++-15", "g++-14", "g++-13", "g++", "clang++-19", "clang++-20", "clang++-21", "clang++-18",
                           "clang++-17", "clang++"}},
    [TOOLCHAIN_ORCHESTRATION] = {"L3REPLAY_ORCH_CXX",
                                 "orchestrations: g++ 9 or later, or clang++ 10 or later",
                                 "install the package g++, or set L3REPLAY_ORCH_CXX",
                                 9,
                                 10,
                                 {"g++", "clang++", "g++-15", "g++-14", "g++-13", "g++-12", "clang++-19", "clang++-20",
                                  "clang++-21", "clang++-18", "clang++-17"}},
};

/* The first number that is followed by a dot and begins a word: "g++ (Debian 12.2.0-14) 12.2.0",
 * "Debian clang version 19.1.7 (3~deb12u1)", "g++-13 (Ubuntu 13.3.0-6ubuntu2~24.04) 13.3.0". */
static int major_version(const char *line, bool clang)
{
    const char *p = clang ? strstr(line, "version ") : strrchr(line, ')');
    char *end;
    long major;

    if (!p) {
        return 0;
    }
    p += clang ? strlen("version ") : 1;
    major = strtol(p, &end, 10);
    return end != p && (*end == '.' || *end == '\0' || *end == ' ') ? (int)major : 0;
}

/* Linking takes a third of a small kernel's compile with ld.bfd, and a tenth with these. */
static const char *find_linker(void)
{
    static const char *const names[] = {"lld", "gold"};
    const char *given = getenv("L3REPLAY_LINKER");
    char program[16], *path;

    if (given && *given) {
        return strcmp(given, "default") == 0 ? NULL : given;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(program, sizeof program, "ld.%s", names[i]);
        if (executable_find(program, &path, NULL) == 0 && path) {
            free(path);
            return names[i];
        }
    }
    return NULL;
}

static int identify(struct toolchain *tool, const char *output, struct error *err)
{
    struct hasher *h = hasher_new();
    struct stat st;

    if (!h) {
        return error_nomem(err, tool->path, 1);
    }
    hasher_text(h, tool->path);
    hasher_text(h, output);
    if (stat(tool->path, &st) == 0) {
        hasher_bytes(h, &st.st_size, sizeof st.st_size);
        hasher_bytes(h, &st.st_mtim, sizeof st.st_mtim);
    }
    toolchain_hash_environment(h);
    tool->id = hasher_end(h);
    tool->clang = strstr(output, "clang") != NULL;
    tool->linker = find_linker();
    tool->version = strndup(output, strcspn(output, "\n"));
    if (!tool->version) {
        return error_nomem(err, tool->path, 1);
    }
    tool->major = major_version(tool->version, tool->clang);
    return 0;
}

static int ask_version(const char *path, char *const *env, char **output, struct error *err)
{
    char *argv[] = {(char *)(size_t)path, (char[]){"--version"}, NULL};
    struct job_result result = {0};
    const struct job job = {.argv = argv, .envp = env, .limit_ms = VERSION_TIMEOUT_MS};
    int rc = job_run(&job, &result, err);

    if (rc == 0 && result.code != 0) {
        rc = error_set(err, path, NULL, "the compiler does not print its version: it ended with code %d: %.200s",
                       result.code, result.output);
    }
    if (rc < 0) {
        free(result.output);
        return -1;
    }
    *output = result.output;
    return 0;
}

/* Whether what it says can change only when the file does: a compiler itself, no script and no front to another one. */
static bool is_compiler_itself(const char *resolved)
{
    const char *name = strrchr(resolved, '/');
    char magic[4] = "";
    FILE *f;

    if (!name || (!strstr(name, "clang") && !strstr(name, "g++"))) {
        return false;
    }
    f = fopen(resolved, "re");
    if (!f) {
        return false;
    }
    if (fread(magic, 1, sizeof magic, f) != sizeof magic) {
        magic[0] = '\0';
    }
    fclose(f);
    return memcmp(magic, "\177ELF", sizeof magic) == 0;
}

/* Where the store keeps the version output of this very file; NULL when it has to be asked each time. */
static char *version_path(const struct store *store, const char *path)
{
    char *resolved = realpath(path, NULL);
    struct hasher *h = NULL;
    struct stat st;

    if (resolved && is_compiler_itself(resolved) && stat(resolved, &st) == 0) {
        h = hasher_new();
    }
    if (h) {
        hasher_text(h, "version");
        hasher_text(h, path);
        hasher_text(h, resolved);
        hasher_bytes(h, &st.st_size, sizeof st.st_size);
        hasher_bytes(h, &st.st_ino, sizeof st.st_ino);
        hasher_bytes(h, &st.st_mtim, sizeof st.st_mtim);
        hasher_bytes(h, &st.st_ctim, sizeof st.st_ctim);
    }
    free(resolved);
    return h ? store_path(store, "tools", hasher_end(h), "") : NULL;
}

/* Take over `path`. 1, or 0 with `err` when it is no compiler that answers, or -1 when that cannot be found out. */
static int examine(char *path, const struct store *store, char *const *env, struct toolchain *tool, struct error *err)
{
    char *kept = version_path(store, path);
    char *output = kept ? store_kept_text(kept) : NULL;
    int rc = 1;

    *tool = (struct toolchain){.path = path};
    if (!output) {
        rc = ask_version(path, env, &output, err) == 0;
        if (rc == 1 && kept && store_keep_text(store, kept, output, strlen(output), err) < 0) {
            rc = -1;
        }
    }
    if (rc == 1 && identify(tool, output, err) < 0) {
        rc = -1;
    }
    free(output);
    free(kept);
    if (rc != 1) {
        toolchain_free(tool);
    }
    return rc;
}

static bool is_enough(const struct toolchain *tool, const struct requirement *need)
{
    return tool->major >= (tool->clang ? need->clang : need->gcc);
}

static int take_named(const char *name, const struct requirement *need, const struct store *store, char *const *env,
                      struct toolchain *tool, struct error *err)
{
    char *path;

    if (executable_need(name, need->variable, need->hint, &path, err) < 0 ||
        examine(path, store, env, tool, err) != 1) {
        return -1;
    }
    if (is_enough(tool, need)) {
        return 0;
    }
    error_set(err, need->variable, need->hint, "the compiler %s (%s) is too old for %s", tool->path, tool->version,
              need->what);
    toolchain_free(tool);
    return -1;
}

int toolchain_find(enum toolchain_use use, const struct store *store, char *const *env, struct toolchain *tool,
                   struct error *err)
{
    const struct requirement *need = &requirements[use];
    const char *given = getenv(need->variable);
    struct error silent = {0};
    char *path;

    *tool = (struct toolchain){0};
    if (given && *given) {
        return take_named(given, need, store, env, tool, err);
    }
    for (size_t i = 0; i < sizeof need->names / sizeof *need->names && need->names[i]; i++) {
        int answers;

        if (executable_find(need->names[i], &path, err) < 0) {
            return -1;
        }
        answers = path ? examine(path, store, env, tool, err) : 0;
        if (answers < 0) {
            return -1;
        }
        if (answers == 0) {
            silent = path && !silent.what[0] ? *err : silent;
            continue;
        }
        if (is_enough(tool, need)) {
            log_msg(LOG_DEBUG, "compiler for %s is %s (%s)", need->variable, tool->path, tool->version);
            return 0;
        }
        toolchain_free(tool);
    }
    if (silent.what[0]) { /* there are some, and the first of them says why it cannot work */
        return error_set(err, silent.where, silent.hint[0] ? silent.hint : need->hint,
                         "no compiler on PATH works for %s (%s)", need->what, silent.what);
    }
    return error_set(err, NULL, need->hint, "no compiler found on PATH for %s", need->what);
}

int toolchain_named(const char *name, const struct store *store, char *const *env, struct toolchain *tool,
                    struct error *err)
{
    static const char hint[] = "install it: the simpler runtime compiles with this compiler";
    char *path;

    *tool = (struct toolchain){0};
    if (executable_need(name, "the simpler runtime", hint, &path, err) < 0) {
        return -1;
    }
    return examine(path, store, env, tool, err) == 1 ? 0 : -1;
}

void toolchain_free(struct toolchain *tool)
{
    free(tool->path);
    free(tool->version);
    *tool = (struct toolchain){0};
}

int toolchain_environment(const char *tmpdir, struct args *env, struct error *err)
{
    static const char *const dropped[] = {
        "TMPDIR=", "LC_ALL=", "LANGUAGE=", "DEPENDENCIES_OUTPUT=", "SUNPRO_DEPENDENCIES="};

    for (char **v = environ; *v; v++) {
        bool keep = true;
        for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
            keep = keep && strncmp(*v, dropped[i], strlen(dropped[i])) != 0;
        }
        if (keep) {
            args_add(env, "%s", *v);
        }
    }
    args_add(env, "LC_ALL=C");
    args_add(env, "TMPDIR=%s", tmpdir);
    return args_done(env, err);
}

void toolchain_hash_environment(struct hasher *h)
{
    static const char *const names[] = {"CPATH",           "CPLUS_INCLUDE_PATH",   "LIBRARY_PATH",     "COMPILER_PATH",
                                        "GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS", "SOURCE_DATE_EPOCH"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        hasher_text(h, value ? value : "");
    }
}

void toolchain_flags(const struct toolchain *tool, enum toolchain_use use, enum core_type core, struct args *argv)
{
    static const char *const common[] = {"-shared", "-fPIC", "-w"};
    static const char *const kernel[] = {"-O2",      "-std=c++23",   "-D__CPU_SIM", "-DPTO_CPU_MAX_THREADS=1",
                                         "-DNDEBUG", "-Ddsb=l3r_dsb"};
    static const char *const clang_kernel[] = {"-mllvm", "-hints-allow-reordering=false"};
    static const char *const orchestration[] = {"-O3", "-std=c++17"};

    args_add(argv, "%s", tool->path);
    args_add_all(argv, common, sizeof common / sizeof *common);
    if (tool->linker) {
        args_add(argv, LINKER_OPTION "%s", tool->linker);
    }
    if (use == TOOLCHAIN_ORCHESTRATION) {
        args_add_all(argv, orchestration, sizeof orchestration / sizeof *orchestration);
    } else {
        args_add_all(argv, kernel, sizeof kernel / sizeof *kernel);
        args_add(argv, core == CORE_AIC ? "-D__DAV_CUBE__" : "-D__DAV_VEC__");
        if (tool->clang) {
            args_add_all(argv, clang_kernel, sizeof clang_kernel / sizeof *clang_kernel);
        } else {
            args_add(argv, "-fpermissive");
        }
        if (tool->bfloat16 == BFLOAT16_SHIM) {
            args_add(argv, "-D__STDCPP_BFLOAT16_T__=1");
        }
    }
    if (!tool->clang) {
        args_add(argv, "-fno-gnu-unique");
    }
}

static const char probe_text[] = "#include <stdfloat>\n#include <cmath>\n#ifndef __STDCPP_BFLOAT16_T__\n#error none\n"
                                 "#endif\nstd::bfloat16_t f(float x) { return (std::bfloat16_t)x; }\n";

/* Whether the probe compiles. 1 or 0, -1 on error. */
static int try_probe(const struct toolchain *tool, const struct store *store, const char *source, const char *include,
                     char *const *env, struct error *err)
{
    struct job_result result = {0};
    struct args argv = {0};
    int rc;

    args_add(&argv, "%s", tool->path);
    args_add(&argv, "-w");
    args_add(&argv, "-std=c++23");
    if (include) {
        args_add(&argv, "-D__STDCPP_BFLOAT16_T__=1");
        args_add(&argv, "-I%s/stdfloat-shim", include);
        args_add(&argv, "-I%s", include);
    }
    args_add(&argv, "-c");
    args_add(&argv, "%s", source);
    args_add(&argv, "-o");
    args_add(&argv, "%s/probe.o", store->tmp);
    rc = args_done(&argv, err);
    if (rc == 0) {
        rc = job_run(&(struct job){.argv = argv.v, .envp = env, .limit_ms = PROBE_TIMEOUT_MS}, &result, err);
    }
    if (rc == 0) {
        rc = result.code == 0;
    }
    free(result.output);
    args_free(&argv);
    return rc;
}

static int run_probes(struct toolchain *tool, const struct store *store, const char *include, char *const *env,
                      struct error *err)
{
    char *source = text_format("%s/probe.cpp", store->tmp);
    int rc = source ? file_write_unsynced(source, probe_text, sizeof probe_text - 1, err) : error_nomem(err, NULL, 1);

    if (rc == 0) {
        rc = try_probe(tool, store, source, NULL, env, err);
    }
    if (rc > 0) {
        tool->bfloat16 = BFLOAT16_OWN;
    } else if (rc == 0) {
        rc = tool->clang ? try_probe(tool, store, source, include, env, err) : 0;
        tool->bfloat16 = rc > 0 ? BFLOAT16_SHIM : BFLOAT16_NONE;
    }
    free(source);
    return rc < 0 ? -1 : 0;
}

int toolchain_probe(struct toolchain *tool, const struct store *store, const char *include, char *const *env,
                    struct error *err)
{
    char *shim = text_format("%s/stdfloat-shim/stdfloat", include), *path;
    char *text = shim ? file_read(shim, STORE_SOURCE_MAX, NULL, NULL) : NULL;
    struct hasher *h = hasher_new();
    int rc = 0;

    free(shim);
    if (!h) {
        free(text);
        return error_nomem(err, tool->path, 1);
    }
    hasher_text(h, "bfloat16");
    hasher_key(h, tool->id);
    hasher_text(h, text ? text : "");
    free(text);
    path = store_path(store, "tools", hasher_end(h), "");
    text = path ? store_kept_text(path) : NULL;
    if (text && *text >= '0' + BFLOAT16_NONE && *text <= '0' + BFLOAT16_SHIM) {
        tool->bfloat16 = (enum toolchain_bfloat16)(*text - '0');
    } else {
        rc = run_probes(tool, store, include, env, err);
        if (rc == 0 && path) {
            char answer[] = {(char)('0' + tool->bfloat16), '\n'};
            rc = store_keep_text(store, path, answer, sizeof answer, err);
        }
    }
    free(text);
    free(path);
    return rc;
}
