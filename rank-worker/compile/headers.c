#include "rank-worker/compile/headers.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "rank-worker/compile/headers_later.h"

static bool can_use(const struct unit *kernel, const struct unit_env *env)
{
    /* Headers of the kernel's own directories might not be guarded against a second reading. */
    return kernel->state == UNIT_WAITING && kernel->scan.prefix && kernel->kernel->ninclude == 0 &&
           env->tools[TOOLCHAIN_KERNEL].clang;
}

static int join(struct unit *headers, size_t *nheader, struct unit *kernel, const struct unit_env *env,
                struct error *err)
{
    struct unit *h = &headers[*nheader];

    if (unit_header(h, kernel, env, err) < 0) {
        return -1;
    }
    for (size_t i = 0; i < *nheader; i++) {
        if (key_equal(headers[i].first, h->first)) {
            unit_close(h);
            h->state = UNIT_DONE;
            kernel->header = &headers[i];
            return 0;
        }
    }
    h->scan.prefix = strdup(kernel->scan.prefix);
    kernel->header = h;
    ++*nheader;
    return h->scan.prefix ? 0 : error_nomem(err, kernel->source, 1);
}

static bool is_repeated(const struct unit *kernels, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (kernels[k].header && key_equal(kernels[k].first, kernels[i].first)) {
            return true;
        }
    }
    return false;
}

/* Reading the header costs about 1.5 s of the 2.2 s that a kernel takes, making it 2 s, during which the other
 * jobs compile without it. */
static bool pays(size_t users, int jobs)
{
    return users * 2 > (size_t)jobs * 3;
}

/* The store has it, or it is made now, beside the first kernels, or they go without. */
static int decide(struct unit *h, size_t users, const struct unit_env *env, int jobs, struct error *err)
{
    int rc = unit_lookup(h, env, err);
    char *kept;
    bool there;

    if (rc < 0) {
        return -1;
    }
    if (rc > 0) {
        h->state = UNIT_DONE;
        return 0;
    }
    kept = file_read(h->source, STORE_SOURCE_MAX, NULL, NULL);
    there = kept && strcmp(kept, h->scan.prefix) == 0;
    free(kept);
    if (!there && store_write(&env->store, h->source, h->scan.prefix, strlen(h->scan.prefix), err) < 0) {
        return -1;
    }
    h->state = pays(users, jobs) ? UNIT_WAITING : UNIT_FAILED;
    return 0;
}

int headers_plan(struct unit *headers, struct unit *kernels, size_t n, const struct unit_env *env, int jobs,
                 struct error *err)
{
    size_t nheader = 0;

    for (size_t i = 0; i < n; i++) {
        headers[i] = (struct unit){.state = UNIT_DONE, .lock = -1};
        if (can_use(&kernels[i], env) && join(headers, &nheader, &kernels[i], env, err) < 0) {
            return -1;
        }
    }
    for (size_t h = 0; h < nheader; h++) {
        size_t users = 0;
        for (size_t i = 0; i < n; i++) {
            users += kernels[i].header == &headers[h] && !is_repeated(kernels, i);
        }
        if (decide(&headers[h], users, env, jobs, err) < 0) {
            return -1;
        }
    }
    return 0;
}

int headers_order_missing(struct unit *headers, size_t n, const struct unit_env *env, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct unit *h = &headers[i];

        /* One that does not compile has output. */
        if (h->state == UNIT_FAILED && !h->first_output && headers_order(h, env, err) < 0) {
            return -1;
        }
    }
    return 0;
}
