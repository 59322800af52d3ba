#include "launch/mpirun_notices.h"

#include <stdio.h>
#include <string.h>

enum { DASHES = 40 }; /* Open MPI prints 74 */

/* Beginnings of what stands between the dashes, after the name of mpirun, or without it. */
static const char *const beginnings[] = {
    " noticed that process rank ",
    " noticed that the job aborted",
    " detected that one or more processes exited with non-zero status",
    " has exited due to process rank ",
};
static const char *const whole[] = {"Primary job ", "MPI_ABORT was invoked on rank "};

static bool is_dashes(const char *line, size_t n)
{
    return n >= DASHES && strspn(line, "-") >= n;
}

static bool begins_notice(const char *line)
{
    const char *name_end = strchr(line, ' ');

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        if (strncmp(line, whole[i], strlen(whole[i])) == 0) {
            return true;
        }
    }
    for (size_t i = 0; name_end && i < sizeof beginnings / sizeof *beginnings; i++) {
        if (strncmp(name_end, beginnings[i], strlen(beginnings[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed)." */
static void read_notice(struct mpirun_notices *m)
{
    const char *at = strstr(m->held, " noticed that process rank ");
    char host[256];
    int rank, sig;

    if (m->signal || !at ||
        sscanf(at, " noticed that process rank %d with PID %*d on node %255s exited on signal %d", &rank, host, &sig) !=
            3) {
        return;
    }
    m->signal = sig;
    m->rank = rank;
    snprintf(m->host, sizeof m->host, "%s", host);
}

static size_t let_go(struct mpirun_notices *m, size_t n, char *out)
{
    memcpy(out, m->held, n);
    memmove(m->held, m->held + n, m->nheld - n);
    m->nheld -= n;
    m->line = 0;
    return n;
}

/* A line that is held has come to its end (without the newline: bytes from m->line to m->nheld - 1). */
static size_t take_line(struct mpirun_notices *m, char *out)
{
    const char *line = m->held + m->line;
    const bool dashes = is_dashes(line, m->nheld - 1 - m->line);
    size_t n = 0;

    m->held[m->nheld] = '\0';
    if (m->line == 0) { /* the line above a notice */
        if (!dashes) {
            return let_go(m, m->nheld, out);
        }
    } else if (strchr(m->held, '\n') + 1 == line) { /* the first one of the text */
        if (dashes) {
            n = let_go(m, m->line, out); /* the end of something else, and perhaps a beginning */
        } else if (!begins_notice(line)) {
            return let_go(m, m->nheld, out);
        }
    } else if (dashes) {
        read_notice(m);
        m->nheld = m->line = 0;
        return 0;
    }
    m->line = m->nheld;
    return n;
}

size_t mpirun_notices_take(struct mpirun_notices *m, const char *bytes, size_t n, char *out)
{
    size_t passed = 0;

    for (size_t i = 0; i < n; i++) {
        if (m->nheld == 0 && (m->middle || bytes[i] != '-')) {
            m->middle = bytes[i] != '\n';
            out[passed++] = bytes[i];
            continue;
        }
        m->held[m->nheld++] = bytes[i];
        if (bytes[i] == '\n') {
            passed += take_line(m, out + passed);
        } else if ((m->line == 0 && bytes[i] != '-') || m->nheld == NOTICE_MAX - 1) {
            passed += let_go(m, m->nheld, out + passed);
            m->middle = true;
        }
    }
    return passed;
}

size_t mpirun_notices_end(struct mpirun_notices *m, char *out)
{
    return let_go(m, m->nheld, out);
}
