#include "orchestrator/job/measures.h"

#include <stdio.h>
#include <string.h>

#include "common/base/log.h"
#include "orchestrator/prepare/other_build.h"

int measures_take(struct measures *m, const struct run_options *o, const struct prepared *p, struct error *err)
{
    if (p->other) {
        m->agree = other_build_compare(p->other, &p->segment, p->tolerance, &m->same_bits, err) == 0;
        return m->agree ? 0 : -1;
    }
    if (measured_take(&m->measured, &p->segment, &p->rounds, err) < 0) {
        return -1;
    }
    return o->bench.csv_file ? measured_save_csv(m->measured, o->bench.csv_file, err) : 0;
}

static void print_baseline(const struct measures *m, const char *file)
{
    struct error err;

    log_msg(LOG_WARN,
            "the machine is in another state than when %s was written: `l3replay ab` compares two builds side by side",
            file);
    if (measured_print_baseline(stdout, m->measured, file, &err) < 0) {
        error_print(&err);
    }
}

static void print_measured(const struct measures *m, const struct run_options *o, const struct build *build)
{
    const char *name = strrchr(o->build, '/');

    measured_print(stdout, m->measured, o->bench.raw);
    if (o->bench.baseline_file) {
        print_baseline(m, o->bench.baseline_file);
    }
    if (o->bench.pypto_lines) {
        measured_print_lines(stdout, m->measured, name && name[1] ? name + 1 : o->build, build->kind == BUILD_L3);
    }
}

void measures_print(const struct measures *m, const struct run_options *o, const struct prepared *p)
{
    if (m->measured) {
        print_measured(m, o, &p->recording.build);
    }
    if (m->pairs) {
        pairs_print(stdout, m->pairs, o->bench.precision);
    }
    if (m->pairs && m->agree) {
        printf("outputs of both: %s\n", m->same_bits ? "the same bits" : "other bits, within the tolerances");
    }
}

void measures_free(struct measures *m)
{
    measured_free(m->measured);
    pairs_free(m->pairs);
    *m = (struct measures){0};
}
