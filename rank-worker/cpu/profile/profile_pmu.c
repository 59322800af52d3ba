/* Counters of each kernel call: pmu.csv. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/perf.h"
#include "common/segment/dfx.h"
#include "rank-worker/cpu/profile/profile_records.h"

enum { COLUMNS = 10 };

#define CACHE(cache, op, result)                                                                                       \
    (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16)

/* What the processor can count of an event type's columns; NONE ends a list. Names: docs/formats.md, "pmu.csv". */
enum { NONE = 0, L1I_ALL, L1I_MISS, L1D_READ, L1D_WRITE, LL_READ, LL_WRITE, LL_READ_MISS, LL_WRITE_MISS, SOURCES };

static const uint64_t source_config[SOURCES] = {
    [L1I_ALL] = CACHE(L1I, READ, ACCESS),   [L1I_MISS] = CACHE(L1I, READ, MISS),
    [L1D_READ] = CACHE(L1D, READ, ACCESS),  [L1D_WRITE] = CACHE(L1D, WRITE, ACCESS),
    [LL_READ] = CACHE(LL, READ, ACCESS),    [LL_WRITE] = CACHE(LL, WRITE, ACCESS),
    [LL_READ_MISS] = CACHE(LL, READ, MISS), [LL_WRITE_MISS] = CACHE(LL, WRITE, MISS),
};

/* The value of a column is the first source less the second. */
struct column {
    const char *name;
    uint8_t plus, minus;
};

#define NO(name) {name, NONE, NONE}
#define IS(name, source) {name, source, NONE}
#define LESS(name, source, other) {name, source, other}

static const struct column a2a3[DFX_PMU_MAX + 1][COLUMNS] = {
    [1] = {NO("cube_fp16_exec"), NO("cube_int8_exec"), NO("vec_fp32_exec"), NO("vec_fp16_128lane_exec"),
           NO("vec_fp16_64lane_exec"), NO("vec_int32_exec"), NO("vec_misc_exec")},
    [2] = {NO("vec_busy_cycles"), NO("cube_busy_cycles"), NO("scalar_busy_cycles"), NO("mte1_busy_cycles"),
           NO("mte2_busy_cycles"), NO("mte3_busy_cycles"), IS("icache_miss", L1I_MISS), IS("icache_req", L1I_ALL)},
    [4] = {NO("ub_read_req"), NO("ub_write_req"), IS("l1_read_req", L1D_READ), IS("l1_write_req", L1D_WRITE),
           IS("l2_read_req", LL_READ), IS("l2_write_req", LL_WRITE), IS("main_read_req", LL_READ_MISS),
           IS("main_write_req", LL_WRITE_MISS)},
    [5] = {NO("l0a_read_req"), NO("l0a_write_req"), NO("l0b_read_req"), NO("l0b_write_req"), NO("l0c_read_req"),
           NO("l0c_write_req")},
    [6] = {NO("bankgroup_stall_cycles"), NO("bank_stall_cycles"), NO("vec_resc_conflict_cycles")},
    [7] = {NO("ub_read_bw_mte"), NO("l2_write_bw"), NO("main_mem_write_bw"), NO("ub_write_bw_mte"),
           NO("ub_read_bw_vector"), NO("ub_write_bw_vector"), NO("ub_read_bw_scalar"), NO("ub_write_bw_scalar")},
    [8] = {LESS("write_cache_hit", LL_WRITE, LL_WRITE_MISS), IS("write_cache_miss_allocate", LL_WRITE_MISS),
           LESS("r0_read_cache_hit", LL_READ, LL_READ_MISS), IS("r0_read_cache_miss_allocate", LL_READ_MISS),
           NO("r1_read_cache_hit"), NO("r1_read_cache_miss_allocate")},
};

static const struct column a5[DFX_PMU_MAX + 1][COLUMNS] = {
    [1] = {NO("cube_fp_instr_busy"), NO("cube_int_instr_busy")},
    [2] = {NO("pmu_idc_aic_vec_busy_o"), NO("cube_instr_busy"), NO("scalar_instr_busy"), NO("mte1_instr_busy"),
           NO("mte2_instr_busy"), NO("mte3_instr_busy"), IS("icache_req", L1I_ALL), IS("icache_miss", L1I_MISS),
           NO("pmu_fix_instr_busy")},
    [4] = {IS("bif_sc_pmu_read_main_instr_core", LL_READ_MISS), IS("bif_sc_pmu_write_main_instr_core", LL_WRITE_MISS),
           NO("pmu_aiv_ext_rd_ub_instr"), NO("ub_pmu_vec_rd_ub_acc"), NO("pmu_aiv_ext_wr_ub_instr"),
           NO("ub_pmu_vec_wr_ub_acc"), IS("pmu_rd_l1_instr", L1D_READ), IS("pmu_wr_l1_instr", L1D_WRITE)},
    [5] = {NO("cube_sc_pmu_read_l0a_instr"), NO("pmu_wr_l0a_instr"), NO("cube_sc_pmu_read_l0b_instr"),
           NO("pmu_wr_l0b_instr"), NO("fixp_rd_l0c_instr"), NO("cube_sc_pmu_read_l0c_instr"),
           NO("cube_sc_pmu_write_l0c_instr")},
    [6] = {NO("stu_pmu_wctl_ub_cflt"), NO("ldu_pmu_ib_ub_cflt"), NO("pmu_idc_aic_vec_instr_vf_busy_o"),
           NO("idu_pmu_ins_iss_cnt")},
    [7] = {NO("pmu_rd_acc_ub_instr_p"), NO("pmu_wr_acc_ub_instr_p"), NO("pmu_fix_wr_ub_instr"),
           NO("mte_sc_pmu_write_acc_ub_instr_0"), NO("mte_sc_pmu_read_acc_ub_instr_0"), NO("ub_pmu_vec_rd_ub_acc"),
           NO("ub_pmu_vec_wr_ub_acc")},
    [8] = {LESS("bif_sc_pmu_ar_close_l2_hit_core", LL_READ, LL_READ_MISS),
           IS("bif_sc_pmu_ar_close_l2_miss_core", LL_READ_MISS), NO("bif_sc_pmu_ar_close_l2_victim_core"),
           LESS("bif_sc_pmu_aw_close_l2_hit_core", LL_WRITE, LL_WRITE_MISS),
           IS("bif_sc_pmu_aw_close_l2_miss_core", LL_WRITE_MISS), NO("bif_sc_pmu_aw_close_l2_victim_core")},
};

/* Columns of the event type; its sources in `sources`, each once. */
static const struct column *columns_of(const struct device *dev, int event, int sources[PROFILE_COUNTERS], int *count)
{
    const int known = dfx_pmu_is_known(event) ? event : DFX_PMU_DEFAULT;
    const struct column *columns = dev->is_a5 ? a5[known] : a2a3[known];
    bool used[SOURCES] = {false};
    *count = 0;
    for (int i = 0; i < COLUMNS && columns[i].name; i++) {
        used[columns[i].plus] = used[columns[i].minus] = true;
    }
    for (int i = 1; i < SOURCES && *count < PROFILE_COUNTERS; i++) {
        if (used[i]) {
            sources[(*count)++] = i;
        }
    }
    return columns;
}

/* A counter that the processor has not, or has no room for, is left out of the group and stays 0. */
static void open_counters(struct device *dev, struct profile_perf *perf)
{
    int sources[PROFILE_COUNTERS], count;
    columns_of(dev, dev->profile->want.pmu, sources, &count);
    perf->opened = true;
    perf->leader = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1);
    perf->nvalue = 1;
    for (int i = 0; i < PROFILE_COUNTERS; i++) {
        perf->members[i] = perf->leader >= 0 && i < count
                               ? perf_open(PERF_TYPE_HW_CACHE, source_config[sources[i]], perf->leader)
                               : -1;
        perf->place[i] = perf->members[i] >= 0 ? perf->nvalue++ : -1;
    }
}

static uint64_t thread_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* values[0]: cycles; then the members. False: take the clock. */
static bool read_counters(const struct profile_perf *perf, uint64_t values[1 + PROFILE_COUNTERS])
{
    uint64_t group[2 + PROFILE_COUNTERS];
    const ssize_t wanted = (ssize_t)((size_t)(1 + perf->nvalue) * sizeof(group[0]));
    if (perf->leader < 0 || read(perf->leader, group, sizeof(group)) != wanted) {
        return false;
    }
    memcpy(values, group + 1, (size_t)perf->nvalue * sizeof(group[0]));
    return true;
}

/* Adds (before: subtracts) the counters' values now, so that what remains is what the call took. */
static void add_values(struct profile_run *run, const struct profile_perf *perf, bool before)
{
    uint64_t values[1 + PROFILE_COUNTERS] = {0};
    if (!read_counters(perf, values)) {
        values[0] = thread_clock_ns();
    }
    run->total = before ? 0 - values[0] : run->total + values[0];
    for (int i = 0; i < PROFILE_COUNTERS; i++) {
        const uint64_t value = perf->place[i] >= 0 ? values[perf->place[i]] : 0;
        run->counters[i] = before ? 0 - value : run->counters[i] + value;
    }
}

void profile_pmu_before(struct device *dev, struct profile_run *run, struct profile_thread *thread)
{
    if (!thread->perf.opened) {
        open_counters(dev, &thread->perf);
    }
    add_values(run, &thread->perf, true);
}

void profile_pmu_after(struct device *dev, struct profile_run *run, struct profile_thread *thread)
{
    (void)dev;
    add_values(run, &thread->perf, false);
}

void profile_pmu_close(struct profile_thread *thread)
{
    struct profile_perf *perf = &thread->perf;
    if (!perf->opened) {
        return;
    }
    for (int i = 0; i < PROFILE_COUNTERS; i++) {
        if (perf->members[i] >= 0) {
            close(perf->members[i]);
        }
    }
    if (perf->leader >= 0) {
        close(perf->leader);
    }
    perf->opened = false;
}

static uint64_t value_of(const struct profile_run *r, int source, const int sources[PROFILE_COUNTERS], int count)
{
    for (int i = 0; i < count; i++) {
        if (sources[i] == source) {
            return r->counters[i];
        }
    }
    return 0;
}

int profile_write_pmu(const struct device *dev, struct profile *p, struct error *err)
{
    int sources[PROFILE_COUNTERS], count;
    const struct column *columns = columns_of(dev, p->want.pmu, sources, &count);
    struct file_writer w;
    if (profile_create(p, &w, "pmu.csv", err)) {
        return -1;
    }
    fputs("thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles", w.stream);
    for (int i = 0; i < COLUMNS && columns[i].name; i++) {
        fprintf(w.stream, ",%s", columns[i].name);
    }
    fputs(",event_type\n", w.stream);
    for (const struct profile_run *r = p->runs; r; r = r->next) {
        fprintf(w.stream, "%d,%d,0x%016" PRIx64 ",%d,%d,%" PRIu64, r->thread, r->core, r->task, r->func_id,
                r->core >= CPU_CLUSTERS, r->total);
        for (int i = 0; i < COLUMNS && columns[i].name; i++) {
            const uint64_t plus = value_of(r, columns[i].plus, sources, count);
            const uint64_t minus = value_of(r, columns[i].minus, sources, count);
            fprintf(w.stream, ",%" PRIu64, plus > minus ? plus - minus : 0);
        }
        fprintf(w.stream, ",%d\n", p->want.pmu);
    }
    return file_write_commit(&w, err);
}
