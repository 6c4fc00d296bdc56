/* LDP-GLOC as published, against whole matrices and Gauss elimination. */
#include "core/link.h"
#include "lab/player/published.h"
#include "published_twin.h"

#define ROUNDS 200

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

static void assert_shared(sotto_link link, bool second, uint32_t corrections)
{
    static crowd people;
    static slow_gloc s;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_GLOC, true, second);
    double score[TWIN_ARMS], server = twin_sigma(3.75);
    double zeta = (second ? 12 : 1) / sqrt(1000);
    bool blind = second && (corrections >> SOTTO_CORRECTION_EXPLORATION & 1) == 0;
    match.spec.link = link;
    match.corrections = corrections;
    sotto__player *player = published_player(&match, 51);
    slow_begin(&s, 51, TWIN_DIM, second);
    crowd_begin(&people, true);
    for (int n = 1; n <= ROUNDS; n++) {
        double before = n == 1 ? 1 : n - 1, shift = 2 * twin_upsilon(server, before);
        double beta = sqrt(server / smallest_slope(link) * sqrt(3 * before));
        uint32_t arm;
        assert_all_near(player->estimate(player), s.h, TWIN_DIM, 1e-9);
        crowd_next(&people);
        for (uint32_t a = 0; a < TWIN_ARMS; a++) {
            const double *x = crowd_context(&people, a);
            double form = blind ? dot_of(x, x, TWIN_DIM) : slow_form(s.m.v, shift, x, TWIN_DIM);
            score[a] = dot_of(x, s.t, TWIN_DIM) + beta * sqrt(form);
        }
        assert_ok(player->decide(player, people.context, &arm));
        assert_int_equal(arm, first_largest(score, TWIN_ARMS));
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
    player->free(player);
}

static void shared_runs_are_like_slow_ones(void **state)
{
    (void)state;
    const sotto_link links[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_LOG};
    for (int i = 0; i < 6; i++) {
        assert_shared(links[i / 2], i % 2 == 1, 0);
    }
}

static void shared_runs_can_be_corrected(void **state)
{
    (void)state;
    const sotto_link links[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_LOG};
    for (int i = 0; i < 3; i++) {
        assert_shared(links[i], false, 1u << SOTTO_CORRECTION_BOUNDED);
        assert_shared(links[i], true, 1u << SOTTO_CORRECTION_BOUNDED);
        assert_shared(links[i], true, 1u << SOTTO_CORRECTION_EXPLORATION);
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

static void assert_per_arm(bool second, bool ranked)
{
    static crowd people;
    static slow_gloc s;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_GLOC, false, second);
    double score[TWIN_ARMS], sigma = twin_sigma(2.5);
    double zeta = (second ? 12 / 1000.0 : 1) / sqrt(1000);
    if (ranked) match.corrections = 1u << SOTTO_CORRECTION_RANK;
    sotto__player *player = published_player(&match, 52);
    slow_begin(&s, 52, TWIN_CELLS, second);
    crowd_begin(&people, false);
    for (int n = 1; n <= ROUNDS; n++) {
        double block[TWIN_ARMS][TWIN_CELLS] = {{0}};
        uint32_t arm;
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
        assert_ok(player->decide(player, people.context, &arm));
        assert_int_equal(arm, first_largest(score, TWIN_ARMS));
        assert_scores(player, score);
        assert_ok(player->learn(player, people.reward[arm]));
        double product = dot_of(block[arm], s.h, TWIN_CELLS);
        slow_learn_arms(&s, block[arm], product, ranked);
        slow_solve(s.m.v, 2 * twin_upsilon(sigma, n), s.m.u, TWIN_CELLS, s.t);
        slow_step(&s, TWIN_CELLS, block[arm], product - people.reward[arm], 2 * sigma, zeta);
    }
    player->free(player);
}

static void per_arm_runs_are_like_slow_ones(void **state)
{
    (void)state;
    assert_per_arm(false, false);
    assert_per_arm(true, false);
}

static void per_arm_runs_can_have_the_whole_matrix(void **state)
{
    (void)state;
    assert_per_arm(false, true);
    assert_per_arm(true, true);
}

/* Their auto-loan study has half the noise: with contexts of 0 nothing else moves theta_h. */
static void auto_loan_noise_is_half(void **state)
{
    (void)state;
    const double nothing[TWIN_CELLS] = {0};
    double moved[2][TWIN_DIM];
    for (int loan = 0; loan < 2; loan++) {
        sotto_match match = published_match(SOTTO_PLAYER_LDP_GLOC, true, false);
        if (loan) match.environment.kind = SOTTO_ENVIRONMENT_LOAN;
        sotto__player *player = published_player(&match, 4);
        uint32_t arm;
        memcpy(moved[loan], player->estimate(player), sizeof moved[loan]);
        assert_ok(player->decide(player, nothing, &arm));
        assert_ok(player->learn(player, 1));
        for (uint32_t i = 0; i < TWIN_DIM; i++) {
            moved[loan][i] -= player->estimate(player)[i];
        }
        player->free(player);
    }
    for (uint32_t i = 0; i < TWIN_DIM; i++) {
        assert_true(fabs(moved[0][i]) > 1e-6);
        assert_near(moved[1][i], moved[0][i] / 2, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_runs_are_like_slow_ones),
        cmocka_unit_test(shared_runs_can_be_corrected),
        cmocka_unit_test(auto_loan_noise_is_half),
        cmocka_unit_test(per_arm_runs_are_like_slow_ones),
        cmocka_unit_test(per_arm_runs_can_have_the_whole_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
