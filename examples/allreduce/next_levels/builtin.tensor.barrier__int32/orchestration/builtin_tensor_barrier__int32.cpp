#include <cstdint>

#include "pto_orchestration_api.h"

extern "C" {

__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(
    const ChipTaskArgs &orch_args) {
  (void)orch_args;
  return PTO2OrchestrationConfig{
      .expected_arg_count = 3,
  };
}

__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs &orch_args) {
  CoreTaskArgs params;
  params.add_inout(orch_args.tensor(0).ref());
  params.add_scalar(orch_args.scalar(0));  // members of the domain
  params.add_scalar(orch_args.scalar(1));  // CommContext
  rt_submit_aiv_task(0, params);
}

}  // extern "C"
