#include "tests/support/captured.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static int saved = -1, kept = -1;

void captured_begin(void)
{
    assert_int_equal(saved, -1);
    kept = memfd_create("stderr", MFD_CLOEXEC);
    assert_true(kept >= 0);
    saved = dup(STDERR_FILENO);
    assert_true(saved >= 0);
    assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
}

char *captured_end(void)
{
    off_t size = lseek(kept, 0, SEEK_END);
    char *text;

    assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
    close(saved);
    saved = -1;
    assert_true(size >= 0);
    text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(pread(kept, text, (size_t)size, 0), size);
    close(kept);
    kept = -1;
    return text;
}
