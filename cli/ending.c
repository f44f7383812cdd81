#include "cli/ending.h"

enum podsku_code cli_judge_gone(struct cli *cli, enum podsku_code code, const struct podsku_gone_result *gone,
                                const char *command, const char *id)
{
    if (code == PODSKU_OK ? gone->gone : !gone->unsettled)
        return code;
    podsku_error_clear(&cli->err);
    podsku_error_hint(&cli->err, "try again: podsku %s terminate %s", command, id);
    return podsku_error_set(&cli->err, PODSKU_UNSETTLED, "%s may still run: %s", id, gone->how);
}
