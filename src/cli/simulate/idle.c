/* Options that change nothing. */
#include "idle.h"

#include <stdio.h>

#define AT(member) offsetof(simulate_options, member)
#define GIVEN(member) OPTION_GIVEN(line, simulate_options, member)

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

/* Options that no method of the comparison has a use for. */
static void tell_idle_methods(const command_line *line, const simulate_options *s)
{
    char text[SOTTO_FAULT_BYTES];
    uint32_t compared = 0;
    for (uint32_t i = 0; i < s->methods.count; i++) {
        if (s->methods.brought[i] == NULL) compared |= 1u << s->methods.player[i];
    }
    for (uint32_t i = 0; i < s->request.changes_count; i++) {
        size_t field = s->request.change[i].field;
        /* Under calibration published --step picks a scheme of all methods. */
        bool scheme = s->request.calibration == SOTTO_CALIBRATION_PUBLISHED &&
                      field == offsetof(sotto_match, learning.step);
        /* Lattice methods refuse it, and say so. */
        bool refused = field == offsetof(sotto_match, spec.measure) &&
                       (compared & SOTTO__PLAYERS_PRIVATE) != 0;
        uint32_t users = sotto__request_users(field);
        if ((users & compared) != 0 || scheme || refused) continue;
        players_text(users, text);
        tell(line, AT(request.wanted) + field, text);
    }
    bool any_private = (compared & SOTTO__PLAYERS_PRIVATE) != 0;
    players_text(SOTTO__PLAYERS_PRIVATE, text);
    if (!any_private && GIVEN(request.unknown_horizon)) {
        tell(line, AT(request.unknown_horizon), text);
    }
    if (!any_private && GIVEN(request.epoch)) tell(line, AT(request.epoch), text);
    if (GIVEN(request.wanted.grind) && s->request.wanted.liars == 0) {
        tell(line, AT(request.wanted.grind), "--liars");
    }
}

/* Options of another world than this one. */
static void tell_idle_world(const command_line *line, const sotto_scene *scene)
{
    bool brought = scene->brought != NULL;
    bool own_rewards = brought && scene->brought->reward != NULL;
    const struct {
        size_t field;
        bool used;
        const char *whose;
    } special[] = {
        {AT(request.wanted.environment.margin), scene->environment == SOTTO_ENVIRONMENT_MARGIN,
         "environment margin"},
        {AT(request.wanted.environment.drift), scene->environment == SOTTO_ENVIRONMENT_DRIFT,
         "environment drift"},
        {AT(request.revenue), scene->environment == SOTTO_ENVIRONMENT_LOAN, "environment loan"},
        {AT(request.wanted.environment.noise),
         scene->reward_kind == SOTTO_REWARD_CONTINUOUS && !own_rewards,
         own_rewards ? "environments that do not draw rewards themselves" : "continuous rewards"},
        {AT(request.wanted.environment.theta_norm), !brought, "environments of the lab's own"},
    };
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        bool idle = !special[i].used && option_is_given(line, special[i].field);
        if (idle) tell(line, special[i].field, special[i].whose);
    }
}

void simulate_tell_idle(const command_line *line, const simulate_options *s)
{
    if (s->quiet) return;
    if (!s->constants) tell_idle_methods(line, s);
    tell_idle_world(line, &s->request.scene);
}
