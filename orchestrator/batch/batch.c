#include "orchestrator/batch/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/private_dir.h"
#include "common/base/result_marker.h"
#include "common/process/descendants.h"
#include "common/process/end_signals.h"
#include "orchestrator/batch/batch_entry_run.h"
#include "orchestrator/batch/batch_journal.h"

enum { EXIT_FAIL = 1, EXIT_INFRA = 3 };

struct batch {
    const struct manifest *m;
    const struct batch_options *o;
    struct batch_outcome *outcomes;
    size_t first; /* that is to be run */
    struct batch_journal journal;
    struct batch_signals signals;
    struct private_dir dir; /* of the entries' result files */
    char *result_file;
    bool lost; /* stdout or a file that was asked for */
};

/* What ended earlier, and the journal of what ends now. */
static int open_journal(struct batch *b, struct error *err)
{
    struct error cause;
    long done = 0;

    if (!b->o->journal) {
        return 0;
    }
    if (b->o->resume) {
        done = batch_journal_read(b->o->journal, b->m, b->outcomes, err);
        if (done < 0) {
            return -1;
        }
        log_note("%ld of %zu entries had ended before", done, b->m->count);
    }
    b->first = (size_t)done;
    if (batch_journal_open(&b->journal, b->o->journal, b->m, done > 0, &cause) < 0) {
        log_note("this batch cannot be resumed: %s", cause.what);
    }
    return 0;
}

static int open_batch(struct batch *b, struct error *err)
{
    b->outcomes = calloc(b->m->count + 1, sizeof *b->outcomes);
    if (!b->outcomes) {
        return error_nomem(err, "batch", b->m->count * sizeof *b->outcomes);
    }
    if ((b->o->summary && file_check_writable(b->o->summary, err) < 0) ||
        (b->o->junit && file_check_writable(b->o->junit, err) < 0) || open_journal(b, err) < 0 ||
        private_dir_make_temporary(&b->dir, "l3replay-batch.", err) < 0) {
        return -1;
    }
    b->result_file = file_join(b->dir.path, "result.json", err);
    if (!b->result_file) {
        return -1;
    }
    process_adopt(); /* what an entry leaves behind is ended with it */
    b->signals.fd = end_signals_open(err);
    return b->signals.fd < 0 ? -1 : 0;
}

static void print_marker(struct batch *b, const struct batch_entry *e, const struct batch_outcome *o)
{
    printf(RESULT_MARKER "%s work_dir=%s", batch_verdict_name(o->verdict), e->work_dir);
    if (o->verdict == BATCH_PASS && o->device >= 0) {
        printf(" device=%d", o->device);
    }
    putchar('\n');
    b->lost = fflush(stdout) != 0 || ferror(stdout) || b->lost;
}

static void run_entry(struct batch *b, size_t i)
{
    const struct batch_entry *e = &b->m->entries[i];
    struct batch_outcome *out = &b->outcomes[i];
    struct error err;

    log_msg(LOG_TIMING, "batch: %zu of %zu: %s", i + 1, b->m->count, e->work_dir);
    if (e->fault.what[0]) {
        *out = (struct batch_outcome){.verdict = BATCH_INFRA, .device = -1, .error = e->fault};
        error_print(&e->fault);
    } else {
        batch_entry_run(e, b->o, b->result_file, &b->signals, out);
    }
    print_marker(b, e, out);
    if (batch_journal_add(&b->journal, i, out, &err) < 0) {
        log_note("this batch cannot be resumed any more: %s", err.what);
        batch_journal_close(&b->journal, false);
    }
}

/* Both are written, whatever became of the other. */
static void write_files(struct batch *b)
{
    struct error err;

    if (b->o->summary && batch_write_json(b->o->summary, b->m, b->outcomes, &err) < 0) {
        b->lost = true;
        error_print(&err);
    }
    if (b->o->junit && batch_write_junit(b->o->junit, b->m, b->outcomes, &err) < 0) {
        b->lost = true;
        error_print(&err);
    }
}

static int conclude(struct batch *b)
{
    const size_t n = b->m->count, pass = batch_count(b->outcomes, n, BATCH_PASS),
                 fail = batch_count(b->outcomes, n, BATCH_FAIL), infra = batch_count(b->outcomes, n, BATCH_INFRA),
                 left = batch_count(b->outcomes, n, BATCH_NOT_RUN);

    write_files(b);
    log_msg(LOG_TIMING, "batch: %zu PASS, %zu FAIL, %zu INFRA%s", pass, fail, infra, left ? "" : "; all entries ended");
    if (left) {
        log_msg(LOG_ERROR, "batch: %zu entr%s not run%s", left, left == 1 ? "y was" : "ies were",
                b->journal.fd >= 0 ? "; --resume goes on there" : "");
    }
    batch_journal_close(&b->journal, left == 0);
    if (fail) {
        return EXIT_FAIL;
    }
    return infra || left || b->lost ? EXIT_INFRA : 0;
}

static void close_batch(struct batch *b)
{
    batch_journal_close(&b->journal, false);
    private_dir_remove(&b->dir);
    if (b->signals.fd >= 0) {
        close(b->signals.fd);
    }
    free(b->result_file);
    free(b->outcomes);
}

int batch_run(const struct manifest *m, const struct batch_options *o, struct error *err)
{
    struct batch b = {.m = m, .o = o, .journal = BATCH_JOURNAL_NONE, .signals = {.fd = -1}, .dir = PRIVATE_DIR_NONE};
    int code = -1;

    if (open_batch(&b, err) == 0) {
        for (size_t i = b.first; i < m->count && !b.signals.asked; i++) {
            run_entry(&b, i);
        }
        code = conclude(&b);
    }
    close_batch(&b);
    return code;
}
