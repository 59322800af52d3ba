/* The host library of the stand-in (README.md). */
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "callable.h"
#include "common/host_log_state.h"
#include "worker/pto_runtime_c_api.h"

namespace
{

enum State { NONE, CREATED, OPEN, PREPARED, LAUNCHED, WAITED };

struct Program {
    void (*orchestration)(const ChipStorageTaskArgs *, void (*const *)(int64_t *));
    void (*kernels[16])(int64_t *);
};

struct Context {
    State state;
    int device;
    std::map<int32_t, Program> programs;
    ChipStorageTaskArgs args; /* the caller's need not live on */
    int32_t id;
    void *storage;
    uint64_t last;
};

Context *the_context;
SimplerHostLogState *log_state;

[[noreturn]] void wrong(const char *function, const char *what)
{
    fprintf(stderr, "stand-in: %s: %s\n", function, what);
    _exit(99);
}

void check(bool right, const char *function, const char *what)
{
    if (!right) {
        wrong(function, what);
    }
}

void append(const char *variable, const char *line)
{
    const char *path = getenv(variable);
    FILE *f = path ? fopen(path, "a") : nullptr;

    if (f) {
        fputs(line, f);
        fclose(f);
    }
}

/* The code that the environment wants, or 0. */
int called(const char *function, int device)
{
    const char *fail = getenv("STANDIN_FAIL"), *hang = getenv("STANDIN_HANG");
    const size_t n = strlen(function);
    char line[128];

    snprintf(line, sizeof line, "%d %s\n", device, function);
    append("STANDIN_TRACE", line);
    while (hang && strcmp(hang, function) == 0) {
        pause();
    }
    const char *only = fail ? strchr(fail, '@') : nullptr;

    if (!fail || strncmp(fail, function, n) != 0 || fail[n] != '=' || (only && atoi(only + 1) != device)) {
        return 0;
    }
    return atoi(fail + n + 1);
}

Context *context_in(void *context, State state, const char *function)
{
    check(context && context == the_context, function, "not the context that was made");
    check(the_context->state == state, function, "called out of order");
    return the_context;
}

/* As the real one does it: through a file with a name from mkstemp(). */
void *load(const void *bytes, size_t size, const char *symbol)
{
    char path[] = "/tmp/standin_XXXXXX";
    int fd = mkstemp(path);
    void *handle;

    check(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0, "load", "cannot write a library");
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    check(handle != nullptr, "load", "a library cannot be loaded");
    void *found = dlsym(handle, symbol);
    check(found != nullptr, "load", symbol);
    return found;
}

const PipelineContract contract = {0, PTO_PIPELINE_CONTRACT_ABI_VERSION};

} // namespace

extern "C" {

int simpler_host_log_bind_state(SimplerHostLogState *state)
{
    SimplerHostLogState **first = static_cast<SimplerHostLogState **>(dlsym(RTLD_DEFAULT, "standin_log_state"));

    check(first && *first == state, "simpler_host_log_bind_state",
          "the context must be loaded for all, with this state");
    check(state->threshold == 30, "simpler_host_log_bind_state", "warnings and errors are wanted");
    log_state = state;
    return 0;
}

const PipelineContract *get_pipeline_contract(void)
{
    check(log_state != nullptr, "get_pipeline_contract", "before the state of the log was bound");
    return &contract;
}

void *create_device_context(void)
{
    check(log_state && !the_context, "create_device_context", "called out of order");
    called("create_device_context", -1);
    the_context = new Context{};
    the_context->state = CREATED;
    return the_context;
}

size_t get_runtime_size(void)
{
    return 4096;
}

size_t get_runtime_alignment(void)
{
    return 512;
}

int simpler_init(void *context, int device, const uint8_t *aicpu, size_t aicpu_size, const uint8_t *aicore,
                 size_t aicore_size, const uint8_t *dispatcher, size_t dispatcher_size, const CallConfig *prewarm)
{
    Context *c = context_in(context, CREATED, "simpler_init");

    check(aicpu_size == 6 && memcmp(aicpu, "aicpu\n", 6) == 0, "simpler_init",
          "not the content of the AICPU's library");
    check(aicore_size == 7 && memcmp(aicore, "aicore\n", 7) == 0, "simpler_init",
          "not the content of the cores' library");
    check(!dispatcher && dispatcher_size == 0 && prewarm, "simpler_init", "a dispatcher, or no sizes of rings");
    const int code = called("simpler_init", device);
    c->device = device;
    c->state = code ? CREATED : OPEN;
    return code;
}

int simpler_register_callable(void *context, int32_t id, const void *callable)
{
    Context *c = context_in(context, OPEN, "simpler_register_callable");
    const CallableHead *head = static_cast<const CallableHead *>(callable);
    const uint8_t *at = static_cast<const uint8_t *>(callable) + sizeof *head;
    int code = called("simpler_register_callable", c->device);

    check(id >= 0 && id < 64 && !c->programs.count(id), "simpler_register_callable", "an id that cannot be taken");
    check(head->magic == CALLABLE_MAGIC && head->signature == 3, "simpler_register_callable", "not a callable");
    if (code == 0) {
        Program p{};
        void *entry = load(at, head->orchestration, head->function);

        memcpy(&p.orchestration, &entry, sizeof entry);
        at += head->orchestration;
        for (uint64_t i = 0; i < head->nkernel; i++) {
            uint64_t kernel, size;

            memcpy(&kernel, at, sizeof kernel);
            memcpy(&size, at + sizeof kernel, sizeof size);
            at += sizeof kernel + sizeof size;
            entry = load(at, size, "kernel_entry");
            memcpy(&p.kernels[kernel], &entry, sizeof entry);
            at += size;
        }
        c->programs[id] = p;
    }
    return code;
}

int simpler_prepare_run(void *context, void *storage, int32_t id, const void *args, const CallConfig *config,
                        const NativeRunDescriptor *run)
{
    Context *c = context_in(context, OPEN, "simpler_prepare_run");
    const ChipStorageTaskArgs *a = static_cast<const ChipStorageTaskArgs *>(args);
    char line[1024];

    check(c->programs.count(id) == 1, "simpler_prepare_run", "the id was not registered");
    check(reinterpret_cast<uintptr_t>(storage) % 512 == 0 && (!c->storage || c->storage == storage),
          "simpler_prepare_run", "the storage must be aligned and stay where it is");
    for (int i = 0; !c->storage && i < 4096; i++) {
        check(static_cast<char *>(storage)[i] == 0, "simpler_prepare_run", "the storage must hold zeros");
    }
    check(run->run_id && run->generation > c->last && run->run_epoch > c->last, "simpler_prepare_run",
          "runs must have numbers of their own");
    check(a->ntensor == 3 && a->nscalar == 0 && a->tensors[0].address_space == AddressSpace::DEVICE &&
              a->tensors[0].ndims == 2 && a->tensors[0].shapes[1] == 16 && a->tensors[0].strides[0] == 16 &&
              a->tensors[0].dtype == DataType::FLOAT32,
          "simpler_prepare_run", "other arguments were expected");
    memset(storage, 1, 4096);
    c->storage = storage;
    c->last = run->run_epoch;
    c->args = *a;
    c->id = id;
    snprintf(line, sizeof line, "%d window %llu heap %llu pool %llu threads %d swimlane %d in %s\n", c->device,
             (unsigned long long)config->runtime_env.ring_task_window[3],
             (unsigned long long)config->runtime_env.ring_heap[0],
             (unsigned long long)config->runtime_env.ring_dep_pool[1], config->aicpu_thread_num,
             config->enable_chip_swimlane, config->output_prefix);
    append("STANDIN_CONFIG", line);
    const int code = called("simpler_prepare_run", c->device);
    c->state = code ? OPEN : PREPARED;
    return code;
}

int simpler_launch_run(void *context, void *storage)
{
    Context *c = context_in(context, PREPARED, "simpler_launch_run");

    check(storage == c->storage, "simpler_launch_run", "another storage");
    c->state = LAUNCHED;
    return called("simpler_launch_run", c->device);
}

int simpler_wait_run(void *context, void *)
{
    Context *c = context_in(context, LAUNCHED, "simpler_wait_run");
    const int code = called("simpler_wait_run", c->device);

    if (code == 0) {
        const Program &p = c->programs[c->id];
        p.orchestration(&c->args, p.kernels);
    }
    c->state = WAITED;
    return code;
}

int simpler_finalize_run(void *context, void *)
{
    check(the_context && context == the_context && the_context->state >= PREPARED, "simpler_finalize_run",
          "called out of order");
    the_context->state = OPEN;
    return called("simpler_finalize_run", the_context->device);
}

int simpler_unregister_callable(void *context, int32_t id)
{
    Context *c = context_in(context, OPEN, "simpler_unregister_callable");

    check(c->programs.erase(id) == 1, "simpler_unregister_callable", "the id was not registered");
    return called("simpler_unregister_callable", c->device);
}

int finalize_device(void *context)
{
    Context *c = context_in(context, OPEN, "finalize_device");

    check(c->programs.empty(), "finalize_device", "before the programs were unregistered");
    c->state = CREATED;
    return called("finalize_device", c->device);
}

void destroy_device_context(void *context)
{
    Context *c = context_in(context, CREATED, "destroy_device_context");

    called("destroy_device_context", c->device);
    the_context = nullptr;
    delete c;
}

} /* extern "C" */
