#include "orchestrator/job/relate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/profiles/run_record.h"
#include "orchestrator/report/report_make.h"
#include "orchestrator/report/report_print.h"
#include "orchestrator/trace/timeline.h"

enum { OWN_LOSSES = 32 }; /* cards that are named */

/* Stages on the record's clock, and the losses while gathering. */
struct extra_storage {
    struct run_extra extra;
    struct run_stage stages[RUN_STAGES_MAX];
    struct run_loss losses[INBOX_MAX_LOSSES + OWN_LOSSES];
    char own[OWN_LOSSES][64];
};

static void fill_extra(struct extra_storage *a, const struct participant *me, const struct outcome *out,
                       uint64_t origin)
{
    const struct inbox_loss *losses;

    a->extra = (struct run_extra){.stages = a->stages, .losses = a->losses, .nstage = out->phases.nstage};
    for (uint32_t i = 0; i < out->phases.nstage; i++) {
        const struct run_stage *stage = &out->phases.stages[i];

        a->stages[i] =
            (struct run_stage){stage->name, stage->start_ns - (int64_t)origin, stage->end_ns - (int64_t)origin};
    }
    if (!me->receiver) {
        return;
    }
    a->extra.nloss = inbox_losses(gather_inbox(me->receiver), &losses);
    a->extra.nlost = inbox_totals(gather_inbox(me->receiver)).nloss;
    for (uint32_t i = 0; i < a->extra.nloss; i++) {
        a->losses[i] = (struct run_loss){losses[i].path, losses[i].why};
    }
}

/* What executors could not write, on whatever host. */
static void add_own_losses(struct extra_storage *a, const struct segment *seg)
{
    uint32_t named = 0;

    for (uint32_t card = 0; card < seg->plan.world_size; card++) {
        uint32_t nlost = atomic_load(&lane_status(seg, card)->nlost);

        a->extra.nlost += nlost;
        if (!nlost || named == OWN_LOSSES) {
            continue;
        }
        snprintf(a->own[named], sizeof a->own[named], "rank%u (%u of its files)", card, nlost);
        a->losses[a->extra.nloss++] = (struct run_loss){a->own[named++], "the card could not write them: see the log"};
    }
}

static int write_record(const struct participant *me, const struct outcome *out, const struct prepared *p,
                        struct error *err)
{
    struct extra_storage a;
    const struct run_record_source from = {.seg = &p->segment,
                                           .device_ids = p->recording.build.device_ids,
                                           .ncore = out->ncore,
                                           .clocks = &me->clocks.result,
                                           .extra = &a.extra,
                                           .captured = &p->dfx};
    char *path = file_join(p->dfx.dir, "l3_run.json", err);
    int rc;

    if (!path) {
        return -1;
    }
    fill_extra(&a, me, out, run_record_origin(&p->segment));
    add_own_losses(&a, &p->segment);
    rc = run_record_write(path, &from, err);
    free(path);
    return rc;
}

/* Line by line, as all of the log. */
static void log_lines(char *text)
{
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        log_msg(LOG_TIMING, "%s", line);
    }
}

static int log_short_report(const char *dir, struct error *err)
{
    struct dfx_list list;
    struct report r = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *f;
    int rc = -1;

    if (dfx_list_read(dir, &list, err) < 0) {
        return -1;
    }
    f = open_memstream(&text, &size);
    if (!f) {
        error_nomem(err, dir, 1);
    } else if (report_make(&r, &list, err) == 0) {
        rc = report_short(f, &r, err);
    }
    if (f && fclose(f) != 0 && rc == 0) {
        rc = error_nomem(err, dir, size);
    }
    if (rc == 0) {
        log_lines(text);
    }
    free(text);
    report_free(&r);
    dfx_list_free(&list);
    return rc;
}

void relate_profiles(const struct participant *me, const struct outcome *out, const struct prepared *p)
{
    struct error err;

    if (dfx_remove_unfinished(&p->dfx, &err) < 0 || write_record(me, out, p, &err) < 0 ||
        (p->dfx.swimlane && timeline_write_all(p->dfx.dir, &err) < 0) || log_short_report(p->dfx.dir, &err) < 0) {
        error_print(&err);
    } else {
        log_note("`l3replay report %s` shows what the profiles hold", p->dfx.dir);
    }
}
