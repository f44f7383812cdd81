#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/progress.h"

/* One terminal, one line: there is one stderr in a process. */
static bool shown;

static void put(const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t written = write(STDERR_FILENO, bytes, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; /* progress that cannot be shown is not worth an error */
        bytes += written;
        len -= (size_t)written;
    }
}

static size_t columns(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return (size_t)size.ws_col - 1;
    return 79;
}

void cli_progress(const struct cli *cli, const char *fmt, ...)
{
    struct podsku_buf line = {0};
    char *text = NULL;
    size_t len;
    va_list args;

    if (!cli->progress || cli->quiet)
        return;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    if (!text)
        return;
    len = strlen(text) < columns() ? strlen(text) : columns();
    podsku_buf_puts(&line, "\r\033[K");
    podsku_text_printable(&line, text, len, false);
    if (!podsku_buf_failed(&line))
        put(line.data, line.len);
    shown = true;
    podsku_buf_free(&line);
    free(text);
}

void cli_progress_clear(const struct cli *cli)
{
    (void)cli;
    if (shown)
        put("\r\033[K", 4);
    shown = false;
}

void cli_progress_end(const struct cli *cli)
{
    (void)cli;
    if (shown)
        put("\n", 1);
    shown = false;
}

const char *cli_elapsed_text(int64_t ms, char text[CLI_ELAPSED_SIZE])
{
    int64_t seconds = ms > 0 ? ms / 1000 : 0;

    if (seconds >= 3600)
        snprintf(text, CLI_ELAPSED_SIZE, "+%" PRId64 ":%02d:%02d", seconds / 3600, (int)(seconds / 60 % 60),
                 (int)(seconds % 60));
    else
        snprintf(text, CLI_ELAPSED_SIZE, "+%" PRId64 ":%02d", seconds / 60, (int)(seconds % 60));
    return text;
}
