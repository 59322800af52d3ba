/* The simulators' context: others look its symbol up by name, as kernels do. */
#include "common/host_log_state.h"

extern "C" SimplerHostLogState *standin_log_state;
SimplerHostLogState *standin_log_state = nullptr;

extern "C" int simpler_host_log_bind_state(SimplerHostLogState *state)
{
    if (state->abi_version != SIMPLER_HOST_LOG_STATE_ABI_VERSION || state->struct_size != sizeof *state) {
        return -1;
    }
    standin_log_state = state;
    return 0;
}
