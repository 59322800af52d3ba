#include "rank-worker/simpler/simpler_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"

static const char known[] = "docs/devices.md lists the revisions of the simpler runtime that were tried";

struct symbol {
    const char *name;
    size_t at; /* of its pointer in struct simpler_library */
};

#define SYMBOL(function) {#function, offsetof(struct simpler_library, function)}

static const struct symbol symbols[] = {
    SYMBOL(get_pipeline_contract), SYMBOL(create_device_context),     SYMBOL(destroy_device_context),
    SYMBOL(get_runtime_size),      SYMBOL(get_runtime_alignment),     SYMBOL(simpler_init),
    SYMBOL(finalize_device),       SYMBOL(simpler_register_callable), SYMBOL(simpler_unregister_callable),
    SYMBOL(simpler_prepare_run),   SYMBOL(simpler_launch_run),        SYMBOL(simpler_wait_run),
    SYMBOL(simpler_finalize_run),
};

static int open_library(const char *path, int flags, void **handle, struct error *err)
{
    *handle = dlopen(path, RTLD_NOW | flags);
    return *handle ? 0
                   : error_set(err, path, "build the runtime again, with this host's compilers",
                               "a library of the simpler runtime cannot be loaded: %s", dlerror());
}

static int find_symbol(void *handle, const char *path, const char *name, void **function, struct error *err)
{
    *function = dlsym(handle, name);
    return *function ? 0 : error_set(err, path, known, "the simpler runtime does not have the function %s", name);
}

static int open_fill(struct simpler_library *lib, const char *path, struct error *err)
{
    const struct runtime_fill *(*table)(void);
    void *function;

    if (open_library(path, RTLD_LOCAL, &lib->fill_handle, err) < 0 ||
        find_symbol(lib->fill_handle, path, FILL_SYMBOL, &function, err) < 0) {
        return -1;
    }
    *(void **)&table = function;
    lib->fill = table();
    return lib->fill->version == FILL_VERSION
               ? 0
               : error_set(err, path, "delete it",
                           "the object that fills the runtime's structures is of another version");
}

static int32_t log_threshold(void)
{
    switch (log_get_level()) {
    case LOG_DEBUG:
        return 10;
    case LOG_INFO:
        return 20;
    case LOG_TIMING: /* at its own level of this name the runtime prints a line for each step of each run */
    case LOG_WARN:
        return 30;
    case LOG_ERROR:
        return 40;
    default:
        return 60;
    }
}

/* One state for all libraries, which keep its address until the process ends. */
static void *log_state(const struct simpler_library *lib)
{
    static void *state;

    if (!state) {
        state = calloc(1, lib->fill->log_nbytes);
        if (state) {
            lib->fill->log_state(state, log_threshold());
        }
    }
    return state;
}

static int bind_log(const struct simpler_library *lib, void *handle, const char *path, struct error *err)
{
    int (*bind)(void *);
    void *function, *state = log_state(lib);

    if (!state) {
        return error_nomem(err, path, lib->fill->log_nbytes);
    }
    if (find_symbol(handle, path, "simpler_host_log_bind_state", &function, err) < 0) {
        return -1;
    }
    *(void **)&bind = function;
    return bind(state) == 0 ? 0
                            : error_set(err, path, known,
                                        "the simpler runtime does not take the state of its log: its "
                                        "libraries are of another version than its headers");
}

static int find_symbols(struct simpler_library *lib, const char *path, struct error *err)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *function;

        if (find_symbol(lib->host_handle, path, symbols[i].name, &function, err) < 0) {
            return -1;
        }
        memcpy((char *)lib + symbols[i].at, &function, sizeof function);
    }
    return 0;
}

int simpler_library_open(struct simpler_library *lib, const struct device_setup *setup, struct error *err)
{
    void *sim_context;
    char why[256];

    *lib = (struct simpler_library){0};
    if (open_fill(lib, setup->fill, err) < 0) {
        return -1;
    }
    if (setup->sim_context[0] && (open_library(setup->sim_context, RTLD_GLOBAL, &sim_context, err) < 0 ||
                                  bind_log(lib, sim_context, setup->sim_context, err) < 0)) {
        return -1;
    }
    if (open_library(setup->host, RTLD_LOCAL, &lib->host_handle, err) < 0 ||
        bind_log(lib, lib->host_handle, setup->host, err) < 0 || find_symbols(lib, setup->host, err) < 0) {
        return -1;
    }
    if (lib->fill->contract(lib->get_pipeline_contract(), why, sizeof why) < 0) {
        return error_set(err, setup->host, known, "the simpler runtime at %s cannot be used: %s", setup->root, why);
    }
    return 0;
}

void simpler_library_close(struct simpler_library *lib)
{
    if (lib->host_handle) {
        dlclose(lib->host_handle);
    }
    if (lib->fill_handle) {
        dlclose(lib->fill_handle);
    }
    *lib = (struct simpler_library){0};
}

const char *simpler_code_text(const struct simpler_library *lib, int code, char *buf, size_t size)
{
    const char *name = code < 0 ? lib->fill->error_name(-code) : "";

    if (*name) {
        snprintf(buf, size, "%d (%s: %s)", code, name, lib->fill->error_meaning(-code));
    } else {
        snprintf(buf, size, "%d", code);
    }
    return buf;
}
