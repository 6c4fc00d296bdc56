/* Options that change nothing. */
#include "idle.h"

#include <stdio.h>

#define AT(member) offsetof(simulate_options, member)

/* An option that only some methods have applies to those of them that are compared. */
static const struct {
    size_t field;
    uint32_t players;
} special[] = {
    {AT(score), SIMULATE_PLAYER(SOTTO)},
    {AT(split), SIMULATE_PLAYER(LDP_SGD)},
    {AT(match.learning.step), SIMULATE_PLAYER(LDP_SGD) | SIMULATE_PLAYER(SGD)},
    {AT(match.learning.eta0), SIMULATE_PLAYER(LDP_SGD) | SIMULATE_PLAYER(SGD)},
    {AT(match.spec.noise_law), SIMULATE_LATTICE},
    {AT(match.exact_noise), SIMULATE_LATTICE},
    {AT(match.learning.shift_scale), SIMULATE_LATTICE | SIMULATE_PLAYER(SOTTO_OLS)},
    {AT(match.learning.elimination_scale), SIMULATE_PLAYER(LDP_SGD) | SIMULATE_PLAYER(LDP_OLS)},
    {AT(unknown_horizon), SIMULATE_PRIVATE},
    {AT(window), SIMULATE_PRIVATE},
    {AT(match.spec.epoch_lag_max), SIMULATE_PRIVATE},
    {AT(epoch), SIMULATE_PRIVATE},
    {AT(match.liars), SIMULATE_PRIVATE},
    {AT(match.grind), SIMULATE_CODEBOOK},
};

static void tell(const command_line *line, size_t field, const char *whose)
{
    option_say(line, "--%s changes nothing here: it is for %s", option_name(line, field), whose);
}

/* The names of a set of methods. */
static void players_text(uint32_t players, char text[SOTTO_FAULT_BYTES])
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        if ((players >> p & 1) == 0) continue;
        length += (size_t)snprintf(text + length, SOTTO_FAULT_BYTES - length, "%s%s",
                                   length == 0 ? "" : " ", sotto_player_name((sotto_player)p));
    }
}

void simulate_tell_idle(const command_line *line, const simulate_options *s,
                        const simulate_choices *c)
{
    char text[SOTTO_FAULT_BYTES];
    uint32_t compared = 0;
    for (uint32_t i = 0; i < c->players_count; i++) {
        compared |= 1u << c->player[i];
    }
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        /* Under calibration published --step picks a scheme of all methods. */
        bool scheme = s->calibration == SOTTO_CALIBRATION_PUBLISHED &&
                      special[i].field == AT(match.learning.step);
        bool idle = (special[i].players & compared) == 0 && !scheme;
        if (!idle || !option_is_given(line, special[i].field)) continue;
        players_text(special[i].players, text);
        tell(line, special[i].field, text);
    }
    if (OPTION_GIVEN(line, simulate_options, match.grind) && s->match.liars == 0) {
        tell(line, AT(match.grind), "--liars");
    }
}

void simulate_tell_idle_world(const command_line *line, const sotto_scene *scene)
{
    const struct {
        size_t field;
        bool used;
        const char *whose;
    } special_world[] = {
        {AT(match.environment.margin), scene->environment == SOTTO_ENVIRONMENT_MARGIN,
         "environment margin"},
        {AT(match.environment.drift), scene->environment == SOTTO_ENVIRONMENT_DRIFT,
         "environment drift"},
        {AT(revenue), scene->environment == SOTTO_ENVIRONMENT_LOAN, "environment loan"},
        {AT(match.environment.noise), scene->reward_kind == SOTTO_REWARD_CONTINUOUS,
         "continuous rewards"},
    };
    for (size_t i = 0; i < sizeof special_world / sizeof special_world[0]; i++) {
        bool idle = !special_world[i].used && option_is_given(line, special_world[i].field);
        if (idle) tell(line, special_world[i].field, special_world[i].whose);
    }
}
