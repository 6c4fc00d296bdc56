/*
 * Corrections. Where the authors' code departs from their paper, a match can follow the paper in
 * that one respect and leave everything else as published. Each correction applies to some methods.
 * published.c and published_*.c say what each does.
 */
#include "core/core.h"
#include "lab/math/math.h"
#include "player.h"

/* One correction. */
typedef struct correction {
    uint32_t players;     /* whose code departs: bit p is sotto_player p */
    bool shared, per_arm; /* parameters */
    bool first, second;   /* schemes: steps 1/t and 1/sqrt t */
} correction;

#define PLAYER(name) (1u << SOTTO_PLAYER_##name)
static const correction corrections[SOTTO_CORRECTIONS] = {
    [SOTTO_CORRECTION_REGULARISER] = {PLAYER(LDP_OLS), true, false, true, false},
    [SOTTO_CORRECTION_NOISE] = {PLAYER(LDP_OLS) | PLAYER(LDP_UCB), true, true, true, true},
    [SOTTO_CORRECTION_RADIUS] = {PLAYER(LDP_SGD), true, true, true, true},
    [SOTTO_CORRECTION_STEP] = {PLAYER(LDP_SGD), true, false, true, false},
    [SOTTO_CORRECTION_BOUNDED] = {PLAYER(LDP_GLOC), true, false, true, true},
    [SOTTO_CORRECTION_EXPLORATION] = {PLAYER(LDP_GLOC), true, false, false, true},
    [SOTTO_CORRECTION_SHIFT] = {PLAYER(LDP_UCB), true, false, false, true},
    [SOTTO_CORRECTION_DIMENSION] = {PLAYER(LDP_SGD), false, true, true, true},
    [SOTTO_CORRECTION_RANK] = {PLAYER(LDP_GLOC), false, true, true, true},
};

const char *sotto_correction_name(sotto_correction value)
{
#define NAME(name, text, meaning) text,
    static const char *const names[] = {SOTTO_CORRECTION_MAP(NAME)};
#undef NAME
    return (uint32_t)value < SOTTO_CORRECTIONS ? names[value] : NULL;
}

/* Names the first setting of the match that correction i does not apply to. */
static sotto_status misfit(uint32_t i, const sotto_match *match, sotto_fault *fault)
{
    const correction *c = &corrections[i];
    const char *name = sotto_correction_name(i);
    bool shared = match->spec.parameters == SOTTO_PARAMETERS_SHARED;
    bool second = match->learning.step == SOTTO_STEP_SQRT;
    if (match->calibration != SOTTO_CALIBRATION_PUBLISHED) {
        return sotto__fault_at(fault, "correct", "%s: only under calibration published", name);
    }
    if ((c->players >> match->player & 1) == 0) {
        uint32_t first = 0;
        while ((c->players >> first & 1) == 0) {
            first++;
        }
        return sotto__fault_at(fault, "correct", "%s: method %s does not depart there; %s does",
                               name, sotto_player_name(match->player), sotto_player_name(first));
    }
    if (!(shared ? c->shared : c->per_arm)) {
        return sotto__fault_at(fault, "correct", "%s: only with `parameters` %s", name,
                               shared ? "per-arm" : "shared");
    }
    if (!(second ? c->second : c->first)) {
        return sotto__fault_at(fault, "correct", "%s: only with `step` %s", name,
                               second ? "1/t" : "1/sqrt");
    }
    if (i == SOTTO_CORRECTION_NOISE && match->spec.context_norm_max > 1) {
        return sotto__fault_at(fault, "correct",
                               "%s: contexts are up to %.3g long, and the authors do not "
                               "clip them; environment sphere has length 1",
                               name, match->spec.context_norm_max);
    }
    if (i == SOTTO_CORRECTION_RANK &&
        (uint64_t)match->spec.dim * match->spec.arms > SOTTO__DENSE_MAX) {
        return sotto__fault_at(fault, "correct", "%s: `dim` x `arms` at most %u", name,
                               SOTTO__DENSE_MAX);
    }
    return SOTTO_OK;
}

sotto_status sotto__correction_fault(const sotto_match *match, sotto_fault *fault)
{
    uint32_t chosen = match->corrections;
    if (chosen >> SOTTO_CORRECTIONS != 0) {
        return sotto__fault_at(fault, "corrections", "%u: not known", chosen);
    }
    for (uint32_t i = 0; i < SOTTO_CORRECTIONS; i++) {
        if ((chosen >> i & 1) == 0) continue;
        sotto_status status = misfit(i, match, fault);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}
