#include "orchestrator/cli/option_number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

int option_number(struct argp_state *state, const char *option, const char *text, int max)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || n < 1 || n > max)
        argp_error(state, "%s wants a whole number from 1 to %d, not \"%s\"", option, max, text);
    return (int)n;
}
