/* Matches to play, small. */
#ifndef SOTTO_SCENES_H
#define SOTTO_SCENES_H

#include <sotto/lab/runs.h>

/* 3 numbers, 4 arms, on the sphere, epsilon 2, delta 1e-6, with the defaults of learning. */
sotto_match small_match(sotto_player player, sotto_calibration calibration,
                        sotto_parameters parameters, sotto_link link, uint64_t horizon);

/* Whether the method has such parameters. */
bool has_parameters(sotto_player player, sotto_parameters parameters);

/* Method sotto on the sphere, calibration exact, without settings of learning. */
sotto_match sphere_match(sotto_parameters parameters, sotto_link link, uint32_t dim, uint32_t arms,
                         double epsilon, uint64_t horizon);

/* The regret and estimation error of a match after all rounds. */
sotto_point play_match(const sotto_match *match, uint64_t seed);

#endif
