/* The thread that says what a card is in. The card is a stand-in of this file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "common/plan/plan_build.h"
#include "rank-worker/executor/doing.h"

enum { LIMIT_MS = 60000 };

static struct segment seg;
static struct plan plan;

bool card_describe(struct card *card, char *buf, size_t size)
{
    snprintf(buf, size, "in %s", (const char *)card);
    return true;
}

static int begin(void **state)
{
    struct error err;
    struct plan_builder *b = plan_builder_new(1, &err);

    (void)state;
    if (!b) {
        return -1;
    }
    plan_builder_finish(b, &plan);
    return segment_create(&seg, &plan, "[]", "a2a3sim", &err);
}

static int end(void **state)
{
    (void)state;
    segment_unmap(&seg);
    plan_free(&plan);
    return 0;
}

/* The struct may be gone before the thread begins, as when main() returns at once. */
static void answers_from_the_mapping_alone(void **state)
{
    struct segment_lane *status = lane_status(&seg, 0);
    struct segment copy = seg;
    char card[] = "task 7";
    const int64_t until_ms = clock_now_ms() + LIMIT_MS;

    (void)state;
    doing_start(&copy, 0, (struct card *)card);
    memset(&copy, 0, sizeof copy);
    word_complete(&seg.common->ask);
    while (!atomic_load(&status->answered) && clock_now_ms() < until_ms) {
        usleep(1000);
    }
    assert_int_equal(atomic_load(&status->answered), 1);
    assert_string_equal(status->doing, "in task 7");
    doing_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(answers_from_the_mapping_alone, begin, end)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
