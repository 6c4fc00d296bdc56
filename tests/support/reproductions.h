/* Reproductions with made-up results: nothing is played, the regrets come from a function. */
#ifndef SOTTO_REPRODUCTIONS_H
#define SOTTO_REPRODUCTIONS_H

#include "directory.h"
#include "paper/paper.h"

/* The regret of a seed (0, 1, ...) of a match at round t. */
typedef double made_regret(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t);

/* The experiment of a name of the table. */
const sotto__experiment *experiment_named(const char *name);

/* Quick settings for one experiment and one thread; figures against people have `horizon` of
 * them. */
sotto__reproduction_settings settings_made(const char *only, uint32_t seeds, uint64_t horizon);

/* A reproduction with all runs finished. */
sotto__reproduction *reproduction_made(const sotto__reproduction_settings *settings,
                                       made_regret *regret);

/* The same, with the settings that settings_made makes. */
sotto__reproduction *reproduction_of(const char *only, uint32_t seeds, uint64_t horizon,
                                     made_regret *regret);

/* Fills the runs of a part whose memory is allocated. */
void part_made(sotto__part *part, made_regret *regret);

/* A row of a table has these cells, separated by bars. */
void assert_row(const sotto__html_table *table, uint32_t row, const char *cells);

/* Removes the directory of a page, with its runs and shards. */
void directory_free_page(const directory *f);

#endif
