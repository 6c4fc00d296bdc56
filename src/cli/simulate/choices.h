/* Options of `sotto simulate` whose values are lists, or words with a number behind them. */
#ifndef SOTTO_CLI_SIMULATE_CHOICES_H
#define SOTTO_CLI_SIMULATE_CHOICES_H

#include "options.h"

#define SIMULATE_EPSILONS_MAX 64u

typedef struct simulate_choices {
    uint32_t players_count, epsilons_count;
    sotto_player player[SOTTO_PLAYERS];
    double epsilon[SIMULATE_EPSILONS_MAX];
    sotto_score score;
    double huber_tau;
    sotto_split split;
    bool split_paper;
    uint32_t corrections;
    uint64_t epoch;  /* 0: auto */
    double growth;   /* 0: not */
    uint64_t window; /* 0: none */
} simulate_choices;

/* Sets of methods, one bit each. */
#define SIMULATE_PLAYER(name) (1u << SOTTO_PLAYER_##name)
#define SIMULATE_LATTICE                                                                           \
    (SIMULATE_PLAYER(LDP_OLS) | SIMULATE_PLAYER(LDP_UCB) | SIMULATE_PLAYER(LDP_GLOC))
#define SIMULATE_CODEBOOK                                                                          \
    (SIMULATE_PLAYER(SOTTO) | SIMULATE_PLAYER(SOTTO_OLS) | SIMULATE_PLAYER(LDP_SGD))
#define SIMULATE_PRIVATE (SIMULATE_CODEBOOK | SIMULATE_LATTICE)

/* False, with a sentence on stderr, if a value is not allowed or does not go with another. */
bool simulate_choices_of(const command_line *line, const simulate_options *s,
                         simulate_choices *out);

#endif
