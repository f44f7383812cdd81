/*
 * What the pod is asked to do. The environment comes in a file of its own, written over ssh: command
 * lines are public, here and there.
 */
#include <stdio.h>
#include <string.h>

#include "cli/run.h"

const char *cli_run_folder(const struct cli_run *run)
{
    static char folder[96];

    if (!cli_has(run->deploy.cli, "copy-in"))
        return "";
    (void)snprintf(folder, sizeof folder, "podsku-%s", run->deploy.launch_id);
    return folder;
}

/* Names that a shell can export; others reach the container's own environment only. */
static bool is_shell_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char digits[] = "0123456789";

    if (!*name || !strchr(letters, *name))
        return false;
    for (; *name; name++) {
        if (!strchr(letters, *name) && !strchr(digits, *name))
            return false;
    }
    return true;
}

static void put_exports(struct podsku_buf *out, const json_t *env)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)env, name, value)
    {
        if (!is_shell_name(name) || !json_is_string(value))
            continue;
        podsku_buf_printf(out, "export %s=", name);
        cli_ssh_quote(out, json_string_value(value));
        podsku_buf_putc(out, '\n');
    }
}

void cli_run_environment(const struct cli_run *run, struct podsku_buf *out)
{
    put_exports(out, json_object_get(run->deploy.fields, "env"));
    put_exports(out, json_object_get(run->deploy.extra, "env"));
}

void cli_run_script(const struct cli_run *run, struct podsku_buf *out)
{
    const char *folder = cli_run_folder(run);
    struct podsku_buf script = {0};

    /* Whoever takes the environment's file away runs CMD: a second try cannot run it a second time. */
    podsku_buf_printf(&script, "d=$PWD; f=./.podsku-%s; mv \"$f\" \"$f-on\" || exit %d; . \"$f-on\"; rm -f \"$f-on\"; ",
                      run->token, CLI_SSH_FAILED);
    if (*folder)
        podsku_buf_printf(&script, "cd %s || exit 127; ", folder);
    for (size_t i = 0; i < run->command_count; i++) {
        cli_ssh_quote(&script, run->command[i]);
        podsku_buf_putc(&script, i + 1 < run->command_count ? ' ' : ';');
    }
    /* Written before ssh hears of it: an exit status of 255 is also ssh's word for a lost connection. */
    podsku_buf_printf(&script, " r=$?; echo $r >\"$d/.podsku-%s-status\"; exit $r", run->token);
    podsku_buf_puts(out, "exec sh -c ");
    cli_ssh_quote(out, podsku_buf_text(&script));
    if (podsku_buf_failed(&script))
        out->failed = true;
    podsku_buf_free(&script);
}
