/* Players without privacy: single steps by hand, and long runs compared with slow algebra. */
#include "core/core.h"
#include "lab/player/player.h"
#include "players.h"
#include "seeds.h"

OWNED(sotto__player, sotto__player_free)

#define DIM 3
#define ARMS 4
#define ROUNDS 300

static sotto__player *player_of(const sotto_match *match, uint64_t seed)
{
    sotto__player *player;
    assert_ok(sotto__player_baseline_new(match, seed, NULL, &player));
    assert_true(player->repairs(player) == 0);
    return player;
}

/* Plays a round and returns its arm. */
static uint32_t play(sotto__player *player, const double *context, double reward)
{
    uint32_t arm;
    assert_ok(player->decide(player, context, &arm));
    assert_ok(player->learn(player, reward));
    return arm;
}

TEST(methods_with_privacy_are_refused)
{
    for (sotto_player kind = 0; kind < SOTTO_PLAYER_OLS; kind++) {
        sotto_match match = match_of(kind, SOTTO_PARAMETERS_SHARED, DIM, ARMS);
        sotto__player *player;
        assert_status(sotto__player_baseline_new(&match, 0, NULL, &player), SOTTO_E_FAULT);
        assert_null(player);
    }
}

/* Contexts are scaled down to C_B = 1 and rewards clamped to 1: x = (3, 4) becomes (0.6, 0.8), and
 * NaN counts as 0. One round of ols, x = (0.6, 0.8), r = 1: theta = (I + x x')^-1 x = x/2. */
TEST(contexts_and_rewards_are_clipped)
{
    sotto_match match = match_of(SOTTO_PLAYER_OLS, SOTTO_PARAMETERS_PER_ARM, 2, 2);
    OWN(sotto__player) player = player_of(&match, 1);
    uint32_t arm = play(player, (double[]){3, 4}, 1e9);
    assert_near(player->estimate(player)[2 * arm], 0.3, 1e-15);
    assert_near(player->estimate(player)[2 * arm + 1], 0.4, 1e-15);
    assert_int_equal(play(player, (double[]){NAN, INFINITY}, NAN), 0);
}

/* d = 1, theta = 0: uniform arms before anything is learned. */
static void the_first_arm_is_uniform(sotto_player kind)
{
    sotto_match match = match_of(kind, SOTTO_PARAMETERS_SHARED, 1, ARMS);
    uint64_t count[ARMS] = {0};
    const uint64_t trials = 4000;
    for (uint64_t seed = 0; seed < trials; seed++) {
        uint32_t arm;
        OWN(sotto__player) player = player_of(&match, seed);
        assert_ok(player->decide(player, (double[ARMS]){0.1, 0.2, 0.3, 0.4}, &arm));
        assert_in_range(arm, 0, ARMS - 1);
        count[arm]++;
    }
    for (uint32_t a = 0; a < ARMS; a++) { /* 4 cells at 6 sd: a false alarm in 1e8 */
        double sd = sqrt((double)trials * 0.25 * 0.75);
        assert_near((double)count[a], (double)trials / ARMS, 6 * sd);
    }
}

TEST(nothing_learnt_means_a_random_arm)
{
    the_first_arm_is_uniform(SOTTO_PLAYER_OLS);
    the_first_arm_is_uniform(SOTTO_PLAYER_LINUCB);
    the_first_arm_is_uniform(SOTTO_PLAYER_SGD);
    the_first_arm_is_uniform(SOTTO_PLAYER_GLM);
    the_first_arm_is_uniform(SOTTO_PLAYER_GLM_UCB);
    the_first_arm_is_uniform(SOTTO_PLAYER_RANDOM);
}

TEST(random_learns_nothing)
{
    sotto_match match = match_of(SOTTO_PLAYER_RANDOM, SOTTO_PARAMETERS_SHARED, DIM, ARMS);
    const double context[ARMS * DIM] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    uint64_t count[ARMS] = {0};
    OWN(sotto__player) player = player_of(&match, 3);
    for (int t = 0; t < 40000; t++) {
        count[play(player, context, 1)]++;
    }
    for (uint32_t a = 0; a < ARMS; a++) { /* at 6 sd */
        assert_near((double)count[a], 10000, 6 * sqrt(40000 * 0.25 * 0.75));
    }
    for (uint32_t i = 0; i < DIM; i++) {
        assert_true(player->estimate(player)[i] == 0);
    }
}

/* The player's coins are its own, none that the world uses for contexts or rewards. */
TEST(coins_come_from_the_player_s_stream)
{
    sotto_match match = match_of(SOTTO_PLAYER_RANDOM, SOTTO_PARAMETERS_PER_ARM, DIM, ARMS);
    OWN(sotto__player) player = player_of(&match, 9);
    twin_streams twin;
    twin_streams_begin(&twin, 9);
    for (int t = 0; t < 50; t++) {
        uint32_t arm;
        assert_ok(player->decide(player, (double[DIM]){1, 0, 0}, &arm));
        assert_int_equal(arm, (int)(ARMS * sotto__uniform(sotto__seeded_next(&twin.noise))));
    }
}

TEST(the_oracle_knows_the_world)
{
    sotto_match match = match_of(SOTTO_PLAYER_ORACLE, SOTTO_PARAMETERS_PER_ARM, 1, ARMS);
    double mean[ARMS] = {0.5, 0.7, 0.7, -1}, theta[ARMS] = {1, 2, 3, 4};
    const sotto__world world = {.value = mean, .theta = theta};
    uint32_t arm;
    OWN(sotto__player) player;
    assert_ok(sotto__player_baseline_new(&match, 0, &world, &player));
    assert_ok(player->decide(player, (double[]){1}, &arm));
    assert_int_equal(arm, 1); /* the first of two */
    assert_ok(player->learn(player, 0));
    mean[3] = 2;
    assert_ok(player->decide(player, (double[]){1}, &arm));
    assert_int_equal(arm, 3);
    assert_ptr_equal(player->estimate(player), theta);
}

/* One round of each: theta along x of the first arm taken. Then means, or indices, of two arms of
 * which the worse is worth more. */
TEST(worths_weigh_what_baselines_compare)
{
    const double worth[2] = {1, 50}, none[2] = {1, 0}, context[4] = {0.9, 0, 0.1, 0};
    const sotto_player kinds[] = {SOTTO_PLAYER_OLS, SOTTO_PLAYER_LINUCB, SOTTO_PLAYER_SGD,
                                  SOTTO_PLAYER_GLM, SOTTO_PLAYER_GLM_UCB};
    for (size_t i = 0; i < 5; i++) {
        uint32_t arm;
        sotto_match match = match_of(kinds[i], SOTTO_PARAMETERS_SHARED, 2, 2);
        OWN(sotto__player) player = player_of(&match, 1);
        play(player, (double[]){1, 0, 1, 0}, 1);
        assert_true(player->estimate(player)[0] > 0);
        assert_ok(player->decide(player, context, &arm));
        assert_int_equal(arm, 0);
        match.worth = worth;
        assert_ok(player->decide(player, context, &arm));
        assert_int_equal(arm, 1);
        match.worth = none;
        assert_ok(player->decide(player, (double[]){-0.9, 0, -0.1, 0}, &arm));
        bool bonus = kinds[i] == SOTTO_PLAYER_LINUCB || kinds[i] == SOTTO_PLAYER_GLM_UCB;
        assert_int_equal(arm, !bonus);
    }
}

/* Under logit: mu(0.45) = 0.6106 is more than 1.2 mu(0) = 0.6 and less than 1.25 mu(0) = 0.625,
 * while 0.45 is more than any worth times 0. */
TEST(worths_weigh_means_and_not_products)
{
    sotto_match match = match_of(SOTTO_PLAYER_SGD, SOTTO_PARAMETERS_SHARED, 1, 2);
    match.spec.link = SOTTO_LINK_LOGIT;
    match.learning.eta0 = 1; /* theta = 0.5 after a reward of 1 at x = 1 */
    uint32_t arm;
    OWN(sotto__player) player = player_of(&match, 1);
    play(player, (double[]){1, 1}, 1);
    assert_near(player->estimate(player)[0], 0.5, 1e-15);
    match.worth = (double[]){1, 1.2};
    assert_ok(player->decide(player, (double[]){0.9, 0}, &arm));
    assert_int_equal(arm, 0);
    match.worth = (double[]){1, 1.25};
    assert_ok(player->decide(player, (double[]){0.9, 0}, &arm));
    assert_int_equal(arm, 1);
}

/* d = 1, eta0 = 5: theta_1 = -5/1 (0 - 0.1) 1 = 0.5. Then step 5/2 or 5/sqrt 2 of the residual
 * 0.5 - 0.1 = 0.4: 0.5 - 1 = -0.5, or 0.5 - sqrt 2 = -0.914. Then r = 1 goes beyond 1. */
TEST(sgd_by_hand)
{
    const double wanted[2] = {-0.5, 0.5 - 1.41421356237309505};
    for (int step = 0; step < 2; step++) {
        sotto_match match = match_of(SOTTO_PLAYER_SGD, SOTTO_PARAMETERS_SHARED, 1, 2);
        match.learning.step = step == 0 ? SOTTO_STEP_INVERSE : SOTTO_STEP_SQRT;
        for (int project = 0; project < 2; project++) {
            const double x[2] = {1, 1};
            match.learning.project = project == 1;
            OWN(sotto__player) player = player_of(&match, 0);
            play(player, x, 0.1);
            assert_near(player->estimate(player)[0], 0.5, 1e-15);
            assert_int_equal(play(player, x, 0.1), 0); /* the first of equals */
            assert_near(player->estimate(player)[0], wanted[step], 1e-15);
            play(player, x, 1);
            double third = wanted[step] - 5 / (step == 0 ? 3 : sqrt(3)) * (wanted[step] - 1);
            assert_near(player->estimate(player)[0], project == 1 ? 1 : third, 1e-14);
        }
    }
}

/* Logit, d = 1, x = 1, r = 1: V = 1 + mu'(0) = 1.25, theta = -(1/2 - 1)/1.25 = 0.4. */
TEST(a_newton_step_by_hand)
{
    sotto_match match = match_of(SOTTO_PLAYER_GLM_UCB, SOTTO_PARAMETERS_SHARED, 1, 2);
    match.spec.link = SOTTO_LINK_LOGIT;
    OWN(sotto__player) player = player_of(&match, 0);
    play(player, (double[]){1, 1}, 1);
    assert_near(player->estimate(player)[0], 0.4, 1e-15);
}

/* Logit, d = 1, V = 1, x = 1, r = 1: the new product is z = 1 - mu(z). */
TEST(an_implicit_step_by_hand)
{
    sotto_match match = match_of(SOTTO_PLAYER_GLM, SOTTO_PARAMETERS_SHARED, 1, 2);
    match.spec.link = SOTTO_LINK_LOGIT;
    OWN(sotto__player) player = player_of(&match, 0);
    play(player, (double[]){1, 1}, 1);
    double z = player->estimate(player)[0];
    assert_nears(1e-15, z, 0.40105813754154705, z, 1 - 1 / (1 + exp(-z)));
}

/* How often a step goes beyond the reward that it learns from, with a bound of 1000 on theta. */
static int overshoots(sotto_player kind)
{
    sotto_match match = match_of(kind, SOTTO_PARAMETERS_SHARED, DIM, 2);
    sotto__ziggurat ziggurat;
    sotto__seeded stream = seeded_of(81);
    int count = 0;
    match.spec.link = SOTTO_LINK_LOGIT;
    match.spec.theta_norm_max = 1000;
    OWN(sotto__player) player = player_of(&match, 3);
    sotto__ziggurat_begin(&ziggurat);
    for (int t = 0; t < ROUNDS; t++) {
        double context[2 * DIM];
        uint32_t arm;
        draw_unit(&ziggurat, &stream, DIM, context);
        draw_unit(&ziggurat, &stream, DIM, context + DIM);
        assert_ok(player->decide(player, context, &arm));
        const double *x = context + (size_t)arm * DIM;
        double reward = t % 3 == 0 ? 0.9 : 0.2;
        double before = dot_of(x, player->estimate(player), DIM);
        assert_ok(player->learn(player, reward));
        double after = dot_of(x, player->estimate(player), DIM);
        before = sotto__link_mean(SOTTO_LINK_LOGIT, before) - reward;
        after = sotto__link_mean(SOTTO_LINK_LOGIT, after) - reward;
        count += before * after < 0 && fabs(after) > 1e-9;
    }
    return count;
}

TEST(an_implicit_step_does_not_overshoot)
{
    assert_int_equal(overshoots(SOTTO_PLAYER_GLM), 0);
    assert_true(overshoots(SOTTO_PLAYER_GLM_UCB) > 0);
}

/* ---- compared with a slow reference -------------------------------------------------------- */

typedef struct slow {
    double v[ARMS][SLOW_MAX][SLOW_MAX];
    double u[ARMS][DIM], theta[ARMS][DIM];
    uint64_t updates[ARMS];
} slow;

static void slow_begin(slow *s, double theta_norm_max)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < ARMS * DIM; i++) {
        s->v[i / DIM][i % DIM][i % DIM] = 1 / (theta_norm_max * theta_norm_max);
    }
}

static void shorten(double *theta, double bound)
{
    double norm = sqrt(dot_of(theta, theta, DIM));
    for (int i = 0; norm > bound && i < DIM; i++) {
        theta[i] *= bound / norm;
    }
}

/* z = z_0 - q (mu(z) - r) by halving; grows as long as z is too small. */
static double slow_product(slow *s, sotto_link link, uint32_t b, const double *x, double r)
{
    double product = dot_of(x, s->theta[b], DIM), form = slow_form(s->v[b], 0, x, DIM);
    double lo = -1e3, hi = 1e3;
    while (hi - lo > 1e-14) {
        double z = (lo + hi) / 2;
        double off = z - product + form * (sotto__link_mean(link, z) - r);
        if (z == lo || z == hi) break;
        lo = off > 0 ? lo : z;
        hi = off > 0 ? z : hi;
    }
    return lo;
}

static void slow_implicit(slow *s, const sotto_spec *spec, uint32_t b, const double *x, double r)
{
    double z = slow_product(s, spec->link, b, x, r), step[DIM];
    slow_solve(s->v[b], 0, x, DIM, step);
    for (int i = 0; i < DIM * DIM; i++) {
        s->v[b][i / DIM][i % DIM] += sotto__link_slope(spec->link, z) * x[i / DIM] * x[i % DIM];
    }
    for (int i = 0; i < DIM; i++) {
        s->theta[b][i] -= (sotto__link_mean(spec->link, z) - r) * step[i];
    }
    shorten(s->theta[b], spec->theta_norm_max);
}

static void slow_learn(slow *s, const sotto_match *match, uint32_t b, const double *x, double r)
{
    const sotto_spec *spec = &match->spec;
    if (match->player == SOTTO_PLAYER_GLM) {
        slow_implicit(s, spec, b, x, r);
        return;
    }
    double product = dot_of(x, s->theta[b], DIM), step[DIM];
    double residual = sotto__link_mean(spec->link, product) - r;
    bool newton = match->player == SOTTO_PLAYER_GLM_UCB;
    double weight = newton ? sotto__link_slope(spec->link, product) : 1;
    double n = (double)++s->updates[b];
    for (int i = 0; i < DIM; i++) {
        for (int j = 0; j < DIM; j++) {
            s->v[b][i][j] += weight * x[i] * x[j];
        }
        s->u[b][i] += r * x[i];
    }
    if (match->player == SOTTO_PLAYER_SGD) {
        for (int i = 0; i < DIM; i++) {
            s->theta[b][i] -= match->learning.eta0 / n * residual * x[i];
        }
    } else if (newton) {
        slow_solve(s->v[b], 0, x, DIM, step);
        for (int i = 0; i < DIM; i++) {
            s->theta[b][i] -= residual * step[i];
        }
    } else {
        slow_solve(s->v[b], 0, s->u[b], DIM, s->theta[b]);
        return;
    }
    shorten(s->theta[b], spec->theta_norm_max);
}

static uint32_t slow_decide(slow *s, const sotto_match *match, const double *context)
{
    bool shared = match->spec.parameters == SOTTO_PARAMETERS_SHARED;
    bool bonus = match->player == SOTTO_PLAYER_LINUCB || match->player == SOTTO_PLAYER_GLM_UCB;
    double score[ARMS];
    for (uint32_t a = 0; a < ARMS; a++) {
        uint32_t b = shared ? 0 : a;
        const double *x = shared ? context + (size_t)a * DIM : context;
        score[a] = dot_of(x, s->theta[b], DIM);
        if (bonus) score[a] += sqrt(slow_form(s->v[b], 0, x, DIM));
    }
    return first_largest(score, ARMS);
}

static void assert_like_slow(const sotto_match *match)
{
    static slow s;
    bool shared = match->spec.parameters == SOTTO_PARAMETERS_SHARED;
    sotto__ziggurat ziggurat;
    sotto__seeded stream = seeded_of(80);
    OWN(sotto__player) player = player_of(match, 8);
    slow_begin(&s, match->spec.theta_norm_max);
    sotto__ziggurat_begin(&ziggurat);
    for (int t = 0; t < ROUNDS; t++) {
        double context[ARMS * DIM];
        uint32_t arm;
        for (int a = 0; a < ARMS; a++) {
            draw_unit(&ziggurat, &stream, DIM, context + a * DIM);
        }
        assert_ok(player->decide(player, context, &arm));
        if (t > 0) assert_int_equal(arm, slow_decide(&s, match, context));
        const double *x = context + (shared ? (size_t)arm * DIM : 0);
        double r = fmax(-1, fmin(1, 0.5 * x[0] - 0.7 * x[1] + 0.1 * arm +
                                        0.1 * sotto__normal(&ziggurat, &stream)));
        assert_ok(player->learn(player, r));
        slow_learn(&s, match, shared ? 0 : arm, x, r);
        assert_all_near(player->estimate(player), s.theta[0], shared ? DIM : ARMS * DIM, 1e-12);
    }
}

TEST(long_runs_are_like_slow_ones)
{
    const sotto_player kinds[] = {SOTTO_PLAYER_OLS, SOTTO_PLAYER_LINUCB, SOTTO_PLAYER_SGD,
                                  SOTTO_PLAYER_GLM, SOTTO_PLAYER_GLM_UCB};
    const sotto_link links[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_PROBIT,
                                SOTTO_LINK_LOG};
    for (int i = 0; i < 4 * 5 * 2; i++) {
        sotto_parameters parameters =
            i % 2 == 0 ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM;
        sotto_match match = match_of(kinds[i / 2 % 5], parameters, DIM, ARMS);
        match.spec.link = links[i / 10];
        assert_like_slow(&match);
        match.spec.theta_norm_max = 3;
        assert_like_slow(&match);
    }
}

/* Under the identity link both steps are recursive least squares, unless D cuts in. */
static void assert_same_under_the_identity(sotto_player general, sotto_player special)
{
    sotto_match glm = match_of(general, SOTTO_PARAMETERS_SHARED, DIM, ARMS);
    sotto_match linear = match_of(special, SOTTO_PARAMETERS_SHARED, DIM, ARMS);
    glm.spec.theta_norm_max = linear.spec.theta_norm_max = 10;
    OWN(sotto__player) one = player_of(&glm, 9), *two = player_of(&linear, 9);
    sotto__ziggurat ziggurat;
    sotto__seeded stream = seeded_of(90);
    sotto__ziggurat_begin(&ziggurat);
    for (int t = 0; t < ROUNDS; t++) {
        double context[ARMS * DIM];
        uint32_t arm, same;
        draw_normals(&ziggurat, &stream, 0.3, ARMS * DIM, context);
        assert_ok(one->decide(one, context, &arm));
        assert_ok(two->decide(two, context, &same));
        assert_int_equal(arm, same);
        double r = context[arm * DIM] + 0.1 * sotto__normal(&ziggurat, &stream);
        assert_ok(one->learn(one, r));
        assert_ok(two->learn(two, r));
        assert_all_near(one->estimate(one), two->estimate(two), DIM, 1e-12);
    }
}

TEST(glm_is_ols_and_glm_ucb_is_linucb_under_the_identity)
{
    assert_same_under_the_identity(SOTTO_PLAYER_GLM, SOTTO_PLAYER_OLS);
    assert_same_under_the_identity(SOTTO_PLAYER_GLM_UCB, SOTTO_PLAYER_LINUCB);
}

/* A report's values are stored with it, because others may decide before it arrives. */
TEST(a_report_on_its_way_changes_nothing_until_it_comes)
{
    for (int at = 0; at < 2; at++) {
        sotto_match match = match_of(SOTTO_PLAYER_OLS, (sotto_parameters)at, 2, 2);
        OWN(sotto__player) now = player_of(&match, 1), *later = player_of(&match, 1);
        const double x[4] = {3, 4, 0.5, 0.5}, other[4] = {0, 1, 1, 0};
        double sent[8];
        uint32_t arm, same;
        assert_in_range(later->sent_bytes, 1, sizeof sent);
        assert_ok(now->decide(now, x, &arm));
        assert_ok(now->learn(now, 1e9));
        assert_ok(later->decide(later, x, &same));
        assert_int_equal(arm, same);
        assert_ok(later->send(later, 1e9, sent));
        assert_ok(later->decide(later, other, &same));
        assert_true(later->estimate(later)[2 * (at == 0 ? 0 : arm)] == 0);
        assert_ok(later->receive(later, sent, 0));
        for (uint32_t i = 0; i < (at == 0 ? 2 : 4); i++) {
            assert_true(later->estimate(later)[i] == now->estimate(now)[i]);
        }
    }
}
