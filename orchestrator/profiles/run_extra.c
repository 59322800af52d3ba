#include "orchestrator/profiles/run_extra.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json_stream.h"

enum { MOST_LOSSES = 1000 };

void run_extra_write(FILE *f, const struct run_extra *extra)
{
    fputs(",\n \"stages\": [", f);
    for (uint32_t i = 0; i < extra->nstage; i++) {
        fprintf(f, "%s{\"name\": ", i ? ",\n  " : "");
        json_out_text(f, extra->stages[i].name);
        fprintf(f, ", \"start_ns\": %" PRId64 ", \"end_ns\": %" PRId64 "}", extra->stages[i].start_ns,
                extra->stages[i].end_ns);
    }
    fprintf(f, "],\n \"lost\": {\"count\": %" PRIu64 ", \"files\": [", extra->nlost);
    for (uint32_t i = 0; i < extra->nloss; i++) {
        fprintf(f, "%s{\"file\": ", i ? ",\n  " : "");
        json_out_text(f, extra->losses[i].file);
        fputs(", \"why\": ", f);
        json_out_text(f, extra->losses[i].why);
        putc('}', f);
    }
    fputs("]}", f);
}

static int read_stages(const struct json_source *src, const cJSON *record, struct run_extra *extra)
{
    const int64_t huge = INT64_C(1) << 53;
    const cJSON *list, *item;

    if (!json_member(record, "stages")) {
        return 0;
    }
    if (json_get_list(src, record, "stages", &list, NULL)) {
        return -1;
    }
    extra->stages = calloc(RUN_STAGES_MAX, sizeof *extra->stages);
    if (!extra->stages) {
        return error_nomem(src->err, src->file, RUN_STAGES_MAX * sizeof *extra->stages);
    }
    cJSON_ArrayForEach(item, list) {
        struct run_stage *stage = &extra->stages[extra->nstage];

        if (extra->nstage == RUN_STAGES_MAX) {
            return json_fail(src, list, NULL, "there are more than %d", RUN_STAGES_MAX);
        }
        if (json_get_name(src, item, "name", &stage->name) ||
            json_get_int(src, item, "start_ns", -huge, huge, &stage->start_ns) ||
            json_get_int(src, item, "end_ns", stage->start_ns, huge, &stage->end_ns)) {
            return -1;
        }
        extra->nstage++;
    }
    return 0;
}

static int read_lost(const struct json_source *src, const cJSON *record, struct run_extra *extra)
{
    const cJSON *lost, *list, *item;
    int64_t count;
    size_t size;

    if (!json_member(record, "lost")) {
        return 0;
    }
    if (json_get_object(src, record, "lost", &lost) || json_get_int(src, lost, "count", 0, INT64_C(1) << 53, &count) ||
        json_get_list(src, lost, "files", &list, &size)) {
        return -1;
    }
    if (size > MOST_LOSSES || (int64_t)size > count) {
        return json_fail(src, list, NULL, "there are more than \"count\" says, or than %d", MOST_LOSSES);
    }
    extra->nlost = (uint64_t)count;
    extra->losses = calloc(size + 1, sizeof *extra->losses);
    if (!extra->losses) {
        return error_nomem(src->err, src->file, size * sizeof *extra->losses);
    }
    cJSON_ArrayForEach(item, list) {
        struct run_loss *loss = &extra->losses[extra->nloss++];

        if (json_get_name(src, item, "file", &loss->file) || json_get_name(src, item, "why", &loss->why)) {
            return -1;
        }
    }
    return 0;
}

int run_extra_read(const struct json_source *src, const cJSON *record, struct run_extra *extra)
{
    memset(extra, 0, sizeof *extra);
    return read_stages(src, record, extra) < 0 ? -1 : read_lost(src, record, extra);
}

void run_extra_free(struct run_extra *extra)
{
    free(extra->stages);
    free(extra->losses);
    memset(extra, 0, sizeof *extra);
}

void run_extra_report(const struct run_extra *extra, struct notes *notes)
{
    if (extra->nlost && !extra->nloss) {
        notes_add(notes, "%" PRIu64 " profile files were lost on their way", extra->nlost);
    } else if (extra->nlost) {
        notes_add(notes, "%" PRIu64 " profile file%s lost on the way, the first: %s (%s)", extra->nlost,
                  extra->nlost == 1 ? " was" : "s were", extra->losses[0].file, extra->losses[0].why);
    }
}

uint64_t run_extra_lead_ns(const struct run_extra *extra)
{
    int64_t first = 0;

    for (uint32_t i = 0; i < extra->nstage; i++) {
        if (extra->stages[i].start_ns < first) {
            first = extra->stages[i].start_ns;
        }
    }
    return (uint64_t)-first;
}
