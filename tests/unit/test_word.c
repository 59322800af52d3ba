/* Completion words: waiting across processes, and no system call when nobody waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "common/segment/futex.h"

struct shared {
    futex_word word, other;
    uint32_t payload;
};

static struct shared *map_shared(void)
{
    void *p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(p != MAP_FAILED);
    return p;
}

static void completing_an_unawaited_word_leaves_no_waiter_mark(void **state)
{
    futex_word word = WORD_PENDING;

    (void)state;
    assert_false(word_is_done(&word));
    word_complete(&word);
    assert_true(word_is_done(&word));
    word_wait(&word);     /* returns at once */
    word_complete(&word); /* twice is harmless */
    assert_int_equal(atomic_load(&word), WORD_DONE);
}

static void waiters_in_other_processes_wake_and_see_what_was_written(void **state)
{
    enum { WAITERS = 5 };
    struct shared *s = map_shared();
    int status;

    (void)state;
    for (int i = 0; i < WAITERS; i++) {
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0) {
            word_wait(&s->word);
            _exit(s->payload == 42 ? 0 : 1);
        }
    }
    /* At least one is asleep or about to: the word says so. */
    while (atomic_load(&s->word) != WORD_AWAITED) {
        usleep(100);
    }
    s->payload = 42;
    word_complete(&s->word);
    for (int i = 0; i < WAITERS; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    munmap(s, sizeof *s);
}

static void a_thousand_hand_overs_between_two_processes_lose_no_wake_up(void **state)
{
    enum { ROUNDS = 1000 };
    futex_word *words =
        mmap(NULL, 2 * ROUNDS * sizeof *words, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;
    pid_t pid;

    (void)state;
    assert_true(words != MAP_FAILED);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(30); /* a lost wake-up must fail the test, not hang it */
        for (int i = 0; i < ROUNDS; i++) {
            word_wait(&words[2 * i]);
            word_complete(&words[2 * i + 1]);
        }
        _exit(0);
    }
    alarm(30);
    for (int i = 0; i < ROUNDS; i++) {
        word_complete(&words[2 * i]);
        word_wait(&words[2 * i + 1]);
    }
    alarm(0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    munmap(words, 2 * ROUNDS * sizeof *words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completing_an_unawaited_word_leaves_no_waiter_mark),
        cmocka_unit_test(waiters_in_other_processes_wake_and_see_what_was_written),
        cmocka_unit_test(a_thousand_hand_overs_between_two_processes_lose_no_wake_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
