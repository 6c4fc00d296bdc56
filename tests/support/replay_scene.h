/* A replay by hand: matches on 200 people of whom the last 20 are judged, and its summary. */
#ifndef SOTTO_REPLAY_SCENE_H
#define SOTTO_REPLAY_SCENE_H

#include "lab/replay/inner.h"
#include "lab/replay/replay.h"
#include "players.h"

#define SEEDS 6u
#define MATCHES_MAX 4u
#define ARMS_MAX 3u

typedef struct game {
    sotto_match match[MATCHES_MAX];
    sotto__replay_run run[MATCHES_MAX * SEEDS];
    uint64_t tail_arm_count[ARMS_MAX], arm_count[ARMS_MAX];
    sotto__off_policy constant[ARMS_MAX];
    sotto__agreed agreed[ARMS_MAX * SOTTO__GROUPS];
    sotto__evidence evidence;
    sotto__evidence_group group[SOTTO__GROUPS];
    sotto__yardstick yardstick;
    sotto__replay replay;
} game;

static game g;
static sotto_replay_summary summary;

/* The first matches of sotto, linucb, ols and best-arm. `tail` of the last 20 people have each arm,
 * and ten times as many of all. */
static inline void game_begin(uint32_t matches, uint32_t arms, const uint64_t *tail)
{
    static const sotto_player player[MATCHES_MAX] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_LINUCB,
                                                     SOTTO_PLAYER_OLS, SOTTO_PLAYER_BEST_ARM};
    g = (game){
        .yardstick = {.arms = arms,
                      .clip = 0.1,
                      .rows = 200,
                      .arm_count = g.arm_count,
                      .constant = g.constant,
                      .propensity_min = 1},
        .replay = {.settings = {.match = g.match,
                                .matches_count = matches,
                                .seeds_count = SEEDS,
                                .rules = {.tail_from = 180, .tail_until = 200},
                                .passes = 1,
                                .known = SOTTO_KNOWN_ROWS},
                   .runs_count = (uint64_t)matches * SEEDS,
                   .run = g.run,
                   .yardstick = &g.yardstick},
    };
    for (uint32_t a = 0; a < arms; a++) {
        g.tail_arm_count[a] = tail[a];
        g.arm_count[a] = 10 * tail[a];
    }
    for (uint32_t m = 0; m < matches; m++) {
        g.match[m] = match_of(player[m], SOTTO_PARAMETERS_PER_ARM, 2, arms);
    }
    for (uint32_t r = 0; r < matches * SEEDS; r++) {
        g.run[r] = (sotto__replay_run){
            .match = &g.match[r / SEEDS], .now = {.t = 200}, .tail_arm_count = g.tail_arm_count};
    }
}

static inline void summarise(void)
{
    sotto__replay_summary_free(&summary);
    assert_ok(sotto__replay_summary_of(&g.replay, &summary));
}

FIXTURE(game_free)
{
    sotto__replay_summary_free(&summary);
}

#endif
