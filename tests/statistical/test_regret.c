/*
 * Regret against another implementation.
 *
 * The means and standard errors below come from a program that shares no line with this one: it was
 * written from the formulas alone, draws codewords as normals and has another generator (for sotto a
 * second one, in another language and by another hand, 800 seeds). T = 2000,
 * contexts on the sphere, noise 0.1 (published: none), delta 1e-6 (published: 0.01).
 *
 * A cell fails if |ours - theirs| > 7 sqrt(se^2 + se^2). Regrets have long tails, and with 40 seeds
 * a mean is Student rather than normal: P(|t_39| > 7) = 2e-8, for all cells together below 1e-6.
 *
 * That makes it a test against gross errors. Of what was tried, it does not see half the epsilon
 * (5.4 standard errors in the cell of 6 numbers), steps of ldp-sgd fifty times too short (5.1), or
 * a per-arm warm-up left out (-1.0): those are for the tests of the estimators.
 */
#include "stats.h"
#include "test.h"

#include <sotto/lab/runs.h>

#define HORIZON 2000u
#define SEEDS 40u
#define Z_MAX 7.0

typedef struct cell {
    sotto_calibration calibration;
    sotto_player player;
    sotto_parameters parameters;
    sotto_link link;
    sotto_reward_kind kind;
    uint32_t dim, arms;
    double epsilon;
    double mean, se; /* of the other implementation */
} cell;

#define KIND_OF_IDENTITY SOTTO_REWARD_CONTINUOUS
#define KIND_OF_LOGIT SOTTO_REWARD_BINARY
#define KIND_OF_LOG SOTTO_REWARD_COUNT
#define CELL_OF_KIND(kind, calibration, player, parameters, link, ...)                             \
    {                                                                                              \
        SOTTO_CALIBRATION_##calibration, SOTTO_PLAYER_##player, SOTTO_PARAMETERS_##parameters,     \
            SOTTO_LINK_##link, kind, __VA_ARGS__                                                   \
    }
#define CELL(calibration, player, parameters, link, ...)                                           \
    CELL_OF_KIND(KIND_OF_##link, calibration, player, parameters, link, __VA_ARGS__)

/* clang-format off */
static const cell cells[] = {
    CELL(EXACT, SOTTO, SHARED, IDENTITY, 2, 10, 1, 39.955, 1.594),
    CELL(EXACT, SOTTO, SHARED, IDENTITY, 6, 5, 4, 13.103, 0.275),
    CELL(EXACT, SOTTO, SHARED, LOGIT, 2, 6, 3, 23.016, 0.626),
    CELL(EXACT, SOTTO, SHARED, LOGIT, 6, 5, 4, 62.210, 0.994),
    CELL(EXACT, SOTTO, SHARED, LOG, 3, 4, 3, 63.936, 1.577),
    CELL(EXACT, SOTTO, PER_ARM, IDENTITY, 4, 3, 4, 32.466, 0.386),
    CELL(EXACT, SOTTO, PER_ARM, IDENTITY, 4, 5, 2, 279.409, 1.524),
    CELL(EXACT, SOTTO, PER_ARM, LOGIT, 3, 3, 4, 57.257, 0.803),
    CELL(EXACT, SOTTO, PER_ARM, LOG, 3, 3, 4, 148.358, 2.281),
    CELL_OF_KIND(SOTTO_REWARD_BINARY, EXACT, SOTTO, PER_ARM, IDENTITY, 4, 3, 4, 80.346, 0.994),
    CELL(EXACT, SOTTO_OLS, SHARED, IDENTITY, 3, 5, 4, 40.9779, 3.382),
    CELL(EXACT, LDP_SGD, SHARED, IDENTITY, 2, 10, 1, 620.646, 13.47),
    CELL(EXACT, LDP_SGD, SHARED, LOGIT, 3, 5, 4, 200.686, 5.562),
    CELL(EXACT, LDP_SGD, PER_ARM, IDENTITY, 3, 3, 4, 646.068, 7.99),
    CELL(EXACT, LDP_OLS, SHARED, IDENTITY, 3, 5, 4, 196.126, 6.48),
    CELL(EXACT, LDP_OLS, PER_ARM, IDENTITY, 3, 3, 4, 450.099, 10.4),
    CELL(EXACT, LDP_UCB, SHARED, IDENTITY, 3, 5, 4, 646.079, 6.342),
    CELL(EXACT, LDP_UCB, PER_ARM, IDENTITY, 3, 3, 4, 888.493, 8.261),
    CELL(EXACT, LDP_GLOC, SHARED, IDENTITY, 3, 5, 4, 876.514, 25.63),
    CELL(EXACT, LDP_GLOC, SHARED, LOGIT, 3, 5, 4, 279.028, 6.892),
    CELL(EXACT, LDP_GLOC, PER_ARM, IDENTITY, 3, 3, 4, 966.66, 19.83),
    CELL(EXACT, OLS, SHARED, IDENTITY, 5, 5, 1, 2.2076, 0.05102),
    CELL(EXACT, LINUCB, SHARED, IDENTITY, 5, 5, 1, 2.21892, 0.04629),
    CELL(EXACT, SGD, SHARED, IDENTITY, 5, 5, 1, 3.40522, 0.08223),
    CELL(EXACT, RANDOM, SHARED, IDENTITY, 5, 5, 1, 1043.17, 1.005),
    CELL(PUBLISHED, LDP_SGD, SHARED, IDENTITY, 2, 10, 1, 535.643, 32.15),
    CELL(PUBLISHED, LDP_OLS, SHARED, IDENTITY, 2, 10, 1, 1623.93, 34.78),
    CELL(PUBLISHED, LDP_UCB, SHARED, IDENTITY, 2, 10, 1, 1409.27, 22.97),
    CELL(PUBLISHED, LDP_GLOC, SHARED, IDENTITY, 2, 10, 1, 1315.54, 46.07),
    CELL(PUBLISHED, LDP_SGD, SHARED, LOGIT, 2, 10, 1, 206.561, 8.478),
    CELL(PUBLISHED, LDP_GLOC, SHARED, LOGIT, 2, 10, 1, 384.939, 13.04)};
/* clang-format on */

static sotto_match match_of(const cell *c)
{
    bool published = c->calibration == SOTTO_CALIBRATION_PUBLISHED;
    sotto_scene scene = {.dim = c->dim,
                         .arms = c->arms,
                         .parameters = c->parameters,
                         .link = c->link,
                         .reward_kind = c->kind,
                         .environment = SOTTO_ENVIRONMENT_SPHERE,
                         .horizon = HORIZON};
    sotto_match match =
        sotto_match_default(c->player, c->calibration, &scene, c->epsilon, published ? 0.01 : 1e-6);
    assert_ok(sotto_match_set_learning(&match));
    return match;
}

/* By how many standard errors our mean exceeds theirs. */
static double distance(const cell *c, const sotto_match *match)
{
    running regret = {0};
    uint64_t seeds = getenv("SOTTO_SOAK") == NULL ? SEEDS : 20 * SEEDS;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        sotto_point point = {.t = HORIZON};
        sotto_run_result result;
        bool finished;
        assert_ok(sotto_match_play(match, seed, &point, 1, NULL, &result, &finished));
        running_add(&regret, point.regret);
    }
    return (regret.mean - c->mean) / hypot(running_standard_error(&regret), c->se);
}

TEST(every_method_has_the_regret_it_should)
{
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        const cell *c = &cells[i];
        sotto_match match = match_of(c);
        double z = distance(c, &match);
        if (!(fabs(z) <= Z_MAX)) {
            fail_msg("%s, %s, %s, %s, dim %u, arms %u, epsilon %g: %.1f standard errors off",
                     sotto_calibration_name(c->calibration), sotto_player_name(c->player),
                     sotto_parameters_name(c->parameters), sotto_link_name(c->link), c->dim,
                     c->arms, c->epsilon, z);
        }
    }
}

static const cell *cell_of(sotto_player player, sotto_parameters parameters, uint32_t dim)
{
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        const cell *c = &cells[i];
        if (c->player == player && c->parameters == parameters && c->dim == dim) return c;
    }
    fail();
    return NULL;
}

/* Twins: the same cells with one thing wrong. Each must be detected. */
TEST(what_is_wrong_is_found_out)
{
    const cell *c = cell_of(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_SHARED, 6);
    sotto_match match = match_of(c);
    match.spec.epsilon /= 4;
    assert_true(distance(c, &match) > Z_MAX);

    c = cell_of(SOTTO_PLAYER_SOTTO, SOTTO_PARAMETERS_PER_ARM, 4);
    match = match_of(c);
    match.learning.warm_up = HORIZON / 2;
    assert_true(fabs(distance(c, &match)) > Z_MAX);

    c = cell_of(SOTTO_PLAYER_LDP_SGD, SOTTO_PARAMETERS_SHARED, 2);
    match = match_of(c);
    match.learning.eta0 = 500;
    assert_true(fabs(distance(c, &match)) > Z_MAX);

    c = cell_of(SOTTO_PLAYER_LDP_UCB, SOTTO_PARAMETERS_SHARED, 3);
    match = match_of(c);
    match.learning.shift_scale = 0.1;
    assert_true(fabs(distance(c, &match)) > Z_MAX);
}
