/* A section of the report that is being filled. */
#ifndef SOTTO_CLI_REPRODUCE_SECTION_H
#define SOTTO_CLI_REPRODUCE_SECTION_H

#include "report_table.h"
#include "reproduce.h"

typedef struct filling {
    reproduction *r;
    const sotto__experiment *experiment;
    const char **paragraph;
    sotto__html_table *table;
    sotto__html_check *check;
    sotto__html_section *section;
} filling;

void add_paragraph(filling *f, const char *text);
void add_table(filling *f, const report_table *table);
void add_check(filling *f, const char *text, bool passed);
/* A number for a cell. */
const char *number_text(filling *f, double value);

/* True for the methods that the paper compares. */
bool reproduce_is_papers(sotto_player player);

/* The smallest mean regret at an epsilon of the paper's methods that keep their claim, in any part
 * of an experiment: as published or exact. player is SOTTO_PLAYERS if there is none. */
typedef struct reproduce_best {
    double mean;
    sotto_player player;
    const sotto__stage *stage;
} reproduce_best;
reproduce_best reproduce_papers_best(const reproduction *r, const sotto__experiment *experiment,
                                     double epsilon);

/* What each kind of experiment has to say. False if there is no memory. */
bool fill_glance(filling *f);    /* reproduce_glance.c */
bool fill_regrets(filling *f);   /* reproduce_regrets.c */
bool fill_epsilons(filling *f);  /* reproduce_rates.c */
bool fill_growth(filling *f);    /* reproduce_rates.c */
bool fill_bound(filling *f);     /* reproduce_rates.c */
bool fill_agreement(filling *f); /* reproduce_agreement.c */
bool fill_constants(filling *f); /* reproduce_constants.c */

#endif
