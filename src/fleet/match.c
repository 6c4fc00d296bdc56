/* From the terms of an experiment to a world of the lab. */
#include "match.h"

#include "core/fault.h"
#include "lab/environment/environment.h"

#include <stdio.h>

sotto_match sotto__fleet_match(const sotto_terms *terms, sotto_environment_kind environment,
                               const sotto_population *population, uint64_t people)
{
    const sotto_spec *spec = &terms->spec;
    sotto_scene scene = {
        .dim = spec->dim,
        .arms = spec->arms,
        .parameters = spec->parameters,
        .link = spec->link,
        .reward_kind = spec->reward_kind,
        .environment = environment,
        .horizon = people,
        .population = population,
    };
    sotto_match match = sotto_match_default((sotto_player)spec->method, SOTTO_CALIBRATION_EXACT,
                                            &scene, spec->epsilon, spec->delta);
    match.spec = *spec;
    return match;
}

/* Devices scale longer contexts down, and then no theta* of this world is the truth any more. */
static const char *length_fault(const sotto_match *match, char *text)
{
    double longest = sotto__environment_of(match->environment.kind)->context_norm_max(&match->spec);
    if (longest <= match->spec.context_norm_max * (1 + 1e-12)) return NULL;
    return sotto__fault(
        text,
        "context_norm_max = %.6g: its contexts are up to %.6g long, and devices would "
        "scale them down",
        match->spec.context_norm_max, longest);
}

const char *sotto__fleet_match_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES])
{
    char why[SOTTO_FAULT_BYTES];
    sotto_match playable = *match;
    const char *fault = NULL;
    if (sotto_match_set_learning(&playable) == SOTTO_OK) {
        playable.learning.epoch = 0; /* how long epochs are is the server's affair */
        fault = sotto_match_fault(&playable, why);
    } else {
        fault = sotto__fault(why, "the lab cannot play these terms");
    }
    if (fault == NULL) fault = length_fault(match, why);
    if (fault == NULL) return NULL;
    snprintf(text, SOTTO_FAULT_BYTES, "environment %s does not fit the terms: %.*s",
             sotto_environment_kind_name(match->environment.kind), SOTTO_FAULT_BYTES - 60, fault);
    return text;
}
