/* What files of this room share. */
#ifndef SOTTO_CLI_COMPARE_INNER_H
#define SOTTO_CLI_COMPARE_INNER_H

#include "cli/option/option.h"
#include "cli/plugin/plugin.h"
#include "cli/print/print.h"
#include "text/text.h"

#include <sotto/lab.h>
#include <sotto/lab/comparisons.h>

/* ---- play ----------------------------------------------------------------------------------- */

/* Methods on a fixed set of worlds, and on files. */

#define BOARD_SEEDS_MAX 1000u

typedef struct board_settings {
    const method_list *methods; /* each once; NULL: ours and all rivals */
    double epsilon, delta;
    uint64_t horizon;
    uint32_t seeds, threads;
    bool quiet;
} board_settings;

/* A mean over seeds and two standard errors of it; NAN if there is none. */
typedef struct board_mean {
    double value, wide;
} board_mean;

/* The results of one method in one world. */
typedef struct board_line {
    const char *method, *promise;
    double epsilon;         /* INFINITY: the method is not private */
    double *reward;         /* per person, by seed; in a synthetic world: minus regret per person */
    board_mean regret;      /* of all people; for a file: the reward per person */
    board_mean over_floor;  /* regret, as a multiple of the floor */
    board_mean best, other; /* lead over best-arm and over the explorer, in reward per person */
    double share;           /* of the explorer's lead over best-arm */
} board_line;

typedef struct board_world {
    const char *name, *sentence;
    const char *explorer; /* linucb; glm-ucb if the link is not the identity */
    const char *hash;     /* of the file and its schema; NULL: a synthetic world */
    const char *caution;  /* a caveat for the reader, or NULL */
    const char *floor_kind;
    double floor;
    uint64_t people;
    uint32_t lines_count, left_out_count;
    board_line *line;
    const char **left_out; /* "METHOD: why it is not played in this world, or how it failed" */
} board_world;

typedef struct board {
    sotto__pool pool;
    uint32_t worlds_count;
    board_world *world;
} board;

/* Each `file` is DATA:SCHEMA. The caller frees the board, also after a failure. */
SOTTO_CHECK sotto_status board_play(const board_settings *settings, char **file,
                                    uint32_t files_count, board *out, sotto_fault *fault);
void board_free(board *of);

/* ---- page ----------------------------------------------------------------------------------- */

/* Writes DIRECTORY/index.html and DIRECTORY/scoreboard.csv. They do not depend on the machine, the
 * date or the number of threads. */
SOTTO_CHECK sotto_status board_write(board *of, const board_settings *settings,
                                     const char *directory, sotto_fault *fault);

#endif
