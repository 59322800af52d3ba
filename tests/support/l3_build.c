#include "tests/support/l3_build.h"

#include "tests/support/temp_dir.h"

int l3_build_setup(void **state)
{
    *state = temp_dir_make();
    return 0;
}

int l3_build_teardown(void **state)
{
    temp_dir_remove(*state);
    return 0;
}

void l3_build_make(const char *dir, const char *meta)
{
    temp_dir_put_text(dir, "orchestration/host_orch.py", "");
    temp_dir_put_text(dir, "next_levels/chip_orch/kernel_config.py", "");
    temp_dir_put_text(dir, "distributed_meta.json", meta);
}
