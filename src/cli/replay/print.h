/* What a replay found, as it is printed. */
#ifndef SOTTO_CLI_REPLAY_PRINT_H
#define SOTTO_CLI_REPLAY_PRINT_H

#include "cli/print/rows.h"
#include "lab/replay/describe.h"
#include "lab/replay/estimates.h"
#include "lab/replay/summary.h"

#include <stdio.h>

/* A replay that was played, and the file it comes from. */
typedef struct replay_outcome {
    const char *data;
    const sotto_schema *schema;
    const sotto__replay *replay;
    const sotto_dataset_counts *counted;
} replay_outcome;

/* One row per check-point of each run; not PRINT_TABLE. */
void replay_print_rows(FILE *file, print_format format, const replay_outcome *outcome);

/* One line per method and epsilon; a table has words around it. `estimates`: of a log, one per method
 * and epsilon. */
void replay_print_summary(FILE *file, print_format format, const replay_outcome *outcome,
                          const sotto_replay_summary *summary,
                          const sotto_replay_estimates *estimates);
/* What to do, and what came of each epsilon. */
void replay_print_sentences(FILE *file, const sotto_replay_summary *summary);
void replay_print_title(FILE *file, const replay_outcome *outcome,
                        const sotto_replay_summary *summary);
void replay_print_words(FILE *file, const replay_outcome *outcome,
                        const sotto_replay_summary *summary);

/* The estimates of a log, as a table with words under it. */
void replay_print_estimates(FILE *file, const sotto_replay_summary *summary,
                            const sotto_replay_estimates *estimates);
/* For programs: the columns of a line, NAN where `estimates` is NULL, as for a yardstick. Returns where the
 * values end. `untold` must stay until they are printed. */
#define REPLAY_ESTIMATE_COLUMNS 20u
#define REPLAY_UNTOLD_BYTES 512u
extern const print_column replay_estimate_columns[REPLAY_ESTIMATE_COLUMNS];
print_value *replay_set_estimates(const sotto_replay_estimates *estimates,
                                  char untold[REPLAY_UNTOLD_BYTES], print_value *value);

/* What there is in a file that took so long to read. */
void replay_print_description(const sotto_schema *schema, const sotto__description *description,
                              double elapsed_s, bool json);

#endif
