#!/usr/bin/env bash
# Injects faults while l3replay runs, at moments drawn at random, and judges how each run ends.
#
#     tests/faults/campaign.sh                       two minutes of all kinds
#     tests/faults/campaign.sh --seconds 600 kill signals
#     tests/faults/campaign.sh --tries 3000 --keep DIR
#     tests/faults/campaign.sh --replay KIND:VARIANT:SEED
#
# A kind of fault is a file beside this one, KIND.sh, with variants; a try is one variant with one seed. Every try must end
# in time, with one marker that agrees with the exit code and that the fault allows, a reason where it is not PASS, and
# must leave no process and no file (lib_faults.sh). Prints each try that went wrong, with what replays it, and then a
# table: kind, tries, right, wrong, skipped. The exit code is 0 when none was wrong.
#
#     --seconds S   start no try later than this (120)
#     --tries N     start at most N tries (no limit)
#     --seed N      where the drawing begins (printed; from the clock unless given)
#     --jobs N      tries at once (2)
#     --keep DIR    what a wrong try printed, a directory each
#     --list        kinds and variants
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seconds=120 tries=1000000 seed=$((${EPOCHREALTIME/[.,]/} % 1000000)) jobs=2 keep="" kinds=() replay="" list=""

usage() {
    echo "$1; see --help" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
    --seconds | --tries | --seed | --jobs)
        [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || usage "$1 wants a number"
        printf -v "${1#--}" '%d' "$((10#$2))"
        shift
        ;;
    --keep) keep=${2:?"--keep wants a directory"} && shift ;;
    --replay) replay=${2:?"--replay wants KIND:VARIANT:SEED"} && shift ;;
    --list) list=yes ;;
    -h | --help)
        sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | sed '$d'
        exit 0
        ;;
    -*) usage "unknown option $1" ;;
    *)
        [ -e "$here/$1.sh" ] && [[ $1 != lib* && $1 != campaign && $1 != try ]] || usage "there is no kind of fault '$1'"
        kinds+=("$1")
        ;;
    esac
    shift
done
if [ ${#kinds[@]} -eq 0 ]; then
    for file in "$here"/*.sh; do
        kind=$(basename "$file" .sh)
        [[ $kind == lib* || $kind == campaign || $kind == try ]] || kinds+=("$kind")
    done
fi

variants_of() { # KIND
    (
        . "$here/$1.sh"
        echo "$variants"
    )
}

if [ -n "$list" ]; then
    for kind in "${kinds[@]}"; do
        echo "$kind: $(echo $(variants_of "$kind"))"
    done
    exit 0
fi

# All tries share a store, so that an example is compiled once.
run_dir=$(mktemp -d "${TMPDIR:-/tmp}/l3replay-faults.XXXXXX") || exit 1
chmod 755 "$run_dir"
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
export L3R_FAULT_STORE=${L3R_FAULT_STORE:-$run_dir/store} L3R_FAULT_LOGS=${keep:-$run_dir/logs}
mkdir -p "$L3R_FAULT_STORE" "$L3R_FAULT_LOGS" "$run_dir/results" || exit 1

# How long a run without a fault takes says in which range moments are drawn.
L3R_FAULT_SPAN_MS=$(bash "$here/try.sh" --warm) || exit 1
export L3R_FAULT_SPAN_MS

if [ -n "$replay" ]; then
    IFS=: read -r kind variant try_seed <<<"$replay"
    bash "$here/try.sh" "$kind" "$variant" "$try_seed"
    exit
fi

echo "seed $seed, a run takes $L3R_FAULT_SPAN_MS ms, $(uname -m), $(nproc) cores"

RANDOM=$((seed % 32768))

declare -A known=() left=()
for kind in "${kinds[@]}"; do
    known[$kind]=$(echo $(variants_of "$kind"))
done

# Sets `variant` to one of a kind's, each once, in random order, before any comes again.
draw_variant() { # KIND
    local words=(${left[$1]:-${known[$1]}})
    local at=$((RANDOM % ${#words[@]}))
    variant=${words[$at]}
    unset "words[$at]"
    left[$1]=${words[*]}
}

one() { # KIND VARIANT SEED
    local said code
    said=$(bash "$here/try.sh" "$@" 2>&1)
    code=$?
    case $code in
    0) echo right >"$run_dir/results/$1:$2:$3" ;;
    77) echo skipped >"$run_dir/results/$1:$2:$3" ;;
    *)
        echo wrong >"$run_dir/results/$1:$2:$3"
        printf 'wrong: --replay %s:%s:%s\n%s\n' "$1" "$2" "$3" "$said"
        ;;
    esac
}

# The kinds take turns, in an order drawn anew each time.
begun=$SECONDS count=0 turns=()
while [ "$count" -lt "$tries" ] && [ $((SECONDS - begun)) -lt "$seconds" ]; do
    [ ${#turns[@]} -gt 0 ] || turns=("${kinds[@]}")
    at=$((RANDOM % ${#turns[@]}))
    kind=${turns[$at]}
    unset "turns[$at]"
    turns=("${turns[@]}")
    draw_variant "$kind"
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n
    done
    one "$kind" "$variant" $((seed + count)) &
    count=$((count + 1))
done
wait

tally() { # KIND VERDICT
    local file n=0
    for file in "$run_dir/results/$1":*; do
        [ -e "$file" ] && [ "$(cat "$file")" = "$2" ] && n=$((n + 1))
    done
    echo "$n"
}

printf '\n%-16s %6s %6s %6s %8s\n' kind tries right wrong skipped
all_right=0 all_wrong=0 all_skipped=0
for kind in "${kinds[@]}"; do
    right=$(tally "$kind" right) wrong=$(tally "$kind" wrong) skipped=$(tally "$kind" skipped)
    printf '%-16s %6d %6d %6d %8d\n' "$kind" $((right + wrong)) "$right" "$wrong" "$skipped"
    all_right=$((all_right + right)) all_wrong=$((all_wrong + wrong)) all_skipped=$((all_skipped + skipped))
done
printf '%-16s %6d %6d %6d %8d\n' all $((all_right + all_wrong)) "$all_right" "$all_wrong" "$all_skipped"
[ "$all_wrong" -eq 0 ]
