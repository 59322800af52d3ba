/* Options complete to their names, arguments of options to their words or to files, the rest to files. */
#include <string.h>

#include "orchestrator/completions/completions.h"
#include "orchestrator/completions/option_list.h"

static void put_name(const struct listed_option *o, void *context)
{
    FILE *out = context;

    if (o->name) {
        fprintf(out, " --%s", o->name);
    }
    if (o->letter) {
        fprintf(out, " -%c", o->letter);
    }
}

/* A case of what stands before the word: the options that take something. */
static void put_argument(const struct listed_option *o, void *context)
{
    FILE *out = context;

    if (!o->arg || o->optional) {
        return;
    }
    fputs("        ", out);
    if (o->letter) {
        fprintf(out, "-%c%s", o->letter, o->name ? "|" : "");
    }
    if (o->name) {
        fprintf(out, "--%s", o->name);
    }
    if (!option_has_words(o->arg)) {
        fputs(option_takes_file(o->arg) ? ") words= files=1 ;;\n" : ") words= files= ;;\n", out);
        return;
    }
    fputs(") files= words='", out);
    for (const char *p = o->arg; *p; p++) {
        putc(*p == '|' ? ' ' : *p, out);
    }
    fputs("' ;;\n", out);
}

void completions_bash(FILE *out, const struct command_text *list)
{
    fputs("# bash completion of l3replay\n_l3replay() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= files= i command=\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }\n    done\n"
          "    case $command in\n    '') words='",
          out);
    for (const struct command_text *c = list; c->name; c++) {
        fprintf(out, "%s ", c->name);
    }
    fputs("--help --version' ;;\n", out);
    for (const struct command_text *c = list; c->name; c++) {
        fprintf(out, "    %s)\n        [[ $word == -* ]] && words='", c->name);
        fputs("--help", out);
        option_list(c->argp, put_name, out);
        fputs("' || files=1\n        case $before in\n", out);
        option_list(c->argp, put_argument, out);
        fputs("        esac ;;\n", out);
    }
    fputs("    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "    if [[ $files && -z $words ]]; then\n        compopt -o filenames\n"
          "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n    fi\n}\ncomplete -F _l3replay l3replay\n",
          out);
}
