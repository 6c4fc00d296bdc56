/* LDP-UCB as published, against whole matrices and Gauss elimination. */
#include "lab/player/published.h"
#include "published_twin.h"

#define ROUNDS 200

static uint32_t first_nan_or_largest(const double *score)
{
    for (uint32_t a = 0; a < TWIN_ARMS; a++) {
        if (isnan(score[a])) return a;
    }
    return first_largest(score, TWIN_ARMS);
}

static void identity(slow_moments *m, uint32_t n)
{
    memset(m, 0, sizeof *m);
    for (uint32_t i = 0; i < n; i++) {
        m->v[i][i] = 1;
    }
}

/* Returns how many bonuses were NaN. */
static int assert_shared(bool second, bool corrected)
{
    static crowd people;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, true, second);
    slow_moments m;
    double theta[TWIN_DIM] = {0}, score[TWIN_ARMS], scale = second && !corrected ? 0.2 : 2;
    double sigma = twin_sigma(2.5);
    int nans = 0;
    twin_streams twin;
    if (corrected) match.corrections = 1u << SOTTO_CORRECTION_SHIFT;
    sotto__player *player = published_player(&match, 41);
    twin_streams_begin(&twin, 41);
    crowd_begin(&people, true);
    identity(&m, TWIN_DIM);
    if (second) draw_unit(&twin.ziggurat, &twin.initial, TWIN_DIM, theta);
    for (int n = 1; n <= ROUNDS; n++) {
        double before = n == 1 ? 1 : n - 1, shift = scale * twin_upsilon(sigma, before);
        uint32_t arm;
        assert_all_near(player->estimate(player), theta, TWIN_DIM, 1e-9);
        crowd_next(&people);
        for (uint32_t a = 0; a < TWIN_ARMS; a++) {
            const double *x = crowd_context(&people, a);
            double form = slow_form(m.v, shift, x, TWIN_DIM);
            score[a] = dot_of(x, theta, TWIN_DIM) + twin_beta(before) * sqrt(form);
            nans += isnan(score[a]) ? 1 : 0;
        }
        assert_ok(player->decide(player, people.context, &arm));
        assert_int_equal(arm, first_nan_or_largest(score));
        assert_scores(player, score);
        double r = people.reward[arm];
        assert_ok(player->learn(player, r));
        slow_moments_add(&m, &twin, crowd_context(&people, arm), r, TWIN_DIM);
        slow_solve(m.v, shift, m.u, TWIN_DIM, theta);
    }
    player->free(player);
    return nans;
}

static void shared_runs_are_like_slow_ones(void **state)
{
    (void)state;
    assert_int_equal(assert_shared(false, false), 0);
    assert_shared(true, false);
}

/* The second scheme's start, the first's shift: no form is negative. */
static void the_second_scheme_can_be_shifted_in_full(void **state)
{
    (void)state;
    assert_int_equal(assert_shared(true, true), 0);
}

/* Noise of sd 1e6 in the first round, none to speak of in the second, and so hardly a shift: the
 * matrix is as good as W, and the bonus of an arm is NaN where x' W^-1 x < 0. */
static void the_first_negative_form_wins(void **state)
{
    (void)state;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, true, true);
    int later = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        static crowd people;
        double w[SLOW_MAX][SLOW_MAX];
        uint32_t arm, wanted = TWIN_ARMS;
        twin_streams twin;
        sotto__player *player = published_player(&match, seed);
        twin_streams_begin(&twin, seed);
        crowd_begin(&people, true);
        for (uint32_t i = 0; i < TWIN_DIM; i++) {
            for (uint32_t j = 0; j <= i; j++) {
                w[i][j] = w[j][i] = 1e6 * twin_normal(&twin);
            }
        }
        for (int n = 1; n <= 2; n++) {
            ((sotto__published *)player)->sigma = n == 1 ? 1e6 : 1e-9;
            crowd_next(&people);
            assert_ok(player->decide(player, people.context, &arm));
            assert_ok(player->learn(player, 0));
        }
        crowd_next(&people);
        for (uint32_t a = TWIN_ARMS; a-- > 0;) {
            if (slow_form(w, 0, crowd_context(&people, a), TWIN_DIM) < 0) wanted = a;
        }
        assert_ok(player->decide(player, people.context, &arm));
        if (wanted < TWIN_ARMS) assert_int_equal(arm, wanted);
        later += wanted > 0 && wanted < TWIN_ARMS ? 1 : 0;
        player->free(player);
    }
    assert_true(later > 5);
}

static void per_arm_runs_are_like_slow_ones(void **state)
{
    (void)state;
    for (int second = 0; second < 2; second++) {
        static crowd people;
        static slow_moments m;
        sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, false, second == 1);
        double theta[TWIN_CELLS], score[TWIN_ARMS], sigma = twin_sigma(2.5);
        twin_streams twin;
        sotto__player *player = published_player(&match, 42);
        twin_streams_begin(&twin, 42);
        crowd_begin(&people, false);
        identity(&m, TWIN_CELLS);
        draw_unit(&twin.ziggurat, &twin.initial, TWIN_CELLS, theta);
        for (int n = 1; n <= ROUNDS; n++) {
            double block[TWIN_ARMS][TWIN_CELLS] = {{0}};
            uint32_t arm;
            assert_all_near(player->estimate(player), theta, TWIN_CELLS, 1e-9);
            crowd_next(&people);
            for (uint32_t a = 0; a < TWIN_ARMS; a++) {
                memcpy(block[a] + a * TWIN_DIM, people.context, TWIN_DIM * sizeof(double));
                double form = slow_form(m.v, 2 * twin_upsilon(sigma, n - 1), block[a], TWIN_CELLS);
                score[a] = dot_of(block[a], theta, TWIN_CELLS) + twin_beta(n) * sqrt(form);
            }
            assert_ok(player->decide(player, people.context, &arm));
            assert_int_equal(arm, first_nan_or_largest(score));
            assert_scores(player, score);
            assert_ok(player->learn(player, people.reward[arm]));
            slow_moments_add(&m, &twin, block[arm], people.reward[arm], TWIN_CELLS);
            slow_solve(m.v, 2 * twin_upsilon(sigma, n), m.u, TWIN_CELLS, theta);
        }
        player->free(player);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_runs_are_like_slow_ones),
        cmocka_unit_test(the_second_scheme_can_be_shifted_in_full),
        cmocka_unit_test(the_first_negative_form_wins),
        cmocka_unit_test(per_arm_runs_are_like_slow_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
