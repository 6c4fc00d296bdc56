/*
 * The lab: a method in an environment, that is, one run without its seed.
 * Not for production. The head of core.h says what NULL does.
 */
#ifndef SOTTO_LAB_MATCHES_H
#define SOTTO_LAB_MATCHES_H

#include <sotto/lab/environments.h>
#include <sotto/lab/methods.h>
#include <sotto/server.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    /* Of the comparison. The spec of a pure method has delta 0, but the authors' ldp-sgd uses gaussian
     * noise in warm-up. */
    double delta;
    bool split_paper; /* calibration paper, ldp-sgd, per-arm: K reports at epsilon/2 */
    bool exact_noise; /* draw lattice noise as a device does, not by the lab's faster sampler */
    /* People per second, 1e-6 to 1e9. Reports then arrive as at a service: after spec.reward_window_s
     * plus a random part of spec.send_spread_s. The server's epochs also end by its clock, and reports
     * more than spec.epoch_lag_max epochs late are refused. 0: no clock, and all reports are exactly
     * spec.epoch_lag_max epochs late. */
    double people_per_second;
    /* The shortest epoch, with a clock. 0: epochs end only by their size, which may be below the 20
     * reports that a service waits for. */
    uint32_t epoch_seconds_min;
    /* Instead of the epochs of `learning`, epochs of this share of all reports so far, 0 to 1; 0: off. No
     * server does this; it shows the cost. */
    double growth;
    /* The share of people whose reports are made to do harm, 0 to 0.5: docs/methods.md, section 14. */
    double liars;
    uint32_t grind; /* nonces that each of them tries, 1 to SOTTO_GRIND_MAX */
    /* What a unit of reward is worth, one number per arm, 0 to 1e6; borrowed. Decisions and regret then
     * use worth times mean; learning still uses the reward. NULL: none. */
    const double *worth;
    /* A custom method, borrowed, which replaces `player` and `learning`. A learning.horizon of 0 still
     * hides the horizon from it. NULL: none. */
    const sotto_player_table *custom;
} sotto_match;

/* What all matches of a comparison have in common. */
typedef struct sotto_scene {
    uint32_t dim, arms;
    sotto_parameters parameters;
    sotto_link link;
    sotto_reward_kind reward_kind;
    sotto_environment_kind environment;
    uint64_t horizon;
    const sotto_population *population;    /* as in sotto_environment */
    const sotto_environment_table *custom; /* likewise */
} sotto_scene;

/* The usual kind of reward of a link: binary for logit and probit, count for log, else continuous. */
SOTTO_API sotto_reward_kind sotto_link_reward_kind(sotto_link link);

/* A match with defaults: bounds, noise and parameter of the environment, the score that fits reward and
 * link, delta only for gaussian noise. Set `learning` next. */
SOTTO_API sotto_match sotto_match_default(sotto_player player, sotto_calibration calibration,
                                          const sotto_scene *scene, double epsilon, double delta);
/* Sets match->learning to the defaults for its spec and horizon. SOTTO_E_FAULT for a spec that cannot
 * be used. */
SOTTO_API SOTTO_CHECK sotto_status sotto_match_set_learning(sotto_match *match);

/* Sets a clock like that of a service: people_per_second, the two delays of the spec and, for methods
 * with epochs, spec.epoch_lag_max to 8 and epoch_seconds_min to (window_s + spread_s)/8, at least 1. A
 * rate of 0 means no clock. */
SOTTO_API void sotto_match_set_clock(sotto_match *match, uint32_t window_s, uint32_t spread_s,
                                     double people_per_second);

/* SOTTO_OK if the match can be played; otherwise SOTTO_E_FAULT with the reason and what is allowed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_match_fault(const sotto_match *match, sotto_fault *fault);

/* The paper's constants, estimated by drawing contexts from an environment. */
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
    /* What theory derives from them: the smallest eta0 of steps eta0/t (Theorems 3.1, 4.1, c' = 1), and
     * e in regret ~ T^e (Theorems 3.3, 4.1); e = 0 means log T. */
    double eta0;
    double exponent;
    uint64_t draws;
} sotto_assumptions;

/* draws is at least 100 and should be far above dim, because few draws spread eigenvalues too widely.
 * SOTTO_E_FAULT also for a custom environment, because it need not have a theta*. */
SOTTO_API SOTTO_CHECK sotto_status sotto_assumptions_estimate(const sotto_match *match,
                                                              uint64_t seed, uint64_t draws,
                                                              sotto_assumptions *out);

#ifdef __cplusplus
}
#endif
#endif
