# A made-up directory of profiles, with a run whose report can be worked out by hand. Sourced, not run.
#
# Three cards, microseconds:
#
#   host lane     copy 0-100
#   card 0                 scale 100-400            reduce 620-900
#   card 1                 scale 110-600            reduce 610-800
#   card 2                 scale 105-420            reduce 615-790
#   sub-workers                                                     check 920-1000
#
# scale waits for the copy, each reduce for all of scale, check for the reduce of card 0. The counters of cards 0 and 1
# are the host's clock; card 2 has one of its own, of 50 MHz.

origin_us=5000000000

# [core, task, register, start, end, setup] and [core, register, dispatch, finish] rows of two tasks, in cycles.
put_records() { # DIR HZ CYCLES_PER_US START_US END_US [COLUMNS]
    local per=$3 start=$4 end=$5 middle=$((($4 + $5) / 2)) setup=", $3"
    [ "${6:-6}" -eq 6 ] || setup=
    mkdir -p "$1"
    cat >"$1/chip_swimlane_records.json" <<JSON
{"chip_swimlane_level": 4,
 "metadata": {"clock_freq_hz": $2, "num_cores": 2, "core_types": ["aic", "aiv"], "core_to_thread": [0, 0]},
 "aicore_tasks": [[0, 0, 7, $(((start + 10) * per)), $((middle * per))$setup],
                  [1, 4294967297, 8, $(((middle + 5) * per)), $(((end - 10) * per))$setup]],
 "aicpu_tasks": [[0, 7, $(((start + 6) * per)), $(((middle + 2) * per))], [1, 8, $(((middle + 3) * per)), $(((end - 5) * per))]],
 "aicpu_scheduler_phases": [[{"kind": "dispatch", "start_cycles": $(((start + 4) * per)), "end_cycles": $(((start + 7) * per)),
   "loop_iter": 1, "tasks_processed": 1, "pop_hit": 1, "pop_miss": 6, "shared_at_start": [0, 1, 0], "shared_at_end": [0, 0, 0]}]],
 "aicpu_orchestrator_phases": [[{"submit_idx": 0, "task_id": 0, "start_cycles": $(((start + 2) * per)), "end_cycles": $(((start + 4) * per))}]]}
JSON
}

put_deps() { # DIR
    cat >"$1/deps.json" <<'JSON'
{"tasks": [{"task_id": "0", "scope": "auto", "early_dispatch": false, "kernel_ids": [0, -1, -1], "block_num": 1, "args": []},
           {"task_id": "4294967297", "scope": "auto", "early_dispatch": false, "kernel_ids": [-1, 1, -1], "block_num": 1, "args": []}],
 "tensors": [],
 "edges": [{"pred": "0", "succ": "4294967297", "arg": 0, "source": "tensormap", "flags": ["wait"], "overlap": "covered", "tensor_id": "9"}]}
JSON
}

put_names() { # DIR PROGRAM AIC_KERNEL AIV_KERNEL
    echo "{\"program\": \"$2\"}" >"$1/dispatch_program.json"
    echo "{\"level\": 2, \"orchestrator_name\": null, \"callable_id_to_name\": {\"0\": \"$3\", \"1\": \"$4\"}}" >"$1/name_map.json"
}

put_run() { # FILE
    local after='[{"node": 1, "why": ["RAW"], "storage": "w[0]"}, {"node": 2, "why": ["RAW"], "storage": "w[1]"}, {"node": 3, "why": ["RAW"], "storage": "w[2]"}]'
    local copied='[{"node": 0, "why": ["RAW"], "storage": "x"}]'
    cat >"$1" <<JSON
{"l3_run": 1, "clock": "CLOCK_MONOTONIC", "origin_ns": "${origin_us}000", "world_size": 3, "device_ids": [0, 1, 2],
 "lanes": ["card 0", "card 1", "card 2", "host lane", "sub-workers"],
 "nodes": [
  {"node": 0, "kind": "copy", "name": "copy", "lane": 3, "line": 20, "start_ns": 0, "end_ns": 100000, "waits_for": []},
  {"node": 1, "kind": "dispatch", "name": "scale", "lane": 0, "k": 0, "line": 22, "start_ns": 100000, "end_ns": 400000, "device_ns": 280000, "orch_ns": 2000, "tasks": 2, "waits_for": $copied},
  {"node": 2, "kind": "dispatch", "name": "scale", "lane": 1, "k": 0, "line": 22, "start_ns": 110000, "end_ns": 600000, "device_ns": 470000, "orch_ns": 2000, "tasks": 2, "waits_for": $copied},
  {"node": 3, "kind": "dispatch", "name": "scale", "lane": 2, "k": 0, "line": 22, "start_ns": 105000, "end_ns": 420000, "device_ns": 295000, "orch_ns": 2000, "tasks": 2, "waits_for": $copied},
  {"node": 4, "kind": "dispatch", "name": "reduce", "lane": 0, "k": 1, "line": 25, "start_ns": 620000, "end_ns": 900000, "device_ns": 260000, "orch_ns": 2000, "tasks": 2, "waits_for": $after},
  {"node": 5, "kind": "dispatch", "name": "reduce", "lane": 1, "k": 1, "line": 25, "start_ns": 610000, "end_ns": 800000, "device_ns": 170000, "orch_ns": 2000, "tasks": 2, "waits_for": $after},
  {"node": 6, "kind": "dispatch", "name": "reduce", "lane": 2, "k": 1, "line": 25, "start_ns": 615000, "end_ns": 790000, "device_ns": 155000, "orch_ns": 2000, "tasks": 2, "waits_for": $after},
  {"node": 7, "kind": "sub", "name": "check", "lane": 4, "line": 27, "start_ns": 920000, "end_ns": 1000000, "waits_for": [{"node": 4, "why": ["RAW"], "storage": "y"}]}]}
JSON
}

# All files there and whole.
make_profiles() { # DIR
    local rank start end
    local -a starts=(100 110 105 620 610 615) ends=(400 600 420 900 800 790)
    for rank in 0 1 2; do
        for k in 0 1; do
            start=${starts[k * 3 + rank]} end=${ends[k * 3 + rank]}
            if [ "$rank" -eq 2 ]; then
                put_records "$1/rank$rank/d$k" 50000000 50 $((1000 + start)) $((1000 + end))
            else
                put_records "$1/rank$rank/d$k" 1000000000 1000 $((origin_us + start)) $((origin_us + end))
            fi
            put_deps "$1/rank$rank/d$k"
        done
        put_names "$1/rank$rank/d0" scale scale_matmul scale_add
        put_names "$1/rank$rank/d1" reduce reduce_matmul reduce_sum
    done
    put_run "$1/l3_run.json"
}
