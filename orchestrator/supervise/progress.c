#include "orchestrator/supervise/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static bool written;
static char what[PROGRESS_NAME_MAX] = "run";

void progress_name(const char *name)
{
    snprintf(what, sizeof what, "%s", name);
}

void progress_run(uint64_t done, uint64_t total)
{
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    fprintf(stderr, "\r%s: %llu/%llu ", what, (unsigned long long)done, (unsigned long long)total);
    fflush(stderr);
    written = true;
}

void progress_gather(uint64_t nbytes)
{
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    fprintf(stderr, "\rgathering profiles: %.1f MB ", (double)nbytes / 1e6);
    fflush(stderr);
    written = true;
}

void progress_end(void)
{
    if (written) {
        fputs("\r\033[K", stderr);
    }
    written = false;
}
