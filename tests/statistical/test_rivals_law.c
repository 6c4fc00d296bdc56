/*
 * The noise of the rivals, by drawing it: fixed seeds, a false-alarm rate of 1e-6 a test, and twins whose noise is
 * too small or too rare, which are caught.
 */
#include "lab/math/math.h"
#include "lab/player/inner.h"
#include "scenes.h"
#include "stats.h"
#include "test.h"

#include <math.h>

#define DRAWS 400000u
#define FALSE_ALARM 1e-6

/* ---- merino ------------------------------------------------------------------------------- */

/* Chi-square of the 16 patterns of bits of a level. */
static double merino_p(const sotto__merino_chances *drawn, const sotto__merino_chances *claimed,
                       uint32_t level)
{
    uint64_t count[16] = {0};
    double statistic = 0;
    sotto__seeded noise;
    sotto__seeded_begin(&noise, 100 + level);
    for (uint32_t i = 0; i < DRAWS; i++) {
        count[sotto__merino_bits(&noise, drawn, level)]++;
    }
    for (uint32_t bits = 0; bits < 16; bits++) {
        double chance = 1;
        for (uint32_t i = 0; i < SOTTO__MERINO_LEVELS; i++) {
            double one = (double)(i == level ? claimed->one : claimed->zero) * 0x1p-32;
            chance *= (bits >> i & 1) != 0 ? one : 1 - one;
        }
        double wanted = chance * DRAWS, off = (double)count[bits] - wanted;
        statistic += off * off / wanted;
    }
    return sotto__chi_square_tail(statistic, 15);
}

TEST(the_bits_of_merino_have_their_law_and_a_twin_is_caught)
{
    sotto__merino_chances chances = sotto__merino_chances_of(2), twin = chances;
    twin.zero = twin.zero * 97 / 100;
    for (uint32_t level = 0; level < SOTTO__MERINO_LEVELS; level++) {
        assert_true(merino_p(&chances, &chances, level) > FALSE_ALARM / 4);
        assert_true(merino_p(&twin, &chances, level) < FALSE_ALARM / 4);
    }
}

static double reward_p(const sotto__merino_chances *drawn, const sotto__merino_chances *claimed,
                       double part)
{
    uint64_t ones = 0;
    sotto__seeded noise;
    sotto__seeded_begin(&noise, 7);
    for (uint32_t i = 0; i < DRAWS; i++) {
        ones += sotto__merino_reward(&noise, drawn, part);
    }
    double flip = (double)claimed->reward * 0x1p-32;
    return sotto__binomial_p(ones, DRAWS, flip + (1 - 2 * flip) * part);
}

TEST(the_reward_of_merino_has_its_law_and_a_twin_is_caught)
{
    sotto__merino_chances chances = sotto__merino_chances_of(1), twin = chances;
    twin.reward = twin.reward * 97 / 100;
    const double part[] = {0, 0.3, 1};
    for (int i = 0; i < 3; i++) {
        assert_true(reward_p(&chances, &chances, part[i]) > FALSE_ALARM / 3);
    }
    assert_true(reward_p(&twin, &chances, 0) < FALSE_ALARM / 3);
    assert_true(reward_p(&twin, &chances, 1) < FALSE_ALARM / 3);
}

/* ---- joint-glm ---------------------------------------------------------------------------- */

/* Mean squares of the noise of a tree after t people, on and off the diagonal, over those of one node. */
static void tree_squares(double sigma, uint64_t t, double *on, double *off)
{
    sotto__ziggurat ziggurat;
    sotto__seeded noise;
    const double x[] = {0.6, -0.8};
    *on = *off = 0;
    sotto__ziggurat_begin(&ziggurat);
    sotto__seeded_begin(&noise, t);
    for (uint32_t i = 0; i < DRAWS / 100; i++) {
        sotto__tree tree;
        assert_ok(sotto__tree_new(2, 64, sigma, &tree));
        for (uint64_t k = 0; k < t; k++) {
            sotto__tree_add(&tree, &ziggurat, &noise, x, 2, 1);
        }
        double people = (double)t, a = tree.sum[0] - 0.36 * people, b = tree.sum[1] + 0.48 * people;
        double c = tree.sum[2] - 0.64 * people;
        *on += (a * a + c * c) / 2;
        *off += b * b;
        sotto__tree_free(&tree);
    }
    *on /= DRAWS / 100;
    *off /= DRAWS / 100;
}

TEST(a_tree_has_the_noise_of_its_nodes_and_a_twin_is_caught)
{
    const struct {
        uint64_t t;
        double nodes;
    } cases[] = {{1, 1}, {7, 3}, {8, 1}, {63, 6}, {64, 1}};
    for (int i = 0; i < 5; i++) {
        double on, off, sigma = 3;
        tree_squares(sigma, cases[i].t, &on, &off);
        double wanted = sigma * sigma * cases[i].nodes;
        assert_true(sotto__variance_p(on / wanted, 2 * (DRAWS / 100), 3) > FALSE_ALARM / 10);
        assert_true(sotto__variance_p(2 * off / wanted, DRAWS / 100, 3) > FALSE_ALARM / 10);
        tree_squares(sigma * 0.85, cases[i].t, &on, &off);
        assert_true(sotto__variance_p(on / wanted, 2 * (DRAWS / 100), 3) < FALSE_ALARM / 10);
    }
}

/* ---- shuffle-ucb -------------------------------------------------------------------------- */

/* People with x = 0 reveal nothing, so the released values are only the noise of the batches that
 * ended. */
static double shuffle_square(double delta)
{
    double squares = 0;
    uint64_t count = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        sotto_match match = small_match(SOTTO_PLAYER_SHUFFLE_UCB, SOTTO_CALIBRATION_EXACT,
                                        SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 1000);
        const double zero[12] = {0};
        sotto__player *player;
        match.delta = delta;
        assert_ok(sotto__player_rival_new(&match, seed, NULL, &player));
        for (int t = 0; t < 1000; t++) { /* 15 batches of 64 end */
            uint32_t arm;
            assert_ok(player->decide(player, zero, &arm));
            assert_ok(player->learn(player, 1));
        }
        const double *sum = sotto__shuffle_sums((const sotto__rival *)player);
        for (int i = 0; i < 9; i++, count++) {
            squares += sum[i] * sum[i] / 15;
        }
        sotto__player_free(player);
    }
    return squares / (double)count;
}

TEST(a_batch_has_the_noise_of_its_promise_and_a_twin_is_caught)
{
    double sigma = sotto_gaussian_sigma(2, 1e-6, 3 / sqrt(2));
    double square = shuffle_square(1e-6) / (sigma * sigma);
    assert_true(sotto__variance_p(square, 2700, 3) > FALSE_ALARM);
    double twin = shuffle_square(1e-3) / (sigma * sigma); /* the noise of a weaker delta */
    assert_true(sotto__variance_p(twin, 2700, 3) < FALSE_ALARM);
}
