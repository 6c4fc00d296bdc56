/*
 * The laboratory: the only part that sees both sides, and the only one that can be seeded. It runs
 * the very client and server code. Not for production: a seeded report protects nobody.
 */
#ifndef SOTTO_LAB_H
#define SOTTO_LAB_H

#include <sotto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Mechanisms as one meets them in the literature: a vector of the ball of radius R in, one private
 * report out. */
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
const char *sotto_mechanism_kind_name(uint32_t value);

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
/* The spec of those reports, or NULL for a mechanism without one (privunit, gaussian, laplace). */
const sotto_resolved *sotto_mechanism_spec(const sotto_mechanism *mechanism);
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
sotto_paper_moments sotto_paper_calibration(double epsilon, double delta, double context_norm_max);

/* ---- audit -------------------------------------------------------------------------------- */

/* The audit measures how much a mechanism gives away and compares it with its claim. It can find a
 * violation; it cannot prove that there is none. */

#define SOTTO_AUDIT_ROWS_MAX 64u
#define SOTTO_AUDIT_NAME_BYTES 80u
#define SOTTO_AUDIT_REASON_BYTES 400u

typedef struct sotto_audit_settings {
    const char *command; /* a shell command to audit, borrowed; NULL: audit `mechanism` */
    sotto_mechanism_settings mechanism; /* command: only dim, epsilon, delta, radius, seed count */
    uint64_t trials;                    /* of each pair of inputs, and of the law: 1 to 1e9 */
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
const char *sotto_audit_verdict_name(uint32_t value);

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
    char reason[SOTTO_AUDIT_REASON_BYTES]; /* why it ended early or says nothing, or "" */
    double epsilon_lower; /* the true epsilon is larger, with chance 1 - alpha; NAN: no trial */
    uint32_t pairs;
    uint32_t rows_count;
    sotto_audit_row row[SOTTO_AUDIT_ROWS_MAX];
    double seconds;
} sotto_audit_result;

/* Hears how far the audit is. */
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
