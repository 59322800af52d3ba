#include "launch/relay.h"

#include <string.h>

#include "common/base/file.h"
#include "common/base/result_marker.h"

static const char marker[] = RESULT_MARKER;

static void take_start(struct relay *r)
{
    const char *value = r->start + sizeof marker - 1;

    r->start[r->nstart] = '\0';
    r->nstart = 0;
    if (strncmp(r->start, marker, sizeof marker - 1) != 0) {
        return;
    }
    if (strncmp(value, "PASS", 4) == 0) {
        r->pass++;
    } else if (strncmp(value, "FAIL", 4) == 0) {
        r->fail++;
    } else if (strncmp(value, "INFRA", 5) == 0) {
        r->infra++;
    } else {
        return;
    }
    r->lost = r->lost || r->broken;
}

void relay_watch(struct relay *r, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        r->in_line = bytes[i] != '\n';
        if (bytes[i] == '\n') {
            take_start(r);
        } else if (r->nstart < sizeof r->start - 1) {
            r->start[r->nstart++] = bytes[i];
        }
    }
}

int relay_exit_code(const struct relay *r)
{
    if (r->fail > 0) {
        return 1;
    }
    if (r->infra > 0) {
        return 3;
    }
    return r->pass > 0 ? 0 : -1;
}

void relay_pass(struct relay *r, const char *bytes, size_t n, int to)
{
    size_t passed = r->broken ? 0 : file_put(to, bytes, n);

    relay_watch(r, bytes, passed);
    r->broken = r->broken || passed < n;
    relay_watch(r, bytes + passed, n - passed);
}
