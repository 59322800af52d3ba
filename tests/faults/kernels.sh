# A kernel misbehaves on one card. Whatever it does is its own fault: FAIL with the card and the program, unless it did no harm.
variants="null wild stack abort exit quick-exit throw divide kill-self stop-self kill-parent hang sleep-lock
    nonsense-output close-all garbage-all-descriptors daemon fork-child thread-left atexit-hang block-signals
    own-handlers limits chdir huge-allocation scribble-shared endless-text exec unmap"

inject() { # VARIANT
    local code allowed=(FAIL) file
    copy_example vector-add
    file=$build/next_levels/add_rows/kernels/aiv/vector_add.cpp
    case $1 in
    null) code='*reinterpret_cast<volatile int*>(8) = 1;' ;;
    wild) code="*reinterpret_cast<volatile int*>(0x7f$(number 10)00000000ul) = 1;" ;;
    stack) code='struct deep { static int down(int n) { volatile char room[4096]; room[0] = (char)n; return down(n + 1) + room[0]; } }; out[0] = deep::down(0);' ;;
    abort) code='abort();' ;;
    exit) code="exit($(draw 0 1 3));" ;;
    quick-exit) code="_exit($(draw 0 1 3));" ;;
    throw) code='throw std::runtime_error("thrown on purpose");' ;;
    divide) code='volatile int zero = 0; out[0] = 1 / zero;' ;;
    kill-self) code="kill(getpid(), $(draw SIGTERM SIGINT SIGHUP SIGUSR1 SIGALRM SIGKILL));" allowed=(FAIL INFRA) ;;
    stop-self) code='raise(SIGSTOP);' allowed=(FAIL INFRA) ;;
    kill-parent) code="kill(getppid(), $(draw SIGTERM SIGINT));" allowed=(FAIL INFRA PASS) ;;
    hang) code='for (;;) { pause(); }' ;;
    sleep-lock) code='static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_lock(&m);' ;;
    nonsense-output) code='for (int i = 0; i < 64; ++i) { fprintf(stderr, "\033[2J\377\376PYPTO_EXEC_RESULT=PASS device=0\n"); }' allowed=(PASS) ;;
    close-all) code='for (int fd = 0; fd < 1024; ++fd) { close(fd); }' allowed=(PASS FAIL) ;;
    garbage-all-descriptors) code='for (int fd = 0; fd < 1024; ++fd) { if (write(fd, "garbage\n\0\1\2\3", 12) < 0) { continue; } }' allowed=(PASS FAIL) ;;
    daemon) code='if (fork() == 0) { setsid(); if (fork() == 0) { sleep(1000); } _exit(0); }' allowed=(PASS FAIL) ;;
    fork-child) code='if (fork() == 0) { sleep(1000); _exit(0); }' allowed=(PASS FAIL) ;;
    thread-left) code='std::thread([] { for (;;) { sleep(1); } }).detach();' allowed=(PASS FAIL) ;;
    atexit-hang) code='atexit([] { for (;;) { pause(); } });' allowed=(PASS FAIL) ;;
    block-signals) code='sigset_t all; sigfillset(&all); sigprocmask(SIG_SETMASK, &all, nullptr); for (;;) { pause(); }' ;;
    own-handlers) code='signal(SIGSEGV, [](int) { _exit(0); }); *reinterpret_cast<volatile int*>(8) = 1;' ;;
    limits) code='rlimit none{0, 0}; setrlimit(RLIMIT_NOFILE, &none); setrlimit(RLIMIT_FSIZE, &none);' allowed=(PASS FAIL) ;;
    chdir) code='if (chdir("/")) { abort(); } umask(0777); unsetenv("PATH");' allowed=(PASS) ;;
    huge-allocation) code='for (;;) { if (!malloc(1ul << 40)) { abort(); } }' ;;
    scribble-shared) code='FILE* maps = fopen("/proc/self/maps", "r"); char line[512];
        while (fgets(line, sizeof line, maps)) { unsigned long from, to; char mode[5];
            if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) == 3 && mode[1] == 0x77 && mode[3] == 0x73) { memset((void*)from, VALUE, to - from); } }' allowed=(FAIL) ;;
    endless-text) code='for (;;) { fputs("text without an end ", stdout); }' ;;
    exec) code='execl("/bin/true", "true", (char*)nullptr);' ;;
    unmap) code='munmap((void*)((unsigned long)out & ~4095ul), 1ul << 20);' allowed=(FAIL) ;;
    esac
    code=${code/VALUE/$(draw 0 255 1 90)}
    # Only on the card of the first rows: a[0] of the example is 0 % 23 - 11.
    replace_call "$file" vector_add "    if (a[0] == $(draw -11.0f -3.0f)) { $code }
    vector_add(a, b, out, rows * 16);"
    sed -i 's|^#include <cstdint>|&\n#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <fcntl.h>\n#include <pthread.h>\n#include <stdexcept>\n#include <sys/mman.h>\n#include <sys/resource.h>\n#include <sys/stat.h>\n#include <thread>\n#include <unistd.h>|' "$file"
    draw_way
    run_replay --timeout 5
    judge "${allowed[@]}"
    if [ "$(verdict_of_run)" = FAIL ]; then
        grep -aq 'card [01]' "$work/err" && grep -aq add_rows "$work/err" || complain "FAIL without card and program"
    fi
}
