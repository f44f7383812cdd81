#include "cli/help.h"
#include "cli/suggest.h"

int cli_run_help(struct cli *cli)
{
    size_t count;
    const char *const *operands = cli_operands(cli, &count);
    const struct cli_command *command = count ? cli_find_command(operands[0]) : NULL;
    struct podsku_buf page = {0};
    bool topic = count && cli_help_topic(&page, operands[0], cli->width);
    enum podsku_code code = PODSKU_OK;

    if (!count)
        cli_help_overview(&page, cli->width);
    else if (!topic && !command)
        code = cli_unknown_topic(cli, operands[0]);
    /* "clusters" is both: what they are, then how to use the command. */
    if (topic && command)
        podsku_buf_putc(&page, '\n');
    if (command)
        cli_help_command(&page, command, cli->width);
    if (!code && podsku_buf_failed(&page))
        code = podsku_error_no_memory(&cli->err);
    if (!code)
        code = cli_write(cli, page.data, page.len);
    podsku_buf_free(&page);
    return code ? cli_fail(cli) : 0;
}
