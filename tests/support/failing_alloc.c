#include "tests/support/failing_alloc.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long calls, failing; /* failing: 0 for none */
static const char *failed;

/* Is this the call that fails? */
static bool fails(const char *function)
{
    if (++calls != failing) {
        return false;
    }
    failed = function;
    errno = ENOMEM;
    return true;
}

/* What the linker calls in place of FUNCTION, and what it offers under the name of the real one. */
#define WRAP(type, failure, function, parameters, arguments)                                                           \
    type __real_##function parameters;                                                                                 \
    type __wrap_##function parameters;                                                                                 \
    type __wrap_##function parameters                                                                                  \
    {                                                                                                                  \
        return fails(#function) ? (failure) : __real_##function arguments;                                             \
    }

WRAP(void *, NULL, malloc, (size_t size), (size))
WRAP(void *, NULL, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, NULL, realloc, (void *old, size_t size), (old, size))
WRAP(void *, NULL, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
WRAP(char *, NULL, strdup, (const char *text), (text))
WRAP(char *, NULL, strndup, (const char *text, size_t size), (text, size))
WRAP(char *, NULL, realpath, (const char *path, char *resolved), (path, resolved))
WRAP(FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
WRAP(FILE *, NULL, fdopen, (int fd, const char *mode), (fd, mode))
WRAP(FILE *, NULL, open_memstream, (char **text, size_t *size), (text, size))
WRAP(DIR *, NULL, opendir, (const char *path), (path))
WRAP(FTS *, NULL, fts_open, (char *const *paths, int options, int (*order)(const FTSENT **, const FTSENT **)),
     (paths, options, order))
WRAP(ssize_t, -1, getline, (char **line, size_t *size, FILE *f), (line, size, f))
WRAP(int, -1, vasprintf, (char **text, const char *format, va_list ap), (text, format, ap))
WRAP(int, -1, scandir,
     (const char *path, struct dirent ***names, int (*filter)(const struct dirent *),
      int (*order)(const struct dirent **, const struct dirent **)),
     (path, names, filter, order))
WRAP(int, -1, nftw,
     (const char *path, int (*visit)(const char *, const struct stat *, int, struct FTW *), int most, int flags),
     (path, visit, most, flags))

int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list ap;
    int n;

    if (fails("asprintf")) {
        return -1;
    }
    va_start(ap, format);
    n = __real_vasprintf(text, format, ap);
    va_end(ap);
    return n;
}

void failing_alloc_start(unsigned long n)
{
    cJSON_Hooks hooks = {.malloc_fn = __wrap_malloc, .free_fn = free};

    cJSON_InitHooks(&hooks);
    calls = 0;
    failing = n;
    failed = NULL;
}

unsigned long failing_alloc_stop(void)
{
    failing = 0;
    return calls;
}

const char *failing_alloc_name(void)
{
    return failed;
}
