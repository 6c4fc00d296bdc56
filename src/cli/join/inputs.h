/* Contexts and rewards of the rounds: made up, or read from a file. */
#ifndef SOTTO_CLI_JOIN_INPUTS_H
#define SOTTO_CLI_JOIN_INPUTS_H

#include "lab/random/random.h"
#include "options.h"

typedef struct join_inputs {
    const sotto_spec *spec;
    uint32_t cells; /* numbers of a context */
    bool read, with_reward;
    uint32_t rounds; /* how many there are, if they were read */
    uint32_t stride; /* numbers per round */
    double *number;  /* rounds x stride */
    double *context; /* room for one that is made up */
    sotto__seeded random;
} join_inputs;

/* Reads all lines, so that a bad one is found before a round is booked. False, with a sentence. */
bool join_inputs_open(const command_line *line, const join_options *options,
                      const sotto_terms *terms, join_inputs *out);
void join_inputs_close(join_inputs *inputs);

/* Of round i, i < rounds if they were read. The context is valid until the next call. */
const double *join_inputs_context(join_inputs *inputs, uint32_t i);
/* NaN: none came. */
double join_inputs_reward(join_inputs *inputs, uint32_t i);

#endif
