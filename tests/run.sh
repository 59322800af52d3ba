#!/usr/bin/env bash
# Builds everything and runs every test; works on a fresh Debian machine, as root or as a plain user.
#
#     tests/run.sh                   all stages
#     tests/run.sh NAME...           only these tests of the main stage (test_plan, examples, ...)
#     tests/run.sh --stage STAGE     only this stage; may be repeated
#     tests/run.sh --all             lint looks at all files, as it does when $CI is set
#
# Stages:
#     main   gcc with the address and undefined-behaviour sanitizers into build-test/: all unit and integration tests, and
#            `faults`, two minutes of injected faults (tests/faults/campaign.sh)
#     clang  a release build with clang, warnings are errors
#     tsan   the unit tests that run threads, with the thread sanitizer
#     lint   layout of the sources (tests/lint), cppcheck and clang-tidy (.clang-tidy says which checks); clang-tidy on the
#            files that differ from where this branch left origin/main (without one: from the last commit but one)
#     fuzz   the fuzz targets with clang and the sanitizers, build-fuzz/, for 20 seconds each
# and, only when asked for:
#     coverage   the unit tests in a build for gcov, build-coverage/: covered lines of each folder
#
# One line a test; what a failed one printed follows. A test is skipped when it ends with code 77 or when its last line
# is "skipped: REASON". The last line is "N passed, N failed, N skipped"; the exit code is 0 when none failed.
#
# L3R_TEST_JOBS tests run at once (2). Results of interest stay in build-test/logs.
set -u

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$top/launch/packages.sh"

unit_limit=300
integration_limit=900
jobs=${L3R_TEST_JOBS:-2}
threaded_tests="test_cpu* test_profile* test_word test_segment test_control_check test_domain_pace test_executors test_process
    test_launch test_events* test_jobs test_splice* test_file test_compare_more"

stages=()
names=()
all_files=${CI:+yes}
while [ $# -gt 0 ]; do
    case $1 in
    --stage)
        [ $# -ge 2 ] || { echo "--stage wants main, clang, tsan, lint, coverage or fuzz" >&2; exit 2; }
        case $2 in
        main | clang | tsan | lint | coverage | fuzz) stages+=("$2") ;;
        *) echo "there is no stage '$2': main, clang, tsan, lint, coverage, fuzz" >&2; exit 2 ;;
        esac
        shift 2
        ;;
    --all)
        all_files=yes
        shift
        ;;
    -h | --help)
        sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    -*)
        echo "unknown option $1; see --help" >&2
        exit 2
        ;;
    *)
        names+=("$(basename "$1" .sh)")
        shift
        ;;
    esac
done
if [ ${#stages[@]} -eq 0 ]; then
    if [ ${#names[@]} -gt 0 ]; then
        stages=(main)
    else
        stages=(main clang tsan lint fuzz)
    fi
fi

logs=$top/build-test/logs
mkdir -p "$logs" || exit 1
exec 8>"$logs/lock"
flock -n 8 || { echo "waiting for another tests/run.sh in this tree" >&2; flock 8; }
run_dir=$(mktemp -d "${TMPDIR:-/tmp}/l3r-tests.XXXXXX") || exit 1
results=$run_dir/results
mkdir "$run_dir/tmp" "$results"
# Tests become another user, who has to get through.
chmod 755 "$run_dir" && chmod 1777 "$run_dir/tmp"

clean_up() {
    local running
    running=$(jobs -p)
    [ -z "$running" ] || kill $running 2>/dev/null
    wait 2>/dev/null
    chmod -R u+w "$run_dir" 2>/dev/null
    rm -rf "$run_dir"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

unset L3REPLAY_INCLUDE_DIR L3REPLAY_EXECUTOR L3REPLAY_RECORDER_DIR L3REPLAY_MPIRUN
unset PYPTO_RUNTIME_LOG PYPTO_REBUILD_FROM_PTO
export TMPDIR=$run_dir/tmp
export L3REPLAY_CACHE_DIR=$run_dir/store
export UBSAN_OPTIONS=print_stacktrace=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

seconds() { # SINCE, of $EPOCHREALTIME, in microseconds
    local took=$((${EPOCHREALTIME/[.,]/} - $1))
    printf '%d.%01d' $((took / 1000000)) $((took / 100000 % 10))
}

# What a failed test printed, without the progress of builds.
last_lines() { # LOG
    grep -vE '^(-- |\[[0-9]+/[0-9]+\] (Building|Linking) )' "$1" | sed 's/^/    /'
}

# Run one test and say how it went: NAME LIMIT COMMAND...
run_one() {
    local name=$1 limit=$2 log=$logs/$1.log begun=${EPOCHREALTIME/[.,]/} code last verdict
    shift 2
    timeout -k 10 "$limit" "$@" >"$log" 2>&1 </dev/null 8>&-
    code=$?
    last=$(tail -n 1 "$log")
    case $code in
    77) verdict=SKIP ;;
    0) [[ $last == "skipped: "* ]] && verdict=SKIP || verdict=PASS ;;
    *) verdict=FAIL ;;
    esac
    echo $verdict >"$results/$name"
    case $verdict in
    PASS) printf 'PASS  %s  %s s\n' "$name" "$(seconds "$begun")" ;;
    SKIP) printf 'SKIP  %s  %s\n' "$name" "${last#skipped: }" ;;
    FAIL)
        [ $code -eq 124 ] && echo "(ended after the limit of $limit s)" >>"$log"
        printf 'FAIL  %s  %s s, code %d\n%s\n' "$name" "$(seconds "$begun")" "$code" "$(last_lines "$log")"
        ;;
    esac
}

# The same in the background, at most $jobs at once.
spawn() {
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n
    done
    run_one "$@" &
}

wanted() { # NAME
    local name
    [ ${#names[@]} -gt 0 ] || return 0
    for name in "${names[@]}"; do
        [ "$name" = "$1" ] && return 0
    done
    return 1
}

# Building is a test as well. Returns 1 when it fails.
build() { # NAME DIRECTORY "TARGET..." CMAKE_OPTION...
    local name=$1
    shift
    run_one "$name" 3000 bash -c 'cmake -S "$0" -B "$1" -G Ninja "${@:3}" && cmake --build "$1" ${2:+--target $2}' \
        "$top" "$@"
    [ "$(cat "$results/$name")" = PASS ]
}

# What the tests left in the directory for temporary files, which was empty before.
check_leftovers() {
    run_one leftovers 60 bash -c 'left=$(find "$0" -mindepth 1 -maxdepth 1 ! -name "ompi.*"); [ -z "$left" ] || { echo "$left"; exit 1; }' \
        "$TMPDIR"
}

stage_main() {
    local dir=$top/build-test test name
    build build.main "$dir" "" -DL3R_SANITIZE=ON -DL3R_WERROR=ON || return
    export L3REPLAY=$dir/orchestrator/l3replay
    for test in "$top"/tests/unit/test_*.c; do
        name=$(basename "$test" .c)
        [ -e "$test" ] && wanted "$name" && spawn "$name" "$unit_limit" "$dir/tests/$name"
    done
    # The seed is fixed, so that the same faults come each time. Tries mostly wait.
    wanted faults && spawn faults "$integration_limit" bash "$top/tests/faults/campaign.sh" --seconds 120 --seed 1 --jobs 2
    for test in "$top"/tests/integration/*.sh; do
        name=$(basename "$test" .sh)
        [[ $name == lib* ]] && continue
        [ -e "$test" ] && wanted "$name" && spawn "$name" "$integration_limit" bash "$test"
    done
    wait
    [ ${#names[@]} -gt 0 ] || check_leftovers
}

stage_clang() {
    build build.clang "$top/build-clang" "" -DCMAKE_C_COMPILER=clang-19 -DCMAKE_BUILD_TYPE=Release -DL3R_WERROR=ON
}

stage_tsan() {
    local dir=$top/build-tsan pattern test name targets=()
    for pattern in $threaded_tests; do
        for test in "$top"/tests/unit/$pattern.c; do
            [ -e "$test" ] && targets+=("$(basename "$test" .c)")
        done
    done
    [ ${#targets[@]} -gt 0 ] || return
    build build.tsan "$dir" "${targets[*]} l3replay-executor" -DL3R_THREAD_SANITIZE=ON -DL3R_WERROR=ON || return
    for name in "${targets[@]}"; do
        # The sanitizer's shadow memory does not fit beside addresses as random as newer kernels make them. libzmq is
        # not built with it, so what it does between its threads is not seen.
        TSAN_OPTIONS="suppressions=$top/tests/tsan.supp" spawn "tsan.$name" "$unit_limit" setarch -R "$dir/tests/$name"
    done
    wait
}

# The sources that clang-tidy has to look at, as a pattern for their paths; nothing when there are none. A header stands for
# the sources that include it.
changed_sources() {
    local base file
    if [ -n "$all_files" ]; then
        echo "$top/(?!tests/|common/base/error\.c).*\.c\$"
        return
    fi
    base=$(git -C "$top" merge-base HEAD origin/main 2>/dev/null || git -C "$top" rev-parse HEAD~1 2>/dev/null)
    {
        git -C "$top" diff --name-only --diff-filter=d "${base:-HEAD}"
        git -C "$top" ls-files --others --exclude-standard
    } | sort -u | grep '\.[ch]$' | while read -r file; do
        case $file in
        *.c) echo "$file" ;;
        *.h) git -C "$top" grep -l -F "#include \"$file\"" -- '*.c' ;;
        esac
    done | grep -vE '^(tests|examples)/|^common/base/error\.c$' | sort -u | sed "s,[.+],\\\\&,g; s,.*,$top/&\$," | paste -s -d '|'
}

stage_lint() {
    local dir=$top/build-lint sources
    run_one lint.layers 60 "$top/tests/lint/layers.sh"
    run_one lint.format 120 "$top/tests/lint/format.sh"
    build build.lint "$dir" help || return
    spawn lint.cppcheck 1200 cppcheck --project="$dir/compile_commands.json" --suppressions-list="$top/.cppcheck" \
        --include="$top/tests/lint/cjson.h" \
        --enable=warning,performance,portability --inline-suppr --error-exitcode=1 --quiet -j 2
    # error.c defines what lint.h replaces. The analyzer's default of 225,000 nodes a function takes three times as long.
    sources=$(changed_sources)
    [ -z "$sources" ] ||
        spawn lint.clang-tidy 2400 run-clang-tidy-19 -quiet -p "$dir" -j "$(nproc)" -config-file="$top/.clang-tidy" \
            -extra-arg=-include -extra-arg="$top/tests/lint.h" \
            -extra-arg={-Xclang,-analyzer-config,-Xclang,max-nodes=60000} "$sources"
    wait
}

# Covered lines of each folder: from the .gcda files that the tests left in the build directory. A file that no test links
# with is not counted.
print_coverage() { # DIRECTORY
    find "$1" -name '*.gcda' -print0 | xargs -0 -r gcov -n -r -s "$top" 2>/dev/null | awk '
        /^File / { split($0, quoted, "\047"); file = quoted[2]; sub(/^(\.\.\/)+/, "", file) }
        /^Lines executed:/ && file ~ /\.[ch]$/ && file !~ /^tests\// {
            split($0, parts, /[:% ]+/) # Lines executed 97.30 of 37
            covered = parts[3] * parts[5] / 100
            # A header is reported once for each source that includes it: the best of them counts.
            if (!(file in lines) || covered > hit[file]) {
                lines[file] = parts[5]
                hit[file] = covered
            }
        }
        /^Lines executed:/ { file = "" }
        END {
            for (file in lines) {
                folder = file
                sub(/\/[^\/]*$/, "", folder)
                total[folder] += lines[file]
                sum[folder] += hit[file]
                all += lines[file]
                all_hit += hit[file]
            }
            for (folder in total)
                printf "%5.1f %%  %6d lines  %s\n", 100 * sum[folder] / total[folder], total[folder], folder | "sort -k 5"
            close("sort -k 5")
            if (all)
                printf "%5.1f %%  %6d lines  all\n", 100 * all_hit / all, all
        }'
}

stage_coverage() {
    local dir=$top/build-coverage test name
    build build.coverage "$dir" "" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=--coverage -DL3R_WERROR=ON || return
    find "$dir" -name '*.gcda' -delete
    for test in "$top"/tests/unit/test_*.c; do
        name=$(basename "$test" .c)
        wanted "$name" && spawn "coverage.$name" "$unit_limit" "$dir/tests/$name"
    done
    wait
    print_coverage "$dir"
}

# From an empty corpus: enough to see that the targets build and start, and that nothing fails at once.
stage_fuzz() {
    local dir=$top/build-fuzz source targets=() name
    for source in "$top"/tests/fuzz/fuzz_*.c; do
        targets+=("$(basename "$source" .c)")
    done
    build build.fuzz "$dir" "${targets[*]}" -DCMAKE_C_COMPILER=clang-19 -DL3R_FUZZ=ON -DL3R_SANITIZE=ON -DL3R_WERROR=ON || return
    for name in "${targets[@]}"; do
        spawn "fuzz.$name" "$unit_limit" "$dir/tests/fuzz/$name" -max_total_time=20 -timeout=60 -artifact_prefix="$logs/$name-"
    done
    wait
}

stage_packages() { # STAGE
    case $1 in
    main) echo $packages_build $packages_run $packages_test ;;
    clang | tsan | coverage) echo $packages_build $packages_run ;;
    lint) echo $packages_build $packages_lint ;;
    fuzz) echo $packages_build $packages_run $packages_fuzz ;;
    esac
}

count() {
    cat "$results"/* 2>/dev/null | grep -cx "$1"
}

main() {
    local stage name packages failed
    # What cannot be installed is missed by the build or test that needs it.
    packages=$(for stage in "${stages[@]}"; do stage_packages "$stage"; done | tr ' ' '\n' | sort -u)
    packages_install $packages || echo "going on with what there is" >&2

    for stage in "${stages[@]}"; do
        "stage_$stage"
    done
    for name in "${names[@]}"; do
        if [ ! -e "$results/$name" ] && [ "$(cat "$results/build.main" 2>/dev/null)" = PASS ]; then
            echo "FAIL  $name  there is no such test"
            echo FAIL >"$results/$name"
        fi
    done

    failed=$(count FAIL)
    for name in "$results"/*; do
        [ "$failed" -gt 0 ] && [ "$(cat "$name")" = FAIL ] && echo "failed: $(basename "$name")"
    done
    echo "$(count PASS) passed, $failed failed, $(count SKIP) skipped"
    [ "$failed" -eq 0 ]
}

# The shell reads a script as it runs it: from here on it may be edited.
main
exit
