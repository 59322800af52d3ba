/*
 * sub_workers - the Python functions that host_orch.py submits between dispatches.
 *
 * Those of a lane run in one Python process, started by the executor of the lane before
 * it says that it is ready, so that a file that cannot be loaded is found before
 * any kernel runs. The process maps the segment, so tensors are used where they
 * lie; it dies with the executor.
 *
 * Lines of JSON go over a pair of pipes, a request and its answer in turn:
 *
 *   [{"name":..,"file":..,"function":..}, ...]        of the sheet's list, once
 *   {"call":NAME,"args":[ARG,...],"scalars":[N,...]}  ARG: {"offset","nbytes" in the segment up to the end of
 *                                                     the storage, "dtype" (runtime name), "shape", "strides"
 *                                                     (elements), "tag"}
 *   {"ok":true}
 *   {"error":TEXT,"where":TEXT}                       and, from loading, "name"; "missing" when an import failed
 *
 * Interpreter: python_for_user() (common/base/python.h).
 */
#ifndef L3R_RANK_WORKER_EXECUTOR_SUB_WORKERS_H
#define L3R_RANK_WORKER_EXECUTOR_SUB_WORKERS_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/plan/sheet.h"
#include "common/segment/segment.h"

struct sub_workers_process;

/* Start Python and load those sub-workers of the sheet that lane `lane` calls. A failure is INFRA. */
int sub_workers_start(struct sub_workers_process **out, const struct segment *seg, uint32_t lane,
                      const struct sheet *sheet, struct error *err);

/* Run sub-worker node `node` of the plan to its end. One that raises, or ends its process, is FAIL. */
int sub_workers_call(struct sub_workers_process *p, uint32_t node, struct error *err);

/* Let Python end as it does at the end of its input; what still lives after EXECUTOR_END_LIMIT_MS is killed. True when
 * a sub-worker had left something behind that would have kept Python alive. NULL is fine. */
bool sub_workers_stop(struct sub_workers_process *p);

#endif
