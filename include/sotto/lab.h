/*
 * The laboratory: the only part that sees both sides, and the only one that can be seeded. It runs
 * the client and server code that ships. Not for production: a seeded report protects nobody.
 * What NULL does is said at the head of core.h.
 */
#ifndef SOTTO_LAB_H
#define SOTTO_LAB_H

#include <sotto/core.h>
#include <sotto/lab/plugin.h>
#include <sotto/server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Mechanisms as they are found in the literature: they take a vector of the ball of radius R and give
 * one private report. */
#define SOTTO_MECHANISM_MAP(X)                                                                     \
    X(CODEBOOK, "codebook")                                                                        \
    X(L2BALL, "l2ball")                                                                            \
    X(PRIVUNIT, "privunit")                                                                        \
    X(GAUSSIAN, "gaussian")                                                                        \
    X(LAPLACE, "laplace")
#define SOTTO_ENUMERATOR_MECHANISM(name, text) SOTTO_MECHANISM_##name,
typedef enum sotto_mechanism_kind {
    SOTTO_MECHANISM_MAP(SOTTO_ENUMERATOR_MECHANISM)
} sotto_mechanism_kind;
const char *sotto_mechanism_kind_name(sotto_mechanism_kind value);

typedef struct sotto_mechanism_settings {
    sotto_mechanism_kind kind;
    uint32_t dim;           /* 1 to SOTTO_DIM_MAX */
    double epsilon;         /* 0.01 to 8; gaussian and laplace: to 50 */
    double delta;           /* gaussian: 1e-12 to 1e-6, see allow_weak_delta; others meet any */
    bool allow_weak_delta;  /* consent to delta above 1e-6, up to 0.5 */
    double radius;          /* R, 1e-6 to 1e6: longer vectors are clipped */
    uint32_t codebook_size; /* M of codebook: even, 2 to SOTTO_CODEBOOK_SIZE_MAX */
    bool seeded;            /* draw from `seed` instead of the system */
    uint64_t seed;
} sotto_mechanism_settings;

/* Radius 1, delta 0 (gaussian: 1e-6), the system's randomness, the codebook size that a spec of this
 * epsilon gets. */
sotto_mechanism_settings sotto_mechanism_default(sotto_mechanism_kind kind, uint32_t dim,
                                                 double epsilon);
/* NULL, or `text` naming the first setting at fault, its value and what is allowed. */
const char *sotto_mechanism_fault(const sotto_mechanism_settings *settings,
                                  char text[SOTTO_FAULT_BYTES]);

typedef struct sotto_mechanism sotto_mechanism;

/* A mechanism with an unlimited ledger in memory. */
SOTTO_CHECK sotto_status sotto_mechanism_new(const sotto_mechanism_settings *settings,
                                             sotto_mechanism **out);
void sotto_mechanism_free(sotto_mechanism *mechanism);

/* Privatises x (dim numbers). `estimate` receives the unbiased estimate of x, dim numbers. */
SOTTO_CHECK sotto_status sotto_mechanism_draw(sotto_mechanism *mechanism, const double *x,
                                              double *estimate);

/* The report behind the last estimate, or NULL for a mechanism without one (privunit). */
const sotto_report *sotto_mechanism_report(const sotto_mechanism *mechanism);
/* The terms of those reports, or NULL for a mechanism without one (privunit, gaussian, laplace). */
const sotto_terms *sotto_mechanism_terms(const sotto_mechanism *mechanism);
/* The constants of gaussian and laplace, whose reports are ticks; NULL for the others. */
const sotto_lattice *sotto_mechanism_lattice(const sotto_mechanism *mechanism);
/* Length of the estimate over the radius: B. 1 for gaussian and laplace. */
double sotto_mechanism_scale(const sotto_mechanism *mechanism);

/* The paper's noise on the moments (x x', r x), ||x|| <= C_B, |r| <= c_r, and what it truly gives:
 * N(0, (2 C_B sigma)^2) on each entry of x x' and N(0, (C_B c_r sigma)^2) on each of r x, with
 * sigma = 2 sqrt(2 ln(1.25/delta))/epsilon. */
typedef struct sotto_paper_moments {
    double sigma;
    double whitened; /* largest distance of two secrets' moments, in units of the noise */
    double epsilon;  /* the true epsilon at the claimed delta */
    double delta;    /* the true delta at the claimed epsilon */
} sotto_paper_moments;

/* epsilon above 0, delta in (0, 1), context_norm_max above 0. */
sotto_paper_moments sotto_paper_moments_calibrate(double epsilon, double delta,
                                                  double context_norm_max);

/* The paper's noise beside the exact one, for |r| <= 1: standard deviations on an entry of x x' off
 * the diagonal and on an entry of r x. */
typedef struct sotto_paper_comparison {
    double epsilon, delta, context_norm_max; /* what is claimed */
    double paper_square, paper_product;
    double exact_square, exact_product;
    double true_epsilon, true_delta; /* of the paper's noise, as in sotto_paper_moments */
    bool holds;                      /* the claim, by the paper's noise */
} sotto_paper_comparison;

/* The same ranges. */
sotto_paper_comparison sotto_paper_compare(double epsilon, double delta, double context_norm_max);

#define SOTTO_PAPER_GRID_MAX 96u
/* Comparisons over a grid, epsilon changing first. A number that is given replaces all those of its
 * kind; NULL leaves them. Returns how many there are. */
uint32_t sotto_paper_grid(const double *epsilon, const double *delta,
                          const double *context_norm_max,
                          sotto_paper_comparison out[SOTTO_PAPER_GRID_MAX]);

/* ---- simulation --------------------------------------------------------------------------- */

/* A run is (spec, method, environment, seed, horizon) and nothing else: it gives the same numbers
 * on any thread, in any order, next to any other runs. */

/* Methods as one compares them: those that ship, in the order of sotto_method, then baselines
 * without privacy. */
#define SOTTO_PLAYER_MAP(X)                                                                        \
    X(SOTTO, "sotto")                                                                              \
    X(SOTTO_OLS, "sotto-ols")                                                                      \
    X(LDP_SGD, "ldp-sgd")                                                                          \
    X(LDP_OLS, "ldp-ols")                                                                          \
    X(LDP_UCB, "ldp-ucb")                                                                          \
    X(LDP_GLOC, "ldp-gloc")                                                                        \
    X(OLS, "ols")                                                                                  \
    X(LINUCB, "linucb")                                                                            \
    X(SGD, "sgd")                                                                                  \
    X(GLM_UCB, "glm-ucb")                                                                          \
    X(RANDOM, "random")                                                                            \
    X(ORACLE, "oracle")
/* exact: what the claim says is what you get, by the shipping code. paper: the constants printed in
 * the paper. published: what the authors' code does. The last two are for comparison only. */
#define SOTTO_CALIBRATION_MAP(X) X(EXACT, "exact") X(PAPER, "paper") X(PUBLISHED, "published")
/* Departures of the authors' code from the paper that calibration published can undo, one by one,
 * to see what each is worth; see correction.c. */
#define SOTTO_CORRECTION_MAP(X)                                                                    \
    X(REGULARISER, "regulariser", "least squares with the paper's shift")                          \
    X(NOISE, "noise", "the noise that the claim needs, and no more")                               \
    X(RADIUS, "radius", "l2-ball for gradients up to R = 2 c_r C_B, not 1")                        \
    X(STEP, "step", "steps of eta0/t, no ridge")                                                   \
    X(BOUNDED, "bounded", "theta_h kept in the unit ball")                                         \
    X(EXPLORATION, "exploration", "a bonus by the matrix V, not the identity")                     \
    X(SHIFT, "shift", "shift of 2 upsilon, not 0.2")                                               \
    X(DIMENSION, "dimension", "l2-ball of the radius for dim x arms, not dim")                     \
    X(RANK, "rank", "the matrix x x' in V, not the number x . x")
/* Where people's contexts come from: see src/lab/environment. */
#define SOTTO_ENVIRONMENT_MAP(X)                                                                   \
    X(SPHERE, "sphere")                                                                            \
    X(BALL, "ball")                                                                                \
    X(GAUSSIAN, "gaussian")                                                                        \
    X(ANISOTROPIC, "anisotropic")                                                                  \
    X(MARGIN, "margin")                                                                            \
    X(DRIFT, "drift")                                                                              \
    X(PUBLISHED, "published")                                                                      \
    X(LOAN, "loan")
/* How a reward falls around its mean m: N(m, noise^2); m itself; 1 with chance m; Poisson(m). */
#define SOTTO_LAW_MAP(X)                                                                           \
    X(GAUSSIAN, "gaussian") X(NONE, "none") X(BERNOULLI, "bernoulli") X(POISSON, "poisson")

#define SOTTO_ENUMERATOR_PLAYER(name, text) SOTTO_PLAYER_##name,
#define SOTTO_ENUMERATOR_CALIBRATION(name, text) SOTTO_CALIBRATION_##name,
#define SOTTO_ENUMERATOR_ENVIRONMENT(name, text) SOTTO_ENVIRONMENT_##name,
#define SOTTO_ENUMERATOR_LAW(name, text) SOTTO_LAW_##name,
typedef enum sotto_player { SOTTO_PLAYER_MAP(SOTTO_ENUMERATOR_PLAYER) SOTTO_PLAYERS } sotto_player;
typedef enum sotto_calibration {
    SOTTO_CALIBRATION_MAP(SOTTO_ENUMERATOR_CALIBRATION)
} sotto_calibration;
#define SOTTO_ENUMERATOR_CORRECTION(name, text, meaning) SOTTO_CORRECTION_##name,
typedef enum sotto_correction {
    SOTTO_CORRECTION_MAP(SOTTO_ENUMERATOR_CORRECTION) SOTTO_CORRECTIONS
} sotto_correction;
typedef enum sotto_environment_kind {
    SOTTO_ENVIRONMENT_MAP(SOTTO_ENUMERATOR_ENVIRONMENT)
} sotto_environment_kind;
typedef enum sotto_reward_law { SOTTO_LAW_MAP(SOTTO_ENUMERATOR_LAW) } sotto_reward_law;
const char *sotto_player_name(sotto_player value);
const char *sotto_calibration_name(sotto_calibration value);
const char *sotto_correction_name(sotto_correction value);
const char *sotto_environment_kind_name(sotto_environment_kind value);
const char *sotto_reward_law_name(sotto_reward_law value);

/* True for the methods whose reports are private; false for the baselines. */
bool sotto_player_is_private(sotto_player player);

/* People to draw from, and what is known of them: a fixed set of rows, each a context of every arm,
 * none of them longer than 1. */
typedef struct sotto_population {
    uint64_t rows;
    uint32_t dim, arms;
    sotto_link link;       /* of the mean reward */
    const double *theta;   /* the true parameter, dim numbers; NULL: not found */
    double theta_norm_max; /* what methods know of its length */
    const double *worth;   /* what a unit of reward is worth, one number per arm */
    void (*contexts)(const void *data, uint64_t row, double *context); /* arms x dim numbers */
    const void *data;
} sotto_population;

/* The world of a run. */
typedef struct sotto_environment {
    sotto_environment_kind kind;
    sotto_reward_law law;
    double noise;      /* sd of law gaussian, 0 to 1e6 */
    double theta_norm; /* length of each true parameter, above 0, at most theta_norm_max */
    double margin;     /* beta of environment margin, 0 to 1 */
    double drift; /* of environment drift: theta* turns by this many radians per round, 0 to 1 */
    const sotto_population *population; /* of environment loan, borrowed; the others have none */
    /* An environment that people brought, borrowed; `kind` does not count then. NULL: none. */
    const sotto_environment_table *brought;
} sotto_environment;

#define SOTTO_GRIND_MAX 10000u

/* One run, without its seed. */
typedef struct sotto_match {
    sotto_player player;
    sotto_calibration calibration;
    uint32_t corrections;    /* of calibration published: bit c is sotto_correction c */
    sotto_spec spec;         /* the bounds and, for methods that ship, all the terms */
    sotto_learning learning; /* of methods that ship, under calibration exact and paper */
    sotto_environment environment;
    uint64_t horizon; /* T, 1 to SOTTO_HORIZON_MAX; known to the method unless learning says 0 */
    double delta;     /* of the comparison: the authors' ldp-sgd warms up with gaussian noise, while
                         its spec, like those of all pure methods, has none */
    bool split_paper; /* calibration paper, ldp-sgd, per-arm: K reports at epsilon/2 */
    bool exact_noise; /* draw lattice noise as a device does, not by the lab's faster sampler */
    double growth;    /* epochs of this part of all reports so far, 0 to 1, instead of what learning
                         says; 0: not. No server has it: it is here to be seen failing */
    double liars;   /* the part of people whose reports are made to do harm, 0 to 0.5; see liar.c */
    uint32_t grind; /* nonces that each of them tries, 1 to SOTTO_GRIND_MAX */
    /* What a unit of reward is worth, one number per arm, 0 to 1e6; borrowed. Decisions and
     * regret are then by worth times mean, while the reward is learnt from as it is. NULL: none. */
    const double *worth;
    /* A method that people brought, borrowed. `player` and `learning` do not count then, except that a
     * learning.horizon of 0 keeps the horizon from it. NULL: none. */
    const sotto_player_table *brought;
} sotto_match;

/* What the matches of one comparison have in common. */
typedef struct sotto_scene {
    uint32_t dim, arms;
    sotto_parameters parameters;
    sotto_link link;
    sotto_reward_kind reward_kind;
    sotto_environment_kind environment;
    uint64_t horizon;
    const sotto_population *population;     /* as in sotto_environment */
    const sotto_environment_table *brought; /* likewise */
} sotto_scene;

/* The kind of reward that goes with a link: binary for logit and probit, count for log. */
sotto_reward_kind sotto_link_reward_kind(sotto_link link);

/* A match by the rules: bounds, noise and parameter of the environment, the score that fits reward
 * and link, delta for gaussian noise only. Learning is still to be set. */
sotto_match sotto_match_default(sotto_player player, sotto_calibration calibration,
                                const sotto_scene *scene, double epsilon, double delta);
/* Sets match->learning to the defaults of its spec and horizon. SOTTO_E_FAULT for a spec that cannot
 * be used. */
SOTTO_CHECK sotto_status sotto_match_set_learning(sotto_match *match);

/* NULL if the match can be played; otherwise `text`: the reason, and the nearest that has a
 * meaning. */
const char *sotto_match_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES]);

typedef struct sotto_point {
    uint64_t t;              /* rounds played */
    double regret;           /* sum of max_a mu_a - mu_(a_t), from the true parameters; with worths
                                of worth_a mu_a */
    double estimation_error; /* ||estimate that decides - theta*||; per-arm: sum over arms */
} sotto_point;

#define SOTTO_POINTS_MAX 4096u /* check-points of a run */

typedef struct sotto_run_result {
    double seconds;                /* of processor time */
    uint64_t repairs;              /* see sotto_learner_repairs */
    char fault[SOTTO_FAULT_BYTES]; /* after SOTTO_E_PLUGIN: what was brought, and what it did */
} sotto_run_result;

/* Follows a run. */
typedef struct sotto_run_watch {
    /* Now and then, at the latest after 1024 rounds: how many were played since the last call. False
     * ends the run. */
    bool (*go_on)(void *state, uint64_t rounds);
    void *state;
} sotto_run_watch;

/* Plays a match. `point` has points_count entries with t set, increasing, the last of them the
 * horizon; the rest is filled. `watch` may be NULL. *finished is false if the watch ended the run.
 */
SOTTO_CHECK sotto_status sotto_match_play(const sotto_match *match, uint64_t seed,
                                          sotto_point *point, uint32_t points_count,
                                          const sotto_run_watch *watch, sotto_run_result *result,
                                          bool *finished);

/* The paper's constants, as found by drawing contexts of an environment. */
typedef struct sotto_assumptions {
    double kappa_u; /* d times the largest eigenvalue of the covariance of a context */
    /* kappa_l p*: d times the smallest eigenvalue of E[x x'] of the arm that is greedy for u, the
     * smallest over directions u. Per-arm: kappa_l p', lambda_min times the arms that are best for
     * somebody. */
    double kappa_l_p;
    double lambda_min;  /* the same eigenvalue for u = theta*; per-arm: the smallest over arms */
    double margin_beta; /* P(gap <= h) ~ gamma h^beta, fitted over small gaps */
    double margin_gamma;
    double zeta;          /* smallest slope of the link on [-C_B D, C_B D] */
    double random_regret; /* of a uniformly random arm, per round */
    /* What theory makes of them: the smallest eta0 of steps eta0/t (Theorems 3.1, 4.1, c' = 1), and
     * e in regret ~ T^e (Theorems 3.3, 4.1); e = 0 stands for log T. */
    double eta0;
    double exponent;
    uint64_t draws;
} sotto_assumptions;

/* draws is at least 100, and should be far above dim: eigenvalues of few draws lie too far out.
 * SOTTO_E_FAULT also for an environment that people brought: it need not have a theta*. */
SOTTO_CHECK sotto_status sotto_assumptions_estimate(const sotto_match *match, uint64_t seed,
                                                    uint64_t draws, sotto_assumptions *out);

/* ---- plan --------------------------------------------------------------------------------- */

/* What an epsilon will cost, before anybody is asked: regret of method sotto predicted by a
 * recursion (see plan.c) instead of played. It is for contexts spread evenly over a sphere, one
 * report per person, and a true parameter as long as theta_norm_max; `learning` of the match is not
 * used: it is the default one. */
typedef struct sotto_plan {
    sotto_match match;
    sotto_terms terms;    /* M, k, B, w and the rest of what is chosen */
    double reach;         /* x . theta/D of the best arm, in the mean */
    double across;        /* H: what is left of the score's slope once arms are chosen well */
    double best_reward;   /* mean reward of a person who gets the best arm */
    double chance_reward; /* and of one who gets a random arm */
    /* Reports that a person's device sends in its life under the default policy; 0: it refuses this
     * epsilon. */
    uint64_t reports_per_person;
} sotto_plan;

typedef struct sotto_plan_point {
    uint64_t people;
    double regret;            /* of all these people together */
    double regret_per_person; /* regret over people */
    double regret_next;       /* of the next person */
    double open_regret;       /* both for the same method without privacy: reports as they are */
    double open_regret_next;
    double cost;            /* regret over open_regret */
    uint64_t epoch_reports; /* of the epoch that begins here, where epochs are by the rule */
} sotto_plan_point;

/* NULL if regret can be predicted; otherwise `text`: the reason, and what can be. */
const char *sotto_plan_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES]);
SOTTO_CHECK sotto_status sotto_plan_make(const sotto_match *match, sotto_plan *out);

/* `point` has `people` set, growing, to at most SOTTO_HORIZON_MAX; the rest is filled. */
void sotto_plan_predict(const sotto_plan *plan, sotto_plan_point *point, uint32_t points_count);

/* The smallest number of people for whom an experiment, planned for so many, costs each of them at
 * most `target` of regret in the mean. 0: more than SOTTO_HORIZON_MAX. */
uint64_t sotto_plan_people(const sotto_plan *plan, double target);

/* The number of people, to one part in 200, from which on the next person's mean reward is at most
 * `share` (0 to 1) below what the same method gives without privacy. 0: more than
 * SOTTO_HORIZON_MAX. */
uint64_t sotto_plan_within(const sotto_plan *plan, double share);

/* The points of a curve: `count` of them, at least 2, from 10 people to the horizon, which is
 * larger, evenly by powers of ten. */
void sotto_plan_curve(const sotto_plan *plan, sotto_plan_point *point, uint32_t count);

#define SOTTO_PLAN_EPSILONS_MAX 8u
#define SOTTO_PLAN_POINTS_MAX 16u

/* What is asked before an experiment. */
typedef struct sotto_plan_question {
    sotto_match match; /* epsilon and learning are set by the answer */
    uint32_t epsilons_count;
    double epsilon[SOTTO_PLAN_EPSILONS_MAX];
    double target;         /* regret per person that is to be reached; 1e-9 to 1e6 */
    bool target_is_share;  /* `target` is a part of the best reward */
    double within_percent; /* how near a reward is to come to that without privacy; 0.01 to 99 */
    uint64_t per_day;      /* people per day, to 1e12; 0: not known */
} sotto_plan_question;

/* What one epsilon costs. People are 0 where more than SOTTO_HORIZON_MAX would be needed, days where
 * people are or people per day are not known. */
typedef struct sotto_plan_answer {
    sotto_plan plan;
    uint32_t points_count;
    sotto_plan_point point[SOTTO_PLAN_POINTS_MAX]; /* at 10, 100, ... people and at the horizon */
    sotto_plan_point end;                          /* at the horizon */
    /* As parts of the best reward: */
    double share;        /* of regret per person, at the end */
    double chance_share; /* of what a random arm loses */
    double target_share;
    double target; /* regret per person */
    uint64_t target_people, target_days;
    uint64_t within_people, within_days;
    /* What is chosen, beside plan.terms: */
    bool averaged; /* by the averaged estimator, not the tracked one */
    size_t report_bytes;
    uint64_t warm_up;
    bool checked; /* within the grid on which predictions were compared with played runs */
} sotto_plan_answer;

/* Half of an epsilon, beside the whole. */
typedef struct sotto_plan_half {
    bool there; /* it is not, where half would be too small an epsilon */
    sotto_plan_answer answer;
    double regret_ratio; /* to that of the whole */
    double people_ratio; /* of target_people; NaN where either does not exist */
} sotto_plan_half;

typedef struct sotto_plan_answers {
    uint32_t count;
    sotto_plan_answer of[SOTTO_PLAN_EPSILONS_MAX];
    sotto_plan_half half[SOTTO_PLAN_EPSILONS_MAX];
    double epsilon_per_report_max, epsilon_lifetime; /* that a device's default policy allows */
} sotto_plan_answers;

/* Epsilon 1, a target of 5 % of the best reward, within 5 %, people per day not known. */
sotto_plan_question sotto_plan_question_default(const sotto_match *match);
/* NULL, or `text` naming what cannot be answered, and what can be. */
const char *sotto_plan_question_fault(const sotto_plan_question *question,
                                      char text[SOTTO_FAULT_BYTES]);
/* What `out` holds after a failure means nothing. */
SOTTO_CHECK sotto_status sotto_plan_question_answer(const sotto_plan_question *question,
                                                    sotto_plan_answers *out);

/* ---- sweeps ------------------------------------------------------------------------------- */

/* Many runs: matches x seeds, played by a fixed number of threads. */
typedef struct sotto_sweep {
    const sotto_match *match; /* borrowed */
    uint32_t matches_count;
    uint64_t first_seed;
    uint32_t seeds_count;
    const uint64_t *at; /* check-points, borrowed; see sotto_point */
    uint32_t at_count;
    uint32_t threads; /* 1 to SOTTO_THREADS_MAX */
} sotto_sweep;

#define SOTTO_THREADS_MAX 1024u

/* Run r of a sweep is match r / seeds_count with seed first_seed + r % seeds_count. */
static inline uint64_t sotto_sweep_runs(const sotto_sweep *sweep)
{
    return sweep == NULL ? 0 : (uint64_t)sweep->matches_count * sweep->seeds_count;
}

/* Follows a sweep. Always called on the thread that called sotto_sweep_run. */
typedef struct sotto_sweep_listener {
    /* True if the run need not be played: an earlier sweep finished it. NULL: all are played. */
    bool (*known)(void *state, uint64_t run);
    /* A run is finished, in whatever order that happens. False ends the sweep. */
    bool (*finished)(void *state, uint64_t run, const sotto_point *point,
                     const sotto_run_result *result);
    /* About ten times a second: rounds played so far. False ends the sweep. May be NULL. */
    bool (*progress)(void *state, uint64_t rounds);
    void *state;
    /* What was brought failed in this run, and `fault` says how. True goes on with the other runs, false
     * ends the sweep. NULL: the sweep ends with SOTTO_E_PLUGIN. */
    bool (*failed)(void *state, uint64_t run, const char *fault);
} sotto_sweep_listener;

/* SOTTO_OK also if the listener ended the sweep: it has heard of every run that was finished. */
SOTTO_CHECK sotto_status sotto_sweep_run(const sotto_sweep *sweep,
                                         const sotto_sweep_listener *listener);

/* ---- audit -------------------------------------------------------------------------------- */

/* The audit measures how much a mechanism gives away and compares it with its claim. It can find a
 * violation; it cannot prove that there is none. */

#define SOTTO_AUDIT_ROWS_MAX 64u
#define SOTTO_AUDIT_NAME_BYTES 80u

typedef struct sotto_audit_settings {
    const char *command; /* a shell command to audit, borrowed; NULL: audit `mechanism` */
    const sotto_mechanism_table *brought; /* a mechanism that people brought instead; NULL: none */
    /* Of a command and of what was brought only dim, epsilon, delta, radius and seed count. */
    sotto_mechanism_settings mechanism;
    uint64_t trials;  /* of each pair of inputs, and of the law: 1 to 1e9 */
    double alpha;     /* chance of a false alarm on a mechanism that keeps its claim: 1e-5 to 0.5 */
    double timeout_s; /* command: how long it may stand still; 0.01 to 86400 */
} sotto_audit_settings;

/* A million trials, alpha 0.01, 10 seconds. */
sotto_audit_settings sotto_audit_default(const sotto_mechanism_settings *mechanism);
/* NULL, or `text` naming the first setting at fault, its value and what is allowed. */
const char *sotto_audit_fault(const sotto_audit_settings *settings, char text[SOTTO_FAULT_BYTES]);

typedef enum sotto_audit_verdict {
    SOTTO_AUDIT_NO_VIOLATION,
    SOTTO_AUDIT_VIOLATION,
    SOTTO_AUDIT_INCONCLUSIVE,
} sotto_audit_verdict;
const char *sotto_audit_verdict_name(sotto_audit_verdict value);

/* One comparison; NAN for a number that it does not have. */
typedef struct sotto_audit_row {
    uint32_t layer; /* 0 same coins, 1 law of the noise, 2 Gaussian claims, 3 any mechanism */
    char name[SOTTO_AUDIT_NAME_BYTES];
    double statistic; /* measured */
    double bound;     /* allowed */
    double p_value;
    bool passed;
} sotto_audit_row;

typedef struct sotto_audit_result {
    sotto_audit_verdict verdict;
    char reason[SOTTO_FAULT_BYTES]; /* why it ended early or says nothing, or "" */
    double epsilon_lower; /* the true epsilon is larger, with chance 1 - alpha; NAN: no trial */
    uint32_t pairs;
    uint32_t rows_count;
    sotto_audit_row row[SOTTO_AUDIT_ROWS_MAX];
    double seconds;
} sotto_audit_result;

/* Follows an audit. */
typedef struct sotto_audit_progress {
    void (*show)(void *state, uint64_t done, uint64_t total);
    void *state;
} sotto_audit_progress;

/* `progress` may be NULL. A subject that misbehaves is no failure of the audit: SOTTO_OK, and an
 * inconclusive verdict with its reason. */
SOTTO_CHECK sotto_status sotto_audit_run(const sotto_audit_settings *settings,
                                         const sotto_audit_progress *progress,
                                         sotto_audit_result *result);

#ifdef __cplusplus
}
#endif
#endif
