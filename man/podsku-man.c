/*
 * podsku-man TEMPLATE PAGE: makes a man page at build time, see cli/manpage.h.
 */
#include <stdio.h>

#include "base/file.h"
#include "cli/manpage.h"

int main(int argc, char **argv)
{
    struct podsku_buf template_text = {0};
    struct podsku_buf page = {0};
    struct podsku_error err = {0};
    enum podsku_code code = PODSKU_USAGE;

    if (argc == 3)
        code = podsku_file_read(argv[1], PODSKU_FILE_MAX, &template_text, &err);
    else
        (void)podsku_error_set(&err, PODSKU_USAGE, "usage: podsku-man TEMPLATE PAGE");
    if (!code)
        code = cli_man_page(&page, podsku_buf_text(&template_text), argv[1], &err);
    if (!code)
        code = podsku_file_write(argv[2], page.data, page.len, 0644, &err);
    if (code)
        (void)fprintf(stderr, "podsku-man: %s%s%s\n", err.where, err.where[0] ? ": " : "", err.message);
    podsku_buf_free(&page);
    podsku_buf_free(&template_text);
    return podsku_code_exit_status(code);
}
