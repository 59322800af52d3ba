# An orchestration misbehaves: FAIL with the card and the program.
variants="null abort exit throw hang endless-submits unknown-kernel no-arguments fork-child thread-left recursion"

inject() { # VARIANT
    local code file allowed=(FAIL)
    copy_example vector-add
    file=$build/next_levels/add_rows/orchestration/add_rows.cpp
    case $1 in
    null) code='*reinterpret_cast<volatile int*>(8) = 1;' ;;
    abort) code='abort();' ;;
    exit) code="exit($(draw 0 1 3));" ;;
    throw) code='throw 5;' ;;
    hang) code='for (;;) { pause(); }' ;;
    endless-submits) code='for (;;) { rt_submit_aiv_task(0, params_t0); }' ;;
    unknown-kernel) code='rt_submit_aiv_task(9999, params_t0);' ;;
    no-arguments) code='CoreTaskArgs none; rt_submit_aiv_task(0, none);' ;;
    fork-child) code='if (fork() == 0) { sleep(1000); _exit(0); }' allowed=(PASS FAIL) ;;
    thread-left) code='std::thread([] { for (;;) { sleep(1); } }).detach();' allowed=(PASS FAIL) ;;
    recursion) code='struct deep { static int down(int n) { volatile char room[4096]; room[0] = (char)n; return down(n + 1) + room[0]; } }; deep::down(0);' ;;
    esac
    replace_text "$file" '        rt_submit_aiv_task(0, params_t0);' "        $code
        rt_submit_aiv_task(0, params_t0);"
    sed -i '1i #include <cstdlib>\n#include <thread>\n#include <unistd.h>' "$file"
    draw_way
    run_replay --timeout 5
    judge "${allowed[@]}"
    if [ "$(verdict_of_run)" = FAIL ]; then
        grep -aq 'card [01]' "$work/err" && grep -aq add_rows "$work/err" || complain "FAIL without card and program"
    fi
}
