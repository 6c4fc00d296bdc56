/* Ctrl-C as a request to stop between two steps, so that nothing is cut in the middle. */
#ifndef SOTTO_CLI_PRINT_STOP_SIGNALS_H
#define SOTTO_CLI_PRINT_STOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Blocks SIGINT and SIGTERM from here on; one that is ignored stays so. */
sigset_t stop_signals_hold(void);
/* Whether one of them has come. */
bool stop_signals_came(const sigset_t *held);

#endif
