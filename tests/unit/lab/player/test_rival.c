/* Rivals: what they refuse, their constants, and single steps by hand. */
#include "core/core.h"
#include "lab/player/inner.h"
#include "players.h"
#include "scenes.h"
#include "test.h"

OWNED(sotto__player, sotto__player_free)

static sotto__player *rival_of(const sotto_match *match, uint64_t seed)
{
    sotto__player *player;
    assert_ok(sotto__player_rival_new(match, seed, NULL, &player));
    return player;
}

static void assert_fault(const sotto_match *match, const char *wanted)
{
    sotto_fault fault;
    assert_status(sotto_match_fault(match, &fault), SOTTO_E_FAULT);
    if (strstr(fault.sentence, wanted) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", fault.sentence, wanted);
}

TEST(other_methods_are_no_rivals)
{
    for (sotto_player kind = 0; kind < SOTTO_PLAYER_MERINO; kind++) {
        sotto_match match = match_of(kind, SOTTO_PARAMETERS_SHARED, 3, 4);
        sotto__player *player;
        assert_status(sotto__player_rival_new(&match, 0, NULL, &player), SOTTO_E_FAULT);
        assert_null(player);
        assert_false(sotto_player_is_rival(kind));
    }
    assert_false(sotto_player_is_rival(SOTTO_PLAYERS));
}

TEST(what_a_rival_cannot_play_is_told)
{
    sotto_match merino = small_match(SOTTO_PLAYER_MERINO, SOTTO_CALIBRATION_EXACT,
                                     SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 100);
    assert_fault(&merino, "parameters = shared: method merino");
    sotto_match joint = small_match(SOTTO_PLAYER_JOINT_GLM, SOTTO_CALIBRATION_EXACT,
                                    SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 100);
    assert_fault(&joint, "parameters = per-arm: method joint-glm");
    joint = small_match(SOTTO_PLAYER_JOINT_GLM, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                        SOTTO_LINK_IDENTITY, 100);
    joint.horizon = UINT64_C(1) << 27;
    assert_fault(&joint, "horizon = 134217728: method joint-glm keeps all people");
    sotto_match shuffle = small_match(SOTTO_PLAYER_SHUFFLE_UCB, SOTTO_CALIBRATION_EXACT,
                                      SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 100);
    assert_fault(&shuffle, "link = logit: method shuffle-ucb needs the identity link");
}

TEST(an_epsilon_or_delta_out_of_range_is_told)
{
    const double bad[] = {NAN, -1, 0, 0.009, 51, INFINITY};
    for (sotto_player p = SOTTO_PLAYER_MERINO; p < SOTTO_PLAYERS; p++) {
        sotto_parameters parameters =
            p == SOTTO_PLAYER_MERINO ? SOTTO_PARAMETERS_PER_ARM : SOTTO_PARAMETERS_SHARED;
        sotto_match match =
            small_match(p, SOTTO_CALIBRATION_EXACT, parameters, SOTTO_LINK_IDENTITY, 100);
        assert_ok(sotto_match_fault(&match, NULL));
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            sotto_match wrong = match;
            wrong.spec.epsilon = bad[i];
            assert_fault(&wrong, "epsilon = ");
        }
        match.delta = 0;
        if (p == SOTTO_PLAYER_MERINO) {
            assert_ok(sotto_match_fault(&match, NULL));
        } else {
            assert_fault(&match, "delta = 0");
        }
    }
}

/* Invalid contexts and rewards are played as on any device. */
TEST(numbers_that_are_none_are_clipped)
{
    for (sotto_player p = SOTTO_PLAYER_MERINO; p < SOTTO_PLAYERS; p++) {
        sotto_parameters parameters =
            p == SOTTO_PLAYER_MERINO ? SOTTO_PARAMETERS_PER_ARM : SOTTO_PARAMETERS_SHARED;
        sotto_match match =
            small_match(p, SOTTO_CALIBRATION_EXACT, parameters, SOTTO_LINK_IDENTITY, 40);
        OWN(sotto__player) player = rival_of(&match, 1);
        double context[12] = {NAN, INFINITY, -INFINITY, 1e308, -1e308};
        for (int t = 0; t < 40; t++) {
            uint32_t arm;
            assert_ok(player->decide(player, context, &arm));
            assert_in_range(arm, 0, 3);
            assert_ok(player->learn(player, t % 2 == 0 ? NAN : 1e300));
        }
        const double *theta = player->estimate(player);
        for (int i = 0; theta != NULL && i < 3; i++) {
            assert_true(isfinite(theta[i]));
        }
    }
}

/* ---- merino ------------------------------------------------------------------------------- */

/* ln(p (1 - q)/((1 - p) q)) of p = .806, q = .03 is 4.9004. */
TEST(the_published_chances_of_merino_are_met)
{
    sotto__merino_chances chances = sotto__merino_chances_of(log(0.806 * 0.97 / (0.194 * 0.03)));
    assert_near((double)chances.one * 0x1p-32, 0.806, 1e-8);
    assert_near((double)chances.zero * 0x1p-32, 0.030, 1e-8);
}

/* In integers of 2^64 at most: one (2^32 - zero) against (2^32 - one) zero. A zero that is rounded to the nearest
 * instead of up is caught. */
TEST(merino_keeps_its_promise_in_integers)
{
    const uint64_t whole = UINT64_C(1) << 32;
    uint32_t caught = 0;
    for (double epsilon = 0.001; epsilon < 20; epsilon *= 1.01) {
        sotto__merino_chances c = sotto__merino_chances_of(epsilon);
        long double most = expl((long double)epsilon);
        long double ratio = (long double)c.one / (long double)(whole - c.one) *
                            (long double)(whole - c.zero) / (long double)c.zero;
        assert_true(ratio <= most && c.one < whole && c.zero > 0);
        assert_true(ratio > most * 0.99L || c.zero < 1000);
        long double reward = (long double)(whole - c.reward) / (long double)c.reward;
        assert_true(reward <= most);
        long double twin = (long double)c.one / (long double)(whole - c.one) *
                           (long double)(whole - c.zero + 2) / (long double)(c.zero - 2);
        caught += twin > most;
    }
    assert_true(caught > 900);
}

/* ---- joint-glm ---------------------------------------------------------------------------- */

/* After t people the sum of a tree without noise is that of all of them. */
TEST(a_tree_without_noise_adds_up)
{
    sotto__ziggurat ziggurat;
    sotto__seeded noise;
    sotto__tree tree;
    double sum[3] = {0};
    sotto__ziggurat_begin(&ziggurat);
    sotto__seeded_begin(&noise, 1);
    assert_ok(sotto__tree_new(2, 300, 0, &tree));
    assert_int_equal(tree.levels, 9);
    for (int t = 1; t <= 300; t++) {
        const double x[] = {t % 7, t % 5 - 2};
        double weight = t % 3;
        sotto__tree_add(&tree, &ziggurat, &noise, x, 2, weight);
        sum[0] += weight * x[0] * x[0];
        sum[1] += weight * x[0] * x[1];
        sum[2] += weight * x[1] * x[1];
        assert_all_near(tree.sum, sum, 3, 1e-12);
    }
    sotto__tree_free(&tree);
}

/* The most that one person can change, in units of its noise: sqrt 2 in every node of one tree or 1
 * in both, 2 G in every step of both estimates. A twin whose trees are one level too low exceeds
 * that. */
TEST(joint_noise_adds_up_to_its_promise)
{
    const double epsilons[] = {0.1, 1, 4, 8};
    for (int i = 0; i < 4; i++) {
        sotto_match match = small_match(SOTTO_PLAYER_JOINT_GLM, SOTTO_CALIBRATION_EXACT,
                                        SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 15000);
        match.spec.epsilon = epsilons[i];
        sotto__joint_noise n = sotto__joint_noise_of(&match);
        assert_near(sotto_gaussian_delta(epsilons[i], n.whitened), match.delta, 1e-6 * match.delta);
        double levels = 14; /* 15,000 has 14 digits */
        double matrix = 2 * levels / (n.warm_up * n.warm_up);
        double both = levels / (n.warm_up * n.warm_up) +
                      levels * n.weight_max * n.weight_max / (n.main * n.main);
        double step = 4 * n.gradient_max * n.gradient_max * n.steps;
        double rest =
            step * n.warm_up_solves / (n.first * n.first) + step * n.solves / (n.second * n.second);
        assert_near((matrix + rest) / (n.whitened * n.whitened), 1, 1e-12);
        assert_near((both + rest) / (n.whitened * n.whitened), 1, 1e-12);
        double twin = matrix * (levels + 1) / levels + rest;
        assert_true(twin > n.whitened * n.whitened * 1.02);
    }
}

/* Lambda and the number of estimates as the authors' notebook simulations_extra_probit.ipynb prints them: probit, 3
 * features, 5,000 people, delta .02. Its kappa* is of the contexts drawn, which moves lambda by less than 1e-8. */
TEST(the_lambda_of_the_paper_is_that_of_its_code)
{
    const struct {
        double epsilon, lambda;
        uint32_t solves;
    } cases[] = {
        {4, 232.80627249253132, 8}, {6, 165.56581458016075, 9}, {8, 131.94558562397546, 9}};
    for (int i = 0; i < 3; i++) {
        sotto_match match = small_match(SOTTO_PLAYER_JOINT_GLM, SOTTO_CALIBRATION_PAPER,
                                        SOTTO_PARAMETERS_SHARED, SOTTO_LINK_PROBIT, 5000);
        match.spec.dim = 3;
        match.spec.theta_norm_max = 2;
        match.spec.epsilon = cases[i].epsilon;
        match.delta = 0.02;
        sotto__joint_noise n = sotto__joint_noise_of(&match);
        assert_near(n.warm_up_lambda, cases[i].lambda, 1e-6);
        assert_near(n.main_lambda, cases[i].lambda, 1e-6);
        assert_int_equal(n.solves, cases[i].solves);
        match.calibration = SOTTO_CALIBRATION_EXACT;
        sotto__joint_noise exact = sotto__joint_noise_of(&match);
        assert_true(exact.warm_up_lambda < n.warm_up_lambda && exact.main_lambda < n.main_lambda);
        assert_true(exact.warm_up == n.warm_up && exact.main == n.main); /* the promise stays */
    }
}

/* ---- shuffle-ucb -------------------------------------------------------------------------- */

/* Two people of a batch are at most 3/sqrt 2 apart: over a grid of pairs, and some pair is. */
TEST(people_of_a_batch_are_as_far_apart_as_said)
{
    double most = 0;
    for (int i = 0; i < 40; i++) {
        double turn = i * 3.141592653589793 / 40;
        for (int s = 0; s < 9; s++) {
            const double x[] = {cos(turn), sin(turn)}, r = s % 3 - 1.0, q = s / 3 - 1.0;
            const double v[] = {x[0] * x[0] - 1, sqrt(2) * x[0] * x[1], x[1] * x[1], r * x[0] - q,
                                r * x[1]};
            most = fmax(most, sqrt(dot_of(v, v, 5)));
        }
    }
    assert_near(most, 3 / sqrt(2), 2e-3);
}
