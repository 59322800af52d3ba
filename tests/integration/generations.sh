#!/bin/bash
# Builds of two generations of the stack: the names of August 2026 and the later ones, in one build too; and one newer
# than both, which is reported as that.
. "$(dirname "$0")/lib_replay.sh"

# The orchestrations and kernels of a build in the later generation's names.
rename_later() { # BUILD
    find "$1/next_levels" -name '*.cpp' -exec sed -i \
        -e 's/pto_orchestration_api\.h/orchestration_api.h/' -e 's/PTO2OrchestrationConfig/OrchestrationConfig/g' \
        -e 's/PTO2_SCOPE/SIMPLER_SCOPE/g' -e 's/PTO2ScopeMode/ScopeMode/g' -e 's/PTO2TaskId/TaskId/g' \
        -e 's/\bChipTensor\b/Tensor/g' {} +
    grep -rq 'PTO2\|ChipTensor\|pto_orch' "$1/next_levels" --include='*.cpp' && complain "names of before are left"
}

copy_example pipeline
rename_later "$build"
run "$L3REPLAY" run "$build" -n 2
expect_pass

# One program of each generation.
copy_example pipeline mixed
first=$(find "$build/next_levels" -path '*/orchestration/*.cpp' | sort | head -n 1)
sed -i -e 's/pto_orchestration_api\.h/orchestration_api.h/' -e 's/PTO2OrchestrationConfig/OrchestrationConfig/g' "$first"
run "$L3REPLAY" run "$build" -n 2
expect_pass

copy_example vector-add header
sed -i 's/pto_orchestration_api\.h/far_later_api.h/' "$(find "$build/next_levels" -path '*/orchestration/*.cpp')"
run "$L3REPLAY" run "$build" -n 1
expect_infra 'the orchestration of program .* does not compile' \
    'hint: there is no header far_later_api\.h: if a newer stack than those of July to September 2026 made this build'

copy_example vector-add name
sed -i 's/rt_submit_aiv_task/rt_submit_far_later_task/' "$(find "$build/next_levels" -path '*/orchestration/*.cpp')"
run "$L3REPLAY" run "$build" -n 1
expect_infra 'hint: correct the source; .*knows no rt_submit_far_later_task: if a newer stack made this build'

# A misspelt name in a kernel says nothing about the stack.
copy_example vector-add kernel
echo 'int far = far_later;' >>"$(find "$build/next_levels" -path '*/kernels/aiv/*.cpp' | head -n 1)"
run "$L3REPLAY" run "$build" -n 1
expect_infra "hint: correct the source; the compiler's messages are above"
refuse_err 'newer stack'
conclude
