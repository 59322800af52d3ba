#!/bin/bash
# The store of compiled objects: what `l3replay cache` shows and removes, its limit, and replays beside it.
. "$(dirname "$0")/lib_replay.sh"

export L3REPLAY_CACHE_DIR=$work/store
copy_example pipeline

field() { # NAME, of the JSON in $work/out
    python3 -c 'import json,sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2].split("."):
    value = value[key]
print(value)' "$work/out" "$1"
}

run "$L3REPLAY" cache --json
expect_status 0
[ "$(field objects)" = 0 ] && [ "$(field lookups)" = 0 ] || complain "a new store is not empty"
[ "$(field limit_bytes)" = 5368709120 ] || complain "the limit is not 5 GB"

run "$L3REPLAY" run "$build" -n 2
expect_pass 0
run "$L3REPLAY" cache --json
objects=$(field objects)
[ "$objects" -gt 0 ] || complain "a replay left nothing in the store"
[ "$(field hits)" = 0 ] || complain "the first replay found objects"

# The second look-up finds all of them.
run "$L3REPLAY" run "$build" -n 1 --device-ids 0
expect_pass 0
run "$L3REPLAY" cache --json
[ "$(field hits)" -gt 0 ] && [ "$(field lookups)" -ge $((2 * $(field hits))) ] || complain "hits are not counted"
run "$L3REPLAY" cache
expect_status 0
expect_out "^store .*$work/store/v1" '^size .* of 5\.0 GB' "^entries .*$objects objects" '^hits '

# A limit that is not met removes nothing; a smaller one removes the oldest first.
run "$L3REPLAY" cache --trim --json
[ "$(field removed.entries)" = 0 ] || complain "trimmed below the limit"
run env L3REPLAY_CACHE_MAX=1 "$L3REPLAY" cache --trim --json
[ "$(field bytes)" -le 1 ] && [ "$(field removed.entries)" -ge "$objects" ] || complain "not trimmed"
run "$L3REPLAY" run "$build" -n 1 --device-ids 0
expect_pass 0
run "$L3REPLAY" cache --clear
expect_status 0
expect_out '^removed ' '^entries .* 0 objects' '^hits .* 0 of 0 look-ups'

# Two replays side by side, each trimming to next to nothing at its end, while a third process trims all the time: none
# of them loses an object that it has found, and none keeps the others from theirs.
export L3REPLAY_CACHE_MAX=1
(
    while [ ! -e "$work/over" ]; do
        "$L3REPLAY" cache --trim >"$work/trim.out" 2>&1 || cp "$work/trim.out" "$work/trim.failed"
    done
) &
trimmer=$!
for which in one other; do
    cp -r "$build" "$work/$which"
    (
        for round in 1 2; do
            touch "$work/$which"/next_levels/*/kernels/*/*.cpp
            "$L3REPLAY" run "$work/$which" -n 2 >"$work/$which.$round" 2>&1 || touch "$work/$which.failed"
        done
        : >"$work/$which.done"
    ) &
    eval "pid_$which=$!"
done
wait "$pid_one" "$pid_other"
: >"$work/over"
wait "$trimmer"
for which in one other; do
    [ -e "$work/$which.failed" ] && complain "a replay failed beside others that trim: $(cat "$work/$which".[12])"
done
[ -e "$work/trim.failed" ] && complain "trimming failed: $(cat "$work/trim.failed")"
run "$L3REPLAY" cache --trim --json
[ "$(field bytes)" -le 1 ] || complain "something is in use when nothing runs: $(cat "$work/out")"
[ -z "$(ls "$work/store/v1/users")" ] || complain "lists of processes are left"

run env L3REPLAY_CACHE_MAX=much "$L3REPLAY" cache
expect_status 3
expect_err 'L3REPLAY_CACHE_MAX' "'much' is not a size"
run env L3REPLAY_CACHE_MAX=much "$L3REPLAY" run "$source_dir/examples/vector-add"
expect_infra 'L3REPLAY_CACHE_MAX' "'much' is not a size"
for args in "" --trim --json; do # a store that cannot be used is not shown as an empty one
    run env L3REPLAY_CACHE_DIR=/etc/passwd "$L3REPLAY" cache $args
    expect_status 3
    expect_err 'there is no store'
    [ -s "$work/out" ] && complain "nothing should be shown"
done
run "$L3REPLAY" cache --trim --clear
expect_status 2
run "$L3REPLAY" cache --help
expect_status 0
expect_out 'Examples:' 'L3REPLAY_CACHE_MAX'

expect_nothing_left
conclude
