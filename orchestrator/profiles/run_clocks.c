#include "orchestrator/profiles/run_clocks.h"

#include <stdlib.h>
#include <string.h>

#include "common/plan/plan.h"

const struct run_clock *run_clocks_of(const struct run_clocks *clocks, uint32_t lane)
{
    static const struct run_clock process_0 = {.map = {.kind = CLOCK_SHARED}};

    return lane < clocks->nlane ? &clocks->items[clocks->of_lane[lane]] : &process_0;
}

uint64_t run_clocks_error(const struct run_clocks *clocks)
{
    uint64_t most = 0, second = 0;

    /* Two nodes on two clocks: both may be wrong. */
    for (uint32_t i = 0; i < clocks->count; i++) {
        uint64_t error = clocks->items[i].error_ns;
        if (error > most) {
            second = most;
            most = error;
        } else if (error > second) {
            second = error;
        }
    }
    return most > CLOCK_NO_BOUND - second ? CLOCK_NO_BOUND : most + second;
}

bool run_clocks_related(const struct run_clocks *clocks, uint32_t a, uint32_t b)
{
    const struct run_clock *x = run_clocks_of(clocks, a), *y = run_clocks_of(clocks, b);

    return x == y || (x->map.kind != CLOCK_UNALIGNED && y->map.kind != CLOCK_UNALIGNED);
}

/* "card 2 and 3 more lanes on nodeb". */
static const char *whose(const struct run_clocks *clocks, uint32_t index, uint32_t world_size, char *buf, size_t size)
{
    const char *host = clocks->items[index].host;
    uint32_t first = 0, count = 0;
    char name[32], more[40] = "";

    for (uint32_t lane = clocks->nlane; lane-- > 0;) {
        if (clocks->of_lane[lane] != index) {
            continue;
        }
        first = lane;
        count++;
    }
    if (count > 1) {
        snprintf(more, sizeof more, " and %u more lane%s", count - 1, count == 2 ? "" : "s");
    }
    snprintf(buf, size, "%s%s%s%s", plan_lane_name(world_size, first, name, sizeof name), more, *host ? " on " : "",
             host);
    return buf;
}

uint32_t run_clocks_report(const struct run_clocks *clocks, uint32_t world_size, struct notes *notes)
{
    uint32_t unaligned = 0;
    char name[160];

    for (uint32_t i = 0; i < clocks->count; i++) {
        enum clock_alignment kind = clocks->items[i].map.kind;
        if (kind == CLOCK_ONE_POINT) {
            notes_add(notes,
                      "the clock of %s was measured once only: its drift is not known, and its bound counts the most "
                      "that clocks drift",
                      whose(clocks, i, world_size, name, sizeof name));
        }
        if (kind == CLOCK_UNALIGNED) {
            notes_add(notes,
                      "the clock of %s could not be aligned with that of process 0: when its nodes ran beside those of "
                      "other clocks is not known",
                      whose(clocks, i, world_size, name, sizeof name));
        }
        unaligned += kind == CLOCK_UNALIGNED;
    }
    return unaligned;
}

void run_clocks_free(struct run_clocks *clocks)
{
    free(clocks->items);
    free(clocks->of_lane);
    memset(clocks, 0, sizeof *clocks);
}
