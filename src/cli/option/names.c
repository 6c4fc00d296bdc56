/* The names of every kind that an option can choose. */
#include "names.h"

#include <sotto/lab.h>

#define NAMES(kind, type)                                                                          \
    const char *names_of_##kind(uint32_t value)                                                    \
    {                                                                                              \
        return type##_name((type)value);                                                           \
    }

NAMES(calibration, sotto_calibration)
NAMES(correction, sotto_correction)
NAMES(environment, sotto_environment_kind)
NAMES(link, sotto_link)
NAMES(mechanism, sotto_mechanism_kind)
NAMES(method, sotto_method)
NAMES(noise_law, sotto_noise_law)
NAMES(parameters, sotto_parameters)
NAMES(player, sotto_player)
NAMES(reward_kind, sotto_reward_kind)
NAMES(score, sotto_score)
NAMES(split, sotto_split)
NAMES(step, sotto_step)
