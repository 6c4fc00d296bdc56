/* The names of every kind, from the same lists that number them. */
#include <sotto/core.h>

#define NAME(name, text) text,
#define NAME_FUNCTION(type, map)                                                                   \
    const char *type##_name(type value)                                                            \
    {                                                                                              \
        static const char *const name[] = {map(NAME)};                                             \
        return (uint32_t)value < sizeof name / sizeof name[0] ? name[value] : NULL;                \
    }

NAME_FUNCTION(sotto_parameters, SOTTO_PARAMETERS_MAP)
NAME_FUNCTION(sotto_link, SOTTO_LINK_MAP)
NAME_FUNCTION(sotto_reward_kind, SOTTO_REWARD_MAP)
NAME_FUNCTION(sotto_method, SOTTO_METHOD_MAP)
NAME_FUNCTION(sotto_score, SOTTO_SCORE_MAP)
NAME_FUNCTION(sotto_split, SOTTO_SPLIT_MAP)
NAME_FUNCTION(sotto_noise_law, SOTTO_NOISE_MAP)
NAME_FUNCTION(sotto_phase, SOTTO_PHASE_MAP)
NAME_FUNCTION(sotto_role, SOTTO_ROLE_MAP)
