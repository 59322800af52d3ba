/*
 * option_list - the options of a command, its child parsers' included, as texts for completions and the manual page.
 */
#ifndef L3R_ORCHESTRATOR_COMPLETIONS_OPTION_LIST_H
#define L3R_ORCHESTRATOR_COMPLETIONS_OPTION_LIST_H

#include <argp.h>
#include <stdbool.h>

/* One option that --help shows, or the heading of a group (`name` and `letter` unset). Texts are the table's. */
struct listed_option {
    const char *name; /* without dashes; NULL: it has a letter only */
    char letter;      /* '\0': none */
    const char *arg;  /* what it takes, as in the help; NULL: nothing */
    bool optional;    /* the argument may be left out */
    const char *doc;
};

/* Call `each` for all of them in the order of the tables; hidden ones and aliases are left out. */
void option_list(const struct argp *argp, void (*each)(const struct listed_option *o, void *context), void *context);

/* Whether an argument is one of some words, as "turns|free"; FILE, N, NAME=... are not. */
bool option_has_words(const char *arg);

/* Whether an argument is a file or directory, or ends in one ("NAME=FILE.npy"). */
bool option_takes_file(const char *arg);

/* The description (before) or the examples and the rest (after) of a command's text, in *length bytes. */
const char *option_doc_before(const struct argp *argp, int *length);
const char *option_doc_after(const struct argp *argp);

#endif
