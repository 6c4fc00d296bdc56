/* The table of environments, and which matches fit. */
#include "lab/environment/environment.h"
#include "lab/environment/inner.h"
#include "stats.h"
#include "test.h"
#include "worlds.h"

#include <sotto/lab/environments.h>

#define KINDS (SOTTO_ENVIRONMENT_LOAN + 1)

static void assert_refused(const sotto_match *match, const char *field)
{
    sotto_fault fault;
    assert_status(sotto__environment_fault(match, &fault), SOTTO_E_FAULT);
    if (strncmp(fault.sentence, field, strlen(field)) != 0)
        fail_msg("\"%s\", wanted %s", fault.sentence, field);
    sotto__world dummy, *world = &dummy;
    assert_status(sotto__world_new(match, 1, &world), SOTTO_E_FAULT);
    assert_null(world);
}

static sotto_match plain(void)
{
    return match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 3, 4);
}

TEST(sizes_out_of_range_are_refused)
{
    sotto_match match = plain();
    match.spec.dim = 0;
    assert_refused(&match, "dim = 0");
    match.spec.dim = SOTTO_DIM_MAX + 1;
    assert_refused(&match, "dim = 1025");
    match = plain();
    match.spec.arms = 1;
    assert_refused(&match, "arms = 1");
    match.spec.arms = SOTTO_ARMS_MAX + 1;
    assert_refused(&match, "arms = 1025");
    match.spec.dim = 1024, match.spec.arms = 65;
    assert_refused(&match, "arms = 65: dim x arms");
    match = plain();
    match.horizon = 0;
    assert_refused(&match, "horizon = 0");
    match.horizon = SOTTO_HORIZON_MAX + 1;
    assert_refused(&match, "horizon = 1000000000001");
    match.horizon = SOTTO_HORIZON_MAX;
    match.spec.dim = 1024, match.spec.arms = 64;
    assert_ok(sotto__environment_fault(&match, NULL));
}

TEST(unknown_kinds_are_refused)
{
    sotto_match match = plain();
    match.environment.kind = (sotto_environment_kind)KINDS;
    assert_refused(&match, "environment = 8: not one of the known kinds (sphere");
    match = plain();
    match.environment.law = (sotto_reward_law)4;
    assert_refused(&match, "law = 4");
    match = plain();
    match.spec.link = (sotto_link)4;
    assert_refused(&match, "link = 4");
    match = plain();
    match.spec.parameters = (sotto_parameters)2;
    assert_refused(&match, "parameters = 2");
}

TEST(numbers_out_of_range_are_refused)
{
    const double bad_noise[] = {-1e-9, 1.1e6, NAN, INFINITY};
    const double bad_norm[] = {0, -1, 1.0000001, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        sotto_match match = plain();
        match.environment.noise = bad_noise[i];
        assert_refused(&match, "noise = ");
    }
    for (size_t i = 0; i < 5; i++) {
        sotto_match match = plain();
        match.environment.theta_norm = bad_norm[i];
        assert_refused(&match, "theta_norm = ");
    }
    sotto_match match = plain();
    match.environment.theta_norm = match.spec.theta_norm_max;
    match.environment.noise = 0;
    assert_ok(sotto__environment_fault(&match, NULL));
    match.environment.noise = 1e6;
    assert_ok(sotto__environment_fault(&match, NULL));
}

/* Of all pairs of law and link, those whose mean the law can have. */
TEST(laws_without_such_means_are_refused)
{
    const bool allowed[4][4] = {
        [SOTTO_LAW_GAUSSIAN] = {true, true, true, true},
        [SOTTO_LAW_NONE] = {true, true, true, true},
        [SOTTO_LAW_BERNOULLI] = {true, true, true, [SOTTO_LINK_LOG] = false},
        [SOTTO_LAW_POISSON] = {[SOTTO_LINK_LOG] = true},
    };
    for (uint32_t i = 0; i < 16; i++) {
        sotto_match match = plain();
        match.environment.law = (sotto_reward_law)(i / 4);
        match.spec.link = (sotto_link)(i % 4);
        if (allowed[i / 4][i % 4]) {
            assert_ok(sotto__environment_fault(&match, NULL));
        } else {
            assert_refused(&match, "reward_kind = ");
        }
    }
}

TEST(every_kind_has_its_row)
{
    const sotto__environment *const rows[] = {
        &sotto__environment_sphere,      &sotto__environment_ball,   &sotto__environment_gaussian,
        &sotto__environment_anisotropic, &sotto__environment_margin, &sotto__environment_drift,
        &sotto__environment_published,   &sotto__environment_loan};
    for (uint32_t i = 0; i < KINDS; i++) {
        assert_ptr_equal(sotto__environment_of((sotto_environment_kind)i), rows[i]);
        assert_true(rows[i]->shared);
        bool shared_only = i == SOTTO_ENVIRONMENT_MARGIN || i == SOTTO_ENVIRONMENT_LOAN;
        assert_true(rows[i]->per_arm == !shared_only);
    }
    sotto__world_free(NULL);
}

/* The names of environments and reward laws are those that users type, and no others. */

#define KINDS_NAMES 8

TEST(kinds_and_laws_have_names)
{
    const char *const kinds[] = {"sphere", "ball",  "gaussian",  "anisotropic",
                                 "margin", "drift", "published", "loan"};
    const char *const laws[] = {"gaussian", "none", "bernoulli", "poisson"};
    sotto_environment_kind found;
    for (uint32_t i = 0; i < KINDS_NAMES; i++) {
        assert_string_equal(sotto_environment_kind_name(i), kinds[i]);
        assert_true(sotto_environment_kind_from_name(kinds[i], &found));
        assert_int_equal(found, i);
    }
    assert_false(sotto_environment_kind_from_name("spheres", &found));
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(sotto_reward_law_name(i), laws[i]);
    }
    assert_null(sotto_environment_kind_name(KINDS_NAMES));
    assert_null(sotto_reward_law_name(4));
    assert_null(sotto_environment_kind_name(UINT32_MAX));
}

/* Laws of rewards: edges of the draw, and each law over many people (false alarms 1e-6 each). */

#define PEOPLE 200000
#define ALMOST_ONE (1 - 0x1p-53) /* the largest draw */

TEST(poisson_ends_at_every_edge)
{
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 0, 0, ALMOST_ONE) == 0);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 1e-300, 0, 0x1p-53) == 0);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 1e-300, 0, ALMOST_ONE) <= 2);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 1, 0, ALMOST_ONE) >= 17);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 1, 0, ALMOST_ONE) <= 25);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 20, 0, ALMOST_ONE) <= 80);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 699, 0, 0x1p-53) > 400);
    assert_near(sotto__reward(SOTTO_LAW_POISSON, 699, 0, 0.5), 699, 1);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 699, 0, ALMOST_ONE) < 1000);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 701, 0, 0x1p-53) == 1000);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, INFINITY, 0, 0.5) == 1000);
}

/* F(0), F(1), ... of Poisson(2): e^-2 (1, 3, 5, ...). */
TEST(poisson_inverts_its_distribution_function)
{
    const double below[] = {exp(-2), 3 * exp(-2), 5 * exp(-2), 19.0 / 3 * exp(-2)};
    for (int k = 0; k < 4; k++) {
        assert_true(sotto__reward(SOTTO_LAW_POISSON, 2, 0, below[k] - 1e-12) == k);
        assert_true(sotto__reward(SOTTO_LAW_POISSON, 2, 0, below[k] + 1e-12) == k + 1);
    }
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 2, 0, below[0]) == 1); /* not below F(0) */
}

TEST(bernoulli_is_one_where_the_draw_is_below_the_mean)
{
    assert_true(sotto__reward(SOTTO_LAW_BERNOULLI, 0.3, 9, 0.299) == 1);
    assert_true(sotto__reward(SOTTO_LAW_BERNOULLI, 0.3, 9, 0.3) == 0);
    assert_true(sotto__reward(SOTTO_LAW_BERNOULLI, 0, 9, 0x1p-53) == 0);
    assert_true(sotto__reward(SOTTO_LAW_BERNOULLI, 1, 9, ALMOST_ONE) == 1);
}

TEST(gaussian_and_none_shift_by_the_noise)
{
    assert_true(sotto__reward(SOTTO_LAW_GAUSSIAN, 0.5, 2, -1.5) == -2.5);
    assert_true(sotto__reward(SOTTO_LAW_GAUSSIAN, 0.5, 0, -1.5) == 0.5);
    assert_true(sotto__reward(SOTTO_LAW_NONE, 0.5, 2, 0.25) == 0.5);
}

TEST(rewards_have_the_mean_and_variance_of_their_law)
{
    const struct {
        sotto_reward_law law;
        double mean, noise, variance;
    } rows[] = {
        {SOTTO_LAW_GAUSSIAN, -0.2, 0.5, 0.25}, {SOTTO_LAW_NONE, 0.7, 0.5, 0},
        {SOTTO_LAW_BERNOULLI, 0.3, 0.5, 0.21}, {SOTTO_LAW_POISSON, 2.5, 0.5, 2.5},
        {SOTTO_LAW_POISSON, 40, 0.5, 40},
    };
    sotto__ziggurat ziggurat;
    sotto__ziggurat_begin(&ziggurat);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        running reward = {0, 0, 0}, square = {0, 0, 0};
        sotto__seeded stream;
        sotto__stream_begin(&stream, 31, SOTTO__PURPOSE_REWARDS);
        for (int i = 0; i < PEOPLE; i++) {
            double draw = sotto__reward_draw(rows[r].law, &ziggurat, &stream);
            double off =
                sotto__reward(rows[r].law, rows[r].mean, rows[r].noise, draw) - rows[r].mean;
            running_add(&reward, off);
            running_add(&square, off * off);
        }
        assert_near(reward.mean, 0, Z_FALSE_ALARM * running_standard_error(&reward));
        assert_near(square.mean, rows[r].variance, Z_FALSE_ALARM * running_standard_error(&square));
    }
}

/* A person takes one number from the stream even if nothing is random. */
TEST(every_law_draws_once_a_person)
{
    sotto__ziggurat ziggurat;
    sotto__ziggurat_begin(&ziggurat);
    const sotto_reward_law uniform[] = {SOTTO_LAW_NONE, SOTTO_LAW_BERNOULLI, SOTTO_LAW_POISSON};
    for (size_t i = 0; i < 3; i++) {
        sotto__seeded stream, twin;
        sotto__stream_begin(&stream, 3, SOTTO__PURPOSE_REWARDS);
        sotto__stream_begin(&twin, 3, SOTTO__PURPOSE_REWARDS);
        for (int t = 0; t < 10; t++) {
            double draw = sotto__reward_draw(uniform[i], &ziggurat, &stream);
            assert_true(draw == sotto__uniform(sotto__seeded_next(&twin)));
        }
    }
    sotto__seeded stream, twin;
    sotto__stream_begin(&stream, 3, SOTTO__PURPOSE_REWARDS);
    sotto__stream_begin(&twin, 3, SOTTO__PURPOSE_REWARDS);
    for (int t = 0; t < 10; t++) {
        double draw = sotto__reward_draw(SOTTO_LAW_GAUSSIAN, &ziggurat, &stream);
        assert_true(draw == sotto__normal(&ziggurat, &twin));
    }
}

/* Means are cut to chances from 0 to 1 for 0/1 rewards; other means follow the link. */
TEST(binary_means_are_cut_to_chances)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    assert_near(sotto__mean_reward(&spec, 2), 1 / (1 + exp(-2)), 1e-15);
    spec.link = SOTTO_LINK_IDENTITY;
    assert_true(sotto__mean_reward(&spec, 0.25) == 0.25 && sotto__mean_reward(&spec, -0.25) == 0);
    assert_true(sotto__mean_reward(&spec, 1.25) == 1);
    spec.reward_kind = SOTTO_REWARD_CONTINUOUS;
    assert_true(sotto__mean_reward(&spec, -0.25) == -0.25);
}
