/* Parsers of options of `sotto simulate` that are lists, or words followed by a number. */
#ifndef SOTTO_CLI_SIMULATE_PARSERS_H
#define SOTTO_CLI_SIMULATE_PARSERS_H

#include "cli/option/option.h"

option_names simulate_score_word; /* as parse_score takes them */
option_names simulate_split_word; /* as parse_split takes them */

option_parser simulate_parse_corrections; /* names with commas */
option_parser simulate_parse_delay;       /* WINDOW,SPREAD,RATE */
option_parser simulate_parse_environment; /* a name, or the path of a plug-in */
option_parser simulate_parse_epoch;       /* a number, auto, or growth:G */
option_parser simulate_parse_measure;     /* a share */
option_parser simulate_parse_methods;     /* names and paths of plug-ins with commas, each once */
option_parser simulate_parse_range;       /* LO,HI */
option_parser simulate_parse_score;       /* sign, self, or huber:TAU */
option_parser simulate_parse_split;       /* joint, per-arm, or paper */
option_parser simulate_parse_window;      /* a number, or none */

#endif
