/* l3replay(1): a section a command, with the texts of its --help. */
#include <string.h>

#include "orchestrator/completions/completions.h"
#include "orchestrator/completions/option_list.h"

/* `length` bytes of text for troff: no dash is a hyphen, and no line begins with a request. */
static void put_text(FILE *out, const char *text, size_t length)
{
    bool begins = true;

    for (size_t i = 0; i < length && text[i]; i++) {
        if (begins && (text[i] == '.' || text[i] == '\'')) {
            fputs("\\&", out);
        }
        if (text[i] == '\\') {
            fputs("\\e", out);
        } else if (text[i] == '-') {
            fputs("\\-", out);
        } else {
            putc(text[i], out);
        }
        begins = text[i] == '\n';
    }
}

static void put_line(FILE *out, const char *text)
{
    put_text(out, text, strlen(text));
    putc('\n', out);
}

static void put_option(const struct listed_option *o, void *context)
{
    FILE *out = context;

    if (!o->name && !o->letter) {
        fputs(".PP\n", out);
        put_line(out, o->doc);
        return;
    }
    fputs(".TP\n\\fB", out);
    if (o->letter) {
        fprintf(out, "\\-%c", o->letter);
    }
    if (o->name) {
        fputs(o->letter ? ", \\-\\-" : "\\-\\-", out);
        put_text(out, o->name, strlen(o->name));
    }
    fputs("\\fR", out);
    if (o->arg) {
        fputs(o->optional ? "[=\\fI" : o->name ? "=\\fI" : " \\fI", out);
        put_text(out, o->arg, strlen(o->arg));
        fputs(o->optional ? "\\fR]" : "\\fR", out);
    }
    putc('\n', out);
    put_line(out, o->doc ? o->doc : "");
}

/* The arguments of a command stand in the table of the child that reads them. */
static const char *arguments(const struct argp *argp)
{
    const char *found = argp->args_doc;

    for (const struct argp_child *c = argp->children; !found && c && c->argp; c++) {
        found = arguments(c->argp);
    }
    return found;
}

static void put_command(FILE *out, const struct command_text *c)
{
    const char *args = arguments(c->argp), *after = option_doc_after(c->argp), *before;
    int length;

    before = option_doc_before(c->argp, &length);
    fprintf(out, ".SS l3replay %s%s%s\n", c->name, args ? " " : "", args ? args : "");
    put_text(out, before, (size_t)length);
    putc('\n', out);
    option_list(c->argp, put_option, out);
    if (*after) {
        fputs(".PP\n.nf\n", out);
        put_line(out, after);
        fputs(".fi\n", out);
    }
}

void completions_man(FILE *out, const struct command_text *list)
{
    fputs(".TH L3REPLAY 1 \"\" \"l3replay " L3R_VERSION "\" \"User commands\"\n.SH NAME\n"
          "l3replay \\- replay multi\\-card builds of the PyPTO stack with MPI\n.SH SYNOPSIS\n"
          ".B l3replay\n.I command\n.RI [ option ...]\n.SH DESCRIPTION\n",
          out);
    for (const struct command_text *c = list; c->name; c++) {
        fprintf(out, ".TP\n.B %s\n", c->name);
        put_line(out, c->help);
    }
    fputs(".PP\nThe manual (docs/manual.md) says what happens in a replay, and what each file holds.\n.SH COMMANDS\n",
          out);
    for (const struct command_text *c = list; c->name; c++) {
        put_command(out, c);
    }
    fputs(".SH EXIT STATUS\n0: PASS, or done. 1: FAIL. 2: wrong usage. 3: INFRA, or what is named could not be done.\n",
          out);
}
