/*
 * SIGINT, SIGTERM and SIGHUP for commands that must clean up: counted, never acted upon in the handler.
 */
#ifndef PODSKU_CLI_SIGNALS_H
#define PODSKU_CLI_SIGNALS_H

#include <stdbool.h>

#include "client/gone.h"

/* From here on the signals are counted instead of ending the program. */
void cli_signals_catch(void);

/* How many have come. */
int cli_signals_seen(void);

/*
 * How many signals waits may ignore (0 at first): after the first one a clean-up raises this to 1, so
 * that its own requests go through and only a second signal stops them.
 */
void cli_signals_tolerate(int count);

/* More signals came than are tolerated: waits end with PODSKU_INTERRUPTED. */
bool cli_signals_stop(void);

/* A second signal came, which is not tolerated either: not even what creates or deletes is waited for. */
bool cli_signals_abandon(void);

/* The same as hooks of the deploy engine: acknowledging tolerates. */
struct podsku_signals cli_signals_hooks(void);

#endif
