/* The paper's constants, compared with formulas written a second time and the same noise drawn
 * again. */
#include "client/client.h"
#include "core/core.h"
#include "lab/mechanism/mechanism.h"
#include "lab/player/player.h"
#include "players.h"
#include "stats.h"

OWNED(sotto_mechanism, sotto_mechanism_free)
OWNED(sotto__player, sotto__player_free)

#define DIM 3u
#define ARMS 4u
#define CELLS (DIM * ARMS)
#define ROUNDS 200
#define WARM_UP 50

/* C_B = 1.5, |r| <= 0.8, so that no constant is hidden by being 1. */
static sotto_match paper_match(sotto_player player, sotto_method method, bool shared)
{
    sotto_match match =
        match_of(player, shared ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM, DIM, ARMS);
    match.calibration = SOTTO_CALIBRATION_PAPER;
    match.spec.method = method;
    match.spec.score = method == SOTTO_METHOD_LDP_SGD    ? SOTTO_SCORE_GRADIENT
                       : method == SOTTO_METHOD_LDP_GLOC ? SOTTO_SCORE_GLOC_PAIR
                                                         : SOTTO_SCORE_MOMENTS;
    match.spec.context_norm_max = 1.5;
    match.spec.reward_lo = -0.8;
    match.spec.reward_hi = 0.5;
    match.spec.theta_norm_max = 2;
    match.learning.shift_scale = 0.5; /* so that the shift does not dominate */
    match.learning.warm_up = shared || method == SOTTO_METHOD_LDP_UCB ? 0 : WARM_UP;
    if (method == SOTTO_METHOD_LDP_SGD) match.spec.delta = 0;
    return match;
}

static sotto__player *player_of(const sotto_match *match, uint64_t seed)
{
    sotto__player *player;
    assert_ok(sotto__player_paper_new(match, seed, NULL, &player));
    assert_true(player->repairs(player) == 0);
    return player;
}

TEST(methods_not_of_the_paper_are_refused)
{
    const sotto_method methods[] = {SOTTO_METHOD_SOTTO, SOTTO_METHOD_SOTTO_OLS};
    for (int i = 0; i < 2; i++) {
        sotto_match match = paper_match(SOTTO_PLAYER_SOTTO, methods[i], true);
        sotto__player *player;
        assert_status(sotto__player_paper_new(&match, 0, NULL, &player), SOTTO_E_FAULT);
        assert_null(player);
    }
}

TEST(specs_at_fault_are_refused)
{
    sotto_match match = paper_match(SOTTO_PLAYER_LDP_OLS, SOTTO_METHOD_LDP_OLS, true);
    sotto__player *player;
    match.spec.epsilon = -1;
    assert_status(sotto__player_paper_new(&match, 0, NULL, &player), SOTTO_E_FAULT);
    assert_null(player);
    match = paper_match(SOTTO_PLAYER_LDP_SGD, SOTTO_METHOD_LDP_SGD, false);
    match.split_paper = true;
    match.spec.epsilon = 0.015; /* half of it is less than a mechanism allows */
    assert_status(sotto__player_paper_new(&match, 0, NULL, &player), SOTTO_E_FAULT);
    assert_null(player);
}

/* ---- moments ------------------------------------------------------------------------------- */

typedef struct slow {
    twin_streams twin;
    sotto__ziggurat ziggurat;
    sotto__seeded people;
    bool shared, bonus, gloc;
    double v[ARMS][SLOW_MAX][SLOW_MAX], u[ARMS][DIM];
    double theta[CELLS], online[CELLS], frozen[CELLS];
    double shift, beta;
    double context[CELLS]; /* clipped */
} slow;

static double sigma_of(double epsilon, double delta)
{
    return 2 * sqrt(2 * log(1.25 / delta)) / epsilon;
}

/* Draws what a player draws to decide. */
static void slow_nonce(slow *s, uint8_t nonce[SOTTO_NONCE_BYTES])
{
    assert_ok(s->twin.noise.rng.fill(&s->twin.noise.rng, nonce, SOTTO_NONCE_BYTES));
}

/* Adds x x' + W to block b, with sd 2 C_B sigma, and xi to u, with sd C_B c sigma; the noise of y
 * alone comes in `noisy` (DIM). */
static void slow_release(slow *s, uint32_t b, const double *x, double sigma, double weight,
                         double bound, double *noisy)
{
    double m[DIM][DIM];
    for (uint32_t i = 0; i < DIM; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            m[i][j] = x[i] * x[j] + 2 * 1.5 * sigma * twin_normal(&s->twin);
            m[j][i] = m[i][j];
        }
    }
    for (uint32_t i = 0; i < DIM; i++) {
        noisy[i] = weight * x[i] + 1.5 * bound * sigma * twin_normal(&s->twin);
        s->u[b][i] += s->gloc ? dot_of(m[i], s->online + b * DIM, DIM) : noisy[i];
        for (uint32_t j = 0; j < DIM; j++) {
            s->v[b][i][j] += m[i][j];
        }
    }
}

static void slow_descend(double *online, const double *noisy)
{
    double squares = 0;
    for (uint32_t i = 0; i < DIM; i++) {
        online[i] -= noisy[i] / sqrt(1000);
        squares += online[i] * online[i];
    }
    for (uint32_t i = 0; squares > 4 && i < DIM; i++) { /* D = 2 */
        online[i] *= 2 / sqrt(squares);
    }
}

static void slow_learn(slow *s, const sotto_match *match, uint32_t arm, double r, int n)
{
    bool warm_up = !s->shared && n <= (int)match->learning.warm_up;
    bool half = !s->shared && !warm_up;
    double epsilon = match->spec.epsilon;
    double sigma = half ? sigma_of(epsilon / 2, 0.005) : sigma_of(epsilon, 0.01);
    const double nobody[DIM] = {0};
    for (uint32_t b = 0; b < (s->shared ? 1 : ARMS); b++) {
        bool pulled = s->shared || b == arm;
        const double *x = s->shared ? s->context + arm * DIM : s->context;
        double noisy[DIM], product = dot_of(x, s->online + b * DIM, DIM);
        double e = fmax(-1.6, fmin(1.6, sotto__link_mean(match->spec.link, product) - r));
        if (warm_up && !pulled) continue;
        slow_release(s, b, pulled ? x : nobody, sigma, s->gloc ? e : r, s->gloc ? 1.6 : 0.8, noisy);
        if (s->gloc) slow_descend(s->online + b * DIM, noisy);
    }
    /* c sqrt(t) = 2 sigma (4 sqrt d + 2 ln(2T/alpha)) sqrt(t), scaled. */
    double known = s->shared ? sigma_of(epsilon, 0.01) : sigma_of(epsilon / 2, 0.005);
    bool union_bound = !s->shared && !s->bonus;
    double odds = 2 * 1000 / 0.1 * (union_bound ? ARMS : 1);
    double upsilon = known * sqrt(n) * (4 * sqrt(DIM) + 2 * log(odds));
    double zeta = sotto__link_slope_min(match->spec.link, 3);
    double log_horizon = log(1000), d = DIM;
    s->shift = match->learning.shift_scale * 2 * upsilon;
    s->beta = s->gloc ? sqrt(known / zeta * sqrt(d * n))
                      : 2 * known * sqrt(d * log_horizon) +
                            (sqrt(3 * upsilon) + known * sqrt(d * n / upsilon)) * d * log_horizon;
    for (uint32_t b = 0; b < (s->shared ? 1 : ARMS); b++) {
        if (warm_up && n < (int)ARMS && (int)b >= n) continue; /* no report yet */
        slow_solve(s->v[b], s->shift, s->u[b], DIM, s->theta + b * DIM);
    }
    if (n == (int)match->learning.warm_up) memcpy(s->frozen, s->theta, sizeof s->frozen);
}

static uint32_t slow_decide(slow *s, const sotto_match *match, const uint8_t *nonce, int n)
{
    sotto_terms terms;
    double score[ARMS];
    bool nothing = true;
    if (!s->shared && n <= (int)match->learning.warm_up) return (uint32_t)(n - 1) % ARMS;
    for (uint32_t i = 0; i < (s->shared ? DIM : CELLS); i++) {
        nothing = nothing && s->theta[i] == 0;
    }
    assert_ok(sotto_spec_resolve(&match->spec, &terms));
    if (nothing) return sotto__assigned_arm(&terms, nonce);
    for (uint32_t a = 0; a < ARMS; a++) {
        const double *x = s->shared ? s->context + a * DIM : s->context;
        uint32_t b = s->shared ? 0 : a;
        score[a] = dot_of(x, s->theta + b * DIM, DIM);
        if (s->bonus) score[a] += s->beta * sqrt(slow_form(s->v[b], s->shift, x, DIM));
    }
    return first_largest(score, ARMS);
}

static void draw_people(slow *s, double *context)
{
    draw_normals(&s->ziggurat, &s->people, 1, CELLS, context);
    for (uint32_t at = 0; at < CELLS; at += DIM) {
        sotto__clip_vector(context + at, DIM, 1.5, s->context + at);
    }
}

static void slow_begin(slow *s, const sotto_match *match, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    twin_streams_begin(&s->twin, seed);
    sotto__ziggurat_begin(&s->ziggurat);
    sotto__seeded_begin(&s->people, 600);
    s->shared = match->spec.parameters == SOTTO_PARAMETERS_SHARED;
    s->gloc = match->spec.method == SOTTO_METHOD_LDP_GLOC;
    s->bonus = s->gloc || match->spec.method == SOTTO_METHOD_LDP_UCB;
}

/* The shift is too small for every matrix to be definite. A matrix that is not is repaired, which
 * other files test: the run ends there. */
static int assert_like_slow(const sotto_match *match)
{
    static slow s;
    sotto__player *player = player_of(match, 61);
    slow_begin(&s, match, 61);
    int n = 1;
    for (; n <= ROUNDS; n++) {
        double context[CELLS];
        uint8_t nonce[SOTTO_NONCE_BYTES];
        uint32_t arm;
        draw_people(&s, context);
        slow_nonce(&s, nonce);
        assert_ok(player->decide(player, context, &arm));
        assert_int_equal(arm, slow_decide(&s, match, nonce, n));
        double r = context[0] - context[4];
        assert_ok(player->learn(player, r));
        slow_learn(&s, match, arm, fmax(-0.8, fmin(0.5, r)), n);
        if (player->repairs(player) > 0) break;
        assert_all_near(player->estimate(player), s.theta, s.shared ? DIM : CELLS, 1e-9);
    }
    player->free(player);
    return n - 1;
}

TEST(moments_are_like_slow_ones)
{
    const struct {
        sotto_player player;
        sotto_method method;
        sotto_link link;
    } rows[] = {
        {SOTTO_PLAYER_LDP_OLS, SOTTO_METHOD_LDP_OLS, SOTTO_LINK_IDENTITY},
        {SOTTO_PLAYER_LDP_UCB, SOTTO_METHOD_LDP_UCB, SOTTO_LINK_IDENTITY},
        {SOTTO_PLAYER_LDP_GLOC, SOTTO_METHOD_LDP_GLOC, SOTTO_LINK_IDENTITY},
        {SOTTO_PLAYER_LDP_GLOC, SOTTO_METHOD_LDP_GLOC, SOTTO_LINK_LOGIT},
    };
    for (int i = 0; i < 8; i++) {
        sotto_match match = paper_match(rows[i / 2].player, rows[i / 2].method, i % 2 == 0);
        match.spec.link = rows[i / 2].link;
        assert_int_equal(assert_like_slow(&match), ROUNDS);
    }
}

TEST(repairs_are_told)
{
    sotto_match match = paper_match(SOTTO_PLAYER_LDP_OLS, SOTTO_METHOD_LDP_OLS, true);
    match.learning.shift_scale = 0;
    assert_true(assert_like_slow(&match) < ROUNDS);
}

/* h = 0: from then on only the arm that was best at the end of warm-up. */
TEST(elimination_goes_by_the_estimate_of_warm_up)
{
    static slow s;
    sotto_match match = paper_match(SOTTO_PLAYER_LDP_OLS, SOTTO_METHOD_LDP_OLS, false);
    double frozen[CELLS], score[ARMS];
    int moved = 0;
    match.learning.elimination_scale = 0;
    OWN(sotto__player) player = player_of(&match, 62);
    slow_begin(&s, &match, 62);
    for (int n = 1; n <= ROUNDS; n++) {
        double context[CELLS], now[ARMS];
        uint32_t arm;
        draw_people(&s, context);
        assert_ok(player->decide(player, context, &arm));
        if (n == WARM_UP + 1) memcpy(frozen, player->estimate(player), sizeof frozen);
        for (uint32_t a = 0; n > WARM_UP && a < ARMS; a++) {
            score[a] = dot_of(s.context, frozen + a * DIM, DIM);
            now[a] = dot_of(s.context, player->estimate(player) + a * DIM, DIM);
        }
        if (n > WARM_UP) {
            assert_int_equal(arm, first_largest(score, ARMS));
            moved += arm != first_largest(now, ARMS) ? 1 : 0;
        }
        assert_ok(player->learn(player, 0.1));
    }
    assert_true(moved > 10);
}

/* h = C_B max_a sqrt(tr(A_a^-2) (c^2 D^2/d + n_a (vector^2 + matrix^2 D^2))), A_a = V_a + c I, with
 * matrix = sigma and vector = C_B c_r sigma at (eps/2, delta/2). */
static double predicted_width(slow *s, const sotto_match *match)
{
    double sigma = sigma_of(match->spec.epsilon / 2, 0.005), worst = 0;
    double vector = 1.5 * 0.8 * sigma, matrix = 2 * sigma;
    for (uint32_t a = 0; a < ARMS; a++) {
        double trace = 0, terms = a < WARM_UP % ARMS ? WARM_UP / ARMS + 1 : WARM_UP / ARMS;
        for (uint32_t i = 0; i < DIM; i++) {
            double unit[DIM] = {0}, column[SLOW_MAX];
            unit[i] = 1;
            slow_solve(s->v[a], s->shift, unit, DIM, column);
            trace += dot_of(column, column, DIM);
        }
        double noise = terms * (vector * vector + matrix * matrix);
        worst = fmax(worst, sqrt(trace * (s->shift * s->shift * 4 / 3 + noise)));
    }
    return 1.5 * worst;
}

/* So little noise that the predicted error is below D = 2. A few rounds after warm-up, before any
 * matrix needs a repair, the estimate has moved: from then on people only provide contexts. */
TEST(elimination_of_moments_has_the_width_of_their_error)
{
    static slow s;
    sotto_match match = paper_match(SOTTO_PLAYER_LDP_OLS, SOTTO_METHOD_LDP_OLS, false);
    match.spec.epsilon = 50;
    match.learning.shift_scale = 0.01;
    match.learning.elimination_scale = 0.3;
    double h = 0;
    int dropped = 0, kept = 0;
    OWN(sotto__player) player = player_of(&match, 66);
    slow_begin(&s, &match, 66);
    for (int n = 1; n <= 2000; n++) {
        double context[CELLS], was[ARMS], now[ARMS];
        uint8_t nonce[SOTTO_NONCE_BYTES];
        uint32_t arm;
        draw_people(&s, context);
        slow_nonce(&s, nonce);
        assert_ok(player->decide(player, context, &arm));
        for (uint32_t a = 0; n > WARM_UP && a < ARMS; a++) {
            was[a] = dot_of(s.context, s.frozen + a * DIM, DIM);
            now[a] = dot_of(s.context, s.theta + a * DIM, DIM);
        }
        if (n > WARM_UP) {
            uint32_t best = first_largest(was, ARMS), greedy = first_largest(now, ARMS);
            for (uint32_t a = 0; a < ARMS; a++) {
                if (was[a] < was[best] - h / 2) now[a] = -INFINITY;
            }
            assert_int_equal(arm, first_largest(now, ARMS));
            dropped += arm != greedy ? 1 : 0;
            kept += arm != best ? 1 : 0;
        }
        if (n > WARM_UP + 5) continue;
        double r = 0.1 * context[0] * (arm + 1);
        assert_ok(player->learn(player, r));
        slow_learn(&s, &match, arm, fmax(-0.8, fmin(0.5, r)), n);
        if (n == WARM_UP) h = 0.3 * predicted_width(&s, &match);
    }
    assert_all_near(player->estimate(player), s.theta, CELLS, 1e-9);
    assert_true(h < 0.3 * 1.5 * 2 && dropped > 10 && kept > 10);
}

/* ---- gradients ----------------------------------------------------------------------------- */

static sotto_match split_match(void)
{
    sotto_match match = paper_match(SOTTO_PLAYER_LDP_SGD, SOTTO_METHOD_LDP_SGD, false);
    match.split_paper = true;
    match.learning.project = false;
    match.learning.eta0 = 1e-9; /* so that theta hardly moves: what moves it is seen */
    return match;
}

/* R = 2 x 0.8 x 1.5 = 2.4. Warm-up: the assigned arm alone moves, by eta0/s R B(d, eps), s its
 * updates. After it all arms do, by eta0 K/(t - (K - 1) s_0) R B(d, eps/2), s_0 = 50/4. */
TEST(steps_are_as_long_as_the_paper_says)
{
    static slow s;
    sotto_match match = split_match();
    OWN(sotto__player) player = player_of(&match, 63);
    double before[CELLS] = {0};
    slow_begin(&s, &match, 63);
    for (int t = 1; t <= ROUNDS; t++) {
        double context[CELLS];
        uint32_t arm;
        draw_people(&s, context);
        assert_ok(player->decide(player, context, &arm));
        assert_ok(player->learn(player, 0.3));
        bool warm_up = t <= WARM_UP;
        if (warm_up) assert_int_equal(arm, (t - 1) % (int)ARMS);
        double eta = warm_up ? 1.0 / ((t - 1) / (int)ARMS + 1) : 4 / (t - 3 * 12.5);
        double wanted = 1e-9 * eta * 2.4 * sotto_l2ball_radius(DIM, warm_up ? 1 : 0.5);
        for (uint32_t a = 0; a < ARMS; a++) {
            double moved[DIM];
            for (uint32_t i = 0; i < DIM; i++) {
                moved[i] = player->estimate(player)[a * DIM + i] - before[a * DIM + i];
            }
            double length = sqrt(dot_of(moved, moved, DIM));
            assert_near(length / wanted, warm_up && a != arm ? 0 : 1, 1e-5);
        }
        memcpy(before, player->estimate(player), sizeof before);
    }
}

/* theta_b -= eta R z_b, z_b from the l2-ball by the same words; R = 2.4, D = 2. */
static void slow_gradient(slow *s, sotto_mechanism *ball, uint32_t b, const double *g, double eta)
{
    double v[DIM], z[DIM], squares = 0, *theta = s->theta + b * DIM;
    for (uint32_t i = 0; i < DIM; i++) {
        v[i] = g[i] / 2.4;
    }
    assert_ok(sotto_mechanism_draw(ball, v, z));
    for (uint32_t i = 0; i < DIM; i++) {
        theta[i] -= eta * 2.4 * z[i];
        squares += theta[i] * theta[i];
    }
    for (uint32_t i = 0; squares > 4 && i < DIM; i++) {
        theta[i] *= 2 / sqrt(squares);
    }
}

static sotto_mechanism *ball_of(slow *s, double epsilon)
{
    sotto_mechanism_settings settings =
        sotto_mechanism_default(SOTTO_MECHANISM_L2BALL, DIM, epsilon);
    sotto_mechanism *ball;
    assert_ok(sotto_mechanism_new(&settings, &ball));
    sotto__mechanism_borrow(ball, &s->twin.noise.rng);
    return ball;
}

TEST(gradients_are_like_slow_ones)
{
    static slow s;
    sotto_match match = split_match();
    match.spec.link = SOTTO_LINK_LOGIT;
    match.learning.project = true;
    match.learning.eta0 = 0.3;
    OWN(sotto__player) player = player_of(&match, 67);
    slow_begin(&s, &match, 67);
    OWN(sotto_mechanism) full = ball_of(&s, 1), *half = ball_of(&s, 0.5);
    for (int t = 1; t <= ROUNDS; t++) {
        double context[CELLS], g[DIM], nobody[DIM] = {0}, r = 0.3;
        uint8_t nonce[SOTTO_NONCE_BYTES];
        uint32_t arm;
        bool warm_up = t <= WARM_UP;
        draw_people(&s, context);
        slow_nonce(&s, nonce);
        assert_ok(player->decide(player, context, &arm));
        assert_int_equal(arm, slow_decide(&s, &match, nonce, t));
        assert_ok(player->learn(player, r));
        double mean = 1 / (1 + exp(-dot_of(s.context, s.theta + arm * DIM, DIM)));
        for (uint32_t i = 0; i < DIM; i++) {
            g[i] = (mean - r) * s.context[i];
        }
        double eta = 0.3 * (warm_up ? 1.0 / ((t - 1) / (int)ARMS + 1) : 4 / (t - 3 * 12.5));
        for (uint32_t b = 0; b < ARMS; b++) {
            if (warm_up && b != arm) continue;
            slow_gradient(&s, warm_up ? full : half, b, b == arm ? g : nobody, eta);
        }
        assert_all_near(player->estimate(player), s.theta, CELLS, 1e-9);
    }
}

/* E z_a = g for the arm that was pulled, 0 for the others: -r x at theta = 0. With 4 x 3 means at 6
 * standard errors a false alarm has a chance of 1e-7. */
TEST(gradients_are_unbiased_and_others_are_noise)
{
    enum { DRAWS = 50000 };
    sotto_match match = split_match();
    match.learning.warm_up = 0;
    match.learning.step = SOTTO_STEP_SQRT;
    OWN(sotto__player) player = player_of(&match, 64);
    const double x[DIM] = {1, -1, 0.25};
    double before[CELLS] = {0};
    running mean[2][DIM] = {{{0, 0, 0}}};
    for (int t = 1; t <= DRAWS; t++) {
        uint32_t arm;
        assert_ok(player->decide(player, x, &arm));
        assert_ok(player->learn(player, -0.8));
        double eta = 1e-9 / sqrt(t / 4.0);
        for (uint32_t i = 0; i < CELLS; i++) {
            double z = (before[i] - player->estimate(player)[i]) / eta;
            running_add(&mean[i / DIM == arm ? 1 : 0][i % DIM], z);
        }
        memcpy(before, player->estimate(player), sizeof before);
    }
    for (uint32_t i = 0; i < DIM; i++) {
        assert_near(mean[0][i].mean, 0, 6 * running_standard_error(&mean[0][i]));
        assert_near(mean[1][i].mean, 0.8 * x[i], 6 * running_standard_error(&mean[1][i]));
        assert_int_equal(mean[1][i].count, DRAWS);
    }
}

/* h = scale C_B min(D, sqrt(d) B/sqrt(s_0)), which D = 2 caps here; arms within h/2 of the best
 * frozen value stay. */
TEST(elimination_has_the_width_of_the_predicted_error)
{
    static slow s;
    sotto_match match = split_match();
    match.learning.eta0 = 1;
    match.learning.elimination_scale = 0.25;
    double frozen[CELLS], h = 0.25 * 1.5 * 2;
    int dropped = 0, kept = 0;
    OWN(sotto__player) player = player_of(&match, 65);
    slow_begin(&s, &match, 65);
    for (int t = 1; t <= 2000; t++) {
        double context[CELLS], was[ARMS], now[ARMS];
        uint32_t arm;
        draw_people(&s, context);
        assert_ok(player->decide(player, context, &arm));
        if (t == WARM_UP + 1) memcpy(frozen, player->estimate(player), sizeof frozen);
        for (uint32_t a = 0; t > WARM_UP && a < ARMS; a++) {
            was[a] = dot_of(s.context, frozen + a * DIM, DIM);
            now[a] = dot_of(s.context, player->estimate(player) + a * DIM, DIM);
        }
        if (t > WARM_UP) {
            uint32_t best = first_largest(was, ARMS), greedy = first_largest(now, ARMS);
            for (uint32_t a = 0; a < ARMS; a++) {
                if (was[a] < was[best] - h / 2) now[a] = -INFINITY;
            }
            assert_int_equal(arm, first_largest(now, ARMS));
            dropped += arm != greedy ? 1 : 0;
            kept += arm != best ? 1 : 0;
        }
        assert_ok(player->learn(player, 0.3));
    }
    assert_true(dropped > 10 && kept > 10);
}
