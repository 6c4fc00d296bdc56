#include "inner.h"
#include "run.h"

#include <sotto/client.h>

#include <math.h>

/* ==== measured =============================================================================== */

/* Results of the measure rounds of a match, over its runs. */

double sotto__measure_share_usual(void)
{
    return sotto_policy_default().measure_share_max;
}

static void take(sotto__measured_line *line, uint64_t run, const sotto_run_measurement *measured)
{
    const sotto_interval *uplift = &measured->seen.uplift;
    if (!measured->there || isnan(uplift->value)) return;
    if (line->runs == 0) line->first = run;
    line->runs++;
    line->held += uplift->lo <= measured->uplift && measured->uplift <= uplift->hi;
    line->above += uplift->lo > 0;
    line->harm += measured->harm_at > 0;
    line->served += measured->served_at > 0;
    line->uplift += uplift->value;
    line->truth += measured->uplift;
}

sotto__measured_line sotto__measured_of(const sotto__comparison *comparison,
                                        const sotto__results *results, uint32_t match)
{
    uint32_t seeds = comparison->sweep.seeds_count;
    sotto__measured_line line = {0};
    for (uint32_t i = 0; i < seeds && results->measured != NULL; i++) {
        uint64_t run = (uint64_t)match * seeds + i;
        take(&line, run, &results->measured[run]);
    }
    line.uplift = line.runs == 0 ? NAN : line.uplift / line.runs;
    line.truth = line.runs == 0 ? NAN : line.truth / line.runs;
    return line;
}

/* ==== play =================================================================================== */

/* One round of a simulation, as a straight line. */

/* The next person, the arm that they get, and their reward. */
static sotto_status meet(sotto__world *world, sotto__player *player, double *regret, double *reward)
{
    uint32_t arm;
    sotto__world_next(world);
    if (world->fault.sentence[0] != '\0') return SOTTO_E_PLUGIN;
    sotto_status status = player->decide(player, world->context, &arm);
    if (status != SOTTO_OK) return status;
    *regret = world->value_best - world->value[arm];
    *reward = sotto__world_reward(world, arm);
    return world->fault.sentence[0] != '\0' ? SOTTO_E_PLUGIN : SOTTO_OK;
}

sotto_status sotto__play(sotto__world *world, sotto__player *player, double *regret)
{
    double reward;
    sotto_status status = meet(world, player, regret, &reward);
    return status == SOTTO_OK ? player->learn(player, reward) : status;
}

static sotto_status wake(sotto__player *player, double now_ms)
{
    return player->wake == NULL ? SOTTO_OK : player->wake(player, now_ms);
}

/* Receives the reports that arrive by now_ms, and wakes the player before each and at the end. */
static sotto_status receive_until(sotto__player *player, sotto__flight *flight, double now_ms)
{
    double arrival_ms;
    const void *sent;
    while ((sent = sotto__flight_take(flight, now_ms, &arrival_ms)) != NULL) {
        sotto_status status = wake(player, arrival_ms);
        if (status == SOTTO_OK) status = player->receive(player, sent, arrival_ms);
        if (status != SOTTO_OK) return status;
    }
    return wake(player, now_ms);
}

sotto_status sotto__play_delayed(sotto__world *world, sotto__player *player, sotto__flight *flight,
                                 double *regret)
{
    double now_ms = 1000 * (double)world->t / world->match->people_per_second, reward;
    void *sent;
    sotto_status status = receive_until(player, flight, now_ms);
    if (status == SOTTO_OK) status = meet(world, player, regret, &reward);
    if (status == SOTTO_OK) status = sotto__flight_add(flight, now_ms, &sent);
    if (status == SOTTO_OK) status = player->send(player, reward, sent);
    if (status == SOTTO_E_SERVED) { /* a learn round under a fallback sends nothing */
        sotto__flight_drop(flight);
        status = SOTTO_OK;
    }
    if (status != SOTTO_OK) return status;
    return receive_until(player, flight, now_ms); /* a report without delay arrives at once */
}
