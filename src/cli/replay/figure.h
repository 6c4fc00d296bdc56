/* The figure of a replay: reward against epsilon. */
#ifndef SOTTO_CLI_REPLAY_FIGURE_H
#define SOTTO_CLI_REPLAY_FIGURE_H

#include "report.h"

/* Writes the files of --figure. An exit status; unless it is EXIT_OK the reason is on stderr. */
int replay_figure(const replay_report *report, const replay_summary *summary);

#endif
