/* .pt, .npz and .safetensors files: bytes written by hand from the public formats, and files of the real libraries. */
#include "tests/support/temp_dir.h"

#include <sys/wait.h>

#include "orchestrator/tensor_file/pt.h"
#include "orchestrator/tensor_file/tensor_pool.h"
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

static char *path_of(void **state, const char *name)
{
    char *path;

    assert_true(asprintf(&path, "%s/%s", (char *)*state, name) > 0);
    return path;
}

/* The tensor's elements as numbers, with a check of what it is. */
static void expect(const struct tensor_file *f, const char *key, enum dtype type, const char *shape,
                   const double *values)
{
    const struct tensor *t = tensor_file_find(f, key, strlen(key));
    char text[TENSOR_SHAPE_SIZE], data[1024];
    struct error err;

    assert_non_null(t);
    assert_int_equal(t->dtype, type);
    assert_string_equal(tensor_shape_text(t->ndim, t->shape, text, sizeof text), shape);
    assert_true(t->count * t->size <= sizeof data);
    assert_int_equal(tensor_read(f, t, data, &err), 0);
    for (uint64_t i = 0; i < t->count; i++) {
        if (dtype_load(type, data + i * t->size) != values[i]) {
            fail_msg("%s[%d] is %g, not %g", key, (int)i, dtype_load(type, data + i * t->size), values[i]);
        }
    }
}

/* --- .safetensors --------------------------------------------------------------- */

static char *put_safetensors(void **state, const char *header, const void *data, size_t nbytes)
{
    unsigned char file[4096];
    uint64_t length = strlen(header);

    memcpy(file, &length, 8); /* the test runs where the format's order is the machine's */
    memcpy(file + 8, header, length);
    memcpy(file + 8 + length, data, nbytes);
    temp_dir_put(*state, "x.safetensors", file, 8 + length + nbytes);
    return path_of(state, "x.safetensors");
}

/* 1.5 is 0x3fc0 as bfloat16 (the upper half of 0x3fc00000), 0x3c as fp8 e4m3 (exponent 7, mantissa 100); 2 is 128 as e8m0. */
static void test_safetensors(void **state)
{
    static const unsigned char data[] = {0xc0, 0x3f, 0x00, 0xc0, 0x3c, 0xc0, 128, 7, 0, 0, 0};
    static const double brain[] = {1.5, -2}, small[] = {1.5, -2}, power[] = {2}, seven[] = {7};
    char *path = put_safetensors(
        state,
        "{\"__metadata__\":{\"format\":\"pt\"},\"b\":{\"dtype\":\"BF16\",\"shape\":[2,1],\"data_offsets\":[0,4]},"
        "\"f\":{\"dtype\":\"F8_E4M3\",\"shape\":[2],\"data_offsets\":[4,6]},"
        "\"e\":{\"dtype\":\"F8_E8M0\",\"shape\":[1],\"data_offsets\":[6,7]},"
        "\"n\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[7,11]}}  ",
        data, sizeof data);
    struct tensor_file *f;
    struct error err;

    assert_int_equal(tensor_file_open(&f, path, &err), 0);
    assert_int_equal(f->format, TENSOR_SAFETENSORS);
    assert_int_equal(f->tensors.count, 4);
    expect(f, "b", DTYPE_BFLOAT16, "(2, 1)", brain);
    expect(f, "f", DTYPE_FP8E4M3FN, "(2,)", small);
    expect(f, "e", DTYPE_FP8E8M0, "(1,)", power);
    expect(f, "n", DTYPE_INT32, "()", seven);
    tensor_file_close(f);
    free(path);
}

static void test_refused_safetensors(void **state)
{
    static const char *const bad[] = {
        "{}",
        "{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,12]}}",
        "{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}",
        "{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}",
        "{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}",
        "{\"x\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}",
        "{\"x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}}",
        "{\"x\":{\"dtype\":\"Q4\",\"shape\":[2],\"data_offsets\":[0,8]}}",
        "{\"x\":{\"shape\":[2],\"data_offsets\":[0,8]}}",
        "{\"x\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,8]}}",
        "{\"x\":[]}",
        "{\"x\":",
    };
    struct tensor_file *f;
    struct error err;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *path = put_safetensors(state, bad[i], "12345678", 8);

        memset(&err, 0, sizeof err);
        if (tensor_file_open(&f, path, &err) == 0) {
            fail_msg("accepted: %s", bad[i]);
        }
        assert_true(strstr(err.what, path) || strstr(err.where, path));
        assert_int_not_equal(err.hint[0], 0);
        free(path);
    }
}

/* --- pickles -------------------------------------------------------------------- */

/* A storage of 64 bytes at byte 1000; there is no other than "0". */
static int find_storage(void *context, const char *key, struct pt_storage *out, struct error *err)
{
    (void)context;
    *out = (struct pt_storage){.offset = 1000, .nbytes = 64, .packed = -1};
    return strcmp(key, "0") == 0 ? 0 : error_set(err, "x.pt", "save it again", "x.pt lacks the storage %s", key);
}

static int read_pickle(const char *pickle, size_t size, struct tensor_list *list, struct error *err)
{
    memset(err, 0, sizeof *err);
    return pt_read_pickle(pickle, size, "x.pt", find_storage, NULL, list, err);
}

#define TENSOR_V3(offset, shape, strides, dtype)                                                                       \
    "ctorch._utils\n_rebuild_tensor_v3\n((X\7\0\0\0storagectorch.storage\nUntypedStorage\nX\1\0\0\0"                   \
    "0X\3\0\0\0cpuK\x40tQ" offset shape strides "\x89"                                                                 \
    "ccollections\nOrderedDict\n)Rctorch\n" dtype "\ntR"
#define PICKLE(text) "\x80\2" text ".", sizeof("\x80\2" text ".") - 1

/* torch saves uint16 and the 8-bit floats in untyped storages; the offset counts elements of the dtype. */
static void test_untyped_storage(void **state)
{
    struct tensor_list list = {0};
    struct error err;

    (void)state;
    assert_int_equal(read_pickle(PICKLE(TENSOR_V3("K\3", "K\2K\4\x86", "K\4K\1\x86", "uint16")), &list, &err), 0);
    assert_int_equal(read_pickle(PICKLE(TENSOR_V3("K\3", ")", ")", "float8_e4m3fn")), &list, &err), 0);
    assert_int_equal(read_pickle(PICKLE(TENSOR_V3("K\0", "K\x40\x85", "K\1\x85", "float8_e5m2")), &list, &err), 0);
    assert_int_equal(list.count, 3);
    assert_int_equal(list.items[0].dtype, DTYPE_UINT16);
    assert_int_equal(list.items[0].offset, 1006);
    assert_int_equal(list.items[0].count, 8);
    assert_int_equal(list.items[1].dtype, DTYPE_FP8E4M3FN);
    assert_int_equal(list.items[1].offset, 1003);
    assert_int_equal(list.items[1].count, 1);
    assert_int_equal(list.items[2].dtype, DTYPE_COUNT); /* no parameter has it */
    assert_string_equal(list.items[2].type, "float8_e5m2");
    tensor_list_free(&list);
}

static void test_refused_pickles(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *what;
    } cases[] = {
        {PICKLE("cposix\nsystem\nX\2\0\0\0id\x85R"), "posix.system"},
        {PICKLE("X\5\0\0\0posixX\6\0\0\0system\x93X\2\0\0\0id\x85R"), "posix.system"},
        {PICKLE("ctorch._utils\n_rebuild_qtensor\n)R"), "torch._utils._rebuild_qtensor"},
        {PICKLE("cevil\n\x1b[31m\n"), "evil.?[31m"},
        {PICKLE(TENSOR_V3("K\0", "K\x21\x85", "K\1\x85", "uint16")), "cut short"},       /* 33 of 32 elements */
        {PICKLE(TENSOR_V3("K\1", "K\x20\x85", "K\1\x85", "uint16")), "cut short"},       /* 32, from the second on */
        {PICKLE(TENSOR_V3("K\0", "K\2K\2\x86", "K\x1fK\1\x86", "uint16")), "cut short"}, /* strides beyond the end */
        {PICKLE(TENSOR_V3("K\0", "K\2\x85", "J\xff\xff\xff\xff\x85", "uint16")), "from 0 on"}, /* a negative stride */
        {PICKLE(TENSOR_V3("K\0", "K\2\x85", "K\1K\1\x86", "uint16")), "parts of a tensor"},
        {PICKLE("K\1R"), "hold together"},
        {PICKLE("u"), "hold together"},
        {PICKLE("(K\1K\2"), "hold together"},
        {PICKLE("h\7"), "hold together"},
        {PICKLE("P1\n"), "0x50"},
        {"\x80\2X\xff\xff\xff\x7f", 7, "too early"},
        {"", 0, "too early"},
    };
    struct tensor_list list = {0};
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (read_pickle(cases[i].bytes, cases[i].size, &list, &err) == 0) {
            fail_msg("case %d is accepted", (int)i);
        }
        if (!strstr(err.what, cases[i].what) || !err.hint[0]) {
            fail_msg("case %d: \"%s\" does not say %s", (int)i, err.what, cases[i].what);
        }
    }
    assert_int_equal(list.count, 0);
    tensor_list_free(&list);
}

/* A list that contains itself, and lists that double 40 times, end. */
static void test_endless_pickles(void **state)
{
    char doubling[1024];
    struct tensor_list list = {0};
    struct error err;
    size_t at = 0;

    (void)state;
    assert_int_equal(read_pickle(PICKLE("]q\0h\0a"), &list, &err), -1);
    assert_non_null(strstr(err.what, "nested too deep"));
    at += (size_t)sprintf(doubling, ")q");
    doubling[at++] = 0;
    for (char i = 0; i < 40; i++) {
        const char step[] = {'0', 'h', i, 'h', i, (char)0x86, 'q', (char)(i + 1)};
        memcpy(doubling + at, step, sizeof step);
        at += sizeof step;
    }
    doubling[at++] = '.';
    assert_int_equal(read_pickle(doubling, at, &list, &err), -1);
    assert_non_null(strstr(err.what, "nested too deep"));
    tensor_list_free(&list);
}

/* --- files of the libraries ------------------------------------------------------- */

/* Run a script of Debian's Python in the directory; false: it lacks the module. */
static bool python(void **state, const char *module, const char *script)
{
    char *command;
    int status;

    assert_true(asprintf(&command, "/usr/bin/python3 -c 'import %s' 2>/dev/null", module) > 0);
    status = system(command);
    free(command);
    if (status != 0) {
        return false;
    }
    assert_true(asprintf(&command, "cd '%s' && /usr/bin/python3 -c '%s'", (char *)*state, script) > 0);
    status = system(command);
    free(command);
    assert_int_equal(status, 0);
    return true;
}

static void test_files_of_torch(void **state)
{
    static const double rows[] = {0, 1, 2, 3, 4, 5}, columns[] = {0, 3, 1, 4, 2, 5}, slice[] = {1, 2, 4, 5},
                        same[] = {7, 7, 7}, five[] = {5}, truth[] = {1, 0};
    struct tensor_file *f;
    struct error err;
    char *path;

    if (!python(
            state, "torch",
            "import torch, collections\n"
            "t = torch.arange(6, dtype=torch.float32).reshape(2, 3)\n"
            "d = {\"t\": t, \"c\": t.t(), \"s\": t[:, 1:], \"e\": torch.tensor([7], dtype=torch.bfloat16).expand(3),\n"
            "     \"n\": torch.tensor(5), \"p\": torch.nn.Parameter(t), \"text\": \"x\", \"l\": [t.half(), "
            "(t.byte(),)],\n"
            "     \"o\": collections.OrderedDict(w=torch.tensor([True, False]))}\n"
            "torch.save(d, \"x.pt\")\n"
            "torch.save(t, \"old.pt\", _use_new_zipfile_serialization=False)\n"
            "torch.save(torch.nn.Linear(2, 2), \"module.pt\")\n")) {
        skip();
    }
    path = path_of(state, "x.pt");
    assert_int_equal(tensor_file_open(&f, path, &err), 0);
    assert_int_equal(f->format, TENSOR_PT);
    assert_int_equal(f->tensors.count, 9);
    expect(f, "t", DTYPE_FLOAT32, "(2, 3)", rows);
    expect(f, "c", DTYPE_FLOAT32, "(3, 2)", columns);
    expect(f, "s", DTYPE_FLOAT32, "(2, 2)", slice);
    expect(f, "e", DTYPE_BFLOAT16, "(3,)", same);
    expect(f, "n", DTYPE_INT64, "()", five);
    expect(f, "p", DTYPE_FLOAT32, "(2, 3)", rows);
    expect(f, "l.0", DTYPE_FLOAT16, "(2, 3)", rows);
    expect(f, "l.1.0", DTYPE_UINT8, "(2, 3)", rows);
    expect(f, "o.w", DTYPE_BOOL, "(2,)", truth);
    /* They share a storage, which is in the file once. */
    assert_int_equal(tensor_file_find(f, "t", 1)->offset, tensor_file_find(f, "p", 1)->offset);
    tensor_file_close(f);
    free(path);
    path = path_of(state, "old.pt");
    assert_int_equal(tensor_file_open(&f, path, &err), -1);
    assert_non_null(strstr(err.what, "older form"));
    free(path);
    path = path_of(state, "module.pt");
    assert_int_equal(tensor_file_open(&f, path, &err), -1);
    assert_non_null(strstr(err.what, "torch.nn.modules.linear.Linear"));
    free(path);
}

static void test_torch_loads_what_is_written(void **state)
{
    static const int64_t shape[] = {2, 3};
    static const float values[] = {0, 1, 2, 3, 4, 5.5f};
    static const int16_t brain[] = {0x3fc0}, number[] = {-3};
    struct error err;
    char *path = path_of(state, "a.pt");

    assert_int_equal(tensor_write(path, TENSOR_PT, "", DTYPE_FLOAT32, 2, shape, values, &err), 0);
    path[strlen(path) - 4] = 'b';
    assert_int_equal(tensor_write(path, TENSOR_PT, "", DTYPE_BFLOAT16, 0, NULL, brain, &err), 0);
    path[strlen(path) - 4] = 'c';
    assert_int_equal(tensor_write(path, TENSOR_PT, "", DTYPE_INT16, 0, NULL, number, &err), 0);
    assert_int_equal(temp_dir_count(*state), 3);
    free(path);
    if (!python(state, "torch",
                "import torch\n"
                "a, b, c = (torch.load(n + \".pt\") for n in \"abc\")\n"
                "assert a.dtype == torch.float32 and a.tolist() == [[0, 1, 2], [3, 4, 5.5]], a\n"
                "assert b.dtype == torch.bfloat16 and b.shape == () and b.item() == 1.5, b\n"
                "assert c.dtype == torch.int16 and c.item() == -3, c\n")) {
        skip();
    }
}

static void test_npz_of_numpy(void **state)
{
    static const double rows[] = {0, 1, 2, 3, 4, 5};
    static const char *const names[] = {"stored.npz", "packed.npz"};
    struct tensor_file *f;
    struct error err;

    if (!python(state, "numpy",
                "import numpy as np\n"
                "a = np.arange(6, dtype=\">i4\").reshape(2, 3)\n"
                "np.savez(\"stored.npz\", a=a, b=np.asfortranarray(a.astype(np.float32)))\n"
                "np.savez_compressed(\"packed.npz\", a=a, b=np.asfortranarray(a.astype(np.float32)))\n")) {
        skip();
    }
    for (int i = 0; i < 2; i++) {
        char *path = path_of(state, names[i]);

        assert_int_equal(tensor_file_open(&f, path, &err), 0);
        assert_int_equal(f->format, TENSOR_NPZ);
        assert_int_equal(f->tensors.count, 2);
        assert_int_equal(f->tensors.items[0].packed >= 0, i);
        expect(f, "a", DTYPE_INT32, "(2, 3)", rows);
        expect(f, "b", DTYPE_FLOAT32, "(2, 3)", rows);
        tensor_file_close(f);
        free(path);
    }
}

/* --- archives and pools ----------------------------------------------------------- */

/* No part of a .pt file is enough, and no changed byte of its first 64 does harm. */
static void test_cut_and_changed_archives(void **state)
{
    static const int64_t shape[] = {3};
    static const int32_t values[] = {1, 2, 3};
    char *path = path_of(state, "whole.pt"), *other = path_of(state, "other.pt"), bytes[4096], kept;
    struct tensor_file *f;
    struct error err;
    size_t size;
    FILE *file;

    assert_int_equal(tensor_write(path, TENSOR_PT, "", DTYPE_INT32, 1, shape, values, &err), 0);
    file = fopen(path, "r");
    assert_non_null(file);
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 500 && size < sizeof bytes);
    for (size_t n = 0; n < size; n += 7) {
        temp_dir_put(*state, "other.pt", bytes, n);
        memset(&err, 0, sizeof err);
        assert_int_equal(tensor_file_open(&f, other, &err), -1);
        assert_non_null(strstr(err.what, other));
    }
    for (size_t i = 0; i < size; i++) {
        kept = bytes[i];
        bytes[i] = (char)(kept ^ 0x55);
        temp_dir_put(*state, "other.pt", bytes, size);
        if (tensor_file_open(&f, other, &err) == 0) {
            tensor_file_close(f);
        }
        bytes[i] = kept;
    }
    free(path);
    free(other);
}

/* A file that feeds two parameters is open once; without a key the parameter's name chooses; two places get what is read
 * once. */
static void test_pool(void **state)
{
    static const unsigned char data[] = {1, 2, 3};
    char *path = put_safetensors(state,
                                 "{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                                 "\"y:z\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
                                 data, sizeof data),
         *keyed, *wrong;
    struct tensor_pool pool = {0};
    const struct tensor_file *f, *g;
    const struct tensor *x, *y;
    unsigned char one[2], other[2];
    struct error err;

    assert_true(asprintf(&keyed, "%s:x", path) > 0);
    assert_true(asprintf(&wrong, "%s:w", path) > 0);
    assert_int_equal(tensor_pool_open(&pool, keyed, "p", 1, &f, &x, &err), 0);
    assert_int_equal(tensor_pool_open(&pool, path, "x__ssa_v0", 1, &g, &y, &err), 0);
    assert_ptr_equal(f, g);
    assert_ptr_equal(x, y);
    assert_int_equal(pool.count, 1);
    assert_int_equal(tensor_pool_open(&pool, path, "p", 1, &f, &x, &err), -1);
    assert_non_null(strstr(err.what, "x, y:z"));
    assert_int_equal(tensor_pool_open(&pool, wrong, "p", 1, &f, &x, &err), -1);
    assert_non_null(strstr(err.what, "no tensor w"));
    y = tensor_file_find(g, "y:z", 3);
    {
        const struct tensor_job jobs[] = {{g, y, one, false}, {g, y, other, false}};
        assert_int_equal(tensor_read_all(jobs, 2, &err), 0);
    }
    assert_memory_equal(one, data + 1, 2);
    assert_memory_equal(other, data + 1, 2);
    tensor_pool_close(&pool);
    free(path);
    free(keyed);
    free(wrong);
}

/* More than a piece, so that threads share it; and rounded where they meet. */
static void test_large(void **state)
{
    enum { COUNT = 3000000 };
    static const int64_t shape[] = {COUNT};
    float *data = malloc(COUNT * sizeof *data), *back = calloc(COUNT, sizeof *back);
    uint16_t *rounded = calloc(COUNT, sizeof *rounded);
    char *path = path_of(state, "large.pt");
    struct tensor_file *f;
    struct error err;

    assert_true(data && back && rounded);
    for (int i = 0; i < COUNT; i++) {
        data[i] = (float)(i % 1000003);
    }
    assert_int_equal(tensor_write(path, TENSOR_PT, "", DTYPE_FLOAT32, 1, shape, data, &err), 0);
    assert_int_equal(tensor_file_open(&f, path, &err), 0);
    {
        const struct tensor_job jobs[] = {{f, &f->tensors.items[0], back, false},
                                          {f, &f->tensors.items[0], rounded, true}};
        assert_int_equal(tensor_read_all(jobs, 2, &err), 0);
    }
    assert_memory_equal(data, back, COUNT * sizeof *data);
    for (int i = 0; i < COUNT; i++) {
        uint16_t wanted;
        dtype_store(DTYPE_BFLOAT16, &wanted, (double)data[i]);
        assert_int_equal(rounded[i], wanted);
    }
    tensor_file_close(f);
    free(path);
    free(data);
    free(back);
    free(rounded);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_safetensors),
        CASE(test_refused_safetensors),
        CASE(test_untyped_storage),
        CASE(test_refused_pickles),
        CASE(test_endless_pickles),
        CASE(test_files_of_torch),
        CASE(test_npz_of_numpy),
        CASE(test_pool),
        CASE(test_torch_loads_what_is_written),
        CASE(test_large),
        CASE(test_cut_and_changed_archives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
