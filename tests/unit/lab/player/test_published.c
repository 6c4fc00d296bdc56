/* What the methods of the authors' code share. */
#include "lab/player/inner.h"
#include "lab/player/player.h"
#include "published_twin.h"
#include "stats.h"

OWNED(sotto__player, sotto__player_free)

/* As printed by their code at delta = 0.01 and 0.1, epsilon = 0.5, 1, 5. */
TEST(noise_is_as_large_as_theirs)
{
    const double epsilon[] = {0.5, 1, 5};
    const double loose[] = {30.447, 15.224, 3.045}, tight[] = {39.877, 19.939, 3.988};
    for (int i = 0; i < 3; i++) {
        sotto_match match = {.spec.epsilon = epsilon[i], .delta = 0.01};
        assert_near(sotto__published_sigma(&match, 2.5), tight[i], 5e-4);
        match.delta = 0.1;
        assert_near(sotto__published_sigma(&match, 2.5), loose[i], 5e-4);
    }
}

static double sigma_in_use(sotto_player player, double epsilon, uint32_t corrections)
{
    sotto_match match = published_match(player, true, false);
    match.spec.epsilon = epsilon;
    match.corrections = corrections;
    sotto__player *one = published_player(&match, 0);
    double sigma = ((const sotto__published *)one)->sigma;
    one->free(one);
    return sigma;
}

/* The smallest sigma for (epsilon, 0.01) and the diameter sqrt 4.5, by another program. */
TEST(noise_can_be_what_the_claim_needs)
{
    const double epsilon[] = {0.5, 1, 5}, wanted[] = {6.68, 3.98, 1.21};
    for (int i = 0; i < 3; i++) {
        const sotto_player kinds[] = {SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_LDP_UCB};
        for (int k = 0; k < 2; k++) {
            uint32_t noise = 1u << SOTTO_CORRECTION_NOISE;
            assert_near(sigma_in_use(kinds[k], epsilon[i], noise), wanted[i], 5e-3);
            assert_near(sigma_in_use(kinds[k], epsilon[i], 0), twin_sigma(2.5) / epsilon[i], 1e-9);
        }
    }
}

/* The estimate after a round with this reward. */
static double learned(const sotto_match *match, double reward)
{
    static crowd people;
    uint32_t arm;
    sotto__player *player = published_player(match, 7);
    crowd_begin(&people, true);
    crowd_next(&people);
    assert_ok(player->decide(player, people.context, &arm));
    assert_ok(player->learn(player, reward));
    double theta = player->estimate(player)[0];
    player->free(player);
    return theta;
}

/* Exact noise covers only rewards within [-1, 1]; as published, all rewards count in full. */
TEST(exact_noise_clamps_rewards)
{
    sotto_match match = published_match(SOTTO_PLAYER_LDP_OLS, true, false);
    assert_true(learned(&match, 1) != learned(&match, 9));
    match.corrections = 1u << SOTTO_CORRECTION_NOISE;
    assert_near(learned(&match, 1), learned(&match, 9), 0);
    assert_near(learned(&match, -1), learned(&match, -1.5), 0);
    assert_true(learned(&match, -1) != learned(&match, 1));
    assert_true(learned(&match, 0.5) != learned(&match, 1));
}

/* d = 3, T = 1000, alpha = 0.1, sigma = 6 sqrt(2 ln 250) = 19.9385:
 *   upsilon_4 = 19.9385 x 2 x (6.9282 + 19.8070) = 1066.12
 *   beta_4 = 39.8771 sqrt(20.7233) + (sqrt(3198.36) + 19.9385 sqrt(12/1066.12)) 20.7233
 *          = 181.532 + (56.5541 + 2.11534) 20.7233 = 1397.35 */
TEST(widths_by_hand)
{
    sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, true, false);
    OWN(sotto__player) player = published_player(&match, 0);
    const sotto__published *self = (const sotto__published *)player;
    assert_near(self->sigma, 19.9385, 5e-5);
    assert_near(sotto__published_upsilon(self, self->sigma, 4), 1066.12, 1e-2);
    assert_near(sotto__published_beta(self, 4), 1397.35, 1e-2);
}

TEST(the_first_nan_is_the_largest)
{
    assert_int_equal(sotto__published_argmax((double[]){1, 3, 3, 2}, 4), 1);
    assert_int_equal(sotto__published_argmax((double[]){9, NAN, 10, NAN}, 4), 1);
    assert_int_equal(sotto__published_argmax((double[]){1, 2, NAN}, 3), 2);
    assert_int_equal(sotto__published_argmax((double[]){-INFINITY, -INFINITY}, 2), 0);
    assert_int_equal(sotto__published_argmax((double[]){NAN, INFINITY}, 2), 0);
}

static void plays_alike(const sotto_match *match, uint64_t seed, uint64_t other, bool wanted)
{
    static crowd people;
    OWN(sotto__player) one = published_player(match, seed), *two = published_player(match, other);
    bool alike = true;
    crowd_begin(&people, match->spec.parameters == SOTTO_PARAMETERS_SHARED);
    uint32_t count = people.shared ? TWIN_DIM : TWIN_CELLS;
    for (int t = 0; t < 100; t++) {
        uint32_t arm, same;
        crowd_next(&people);
        assert_ok(one->decide(one, people.context, &arm));
        assert_ok(two->decide(two, people.context, &same));
        assert_ok(one->learn(one, people.reward[arm]));
        assert_ok(two->learn(two, people.reward[same]));
        size_t bytes = count * sizeof(double);
        alike = alike && arm == same;
        alike = alike && memcmp(one->estimate(one), two->estimate(two), bytes) == 0;
    }
    assert_int_equal(alike, wanted);
}

TEST(the_seed_alone_decides)
{
    const sotto_player kinds[] = {SOTTO_PLAYER_LDP_SGD, SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_LDP_UCB,
                                  SOTTO_PLAYER_LDP_GLOC};
    for (int i = 0; i < 16; i++) {
        sotto_match match = published_match(kinds[i / 4], i % 2 == 0, i / 2 % 2 == 0);
        plays_alike(&match, 5, 5, true);
        plays_alike(&match, 5, 6, false);
    }
}

/* T and alpha affect only the formulas that contain them. */
TEST(horizon_and_alpha_are_those_of_the_match)
{
    sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, true, false);
    match.horizon = 2000;
    match.learning.horizon = 0; /* their code always knows it */
    match.learning.alpha = 0.2;
    OWN(sotto__player) player = published_player(&match, 0);
    const sotto__published *self = (const sotto__published *)player;
    assert_near(sotto__published_upsilon(self, 1, 1), 4 * sqrt(3) + 2 * log(20000), 1e-12);
    assert_near(self->horizon, 2000, 0);
}

/* The table of the methods of the authors' code. */

TEST(other_methods_are_refused)
{
    const sotto_player kinds[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_SOTTO_OLS, SOTTO_PLAYER_OLS,
                                  SOTTO_PLAYER_ORACLE};
    for (int i = 0; i < 4; i++) {
        sotto_match match = published_match(kinds[i], true, false);
        sotto__player *player;
        assert_status(sotto__player_published_new(&match, 0, NULL, &player), SOTTO_E_FAULT);
        assert_null(player);
    }
}

/* 64 x 65 = 4160 numbers would make the matrix too large. */
TEST(spaces_too_large_are_refused)
{
    sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, false, false);
    sotto__player *player;
    match.spec.dim = 64;
    match.spec.arms = 65;
    assert_status(sotto__player_published_new(&match, 0, NULL, &player), SOTTO_E_LENGTH);
    assert_null(player);
}

/* Noisy moments: their sums, their noise, their solution. */

TEST(too_many_rows_are_refused)
{
    HELD(sotto__noisy_moments) moments;
    assert_status(sotto__noisy_moments_new(SOTTO__DENSE_MAX + 1, 1, &moments), SOTTO_E_LENGTH);
}

static sotto__published *source(const sotto_match *match)
{
    return (sotto__published *)published_player(match, 11);
}

TEST(a_singular_matrix_changes_nothing)
{
    HELD(sotto__noisy_moments) moments;
    double theta[2] = {7, 8};
    assert_ok(sotto__noisy_moments_new(2, 1, &moments));
    sotto__noisy_moments_solve(&moments, 0, 0, theta);
    assert_true(theta[0] == 7 && theta[1] == 8);
}

/* Without noise: x = (1, 2), weight 3: gram (1; 2, 4), cross (3, 6), in the second of two blocks.
 * (gram + I) theta = cross: theta = (3, 6)/6. */
TEST(moments_by_hand)
{
    sotto_match match = published_match(SOTTO_PLAYER_LDP_OLS, true, false);
    sotto__published *self = source(&match);
    sotto__noisy_moments moments;
    double theta[2];
    self->sigma = 0;
    assert_ok(sotto__noisy_moments_new(2, 2, &moments));
    sotto__noisy_moments_add(&moments, self, 1, (double[]){1, 2}, 3);
    sotto__noisy_moments_add(&moments, self, 1, NULL, 3);
    const double gram[] = {0, 0, 0, 1, 2, 4}, cross[] = {0, 0, 3, 6};
    assert_memory_equal(moments.gram, gram, sizeof gram);
    assert_memory_equal(moments.cross, cross, sizeof cross);
    sotto__noisy_moments_solve(&moments, 1, 1, theta);
    assert_nears(1e-15, theta[0], 0.5, theta[1], 1);
    sotto__noisy_moments_free(&moments);
    self->player.free(&self->player);
}

/* N(0, sigma^2) on all 9 numbers of d = 3, and no two alike: 9 means, 9 variances and 36
 * correlations within 6 sd each, a false alarm in 1e7. */
TEST(noise_has_its_law)
{
    enum { NUMBERS = 9, DRAWS = 20000 };
    sotto_match match = published_match(SOTTO_PLAYER_LDP_OLS, true, false);
    sotto__published *self = source(&match);
    sotto__noisy_moments moments;
    double before[NUMBERS] = {0}, product[NUMBERS][NUMBERS] = {{0}};
    running noise[NUMBERS] = {{0, 0, 0}};
    assert_ok(sotto__noisy_moments_new(3, 1, &moments));
    for (int t = 0; t < DRAWS; t++) {
        double z[NUMBERS];
        sotto__noisy_moments_add(&moments, self, 0, NULL, 0);
        for (int i = 0; i < NUMBERS; i++) {
            double now = i < 6 ? moments.gram[i] : moments.cross[i - 6];
            z[i] = (now - before[i]) / twin_sigma(2.5);
            before[i] = now;
            running_add(&noise[i], z[i]);
        }
        for (int i = 0; i < NUMBERS * NUMBERS; i++) {
            product[i / NUMBERS][i % NUMBERS] += z[i / NUMBERS] * z[i % NUMBERS];
        }
    }
    for (int i = 0; i < NUMBERS; i++) {
        assert_near(noise[i].mean, 0, 6 / sqrt(DRAWS));
        for (int j = 0; j < NUMBERS; j++) {
            double sd = i == j ? sqrt(2.0 / DRAWS) : sqrt(1.0 / DRAWS);
            assert_near(product[i][j] / DRAWS, i == j ? 1 : 0, 6 * sd);
        }
    }
    sotto__noisy_moments_free(&moments);
    self->player.free(&self->player);
}

/* LDP-OLS as published, compared with whole matrices and Gauss elimination. */

#define ROUNDS 200

static void assert_shared(bool second, bool corrected)
{
    static crowd people;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_OLS, true, second);
    slow_moments m = {0};
    double theta[TWIN_DIM] = {0}, score[TWIN_ARMS];
    twin_streams twin;
    if (corrected) match.corrections = 1u << SOTTO_CORRECTION_REGULARISER;
    OWN(sotto__player) player = published_player(&match, 31);
    twin_streams_begin(&twin, 31);
    crowd_begin(&people, true);
    if (second) draw_unit(&twin.ziggurat, &twin.initial, TWIN_DIM, theta);
    for (int n = 1; n <= ROUNDS; n++) {
        assert_all_near(player->estimate(player), theta, TWIN_DIM, 1e-9);
        crowd_next(&people);
        crowd_scores(&people, theta, score);
        uint32_t arm = decided(player, &people, first_largest(score, TWIN_ARMS)); /* at first 0 */
        double r = people.reward[arm];
        assert_ok(player->learn(player, r));
        slow_moments_add(&m, &twin, crowd_context(&people, arm), r, TWIN_DIM);
        double shift = second || corrected ? 2 * twin_upsilon(twin_sigma(2.5), n) : 0;
        slow_solve(m.v, shift, m.u, TWIN_DIM, theta);
    }
}

TEST(shared_runs_are_like_slow_ones)
{
    assert_shared(false, false);
    assert_shared(true, false);
}

/* The first scheme's start, the second's shift. */
TEST(a_regulariser_can_be_put_in)
{
    assert_shared(false, true);
}

/* In warm-up an estimate depends only on the pulled arm, after it on all arms. */
TEST(per_arm_runs_are_like_slow_ones)
{
    static crowd people;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_OLS, false, false);
    slow_moments m[TWIN_ARMS] = {0};
    const double nobody[TWIN_DIM] = {0};
    double theta[TWIN_CELLS] = {0}, score[TWIN_ARMS];
    twin_streams twin;
    OWN(sotto__player) player = published_player(&match, 32);
    twin_streams_begin(&twin, 32);
    crowd_begin(&people, false);
    for (int n = 1; n <= ROUNDS; n++) {
        bool warm_up = n <= 50;
        crowd_next(&people);
        crowd_scores(&people, theta, score);
        uint32_t turn = (uint32_t)(n - 1) % TWIN_ARMS;
        uint32_t arm = decided(player, &people, warm_up ? turn : first_largest(score, TWIN_ARMS));
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
}

/* LDP-UCB as published, compared with whole matrices and Gauss elimination. */

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
static int assert_shared_ucb(bool second, bool corrected)
{
    static crowd people;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, true, second);
    slow_moments m;
    double theta[TWIN_DIM] = {0}, score[TWIN_ARMS], scale = second && !corrected ? 0.2 : 2;
    double sigma = twin_sigma(2.5);
    int nans = 0;
    twin_streams twin;
    if (corrected) match.corrections = 1u << SOTTO_CORRECTION_SHIFT;
    OWN(sotto__player) player = published_player(&match, 41);
    twin_streams_begin(&twin, 41);
    crowd_begin(&people, true);
    identity(&m, TWIN_DIM);
    if (second) draw_unit(&twin.ziggurat, &twin.initial, TWIN_DIM, theta);
    for (int n = 1; n <= ROUNDS; n++) {
        double before = n == 1 ? 1 : n - 1, shift = scale * twin_upsilon(sigma, before);
        assert_all_near(player->estimate(player), theta, TWIN_DIM, 1e-9);
        crowd_next(&people);
        crowd_scores(&people, theta, score);
        for (uint32_t a = 0; a < TWIN_ARMS; a++) {
            double form = slow_form(m.v, shift, crowd_context(&people, a), TWIN_DIM);
            score[a] += twin_beta(before) * sqrt(form);
            nans += isnan(score[a]) ? 1 : 0;
        }
        uint32_t arm = decided(player, &people, first_nan_or_largest(score));
        assert_scores(player, score);
        double r = people.reward[arm];
        assert_ok(player->learn(player, r));
        slow_moments_add(&m, &twin, crowd_context(&people, arm), r, TWIN_DIM);
        slow_solve(m.v, shift, m.u, TWIN_DIM, theta);
    }
    return nans;
}

TEST(shared_runs_of_ucb_are_like_slow_ones)
{
    assert_int_equal(assert_shared_ucb(false, false), 0);
    assert_shared_ucb(true, false);
}

/* The second scheme's start, the first's shift: no form is negative. */
TEST(the_second_scheme_can_be_shifted_in_full)
{
    assert_int_equal(assert_shared_ucb(true, true), 0);
}

/* Noise of sd 1e6 in the first round, none to speak of in the second, and so hardly a shift: the
 * matrix is as good as W, and the bonus of an arm is NaN where x' W^-1 x < 0. */
TEST(the_first_negative_form_wins)
{
    sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, true, true);
    int later = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        static crowd people;
        double w[SLOW_MAX][SLOW_MAX];
        uint32_t arm, wanted = TWIN_ARMS;
        twin_streams twin;
        OWN(sotto__player) player = published_player(&match, seed);
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
    }
    assert_true(later > 5);
}

TEST(per_arm_runs_of_ucb_are_like_slow_ones)
{
    for (int second = 0; second < 2; second++) {
        static crowd people;
        static slow_moments m;
        sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, false, second == 1);
        double theta[TWIN_CELLS], score[TWIN_ARMS], sigma = twin_sigma(2.5);
        twin_streams twin;
        OWN(sotto__player) player = published_player(&match, 42);
        twin_streams_begin(&twin, 42);
        crowd_begin(&people, false);
        identity(&m, TWIN_CELLS);
        draw_unit(&twin.ziggurat, &twin.initial, TWIN_CELLS, theta);
        for (int n = 1; n <= ROUNDS; n++) {
            double block[TWIN_ARMS][TWIN_CELLS] = {{0}};
            assert_all_near(player->estimate(player), theta, TWIN_CELLS, 1e-9);
            crowd_next(&people);
            for (uint32_t a = 0; a < TWIN_ARMS; a++) {
                memcpy(block[a] + a * TWIN_DIM, people.context, TWIN_DIM * sizeof(double));
                double form = slow_form(m.v, 2 * twin_upsilon(sigma, n - 1), block[a], TWIN_CELLS);
                score[a] = dot_of(block[a], theta, TWIN_CELLS) + twin_beta(n) * sqrt(form);
            }
            uint32_t arm = decided(player, &people, first_nan_or_largest(score));
            assert_scores(player, score);
            assert_ok(player->learn(player, people.reward[arm]));
            slow_moments_add(&m, &twin, block[arm], people.reward[arm], TWIN_CELLS);
            slow_solve(m.v, 2 * twin_upsilon(sigma, n), m.u, TWIN_CELLS, theta);
        }
    }
}
