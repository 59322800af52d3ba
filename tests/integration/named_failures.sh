#!/bin/bash
# A failure names the card, its how manieth dispatch, and the program; and a report of profiles calls nothing missing that
# is not.
. "$(dirname "$0")/lib_replay.sh"

orchestration() {
    find "$build/next_levels" -path '*/orchestration/*.cpp' | head -n 1
}

# Card 1 alone gives up: the orchestration of its only dispatch, whose first argument's row differs.
copy_example vector-add fatal
sed -i 's/rt_submit_aiv_task(/rt_report_fatal(PTO2_ERROR_INVALID_ARGS, "a made-up %s", "reason"); rt_submit_aiv_task(/' \
    "$(orchestration)"
run "$L3REPLAY" run "$build" -n 1 --device-ids 0
expect_fail 'the orchestration of program .* gave up: code 5, .*a made-up reason' \
    'in dispatch [0-9]+ \(.* on card 0, host_orch\.py:[0-9]+\), rank0/d[0-9]+$' 'hint: look at the program.s orchestration'

# The state of a dispatch that crashed is no news.
copy_example vector-add crash
kernel=$(find "$build/next_levels" -path '*/kernels/aiv/*.cpp' | head -n 1)
{ echo '#include <signal.h>'; cat "$kernel"; } >"$kernel.new" && mv "$kernel.new" "$kernel"
sed -i 's/\(void kernel_entry([^)]*)[^{]*{\)/\1 raise(SIGILL);/; /void kernel_entry/{n;s/^{/{ raise(SIGILL);/}' "$kernel"
run "$L3REPLAY" run "$build" -n 1 --device-ids 0 --swimlane
expect_fail 'in dispatch [0-9]+ \(.* on card 0, host_orch\.py:[0-9]+\), rank0/d[0-9]+$'
refuse_err '\(running\)'

# Kernels that end the process in other ways are named as well, with their task.
ends() { # NAME CODE PATTERN
    copy_example vector-add "$1"
    kernel=$(find "$build/next_levels" -path '*/kernels/aiv/*.cpp' | head -n 1)
    { printf '#include <stdlib.h>\n#include <unistd.h>\n'; cat "$kernel"; } >"$kernel.new" && mv "$kernel.new" "$kernel"
    sed -i "/void kernel_entry/{n;s/^{/{ $2/}" "$kernel"
    run "$L3REPLAY" run "$build" -n 1 --device-ids 0
    expect_fail "card 0\| $3, in kernel [a-z_]+ of program add_rows \(task [0-9]+, block 0 of 1, aiv0\)"
}
ends abort 'abort();' 'Aborted'
ends throw 'throw 1;' 'Aborted'
ends exit 'exit(3);' 'exit was called'

# An orchestration that submits nothing: nothing is missing.
copy_example vector-add empty
sed -i 's/rt_submit_aiv_task(/if (false) rt_submit_aiv_task(/' "$(orchestration)"
rm -rf "$build/data/out"
run "$L3REPLAY" run "$build" -n 1 --swimlane
expect_pass
refuse_err 'not complete|are not known|holds no tasks'

# A switch other than the swimlane is no fault.
copy_example vector-add pmu
run "$L3REPLAY" run "$build" -n 1 --pmu 2
expect_pass
refuse_err '^l3replay: !|! the run was without'
expect_err 'tasks were not recorded: that takes --swimlane'
conclude
