/*
 * podsku: parses, runs one command, returns its exit status.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/run.h"

/*
 * A standard stream that the caller closed would give its number to the next file opened, and data
 * would end up there. What is put in its place fails on use.
 */
static void occupy_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

static enum podsku_code print_version(struct cli *cli)
{
    static const char text[] = "podsku " PODSKU_VERSION "\n";

    return cli_write(cli, text, sizeof text - 1);
}

static enum podsku_code print_help(struct cli *cli)
{
    struct podsku_buf page = {0};
    enum podsku_code code;

    if (cli->command)
        cli_help_command(&page, cli->command, cli->width);
    else
        cli_help_overview(&page, cli->width);
    if (podsku_buf_failed(&page))
        code = podsku_error_no_memory(&cli->err);
    else
        code = cli_write(cli, page.data, page.len);
    podsku_buf_free(&page);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    enum podsku_code code = cli_parse(cli, argc, argv);

    if (code) {
        /* `run` passes its command's exit status through; a failure of its own must not look like one. */
        bool is_run = cli->command && cli->command->run == cli_run_run;
        return is_run ? cli_run_refused(cli, argc, argv) : cli_fail(cli);
    }
    if (cli_wants_help(cli) || cli_wants_version(cli)) {
        code = cli_wants_help(cli) ? print_help(cli) : print_version(cli);
        return code ? cli_fail(cli) : 0;
    }
    return cli->command->run(cli);
}

int main(int argc, char **argv)
{
    struct cli cli;
    int status;

    memset(&cli, 0, sizeof cli);
    occupy_streams();
    podsku_json_guard();
    cli_begin(&cli);
    status = run(&cli, argc, argv);
    cli_end(&cli);
    return status;
}
