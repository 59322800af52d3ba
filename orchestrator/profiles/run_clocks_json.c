#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clean_name.h"
#include "common/base/json_stream.h"
#include "orchestrator/profiles/run_clocks.h"

static const char *const alignments[] = {[CLOCK_SHARED] = "shared",
                                         [CLOCK_UNALIGNED] = "none",
                                         [CLOCK_ONE_POINT] = "one point",
                                         [CLOCK_TWO_POINTS] = "two points"};

static uint32_t point_count(enum clock_alignment kind)
{
    return kind == CLOCK_TWO_POINTS ? 2 : kind == CLOCK_ONE_POINT;
}

static void write_clock(FILE *f, const struct run_clocks *clocks, uint32_t index)
{
    const struct run_clock *clock = &clocks->items[index];
    const char *comma = "";

    fputs("{\"host\": ", f);
    json_out_text(f, clock->host);
    fputs(", \"lanes\": [", f);
    for (uint32_t lane = 0; lane < clocks->nlane; lane++) {
        if (clocks->of_lane[lane] != index) {
            continue;
        }
        fprintf(f, "%s%u", comma, lane);
        comma = ", ";
    }
    fprintf(f, "], \"alignment\": \"%s\"", alignments[clock->map.kind]);
    if (clock->map.kind == CLOCK_UNALIGNED) {
        fprintf(f, ", \"assumed_offset_ns\": \"%" PRId64 "\"", clock->map.points[0].offset_ns);
    } else {
        fprintf(f, ", \"error_ns\": %" PRIu64, clock->error_ns);
    }
    if (clock->map.kind == CLOCK_TWO_POINTS) {
        fprintf(f, ", \"drift_ppb\": %" PRId64, clock_map_drift_ppb(&clock->map));
    }
    fputs(", \"points\": [", f);
    for (uint32_t i = 0; i < point_count(clock->map.kind); i++) {
        const struct clock_point *p = &clock->map.points[i];
        fprintf(f, "%s{\"at_ns\": \"%" PRIu64 "\", \"offset_ns\": \"%" PRId64 "\", \"error_ns\": %" PRIu64 "}",
                i ? ", " : "", p->at_ns, p->offset_ns, p->error_ns);
    }
    fputs("]}", f);
}

void run_clocks_write(FILE *f, const struct run_clocks *clocks)
{
    uint64_t error = run_clocks_error(clocks);

    if (!clocks->count) {
        return;
    }
    if (error == CLOCK_NO_BOUND) {
        fputs(",\n \"clock_error_ns\": null", f);
    } else {
        fprintf(f, ",\n \"clock_error_ns\": %" PRIu64, error);
    }
    fputs(",\n \"clocks\": [", f);
    for (uint32_t i = 0; i < clocks->count; i++) {
        fputs(i ? ",\n  " : "\n  ", f);
        write_clock(f, clocks, i);
    }
    putc(']', f);
}

/* --- reading ------------------------------------------------------------ */

/* A 64-bit number as text, since JSON readers lose digits; within a range that sums cannot leave. */
static int read_i64(const struct json_source *src, const cJSON *object, const char *key, int64_t min, int64_t *out)
{
    const int64_t max = INT64_C(1) << 61;
    const char *text;
    char *end;

    if (json_get_string(src, object, key, &text)) {
        return -1;
    }
    errno = 0;
    *out = strtoll(text, &end, 10);
    if (errno || end == text || *end || *out < min || *out > max) {
        return json_fail(src, object, key, "\"%s\" is no time in nanoseconds", text);
    }
    return 0;
}

static int read_error(const struct json_source *src, const cJSON *object, uint64_t *out)
{
    int64_t error;

    if (json_get_int(src, object, "error_ns", 0, INT64_C(1) << 53, &error)) {
        return -1;
    }
    *out = (uint64_t)error;
    return 0;
}

static int read_point(const struct json_source *src, const cJSON *item, struct clock_point *point)
{
    int64_t at;

    if (read_i64(src, item, "at_ns", 0, &at) ||
        read_i64(src, item, "offset_ns", -(INT64_C(1) << 61), &point->offset_ns) ||
        read_error(src, item, &point->error_ns)) {
        return -1;
    }
    point->at_ns = (uint64_t)at;
    return 0;
}

static int read_map(const struct json_source *src, const cJSON *item, struct clock_map *map)
{
    const cJSON *list, *entry;
    struct clock_point points[2];
    struct error fault = {0};
    size_t kind = CLOCK_UNALIGNED, count;
    uint32_t n = 0;

    if (json_get_choice(src, item, "alignment", alignments, sizeof alignments / sizeof *alignments, &kind) ||
        json_get_list(src, item, "points", &list, &count)) {
        return -1;
    }
    if (count != point_count((enum clock_alignment)kind)) {
        return json_fail(src, list, NULL, "there are %s than \"%s\" says",
                         count > point_count((enum clock_alignment)kind) ? "more" : "fewer", alignments[kind]);
    }
    cJSON_ArrayForEach(entry, list) {
        if (read_point(src, entry, &points[n++])) {
            return -1;
        }
    }
    *map = (struct clock_map){.kind = (enum clock_alignment)kind};
    if (kind == CLOCK_UNALIGNED) {
        return read_i64(src, item, "assumed_offset_ns", -(INT64_C(1) << 61), &map->points[0].offset_ns);
    }
    if (n && clock_map_make(map, &points[0], n > 1 ? &points[1] : NULL, &fault)) {
        return json_fail(src, list, NULL, "%s", fault.what);
    }
    return 0;
}

static int read_lanes(const struct json_source *src, const cJSON *clock, uint32_t index, struct run_clocks *clocks)
{
    const cJSON *list, *item;
    int64_t lane;

    if (json_get_list(src, clock, "lanes", &list, NULL)) {
        return -1;
    }
    cJSON_ArrayForEach(item, list) {
        if (json_get_int(src, item, NULL, 0, (int64_t)clocks->nlane - 1, &lane)) {
            return -1;
        }
        if (clocks->of_lane[lane] != UINT32_MAX) {
            return json_fail(src, item, NULL, "lane %lld has two clocks", (long long)lane);
        }
        clocks->of_lane[lane] = index;
    }
    return 0;
}

static int read_clock(const struct json_source *src, const cJSON *item, uint32_t index, struct run_clocks *clocks)
{
    struct run_clock *clock = &clocks->items[index];
    const char *host;

    if (json_get_string(src, item, "host", &host) || read_lanes(src, item, index, clocks) ||
        read_map(src, item, &clock->map)) {
        return -1;
    }
    snprintf(clock->host, sizeof clock->host, "%s", host);
    clean_name(clock->host);
    clock->error_ns = CLOCK_NO_BOUND;
    return clock->map.kind == CLOCK_UNALIGNED ? 0 : read_error(src, item, &clock->error_ns);
}

int run_clocks_read(const struct json_source *src, const cJSON *record, uint32_t nlane, struct run_clocks *clocks)
{
    const cJSON *list, *item, *object;
    uint32_t n = 0;
    size_t count;

    memset(clocks, 0, sizeof *clocks);
    if (!json_member(record, "clocks")) {
        return 0;
    }
    if (json_get_list(src, record, "clocks", &list, &count)) {
        return -1;
    }
    clocks->items = calloc(count + 1, sizeof *clocks->items);
    clocks->of_lane = malloc(nlane * sizeof *clocks->of_lane);
    if (!clocks->items || !clocks->of_lane) {
        return error_nomem(src->err, src->file, nlane * sizeof *clocks->of_lane);
    }
    clocks->nlane = nlane;
    memset(clocks->of_lane, 0xff, nlane * sizeof *clocks->of_lane);
    cJSON_ArrayForEach(item, list) {
        if (json_get_object(src, item, NULL, &object) || read_clock(src, object, n, clocks)) {
            return -1;
        }
        clocks->count = ++n;
    }
    for (uint32_t lane = 0; lane < nlane; lane++) {
        if (clocks->of_lane[lane] == UINT32_MAX) {
            return json_fail(src, list, NULL, "lane %u has none", lane);
        }
    }
    return 0;
}
