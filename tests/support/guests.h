/* A method, an environment and a mechanism as users would bring them, which can be made to
 * misbehave. They use only the public header; tests/system loads them as a shared object. */
#ifndef SOTTO_GUESTS_H
#define SOTTO_GUESTS_H

#include <sotto/lab/plugins.h>

/* Everything a guest can do wrong. */
#define MISDEED_MAP(X)                                                                             \
    X(NONE, "none")                                                                                \
    X(MAKE_FAILS, "make-fails")                                                                    \
    X(DECIDE_FAILS, "decide-fails")                                                                \
    X(ARM_TOO_LARGE, "arm-too-large")                                                              \
    X(ARM_LEFT_OUT, "arm-left-out")                                                                \
    X(REPORT_FAILS, "report-fails")                                                                \
    X(REPORT_TOO_LONG, "report-too-long")                                                          \
    X(REPORT_OVERFLOWS, "report-overflows")                                                        \
    X(REPORT_WITHOUT_LENGTH, "report-without-length")                                              \
    X(ROOM_TOO_LARGE, "room-too-large")                                                            \
    X(LEARN_FAILS, "learn-fails")                                                                  \
    X(ESTIMATE_IS_NAN, "estimate-is-nan")                                                          \
    X(CONTEXT_FAILS, "context-fails")                                                              \
    X(CONTEXT_IS_NAN, "context-is-nan")                                                            \
    X(CONTEXT_TOO_LONG, "context-too-long")                                                        \
    X(CONTEXT_OVERFLOWS, "context-overflows")                                                      \
    X(CONTEXT_LEFT_OUT, "context-left-out")                                                        \
    X(MEANS_FAIL, "means-fail")                                                                    \
    X(MEAN_IS_NAN, "mean-is-nan")                                                                  \
    X(MEAN_TOO_LARGE, "mean-too-large")                                                            \
    X(MEANS_OVERFLOW, "means-overflow")                                                            \
    X(REWARD_FAILS, "reward-fails")                                                                \
    X(REWARD_IS_NAN, "reward-is-nan")                                                              \
    X(REWARD_TOO_LARGE, "reward-too-large")                                                        \
    X(THETA_IS_NAN, "theta-is-nan")                                                                \
    X(ANSWER_LEFT_OUT, "answer-left-out")                                                          \
    X(ANSWER_OVERFLOWS, "answer-overflows")                                                        \
    X(NO_ANSWERS, "no-answers")                                                                    \
    X(DRAW_FAILS, "draw-fails")                                                                    \
    X(ROUNDS_UP, "rounds-up")                                                                      \
    X(CRASHES, "crashes")                                                                          \
    X(ABORTS, "aborts")                                                                            \
    X(EXITS, "exits")                                                                              \
    X(NEVER_ENDS, "never-ends")
#define MISDEED_ENUMERATOR(name, text) MISDEED_##name,
typedef enum misdeed { MISDEED_MAP(MISDEED_ENUMERATOR) MISDEEDS } misdeed;
extern const char *const misdeed_name[MISDEEDS];

#define GUEST_SEEN_MAX 4096u

/* The `user` of a table. */
typedef struct guest {
    misdeed misdeed;
    uint64_t round; /* the round in which it happens, from 1 */
    /* Runs of a comparison are played by several threads. */
    _Atomic uint32_t made, freed;  /* states */
    _Atomic uint64_t horizon;      /* that it was told */
    _Atomic double epsilon, delta; /* likewise */
    uint32_t extra_draws;          /* an environment: numbers that it draws and discards */
    _Atomic uint32_t seen_count;   /* the first numbers of the contexts that it saw or drew */
    _Atomic double seen[GUEST_SEEN_MAX];
} guest;

/* argmax x . theta, theta = sum r x: every report is r x as it is. Any dim, shared parameters. */
sotto_player_table guest_player(guest *user);
/* Contexts uniform in the cube that fits into the unit ball, mean x . theta with theta = e_1, rewards with
 * uniform noise, in [-2, 2]. Any dim, shared parameters. */
sotto_environment_table guest_environment(guest *user);
/* x plus Laplace noise of scale 2 radius sqrt(dim)/epsilon on each number: private. */
sotto_mechanism_table guest_mechanism(guest *user);

#endif
