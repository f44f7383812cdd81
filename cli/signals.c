#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

static volatile sig_atomic_t seen;
static volatile sig_atomic_t tolerated;

static void count(int signal_number)
{
    (void)signal_number;
    seen++;
}

void cli_signals_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = count; /* without SA_RESTART: sleeps and polls return early */
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction old;
        /* nohup asked for SIGHUP to be ignored, and a shell for SIGINT in the background. */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &action, NULL);
    }
}

int cli_signals_seen(void)
{
    return seen;
}

void cli_signals_tolerate(int number)
{
    tolerated = number;
}

bool cli_signals_stop(void)
{
    return seen > tolerated;
}

bool cli_signals_abandon(void)
{
    return seen >= 2 && seen > tolerated;
}

static int count_hook(void *ctx)
{
    (void)ctx;
    return seen;
}

static void acknowledge_hook(void *ctx, int number)
{
    (void)ctx;
    if (number > tolerated)
        tolerated = number;
}

struct podsku_signals cli_signals_hooks(void)
{
    return (struct podsku_signals){.count = count_hook, .acknowledge = acknowledge_hook, .ctx = NULL};
}
