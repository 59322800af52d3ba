#include "common/base/install.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct part {
    const char *variable;
    const char *installed; /* relative to the directory of the running program */
    const char *built;     /* relative to the top of the build tree; NULL: only in the source tree */
    const char *source;    /* relative to the source tree; NULL: only in the build tree */
    const char *name;
};

static const struct part parts[] = {
    [INSTALL_EXECUTOR] = {"L3REPLAY_EXECUTOR", "../libexec/l3replay/l3replay-executor", "rank-worker/l3replay-executor",
                          NULL, "the executor"},
    [INSTALL_SIMPLER_EXECUTOR] = {"L3REPLAY_SIMPLER_EXECUTOR", "../libexec/l3replay/l3replay-simpler-executor",
                                  "rank-worker/l3replay-simpler-executor", NULL, "the executor of the simpler device"},
    [INSTALL_FILL] = {"L3REPLAY_FILL_DIR", "../share/l3replay/fill", NULL, "rank-worker/simpler/fill",
                      "the directory of what is compiled for a simpler runtime"},
    [INSTALL_INCLUDE] = {"L3REPLAY_INCLUDE_DIR", "../share/l3replay/include", NULL, "rank-worker/cpu/include",
                         "the directory of headers"},
    [INSTALL_RECORDER] = {"L3REPLAY_RECORDER_DIR", "../share/l3replay/recorder", NULL, "orchestrator/record/recorder",
                          "the recorder"},
};

static int program_directory(char *buf, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", buf, size - 1);
    char *slash;

    if (n <= 0) {
        return -1;
    }
    buf[n] = '\0';
    slash = strrchr(buf, '/');
    if (!slash) {
        return -1;
    }
    *slash = '\0';
    return 0;
}

static int usable(const char *path, enum install_part part)
{
    return access(path, part == INSTALL_EXECUTOR || part == INSTALL_SIMPLER_EXECUTOR ? X_OK : R_OK) == 0;
}

int install_find(enum install_part part, char *buf, size_t size, struct error *err)
{
    const struct part *p = &parts[part];
    const char *given = getenv(p->variable);
    char here[3072];

    if (given && *given) {
        snprintf(buf, size, "%s", given);
        if (usable(buf, part)) {
            return 0;
        }
        return error_set(err, p->variable, "correct the variable or unset it", "%s is not at %s", p->name, given);
    }
    if (program_directory(here, sizeof here) < 0) {
        return error_set(err, "/proc/self/exe", "mount /proc", "cannot find where this program is");
    }
    snprintf(buf, size, "%s/%s", here, p->installed);
    if (usable(buf, part)) {
        return 0;
    }
    if (p->built) {
        /* Programs of a build tree lie one directory below its top. */
        snprintf(buf, size, "%s/../%s", here, p->built);
        if (usable(buf, part)) {
            return 0;
        }
    }
    if (p->source) {
        snprintf(buf, size, "%s/%s", L3R_SOURCE_DIR, p->source);
        if (usable(buf, part)) {
            return 0;
        }
    }
    return error_set(err, here, "install l3replay again (cmake --install), or set the variable",
                     "%s is neither at %s of the program nor at $%s", p->name, p->installed, p->variable);
}
