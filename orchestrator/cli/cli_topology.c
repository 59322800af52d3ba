/* l3replay topology: what placement sees of this host. */
#include <argp.h>
#include <stdio.h>
#include <unistd.h>

#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "topology/topology.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    if (key == ARGP_KEY_ARG) {
        argp_error(state, "there is nothing to name here: '%s'", arg);
    }
    return key == ARGP_KEY_ARG ? EINVAL : ARGP_ERR_UNKNOWN;
}

const struct argp topology_command = {
    .parser = parse,
    .doc = "Show this host as placement sees it: packages, NUMA nodes, cores that may be used, accelerators."};

int cli_topology(int argc, char **argv)
{
    char host[256] = "this host";
    struct error err;

    command_parse(&topology_command, argc, argv, NULL);
    if (gethostname(host, sizeof host - 1) < 0) {
        host[0] = '\0';
    }
    printf("host %s\n", host);
    return command_end(topology_show(stdout, &err), &err);
}
