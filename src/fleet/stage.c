/* What is told of people, honest or not. */
#include "stage.h"

#include "client/clip.h"
#include "clock.h"
#include "core/model.h"

#include <stdio.h>

uint32_t sotto__stage_context_count(const sotto__stage *stage)
{
    return stage->world->context_count;
}

static double mean_value(const sotto__world *world, uint32_t arms)
{
    double sum = 0;
    for (uint32_t a = 0; a < arms; a++) {
        sum += world->value[a];
    }
    return sum / arms;
}

void sotto__stage_play(const sotto__stage *stage, uint32_t arm, double reward, sotto__played *out)
{
    const sotto_spec *spec = &sotto_site_terms(stage->site)->spec;
    const sotto__world *world = stage->world;
    sotto__sight *sight = stage->sight;
    sight->people++;
    sight->under_way++;
    double regret = world->value_best - world->value[arm];
    double random = world->value_best - mean_value(world, spec->arms);
    sight->regret += regret;
    sight->regret_random += random;
    sotto__curve_add(&sight->curve, regret, random);
    sotto__blocks_add(&sight->blocks, regret, random);
    *out = (sotto__played){
        .followed = sotto__model_is_followed(spec, sotto_site_model(stage->site)),
        .reward = sotto__clip_reward(spec, reward),
    };
}

static void trouble(const sotto__stage *stage, const char *why)
{
    snprintf(stage->sight->trouble, sizeof stage->sight->trouble, "%s", why == NULL ? "" : why);
}

void sotto__stage_sent(const sotto__stage *stage, sotto__played *played)
{
    stage->sight->sent.all++;
    stage->sight->sent.once += !played->left;
    played->left = true;
    played->sent_s = sotto__fleet_clock_s();
}

void sotto__stage_acknowledged(const sotto__stage *stage, const sotto__played *played,
                               const uint8_t *frame, size_t frame_bytes)
{
    sotto__sight *sight = stage->sight;
    sight->sent.acknowledged++;
    sight->under_way--;
    sotto__latency_add(&sight->latency, sotto__fleet_clock_s() - played->sent_s);
    sotto_status status =
        sotto__worth_take(stage->worth, frame, frame_bytes, played->followed, played->reward);
    if (status != SOTTO_OK) trouble(stage, sotto_status_text(status));
}

void sotto__stage_put_off(const sotto__stage *stage, const char *why)
{
    stage->sight->put_off++;
    trouble(stage, why);
}

void sotto__stage_served(const sotto__stage *stage)
{
    stage->sight->served++;
    stage->sight->under_way--;
}

void sotto__stage_dropped(const sotto__stage *stage, const char *why)
{
    stage->sight->dropped++;
    stage->sight->under_way--;
    trouble(stage, why);
}
