#include "orchestrator/trace/trace.h"

#include <inttypes.h>
#include <stddef.h>

#include "common/base/json_stream.h"
#include "common/segment/clock_map.h"

static void next_event(struct trace *t)
{
    fputs(t->some ? ",\n" : "\n", t->f);
    t->some = true;
}

static void put_ts(struct trace *t, uint64_t ns)
{
    fputs(", \"ts\": ", t->f);
    json_out_us(t->f, ns + t->shift_ns);
}

void trace_begin(struct trace *t, FILE *f)
{
    *t = (struct trace){.f = f};
    fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [", f);
}

void trace_end(struct trace *t, uint64_t clock_error_ns, char *const *notes, size_t nnote)
{
    fputs("\n], \"otherData\": {\"writer\": \"l3replay " L3R_VERSION "\", \"clock_error_us\": ", t->f);
    if (clock_error_ns == CLOCK_NO_BOUND) {
        fputs("null", t->f);
    } else {
        json_out_us(t->f, clock_error_ns);
    }
    fputs(", \"run_start_us\": ", t->f);
    json_out_us(t->f, t->shift_ns);
    for (size_t i = 0; i < nnote; i++) {
        fprintf(t->f, ",\n \"note %zu\": ", i + 1);
        json_out_text(t->f, notes[i]);
    }
    fputs("}}\n", t->f);
}

static void metadata(struct trace *t, const char *kind, uint32_t pid, int64_t tid, const char *name)
{
    next_event(t);
    fprintf(t->f, "{\"ph\": \"M\", \"cat\": \"__metadata\", \"pid\": %u, ", pid);
    if (tid >= 0) {
        fprintf(t->f, "\"tid\": %" PRId64 ", ", tid);
    }
    fprintf(t->f, "\"name\": \"%s_name\", \"args\": {\"name\": ", kind);
    json_out_text(t->f, name);
    fputs("}}", t->f);
    next_event(t);
    fprintf(t->f, "{\"ph\": \"M\", \"cat\": \"__metadata\", \"pid\": %u, ", pid);
    if (tid >= 0) {
        fprintf(t->f, "\"tid\": %" PRId64 ", ", tid);
    }
    fprintf(t->f, "\"name\": \"%s_sort_index\", \"args\": {\"sort_index\": %" PRId64 "}}", kind, tid >= 0 ? tid : pid);
}

void trace_process(struct trace *t, uint32_t pid, const char *name)
{
    metadata(t, "process", pid, -1, name);
}

void trace_thread(struct trace *t, uint32_t pid, uint32_t tid, const char *name)
{
    metadata(t, "thread", pid, tid, name);
}

void trace_slice_open(struct trace *t, const struct trace_point *at, const char *category, const char *name)
{
    next_event(t);
    fprintf(t->f, "{\"ph\": \"X\", \"pid\": %u, \"tid\": %u, \"cat\": \"%s\", \"name\": ", at->pid, at->tid, category);
    json_out_text(t->f, name);
    put_ts(t, at->start_ns);
    fputs(", \"dur\": ", t->f);
    json_out_us(t->f, at->end_ns - at->start_ns);
    fputs(", \"args\": {", t->f);
    t->some_args = false;
}

void trace_slice_close(struct trace *t)
{
    fputs("}}", t->f);
}

static void key(struct trace *t, const char *name)
{
    fprintf(t->f, "%s\"%s\": ", t->some_args ? ", " : "", name);
    t->some_args = true;
}

void trace_arg_text(struct trace *t, const char *name, const char *value)
{
    key(t, name);
    json_out_text(t->f, value);
}

void trace_arg_int(struct trace *t, const char *name, int64_t value)
{
    key(t, name);
    fprintf(t->f, "%" PRId64, value);
}

void trace_arg_id(struct trace *t, const char *name, uint64_t value)
{
    key(t, name);
    fprintf(t->f, "\"%" PRIu64 "\"", value);
}

void trace_arg_us(struct trace *t, const char *name, uint64_t ns)
{
    key(t, name);
    json_out_us(t->f, ns);
}

static void arrow_end(struct trace *t, const char *how, const char *category, const char *name, uint32_t pid,
                      uint32_t tid, uint64_t ns)
{
    next_event(t);
    fprintf(t->f, "{%s, \"id\": %" PRIu64 ", \"pid\": %u, \"tid\": %u, \"cat\": \"%s\", \"name\": ", how, t->nflow, pid,
            tid, category);
    json_out_text(t->f, name);
    put_ts(t, ns);
    putc('}', t->f);
}

void trace_arrow(struct trace *t, const char *category, const char *name, const struct trace_point *from,
                 const struct trace_point *to)
{
    /* An arrow belongs to the slice around it, and at its very end a slice is over. */
    uint64_t leave = from->end_ns > from->start_ns ? from->end_ns - 1 : from->end_ns;

    /* Viewers drop arrows that go back in time: a task that was released early starts before its predecessor's end. */
    if (leave > to->start_ns) {
        leave = to->start_ns > from->start_ns ? to->start_ns : from->start_ns;
    }
    t->nflow++;
    arrow_end(t, "\"ph\": \"s\"", category, name, from->pid, from->tid, leave);
    arrow_end(t, "\"ph\": \"f\", \"bp\": \"e\"", category, name, to->pid, to->tid, to->start_ns);
}

void trace_ready(struct trace *t, uint32_t pid, uint32_t tid, uint64_t at_ns, const int64_t ready[3])
{
    next_event(t);
    fprintf(t->f, "{\"ph\": \"C\", \"pid\": %u, \"tid\": %u, \"cat\": \"queue\", \"name\": \"shared_ready_queue\"", pid,
            tid);
    put_ts(t, at_ns);
    fprintf(t->f, ", \"args\": {\"AIC\": %" PRId64 ", \"AIV\": %" PRId64 ", \"MIX\": %" PRId64 "}}", ready[0], ready[1],
            ready[2]);
}
