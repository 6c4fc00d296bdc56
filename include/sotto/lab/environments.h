/*
 * The lab: simulated people and their rewards.
 * Not for production. The head of core.h says what NULL does.
 */
#ifndef SOTTO_LAB_ENVIRONMENTS_H
#define SOTTO_LAB_ENVIRONMENTS_H

#include <sotto/core.h>
#include <sotto/lab/plugins.h>

#if defined(SOTTO_SIDE_CLIENT) || defined(SOTTO_SIDE_SERVER) || defined(SOTTO_SIDE_CORE)
#error "sotto/lab can be seeded: code that ships may not use it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Where people's contexts come from: docs/methods.md, section 9. */
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

#define SOTTO_ENUMERATOR_ENVIRONMENT(name, text) SOTTO_ENVIRONMENT_##name,
#define SOTTO_ENUMERATOR_LAW(name, text) SOTTO_LAW_##name,
typedef enum sotto_environment_kind {
    SOTTO_ENVIRONMENT_MAP(SOTTO_ENUMERATOR_ENVIRONMENT)
} sotto_environment_kind;
typedef enum sotto_reward_law { SOTTO_LAW_MAP(SOTTO_ENUMERATOR_LAW) } sotto_reward_law;
/* A _name function returns NULL for a number that is not in the list; a _from_name function returns
 * false for a name that is not, and leaves *out unchanged. */
SOTTO_API const char *sotto_environment_kind_name(sotto_environment_kind value);
SOTTO_API bool sotto_environment_kind_from_name(const char *name, sotto_environment_kind *out);
SOTTO_API const char *sotto_reward_law_name(sotto_reward_law value);

/* A fixed set of people to draw from. Each row has a context for every arm, none of them longer than
 * 1. */
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

/* The customers of environment loan, the auto-loan study: 25 prices, contexts of 18 numbers, link
 * logit. */
typedef struct sotto_loan sotto_loan;

/* Reads a CSV file with the columns of the data set CPRM-12-001; for path NULL makes synthetic customers
 * instead. On failure *out is NULL, and the fault has the file, the line, the column, its value and what
 * is allowed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_loan_open(const char *path, sotto_loan **out,
                                                   sotto_fault *fault);
/* Valid until the study is freed. */
SOTTO_API const sotto_population *sotto_loan_population(const sotto_loan *loan);
SOTTO_API void sotto_loan_free(sotto_loan *loan);

/* The world of a run. */
typedef struct sotto_environment {
    sotto_environment_kind kind;
    sotto_reward_law law;
    double noise;      /* sd of law gaussian, 0 to 1e6 */
    double theta_norm; /* length of each true parameter, above 0, at most theta_norm_max */
    double margin;     /* beta of environment margin, 0 to 1 */
    double drift; /* of environment drift: theta* turns by this many radians per round, 0 to 1 */
    const sotto_population *population; /* of environment loan, borrowed; otherwise NULL */
    /* A custom environment, borrowed, which replaces `kind`. NULL: none. */
    const sotto_environment_table *custom;
} sotto_environment;

#ifdef __cplusplus
}
#endif
#endif
