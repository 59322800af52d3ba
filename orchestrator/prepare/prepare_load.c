#include "orchestrator/prepare/prepare_load.h"

#include "orchestrator/prepare/load.h"
#include "orchestrator/prepare/other_build.h"

int prepare_load(struct prepared *p, struct error *err)
{
    if (load_storages(&p->segment, p->recording.inputs, err) < 0) {
        return -1;
    }
    if (p->other) {
        other_build_load(p->other, &p->segment);
    }
    return 0;
}
