#include "client/client.h"
#include "core/core.h"
#include "fleet.h"
#include "inner.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* ==== check ================================================================================== */

/* Checks that the server still has every report that it acknowledged. */

__attribute__((format(printf, 3, 4))) static sotto__check say(bool exact, bool holds,
                                                              const char *format, ...)
{
    sotto__check check = {.exact = exact, .holds = holds};
    va_list list;
    va_start(list, format);
    vsnprintf(check.text, sizeof check.text, format, list);
    va_end(list);
    return check;
}

static bool grew(const sotto__check_counts *before, const sotto__check_counts *after)
{
    return after->folded >= before->folded && after->late >= before->late &&
           after->duplicate >= before->duplicate && after->conflicting >= before->conflicting;
}

sotto__check sotto__check_by_counts(const sotto__check_sent *sent,
                                    const sotto__check_counts *before,
                                    const sotto__check_counts *after)
{
    if (!grew(before, after)) {
        return say(true, false, "the server counts fewer reports than before this run");
    }
    uint64_t folded = after->folded - before->folded, late = after->late - before->late;
    uint64_t duplicate = after->duplicate - before->duplicate;
    uint64_t conflicting = after->conflicting - before->conflicting;
    if (folded + late < sent->acknowledged) {
        return say(true, false,
                   "%" PRIu64 " reports were acknowledged, but the server has %" PRIu64
                   " folded and %" PRIu64 " late: %" PRIu64 " are lost",
                   sent->acknowledged, folded, late, sent->acknowledged - folded - late);
    }
    if (folded > sent->once || folded + late + duplicate > sent->all) {
        return say(true, false,
                   "%" PRIu64 " reports were sent, %" PRIu64
                   " times in all, but the server has %" PRIu64 " folded, %" PRIu64
                   " late and %" PRIu64
                   " duplicate: another client sends reports, too, or the server counts twice",
                   sent->once, sent->all, folded, late, duplicate);
    }
    if (conflicting > 0) {
        return say(true, false,
                   "%" PRIu64
                   " reports had the nonce of another one: another client sends reports, too",
                   conflicting);
    }
    return say(true, true,
               "%" PRIu64 " acknowledged; the server has %" PRIu64 " folded, %" PRIu64
               " late, %" PRIu64 " duplicate",
               sent->acknowledged, folded, late, duplicate);
}

sotto__check sotto__check_by_model(const sotto__check_sent *sent, uint64_t publishes,
                                   uint64_t reports_first, uint64_t reports_last)
{
    if (publishes < 2 || reports_last < reports_first) {
        return say(false, true,
                   "weak: fewer than two new models were published meanwhile, so they do not show "
                   "the %" PRIu64 " acknowledged reports",
                   sent->acknowledged);
    }
    uint64_t grown = reports_last - reports_first;
    if (grown > sent->once) {
        return say(false, false,
                   "%" PRIu64 " reports were sent, but between two models %" PRIu64
                   " were folded: another client sends reports, too, or the server counts twice",
                   sent->once, grown);
    }
    return say(false, true,
               "weak: %" PRIu64 " acknowledged; models show %" PRIu64
               " of them folded; they cannot show reports of measure rounds, late reports, or "
               "those of open epochs",
               sent->acknowledged, grown);
}

/* ==== verdict ================================================================================ */

sotto__fleet_verdict sotto__fleet_verdict_of(const sotto__check *check, const sotto__blocks *blocks)
{
    bool rises = sotto__blocks_rise(blocks);
    sotto__fleet_verdict verdict = {.good = check->holds && check->exact && !rises};
    const char *how = check->holds ? "holds" : "failed", *counts = check->text;
    char loss[SOTTO__BLOCKS_TEXT];
    sotto__blocks_text(blocks, loss);
    loss[0] = (char)toupper(loss[0]); /* it begins a sentence */
    if (!rises) {
        snprintf(verdict.text, sizeof verdict.text, "The check %s: %s.", how, counts);
    } else if (check->holds) {
        snprintf(verdict.text, sizeof verdict.text, "%s. The check %s: %s.", loss, how, counts);
    } else {
        snprintf(verdict.text, sizeof verdict.text, "The check %s: %s. %s.", how, counts, loss);
    }
    return verdict;
}

/* ==== stage ================================================================================== */

/* What is reported about people, honest or not. */

uint32_t sotto__stage_context_count(const sotto__fleet_stage *stage)
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

void sotto__stage_play(const sotto__fleet_stage *stage, uint32_t arm, double reward,
                       sotto__played *out)
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
    sotto__regret_steps_add(&sight->steps, regret, random);
    sotto__blocks_add(&sight->blocks, regret, random);
    *out = (sotto__played){
        .followed = sotto__model_is_followed(spec, sotto_site_model(stage->site)),
        .reward = sotto__clip_reward(spec, reward),
    };
}

static void trouble(const sotto__fleet_stage *stage, const char *why)
{
    snprintf(stage->sight->trouble, sizeof stage->sight->trouble, "%s", why == NULL ? "" : why);
}

void sotto__stage_sent(const sotto__fleet_stage *stage, sotto__played *played)
{
    stage->sight->sent.all++;
    stage->sight->sent.once += !played->left;
    played->left = true;
    played->sent_s = sotto__fleet_clock_s();
}

void sotto__stage_acknowledged(const sotto__fleet_stage *stage, const sotto__played *played,
                               const uint8_t *frame, size_t frame_bytes)
{
    sotto__sight *sight = stage->sight;
    sight->sent.acknowledged++;
    sight->under_way--;
    sotto__latency_add(&sight->latency, sotto__fleet_clock_s() - played->sent_s);
    sotto_status status = sotto__policy_value_take(stage->value, frame, frame_bytes,
                                                   played->followed, played->reward);
    if (status != SOTTO_OK) trouble(stage, sotto_status_text(status));
}

void sotto__stage_put_off(const sotto__fleet_stage *stage, const char *why)
{
    stage->sight->put_off++;
    trouble(stage, why);
}

void sotto__stage_served(const sotto__fleet_stage *stage)
{
    stage->sight->served++;
    stage->sight->under_way--;
}

void sotto__stage_dropped(const sotto__fleet_stage *stage, const char *why)
{
    stage->sight->dropped++;
    stage->sight->under_way--;
    trouble(stage, why);
}
