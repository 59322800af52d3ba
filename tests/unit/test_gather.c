/* Profiles on their way: out of an outbox in parcels, into an inbox; what goes wrong between is named. */
#include "tests/support/temp_dir.h"

#include <ftw.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "common/base/file.h"
#include "orchestrator/gather/inbox.h"
#include "orchestrator/gather/outbox.h"

struct ends {
    char *base, *dir; /* above the outbox; of the inbox */
    struct outbox *outbox;
    struct inbox *inbox;
    struct parcel parcel;
};

static int setup(void **state)
{
    struct ends *e = calloc(1, sizeof *e);

    assert_non_null(e);
    e->base = temp_dir_make();
    e->dir = temp_dir_make();
    assert_int_equal(outbox_open(&e->outbox, e->base, NULL), 0);
    assert_int_equal(inbox_open(&e->inbox, e->dir, 4, NULL), 0);
    assert_int_equal(parcel_open(&e->parcel, NULL), 0);
    *state = e;
    return 0;
}

static int teardown(void **state)
{
    struct ends *e = *state;

    parcel_close(&e->parcel);
    inbox_close(e->inbox);
    outbox_close(e->outbox);
    temp_dir_remove(e->base);
    temp_dir_remove(e->dir);
    free(e);
    return 0;
}

static char *contents(size_t nbytes, unsigned seed)
{
    char *data = malloc(nbytes + 1);

    assert_non_null(data);
    for (size_t i = 0; i < nbytes; i++) {
        data[i] = (char)((i * 2654435761u + seed * 40503u) >> 11);
    }
    return data;
}

static void put(struct ends *e, const char *name, size_t nbytes, unsigned seed)
{
    char *data = contents(nbytes, seed);

    temp_dir_put(outbox_dir(e->outbox), name, data, nbytes);
    free(data);
}

static void expect(struct ends *e, const char *name, size_t nbytes, unsigned seed)
{
    char *path = file_join(e->dir, name, NULL), *wanted = contents(nbytes, seed);
    size_t size;
    char *got = file_read(path, nbytes + 1, &size, NULL);

    assert_non_null(got);
    assert_int_equal(size, nbytes);
    assert_memory_equal(got, wanted, nbytes);
    free(got);
    free(wanted);
    free(path);
}

static bool is_there(const char *dir, const char *name)
{
    char *path = file_join(dir, name, NULL);
    bool there = access(path, F_OK) == 0;

    free(path);
    return there;
}

static unsigned nfound;
static int count_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)path;
    (void)st;
    (void)at;
    nfound += type == FTW_F;
    return 0;
}

static unsigned files_below(const char *dir)
{
    nfound = 0;
    assert_int_equal(nftw(dir, count_file, 16, FTW_PHYS), 0);
    return nfound;
}

/* Returns how many parcels it took. */
static unsigned carry(struct ends *e, uint32_t source)
{
    unsigned n = 0;

    for (; !outbox_is_empty(e->outbox); n++) {
        e->parcel.used = 0;
        outbox_pack(e->outbox, &e->parcel);
        assert_true(e->parcel.used > 0 && e->parcel.used <= PARCEL_NBYTES);
        assert_int_equal(inbox_take(e->inbox, source, e->parcel.bytes, e->parcel.used, NULL), 0);
    }
    return n;
}

static void files_of_all_sizes_arrive_byte_by_byte(void **state)
{
    static const size_t sizes[] = {0,
                                   1,
                                   63,
                                   64,
                                   4095,
                                   4096,
                                   PARCEL_NBYTES - 4097,
                                   PARCEL_NBYTES - 4096,
                                   PARCEL_NBYTES - 4095,
                                   PARCEL_NBYTES - 192,
                                   PARCEL_NBYTES - 128,
                                   PARCEL_NBYTES - 64,
                                   PARCEL_NBYTES - 1,
                                   PARCEL_NBYTES,
                                   3 * PARCEL_NBYTES,
                                   5 * PARCEL_NBYTES + 12345};
    struct ends *e = *state;
    char name[64];

    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(name, sizeof name, "rank%u/d%u/scope_stats/f", i % 2, i);
        put(e, name, sizes[i], i);
    }
    assert_int_equal(outbox_add(e->outbox, "", NULL), 0);
    carry(e, 1);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(name, sizeof name, "rank%u/d%u/scope_stats/f", i % 2, i);
        expect(e, name, sizes[i], i);
        assert_false(is_there(outbox_dir(e->outbox), name));
    }
    assert_int_equal(inbox_totals(e->inbox).nfile, sizeof sizes / sizeof *sizes);
    assert_int_equal(inbox_totals(e->inbox).nloss, 0);
}

/* 100 bytes each: a thousand of them need no thousand messages. */
static void small_files_share_parcels(void **state)
{
    struct ends *e = *state;
    char name[64];

    for (unsigned i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "rank0/d%u/deps.json", i);
        put(e, name, 100, i);
    }
    assert_int_equal(outbox_add(e->outbox, "", NULL), 0);
    assert_int_equal(carry(e, 0), 1);
    assert_int_equal(files_below(e->dir), 1000);
    expect(e, "rank0/d999/deps.json", 100, 999);
}

static void only_what_is_finished_and_handed_over_goes(void **state)
{
    struct ends *e = *state;

    put(e, "rank0/d0/a", 10, 1);
    put(e, "rank0/d0/b.77.0.part", 10, 2);
    put(e, "rank0/d1/a", 10, 3);
    assert_int_equal(outbox_add(e->outbox, "rank0/d0", NULL), 0);
    assert_int_equal(outbox_add(e->outbox, "rank0/d7", NULL), 0); /* it has written nothing */
    carry(e, 0);
    assert_int_equal(files_below(e->dir), 1);
    expect(e, "rank0/d0/a", 10, 1);
    assert_int_equal(outbox_add(e->outbox, "", NULL), 0);
    carry(e, 0);
    assert_int_equal(files_below(e->dir), 2);
    expect(e, "rank0/d1/a", 10, 3);
}

static void sources_send_side_by_side(void **state)
{
    struct ends *e = *state;
    struct outbox *other;
    char *mine = contents(3 * PARCEL_NBYTES, 8);

    assert_int_equal(outbox_open(&other, e->base, NULL), 0);
    temp_dir_put(outbox_dir(other), "rank1/d0/big", mine, 3 * PARCEL_NBYTES);
    put(e, "rank0/d0/big", 3 * PARCEL_NBYTES, 9);
    assert_int_equal(outbox_add(e->outbox, "", NULL), 0);
    assert_int_equal(outbox_add(other, "", NULL), 0);
    for (int turn = 0; !outbox_is_empty(e->outbox) || !outbox_is_empty(other); turn++) {
        struct outbox *from = turn % 2 ? e->outbox : other;

        e->parcel.used = 0;
        outbox_pack(from, &e->parcel);
        assert_int_equal(inbox_take(e->inbox, (uint32_t)turn % 2, e->parcel.bytes, e->parcel.used, NULL), 0);
        assert_int_equal(inbox_totals(e->inbox).nloss, 0);
    }
    expect(e, "rank0/d0/big", 3 * PARCEL_NBYTES, 9);
    expect(e, "rank1/d0/big", 3 * PARCEL_NBYTES, 8);
    outbox_close(other);
    free(mine);
}

static void lost(struct ends *e, unsigned i, const char *path, const char *why)
{
    const struct inbox_loss *losses;

    assert_true(inbox_losses(e->inbox, &losses) > i);
    assert_string_equal(losses[i].path, path);
    assert_non_null(strstr(losses[i].why, why));
}

/* One bit wrong in the middle of a file: nothing of it stays, and the next file comes through. */
static void a_wrong_byte_is_found_and_nothing_of_it_kept(void **state)
{
    struct ends *e = *state;
    bool flipped = false;

    put(e, "rank0/d0/big", 2 * PARCEL_NBYTES, 1);
    put(e, "rank0/d0/next", 500, 2);
    assert_int_equal(outbox_add(e->outbox, "", NULL), 0);
    while (!outbox_is_empty(e->outbox)) {
        e->parcel.used = 0;
        outbox_pack(e->outbox, &e->parcel);
        if (!flipped) {
            e->parcel.bytes[e->parcel.used / 2] ^= 0x10;
        }
        flipped = true;
        assert_int_equal(inbox_take(e->inbox, 0, e->parcel.bytes, e->parcel.used, NULL), 0);
    }
    assert_int_equal(inbox_totals(e->inbox).nloss, 1);
    lost(e, 0, "rank0/d0/big", "checksum");
    assert_int_equal(files_below(e->dir), 1);
    expect(e, "rank0/d0/next", 500, 2);
}

/* A parcel that was lost or came twice. */
static void missing_parts_are_found(void **state)
{
    struct ends *e = *state;
    int n = 0;

    put(e, "rank0/d0/big", 4 * PARCEL_NBYTES, 1);
    put(e, "rank0/d1/ok", 9, 2);
    assert_int_equal(outbox_add(e->outbox, "", NULL), 0);
    for (; !outbox_is_empty(e->outbox); n++) {
        e->parcel.used = 0;
        outbox_pack(e->outbox, &e->parcel);
        if (n != 1) {
            assert_int_equal(inbox_take(e->inbox, 0, e->parcel.bytes, e->parcel.used, NULL), 0);
        }
    }
    assert_true(n > 3);
    assert_int_equal(inbox_totals(e->inbox).nloss, 1);
    lost(e, 0, "rank0/d0/big", "did not arrive");
    assert_int_equal(files_below(e->dir), 1);
    expect(e, "rank0/d1/ok", 9, 2);
}

static void a_source_that_dies_leaves_no_part(void **state)
{
    struct ends *e = *state;

    put(e, "rank0/d0/big", 4 * PARCEL_NBYTES, 1);
    assert_int_equal(outbox_add(e->outbox, "", NULL), 0);
    outbox_pack(e->outbox, &e->parcel);
    assert_int_equal(inbox_take(e->inbox, 2, e->parcel.bytes, e->parcel.used, NULL), 0);
    inbox_end_source(e->inbox, 2, "the process died");
    lost(e, 0, "rank0/d0/big", "the process died");
    assert_int_equal(files_below(e->dir), 0);
    inbox_end_source(e->inbox, 2, "twice");
    assert_int_equal(inbox_totals(e->inbox).nloss, 1);
}

static void what_is_no_parcel_ends_its_source(void **state)
{
    struct ends *e = *state;
    struct error err;

    put(e, "rank0/d0/big", 2 * PARCEL_NBYTES, 1);
    assert_int_equal(outbox_add(e->outbox, "", NULL), 0);
    outbox_pack(e->outbox, &e->parcel);
    assert_int_equal(inbox_take(e->inbox, 0, e->parcel.bytes, e->parcel.used, &err), 0);
    assert_int_equal(inbox_take(e->inbox, 0, "this is no parcel, but long enough to hold a head", 49, &err), -1);
    assert_true(err.what[0] != '\0');
    assert_int_equal(inbox_totals(e->inbox).nloss, 1);
    assert_int_equal(files_below(e->dir), 0);
    assert_int_equal(inbox_take(e->inbox, 4, e->parcel.bytes, e->parcel.used, &err), -1); /* there is no such source */
}

/* A limit on file sizes stands in for a full disk: writes fail in the middle of a file. */
static void a_full_disk_costs_the_file_and_no_other(void **state)
{
    const struct rlimit small = {2 << 20, RLIM_INFINITY};
    struct rlimit before;
    struct ends *e = *state;

    put(e, "rank0/d0/args_dump/args.bin", 5 << 20, 1);
    put(e, "rank0/d0/deps.json", 3000, 2);
    assert_int_equal(outbox_add(e->outbox, "", NULL), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    carry(e, 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(inbox_totals(e->inbox).nloss, 1);
    lost(e, 0, "rank0/d0/args_dump/args.bin", strerror(EFBIG));
    assert_int_equal(files_below(e->dir), 1);
    expect(e, "rank0/d0/deps.json", 3000, 2);
}

static void a_name_that_is_taken_by_a_directory_is_a_loss(void **state)
{
    struct ends *e = *state;

    temp_dir_put(e->dir, "rank0/d0/deps.json/in_the_way", "x", 1);
    put(e, "rank0/d0/deps.json", 10, 1);
    put(e, "rank0/d0/pmu.csv", 10, 2);
    assert_int_equal(outbox_add(e->outbox, "", NULL), 0);
    carry(e, 0);
    assert_int_equal(inbox_totals(e->inbox).nloss, 1);
    lost(e, 0, "rank0/d0/deps.json", "directory");
    expect(e, "rank0/d0/pmu.csv", 10, 2);
}

/* A file that its sender cannot read (here: it is gone) is named with the reason. */
static void an_unreadable_file_travels_as_lost(void **state)
{
    struct ends *e = *state;
    char *path;

    put(e, "rank0/d0/a", 10, 1);
    put(e, "rank0/d0/b", 10, 2);
    assert_int_equal(outbox_add(e->outbox, "", NULL), 0);
    path = file_join(outbox_dir(e->outbox), "rank0/d0/a", NULL);
    assert_int_equal(unlink(path), 0);
    free(path);
    carry(e, 0);
    lost(e, 0, "rank0/d0/a", strerror(ENOENT));
    expect(e, "rank0/d0/b", 10, 2);
    assert_int_equal(files_below(e->dir), 1);
}

/* Losses without end do not need memory without end. */
static void many_losses_are_counted_and_the_first_named(void **state)
{
    struct ends *e = *state;
    const struct inbox_loss *losses;

    for (int i = 0; i < 3 * INBOX_MAX_LOSSES; i++) {
        inbox_add_loss(e->inbox, "x", "y");
    }
    assert_int_equal(inbox_totals(e->inbox).nloss, 3 * INBOX_MAX_LOSSES);
    assert_int_equal(inbox_losses(e->inbox, &losses), INBOX_MAX_LOSSES);
}

/* A process that is killed leaves its directory; the next outbox removes it, and no directory that is in use. */
static void directories_of_the_dead_are_swept(void **state)
{
    struct ends *e = *state;
    struct outbox *other;
    char *dead;
    int pipefd[2], status;
    char name[4096] = "";
    pid_t pid;

    assert_int_equal(pipe(pipefd), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct outbox *mine;

        if (outbox_open(&mine, e->base, NULL) == 0 &&
            write(pipefd[1], outbox_dir(mine), strlen(outbox_dir(mine)) + 1) > 0) {
            raise(SIGKILL);
        }
        _exit(1);
    }
    assert_true(read(pipefd[0], name, sizeof name) > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    close(pipefd[0]);
    close(pipefd[1]);
    dead = strdup(name);
    assert_int_equal(access(dead, F_OK), 0);
    assert_int_equal(outbox_open(&other, e->base, NULL), 0);
    assert_int_equal(access(dead, F_OK), -1);
    assert_int_equal(access(outbox_dir(e->outbox), F_OK), 0);
    outbox_close(other);
    free(dead);
}

/* Killed in the middle of making or removing it: no lock any more, or not yet. */
static void directories_without_a_lock_are_swept_when_nothing_is_in_them(void **state)
{
    struct ends *e = *state;
    char *bare = file_join(e->base, "l3replay-outbox.a", NULL), *filled = file_join(e->base, "l3replay-outbox.b", NULL);
    struct outbox *other;

    assert_int_equal(mkdir(bare, 0700), 0);
    temp_dir_put(e->base, "l3replay-outbox.b/file", "x", 1);
    assert_int_equal(outbox_open(&other, e->base, NULL), 0);
    assert_int_equal(access(bare, F_OK), -1);
    assert_int_equal(access(filled, F_OK), 0); /* who knows whose that is */
    outbox_close(other);
    free(bare);
    free(filled);
}

/* Many that are made and swept at once: each gets its own, and nothing stays. */
static void outboxes_are_made_and_swept_side_by_side(void **state)
{
    enum { CHILDREN = 8, ROUNDS = 40 };
    struct ends *e = *state;
    int status;

    for (int c = 0; c < CHILDREN; c++) {
        pid_t pid = fork();

        assert_true(pid >= 0);
        for (int i = 0; i < ROUNDS && pid == 0; i++) {
            struct outbox *mine;

            if (outbox_open(&mine, e->base, NULL) < 0 || access(outbox_dir(mine), W_OK) < 0) {
                _exit(1);
            }
            outbox_close(mine);
        }
        if (pid == 0) {
            _exit(0);
        }
    }
    for (int c = 0; c < CHILDREN; c++) {
        assert_true(wait(&status) > 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(temp_dir_count(e->base), 1); /* that of the set-up */
}

#define gather_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        gather_test(files_of_all_sizes_arrive_byte_by_byte),
        gather_test(small_files_share_parcels),
        gather_test(only_what_is_finished_and_handed_over_goes),
        gather_test(sources_send_side_by_side),
        gather_test(a_wrong_byte_is_found_and_nothing_of_it_kept),
        gather_test(missing_parts_are_found),
        gather_test(a_source_that_dies_leaves_no_part),
        gather_test(what_is_no_parcel_ends_its_source),
        gather_test(a_full_disk_costs_the_file_and_no_other),
        gather_test(a_name_that_is_taken_by_a_directory_is_a_loss),
        gather_test(an_unreadable_file_travels_as_lost),
        gather_test(many_losses_are_counted_and_the_first_named),
        gather_test(directories_of_the_dead_are_swept),
        gather_test(directories_without_a_lock_are_swept_when_nothing_is_in_them),
        gather_test(outboxes_are_made_and_swept_side_by_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
