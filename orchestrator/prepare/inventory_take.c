#include "orchestrator/prepare/inventory_take.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/directory.h"
#include "common/base/file.h"
#include "orchestrator/prepare/content_hash.h"
#include "orchestrator/prepare/inventory_objects.h"

/* --- Python --------------------------------------------------------------- */

static int take_python(struct inventory *v, const struct recording *r, const struct run_options *o, struct error *err)
{
    for (size_t i = 0; i < r->files.count; i++) {
        const struct record_file *f = &r->files.items[i];
        if (inventory_add(v, INVENTORY_PYTHON, f->name, *f->hash ? f->hash : INVENTORY_UNKNOWN, err) < 0) {
            return -1;
        }
    }
    if (o->plan_file &&
        inventory_add(v, INVENTORY_PYTHON, "--plan", *r->plan_hash ? r->plan_hash : INVENTORY_UNKNOWN, err) < 0) {
        return -1;
    }
    if (r->build.no_metadata) {
        return 0;
    }
    return inventory_add(v, INVENTORY_METADATA,
                         r->build.kind == BUILD_L3 ? "distributed_meta.json" : "compiled_meta.json", r->build.meta_hash,
                         err);
}

/* A file that is read later, by others: what cannot be read now is not known. */
static int take_file(struct inventory *v, enum inventory_group group, const char *name, const char *path,
                     const char *more, struct error *err)
{
    char hash[CONTENT_HASH_SIZE], *value;
    int rc;

    if (content_hash_file(path, hash, NULL) < 0) {
        return inventory_add(v, group, name, INVENTORY_UNKNOWN, err);
    }
    value = text_format("%s%s%s", hash, *more ? " " : "", more);
    rc = value ? inventory_add(v, group, name, value, err) : error_nomem(err, name, strlen(more));
    free(value);
    return rc;
}

/* golden.py or debug/run.py, and what it imported; the data that it read shows in the inputs. And comparators. */
static int take_golden(struct inventory *v, const struct prepared *p, struct error *err)
{
    const struct recording *r = &p->recording;
    const struct args *files = r->golden ? golden_files(r->golden) : NULL;
    const size_t n = strlen(r->build.dir);
    int rc = 0;

    for (size_t i = 0; files && rc == 0 && i < files->n; i++) {
        const char *path = files->v[i], *dot = strrchr(path, '.');
        const bool below = strncmp(path, r->build.dir, n) == 0 && path[n] == '/';

        if (dot && strcmp(dot, ".py") == 0) {
            rc = take_file(v, INVENTORY_PYTHON, below ? path + n + 1 : path, path, "", err);
        }
    }
    for (size_t i = 0; rc == 0 && i < p->checks.count; i++) {
        const struct user_check *c = &p->checks.items[i];
        char *name = text_format("comparator of %s", plan_text(&r->plan, r->plan.storages[c->storage].name));

        rc = name ? take_file(v, INVENTORY_PYTHON, name, c->file, c->function, err) : error_nomem(err, "--compare", 64);
        free(name);
    }
    return rc;
}

static bool is_source(const char *name)
{
    const char *dot = strrchr(name, '.');

    return name[0] != '.' && dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".json") == 0 || strcmp(dot, ".so") == 0);
}

/* What lies beside a sub-worker can be imported by it, which nothing reports. */
static int take_beside(struct inventory *v, const char *build_dir, const char *dir, struct error *err)
{
    struct args names = {0};
    size_t n = strlen(build_dir);
    int rc = 0;

    if (directory_list(dir, is_source, &names) < 0) {
        return names.failed ? error_nomem(err, dir, 1) : 0;
    }
    for (size_t i = 0; rc == 0 && i < names.n; i++) {
        char *path = file_join(dir, names.v[i], err);
        bool below = path && strncmp(path, build_dir, n) == 0 && path[n] == '/';
        rc = path ? take_file(v, INVENTORY_SUB_WORKER, below ? path + n + 1 : path, path, "", err) : -1;
        free(path);
    }
    args_free(&names);
    return rc;
}

static int take_sub_workers(struct inventory *v, const struct prepared *p, struct error *err)
{
    const struct plan *plan = &p->recording.plan;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < p->bindings.count; i++) {
        const struct binding *b = &p->bindings.items[i];
        char *name = text_format("sub-worker %s", plan_text(plan, plan->subs[i]));
        char *dir = strndup(b->file, (size_t)(strrchr(b->file, '/') - b->file));
        rc = name && dir ? take_file(v, INVENTORY_SUB_WORKER, name, b->file, b->function, err)
                         : error_nomem(err, b->file, strlen(b->file));
        if (rc == 0) {
            rc = take_beside(v, p->recording.build.dir, *dir ? dir : "/", err);
        }
        free(dir);
        free(name);
    }
    return rc;
}

/* --- data ----------------------------------------------------------------- */

/* Inputs as they were loaded: a file of the same numbers in another form is no change. */
static int take_data(struct inventory *v, const struct prepared *p, struct error *err)
{
    const struct plan *plan = &p->recording.plan;
    char hash[CONTENT_HASH_SIZE];
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < plan->nstorage; i++) {
        const struct plan_storage *s = &plan->storages[i];
        const char *name = plan_text(plan, s->name), *key, *reference = verify_place(p->verify, i, &key);
        if (s->kind != PLAN_PARAM) {
            continue;
        }
        if (inputs_file(p->recording.inputs, name)) {
            content_hash(segment_storage(&p->segment, i), s->nbytes, hash);
            rc = inventory_add(v, INVENTORY_INPUT, name, hash, err);
        }
        if (rc == 0 && reference && !verify_is_computed(p->verify, i)) {
            rc = take_file(v, INVENTORY_REFERENCE, name, reference, key, err);
        }
    }
    for (uint32_t i = 0; rc == 0 && i < p->recording.build.nparam; i++) {
        const char *name = p->recording.build.params[i].name, *scalar = inputs_scalar(p->recording.inputs, name);
        rc = scalar ? inventory_add(v, INVENTORY_INPUT, name, scalar, err) : 0;
    }
    return rc;
}

/* --- options -------------------------------------------------------------- */

static int take_option(struct inventory *v, const char *key, char *value, struct error *err)
{
    int rc = value ? inventory_add(v, INVENTORY_OPTION, key, value, err) : error_nomem(err, key, 32);

    free(value);
    return rc;
}

static char *device_ids_text(const struct build *b)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    for (uint32_t i = 0; f && i < b->ndevice; i++) {
        fprintf(f, "%s%d", i ? "," : "", b->device_ids[i]);
    }
    if (f && fclose(f) != 0) {
        free(text);
        text = NULL;
    }
    return f ? text : NULL;
}

static int take_named_options(struct inventory *v, const struct run_options *o, struct error *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < o->nscalar; i++) {
        char *key = text_format("--scalar %s", o->scalars[i].name);
        rc = key ? take_option(v, key, strdup(o->scalars[i].text), err) : error_nomem(err, "--scalar", 32);
        free(key);
    }
    for (size_t i = 0; rc == 0 && i < o->nshape; i++) {
        char *key = text_format("--shape %s", o->shapes[i].name), text[PLAN_MAX_DIMS * 21] = "";
        for (uint32_t d = 0, used = 0; d < o->shapes[i].ndim; d++) {
            used +=
                (uint32_t)snprintf(text + used, sizeof text - used, "%s%" PRId64, d ? "x" : "", o->shapes[i].shape[d]);
        }
        rc = key ? take_option(v, key, strdup(text), err) : error_nomem(err, "--shape", 32);
        free(key);
    }
    return rc;
}

/* As they were given; what an option overrides in the build is the build's and in other groups. */
static bool is_paced(const struct run_options *o, const struct build *build)
{
    return o->pace == PACE_AUTO ? build_platform_is_sim(build) : o->pace == PACE_DOMAIN;
}

/* "--rtol out": 0.01. */
static int take_settings(struct inventory *v, const struct run_options *o, struct error *err)
{
    static const char *const names[] = {[COMPARE_RTOL] = "--rtol",
                                        [COMPARE_ATOL] = "--atol",
                                        [COMPARE_RATIO] = "--max-error-ratio",
                                        [COMPARE_ROWS] = "--valid-rows",
                                        [COMPARE_AXIS] = "--valid-axis",
                                        [COMPARE_TAIL] = "--zero-tail",
                                        [COMPARE_RELDIFF] = "--reldiff",
                                        [COMPARE_RELDIFF_MOST] = "--max-reldiff"};

    for (size_t i = 0; i < o->nsetting; i++) {
        const struct compare_setting *s = &o->settings[i];
        char key[160];

        snprintf(key, sizeof key, "%s%s%s", names[s->what], s->name ? " " : "", s->name ? s->name : "");
        if (take_option(v, key, text_format("%.17g", s->value), err) < 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < o->ntopk; i++) {
        if (take_option(v, "--topk", text_format("%s=%s", o->topks[i].name, o->topks[i].file), err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int take_options(struct inventory *v, const struct run_options *o, const struct prepared *p, struct error *err)
{
    const struct build *build = &p->recording.build;
    static const char *const deps[] = {[DEPS_EXACT] = "exact", [DEPS_FULL] = "full", [DEPS_UPSTREAM] = "upstream"};

    const bool target = o->platform || o->backend_type || o->execution_mode;

    if ((target && take_option(v, "--platform", strdup(build->platform), err) < 0) ||
        ((o->device_ids || (o->device_id && build->kind == BUILD_L2)) &&
         take_option(v, "--device-ids", device_ids_text(build), err) < 0) ||
        (o->num_sub_workers && take_option(v, "--num-sub-workers", text_format("%u", o->num_sub_workers), err) < 0)) {
        return -1;
    }
    if (take_option(v, "--device", strdup(device_kind_name(p->device)), err) < 0 ||
        take_option(v, "--seed", text_format("%" PRIu64, o->seed), err) < 0 ||
        take_option(v, "--deps", strdup(deps[o->deps]), err) < 0 ||
        take_option(v, "--threads", strdup(o->free_threads ? "free" : "turns"), err) < 0 ||
        take_option(v, "--pace", strdup(is_paced(o, build) ? "domain" : "free"), err) < 0 ||
        take_option(v, "--rtol", text_format("%.17g", p->tolerance.rtol), err) < 0 ||
        take_option(v, "--atol", text_format("%.17g", p->tolerance.atol), err) < 0) {
        return -1;
    }
    return take_settings(v, o, err) < 0 ? -1 : take_named_options(v, o, err);
}

int inventory_take(struct inventory *v, const struct run_options *o, const struct prepared *p, struct error *err)
{
    const struct recording *r = &p->recording;

    if (inventory_take_objects(v, &r->build, &r->programs, &p->compiled, err) < 0 || take_python(v, r, o, err) < 0 ||
        take_golden(v, p, err) < 0 || take_sub_workers(v, p, err) < 0 || take_data(v, p, err) < 0 ||
        take_options(v, o, p, err) < 0) {
        return -1;
    }
    inventory_sort(v);
    return 0;
}
