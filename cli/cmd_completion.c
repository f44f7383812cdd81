#include "cli/completion.h"
#include "cli/options.h"

#include <string.h>

int cli_run_completion(struct cli *cli)
{
    size_t count;
    const char *const *operands = cli_operands(cli, &count);
    struct podsku_buf script = {0};
    enum podsku_code code;

    if (!cli_completion(&script, operands[0])) {
        podsku_error_hint(&cli->err, "bash, zsh or fish");
        code = podsku_error_set(&cli->err, PODSKU_USAGE, "no completion for the shell \"%s\"", operands[0]);
    } else if (podsku_buf_failed(&script)) {
        code = podsku_error_no_memory(&cli->err);
    } else {
        code = cli_write(cli, script.data, script.len);
    }
    podsku_buf_free(&script);
    return code ? cli_fail(cli) : 0;
}
