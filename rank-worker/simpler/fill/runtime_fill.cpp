/*
 * Compiled against the headers of an installed simpler runtime (runtime_fill.h). What it needs and a version does not have
 * ends the compile at the line that names it; so do functions of another type than rank-worker/simpler calls.
 */
#include "runtime_fill.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "call_config.h"
#include "callable.h"
#include "common/host_log_state.h"
#include "platform_comm/comm_context.h"
#include "pto_runtime_status.h"
#include "runtime_status/error_names.h"
#include "task_args.h"
#include "worker/pto_runtime_c_api.h"

/* rank-worker/simpler/simpler_library.h, without the types that only this file knows */
static_assert(std::is_same<decltype(&create_device_context), void *(*)(void)>::value, "create_device_context");
static_assert(std::is_same<decltype(&destroy_device_context), void (*)(void *)>::value, "destroy_device_context");
static_assert(std::is_same<decltype(&get_runtime_size), size_t (*)(void)>::value, "get_runtime_size");
static_assert(std::is_same<decltype(&get_runtime_alignment), size_t (*)(void)>::value, "get_runtime_alignment");
static_assert(
    std::is_same<decltype(&simpler_init), int (*)(void *, int, const uint8_t *, size_t, const uint8_t *, size_t,
                                                  const uint8_t *, size_t, const CallConfig *)>::value,
    "simpler_init");
static_assert(std::is_same<decltype(&finalize_device), int (*)(void *)>::value, "finalize_device");
static_assert(std::is_same<decltype(&simpler_register_callable), int (*)(void *, int32_t, const void *)>::value,
              "simpler_register_callable");
static_assert(std::is_same<decltype(&simpler_unregister_callable), int (*)(void *, int32_t)>::value,
              "simpler_unregister_callable");
static_assert(std::is_same<decltype(&simpler_run), int (*)(void *, void *, int32_t, const void *, const CallConfig *,
                                                           const NativeRunDescriptor *)>::value,
              "simpler_run");
static_assert(std::is_same<decltype(&simpler_prepare_run), decltype(&simpler_run)>::value, "simpler_prepare_run");
static_assert(std::is_same<decltype(&simpler_launch_run), int (*)(void *, void *)>::value, "simpler_launch_run");
static_assert(std::is_same<decltype(&simpler_wait_run), int (*)(void *, void *)>::value, "simpler_wait_run");
static_assert(std::is_same<decltype(&simpler_finalize_run), int (*)(void *, void *)>::value, "simpler_finalize_run");
static_assert(RUNTIME_ENV_RING_COUNT == FILL_RINGS, "as many rings as options give sizes for");
static_assert(MAX_TENSOR_DIMS >= FILL_DIMS, "tensors of five dimensions");

/* What the headers' own checks call; the runtime has it in a source of its own. */
[[noreturn]] void assert_impl(const char *condition, const char *, int)
{
    throw std::logic_error(condition);
}

namespace
{

int fail(char *why, size_t size, const char *text)
{
    std::snprintf(why, size, "%s", text);
    return -1;
}

int contract(const void *given, char *why, size_t size)
{
    const PipelineContract *c = static_cast<const PipelineContract *>(given);

    if (c == nullptr || c->abi_version != PTO_PIPELINE_CONTRACT_ABI_VERSION) {
        std::snprintf(why, size, "its libraries have version %u of the pipeline contract, its headers version %u",
                      c ? c->abi_version : 0, static_cast<unsigned>(PTO_PIPELINE_CONTRACT_ABI_VERSION));
        return -1;
    }
    return 0;
}

void log_state(void *out, int32_t threshold)
{
    SimplerHostLogState *state = new (out) SimplerHostLogState{};

    state->abi_version = SIMPLER_HOST_LOG_STATE_ABI_VERSION;
    state->struct_size = sizeof *state;
    state->threshold = threshold;
}

int config(void *out, const fill_config *from, char *why, size_t size)
{
    CallConfig *c = new (out) CallConfig{};

    c->aicpu_thread_num = from->aicpu_thread_num;
    c->enable_chip_swimlane = from->swimlane;
    c->enable_dump_args = from->dump_args;
    c->enable_pmu = from->pmu;
    c->enable_dep_gen = from->dep_gen;
    c->enable_scope_stats = from->scope_stats;
    for (int i = 0; i < FILL_RINGS; i++) {
        c->runtime_env.ring_task_window[i] = from->task_window[i];
        c->runtime_env.ring_heap[i] = from->heap[i];
        c->runtime_env.ring_dep_pool[i] = from->dep_pool[i];
    }
    if (from->output_prefix != nullptr) {
        if (std::strlen(from->output_prefix) >= sizeof c->output_prefix) {
            return fail(why, size, "the path of its profiles is too long for the runtime");
        }
        std::strcpy(c->output_prefix, from->output_prefix);
    }
    try {
        c->validate();
    } catch (const std::exception &e) {
        return fail(why, size, e.what());
    }
    return 0;
}

int args(void *out, const fill_tensor *tensors, uint32_t ntensor, const uint64_t *scalars, uint32_t nscalar, char *why,
         size_t size)
{
    ChipStorageTaskArgs *a = new (out) ChipStorageTaskArgs;

    a->clear();
    try {
        for (uint32_t i = 0; i < ntensor; i++) {
            const fill_tensor &t = tensors[i];

            if (t.dtype < 0 || t.dtype >= static_cast<int32_t>(DataType::DATA_TYPE_NUM)) {
                return fail(why, size, "the runtime does not have the element type of a tensor");
            }
            a->add_tensor(make_tensor_strided(t.addr, t.shape, t.stride, t.ndim, static_cast<DataType>(t.dtype), false,
                                              0, AddressSpace::DEVICE));
        }
        for (uint32_t i = 0; i < nscalar; i++) {
            a->add_scalar(scalars[i]);
        }
    } catch (const std::exception &e) {
        return fail(why, size, e.what());
    }
    return 0;
}

void run(void *out, uint64_t number)
{
    NativeRunDescriptor *d = new (out) NativeRunDescriptor{};

    d->run_id = d->generation = d->dispatch_id = d->run_epoch = number;
}

int callable(const fill_program *p, void **out, char *why, size_t size)
{
    try {
        std::vector<ArgDirection> signature(p->nsignature);
        std::vector<std::vector<uint8_t>> children;
        std::vector<int32_t> ids;

        for (uint32_t i = 0; i < p->nsignature; i++) {
            signature[i] = static_cast<ArgDirection>(p->signature[i]);
        }
        for (uint32_t i = 0; i < p->nkernel; i++) {
            const fill_kernel &k = p->kernels[i];

            ids.push_back(k.func_id);
            children.push_back(
                make_callable<CORE_MAX_TENSOR_ARGS>(nullptr, 0, k.binary, static_cast<uint32_t>(k.nbytes)));
        }
        const std::vector<uint8_t> made = make_callable<CoreCallable, CHIP_MAX_TENSOR_ARGS, 1024>(
            signature.data(), static_cast<int32_t>(p->nsignature), p->function_name, p->binary,
            static_cast<uint32_t>(p->nbytes), ids.data(), children.data(), static_cast<int32_t>(p->nkernel),
            p->config_name);

        *out = std::aligned_alloc(64, (made.size() + 63) / 64 * 64);
        if (*out == nullptr) {
            throw std::bad_alloc();
        }
        std::memcpy(*out, made.data(), made.size());
    } catch (const std::exception &e) {
        return fail(why, size, e.what());
    }
    return 0;
}

int domain(void *out, uint32_t rank, uint32_t nranks, uint64_t nbytes, void *const *windows, char *why, size_t size)
{
    CommContext *c = new (out) CommContext{};

    if (nranks > COMM_MAX_RANK_NUM) {
        return fail(why, size, "the runtime takes fewer members of a domain");
    }
    c->rankId = rank;
    c->rankNum = nranks;
    c->winSize = nbytes;
    for (uint32_t i = 0; i < nranks; i++) {
        c->windowsIn[i] = c->windowsOut[i] = reinterpret_cast<uint64_t>(windows[i]);
    }
    return 0;
}

const char *name_of(int32_t code)
{
    const char *name = error_name(code);

    return std::strcmp(name, "unknown") == 0 ? "" : name;
}

const char *meaning_of(int32_t code)
{
    return error_desc(code);
}

const runtime_fill table = {FILL_VERSION,
                            sizeof(CallConfig),
                            sizeof(ChipStorageTaskArgs),
                            sizeof(NativeRunDescriptor),
                            sizeof(SimplerHostLogState),
                            sizeof(CommContext),
                            contract,
                            log_state,
                            config,
                            args,
                            run,
                            callable,
                            domain,
                            name_of,
                            meaning_of};

} // namespace

extern "C" __attribute__((visibility("default"))) const runtime_fill *l3r_runtime_fill(void)
{
    return &table;
}
