/* From the terms of an experiment to a world of the lab: the same people, for the same seed, as `sotto simulate`
 * has for these terms. */
#ifndef SOTTO_FLEET_MATCH_H
#define SOTTO_FLEET_MATCH_H

#include <sotto/lab/matches.h>

/* The terms' method in this environment, with the defaults of the lab for noise and parameter. `population` is that of
 * environment loan, otherwise NULL; it is borrowed. */
sotto_match sotto__fleet_match(const sotto_terms *terms, sotto_environment_kind environment,
                               const sotto_population *population, uint64_t people);

/* NULL if people of this environment can take part under these terms; otherwise `text`: the environment, the term, its
 * value and what would fit. */
const char *sotto__fleet_match_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES]);

#endif
