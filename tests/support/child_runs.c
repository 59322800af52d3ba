#include "tests/support/child_runs.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct child_board {
    unsigned char states[CHILD_MAX][CHILD_RUNS_MAX];
    char text[CHILD_MAX][CHILD_TEXT];
};

static void child_work(struct child_board *board, int child, int nrun, child_run run, void *context)
{
    for (int i = 0; i < nrun; i++) {
        char text[CHILD_TEXT] = "";
        alarm(CHILD_RUN_SECONDS);
        const enum run_state state = run(context, child, i, text);
        if (state != RUN_RIGHT && !board->text[child][0]) {
            snprintf(board->text[child], CHILD_TEXT, "child %d, run %d: %.150s", child, i, text);
        }
        board->states[child][i] = (unsigned char)state;
        if (state == RUN_FAILED) {
            break; /* such a device takes no other dispatch */
        }
    }
    _exit(0);
}

static void child_count(struct child_board *board, int child, int nrun, int status, struct child_runs *runs)
{
    int *const counts[] = {&runs->not_ended, &runs->right, &runs->wrong, &runs->failed};
    int done = 0;
    for (int i = 0; i < nrun; i++) {
        (*counts[board->states[child][i]])++;
        done += board->states[child][i] != RUN_NOT_ENDED;
    }
    if (!runs->text[0] && board->text[child][0]) {
        memcpy(runs->text, board->text[child], CHILD_TEXT);
    }
    if (!runs->text[0] && WIFSIGNALED(status)) {
        snprintf(runs->text, CHILD_TEXT, "child %d, run %d: ended by signal %d%s", child, done, WTERMSIG(status),
                 WTERMSIG(status) == SIGALRM ? ", its time was up" : "");
    }
}

bool child_runs(int nchild, int nrun, child_run run, void *context, struct child_runs *runs)
{
    pid_t pids[CHILD_MAX];
    struct child_board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t parent = getpid();
    bool fine = true;

    memset(runs, 0, sizeof(*runs));
    if (board == MAP_FAILED || nchild > CHILD_MAX || nrun > CHILD_RUNS_MAX) {
        return false;
    }
    fflush(NULL);
    for (int i = 0; i < nchild; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() == parent) {
                child_work(board, i, nrun, run, context);
            }
            _exit(1);
        }
    }
    for (int i = 0; i < nchild; i++) {
        int status = 0;
        fine = fine && pids[i] > 0 && waitpid(pids[i], &status, 0) == pids[i];
        fine = fine && !(WIFEXITED(status) && WEXITSTATUS(status) != 0);
        child_count(board, i, nrun, status, runs);
    }
    munmap(board, sizeof(*board));
    return fine;
}
