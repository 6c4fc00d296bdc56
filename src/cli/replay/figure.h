/* The figure of a replay: reward against epsilon. */
#ifndef SOTTO_REPLAY_FIGURE_H
#define SOTTO_REPLAY_FIGURE_H

#include "replay_report.h"

/* Writes the files of --figure. An exit status; unless it is EXIT_OK the reason is on stderr. */
int replay_figure(const replay_report *report, const replay_summary *summary);

#endif
