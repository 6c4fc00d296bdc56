/*
 * The lab: mechanisms by name, and the true privacy of the paper's noise.
 * Not for production. The head of core.h says what NULL does.
 */
#ifndef SOTTO_LAB_MECHANISMS_H
#define SOTTO_LAB_MECHANISMS_H

#include <sotto/core.h>

#if defined(SOTTO_SIDE_CLIENT) || defined(SOTTO_SIDE_SERVER) || defined(SOTTO_SIDE_CORE)
#error "sotto/lab can be seeded: code that ships may not use it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Mechanisms of the literature: each turns a vector in the ball of radius R into one private report. */
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
/* A _name function returns NULL for a number that is not in the list; a _from_name function returns
 * false for a name that is not, and leaves *out unchanged. */
SOTTO_API const char *sotto_mechanism_kind_name(sotto_mechanism_kind value);
SOTTO_API bool sotto_mechanism_kind_from_name(const char *name, sotto_mechanism_kind *out);

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
SOTTO_API sotto_mechanism_settings sotto_mechanism_default(sotto_mechanism_kind kind, uint32_t dim,
                                                           double epsilon);
/* SOTTO_E_FAULT and the first setting at fault, its value and what is allowed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_mechanism_fault(const sotto_mechanism_settings *settings,
                                                         sotto_fault *fault);

typedef struct sotto_mechanism sotto_mechanism;

/* A mechanism with an unlimited ledger in memory. */
SOTTO_API SOTTO_CHECK sotto_status sotto_mechanism_new(const sotto_mechanism_settings *settings,
                                                       sotto_mechanism **out);
SOTTO_API void sotto_mechanism_free(sotto_mechanism *mechanism);

/* Privatises x (dim numbers). `estimate` receives the unbiased estimate of x, dim numbers. */
SOTTO_API SOTTO_CHECK sotto_status sotto_mechanism_draw(sotto_mechanism *mechanism, const double *x,
                                                        double *estimate);

/* The report behind the last estimate, or NULL for a mechanism without one (privunit). */
SOTTO_API const sotto_report *sotto_mechanism_report(const sotto_mechanism *mechanism);
/* The terms of those reports, or NULL for a mechanism without one (privunit, gaussian, laplace). */
SOTTO_API const sotto_terms *sotto_mechanism_terms(const sotto_mechanism *mechanism);
/* The constants of gaussian and laplace, whose reports are ticks; NULL for other mechanisms. */
SOTTO_API const sotto_lattice *sotto_mechanism_lattice(const sotto_mechanism *mechanism);
/* Length of the estimate over the radius: B. 1 for gaussian and laplace. */
SOTTO_API double sotto_mechanism_scale(const sotto_mechanism *mechanism);

/* The paper's noise on the moments (x x', r x), ||x|| <= C_B, |r| <= c_r, and its true privacy:
 * N(0, (2 C_B sigma)^2) on each entry of x x' and N(0, (C_B c_r sigma)^2) on each of r x, with
 * sigma = 2 sqrt(2 ln(1.25/delta))/epsilon. */
typedef struct sotto_paper_moments {
    double sigma;
    double whitened; /* largest distance of two secrets' moments, in units of the noise */
    double epsilon;  /* the true epsilon at the claimed delta */
    double delta;    /* the true delta at the claimed epsilon */
} sotto_paper_moments;

/* epsilon above 0, delta in (0, 1), context_norm_max above 0. */
SOTTO_API sotto_paper_moments sotto_paper_moments_calibrate(double epsilon, double delta,
                                                            double context_norm_max);

/* The paper's noise compared with the exact one, for |r| <= 1: standard deviations on an entry of x x'
 * off the diagonal and on an entry of r x. */
typedef struct sotto_paper_comparison {
    double epsilon, delta, context_norm_max; /* the claim */
    double paper_square, paper_product;
    double exact_square, exact_product;
    double true_epsilon, true_delta; /* of the paper's noise, as in sotto_paper_moments */
    bool holds;                      /* the paper's noise keeps the claim */
} sotto_paper_comparison;

/* The same ranges. */
SOTTO_API sotto_paper_comparison sotto_paper_compare(double epsilon, double delta,
                                                     double context_norm_max);

#define SOTTO_PAPER_GRID_MAX 96u
/* Comparisons over a grid, epsilon changing first. A number that is not NULL replaces all numbers of its
 * kind. Returns the number of comparisons. */
SOTTO_API uint32_t sotto_paper_grid(const double *epsilon, const double *delta,
                                    const double *context_norm_max,
                                    sotto_paper_comparison out[SOTTO_PAPER_GRID_MAX]);

#ifdef __cplusplus
}
#endif
#endif
