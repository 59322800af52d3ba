/* The shared segment: what one process lays out, another finds. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "common/plan/plan_build.h"
#include "common/segment/segment.h"

/* Two tensors, a domain of two cards, one dispatch a card. */
static void make_plan(struct plan *plan)
{
    struct error err;
    struct plan_builder *b = plan_builder_new(2, &err);
    const int64_t shape[] = {3, 5}, stride[] = {5, 1};
    const uint32_t workers[] = {0, 1};
    struct plan_storage proto = {
        .kind = PLAN_PARAM, .dtype = DTYPE_FLOAT32, .ndim = 2, .nbytes = 60, .domain = PLAN_NONE, .card = PLAN_NONE};
    uint32_t x, y, program, view;

    assert_non_null(b);
    assert_int_equal(plan_add_storage(b, &proto, "x", shape, &x, &err), 0);
    assert_int_equal(plan_add_storage(b, &proto, "y", shape, &y, &err), 0);
    assert_int_equal(plan_add_domain(b, "comm", workers, 2, 100, NULL, &err), 0);
    assert_int_equal(plan_add_program(b, "p", &program, &err), 0);
    assert_int_equal(plan_add_view(b, x, DTYPE_FLOAT32, 0, 2, shape, stride, &view, &err), 0);
    for (uint32_t card = 0; card < 2; card++) {
        struct plan_arg arg = {.view = view, .tag = 0};
        struct plan_node node = {
            .kind = PLAN_DISPATCH, .lane = card, .program = program, .group = PLAN_NONE, .k = 0, .narg = 1};
        assert_int_equal(plan_add_node(b, &node, &arg, NULL, NULL, &err), 0);
    }
    plan_builder_finish(b, plan);
}

static void storages_are_apart_aligned_and_zero(void **state)
{
    struct segment seg;
    struct plan plan;
    struct error err;

    (void)state;
    make_plan(&plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    assert_int_equal(seg.header->nstorage, 4); /* x, y and two windows */
    for (uint32_t i = 0; i < 4; i++) {
        char *at = segment_storage(&seg, i);

        assert_int_equal((uintptr_t)at % 64, 0);
        for (uint64_t b = 0; b < plan.storages[i].nbytes; b++) {
            assert_int_equal(at[b], 0);
        }
        if (i > 0) { /* a write just past the end of one does not reach the next */
            assert_true(at >= (char *)segment_storage(&seg, i - 1) + plan.storages[i - 1].nbytes + 64);
        }
    }
    assert_ptr_equal(segment_window(&seg, 0, 1), segment_storage(&seg, 3));
    segment_unmap(&seg);
    plan_free(&plan);
}

static void another_process_sees_the_same_bytes_at_its_own_address(void **state)
{
    struct segment seg;
    struct plan plan;
    struct error err;
    int status;
    pid_t child;

    (void)state;
    make_plan(&plan);
    assert_int_equal(segment_create(&seg, &plan, "[1]", "a5sim", &err), 0);
    memcpy(segment_storage(&seg, 1), "hello", 6);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct segment other;
        int ok = segment_open_peer(&other, getppid(), seg.parts[SEGMENT_PLAN].fd, &err) == 0 &&
                 other.header != seg.header && strcmp(segment_storage(&other, 1), "hello") == 0 &&
                 strcmp(other.sheet, "[1]") == 0 && strcmp(other.header->platform, "a5sim") == 0 &&
                 other.plan.nnode == 2 && other.plan.nodes[1].lane == 1;
        if (ok) {
            memcpy(segment_storage(&other, 2), "there", 6);
        }
        _exit(ok ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_string_equal(segment_storage(&seg, 2), "there");
    segment_unmap(&seg);
    plan_free(&plan);
}

static void lanes_start_unbegun(void **state)
{
    struct segment seg;
    struct plan plan;
    struct error err;

    (void)state;
    make_plan(&plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    assert_int_equal(seg.header->nlane, 4); /* two cards, host, sub-workers */
    for (uint32_t i = 0; i < seg.header->nlane; i++) {
        assert_int_equal(atomic_load(&lane_status(&seg, i)->state), LANE_STARTING);
        assert_int_equal(atomic_load(&lane_status(&seg, i)->node), PLAN_NONE);
    }
    for (uint32_t i = 0; i < seg.header->nnode; i++) {
        assert_false(word_is_done(&seg.words[i]));
    }
    segment_unmap(&seg);
    plan_free(&plan);
}

/* The bytes of a part, to be freed. */
static char *copy_of(const struct segment *seg, enum segment_part part)
{
    char *copy = malloc(seg->parts[part].nbytes);

    assert_non_null(copy);
    memcpy(copy, seg->parts[part].base, seg->parts[part].nbytes);
    return copy;
}

static void a_rewound_segment_is_as_it_was_created(void **state)
{
    struct segment seg;
    struct plan plan;
    struct error err;
    char *fresh[SEGMENT_PARTS];

    (void)state;
    make_plan(&plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    for (int i = 0; i < SEGMENT_PARTS; i++) {
        fresh[i] = copy_of(&seg, (enum segment_part)i);
    }
    /* All of both: kernels write past their tensors. */
    memset(seg.parts[SEGMENT_DATA].base, 0xa5, seg.parts[SEGMENT_DATA].nbytes);
    memset(seg.parts[SEGMENT_CONTROL].base, 0x11, seg.parts[SEGMENT_CONTROL].nbytes);
    seg.header->hashing = 1; /* of all passes */
    ((struct segment_header *)(void *)fresh[SEGMENT_PLAN])->hashing = 1;
    assert_int_equal(segment_rewind(&seg, &err), 0);
    for (int i = 0; i < SEGMENT_PARTS; i++) {
        assert_memory_equal(seg.parts[i].base, fresh[i], seg.parts[i].nbytes);
        free(fresh[i]);
    }
    segment_unmap(&seg);
    plan_free(&plan);
}

/* --- what an executor may do --------------------------------------------- */

/* In a child that mapped the segment as the executor of `lane` does: does writing (or else reading) `at` kill it? */
static bool kills(const struct segment *seg, uint32_t lane, enum segment_part part, uint64_t at, bool write)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        struct segment mine;
        volatile char *p;

        signal(SIGSEGV, SIG_DFL);
        for (int i = 0; i < SEGMENT_PARTS; i++) {
            if (dup2(seg->parts[i].fd, 40 + i) < 0) {
                _exit(2);
            }
        }
        if (segment_map(&mine, 40, lane, NULL) < 0) {
            _exit(3);
        }
        p = mine.parts[part].base + at;
        if (write) {
            *p = 1;
        } else {
            (void)*p;
        }
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

static void an_executor_meets_a_guard_on_both_sides_of_each_storage(void **state)
{
    struct segment seg;
    struct plan plan;
    struct error err;

    (void)state;
    make_plan(&plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    for (uint32_t i = 0; i < seg.header->nstorage; i++) {
        const uint64_t begin = seg.storages[i], end = begin + plan.storages[i].nbytes;

        assert_false(kills(&seg, 0, SEGMENT_DATA, begin, true));
        assert_false(kills(&seg, 0, SEGMENT_DATA, end - 1, true));
        assert_false(kills(&seg, 0, SEGMENT_DATA, end + 255, true)); /* a little past it is nobody's */
        /* Somewhere within two pages on either side nothing can be touched. */
        assert_true(kills(&seg, 0, SEGMENT_DATA, (begin & ~4095ull) - 1, false));
        assert_true(kills(&seg, 0, SEGMENT_DATA, ((end + 4095) & ~4095ull) + 4096, false));
    }
    segment_unmap(&seg);
    plan_free(&plan);
}

static void an_executor_writes_its_own_lane_and_what_is_common_and_no_more(void **state)
{
    struct segment seg;
    struct plan plan;
    struct error err;

    (void)state;
    make_plan(&plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    assert_false(kills(&seg, 1, SEGMENT_CONTROL, 0, true));
    assert_false(kills(&seg, 1, SEGMENT_CONTROL, seg.lanes[1], true));
    assert_false(kills(&seg, 1, SEGMENT_CONTROL, seg.lanes[2] - 1, true));
    assert_true(kills(&seg, 1, SEGMENT_CONTROL, seg.lanes[1] - 1, true)); /* card 0's */
    assert_true(kills(&seg, 1, SEGMENT_CONTROL, seg.lanes[2], true));     /* the host lane's */
    assert_false(kills(&seg, 1, SEGMENT_CONTROL, seg.lanes[2], false));
    assert_true(kills(&seg, 1, SEGMENT_PLAN, 0, true));
    assert_true(kills(&seg, 1, SEGMENT_PLAN, seg.header->sheet_at, true));
    segment_unmap(&seg);
    plan_free(&plan);
}

static void nobody_else_can_map_the_plan_for_writing_or_take_pages_away(void **state)
{
    struct segment seg;
    struct plan plan;
    struct error err;

    (void)state;
    make_plan(&plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, seg.parts[SEGMENT_PLAN].fd, 0), MAP_FAILED);
    assert_int_equal(pwrite(seg.parts[SEGMENT_PLAN].fd, "x", 1, 0), -1);
    for (int i = 0; i < SEGMENT_PARTS; i++) {
        assert_int_equal(ftruncate(seg.parts[i].fd, 0), -1);
    }
    seg.header->dfx.swimlane = 1; /* its creator can, before each pass */
    segment_unmap(&seg);
    plan_free(&plan);
}

/* Each guard takes two mappings, and a process has 65530. */
static void more_storages_than_there_are_mappings_share_guards(void **state)
{
    enum { STORAGES = 70000 };
    struct error err;
    struct plan_builder *b = plan_builder_new(1, &err);
    struct plan_storage proto = {
        .kind = PLAN_TEMP, .dtype = DTYPE_FLOAT32, .ndim = 1, .nbytes = 8, .domain = PLAN_NONE, .card = PLAN_NONE};
    const int64_t shape[] = {2};
    struct segment seg;
    struct plan plan;
    uint32_t storage;
    char name[16];

    (void)state;
    assert_non_null(b);
    for (int i = 0; i < STORAGES; i++) {
        snprintf(name, sizeof name, "t%d", i);
        assert_int_equal(plan_add_storage(b, &proto, name, shape, &storage, &err), 0);
    }
    plan_builder_finish(b, &plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    assert_in_range(seg.header->nguard, 1000, 5000);
    for (uint32_t i = 1; i < STORAGES; i++) {
        assert_true(seg.storages[i] >= seg.storages[i - 1] + 8 + 256);
    }
    assert_false(kills(&seg, 0, SEGMENT_DATA, seg.storages[STORAGES - 1], true));
    segment_unmap(&seg);
    plan_free(&plan);
}

static void another_process_sees_a_rewound_segment_rewound(void **state)
{
    struct segment seg, other;
    struct plan plan;
    struct error err;

    (void)state;
    make_plan(&plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    assert_int_equal(segment_open_peer(&other, getpid(), seg.parts[SEGMENT_PLAN].fd, &err), 0);
    memcpy(segment_storage(&other, 1), "hello", 6);
    word_complete(&seg.words[0]);
    assert_true(word_is_done(&other.words[0]));
    assert_int_equal(segment_rewind(&seg, &err), 0);
    assert_int_equal(*(char *)segment_storage(&other, 1), 0);
    assert_false(word_is_done(&other.words[0]));
    memcpy(segment_storage(&seg, 1), "again", 6);
    assert_string_equal(segment_storage(&other, 1), "again");
    segment_unmap(&other);
    segment_unmap(&seg);
    plan_free(&plan);
}

static void a_foreign_file_is_refused(void **state)
{
    struct segment seg;
    struct error err;
    char name[] = "/tmp/l3r-segment-XXXXXX";
    int fd = mkstemp(name);

    (void)state;
    assert_true(fd >= 0);
    unlink(name);
    for (int size = 0; size <= 65536; size += 65536) { /* empty, and zeros */
        for (int i = 0; i < SEGMENT_PARTS; i++) {
            assert_true(dup2(fd, 40 + i) >= 0);
        }
        assert_int_equal(ftruncate(fd, size), 0);
        assert_int_equal(segment_map(&seg, 40, 0, &err), -1);
        assert_int_equal(fcntl(40, F_GETFD), -1); /* taken over */
    }
    assert_non_null(strstr(err.what, "not one of this version"));
    close(fd);
}

static void more_memory_than_the_host_has_is_an_error_before_any_use(void **state)
{
    struct plan plan;
    struct segment seg;
    struct error err;

    (void)state;
    make_plan(&plan);
    plan.storages[0].nbytes = 1ull << 50;
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), -1);
    assert_non_null(strstr(err.what, "available"));
    assert_null(seg.header);
    plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storages_are_apart_aligned_and_zero),
        cmocka_unit_test(another_process_sees_the_same_bytes_at_its_own_address),
        cmocka_unit_test(lanes_start_unbegun),
        cmocka_unit_test(a_rewound_segment_is_as_it_was_created),
        cmocka_unit_test(an_executor_meets_a_guard_on_both_sides_of_each_storage),
        cmocka_unit_test(an_executor_writes_its_own_lane_and_what_is_common_and_no_more),
        cmocka_unit_test(nobody_else_can_map_the_plan_for_writing_or_take_pages_away),
        cmocka_unit_test(more_storages_than_there_are_mappings_share_guards),
        cmocka_unit_test(another_process_sees_a_rewound_segment_rewound),
        cmocka_unit_test(a_foreign_file_is_refused),
        cmocka_unit_test(more_memory_than_the_host_has_is_an_error_before_any_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
