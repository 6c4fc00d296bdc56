/* The command of a part: what differs from the defaults of `sotto simulate`. */
#include "simulate_command.h"

#include <inttypes.h>

static const char *players_text(const sotto__stage *stage, sotto__pool *pool)
{
    const char *text = "";
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        if ((stage->players >> p & 1) == 0) continue;
        text =
            sotto__pool_print(pool, "%s%s%s", text, *text == '\0' ? "" : ",", sotto_player_name(p));
    }
    return text;
}

static const char *epsilons_text(const sotto__stage *stage, sotto__pool *pool)
{
    const char *text = "";
    for (uint32_t e = 0; e < sotto__stage_epsilons(stage); e++) {
        text = sotto__pool_print(pool, "%s%s%g", text, e == 0 ? "" : ",", stage->epsilon[e]);
    }
    return text;
}

static const char *extra_text(const sotto__stage *stage, sotto__pool *pool)
{
    const sotto_scene *scene = &stage->scene;
    const char *extra = "";
    if (stage->calibration == SOTTO_CALIBRATION_PUBLISHED) {
        extra = sotto__pool_print(pool, " --calibration published --step %s",
                                  sotto_step_name(stage->step));
    }
    if (scene->environment != SOTTO_ENVIRONMENT_SPHERE &&
        scene->environment != SOTTO_ENVIRONMENT_PUBLISHED) {
        extra = sotto__pool_print(pool, "%s --environment %s", extra,
                                  sotto_environment_kind_name(scene->environment));
    }
    if (stage->reward_hi > 0) {
        extra = sotto__pool_print(pool, "%s --reward-range 0,%g", extra, stage->reward_hi);
    }
    if (stage->revenue) extra = sotto__pool_print(pool, "%s --revenue", extra);
    if (scene->environment == SOTTO_ENVIRONMENT_MARGIN) {
        extra = sotto__pool_print(pool, "%s --margin %g", extra, stage->margin);
    }
    return extra;
}

const char *sotto__simulate_command(const sotto__part *part, sotto__pool *pool)
{
    const sotto__stage *stage = part->stage;
    const sotto_scene *scene = &stage->scene;
    const sotto_sweep *sweep = &part->comparison.sweep;
    return sotto__pool_print(
        pool,
        "sotto simulate --method %s --parameters %s --link %s --dim %u --arms %u --horizon %" PRIu64
        " --epsilon %s --delta %g%s --seeds %u --first-seed %" PRIu64 "%s",
        players_text(stage, pool), sotto_parameters_name(scene->parameters),
        sotto_link_name(scene->link), scene->dim, scene->arms, part->horizon,
        epsilons_text(stage, pool), stage->delta, stage->delta > 1e-6 ? " --allow-weak-delta" : "",
        sweep->seeds_count, sweep->first_seed, extra_text(stage, pool));
}
