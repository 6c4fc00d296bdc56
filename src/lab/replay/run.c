#include "core/core.h"
#include "lab/player/player.h"
#include "replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== rows =================================================================================== */

/* The results of a run at its checkpoints. */

sotto_replay_row sotto__replay_row_of(const sotto__replay *replay, uint64_t run, uint32_t point)
{
    const sotto_match *match = replay->run[run].match;
    const sotto__replay_point *p = &replay->run[run].point[point];
    return (sotto_replay_row){
        .method = sotto__match_method(match),
        .epsilon = sotto__replay_epsilon(match),
        .seed = 1 + run % replay->settings.seeds_count,
        .t = p->t,
        .reward = p->reward,
        .regret = p->best - p->reward,
        .learnt = p->replayed.matched,
        .replayed = sotto__off_policy_value(&p->replayed, p->replayed.matched),
        .weighted = sotto__off_policy_value(&p->weighted, p->t),
        .self_normalised = sotto__off_policy_self_normalised(&p->weighted),
        .effective_size = sotto__off_policy_effective_size(&p->weighted),
    };
}

/* ==== run ==================================================================================== */

/* One method meets the people of a data set. */

#define WATCH_ROUNDS 256u /* people between two checks of the watch */

/* ---- made and freed ----------------------------------------------------------------------- */

/* How many numbers a row of the file has. Per-arm parameters take the row; shared ones have a
 * block of it for each arm, or its products with an arm's features and a constant. */
static uint32_t row_dim(const sotto_spec *spec, const sotto__replay_rules *rules)
{
    if (spec->parameters == SOTTO_PARAMETERS_PER_ARM) return spec->dim;
    return rules->arm_dim > 0 ? (spec->dim - 1) / rules->arm_dim : spec->dim / spec->arms;
}

sotto_status sotto__replay_run_begin(sotto__replay_run *run, const sotto_match *match,
                                     uint64_t seed, const sotto__replay_rules *rules)
{
    *run = (sotto__replay_run){.match = match, .rules = rules};
    sotto__stream_begin(&run->coins, seed, SOTTO__PURPOSE_ORDER);
    run->tail_arm_count = calloc(match->spec.arms, sizeof run->tail_arm_count[0]);
    run->point = calloc((size_t)rules->at_count + 1, sizeof run->point[0]);
    sotto_status status = SOTTO_E_MEMORY;
    if (run->tail_arm_count != NULL && run->point != NULL) {
        status = sotto__player_new(match, seed, NULL, &run->player);
    }
    if (status == SOTTO_OK && rules->log) {
        status =
            sotto__evidence_new(match->spec.arms, row_dim(&match->spec, rules), &run->evidence);
    }
    if (status != SOTTO_OK) sotto__replay_run_free(run);
    return status;
}

void sotto__replay_run_free(sotto__replay_run *run)
{
    sotto__player_free(run->player);
    sotto__evidence_free(run->evidence);
    free(run->tail_arm_count);
    free(run->point);
    *run = (sotto__replay_run){0};
}

sotto_status sotto__replay_room_new(const sotto_spec *spec, uint32_t rows_max,
                                    sotto__replay_room *out)
{
    out->order = calloc(rows_max, sizeof out->order[0]);
    out->context = calloc((size_t)spec->arms * spec->dim, sizeof out->context[0]);
    if (out->order != NULL && out->context != NULL) return SOTTO_OK;
    sotto__replay_room_free(out);
    return SOTTO_E_MEMORY;
}

void sotto__replay_room_free(sotto__replay_room *room)
{
    free(room->order);
    free(room->context);
    *room = (sotto__replay_room){0};
}

/* ---- one person --------------------------------------------------------------------------- */

#define ROOT_HALF 0.70710678118654752

/* (x (x) z, 1)/sqrt 2: z times each number of x, one after the other. */
static void multiply(const double *x, uint32_t d, const double *z, uint32_t m, double *out)
{
    for (uint32_t i = 0; i < d; i++) {
        for (uint32_t k = 0; k < m; k++) {
            out[(size_t)i * m + k] = ROOT_HALF * x[i] * z[k];
        }
    }
    out[(size_t)d * m] = ROOT_HALF;
}

/* x as the method takes it: unchanged or, for each arm a, times the arm's features or
 * copied to a x d in row a. */
static const double *context_of(const sotto_spec *spec, const sotto__replay_rules *rules,
                                const double *x, uint32_t d, sotto__replay_room *room)
{
    uint32_t m = rules->arm_dim;
    if (spec->parameters == SOTTO_PARAMETERS_PER_ARM) return x;
    for (uint32_t a = 0; m > 0 && a < spec->arms; a++) {
        multiply(x, d, rules->arm_feature + (size_t)a * m, m,
                 room->context + (size_t)a * spec->dim);
    }
    if (m > 0) return room->context;
    for (uint32_t a = 0; a < spec->arms; a++) {
        memcpy(room->context + (size_t)a * spec->dim + (size_t)a * d, x, d * sizeof *x);
    }
    return room->context;
}

/* What an arm earns from a person with this label. */
static double reward_of(const sotto__replay_run *run, uint32_t label, uint32_t arm)
{
    const double *rewards = run->rules->rewards;
    if (rewards == NULL) return arm == label ? 1 : 0;
    return rewards[(size_t)label * run->match->spec.arms + arm];
}

static double best_reward_of(const sotto__replay_run *run, uint32_t label)
{
    if (run->rules->rewards == NULL) return 1;
    double best = reward_of(run, label, 0);
    for (uint32_t a = 1; a < run->match->spec.arms; a++) {
        best = fmax(best, reward_of(run, label, a));
    }
    return best;
}

/* The reward as methods learn from it: from 0 to 1. */
static double scaled(const sotto__replay_rules *rules, double reward)
{
    return (reward - rules->reward_lo) / (rules->reward_hi - rules->reward_lo);
}

static sotto_status meet_label(sotto__replay_run *run, const double *context, uint32_t label)
{
    uint32_t arm;
    sotto_status status = run->player->decide(run->player, context, &arm);
    if (status != SOTTO_OK) return status;
    double reward = reward_of(run, label, arm);
    run->now.reward += reward;
    run->now.best += best_reward_of(run, label);
    if (run->now.t >= run->rules->tail_from && run->now.t < run->rules->tail_until) {
        run->tail_reward += reward;
        run->tail_arm_count[label]++;
    }
    bool table = run->rules->rewards != NULL;
    return run->player->learn(run->player, table ? scaled(run->rules, reward) : reward);
}

/* Draws one coin per event, whatever the method does, so that all methods of a seed leave
 * out the same events. */
static sotto_status meet_event(sotto__replay_run *run, const double *context,
                               const sotto_people *people, uint32_t row)
{
    const sotto__replay_rules *rules = run->rules;
    double coin = sotto__uniform(sotto__seeded_next(&run->coins));
    double reward = people->reward[row], propensity = people->propensity[row];
    uint32_t arm, logged = people->arm[row];
    sotto_status status = run->player->decide(run->player, context, &arm);
    if (status != SOTTO_OK) return status;
    bool learnt = arm == logged && coin * propensity <= rules->propensity_floor;
    const sotto__event event = {
        .row = run->block_from + row,
        .x = people->context + (size_t)row * people->dim,
        .logged = logged,
        .given = arm,
        .reward = reward,
        .propensity = fmax(propensity, rules->clip),
        .learnt = learnt,
    };
    sotto__evidence_add(run->evidence, rules->model, &event);
    if (arm == logged) {
        sotto__off_policy_add(&run->now.weighted, reward, propensity, rules->clip);
    }
    if (!learnt) return SOTTO_OK;
    sotto__off_policy_add(&run->now.replayed, reward, 1, 0);
    return run->player->learn(run->player, scaled(rules, reward));
}

static sotto_status meet(sotto__replay_run *run, const sotto_people *people, uint32_t row,
                         sotto__replay_room *room)
{
    const double *x = people->context + (size_t)row * people->dim;
    const double *context = context_of(&run->match->spec, run->rules, x, people->dim, room);
    sotto_status status = run->rules->log ? meet_event(run, context, people, row)
                                          : meet_label(run, context, people->arm[row]);
    run->now.t++;
    return status;
}

/* ---- a block ------------------------------------------------------------------------------ */

/* All orders are equally likely (Fisher and Yates). */
static void set_order(sotto__replay_run *run, uint32_t rows, uint32_t *order)
{
    for (uint32_t i = 0; i < rows; i++) {
        order[i] = i;
    }
    for (uint32_t i = rows; run->rules->shuffle && i > 1; i--) {
        uint32_t j = (uint32_t)(sotto__uniform(sotto__seeded_next(&run->coins)) * i);
        uint32_t row = order[i - 1];
        order[i - 1] = order[j];
        order[j] = row;
    }
}

sotto_status sotto__replay_run_block(sotto__replay_run *run, const sotto_people *people,
                                     sotto__replay_room *room, const sotto_run_watch *watch)
{
    const sotto__replay_rules *rules = run->rules;
    uint64_t left = rules->people_max - run->now.t;
    run->block_from = run->now.t; /* of a log, all blocks before were played whole */
    uint32_t rows = people->rows < left ? people->rows : (uint32_t)left;
    set_order(run, people->rows, room->order);
    for (uint32_t i = 0; i < rows; i++) {
        sotto_status status = meet(run, people, room->order[i], room);
        if (status != SOTTO_OK) return status;
        if (run->points_count < rules->at_count && run->now.t == rules->at[run->points_count]) {
            run->point[run->points_count++] = run->now;
        }
        if ((i + 1) % WATCH_ROUNDS != 0) continue;
        if (!SOTTO__ASK(watch->go_on(watch->state, WATCH_ROUNDS))) return SOTTO_OK;
    }
    (void)SOTTO__ASK(watch->go_on(watch->state, rows % WATCH_ROUNDS));
    return SOTTO_OK;
}

void sotto__replay_run_end(sotto__replay_run *run)
{
    bool there = run->points_count > 0 && run->point[run->points_count - 1].t == run->now.t;
    if (!there) run->point[run->points_count++] = run->now;
}
