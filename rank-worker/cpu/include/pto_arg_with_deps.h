/*
 * pto_arg_with_deps - an argument list that keeps its explicit dependencies itself.
 */
#ifndef L3R_PTO_ARG_WITH_DEPS_H
#define L3R_PTO_ARG_WITH_DEPS_H

#include "pto_orchestration_api.h"

template <size_t MAX_DEP_COUNT = 16> class CoreTaskArgsWithDeps : private CoreTaskArgs
{
  public:
    using CoreTaskArgs::add_inout;
    using CoreTaskArgs::add_input;
    using CoreTaskArgs::add_no_dep;
    using CoreTaskArgs::add_output;
    using CoreTaskArgs::add_scalar;
    using CoreTaskArgs::add_scalars;
    using CoreTaskArgs::add_scalars_i32;
    using CoreTaskArgs::allow_early_resolve;
    using CoreTaskArgs::copy_scalars_from;
    using CoreTaskArgs::error_msg;
    using CoreTaskArgs::has_error;
    using CoreTaskArgs::launch_spec;
    using CoreTaskArgs::set_allow_early_resolve;
    using CoreTaskArgs::set_error;
    using CoreTaskArgs::set_task_timing_slot;
    using CoreTaskArgs::task_timing_slot;

    /* Run after these tasks and keep their outputs alive. */
    template <typename... Ids> void add_dep(Ids... ids)
    {
        append(DEP_WAIT | DEP_RETAIN, ids...);
    }
    /* Run after these tasks. */
    template <typename... Ids> void add_dep_wait(Ids... ids)
    {
        append(DEP_WAIT, ids...);
    }

    void reset()
    {
        CoreTaskArgs::reset();
        count_ = 0;
    }

    /* The list as the submit functions take it. */
    CoreTaskArgs &finalize_for_submit()
    {
        CoreTaskArgs::set_dependencies(nullptr, 0);
        CoreTaskArgs::set_dependencies_with_kinds(deps_, kinds_, count_);
        return *this;
    }

  private:
    template <typename... Ids> void append(DepFlags kind, Ids... ids)
    {
        static_assert(sizeof...(Ids) >= 1 && (std::is_same_v<Ids, PTO2TaskId> && ...), "task ids only");
        if (count_ + sizeof...(Ids) > MAX_DEP_COUNT) {
            set_error("add_dep: more dependencies than the list's template argument allows");
            return;
        }
        ((kinds_[count_] = kind, deps_[count_] = ids, count_++), ...);
    }

    PTO2TaskId deps_[MAX_DEP_COUNT];
    DepFlags kinds_[MAX_DEP_COUNT];
    uint32_t count_ = 0;
};

template <size_t N>
static inline TaskOutputTensors rt_submit_task(const MixedKernels &mixed_kernels, CoreTaskArgsWithDeps<N> &args)
{
    return rt_submit_task(mixed_kernels, args.finalize_for_submit());
}

template <size_t N> static inline TaskOutputTensors rt_submit_aic_task(int32_t kernel_id, CoreTaskArgsWithDeps<N> &args)
{
    return rt_submit_aic_task(kernel_id, args.finalize_for_submit());
}

template <size_t N> static inline TaskOutputTensors rt_submit_aiv_task(int32_t kernel_id, CoreTaskArgsWithDeps<N> &args)
{
    return rt_submit_aiv_task(kernel_id, args.finalize_for_submit());
}

#endif
