/* The shared segment: what one process lays out, another finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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
        int ok = segment_open_peer(&other, getppid(), seg.fd, &err) == 0 && other.header != seg.header &&
                 strcmp(segment_storage(&other, 1), "hello") == 0 && strcmp(other.sheet, "[1]") == 0 &&
                 strcmp(other.header->platform, "a5sim") == 0 && other.plan.nnode == 2 && other.plan.nodes[1].lane == 1;
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
        assert_int_equal(atomic_load(&seg.lanes[i].state), LANE_STARTING);
        assert_int_equal(atomic_load(&seg.lanes[i].node), PLAN_NONE);
    }
    for (uint32_t i = 0; i < seg.header->nnode; i++) {
        assert_false(word_is_done(&seg.words[i]));
    }
    segment_unmap(&seg);
    plan_free(&plan);
}

static void a_rewound_segment_is_as_it_was_created(void **state)
{
    struct segment seg;
    struct plan plan;
    struct error err;
    char *storages, *fresh;
    size_t state_nbytes, nbytes;

    (void)state;
    make_plan(&plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    storages = (char *)segment_storage(&seg, 0);
    nbytes = seg.header->nbytes - seg.storages[0];
    state_nbytes = seg.header->times_at + plan.nnode * sizeof *seg.times;
    fresh = malloc(state_nbytes);
    assert_non_null(fresh);
    memcpy(fresh, seg.header, state_nbytes);

    memset(storages, 0xa5, nbytes); /* the gaps as well: kernels write past their tensors */
    for (uint32_t i = 0; i < plan.nnode; i++) {
        word_complete(&seg.words[i]);
    }
    word_complete(&seg.header->go);
    atomic_store(&seg.header->starting, 7);
    memset(seg.lanes, 0x11, seg.header->nlane * sizeof *seg.lanes);
    memset(seg.times, 0x22, plan.nnode * sizeof *seg.times);
    assert_int_equal(segment_rewind(&seg, &err), 0);

    assert_memory_equal(seg.header, fresh, state_nbytes);
    for (size_t i = 0; i < nbytes; i++) {
        assert_int_equal(storages[i], 0);
    }
    assert_string_equal(seg.sheet, "[]");
    assert_int_equal(seg.plan.nodes[1].lane, 1);
    free(fresh);
    segment_unmap(&seg);
    plan_free(&plan);
}

static void hashes_are_rewound_where_they_are_taken_and_else_untouched(void **state)
{
    struct segment seg;
    struct plan plan;
    struct error err;

    (void)state;
    make_plan(&plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    assert_int_equal(seg.header->hashing, 0);
    assert_int_equal(seg.header->nhash, 2); /* one argument a dispatch */
    assert_int_equal(seg.hashes[1], 0);
    seg.hashes[1] = 5;
    assert_int_equal(segment_rewind(&seg, &err), 0);
    assert_int_equal(seg.hashes[1], 5);
    seg.header->hashing = 1;
    assert_int_equal(segment_rewind(&seg, &err), 0);
    assert_int_equal(seg.hashes[1], 0);
    assert_int_equal(seg.header->hashing, 1);
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
    assert_int_equal(segment_open_peer(&other, getpid(), seg.fd, &err), 0);
    memcpy(segment_storage(&other, 1), "hello", 6);
    word_complete(&other.words[0]);
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
    assert_int_equal(segment_map(&seg, dup(fd), &err), -1); /* empty */
    assert_int_equal(ftruncate(fd, 65536), 0);
    assert_int_equal(segment_map(&seg, dup(fd), &err), -1); /* zeros */
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
        cmocka_unit_test(hashes_are_rewound_where_they_are_taken_and_else_untouched),
        cmocka_unit_test(another_process_sees_a_rewound_segment_rewound),
        cmocka_unit_test(a_foreign_file_is_refused),
        cmocka_unit_test(more_memory_than_the_host_has_is_an_error_before_any_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
