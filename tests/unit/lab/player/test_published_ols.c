/* LDP-OLS as published, against whole matrices and Gauss elimination. */
#include "lab/player/published.h"
#include "published_twin.h"

#define ROUNDS 200

static void assert_shared(bool second, bool corrected)
{
    static crowd people;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_OLS, true, second);
    slow_moments m = {0};
    double theta[TWIN_DIM] = {0}, score[TWIN_ARMS];
    twin_streams twin;
    if (corrected) match.corrections = 1u << SOTTO_CORRECTION_REGULARISER;
    sotto__player *player = published_player(&match, 31);
    twin_streams_begin(&twin, 31);
    crowd_begin(&people, true);
    if (second) draw_unit(&twin.ziggurat, &twin.initial, TWIN_DIM, theta);
    for (int n = 1; n <= ROUNDS; n++) {
        uint32_t arm;
        assert_all_near(player->estimate(player), theta, TWIN_DIM, 1e-9);
        crowd_next(&people);
        for (uint32_t a = 0; a < TWIN_ARMS; a++) {
            score[a] = dot_of(crowd_context(&people, a), theta, TWIN_DIM);
        }
        assert_ok(player->decide(player, people.context, &arm));
        assert_int_equal(arm, first_largest(score, TWIN_ARMS)); /* theta_0 = 0: arm 0 */
        double r = people.reward[arm];
        assert_ok(player->learn(player, r));
        slow_moments_add(&m, &twin, crowd_context(&people, arm), r, TWIN_DIM);
        double shift = second || corrected ? 2 * twin_upsilon(twin_sigma(2.5), n) : 0;
        slow_solve(m.v, shift, m.u, TWIN_DIM, theta);
    }
    player->free(player);
}

static void shared_runs_are_like_slow_ones(void **state)
{
    (void)state;
    assert_shared(false, false);
    assert_shared(true, false);
}

/* The first scheme's start, the second's shift. */
static void a_regulariser_can_be_put_in(void **state)
{
    (void)state;
    assert_shared(false, true);
}

/* An estimate is a matter of the pulled arm alone in warm-up, of all arms after it. */
static void per_arm_runs_are_like_slow_ones(void **state)
{
    (void)state;
    static crowd people;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_OLS, false, false);
    slow_moments m[TWIN_ARMS] = {0};
    const double nobody[TWIN_DIM] = {0};
    double theta[TWIN_CELLS] = {0}, score[TWIN_ARMS];
    twin_streams twin;
    sotto__player *player = published_player(&match, 32);
    twin_streams_begin(&twin, 32);
    crowd_begin(&people, false);
    for (int n = 1; n <= ROUNDS; n++) {
        bool warm_up = n <= 50;
        uint32_t arm;
        crowd_next(&people);
        for (uint32_t a = 0; a < TWIN_ARMS; a++) {
            score[a] = dot_of(people.context, theta + a * TWIN_DIM, TWIN_DIM);
        }
        assert_ok(player->decide(player, people.context, &arm));
        uint32_t turn = (uint32_t)(n - 1) % TWIN_ARMS;
        assert_int_equal(arm, warm_up ? turn : first_largest(score, TWIN_ARMS));
        assert_ok(player->learn(player, people.reward[arm]));
        for (uint32_t a = 0; a < TWIN_ARMS; a++) {
            if (warm_up && a != arm) continue;
            slow_moments_add(&m[a], &twin, a == arm ? people.context : nobody, people.reward[arm],
                             TWIN_DIM);
            slow_solve(m[a].v, 2 * twin_upsilon(twin_sigma(2.5), n), m[a].u, TWIN_DIM,
                       theta + a * TWIN_DIM);
        }
        assert_all_near(player->estimate(player), theta, TWIN_CELLS, 1e-9);
    }
    player->free(player);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_runs_are_like_slow_ones),
        cmocka_unit_test(a_regulariser_can_be_put_in),
        cmocka_unit_test(per_arm_runs_are_like_slow_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
