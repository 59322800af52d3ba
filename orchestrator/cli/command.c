#include "orchestrator/cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "orchestrator/job/marker.h"

/* Options that argp adds to every command. */
static const struct argp_option common_options[] = {
    {"help", '?', NULL, 0, NULL, 0}, {"usage", '?', NULL, 0, NULL, 0}, {0}};

static const struct argp_option *find_in(const struct argp_option *o,
                                         bool (*is)(const struct argp_option *, const char *), const char *text)
{
    for (; o && (o->name || o->key || o->doc); o++) {
        if (is(o, text)) {
            return o;
        }
    }
    return NULL;
}

static const struct argp_option *find_option(const struct argp *argp,
                                             bool (*is)(const struct argp_option *, const char *), const char *text)
{
    const struct argp_option *found = find_in(argp->options, is, text);

    for (const struct argp_child *c = argp->children; !found && c && c->argp; c++) {
        found = find_option(c->argp, is, text);
    }
    return found;
}

static bool is_named(const struct argp_option *o, const char *name)
{
    return o->name && strlen(o->name) == strcspn(name, "=") && strncmp(o->name, name, strlen(o->name)) == 0;
}

static bool begins_with(const struct argp_option *o, const char *name)
{
    return o->name && !(o->flags & OPTION_HIDDEN) && strncmp(o->name, name, strcspn(name, "=")) == 0;
}

static bool has_letter(const struct argp_option *o, const char *letter)
{
    return o->key == (unsigned char)*letter;
}

static bool takes_next(const struct argp_option *o)
{
    return o && o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

static _Noreturn void refuse(const char *program, const char *option, const struct argp_option *longer)
{
    fprintf(stderr, "%s: there is no option '--%.*s'", program, (int)strcspn(option, "="), option);
    if (longer) {
        fprintf(stderr, "; did you mean --%s?", longer->name);
    }
    fprintf(stderr, "\nTry `%s --help' for the options.\n", program);
    exit(EXIT_CODE_USAGE);
}

/* getopt takes the beginning of an option's name for it, and so another option than was meant: --device-id would be
 * --device-ids. */
static void refuse_abbreviations(const struct argp *argp, const char *program, int argc, char **argv)
{
    const struct argp_option *o;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *arg = argv[i];

        if (strncmp(arg, "--", 2) == 0) {
            o = find_option(argp, is_named, arg + 2);
            o = o ? o : find_in(common_options, is_named, arg + 2);
            if (!o) {
                refuse(program, arg + 2, find_option(argp, begins_with, arg + 2));
            }
            i += takes_next(o) && !strchr(arg, '=');
        } else if (arg[0] == '-' && arg[1]) {
            o = find_option(argp, has_letter, arg + 1);
            i += takes_next(o) && !arg[2];
        }
    }
}

int command_option_length(const struct argp *argp, const char *arg)
{
    const bool named = strncmp(arg, "--", 2) == 0;
    const struct argp_option *o = NULL;

    if (named && arg[2]) {
        o = find_option(argp, is_named, arg + 2);
    } else if (!named && arg[0] == '-' && arg[1]) {
        o = find_option(argp, has_letter, arg + 1);
    }
    if (!o) {
        return 0;
    }
    return takes_next(o) && !(named ? strchr(arg, '=') != NULL : arg[2] != '\0') ? 2 : 1;
}

static void set_level(const char *program)
{
    const char *name = getenv("PYPTO_RUNTIME_LOG");
    enum log_level level;

    if (!name || !*name) {
        return;
    }
    if (log_level_parse(name, &level) < 0) {
        fprintf(stderr, "%s: PYPTO_RUNTIME_LOG is debug, info, timing, warn, error or null, not '%.60s'\n", program,
                name);
        exit(EXIT_CODE_USAGE);
    }
    log_set_level(level);
}

void command_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    char name[64], *own = argv[0];

    snprintf(name, sizeof name, "l3replay %s", own);
    argp_err_exit_status = EXIT_CODE_USAGE;
    set_level(name);
    refuse_abbreviations(argp, name, argc, argv);
    argv[0] = name;
    argp_parse(argp, argc, argv, 0, NULL, input);
    argv[0] = own;
}

int command_split_options(const struct argp *own, const struct argp *other, int argc, char **argv, struct args *options)
{
    int left = 1, i = 1;

    while (i < argc && strcmp(argv[i], "--") != 0) {
        int length = command_option_length(own, argv[i]);
        struct args *to = NULL;

        if (length == 0 && (length = command_option_length(other, argv[i])) > 0) {
            to = options;
        }
        for (length = length ? length : 1; length > 0 && i < argc; length--, i++) {
            if (to) {
                args_add(to, "%s", argv[i]);
            } else {
                argv[left++] = argv[i];
            }
        }
    }
    for (i++; i < argc; i++) {
        args_add(options, "%s", argv[i]);
    }
    argv[left] = NULL;
    return left;
}

int command_end(int rc, const struct error *err)
{
    if (rc == 0) {
        return EXIT_CODE_PASS;
    }
    error_print(err);
    return err->kind == ERROR_USAGE ? EXIT_CODE_USAGE : EXIT_CODE_INFRA;
}
