#!/bin/bash
# Cards in step: what one card reads of another's window is not overwritten by the next round, as long as no gate opens.
. "$(dirname "$0")/lib_replay.sh"

kernel=next_levels/reduce/kernels/aiv/reduce_partials.cpp

# allreduce without the barrier between its rounds. In round 1 card 1 reads the other's partial sum late: when the sum of
# round 2 is there, or after TRIES looks of 20 us.
late_reader() { # TRIES
    copy_example allreduce late
    python3 - "$build/orchestration/host_orch.py" <<'PYTHON'
import sys
path = sys.argv[1]
text = open(path).read()
at = text.rindex("            for r in range(0, world_size, 1):\n                _ta_2")
end = text.index("\n\nhost_orch._pypto")
open(path, "w").write(text[:at] + text[end:])
PYTHON
    replace_text "$build/$kernel" '        __gm__ float* peer =' \
        "        if (round == 1 && signal_ctx->rankId == 1 && rank == 0) {
            const struct timespec look = {0, 20000};
            for (int i = 0; i < $1 && __atomic_load_n(signal + rank, __ATOMIC_ACQUIRE) < 2; ++i) nanosleep(&look, nullptr);
        }
        __gm__ float* peer ="
}

opened() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["pace"].get("opened", "none"))' "$work/result.json"
}

# Free, it waits for round 2, which comes.
late_reader 1000000
run "$L3REPLAY" run "$build" --device-ids 0,1 -n 1 --pace free --timeout 30 --result "$work/result.json"
expect_fail mismatch\|differ
[ "$(opened)" = none ] || complain "nothing is counted where nothing waits"

# In step round 2 comes only when the gate opens, and that is reported.
run "$L3REPLAY" run "$build" --device-ids 0,1 -n 1 --timeout 30 --result "$work/result.json"
expect_fail 'did not wait for the other cards'
[ "$(opened)" -ge 1 ] || complain "the opened gate is not in the result"

# A card that is only late is waited for, unless this machine kept it from its core for longer than the gate waits.
late_reader 50
run "$L3REPLAY" run "$build" --device-ids 0,1 -n 1 --pace domain --timeout 30 --result "$work/result.json"
if [ "$(opened)" = 0 ]; then
    expect_pass 0
    refuse_err 'did not wait for the other cards'
fi

run "$L3REPLAY" run "$build" --pace sometimes
expect_usage 'domain or free'
conclude
