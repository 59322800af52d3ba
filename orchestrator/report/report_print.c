#include "orchestrator/report/report_print.h"

int report_finish(FILE *f, struct error *err)
{
    if (fflush(f) || ferror(f)) {
        return error_errno(err, NULL, NULL, "cannot write the report");
    }
    return 0;
}
