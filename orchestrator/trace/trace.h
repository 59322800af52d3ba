/*
 * trace - a Chrome trace written event by event, as Perfetto reads it.
 *
 * Times are given in nanoseconds and written in microseconds with all digits. Write errors are found by the function that
 * closes the stream.
 */
#ifndef L3R_ORCHESTRATOR_TRACE_TRACE_H
#define L3R_ORCHESTRATOR_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct trace {
    FILE *f;
    bool some;      /* an event was written */
    bool some_args; /* in the slice that is open */
    uint64_t nflow;
    uint64_t shift_ns; /* added to all times; 0 at first, the caller's to set */
};

/* A place on the trace that an arrow starts or ends at. */
struct trace_point {
    uint32_t pid, tid;
    uint64_t start_ns, end_ns; /* of the slice */
};

void trace_begin(struct trace *t, FILE *f);
/* End the list of events, with what is to be known about the whole under "otherData": where the run starts
 * (`shift_ns`), how far slices may be from where they stand beside each other (CLOCK_NO_BOUND: any distance), texts. */
void trace_end(struct trace *t, uint64_t clock_error_ns, char *const *notes, size_t nnote);

void trace_process(struct trace *t, uint32_t pid, const char *name);              /* sorted by pid */
void trace_thread(struct trace *t, uint32_t pid, uint32_t tid, const char *name); /* sorted by tid */

/* A slice; between the two calls, its arguments. */
void trace_slice_open(struct trace *t, const struct trace_point *at, const char *category, const char *name);
void trace_slice_close(struct trace *t);
void trace_arg_text(struct trace *t, const char *key, const char *value);
void trace_arg_int(struct trace *t, const char *key, int64_t value);
void trace_arg_id(struct trace *t, const char *key, uint64_t value); /* as a string: ids have 64 bits */
void trace_arg_us(struct trace *t, const char *key, uint64_t ns);

/* An arrow from the end of one slice to the start of another. */
void trace_arrow(struct trace *t, const char *category, const char *name, const struct trace_point *from,
                 const struct trace_point *to);

/* A value of the ready-queue counter: tasks for aic, aiv, and both. */
void trace_ready(struct trace *t, uint32_t pid, uint32_t tid, uint64_t at_ns, const int64_t ready[3]);

#endif
