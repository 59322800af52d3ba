/* One _arguments call a command. */
#include <string.h>

#include "orchestrator/completions/completions.h"
#include "orchestrator/completions/option_list.h"

/* In a specification in single quotes: brackets and colons have a meaning there. */
static void put_text(FILE *out, const char *text)
{
    for (; text && *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
        } else if (strchr("[]:\\", *text)) {
            fprintf(out, "\\%c", *text);
        } else {
            putc(*text, out);
        }
    }
}

static void put_words(FILE *out, const char *arg)
{
    putc('(', out);
    for (const char *p = arg; *p; p++) {
        putc(*p == '|' ? ' ' : *p, out);
    }
    putc(')', out);
}

static void put_option(const struct listed_option *o, void *context)
{
    FILE *out = context;

    if (!o->name && !o->letter) {
        return;
    }
    fputs(" \\\n            '*", out);
    if (o->name) {
        fprintf(out, "--%s%s", o->name, o->arg && o->optional ? "=-" : "");
    } else {
        fprintf(out, "-%c", o->letter);
    }
    putc('[', out);
    put_text(out, o->doc);
    putc(']', out);
    if (o->arg) {
        fputs(o->optional ? "::" : ":", out);
        put_text(out, o->arg);
        putc(':', out);
        if (option_has_words(o->arg)) {
            put_words(out, o->arg);
        } else if (option_takes_file(o->arg)) {
            fputs("_files", out);
        }
    }
    putc('\'', out);
}

void completions_zsh(FILE *out, const struct command_text *list)
{
    fputs("#compdef l3replay\n# zsh completion of l3replay\nlocal -a commands\ncommands=(\n", out);
    for (const struct command_text *c = list; c->name; c++) {
        fprintf(out, "    '%s:", c->name);
        put_text(out, c->help);
        fputs("'\n", out);
    }
    fputs(")\nif ((CURRENT == 2)); then\n    _describe -t commands command commands\n    return\nfi\n"
          "local command=$words[2]\nshift words\n((CURRENT--))\ncase $command in\n",
          out);
    for (const struct command_text *c = list; c->name; c++) {
        fprintf(out, "    %s)\n        _arguments '--help[show the options]'", c->name);
        option_list(c->argp, put_option, out);
        fputs(" \\\n            '*:file:_files' ;;\n", out);
    }
    fputs("esac\n", out);
}
