/*
 * count-replay PLATFORM DIR SWIMLANE FAULTS [RESULT.json [stream]]: an MPI program that replays the plan of count_rig.h with the
 * real run.
 *
 * There is no device for hardware platforms in this version, so `l3replay run` refuses them before anything runs. Here
 * prepare() is another: it makes the plan by hand; all that comes after it is l3replay's. $L3REPLAY_EXECUTOR must name
 * count-executor. Profiles go to DIR/dfx, outputs to DIR/outputs; FAULTS is a set of enum count_request.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/job/run.h"
#include "orchestrator/prepare/load.h"
#include "orchestrator/prepare/options.h"
#include "orchestrator/prepare/prepare.h"
#include "tests/passes/count_rig.h"

static uint64_t faults;

static int make_build(struct build *build, const struct run_options *o, struct error *err)
{
    build->kind = BUILD_L3;
    build->dir = strdup(o->build);
    build->platform = strdup(o->platform);
    build->ndevice = COUNT_CARDS;
    build->device_ids = calloc(COUNT_CARDS, sizeof *build->device_ids);
    if (!build->dir || !build->platform || !build->device_ids) {
        return error_nomem(err, "build", COUNT_CARDS);
    }
    build->device_ids[1] = 1;
    return 0;
}

int prepare(const struct run_options *options, const struct prepare_job *job, struct phases *phases,
            struct prepared *out, struct error *err)
{
    struct recording *r = &out->recording;
    char *sheet;
    int rc;

    (void)job;
    memset(out, 0, sizeof *out);
    out->dfx_lock = -1;
    phases_enter(phases, PHASE_OPEN);
    if (make_build(&r->build, options, err) < 0 || count_plan(&r->plan, faults, err) < 0 ||
        inputs_open(&r->inputs, NULL, NULL, 0, options->seed, err) < 0 ||
        verify_open(&out->verify, &out->references, NULL, &r->plan, TOLERANCE_DEFAULT, NULL, err) < 0 ||
        dfx_open(&out->dfx, &out->dfx_lock, &options->dfx, &r->build, &r->plan, &r->programs, err) < 0) {
        return -1;
    }
    sheet = count_sheet(err);
    rc = sheet ? segment_create(&out->segment, &r->plan, sheet, r->build.platform, err) : -1;
    free(sheet);
    return rc < 0 ? -1 : load_storages(&out->segment, r->inputs, err);
}

void prepare_free(struct prepared *p)
{
    if (p->dfx_lock >= 0) {
        close(p->dfx_lock);
    }
    segment_unmap(&p->segment);
    verify_free(p->verify);
    recording_free(&p->recording);
}

static char *below(const char *dir, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

int main(int argc, char **argv)
{
    struct run_options o = {.tolerance = TOLERANCE_DEFAULT, .seed = 5, .first = true};
    char *outputs, *dfx;
    int rc;

    if (argc < 5 || argc > 7) {
        fputs("usage: count-replay PLATFORM DIR SWIMLANE FAULTS [RESULT.json [stream]]\n", stderr);
        return 2;
    }
    o.platform = argv[1];
    o.build = argv[2];
    o.result_file = argc > 5 ? argv[5] : NULL;
    o.save_outputs = outputs = below(argv[2], "outputs");
    o.dfx.dir = dfx = below(argv[2], "dfx");
    o.dfx.stream = argc == 7;
    o.dfx.dfx.swimlane = atoi(argv[3]);
    faults = (uint64_t)atoi(argv[4]);
    rc = outputs && dfx ? run_replay(&o, argc, argv) : 3;
    free(outputs);
    free(dfx);
    return rc;
}
