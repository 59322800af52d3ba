#include "orchestrator/options/option_number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

int option_number(struct argp_state *state, const char *option, const char *text, int least, int most)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || n < least || n > most) {
        argp_error(state, "%s wants a whole number from %d to %d, not '%s'", option, least, most, text);
    }
    return (int)n;
}

double option_real(struct argp_state *state, const char *option, const char *text, double least)
{
    char *end;
    double value;

    errno = 0;
    value = strtod(text, &end);
    if (errno || end == text || *end || !isfinite(value) || value < least) {
        argp_error(state, "--%s wants a number of at least %g, not '%s'", option, least, text);
    }
    return value;
}
