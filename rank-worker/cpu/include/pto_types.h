/*
 * pto_types - argument lists of tasks and orchestrations, and what a submit returns.
 *
 * Lists hold pointers to the caller's tensors: they must live until the submit
 * returns. Tensors come before scalars. What goes wrong while a list is built is
 * kept in it and reported by the submit.
 */
#ifndef L3R_PTO_TYPES_H
#define L3R_PTO_TYPES_H

#include "pto_submit_types.h"
#include "task_args.h"
#include "tensor.h"
#include "tensor_create_info.h"

inline constexpr int32_t TASK_TIMING_SLOT_NONE = -1;
inline constexpr int32_t NUM_TASK_TIMING_SLOTS = 16;

enum class PTO2ScopeMode : uint8_t { AUTO = L3R_SCOPE_AUTO, MANUAL = L3R_SCOPE_MANUAL };
using ScopeMode = PTO2ScopeMode; /* its name since August 2026 */

/* What an explicit dependency asks for: to run after the task, and that the task's outputs stay alive. */
enum DepFlags : uint8_t { DEP_NONE = 0, DEP_WAIT = L3R_DEP_WAIT, DEP_RETAIN = L3R_DEP_RETAIN };

constexpr DepFlags operator|(DepFlags a, DepFlags b)
{
    return static_cast<DepFlags>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr DepFlags operator&(DepFlags a, DepFlags b)
{
    return static_cast<DepFlags>(static_cast<uint8_t>(a) & static_cast<uint8_t>(b));
}
constexpr DepFlags &operator|=(DepFlags &a, DepFlags b)
{
    return a = a | b;
}

/* The submitted task and the outputs that were created for it. Tensors are valid to the end of the scope. */
class TaskOutputTensors
{
  public:
    TaskOutputTensors()
    {
        out_.task = L3R_NO_TASK;
        out_.count = 0;
    }

    bool empty() const
    {
        return out_.count == 0;
    }
    uint32_t size() const
    {
        return out_.count;
    }
    const ChipTensor &get_ref(uint32_t index) const &
    {
        always_assert(index < out_.count);
        return *reinterpret_cast<const ChipTensor *>(out_.tensors[index]);
    }
    const ChipTensor &get_ref(uint32_t index) const && = delete;

    PTO2TaskId task_id() const
    {
        return PTO2TaskId{out_.task};
    }

    l3r_outputs out_; /* filled by the device */
};

/* One tensor slot of a list: a tensor, or the create info of an output. */
class TensorRef
{
  public:
    const ChipTensor &ref() const
    {
        return *static_cast<const ChipTensor *>(slot_);
    }
    const TensorCreateInfo &create_info() const
    {
        return *static_cast<const TensorCreateInfo *>(slot_);
    }
    bool refers_to(const void *slot) const
    {
        return slot_ == slot;
    }

    const void *slot_;
};

/* Element of a tensor that a predicate looks at. */
struct CorePredicateOperand {
    const ChipTensor *tensor{nullptr};
    uint32_t ndims{0};
    uint32_t indices[MAX_TENSOR_DIMS]{};
};

/* `operand op target`; integers are compared with their sign. */
struct CoreTaskPredicate {
    CorePredicateOperand operand;
    PredicateOp op{PredicateOp::NONE};
    int64_t target{0};
};

static_assert(sizeof(CoreTaskPredicate) == sizeof(l3r_predicate), "layout");
static_assert(offsetof(CoreTaskPredicate, op) == offsetof(l3r_predicate, op), "layout");
static_assert(offsetof(CoreTaskPredicate, target) == offsetof(l3r_predicate, target), "layout");

/* A member that is read as `list.name` by programs until August 2026, and as `list.name()` by later ones. */
template <typename T> struct ReadEitherWay {
    T value;

    ReadEitherWay &operator=(T v)
    {
        value = v;
        return *this;
    }
    operator T() const
    {
        return value;
    }
    T operator()() const
    {
        return value;
    }
};

template <size_t MaxT, size_t MaxS> struct Arg {
    Arg() = default;
    Arg(const Arg &) = delete;
    Arg &operator=(const Arg &) = delete;

    /* The C view of these members is l3r_core_args. */
    TensorRef tensors_[MaxT];
    uint64_t scalars_[MaxS];
    const void *scalar_sources_[MaxS];
    uint8_t scalar_types_[MaxS];
    TensorArgType tags_[MaxT];
    int32_t tensor_count_{0};
    int32_t scalar_count_{0};
    ReadEitherWay<bool> has_error{false};
    ReadEitherWay<const char *> error_msg{nullptr};
    PTO2LaunchSpec launch_spec;
    bool allow_early_resolve_{false};
    int32_t task_timing_slot_{TASK_TIMING_SLOT_NONE};
    CoreTaskPredicate predicate_;
    const PTO2TaskId *explicit_deps_{nullptr};
    const DepFlags *explicit_dep_kinds_{nullptr};
    uint32_t explicit_dep_count_{0};
    uint64_t dump_marks_{0}, dump_ambiguous_{0};

    const TensorRef &tensor(int32_t i) const
    {
        return tensors_[i];
    }
    uint64_t scalar(int32_t i) const
    {
        return scalars_[i];
    }
    uint64_t &scalar(int32_t i)
    {
        return scalars_[i];
    }
    TensorArgType tag(int32_t i) const
    {
        return tags_[i];
    }
    const TensorRef *tensor_data() const
    {
        return tensors_;
    }
    const uint64_t *scalars() const
    {
        return scalars_;
    }
    const uint64_t *scalar_data() const
    {
        return scalars_;
    }
    const TensorArgType *tag_data() const
    {
        return tags_;
    }
    int32_t tensor_count() const
    {
        return tensor_count_;
    }
    int32_t scalar_count() const
    {
        return scalar_count_;
    }

    void clear()
    {
        tensor_count_ = 0;
        scalar_count_ = 0;
        allow_early_resolve_ = false;
        task_timing_slot_ = TASK_TIMING_SLOT_NONE;
        predicate_ = CoreTaskPredicate{};
        dump_marks_ = dump_ambiguous_ = 0;
        set_dependencies(nullptr, 0);
    }
    void reset()
    {
        clear();
        has_error = false;
        error_msg = nullptr;
    }
    void set_error(const char *msg)
    {
        if (!has_error) {
            has_error = true;
            error_msg = msg;
        }
    }

    /* A hint for hardware schedulers; nothing to gain from it here. */
    void set_allow_early_resolve(bool v = true)
    {
        allow_early_resolve_ = v;
    }
    bool allow_early_resolve() const
    {
        return allow_early_resolve_;
    }

    void set_predicate(const CoreTaskPredicate &pred)
    {
        predicate_ = pred;
    }
    const CoreTaskPredicate &predicate() const
    {
        return predicate_;
    }

    void set_task_timing_slot(int32_t slot)
    {
        if (slot < 0 || slot >= NUM_TASK_TIMING_SLOTS) {
            set_error("set_task_timing_slot: a slot is 0 to 15");
            return;
        }
        task_timing_slot_ = slot;
    }
    int32_t task_timing_slot() const
    {
        return task_timing_slot_;
    }

    template <typename... Ts> void add_input(Ts &&...tensors)
    {
        add_tensors<false>(TensorArgType::INPUT, tensors...);
        static_assert((std::is_lvalue_reference_v<Ts> && ...), "temporaries would dangle");
    }
    template <typename... Ts> void add_inout(Ts &&...tensors)
    {
        add_tensors<false>(TensorArgType::INOUT, tensors...);
        static_assert((std::is_lvalue_reference_v<Ts> && ...), "temporaries would dangle");
    }
    template <typename... Ts> void add_no_dep(Ts &&...tensors)
    {
        add_tensors<false>(TensorArgType::NO_DEP, tensors...);
        static_assert((std::is_lvalue_reference_v<Ts> && ...), "temporaries would dangle");
    }

    /* Tensors that exist and are only written, or create infos of tensors that are to be created; not both at once. */
    template <typename... Ts> void add_output(Ts &&...outputs)
    {
        static_assert((std::is_lvalue_reference_v<Ts> && ...), "temporaries would dangle");
        if constexpr ((std::is_same_v<std::decay_t<Ts>, TensorCreateInfo> && ...)) {
            add_tensors<true>(TensorArgType::OUTPUT, outputs...);
        } else {
            add_tensors<false>(TensorArgType::OUTPUT_EXISTING, outputs...);
        }
    }

    template <typename... Ts> void add_scalar(Ts &&...values)
    {
        static_assert(sizeof...(Ts) >= 1, "at least one argument");
        static_assert((is_supported_scalar_arg_v<Ts> && ...), "arithmetic and enum types only");
        if (room_for_scalars(static_cast<int64_t>(sizeof...(Ts)))) {
            (push_scalar(to_u64<std::decay_t<Ts>>(values), &values, dtype_of<std::decay_t<Ts>>()), ...);
        }
    }
    void add_scalars(const uint64_t *values, int count)
    {
        if (room_for_scalars(count)) {
            for (int i = 0; i < count; i++) {
                push_scalar(values[i], nullptr, static_cast<uint8_t>(DataType::UINT64));
            }
        }
    }
    /* Without sign extension: -1 becomes 0xffffffff. */
    void add_scalars_i32(const int32_t *values, int count)
    {
        if (room_for_scalars(count)) {
            for (int i = 0; i < count; i++) {
                push_scalar(static_cast<uint32_t>(values[i]), nullptr, static_cast<uint8_t>(DataType::INT32));
            }
        }
    }
    void copy_scalars_from(const Arg &src, int src_offset, int count)
    {
        if (src_offset < 0 || count < 0 || src_offset + count > src.scalar_count_) {
            set_error("copy_scalars_from: the source has no such scalars");
            return;
        }
        if (room_for_scalars(count)) {
            for (int i = src_offset; i < src_offset + count; i++) {
                push_scalar(src.scalars_[i], nullptr, src.scalar_types_[i]);
            }
        }
    }

    /* Tasks to wait for besides those that the tensors imply. The array is the caller's and must outlive the submit. */
    void set_dependencies(const PTO2TaskId *deps, uint32_t count)
    {
        bind_dependencies(deps, nullptr, count);
    }
    void set_dependencies_with_kinds(const PTO2TaskId *deps, const DepFlags *kinds, uint32_t count)
    {
        if (count > 0 && kinds == nullptr) {
            set_error("set_dependencies_with_kinds: no kinds given");
            return;
        }
        bind_dependencies(deps, kinds, count);
    }
    uint32_t explicit_dep_count() const
    {
        return explicit_dep_count_;
    }
    PTO2TaskId explicit_dep(uint32_t index) const
    {
        always_assert(index < explicit_dep_count_);
        return explicit_deps_[index];
    }
    DepFlags explicit_dep_kind(uint32_t index) const
    {
        always_assert(index < explicit_dep_count_);
        return explicit_dep_kinds_ ? explicit_dep_kinds_[index] : (DEP_WAIT | DEP_RETAIN);
    }
    const PTO2TaskId *explicit_deps_data() const
    {
        return explicit_deps_;
    }

    /* Marks arguments for a dump, all that there are when none is named; they must have been added before. */
    template <typename... Ts> void dump(Ts &&...args)
    {
        static_assert((std::is_lvalue_reference_v<Ts> && ...), "pass what was added, not temporaries");
        static_assert(((std::is_same_v<std::decay_t<Ts>, ChipTensor> ||
                        std::is_same_v<std::decay_t<Ts>, TensorCreateInfo> || is_supported_scalar_arg_v<Ts>) &&
                       ...),
                      "tensors, create infos and scalars only");
        if constexpr (sizeof...(Ts) == 0) {
            for (int32_t i = 0; i < tensor_count_ + scalar_count_; i++) {
                mark(i);
            }
        } else {
            (mark_argument(args), ...);
        }
    }

  private:
    template <bool Create, typename... Ts> void add_tensors(TensorArgType type, const Ts &...tensors)
    {
        static_assert(sizeof...(Ts) >= 1, "at least one argument");
        static_assert((std::is_same_v<Ts, std::conditional_t<Create, TensorCreateInfo, ChipTensor>> && ...),
                      "tensors only; add_output also takes create infos, but not mixed with tensors");
        if (scalar_count_ != 0) {
            set_error("tensors must be added before scalars");
        } else if (tensor_count_ + sizeof...(Ts) > MaxT) {
            set_error(MaxT == CORE_MAX_TENSOR_ARGS ? "too many tensors: a task takes 32" : "too many tensors");
        } else {
            ((tensors_[tensor_count_].slot_ = &tensors, tags_[tensor_count_] = type, tensor_count_++), ...);
        }
    }

    void push_scalar(uint64_t bits, const void *source, uint8_t type)
    {
        scalars_[scalar_count_] = bits;
        scalar_sources_[scalar_count_] = source;
        scalar_types_[scalar_count_] = type;
        scalar_count_++;
    }

    void mark(int32_t index)
    {
        dump_marks_ |= index < 64 ? uint64_t{1} << index : 0;
    }

    /* Tensors and scalars are known by the variable that was added; a scalar that was added twice is the first. */
    template <typename T> void mark_argument(const T &arg)
    {
        int32_t found = -1, count = 0;
        if constexpr (std::is_same_v<T, ChipTensor> || std::is_same_v<T, TensorCreateInfo>) {
            for (int32_t i = 0; i < tensor_count_ && found < 0; i++) {
                found = tensors_[i].slot_ == &arg ? i : -1;
            }
        } else {
            for (int32_t i = 0; i < scalar_count_; i++) {
                if (scalar_sources_[i] == &arg) {
                    found = found < 0 ? tensor_count_ + i : found;
                    count++;
                }
            }
        }
        if (found < 0) {
            set_error("dump: the argument was not added to this list");
            return;
        }
        mark(found);
        dump_ambiguous_ |= count > 1 && found < 64 ? uint64_t{1} << found : 0;
    }

    bool room_for_scalars(int64_t count)
    {
        if (count < 0 || scalar_count_ + count > static_cast<int64_t>(MaxS)) {
            set_error(MaxS == CORE_MAX_SCALAR_ARGS ? "too many scalars: a task takes 16" : "too many scalars");
            return false;
        }
        return true;
    }

    void bind_dependencies(const PTO2TaskId *deps, const DepFlags *kinds, uint32_t count)
    {
        if (count == 0) {
            explicit_deps_ = nullptr;
            explicit_dep_kinds_ = nullptr;
            explicit_dep_count_ = 0;
        } else if (deps == nullptr) {
            set_error("set_dependencies: no tasks given");
        } else if (explicit_deps_ != nullptr) {
            set_error("set_dependencies: may be called once for a list");
        } else {
            explicit_deps_ = deps;
            explicit_dep_kinds_ = kinds;
            explicit_dep_count_ = count;
        }
    }
};

using CoreTaskArgs = Arg<MAX_TENSOR_ARGS, MAX_SCALAR_ARGS>;
using ChipTaskArgs = Arg<CHIP_MAX_TENSOR_ARGS, CHIP_MAX_SCALAR_ARGS>;

static_assert(std::is_standard_layout_v<CoreTaskArgs>, "has a C view");
static_assert(sizeof(CoreTaskArgs) == sizeof(l3r_core_args), "layout");
static_assert(sizeof(ChipTaskArgs) == sizeof(l3r_chip_args), "layout");
static_assert(offsetof(CoreTaskArgs, scalars_) == offsetof(l3r_core_args, scalars), "layout");
static_assert(offsetof(CoreTaskArgs, tags_) == offsetof(l3r_core_args, tags), "layout");
static_assert(offsetof(CoreTaskArgs, tensor_count_) == offsetof(l3r_core_args, tail.ntensor), "layout");
static_assert(offsetof(CoreTaskArgs, error_msg) == offsetof(l3r_core_args, tail.error), "layout");
static_assert(offsetof(CoreTaskArgs, launch_spec) == offsetof(l3r_core_args, tail.launch), "layout");
static_assert(offsetof(CoreTaskArgs, task_timing_slot_) == offsetof(l3r_core_args, tail.timing_slot), "layout");
static_assert(offsetof(CoreTaskArgs, predicate_) == offsetof(l3r_core_args, tail.predicate), "layout");
static_assert(offsetof(CoreTaskArgs, explicit_deps_) == offsetof(l3r_core_args, tail.deps), "layout");
static_assert(offsetof(CoreTaskArgs, explicit_dep_count_) == offsetof(l3r_core_args, tail.ndep), "layout");
static_assert(offsetof(CoreTaskArgs, scalar_types_) == offsetof(l3r_core_args, scalar_types), "layout");
static_assert(offsetof(CoreTaskArgs, dump_marks_) == offsetof(l3r_core_args, tail.dump_marks), "layout");
static_assert(offsetof(ChipTaskArgs, tensor_count_) == offsetof(l3r_chip_args, tail.ntensor), "layout");

#endif
