#include "orchestrator/completions/option_list.h"

#include <ctype.h>
#include <string.h>

static void list_table(const struct argp_option *o, void (*each)(const struct listed_option *, void *), void *context)
{
    for (; o && (o->name || o->key || o->doc || o->group); o++) {
        const bool letter = o->key > 0 && o->key < 128 && isprint(o->key);

        if (o->flags & (OPTION_HIDDEN | OPTION_ALIAS)) {
            continue;
        }
        each(&(struct listed_option){.name = o->name,
                                     .letter = (char)(letter ? o->key : '\0'),
                                     .arg = o->arg,
                                     .optional = o->flags & OPTION_ARG_OPTIONAL,
                                     .doc = o->doc},
             context);
    }
}

void option_list(const struct argp *argp, void (*each)(const struct listed_option *, void *), void *context)
{
    list_table(argp->options, each, context);
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        if (c->header && *c->header) {
            each(&(struct listed_option){.doc = c->header}, context);
        }
        option_list(c->argp, each, context);
    }
}

bool option_has_words(const char *arg)
{
    for (const char *p = arg; *p; p++) {
        if (!isalpha((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '|') {
            return false;
        }
    }
    return strchr(arg, '|') != NULL;
}

bool option_takes_file(const char *arg)
{
    return strstr(arg, "FILE") || strstr(arg, "DIR");
}

const char *option_doc_before(const struct argp *argp, int *length)
{
    const char *doc = argp->doc ? argp->doc : "";

    *length = (int)strcspn(doc, "\v");
    return doc;
}

const char *option_doc_after(const struct argp *argp)
{
    const char *after = argp->doc ? strchr(argp->doc, '\v') : NULL;

    return after ? after + 1 : "";
}
