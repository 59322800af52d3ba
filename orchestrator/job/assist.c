#include "orchestrator/job/assist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "orchestrator/plan/saved.h"
#include "rank-worker/compile/compile.h"
#include "topology/topology.h"

int assist_offer(const struct mpi_job *job, const char *platform, const struct program_table *programs,
                 const bool *needed, const struct fresh_options *fresh, struct error *err)
{
    struct order order = {.kind = ORDER_COMPILE, .limit_s = fresh->compile_timeout, .no_ccache = fresh->no_ccache};
    size_t size = 0;
    char *text = NULL;
    FILE *f;
    int rc;

    if (job->size == 1) {
        return 0;
    }
    f = open_memstream(&text, &size);
    if (!f) {
        return error_nomem(err, "programs", 1);
    }
    rc = saved_programs_write(programs, needed, "", f, err);
    if (fclose(f) != 0 && rc == 0) {
        rc = error_nomem(err, "programs", size);
    }
    order.nbytes = (uint32_t)size;
    snprintf(order.platform, sizeof order.platform, "%s", platform);
    if (rc == 0 && (mpi_job_share(job, &order, sizeof order, err) < 0 || mpi_job_share(job, text, size, err) < 0)) {
        rc = -1;
    }
    free(text);
    return rc;
}

static int read_programs(char *text, struct program_table *programs, struct error *err)
{
    for (char *line = text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end) {
            return error_set(err, "programs", NULL, "the list of programs arrived cut off");
        }
        *end = '\0';
        if (saved_program_read(programs, line, (size_t)(end - line), "", err) < 0) {
            return -1;
        }
    }
    return 0;
}

/* What does not compile is reported by process 0. */
static void compile_along(const struct mpi_job *job, const struct order *order, int jobs,
                          const struct program_table *programs)
{
    const struct fresh_options fresh = {.compile_timeout = order->limit_s, .no_ccache = order->no_ccache};
    const struct compile_options options = {.platform = order->platform, .assisting = true, .jobs = jobs};
    struct compile_session *session = NULL;
    struct compiled compiled = {0};
    struct error err;

    if (fresh_session_open(&fresh, &session, &err) < 0 ||
        compile_programs(session, programs, &options, &compiled, &err) < 0) {
        log_msg(LOG_DEBUG, "process %d stopped compiling: %s", job->rank, err.what);
    }
    compiled_free(&compiled);
    compile_session_close(session);
}

int assist_take(const struct mpi_job *job, const struct order *order, struct error *err)
{
    const int jobs = topology_share(job->node_size, job->rank);
    struct program_table programs = {0};
    char *text = malloc((size_t)order->nbytes + 1);
    int rc = -1;

    if (!text) {
        return error_nomem(err, "programs", order->nbytes);
    }
    text[order->nbytes] = '\0';
    if (mpi_job_share(job, text, order->nbytes, err) == 0 && read_programs(text, &programs, err) == 0) {
        rc = 0;
        /* More compilers than cores would only be in each other's way. */
        if (jobs > 0) {
            compile_along(job, order, jobs, &programs);
        }
    }
    program_table_free(&programs);
    free(text);
    return rc;
}
