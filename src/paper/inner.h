/* What files of this room share. */
#ifndef SOTTO_PAPER_INNER_H
#define SOTTO_PAPER_INNER_H

#include "lab/page/page.h"
#include "paper.h"
#include "text/text.h"

#include <sotto/lab/matches.h>

/* ---- section -------------------------------------------------------------------------------- */

/* A section of the page that is being filled. */

#define SOTTO__SECTION_PARAGRAPHS_MAX 8u
#define SOTTO__SECTION_NOTES_MAX 4u
#define SOTTO__SECTION_TABLES_MAX 4u
#define SOTTO__SECTION_CHECKS_MAX 64u

typedef struct sotto__section {
    const sotto__reproduction *reproduction; /* what was found */
    const sotto__experiment *experiment;     /* what it is about */
    sotto__pool *pool;                       /* of everything in it */
    const char **paragraph;
    const char **note;
    sotto__html_table *table;
    sotto__html_check *check;
    sotto__html_section html; /* what is filled so far */
} sotto__section;

/* A section with a heading and nothing else. Its words live as long as the reproduction. False if
 * there is no memory. */
bool sotto__section_begin(sotto__section *section, sotto__reproduction *reproduction,
                          const sotto__experiment *experiment);

/* At most as many as the constants above say. What is added lives as long as the pool. */
void sotto__section_add_paragraph(sotto__section *section, const char *text);
void sotto__section_add_note(sotto__section *section, const char *text);
void sotto__section_add_table(sotto__section *section, const sotto__page_table *table);
void sotto__section_add_check(sotto__section *section, const char *text, bool passed);

/* A number for a cell. */
const char *sotto__section_number(const sotto__section *section, double value);

/* ---- agreement ------------------------------------------------------------------------------ */

/* Our runs of calibration published beside those of the authors' own code. */

/* One line per method and setting, and a check where there are enough seeds to tell. False if
 * there is no memory. */
bool sotto__agreement_fill(sotto__section *section);

/* ---- regret difference ---------------------------------------------------------------------- */

/* Which of two methods has less regret, and whether the runs suffice to say so. */

typedef enum sotto__difference_verdict {
    SOTTO__VERDICT_YES,
    SOTTO__VERDICT_NO,
    SOTTO__VERDICT_CANNOT_TELL, /* within 3 standard errors */
    SOTTO__VERDICT_NOT_PLAYED,
} sotto__difference_verdict;

/* The verdict on the difference `less` with its standard error. */
sotto__difference_verdict sotto__verdict_of(double less, double error);

/* How much less regret `one` has than `other`, seed by seed at the last round. */
typedef struct sotto__regret_difference {
    sotto__difference_verdict verdict;
    sotto_player one, other;
    double less, error; /* by how much in the mean, and its standard error */
} sotto__regret_difference;

/* The paper's: the worse of its own methods against the better of the earlier ones. */
sotto__regret_difference sotto__regret_difference_of_paper(const sotto__part *part, double epsilon);
/* Ours: sotto against the best of the paper's methods. */
sotto__regret_difference sotto__regret_difference_of_sotto(const sotto__part *part, double epsilon);

/* "yes: sotto has 12 ± 3 less than ldp-sgd", "cannot tell: ldp-sgd has 12 ± 30 more than ldp-gloc";
 * "-" if it was not played. */
const char *sotto__regret_difference_text(const sotto__regret_difference *difference,
                                          sotto__pool *pool);

/* ---- constants ------------------------------------------------------------------------------ */

/* The constants of the environments, and what theory makes of them. */

/* Of every environment that an experiment plays, except those of the agreement, which are there
 * already. False if there is no memory. */
bool sotto__constants_fill(sotto__section *section);

/* ---- curves --------------------------------------------------------------------------------- */

/* Regret as curves. */

/* The functions below give a curve its numbers: means with bands of one standard error to each
 * side, which live as long as the pool. False if there is no memory. */

/* Against t, over the last three decades. */
bool sotto__curve_along(const sotto__part *part, uint32_t match, sotto__pool *pool,
                        sotto__curve *curve);

/* The same, divided by the mean regret of random arms, the match `random`: 1 means that
 * nothing was learned. */
bool sotto__curve_of_shares(const sotto__part *part, uint32_t match, uint32_t random,
                            sotto__pool *pool, sotto__curve *curve);

/* Regret at the last round against T, from consecutive parts, one per horizon. It is divided by
 * the bound if the experiment is about the bound. */
bool sotto__curve_over_horizons(const sotto__part *part, uint32_t horizons, uint32_t match,
                                sotto__pool *pool, sotto__curve *curve);

/* Regret at the last round against epsilon. */
bool sotto__curve_over_epsilons(const sotto__part *part, sotto_player player, sotto__pool *pool,
                                sotto__curve *curve);

/* ---- figures -------------------------------------------------------------------------------- */

/* The results of an experiment as figures. */

typedef struct sotto__figures {
    uint32_t count;
    sotto__figure *figure;
    const char **alt; /* of each: what it shows, in words */
} sotto__figures;

/* All figures of an experiment, none for one that has no curves. They live as long as the
 * reproduction. False if there is no memory. */
bool sotto__figures_of(sotto__reproduction *reproduction, const sotto__experiment *experiment,
                       sotto__figures *out);

/* The panel of a part at an epsilon: regret divided by that of random arms, which shows
 * differences. Empty if random arms were not played. `label` has a label for each player, or NULL
 * for its name; `label` may be NULL. False if there is no memory. */
bool sotto__panel_of_shares(sotto__pool *pool, const sotto__part *part, double epsilon,
                            const char *const *label, sotto__panel *panel);

/* Shows how much less regret sotto has at the end than the best of the paper's methods in the
 * panel, if it has less. */
void sotto__panel_show_gap(sotto__pool *pool, sotto__panel *panel);

/* A ratio as text: 1.6, 23, 290. */
const char *sotto__times(sotto__pool *pool, double ratio);

/* ---- findings ------------------------------------------------------------------------------- */

/* The findings of a reproduction, in numbers and in three sentences. */

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

/* `section` are the sections of the page, whose checks are counted. */
sotto__paper_findings sotto__paper_findings_of(const sotto__reproduction *reproduction,
                                               const sotto__html_section *section,
                                               uint32_t sections_count);

#define SOTTO__PAPER_FINDINGS 3u

/* All sentences about the findings. Never NULL. */
void sotto__paper_findings_text(const sotto__paper_findings *findings, sotto__pool *pool,
                                const char *text[SOTTO__PAPER_FINDINGS]);

/* Where sotto is behind, in a sentence; NULL: nowhere. */
const char *sotto__paper_findings_behind(const sotto__paper_findings *findings, sotto__pool *pool);

/* ---- glance --------------------------------------------------------------------------------- */

/* The first section: every figure of the paper in one table. */

/* It comes first, if all are played. */
extern const sotto__experiment sotto__glance;

/* Mean regrets at the last round: the paper's best, ours, without privacy, and of random arms. False
 * if there is no memory. */
bool sotto__glance_fill(sotto__section *section);

/* ---- numbers -------------------------------------------------------------------------------- */

/* The results of a part as numbers. All its runs are finished. */

/* The match of a method at an epsilon; UINT32_MAX if the part has none. */
uint32_t sotto__part_match(const sotto__part *part, sotto_player player, double epsilon);

/* The checkpoint of the last round. */
uint32_t sotto__part_last_point(const sotto__part *part);

/* Regret of every seed at a checkpoint; as many numbers as there are seeds. */
void sotto__part_regrets(const sotto__part *part, uint32_t match, uint32_t point, double *out);

/* The same as mean, standard error of the mean, and median; NAN if there is no
 * memory. */
typedef struct sotto__spread {
    double mean, error, median;
} sotto__spread;
sotto__spread sotto__part_spread(const sotto__part *part, uint32_t match, uint32_t point);

/* sqrt(T d)/(e^epsilon - 1): the lower bound on regret is a multiple of it. */
double sotto__part_bound(const sotto__part *part, double epsilon);

/* The slope of the line through log mean regret against log_x, and its standard error: seeds left
 * out one by one (jackknife). A part and a match for each of `count` numbers, at most
 * SOTTO__STAGE_EPSILONS. */
typedef struct sotto__exponent {
    double slope, error;
} sotto__exponent;
sotto__exponent sotto__exponent_of(const sotto__part *const *part, const uint32_t *match,
                                   const double *log_x, uint32_t count);

/* ---- overview ------------------------------------------------------------------------------- */

/* The paper's own figure, two by two, with sotto in it. */

/* Columns: shared and per-arm parameters; rows: epsilon 1 and 5. */
#define SOTTO__OVERVIEW_PANELS 4u

/* The part and the epsilon of a panel, exact; NULL: it was not played. */
const sotto__part *sotto__overview_part(const sotto__reproduction *reproduction, uint32_t panel,
                                        double *epsilon);

/* The figure, "paper-figure"; `alt` says what it shows. It lives as long as the reproduction. False
 * if there is no memory. With panels_count 0 nothing of it was played. */
bool sotto__overview_figure(sotto__reproduction *reproduction, sotto__figure *out,
                            const char **alt);

/* ---- papers_best ---------------------------------------------------------------------------- */

/* The best of the methods that the paper compares. */

/* True for the methods that the paper compares. */
bool sotto__player_is_papers(sotto_player player);

/* The smallest mean regret at the last round; `player` is SOTTO_PLAYERS and `mean` NAN if there is
 * none. */
typedef struct sotto__papers_best {
    double mean;
    sotto_player player;
    const sotto__stage *stage;
} sotto__papers_best;

/* At an epsilon, of the paper's methods that keep their claim, in any part of an experiment: as
 * published or exact. */
sotto__papers_best sotto__papers_best_of(const sotto__reproduction *reproduction,
                                         const sotto__experiment *experiment, double epsilon);

/* ---- rates ---------------------------------------------------------------------------------- */

/* How regret grows with T and with 1/epsilon, beside theory. */

/* The functions below return false if there is no memory. A stage that is not
 * played has no table. */

/* The exponent of epsilon of every method, fitted up to epsilon 1. */
bool sotto__epsilons_fill(sotto__section *section);

/* The exponent of T of every method. */
bool sotto__growth_fill(sotto__section *section);

/* Regret over the lower bound; a check for each private method that it is not below what is proved. */
bool sotto__bound_fill(sotto__section *section);

/* What no epsilon-LDP method can stay below, as a ratio to sqrt(T d)/(e^epsilon - 1). */
double sotto__least_ratio(uint32_t dim, double epsilon);

/* ---- reference_regret ----------------------------------------------------------------------- */

/* The results of the authors' own code, with which a reproduction is compared. */

#define SOTTO__REFERENCE_SEEDS 10u

/* Regret of one method at its last round, by seed. */
typedef struct sotto__reference {
    sotto_parameters parameters;
    sotto_link link;
    uint32_t dim, arms;
    double epsilon, delta;
    uint64_t rounds; /* T + 1: theirs are numbered from 0 to T */
    sotto_player player;
    uint32_t seeds;
    double regret[SOTTO__REFERENCE_SEEDS];
} sotto__reference;

extern const sotto__reference sotto__references[];
extern const uint32_t sotto__references_count;

/* The reference for the setting of a match, or NULL. */
const sotto__reference *sotto__reference_of(const sotto_match *match);

/* ---- regrets -------------------------------------------------------------------------------- */

/* Regret at the last round: every method, what it promises, and the paper's claim. */

/* False if there is no memory. */
bool sotto__regrets_fill(sotto__section *section);

/* ---- sections ------------------------------------------------------------------------------- */

/* The results of an experiment as a section of the page. */

/* All of it except the figures. It lives as long as the reproduction. False if there is no memory. */
bool sotto__section_of(sotto__reproduction *reproduction, const sotto__experiment *experiment,
                       sotto__html_section *out);

/* ---- simulate_command ----------------------------------------------------------------------- */

/* A part as a command. */

/* The `sotto simulate` command that plays the same runs; on the stand-in, if they need customers. */
const char *sotto__simulate_command(const sotto__part *part, sotto__pool *pool);

#endif
