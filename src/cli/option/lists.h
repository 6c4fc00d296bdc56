/* Lists in the values of options: methods, epsilons, check-points. */
#ifndef SOTTO_CLI_OPTION_LISTS_H
#define SOTTO_CLI_OPTION_LISTS_H

#include "option.h"

#include <sotto/lab.h>

#define EPSILONS_MAX 64u

typedef struct player_list {
    uint32_t count;
    sotto_player player[SOTTO_PLAYERS];
} player_list;

typedef struct epsilon_list {
    uint32_t count;
    double epsilon[EPSILONS_MAX];
} epsilon_list;

typedef struct point_list {
    uint32_t count;
    uint64_t at[SOTTO_POINTS_MAX];
} point_list;

/* Parsers of options whose fields are such lists. */
option_parser player_list_parse;  /* each method once */
option_parser epsilon_list_parse; /* each value once, within the range of the row */
option_parser point_list_parse;   /* increasing */

/* Adds the horizon to the check-points; if none were given, also the usual ones before it. NULL, or
 * `fault`: one is beyond the horizon. */
const char *point_list_end(point_list *list, uint64_t horizon, char fault[SOTTO_FAULT_BYTES]);

#endif
