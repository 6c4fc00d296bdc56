/* LDP-SGD as published: the law of its l2-ball, its steps. */
#include "core/core.h"
#include "lab/player/inner.h"
#include "published_twin.h"
#include "stats.h"

OWNED(sotto__player, sotto__player_free)

#define ROUNDS 200

/* E z = factor g in every coordinate, ||z|| = radius. Each coordinate within 6 standard errors: a
 * false alarm in 1e7 for 60 of them. */
static void assert_ball(const double *g, uint32_t count, double bound, double radius, double factor,
                        int draws)
{
    sotto_match match = published_match(SOTTO_PLAYER_LDP_SGD, true, false);
    OWN(sotto__player) player = published_player(&match, 21);
    running mean[60] = {{0, 0, 0}}, along = {0, 0, 0};
    for (int t = 0; t < draws; t++) {
        double z[60];
        sotto__published_ball((sotto__published *)player, g, count, bound, radius, z);
        assert_near(sqrt(dot_of(z, z, count)) / radius, 1, 1e-12);
        for (uint32_t i = 0; i < count; i++) {
            running_add(&mean[i], z[i]);
        }
        running_add(&along, dot_of(z, g, count));
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_near(mean[i].mean, factor * g[i], 6 * running_standard_error(&mean[i]));
    }
    double wanted = factor * dot_of(g, g, count);
    assert_near(along.mean, wanted, 6 * running_standard_error(&along));
}

TEST(short_gradients_are_unbiased)
{
    double radius = sotto_l2ball_radius(2, 1);
    assert_near(radius, 3.3991, 5e-5);
    assert_ball((double[]){0.3, -0.4}, 2, 1, radius, 1, 200000);
    assert_ball((double[]){0.6, 0.8}, 2, 1, radius, 1, 200000);
    assert_ball((double[]){0, 0}, 2, 1, radius, 1, 200000);
}

TEST(long_gradients_count_as_unit_vectors)
{
    assert_ball((double[]){3, -4}, 2, 1, sotto_l2ball_radius(2, 1), 1 / 5.0, 200000);
    assert_ball((double[]){30, 40}, 2, 1, sotto_l2ball_radius(2, 1), 1 / 50.0, 200000);
}

/* With R = 2 a gradient of length 2 does not change, and one of length 5 is cut to 2. */
TEST(longer_gradients_are_unbiased_with_a_larger_bound)
{
    double radius = 2 * sotto_l2ball_radius(2, 1);
    assert_ball((double[]){1.2, -1.6}, 2, 2, radius, 1, 200000);
    assert_ball((double[]){0.3, 0.4}, 2, 2, radius, 1, 200000);
    assert_ball((double[]){3, -4}, 2, 2, radius, 2 / 5.0, 200000);
}

/* d = 20, K = 3: the radius of R^20 in R^60 leaves 0.573 of a gradient. */
TEST(per_arm_gradients_are_too_short)
{
    double g[60] = {0}, radius = sotto_l2ball_radius(20, 1);
    g[20] = 0.6;
    g[39] = -0.8;
    assert_near(radius, 11.9783, 5e-5);
    assert_near(radius / sotto_l2ball_radius(60, 1), 0.573, 5e-4);
    assert_ball(g, 60, 1, radius, 0.573, 100000);
}

/* z by the twin: turn, half, direction, in the order of the player; the rule is theirs. */
static void twin_ball(twin_streams *twin, const double *g, uint32_t count, double bound,
                      double radius, double *z)
{
    double norm = sqrt(dot_of(g, g, count));
    double turn = sotto__uniform(sotto__seeded_next(&twin->noise));
    double half = sotto__uniform(sotto__seeded_next(&twin->noise));
    double s = turn > 0.5 + norm / bound / 2 ? 1 : -1;
    double p = exp(1) / (1 + exp(1));
    draw_unit(&twin->ziggurat, &twin->noise, count, z);
    double along = s * dot_of(z, g, count);
    bool accepted = half > p ? along > 0 : along <= 0;
    for (uint32_t i = 0; i < count; i++) {
        z[i] *= accepted ? radius : -radius;
    }
}

/* The paper's R at the bounds of corrected runs: |r| <= 3, ||x|| <= 1.5. */
#define R_CORRECTED (2 * 3 * 1.5)

static sotto_match corrected_match(bool shared, bool second, uint32_t corrections)
{
    sotto_match match = published_match(SOTTO_PLAYER_LDP_SGD, shared, second);
    match.corrections = corrections;
    match.spec.reward_lo = -3;
    match.spec.reward_hi = 2;
    match.spec.context_norm_max = 1.5;
    match.learning.eta0 = 0.7;
    return match;
}

static void assert_shared(sotto_link link, bool second, uint32_t corrections)
{
    static crowd people;
    sotto_match match = corrected_match(true, second, corrections);
    double bound = corrections >> SOTTO_CORRECTION_RADIUS & 1 ? R_CORRECTED : 1;
    bool theory = corrections >> SOTTO_CORRECTION_STEP & 1;
    double theta[TWIN_DIM], g[TWIN_DIM], z[TWIN_DIM], score[TWIN_ARMS];
    twin_streams twin;
    match.spec.link = link;
    OWN(sotto__player) player = published_player(&match, 22);
    twin_streams_begin(&twin, 22);
    crowd_begin(&people, true);
    draw_unit(&twin.ziggurat, &twin.initial, TWIN_DIM, theta);
    for (int n = 1; n <= ROUNDS; n++) {
        assert_all_near(player->estimate(player), theta, TWIN_DIM, 1e-9);
        crowd_next(&people);
        crowd_scores(&people, theta, score);
        uint32_t arm = decided(player, &people, first_largest(score, TWIN_ARMS));
        double v = fmax(-20, fmin(20, score[arm]));
        for (uint32_t i = 0; i < TWIN_DIM; i++) {
            double residual = sotto__link_mean(link, v) - people.reward[arm];
            g[i] = residual * crowd_context(&people, arm)[i];
        }
        twin_ball(&twin, g, TWIN_DIM, bound, bound * sotto_l2ball_radius(TWIN_DIM, 1), z);
        double ridge = link == SOTTO_LINK_IDENTITY ? 0 : 0.05;
        for (uint32_t i = 0; i < TWIN_DIM; i++) {
            theta[i] -= theory   ? 0.7 / n * z[i]
                        : second ? sqrt(4) * 3 / 1000 / sqrt(n) * z[i]
                                 : 5.0 / n * (z[i] + ridge * theta[i]);
        }
        assert_ok(player->learn(player, people.reward[arm]));
    }
}

TEST(shared_runs_are_like_slow_ones)
{
    const sotto_link links[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_LOG};
    for (int i = 0; i < 6; i++) {
        assert_shared(links[i / 2], i % 2 == 1, 0);
    }
}

TEST(shared_runs_can_be_corrected)
{
    const uint32_t radius = 1u << SOTTO_CORRECTION_RADIUS, steps = 1u << SOTTO_CORRECTION_STEP;
    const sotto_link links[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_LOG};
    for (int i = 0; i < 3; i++) {
        assert_shared(links[i], false, radius);
        assert_shared(links[i], true, radius);
        assert_shared(links[i], false, steps);
        assert_shared(links[i], false, radius | steps);
    }
}

/* theta = (1000, 0, 0), x = (1, 0, 0), r = e^20 - 1/2: cut at v = 20, g = x/2 and E z = x/2, which
 * would be x without the cut. z_1 is at most B; 6 standard errors. */
TEST(predictions_are_cut_at_twenty)
{
    enum { DRAWS = 20000 };
    sotto_match match = published_match(SOTTO_PLAYER_LDP_SGD, true, false);
    match.spec.link = SOTTO_LINK_LOG;
    OWN(sotto__player) player = published_player(&match, 23);
    sotto__published *self = (sotto__published *)player;
    double sum = 0;
    for (int t = 0; t < DRAWS; t++) {
        uint32_t arm;
        memcpy(self->theta, (double[]){1000, 0, 0}, 3 * sizeof(double));
        self->n = 0;
        assert_ok(player->decide(player, (double[TWIN_CELLS]){1, 0, 0}, &arm));
        assert_int_equal(arm, 0);
        assert_ok(player->learn(player, exp(20) - 0.5));
        sum += (1000 * (1 - 5 * 0.05) - self->theta[0]) / 5; /* the step is 5, the ridge 0.05 */
    }
    assert_near(sum / DRAWS, 0.5, 6 * sotto_l2ball_radius(3, 1) / sqrt(DRAWS));
}

static void slow_warm_up(slow_moments *m, twin_streams *twin, const crowd *people, int n,
                         double *theta)
{
    uint32_t arm = (uint32_t)(n - 1) % TWIN_ARMS;
    slow_moments_add(&m[arm], twin, people->context, people->reward[arm], TWIN_DIM);
    slow_solve(m[arm].v, 2 * twin_upsilon(twin_sigma(2.5), n), m[arm].u, TWIN_DIM,
               theta + arm * TWIN_DIM);
}

static void slow_main(twin_streams *twin, const crowd *people, uint32_t arm, int n, bool second,
                      uint32_t corrections, double *theta)
{
    double bound = corrections >> SOTTO_CORRECTION_RADIUS & 1 ? R_CORRECTED : 1;
    uint32_t count = corrections >> SOTTO_CORRECTION_DIMENSION & 1 ? TWIN_CELLS : TWIN_DIM;
    double g[TWIN_CELLS] = {0}, z[TWIN_CELLS];
    double *block = theta + arm * TWIN_DIM;
    double residual = dot_of(people->context, block, TWIN_DIM) - people->reward[arm];
    for (uint32_t i = 0; i < TWIN_DIM; i++) {
        g[arm * TWIN_DIM + i] = residual * people->context[i];
    }
    twin_ball(twin, g, TWIN_CELLS, bound, bound * sotto_l2ball_radius(count, 1), z);
    for (uint32_t i = 0; i < TWIN_CELLS; i++) {
        theta[i] -= second ? sqrt(4) * 3 / 200 / n * z[i] : 20.0 / n * (z[i] + 0.05 * theta[i]);
    }
}

static void assert_per_arm(bool second, uint32_t corrections)
{
    static crowd people;
    sotto_match match = corrected_match(false, second, corrections);
    slow_moments m[TWIN_ARMS] = {0};
    double theta[TWIN_CELLS] = {0};
    twin_streams twin;
    OWN(sotto__player) player = published_player(&match, 24);
    twin_streams_begin(&twin, 24);
    crowd_begin(&people, false);
    for (int n = 1; n <= ROUNDS; n++) {
        double score[TWIN_ARMS];
        crowd_next(&people);
        assert_all_near(player->estimate(player), theta, TWIN_CELLS, 1e-9);
        crowd_scores(&people, theta, score);
        bool warm_up = n <= 50;
        uint32_t wanted = warm_up ? (uint32_t)(n - 1) % TWIN_ARMS : first_largest(score, TWIN_ARMS);
        uint32_t arm = decided(player, &people, wanted);
        assert_ok(player->learn(player, people.reward[arm]));
        if (warm_up) {
            slow_warm_up(m, &twin, &people, n, theta);
        } else {
            slow_main(&twin, &people, arm, n, second, corrections, theta);
        }
    }
}

TEST(per_arm_runs_are_like_slow_ones)
{
    assert_per_arm(false, 0);
    assert_per_arm(true, 0);
}

TEST(per_arm_runs_can_be_corrected)
{
    for (int second = 0; second < 2; second++) {
        assert_per_arm(second == 1, 1u << SOTTO_CORRECTION_DIMENSION);
        assert_per_arm(second == 1, 1u << SOTTO_CORRECTION_RADIUS);
        assert_per_arm(second == 1,
                       1u << SOTTO_CORRECTION_RADIUS | 1u << SOTTO_CORRECTION_DIMENSION);
    }
}

/* Their auto-loan study: the step after n rounds has length B/(n + 50), and no ridge pulls. */
TEST(auto_loan_steps_are_their_own)
{
    sotto_match match = published_match(SOTTO_PLAYER_LDP_SGD, true, false);
    match.spec.link = SOTTO_LINK_LOGIT;
    match.environment.kind = SOTTO_ENVIRONMENT_LOAN;
    const double context[TWIN_CELLS] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    OWN(sotto__player) player = published_player(&match, 4);
    double radius = sotto_l2ball_radius(TWIN_DIM, 1), before[TWIN_DIM];
    for (int n = 1; n <= 100; n++) {
        uint32_t arm;
        memcpy(before, player->estimate(player), sizeof before);
        assert_ok(player->decide(player, context, &arm));
        assert_ok(player->learn(player, 1));
        double step = 0;
        for (uint32_t i = 0; i < TWIN_DIM; i++) {
            step = hypot(step, player->estimate(player)[i] - before[i]);
        }
        assert_near(step, radius / (n + 50), 1e-14);
    }
}

/* LDP-GLOC as published, compared with whole matrices and Gauss elimination. */

typedef struct slow_gloc {
    twin_streams twin;
    slow_moments m;
    double h[TWIN_CELLS], t[TWIN_CELLS]; /* theta_h and theta */
} slow_gloc;

static void slow_begin(slow_gloc *s, uint64_t seed, uint32_t count, bool second)
{
    memset(&s->m, 0, sizeof s->m);
    twin_streams_begin(&s->twin, seed);
    draw_unit(&s->twin.ziggurat, &s->twin.initial, count, s->h);
    memcpy(s->t, s->h, count * sizeof s->t[0]);
    if (!second) draw_unit(&s->twin.ziggurat, &s->twin.initial, count, s->t);
}

static void slow_step(slow_gloc *s, uint32_t count, const double *x, double residual, double sd,
                      double zeta)
{
    for (uint32_t i = 0; i < count; i++) {
        s->h[i] -= zeta * (residual * x[i] + sd * twin_normal(&s->twin));
    }
}

static double smallest_slope(sotto_link link)
{
    switch (link) {
    case SOTTO_LINK_LOGIT: return 0.19661193324148185;
    case SOTTO_LINK_LOG: return exp(-1);
    case SOTTO_LINK_IDENTITY:
    case SOTTO_LINK_PROBIT: return 1;
    }
    return 0;
}

/* theta_h to the unit ball. */
static void slow_project(slow_gloc *s)
{
    double norm = sqrt(dot_of(s->h, s->h, TWIN_DIM));
    for (uint32_t i = 0; i < TWIN_DIM && norm > 1; i++) {
        s->h[i] /= norm;
    }
}

static void assert_shared_gloc(sotto_link link, bool second, uint32_t corrections)
{
    static crowd people;
    static slow_gloc s;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_GLOC, true, second);
    double score[TWIN_ARMS], server = twin_sigma(3.75);
    double zeta = (second ? 12 : 1) / sqrt(1000);
    bool blind = second && (corrections >> SOTTO_CORRECTION_EXPLORATION & 1) == 0;
    match.spec.link = link;
    match.corrections = corrections;
    OWN(sotto__player) player = published_player(&match, 51);
    slow_begin(&s, 51, TWIN_DIM, second);
    crowd_begin(&people, true);
    for (int n = 1; n <= ROUNDS; n++) {
        double before = n == 1 ? 1 : n - 1, shift = 2 * twin_upsilon(server, before);
        double beta = sqrt(server / smallest_slope(link) * sqrt(3 * before));
        assert_all_near(player->estimate(player), s.h, TWIN_DIM, 1e-9);
        crowd_next(&people);
        crowd_scores(&people, s.t, score);
        for (uint32_t a = 0; a < TWIN_ARMS; a++) {
            const double *x = crowd_context(&people, a);
            double form = blind ? dot_of(x, x, TWIN_DIM) : slow_form(s.m.v, shift, x, TWIN_DIM);
            score[a] += beta * sqrt(form);
        }
        uint32_t arm = decided(player, &people, first_largest(score, TWIN_ARMS));
        assert_scores(player, score);
        const double *x = crowd_context(&people, arm);
        double product = dot_of(x, s.h, TWIN_DIM);
        assert_ok(player->learn(player, people.reward[arm]));
        slow_moments_add(&s.m, &s.twin, x, product, TWIN_DIM);
        slow_solve(s.m.v, shift, s.m.u, TWIN_DIM, s.t);
        double mean = sotto__link_mean(link, fmax(-5, fmin(5, product)));
        slow_step(&s, TWIN_DIM, x, mean - people.reward[arm], twin_sigma(2.5), zeta);
        if (corrections >> SOTTO_CORRECTION_BOUNDED & 1) slow_project(&s);
    }
}

TEST(shared_runs_of_gloc_are_like_slow_ones)
{
    const sotto_link links[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_LOG};
    for (int i = 0; i < 6; i++) {
        assert_shared_gloc(links[i / 2], i % 2 == 1, 0);
    }
}

TEST(shared_runs_of_gloc_can_be_corrected)
{
    const sotto_link links[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_LOG};
    for (int i = 0; i < 3; i++) {
        assert_shared_gloc(links[i], false, 1u << SOTTO_CORRECTION_BOUNDED);
        assert_shared_gloc(links[i], true, 1u << SOTTO_CORRECTION_BOUNDED);
        assert_shared_gloc(links[i], true, 1u << SOTTO_CORRECTION_EXPLORATION);
    }
}

/* V of a per-arm run: as published the number x . x, noise and all, lands on every entry of a
 * matrix of R^(dK); corrected it is x x' with noise of its own on every entry. */
static void slow_learn_arms(slow_gloc *s, const double *x, double product, bool ranked)
{
    double sigma = twin_sigma(2.5);
    if (ranked) {
        slow_moments_add(&s->m, &s->twin, x, product, TWIN_CELLS);
        return;
    }
    double square = dot_of(x, x, TWIN_CELLS) + sigma * twin_normal(&s->twin);
    for (uint32_t i = 0; i < TWIN_CELLS * TWIN_CELLS; i++) {
        s->m.v[i / TWIN_CELLS][i % TWIN_CELLS] += square;
    }
    for (uint32_t i = 0; i < TWIN_CELLS; i++) {
        s->m.u[i] += product * x[i] + sigma * twin_normal(&s->twin);
    }
}

static void assert_per_arm_gloc(bool second, bool ranked)
{
    static crowd people;
    static slow_gloc s;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_GLOC, false, second);
    double score[TWIN_ARMS], sigma = twin_sigma(2.5);
    double zeta = (second ? 12 / 1000.0 : 1) / sqrt(1000);
    if (ranked) match.corrections = 1u << SOTTO_CORRECTION_RANK;
    OWN(sotto__player) player = published_player(&match, 52);
    slow_begin(&s, 52, TWIN_CELLS, second);
    crowd_begin(&people, false);
    for (int n = 1; n <= ROUNDS; n++) {
        double block[TWIN_ARMS][TWIN_CELLS] = {{0}};
        assert_all_near(player->estimate(player), s.t, TWIN_CELLS, 1e-9);
        crowd_next(&people);
        for (uint32_t a = 0; a < TWIN_ARMS; a++) {
            memcpy(block[a] + a * TWIN_DIM, people.context, TWIN_DIM * sizeof(double));
            score[a] = dot_of(block[a], s.t, TWIN_CELLS);
            if (n == 1) continue; /* a zero matrix has no inverse */
            double shift = 2 * twin_upsilon(sigma, n - 1);
            double form = slow_form(s.m.v, shift, block[a], TWIN_CELLS);
            score[a] += twin_beta(n) * sqrt(form);
        }
        uint32_t arm = decided(player, &people, first_largest(score, TWIN_ARMS));
        assert_scores(player, score);
        assert_ok(player->learn(player, people.reward[arm]));
        double product = dot_of(block[arm], s.h, TWIN_CELLS);
        slow_learn_arms(&s, block[arm], product, ranked);
        slow_solve(s.m.v, 2 * twin_upsilon(sigma, n), s.m.u, TWIN_CELLS, s.t);
        slow_step(&s, TWIN_CELLS, block[arm], product - people.reward[arm], 2 * sigma, zeta);
    }
}

TEST(per_arm_runs_of_gloc_are_like_slow_ones)
{
    assert_per_arm_gloc(false, false);
    assert_per_arm_gloc(true, false);
}

TEST(per_arm_runs_can_have_the_whole_matrix)
{
    assert_per_arm_gloc(false, true);
    assert_per_arm_gloc(true, true);
}

/* Their auto-loan study has half the noise: with contexts of 0 nothing else moves theta_h. */
TEST(auto_loan_noise_is_half)
{
    const double nothing[TWIN_CELLS] = {0};
    double moved[2][TWIN_DIM];
    for (int loan = 0; loan < 2; loan++) {
        sotto_match match = published_match(SOTTO_PLAYER_LDP_GLOC, true, false);
        if (loan) match.environment.kind = SOTTO_ENVIRONMENT_LOAN;
        OWN(sotto__player) player = published_player(&match, 4);
        uint32_t arm;
        memcpy(moved[loan], player->estimate(player), sizeof moved[loan]);
        assert_ok(player->decide(player, nothing, &arm));
        assert_ok(player->learn(player, 1));
        for (uint32_t i = 0; i < TWIN_DIM; i++) {
            moved[loan][i] -= player->estimate(player)[i];
        }
    }
    for (uint32_t i = 0; i < TWIN_DIM; i++) {
        assert_true(fabs(moved[0][i]) > 1e-6);
        assert_near(moved[1][i], moved[0][i] / 2, 1e-14);
    }
}
