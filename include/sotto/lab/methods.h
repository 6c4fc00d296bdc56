/*
 * The lab: methods by name, those that ship and those to compare them with.
 * Not for production. The head of core.h says what NULL does.
 */
#ifndef SOTTO_LAB_METHODS_H
#define SOTTO_LAB_METHODS_H

#include <sotto/core.h>

#if defined(SOTTO_SIDE_CLIENT) || defined(SOTTO_SIDE_SERVER) || defined(SOTTO_SIDE_CORE)
#error "sotto/lab can be seeded: code that ships may not use it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The methods to compare: those that ship, in the order of sotto_method, then baselines
 * without privacy, then rivals published since 2021 (docs/methods.md, section 7). */
#define SOTTO_PLAYER_MAP(X)                                                                        \
    X(SOTTO, "sotto")                                                                              \
    X(SOTTO_OLS, "sotto-ols")                                                                      \
    X(LDP_SGD, "ldp-sgd")                                                                          \
    X(LDP_OLS, "ldp-ols")                                                                          \
    X(LDP_UCB, "ldp-ucb")                                                                          \
    X(LDP_GLOC, "ldp-gloc")                                                                        \
    X(BEST_ARM, "best-arm")                                                                        \
    X(OLS, "ols")                                                                                  \
    X(LINUCB, "linucb")                                                                            \
    X(SGD, "sgd")                                                                                  \
    X(GLM, "glm")                                                                                  \
    X(GLM_UCB, "glm-ucb")                                                                          \
    X(RANDOM, "random")                                                                            \
    X(ORACLE, "oracle")                                                                            \
    X(MERINO, "merino")                                                                            \
    X(SHUFFLE_UCB, "shuffle-ucb")                                                                  \
    X(JOINT_GLM, "joint-glm")
/* exact: the claim holds, by the shipping code. paper: the constants printed in the paper.
 * published: what the authors' code does. The last two are for comparison only. */
#define SOTTO_CALIBRATION_MAP(X) X(EXACT, "exact") X(PAPER, "paper") X(PUBLISHED, "published")
/* Departures of the authors' code from the paper. Calibration published can undo each of them, to show
 * its effect: docs/methods.md, section 8. */
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

#define SOTTO_ENUMERATOR_PLAYER(name, text) SOTTO_PLAYER_##name,
#define SOTTO_ENUMERATOR_CALIBRATION(name, text) SOTTO_CALIBRATION_##name,
typedef enum sotto_player { SOTTO_PLAYER_MAP(SOTTO_ENUMERATOR_PLAYER) SOTTO_PLAYERS } sotto_player;
typedef enum sotto_calibration {
    SOTTO_CALIBRATION_MAP(SOTTO_ENUMERATOR_CALIBRATION)
} sotto_calibration;
#define SOTTO_ENUMERATOR_CORRECTION(name, text, meaning) SOTTO_CORRECTION_##name,
typedef enum sotto_correction {
    SOTTO_CORRECTION_MAP(SOTTO_ENUMERATOR_CORRECTION) SOTTO_CORRECTIONS
} sotto_correction;
/* A _name function returns NULL for a number that is not in the list; a _from_name function returns
 * false for a name that is not, and leaves *out unchanged. */
SOTTO_API const char *sotto_player_name(sotto_player value);
SOTTO_API bool sotto_player_from_name(const char *name, sotto_player *out);
SOTTO_API const char *sotto_calibration_name(sotto_calibration value);
SOTTO_API bool sotto_calibration_from_name(const char *name, sotto_calibration *out);
SOTTO_API const char *sotto_correction_name(sotto_correction value);

/* True for the methods that ship, whose reports are private; false for baselines and rivals. */
SOTTO_API bool sotto_player_is_private(sotto_player player);
/* True for a rival. All rivals have an epsilon, but it promises different things: reports of merino are
 * private themselves; those of shuffle-ucb are private only in sums that somebody other than the server
 * adds up; those of joint-glm are not private, and the server is trusted. */
SOTTO_API bool sotto_player_is_rival(sotto_player player);

#ifdef __cplusplus
}
#endif
#endif
