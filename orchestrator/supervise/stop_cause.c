#include "orchestrator/supervise/stop_cause.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/passed_signal.h"
#include "common/segment/control_check.h"
#include "orchestrator/supervise/lanes_table.h"
#include "orchestrator/supervise/window_writers.h"

enum { MOST_LANES = 80, MOST_WINDOWS = 16 };

/* How long cards may take to say what they are in. One that waits for a core is late, and after an interrupt mpirun
 * kills within a second. */
enum { ANSWER_MS = 1000, HASTY_ANSWER_MS = 150 };

int stop_cause_timeout(const struct supervision *s, struct error *err)
{
    const uint32_t lane = lanes_longest_running(s->seg, s->clocks);
    const uint32_t node = lane == PLAN_NONE ? PLAN_NONE : lane_view(s->seg, lane).node;
    char label[320] = "";

    log_msg(LOG_ERROR, "no dispatch finished for %.1f s; what every lane is in:", s->timeout);
    lanes_ask(s->seg, ANSWER_MS);
    lanes_table_print(s->seg, s->clocks, MOST_LANES);
    window_writers_print(s->seg, MOST_WINDOWS);
    if (!word_is_done(&s->seg->common->go)) {
        return error_set(err, NULL, "raise --timeout, or look at the hosts",
                         "not every executor got ready within %.1f s", s->timeout);
    }
    if (lane == PLAN_NONE) {
        return error_set(err, NULL, "see whether a process of the job is stopped, or its host too busy",
                         "the run made no progress for %.1f s, and no dispatch is running", s->timeout);
    }
    if (node < s->seg->plan.nnode) {
        plan_node_place(&s->seg->plan, node, label, sizeof label);
    }
    return error_set_kind(err, ERROR_FAIL, label, "look for kernels that wait for each other above, or raise --timeout",
                          "the run made no progress for %.1f s: a kernel hangs or kernels deadlock", s->timeout);
}

int stop_cause_profiles(const struct supervision *s, uint32_t lane, uint64_t saving_ns, struct error *err)
{
    char name[32] = "a card";

    if (lane != PLAN_NONE) {
        plan_lane_name(s->seg->plan.world_size, lane, name, sizeof name);
    }
    return error_set(err, "profiles", "look at the disk of the profiles, or name another one with --dfx-dir",
                     "no dispatch ended for %.0f s in which %s was writing its profiles", (double)saving_ns / 1e9,
                     name);
}

int stop_cause_peer(struct supervision *s, int rank, struct error *err)
{
    s->interrupted = true; /* mpirun takes it for a reason to end all: there is a second, and nobody to ask */
    return peers_blame(s->peers, rank, err);
}

int stop_cause_signal(struct supervision *s, const struct wakeup *wakeup, struct error *err)
{
    const int sig = passed_signal_get(wakeup->signal);
    const bool by_mpirun = sig == SIGTERM && wakeup->sender == getppid() && s->job->size > 1;

    s->interrupted = true;
    log_msg(LOG_ERROR, "interrupted (%s%s); what was running:", strsignal(sig), by_mpirun ? ", by mpirun" : "");
    lanes_ask(s->seg, HASTY_ANSWER_MS);
    lanes_table_print(s->seg, s->clocks, MOST_LANES);
    return error_set(err, NULL, by_mpirun ? "mpirun does that after Ctrl-C, a signal, or the end of a process" : NULL,
                     "the run was interrupted by signal %d (%s)%s", sig, strsignal(sig),
                     by_mpirun ? ", which mpirun sent" : "");
}
