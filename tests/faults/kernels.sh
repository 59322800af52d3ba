# A kernel misbehaves on one card. Whatever it does is its own fault: FAIL with the card and the program, unless it did no harm.
variants="null wild stack abort exit quick-exit throw divide kill-self stop-self kill-parent hang sleep-lock
    nonsense-output close-all garbage-all-descriptors daemon fork-child thread-left atexit-hang block-signals
    own-handlers limits chdir huge-allocation scribble-shared endless-text exec unmap"

# The code of a variant. `drawn` is a number from 0 to 9.
code_of() { # VARIANT
    case $1 in
    null) echo '*reinterpret_cast<volatile int*>(8) = 1;' ;;
    wild) echo '*reinterpret_cast<volatile int*>(0x7f0000000000ul + (drawn << 32)) = 1;' ;;
    stack) echo 'struct deep { static int down(int n) { volatile char room[4096]; room[0] = (char)n; return down(n + 1) + room[0]; } }; out[0] = deep::down(0);' ;;
    abort) echo 'abort();' ;;
    exit) echo 'exit(drawn % 4);' ;;
    quick-exit) echo '_exit(drawn % 4);' ;;
    throw) echo 'throw std::runtime_error("thrown on purpose");' ;;
    # Two values that the compiler does not know: it makes a comparison of 1 / x.
    divide) echo 'volatile int one = 1, zero = 0; volatile int result = one / zero; (void)result;' ;;
    kill-self) echo 'static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGALRM, SIGKILL}; kill(getpid(), signals[drawn % 6]);' ;;
    stop-self) echo 'raise(SIGSTOP);' ;;
    kill-parent) echo 'kill(getppid(), drawn % 2 ? SIGTERM : SIGINT);' ;;
    hang | block-signals) echo 'sigset_t all; sigfillset(&all); if (strcmp(fault, "block-signals") == 0) { sigprocmask(SIG_SETMASK, &all, nullptr); } for (;;) { pause(); }' ;;
    sleep-lock) echo 'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_lock(&m);' ;;
    nonsense-output) echo 'for (int i = 0; i < 64; ++i) { fprintf(stderr, "\033[2J\377\376PYPTO_EXEC_RESULT=PASS device=0\n"); }' ;;
    close-all) echo 'for (int fd = 0; fd < 1024; ++fd) { close(fd); }' ;;
    garbage-all-descriptors) echo 'for (int fd = 0; fd < 1024; ++fd) { if (write(fd, "garbage\n\0\1\2\3", 12) < 0) { continue; } }' ;;
    daemon) echo 'if (fork() == 0) { setsid(); if (fork() == 0) { sleep(1000); } _exit(0); }' ;;
    fork-child) echo 'if (fork() == 0) { sleep(1000); _exit(0); }' ;;
    thread-left) echo 'std::thread([] { for (;;) { sleep(1); } }).detach();' ;;
    atexit-hang) echo 'atexit([] { for (;;) { pause(); } });' ;;
    own-handlers) echo 'signal(SIGSEGV, [](int) { _exit(0); }); *reinterpret_cast<volatile int*>(8) = 1;' ;;
    limits) echo 'rlimit none{0, 0}; setrlimit(RLIMIT_NOFILE, &none); setrlimit(RLIMIT_FSIZE, &none);' ;;
    chdir) echo 'if (chdir("/")) { abort(); } umask(0777); unsetenv("PATH");' ;;
    huge-allocation) echo 'for (;;) { void* volatile room = malloc(1ul << 40); if (!room) { abort(); } }' ;;
    scribble-shared) echo 'FILE* maps = fopen("/proc/self/maps", "r"); char line[512];
        while (fgets(line, sizeof line, maps)) { unsigned long from, to; char mode[5];
            if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) == 3 && mode[1] == 0x77 && mode[3] == 0x73) {
                memset((void*)from, drawn % 2 ? 255 : drawn * 10, to - from); } }' ;;
    endless-text) echo 'for (;;) { fputs("text without an end ", stdout); }' ;;
    exec) echo 'execl("/bin/true", "true", (char*)nullptr);' ;;
    unmap) echo 'munmap((void*)((unsigned long)out & ~4095ul), 1ul << 20);' ;;
    esac
}

# All variants are in one kernel, which is compiled once for all tries; the environment says which one is to happen.
spoil_kernel() { # FILE
    local code="" variant
    for variant in $variants; do
        code+="        if (strcmp(fault, \"$variant\") == 0) { $(code_of "$variant") }
"
    done
    replace_call "$1" vector_add "    const char* fault = getenv(\"L3R_FAULT\");
    const unsigned long drawn = strtoul(getenv(\"L3R_FAULT_NUMBER\"), nullptr, 10);
    if (a[0] == strtof(getenv(\"L3R_FAULT_VALUE\"), nullptr)) {
$code    }
    vector_add(a, b, out, rows * 16);"
    sed -i 's|^#include <cstdint>|&\n#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <fcntl.h>\n#include <pthread.h>\n#include <stdexcept>\n#include <sys/mman.h>\n#include <sys/resource.h>\n#include <sys/stat.h>\n#include <thread>\n#include <unistd.h>|' "$1"
}

inject() { # VARIANT
    local allowed=(FAIL)
    case $1 in
    kill-self | stop-self) allowed=(FAIL INFRA) ;;
    kill-parent) allowed=(FAIL INFRA PASS) ;;
    nonsense-output | chdir) allowed=(PASS) ;;
    close-all | garbage-all-descriptors | daemon | fork-child | thread-left | atexit-hang | limits) allowed=(PASS FAIL) ;;
    divide) [ "$(uname -m)" = x86_64 ] || allowed=(PASS) ;; # elsewhere the result is 0
    esac
    copy_example vector-add
    spoil_kernel "$build/next_levels/add_rows/kernels/aiv/vector_add.cpp"
    # The first element of a on card 0 and on card 1 says on which it happens.
    export L3R_FAULT=$1 L3R_FAULT_NUMBER="$(number 10)" L3R_FAULT_VALUE="$(draw -11 -5)"
    draw_way
    run_replay --timeout $((5 * slow))
    judge "${allowed[@]}"
    if [ "$(verdict_of_run)" = FAIL ]; then
        grep -aq 'card [01]' "$work/err" && grep -aq add_rows "$work/err" || complain "FAIL without card and program"
    fi
}
