/*
 * One arm for all among arms that pay 1 with fixed chances: what people get at epsilon 1, in epochs of 100, by the
 * code that ships.
 */
#include "players.h"

#include "lab/player/player.h"
#include "lab/random/random.h"

#define RUNS 60 /* the standard error of a mean is below 0.002 */

typedef struct town {
    uint32_t arms, people;
    double pays[7];
    double last,
        all; /* mean reward of the last tenth, and of all people: two programs, 20 runs each */
} town;

static const town towns[] = {
    {7, 10000, {0.479, 0.36, 0.06, 0.005, 0.02, 0.03, 0.04}, 0.476, 0.459},
    {3, 5528, {0.605, 0.27, 0.12}, 0.604, 0.595},
    {3, 3186, {0.522, 0.24, 0.24}, 0.520, 0.505},
};

static sotto_match match_in(const town *of, uint32_t lag)
{
    const sotto_scene scene = {
        .dim = 2,
        .arms = of->arms,
        .parameters = SOTTO_PARAMETERS_PER_ARM,
        .link = SOTTO_LINK_LOGIT,
        .reward_kind = SOTTO_REWARD_BINARY,
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = of->people,
    };
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_BEST_ARM, SOTTO_CALIBRATION_EXACT, &scene, 1, 0);
    match.spec.epoch_lag_max = lag;
    assert_ok(sotto_match_set_learning(&match));
    match.learning.epoch = 100;
    return match;
}

/* Mean chances of a reward of the arms that people got: in the last tenth, and in all. */
static void play(const town *of, uint32_t lag, double *last, double *all)
{
    const sotto_match match = match_in(of, lag);
    const double context[2] = {NAN, 1e300}; /* not read */
    *last = *all = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        sotto__player *player;
        sotto__seeded rewards;
        sotto__stream_begin(&rewards, run, SOTTO__PURPOSE_REWARDS);
        assert_ok(sotto__player_new(&match, run, NULL, &player));
        for (uint32_t person = 0; person < of->people; person++) {
            uint32_t arm;
            assert_ok(player->decide(player, context, &arm));
            double u = (double)(sotto__seeded_next(&rewards) >> 11) * 0x1p-53;
            assert_ok(player->learn(player, u < of->pays[arm]));
            *all += of->pays[arm];
            if (person >= of->people - of->people / 10) *last += of->pays[arm];
        }
        sotto__player_free(player);
    }
    *last /= RUNS * (of->people / 10);
    *all /= RUNS * (double)of->people;
}

TEST(people_get_what_was_measured)
{
    for (size_t i = 0; i < sizeof towns / sizeof towns[0]; i++) {
        double last, all;
        play(&towns[i], 0, &last, &all);
        printf("town %zu: last tenth %.4f (%.3f), all %.4f (%.3f)\n", i, last, towns[i].last, all,
               towns[i].all);
        assert_nears(0.005, last, towns[i].last, all, towns[i].all);
    }
}

/* Reports that are four epochs late cost only the people of those epochs. */
TEST(late_reports_do_not_make_it_swing)
{
    double last, all;
    play(&towns[1], 4, &last, &all);
    printf("town 1, 4 epochs late: last tenth %.4f, all %.4f\n", last, all);
    assert_near(last, towns[1].last, 0.005);
    assert_true(all > towns[1].all - 0.035);
}
