# What the kinds of faults share. Sourced, after it a file KIND.sh, which sets
#
#     variants   names, one word each
#     late       yes, where the fault may come after the marker
#     inject     a function: VARIANT. Starts l3replay, injects the fault, calls `judge` with the verdicts that are right
#
# Numbers come from RANDOM, which the caller seeds: the same seed draws the same.

. "$(dirname "${BASH_SOURCE[0]}")/../integration/lib_replay.sh"
set +e

L3REPLAY_CACHE_DIR=${L3R_FAULT_STORE:-$L3REPLAY_CACHE_DIR}
limit=120
late=no

# How many times slower than a quiet machine this one is, from 1 to 5: limits within which a right run has to do something
# grow with it. L3R_FAULT_SPAN_MS is what a run without a fault takes here.
slow=$(((${L3R_FAULT_SPAN_MS:-0} + 999) / 1000))
[ "$slow" -ge 1 ] || slow=1
[ "$slow" -le 5 ] || slow=5
patience=$((patience * slow))
limit=$((limit + 60 * (slow - 1)))
executor=$(dirname "$L3REPLAY")/../rank-worker/l3replay-executor

# --- drawing -----------------------------------------------------------------------------------------------------

number() { # BELOW
    echo $(((RANDOM * 32768 + RANDOM) % $1))
}

draw() { # WORD...
    shift "$(number $#)"
    echo "$1"
}

# A moment within a run: the try waits until it has come.
wait_for_the_moment() {
    sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
}

random_moment() {
    wait_for_the_moment "$(number $((${L3R_FAULT_SPAN_MS:-1500} * 5 / 4)))"
}

# --- builds and ways to run them -----------------------------------------------------------------------------------

# A copy of one of the examples in $build.
draw_build() {
    copy_example "$(draw vector-add allreduce pipeline tensor-parallel)"
}

# How l3replay is started: sets `way` (words before the command) and `processes` (options after it).
draw_way() {
    case $(number 4) in
    0) way=() processes=(-n 1) ;;
    1) way=() processes=(-n 2) ;;
    2) way=(mpirun -np 1) processes=() ;;
    3) way=(mpirun -np 2) processes=() ;;
    esac
}

# Start or run it on $build: OPTION... Its own limit on the start of MPI comes before the limit of a try.
start_replay() {
    start "${way[@]}" "$L3REPLAY" run "$build" "${processes[@]}" --device-ids 0-1 --timeout $((20 * slow)) --start-timeout 60 "$@"
}

run_replay() {
    run "${way[@]}" "$L3REPLAY" run "$build" "${processes[@]}" --device-ids 0-1 --timeout $((20 * slow)) --start-timeout 60 "$@"
}

warm() {
    local example begun
    way=() processes=(-n 2)
    for example in vector-add allreduce pipeline tensor-parallel vector-add; do
        copy_example "$example"
        begun=${EPOCHREALTIME/[.,]/}
        run_replay
        [ "$status" -eq 0 ] || {
            cat "$work/out" "$work/err" >&2
            return 1
        }
    done
    echo $(((${EPOCHREALTIME/[.,]/} - begun) / 1000))
}

# Ends the try as one that this machine cannot do.
skip() {
    echo "skipped: $*"
    exit 77
}

# The directory of the try becomes a user's, with a copy of the store: the other tries go on using theirs, which no other
# user may write.
own_store_of() { # USER
    cp -r "$L3REPLAY_CACHE_DIR" "$work/store" 2>/dev/null
    L3REPLAY_CACHE_DIR=$work/store
    chown -R "$1" "$work"
}

# Whether the mpirun of the try's $way, which is the user's own, can run nothing at all: then nobody of ours can print.
mpirun_cannot_run() {
    [[ ${way[*]} == *mpirun* ]] && ! TMPDIR="$work/tmp" timeout 20 "${way[@]}" true >/dev/null 2>&1
}

# The user's own mpirun hits a fault as well, and may hang or crash by it, before it starts a process of ours or after these
# have ended with their marker. That is Open MPI's.
skip_mpirun_that_hangs() {
    [[ ${way[*]} == *mpirun* ]] && { [ -n "$hung" ] || [ "$status" -eq 139 ]; } || return 0
    grep -aEq 'ORTE_ERROR_LOG|PMIX ERROR' "$work/err" || return 0
    grep -aq '^l3replay: ' "$work/err" && ! grep -aq '^PYPTO_EXEC_RESULT=' "$work/out" && return 0
    skip "mpirun itself did not end"
}

# What was killed leaves its directories to the next start, which removes those that nobody uses.
next_start_sweeps() {
    local waited=0
    while [ -n "$(tagged)" ] && [ "$waited" -lt "$patience" ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    env L3R_TEST_TAG="$tag" TMPDIR="$work/tmp" timeout "$limit" "$L3REPLAY" run "$work/none" -n 2 >/dev/null 2>&1 </dev/null
}

# A build of the sanitizers needs address space, descriptors and stack beyond any limit.
skip_sanitized() {
    ! nm -D "$executor" 2>/dev/null | grep -q __asan_init || skip "not with sanitizers"
}

as_root() {
    [ "$(id -u)" -eq 0 ] || skip "for root only"
}

# Run a command in a mount namespace of its own, after SETUP (shell text) was run there.
namespace=(unshare --mount --propagation private bash -c 'eval "$0" && exec "$@"')
can_mount() {
    as_root
    unshare --mount --propagation private mount -t tmpfs none /mnt 2>/dev/null || skip "may not mount"
}

# --- processes of a run --------------------------------------------------------------------------------------------

# Whether the parent of a process is l3replay as well: then it is the one process of a job without mpirun.
is_child_of_front() { # PID
    local parent
    parent=$(sed -n 's/^PPid:\t//p' "/proc/$1/status" 2>/dev/null)
    [ "$(cat "/proc/${parent:-0}/comm" 2>/dev/null)" = l3replay ]
}

# Ids of the processes with a role: front, mpirun, 0 or 1 (a process of the job), executor, python, compiler.
find_role() {
    local pid name rank role
    for pid in $(tagged); do
        name=$(cat "/proc/$pid/comm" 2>/dev/null)
        rank=$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | sed -n 's/^OMPI_COMM_WORLD_RANK=//p')
        case $name in
        l3replay-exec*) role=executor ;;
        mpirun | orterun | mpiexec | prterun) role=mpirun ;;
        l3replay)
            role=${rank:-front}
            [ "$role" = front ] && is_child_of_front "$pid" && role=0
            ;;
        python3*) role=python ;;
        cc1plus | clang* | g++* | ld*) role=compiler ;;
        *) role=other ;;
        esac
        [ "$role" = "$1" ] && echo "$pid"
    done
}

# What still ran when the limit of a try had come: names, one a line.
hung=""
names_of_run() {
    local pid
    for pid in $(tagged); do
        cat "/proc/$pid/comm" 2>/dev/null
    done
}

# As in lib_replay.sh, but it is the judge that complains: an exit code says nothing of a limit, since mpirun's is 137 as well
# when a process of its job was killed.
run() {
    start "$@"
    finish_run
}

finish_run() {
    local waited=0
    while kill -0 "$started" 2>/dev/null && [ "$waited" -lt $((limit * 10)) ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    if kill -0 "$started" 2>/dev/null; then
        hung=$(names_of_run)
        kill -KILL "$started" 2>/dev/null
    fi
    wait "$started" 2>/dev/null
    status=$?
}

# --- judging -------------------------------------------------------------------------------------------------------

# The verdict of the marker; `none` without one.
verdict_of_run() {
    local markers
    markers=$(grep -a '^PYPTO_EXEC_RESULT=' "$work/out")
    case $markers in
    '') echo none ;;
    *$'\n'*) echo several ;;
    *)
        markers=${markers#PYPTO_EXEC_RESULT=}
        echo "${markers%% *}"
        ;;
    esac
}

# How the run may have ended: PASS, FAIL, INFRA, none (nobody was left to print), usage (an error of the command line).
judge() { # VERDICT...
    local verdict right=""
    # All of ours has ended, and the user's own mpirun has not: with the front, that would still be there.
    [ -z "$hung" ] || grep -qv '^mpirun$' <<<"$hung" || skip "mpirun itself did not end"
    [ -z "$hung" ] || complain "did not end within $limit s; still there: $(echo $hung)"
    verdict=$(verdict_of_run)
    [ "$status" -eq 2 ] && [ "$verdict" = none ] && verdict=usage
    for right in "$@" ""; do
        [ "$right" = "$verdict" ] && break
    done
    [ -n "$right" ] || complain "$verdict, where right is: $*"
    case $verdict in
    # A fault that comes after the marker changes the exit code of an mpirun that the try started, or kills the front.
    PASS) [ "$status" -eq 0 ] || [ "$late" = yes -a "$status" -eq 137 ] || [ ${#way[@]} -gt 0 -a "$late" = yes ] ||
        complain "PASS with exit code $status" ;;
    *) [ "$status" -ne 0 ] || complain "$verdict with exit code 0" ;;
    esac
    # Under an mpirun that the try started, the exit code of a job that was cut short is mpirun's.
    if [ ${#way[@]} -eq 0 ]; then
        case $verdict:$status in
        PASS:* | FAIL:1 | INFRA:3 | usage:2 | none:*) ;;
        *) complain "$verdict with exit code $status" ;;
        esac
    fi
    case $verdict in
    FAIL | INFRA) grep -aq '^l3replay: error: ' "$work/err" || complain "$verdict without an error" ;;
    esac
    [ "$verdict" = none ] || [ "$verdict" = usage ] || tail -n 1 "$work/out" | grep -aq '^PYPTO_EXEC_RESULT=' ||
        complain "the marker is not the last line"
    # What runs users' code may crash; what is l3replay's own may not. mpirun's own crashes have its frames only.
    grep -aEv '^(card [0-9]+|host lane|sub-workers)\| |^l3replay: error:   \| ' "$work/err" |
        grep -aEq '^\[[^]]*\] \[ *[0-9]+\] [^ ]*/l3replay\(|AddressSanitizer|runtime error:|hint: report this as a fault of l3replay' &&
        complain "l3replay itself crashed"
    expect_nothing_left
}

# The same where the standard streams were taken away: only that it ended, crashed nowhere and left nothing.
judge_ended() {
    [ -z "$hung" ] || complain "did not end within $limit s; still there: $(echo $hung)"
    grep -aEq 'AddressSanitizer|runtime error:|hint: report this as a fault of l3replay' "$work/err" && complain "l3replay itself crashed"
    expect_nothing_left
}

keep_logs() { # KIND VARIANT SEED
    local to="$L3R_FAULT_LOGS/$1-$2-$3"
    mkdir -p "$to" && cp "$work/out" "$work/err" "$to" 2>/dev/null
    return 0
}
