#include "tests/support/data_build.h"

struct data_build *data_build_open(const char *params, const struct data_param *planned, size_t count)
{
    struct data_build *f = calloc(1, sizeof *f);
    struct plan_builder *b;
    struct error err;
    char *meta;

    assert_non_null(f);
    f->dir = temp_dir_make();
    assert_true(asprintf(&meta, "{\"schema\": 2, \"params\": [%s]}", params) > 0);
    temp_dir_put_text(f->dir, "orchestration/host_orch.py", "");
    temp_dir_put_text(f->dir, "next_levels/p/kernel_config.py", "");
    temp_dir_put_text(f->dir, "distributed_meta.json", meta);
    free(meta);
    assert_int_equal(build_open(f->dir, &f->build, &err), 0);
    b = plan_builder_new(1, &err);
    assert_non_null(b);
    for (size_t i = 0; i < count; i++) {
        const struct data_param *p = &planned[i];
        struct plan_storage proto = {.kind = PLAN_PARAM,
                                     .dtype = (uint8_t)p->dtype,
                                     .ndim = (uint8_t)p->ndim,
                                     .direction = (uint8_t)p->direction,
                                     .domain = PLAN_NONE,
                                     .card = PLAN_NONE,
                                     .nbytes = dtype_size(p->dtype)};
        for (uint32_t d = 0; d < p->ndim; d++) {
            proto.nbytes *= (uint64_t)p->shape[d];
        }
        if (plan_add_storage(b, &proto, p->name, p->shape, NULL, &err)) {
            fail_msg("%s", err.what);
        }
    }
    plan_builder_finish(b, &f->plan);
    return f;
}

int data_build_teardown(void **state)
{
    struct data_build *f = *state;

    plan_free(&f->plan);
    build_free(&f->build);
    temp_dir_remove(f->dir);
    free(f);
    return 0;
}

char *data_build_save(const struct data_build *f, const char *name, enum dtype type, uint32_t ndim,
                      const int64_t *shape, const void *data)
{
    struct error err;
    char *path;

    assert_true(asprintf(&path, "%s/%s", f->dir, name) > 0);
    temp_dir_put_text(f->dir, name, "");
    assert_int_equal(tensor_write(path, TENSOR_NPY, "", type, ndim, shape, data, &err), 0);
    return path;
}

void data_build_expect_unusable(const struct data_build *f, const char *dir_name, const char *file_name,
                                int (*open)(const struct data_build *f, struct error *err))
{
    static const char *const names[] = {"dangling directory",   "file for a directory", "dangling file",
                                        "directory for a file", "shut directory",       "shut file"};
    char *data, *dir, *file;
    struct error err;

    assert_true(asprintf(&data, "%s/data", f->dir) > 0);
    assert_true(asprintf(&dir, "%s/%s", data, dir_name) > 0);
    assert_true(asprintf(&file, "%s/%s", dir, file_name) > 0);
    assert_int_equal(mkdir(data, 0777), 0);
    for (int i = 0; i < 6; i++) {
        bool shut = i >= 4;
        int rc = -1;

        memset(&err, 0, sizeof err);
        assert_int_equal(i == 0   ? symlink("nothing", dir)
                         : i == 1 ? mknod(dir, S_IFREG | 0600, 0)
                                  : mkdir(dir, 0777),
                         0);
        if (i > 1) {
            assert_int_equal(i == 2   ? symlink("nothing", file)
                             : i == 3 ? mkdir(file, 0700)
                                      : mknod(file, S_IFREG | 0600, 0),
                             0);
        }
        if (shut) {
            assert_int_equal(chmod(i == 4 ? dir : file, 0), 0);
        }
        if (!shut || temp_dir_plain_user(f->dir)) {
            rc = open(f, &err);
            temp_dir_own_user();
            if (rc != -1 || err.kind != ERROR_INFRA || !strstr(err.what, dir) || !err.hint[0]) {
                fail_msg("%s: %d, %s, %s", names[i], rc, err.what, err.hint);
            }
        }
        chmod(dir, 0777);
        if (i > 1) {
            assert_int_equal(remove(file), 0);
        }
        assert_int_equal(remove(dir), 0);
    }
    free(data);
    free(dir);
    free(file);
}
