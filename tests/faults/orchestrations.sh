# An orchestration misbehaves: FAIL with the card and the program.
variants="null abort exit throw hang endless-submits unknown-kernel no-arguments fork-child thread-left recursion"

# The code of a variant. `drawn` is a number from 0 to 9.
code_of() { # VARIANT
    case $1 in
    null) echo '*reinterpret_cast<volatile int*>(8) = 1;' ;;
    abort) echo 'abort();' ;;
    exit) echo 'exit(drawn % 4);' ;;
    throw) echo 'throw 5;' ;;
    hang) echo 'for (;;) { pause(); }' ;;
    endless-submits) echo 'for (;;) { rt_submit_aiv_task(0, params_t0); }' ;;
    unknown-kernel) echo 'rt_submit_aiv_task(9999, params_t0);' ;;
    no-arguments) echo 'CoreTaskArgs none; rt_submit_aiv_task(0, none);' ;;
    fork-child) echo 'if (fork() == 0) { sleep(1000); _exit(0); }' ;;
    thread-left) echo 'std::thread([] { for (;;) { sleep(1); } }).detach();' ;;
    recursion) echo 'struct deep { static int down(int n) { volatile char room[4096]; room[0] = (char)n; return down(n + 1) + room[0]; } }; deep::down(0);' ;;
    esac
}

# All variants are in one file, which is compiled once for all tries; the environment says which one is to happen.
spoil_orchestration() { # FILE
    local code="" variant
    for variant in $variants; do
        code+="        if (strcmp(fault, \"$variant\") == 0) { $(code_of "$variant") }
"
    done
    replace_text "$1" '        rt_submit_aiv_task(0, params_t0);' "        const char* fault = getenv(\"L3R_FAULT\");
        const unsigned long drawn = strtoul(getenv(\"L3R_FAULT_NUMBER\"), nullptr, 10);
$code        rt_submit_aiv_task(0, params_t0);"
    sed -i '1i #include <cstdlib>\n#include <cstring>\n#include <thread>\n#include <unistd.h>' "$1"
}

inject() { # VARIANT
    local allowed=(FAIL)
    case $1 in
    fork-child | thread-left) allowed=(PASS FAIL) ;;
    esac
    copy_example vector-add
    spoil_orchestration "$build/next_levels/add_rows/orchestration/add_rows.cpp"
    export L3R_FAULT=$1 L3R_FAULT_NUMBER="$(number 10)"
    draw_way
    run_replay --timeout $((5 * slow))
    judge "${allowed[@]}"
    if [ "$(verdict_of_run)" = FAIL ]; then
        grep -aq 'card [01]' "$work/err" && grep -aq add_rows "$work/err" || complain "FAIL without card and program"
    fi
}
