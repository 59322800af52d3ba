#include "orchestrator/cli/command.h"

#include <stdio.h>

#include "orchestrator/job/marker.h"

void command_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    char name[64], *own = argv[0];

    snprintf(name, sizeof name, "l3replay %s", own);
    argp_err_exit_status = EXIT_CODE_USAGE;
    argv[0] = name;
    argp_parse(argp, argc, argv, 0, NULL, input);
    argv[0] = own;
}

int command_end(int rc, const struct error *err)
{
    if (rc == 0) {
        return EXIT_CODE_PASS;
    }
    error_print(err);
    return err->kind == ERROR_USAGE ? EXIT_CODE_USAGE : EXIT_CODE_INFRA;
}
