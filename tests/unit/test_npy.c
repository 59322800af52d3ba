/* .npy files: samples written out by hand from the format's definition, and the way back. */
#include "tests/support/temp_dir.h"

#include <signal.h>
#include <sys/resource.h>

#include "orchestrator/tensor_file/npy_header.h"
#include "orchestrator/tensor_file/tensor_read.h"
#include "orchestrator/tensor_file/tensor_write.h"

static int setup(void **state)
{
    *state = temp_dir_make();
    return 0;
}

static int teardown(void **state)
{
    temp_dir_remove(*state);
    return 0;
}

/* A file of format `version` with this dictionary and these elements; returns its size. */
static size_t make(unsigned char *buf, int version, const char *dict, const void *data, size_t nbytes)
{
    size_t n = strlen(dict), at = 8;

    memcpy(buf, "\x93NUMPY", 6);
    buf[6] = (unsigned char)version;
    buf[7] = 0;
    buf[at++] = (unsigned char)(n & 0xff);
    buf[at++] = (unsigned char)(n >> 8);
    if (version > 1) {
        buf[at++] = 0;
        buf[at++] = 0;
    }
    memcpy(buf + at, dict, n);
    if (nbytes) {
        memcpy(buf + at + n, data, nbytes);
    }
    return at + n + nbytes;
}

static char *put(void **state, const void *data, size_t size)
{
    char *path;

    temp_dir_put(*state, "a.npy", data, size);
    assert_true(asprintf(&path, "%s/a.npy", (char *)*state) > 0);
    return path;
}

static int read_array(const char *path, void *dst, struct error *err)
{
    struct tensor_file *f;
    int rc;

    if (tensor_file_open(&f, path, err) < 0) {
        return -1;
    }
    rc = tensor_read(f, &f->tensors.items[0], dst, err);
    tensor_file_close(f);
    return rc;
}

static int open_array(const char *path, struct tensor *out, struct error *err)
{
    struct tensor_file *f;

    if (tensor_file_open(&f, path, err) < 0) {
        return -1;
    }
    *out = f->tensors.items[0];
    out->name = NULL;
    tensor_file_close(f);
    return 0;
}

/* numpy.save of numpy.arange(6, dtype="<i2").reshape(2, 3): the header is padded to 128 bytes in all. */
static void test_real_sample(void **state)
{
    static const unsigned char head[] =
        "\x93NUMPY\x01\x00\x76\x00{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
    static const unsigned char data[] = {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0};
    unsigned char file[128 + sizeof data];
    int16_t values[6];
    struct tensor h;
    struct error err;
    char *path;

    memset(file, ' ', 128);
    memcpy(file, head, sizeof head - 1);
    file[127] = '\n';
    memcpy(file + 128, data, sizeof data);
    path = put(state, file, sizeof file);
    assert_int_equal(open_array(path, &h, &err), 0);
    assert_string_equal(h.type, "int16");
    assert_int_equal(h.size, 2);
    assert_int_equal(h.ndim, 2);
    assert_int_equal(h.shape[0], 2);
    assert_int_equal(h.shape[1], 3);
    assert_int_equal(h.count, 6);
    assert_int_equal(h.offset, 128);
    assert_true(tensor_holds(&h, DTYPE_INT16));
    assert_false(tensor_holds(&h, DTYPE_UINT16));
    assert_false(tensor_holds(&h, DTYPE_INT32));
    assert_int_equal(read_array(path, values, &err), 0);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(values[i], i);
    }
    free(path);
}

static void test_headers(void **state)
{
    static const struct {
        int version;
        const char *dict;
        char kind;
        uint32_t size, ndim;
        uint64_t count;
        int big, fortran;
    } cases[] = {
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 128), }\n", 'f', 4, 2, 512, 0, 0},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 'f', 4, 0, 1, 0, 0},
        {1, "{'descr': '>i8', 'fortran_order': True, 'shape': (7,), }", 'i', 8, 1, 7, 1, 1},
        {1, "{'descr': '>u1', 'fortran_order': True, 'shape': (0, 5), }", 'u', 1, 2, 0, 0, 1},
        {2, "{'shape':(2,3,4),'fortran_order':False,'descr':'|b1'}", 'b', 1, 3, 24, 0, 0},
        {3, "{\"descr\": \"|V2\", \"fortran_order\": False, \"shape\": (3,)}   ", 'V', 2, 1, 3, 0, 0},
        {1, "{'descr': '=f8', 'fortran_order': False, 'shape': (5L, 2L), }", 'f', 8, 2, 10, 0, 0},
    };
    unsigned char buf[512];
    struct npy h;
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = make(buf, cases[i].version, cases[i].dict, NULL, 0);
        if (npy_parse(buf, n, "x.npy", &h, &err)) {
            fail_msg("%s: %s", cases[i].dict, err.what);
        }
        assert_int_equal(h.kind, cases[i].kind);
        assert_int_equal(h.size, cases[i].size);
        assert_int_equal(h.ndim, cases[i].ndim);
        assert_int_equal(h.count, cases[i].count);
        assert_int_equal(h.big_endian, cases[i].big);
        assert_int_equal(h.fortran, cases[i].fortran);
        assert_int_equal(h.offset, n);
    }
}

static void test_refused_headers(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-4,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [4]}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (4,)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (4,)}",
        "{'descr': 'f4', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<f', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<f0', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<f-4', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (4,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
    };
    unsigned char buf[512];
    struct npy h;
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t n = make(buf, 1, bad[i], NULL, 0);
        memset(&err, 0, sizeof err);
        if (npy_parse(buf, n, "dir/x.npy", &h, &err) == 0) {
            fail_msg("accepted: %s", bad[i]);
        }
        assert_non_null(strstr(err.what, "dir/x.npy"));
        assert_int_not_equal(err.hint[0], 0);
    }
}

static void test_every_prefix_is_refused(void **state)
{
    unsigned char buf[256];
    size_t n = make(buf, 2, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", NULL, 0);
    struct npy h;

    (void)state;
    assert_int_equal(npy_parse(buf, n, "x", &h, NULL), 0);
    for (size_t size = 0; size < n; size++) {
        unsigned char *exact = malloc(size ? size : 1); /* so that the sanitizer sees a read past the end */
        assert_non_null(exact);
        memcpy(exact, buf, size);
        assert_int_equal(npy_parse(exact, size, "x", &h, NULL), -1);
        free(exact);
    }
    buf[6] = 4;
    assert_int_equal(npy_parse(buf, n, "x", &h, NULL), -1);
    buf[6] = 0;
    assert_int_equal(npy_parse(buf, n, "x", &h, NULL), -1);
}

static void test_cut_file(void **state)
{
    unsigned char buf[256];
    size_t n = make(buf, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", "123456789012345", 15);
    struct tensor h;
    struct error err;
    char *path = put(state, buf, n);

    assert_int_equal(open_array(path, &h, &err), -1);
    assert_non_null(strstr(err.what, "cut short"));
    assert_non_null(strstr(err.what, "16"));
    assert_non_null(strstr(err.what, "15"));
    free(path);
}

static void test_missing_and_odd_files(void **state)
{
    struct tensor h;
    struct error err;

    assert_int_equal(open_array("/nonexistent/x.npy", &h, &err), -1);
    assert_non_null(strstr(err.what, "/nonexistent/x.npy"));
    assert_int_equal(open_array(*state, &h, &err), -1);
    assert_non_null(strstr(err.what, "not a regular file"));
}

/* Column-major and big-endian: element (i, j, k) of a 2x3x4 array is 100i + 10j + k. */
static void test_conversion(void **state)
{
    unsigned char buf[512], data[24 * 2];
    int16_t got[24];
    struct tensor h;
    struct error err;
    size_t at = 0, n;
    char *path;

    for (int k = 0; k < 4; k++) {
        for (int j = 0; j < 3; j++) {
            for (int i = 0; i < 2; i++) {
                int value = 100 * i + 10 * j + k;
                data[at++] = (unsigned char)(value >> 8);
                data[at++] = (unsigned char)value;
            }
        }
    }
    n = make(buf, 1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 4), }", data, sizeof data);
    path = put(state, buf, n);
    assert_int_equal(open_array(path, &h, &err), 0);
    assert_true(tensor_holds(&h, DTYPE_INT16));
    assert_int_equal(read_array(path, got, &err), 0);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 4; k++) {
                assert_int_equal(got[(i * 3 + j) * 4 + k], 100 * i + 10 * j + k);
            }
        }
    }
    free(path);
}

/* A file that was written to since it was opened is neither what it was nor surely what it is. */
static void test_changed_file(void **state)
{
    unsigned char buf[256];
    size_t n = make(buf, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "1234", 4);
    char *path = put(state, buf, n);
    struct tensor_file *f;
    struct error err;
    double value;

    assert_int_equal(tensor_file_open(&f, path, &err), 0);
    n = make(buf, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", "12345678", 8);
    free(put(state, buf, n));
    assert_int_equal(tensor_read(f, &f->tensors.items[0], &value, &err), -1);
    assert_non_null(strstr(err.what, "was changed during the replay"));
    tensor_file_close(f);
    free(path);
}

/* What was opened is read, whatever its name stands for since. */
static void test_file_whose_name_goes(void **state)
{
    static const int32_t one = 1, two = 2;
    const int64_t shape[] = {1};
    unsigned char buf[256];
    size_t n = make(buf, 1, "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", &one, 4);
    char *path = put(state, buf, n);
    struct tensor_file *f, *other;
    struct error err;
    int32_t value = 0;
    bool equal;

    assert_int_equal(tensor_file_open(&f, path, &err), 0);
    assert_int_equal(tensor_write(path, TENSOR_NPY, "", DTYPE_INT32, 1, shape, &two, &err), 0);
    assert_int_equal(tensor_read(f, &f->tensors.items[0], &value, &err), 0);
    assert_int_equal(value, 1);
    assert_int_equal(tensor_file_open(&other, path, &err), 0);
    assert_int_equal(tensor_equal(f, &f->tensors.items[0], other, &other->tensors.items[0], &equal, &err), 0);
    assert_false(equal);
    tensor_file_close(other);
    assert_int_equal(tensor_write(path, TENSOR_NPY, "", DTYPE_INT32, 1, shape, &one, &err), 0);
    assert_int_equal(tensor_file_open(&other, path, &err), 0);
    assert_int_equal(tensor_equal(f, &f->tensors.items[0], other, &other->tensors.items[0], &equal, &err), 0);
    assert_true(equal);
    tensor_file_close(other);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(tensor_read(f, &f->tensors.items[0], &value, &err), 0);
    tensor_file_close(f);
    free(path);
}

/* numpy has no bfloat16 and no fp8: unsigned integers and raw bytes may be their bits, and nothing else. */
static void test_raw_types(void **state)
{
    static const struct {
        const char *descr;
        enum dtype type;
        bool held;
    } cases[] = {
        {"<u2", DTYPE_BFLOAT16, true},  {"|V2", DTYPE_BFLOAT16, true}, {"<f4", DTYPE_BFLOAT16, false},
        {"<f2", DTYPE_BFLOAT16, false}, {"<f2", DTYPE_FLOAT16, true},  {"|V2", DTYPE_UINT16, false},
        {"|V1", DTYPE_FP8E4M3FN, true}, {"|u1", DTYPE_FP8E8M0, true},  {"|u1", DTYPE_FP8E4M3FN, true},
        {"|b1", DTYPE_BOOL, true},      {"|u1", DTYPE_BOOL, false},    {"<u2", DTYPE_UINT16, true},
        {"<i2", DTYPE_BFLOAT16, false}, {"|V1", DTYPE_UINT8, false},   {"<c8", DTYPE_INT64, false},
    };
    unsigned char buf[256];
    char dict[128];
    struct tensor h;
    struct error err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n;
        char *path;

        snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }", cases[i].descr);
        n = make(buf, 1, dict, "12345678", 8);
        path = put(state, buf, n);
        assert_int_equal(open_array(path, &h, &err), 0);
        if (tensor_holds(&h, cases[i].type) != cases[i].held) {
            fail_msg("%s as %s", cases[i].descr, dtype_name(cases[i].type));
        }
        free(path);
    }
}

/* What is written is what the definition asks for, byte by byte. */
static void test_write(void **state)
{
    static const int64_t shape[] = {2, 1};
    static const float data[] = {1.0f, -2.0f};
    static const unsigned char elements[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0};
    unsigned char got[256];
    struct error err;
    char *path;
    size_t n;
    FILE *f;

    assert_true(asprintf(&path, "%s/out.npy", (char *)*state) > 0);
    assert_int_equal(tensor_write(path, TENSOR_NPY, "", DTYPE_FLOAT32, 2, shape, data, &err), 0);
    f = fopen(path, "r");
    assert_non_null(f);
    n = fread(got, 1, sizeof got, f);
    fclose(f);
    assert_int_equal(n, 128 + sizeof elements);
    assert_memory_equal(got, "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }",
                        69);
    for (size_t i = 69; i < 127; i++) {
        assert_int_equal(got[i], ' ');
    }
    assert_int_equal(got[127], '\n');
    assert_memory_equal(got + 128, elements, sizeof elements);
    assert_int_equal(temp_dir_count(*state), 1);
    free(path);
}

static void test_write_and_read(void **state)
{
    static const int64_t shapes[][3] = {{0}, {5}, {2, 3}, {2, 0, 3}};
    static const uint32_t ndims[] = {0, 1, 2, 3};
    struct error err;
    struct tensor h;
    char *path;

    assert_true(asprintf(&path, "%s/out.npy", (char *)*state) > 0);
    for (int type = 0; type < DTYPE_COUNT; type++) {
        for (int s = 0; s < 4; s++) {
            unsigned char data[6 * 8], back[6 * 8];
            uint64_t count = 1;
            for (uint32_t d = 0; d < ndims[s]; d++) {
                count *= (uint64_t)shapes[s][d];
            }
            for (size_t i = 0; i < sizeof data; i++) {
                data[i] = (unsigned char)(7 * i + 1);
            }
            assert_int_equal(tensor_write(path, TENSOR_NPY, "", (enum dtype)type, ndims[s], shapes[s], data, &err), 0);
            assert_int_equal(open_array(path, &h, &err), 0);
            assert_true(tensor_holds(&h, (enum dtype)type));
            assert_int_equal(h.count, count);
            assert_int_equal(h.ndim, ndims[s]);
            assert_int_equal(h.offset % 64, 0);
            assert_int_equal(read_array(path, back, &err), 0);
            assert_memory_equal(data, back, count * dtype_size((enum dtype)type));
        }
    }
    free(path);
}

/* A write that fails half-way leaves the old file and nothing else. */
static void test_write_that_fails(void **state)
{
    enum { BYTES = 1 << 20 };
    static const int64_t one[] = {1}, many[] = {BYTES};
    struct rlimit old, small;
    struct error err;
    struct tensor h;
    char *data = calloc(1, BYTES), *path;

    assert_non_null(data);
    assert_true(asprintf(&path, "%s/out.npy", (char *)*state) > 0);
    assert_int_equal(tensor_write(path, TENSOR_NPY, "", DTYPE_UINT8, 1, one, data, &err), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    memset(&err, 0, sizeof err);
    assert_int_equal(tensor_write(path, TENSOR_NPY, "", DTYPE_UINT8, 1, many, data, &err), -1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_non_null(strstr(err.what, path));
    assert_int_equal(open_array(path, &h, &err), 0);
    assert_int_equal(h.count, 1);
    assert_int_equal(temp_dir_count(*state), 1);
    free(data);
    free(path);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_real_sample),
        CASE(test_headers),
        CASE(test_refused_headers),
        CASE(test_every_prefix_is_refused),
        CASE(test_cut_file),
        CASE(test_missing_and_odd_files),
        CASE(test_conversion),
        CASE(test_changed_file),
        CASE(test_file_whose_name_goes),
        CASE(test_raw_types),
        CASE(test_write),
        CASE(test_write_and_read),
        CASE(test_write_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
