/* What a whole reproduction found, in numbers and in three sentences. */
#ifndef SOTTO_LAB_PAPER_FINDINGS_H
#define SOTTO_LAB_PAPER_FINDINGS_H

#include "lab/page/html.h"
#include "reproduction.h"

/* How often a claim holds, over settings. */
typedef struct sotto__verdicts {
    uint32_t yes, no, cannot_tell;
} sotto__verdicts;

/* A setting is a figure against people at one epsilon. Synthetic customers do not count. The best of
 * the paper's methods is one that keeps its claim, as published or exact. */
typedef struct sotto__paper_findings {
    sotto__verdicts sotto;            /* that it has less regret than the best of the paper's: exact
                                         with the same people, as published with others */
    double ratio_least, ratio_most;   /* in the paper's own figure: regret of that best over that of
                                         sotto; NAN: not played */
    uint32_t behind;                  /* settings where that best has less regret in the mean */
    sotto__verdicts published, exact; /* the paper's claim about its own methods */
    uint32_t agreed, compared;        /* with runs of the authors' own code */
} sotto__paper_findings;

/* `section` are those of the page: what they checked. */
sotto__paper_findings sotto__paper_findings_of(const sotto__reproduction *reproduction,
                                               const sotto__html_section *section,
                                               uint32_t sections_count);

#define SOTTO__PAPER_FINDINGS 3u

/* All words about them. Never NULL. */
void sotto__paper_findings_text(const sotto__paper_findings *findings, sotto__pool *pool,
                                const char *text[SOTTO__PAPER_FINDINGS]);

/* Where sotto is behind, in a sentence; NULL: nowhere. */
const char *sotto__paper_findings_behind(const sotto__paper_findings *findings, sotto__pool *pool);

#endif
