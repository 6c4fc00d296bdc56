/* Deciding: argmax with the first arm on ties, bonuses, elimination, and what no model can break.
 */
#include "client/client.h"
#include "core/core.h"
#include "made.h"
#include "tape.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DIM 3
#define ARMS 5

/* A spec with its model, in the main phase. */
typedef struct setup {
    sotto_terms terms;
    sotto_model *model;
    double scratch[2 * ARMS + ARMS * DIM];
} setup;

static setup setup_of(sotto_method method, sotto_score score, sotto_parameters parameters)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS, spec.method = method, spec.score = score;
    spec.parameters = parameters;
    if (score == SOTTO_SCORE_MOMENTS) spec.delta = 1e-6;
    setup s = {.model = NULL};
    assert_ok(sotto_spec_resolve(&spec, &s.terms));
    s.model = made_model(&s.terms);
    s.model->phase = SOTTO_PHASE_MAIN;
    return s;
}

static const uint8_t some_nonce[SOTTO_NONCE_BYTES] = {4, 2};

static uint32_t decide(setup *s, const double *context)
{
    return sotto__decide(&s->terms, s->model, some_nonce, context, s->scratch);
}

static uint32_t decide_worth(setup *s, const double *context, const double *worth)
{
    return sotto__decide_worth(&s->terms, s->model, some_nonce, context, worth, s->scratch);
}

static double random_number(tape *random)
{
    return 2 * sotto__uniform(sotto__seeded_next(&random->seeded)) - 1;
}

static void randomise(tape *random, double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        x[i] = random_number(random);
    }
}

static double dot(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

TEST(hostile_models_still_choose_an_arm)
{
    const double odd[] = {NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 1e300, 5e-324, 0, -1, 1};
    const size_t odds = sizeof odd / sizeof odd[0];
    tape random = tape_seeded(21);
    setup setups[] = {
        setup_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED),
        setup_of(SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, SOTTO_PARAMETERS_PER_ARM),
        setup_of(SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, SOTTO_PARAMETERS_PER_ARM),
    };
    for (uint32_t trial = 0; trial < 30000; trial++) {
        setup *s = &setups[trial % 3];
        uint32_t count = trial % 3 == 0 ? DIM : ARMS * DIM;
        double *array[] = {s->model->theta, s->model->tbar, s->model->frozen, s->model->factor};
        const uint32_t counts[] = {count, count, count, ARMS * DIM * (DIM + 1) / 2};
        for (int a = 0; a < 4; a++) {
            for (uint32_t i = 0; array[a] != NULL && i < counts[a]; i++) {
                array[a][i] = odd[sotto__seeded_next(&random.seeded) % odds];
            }
        }
        s->model->elimination = odd[trial / 3 % odds];
        s->model->beta = odd[trial / 30 % odds];
        double context[ARMS * DIM];
        randomise(&random, context, ARMS * DIM);
        assert_true(decide(s, context) < ARMS);
        const double worth[ARMS] = {0, 1, DBL_MAX, 5e-324, 1};
        assert_true(decide_worth(s, context, worth) < ARMS);
    }
    for (int i = 0; i < 3; i++) {
    }
}

/* By hand: theta = (2, 0, 0) and means 1/(1 + e^-v), v = 2 x_1: at x_1 = 1, 0.5, 0, -0.5, -1 they are
 * 0.8808, 0.7311, 0.5, 0.2689, 0.1192. */
TEST(worths_weigh_the_means)
{
    setup s = setup_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, SOTTO_PARAMETERS_SHARED);
    s.terms.spec.link = SOTTO_LINK_LOGIT;
    s.model->tbar[0] = 2;
    const double context[ARMS][DIM] = {{1}, {0.5}, {0}, {-0.5}, {-1}};
    const struct {
        double worth[ARMS];
        uint32_t arm;
    } cases[] = {
        {{1, 1, 1, 1, 1}, 0},        {{0, 1, 1, 1, 1}, 1},
        {{0.8, 1, 1, 1, 1}, 1},      /* 0.7046 < 0.7311 */
        {{0.84, 1, 1, 1, 1}, 0},     /* 0.7399 > 0.7311 */
        {{0, 0.25, 0.5, 1, 2}, 3},   /* 0, 0.1828, 0.25, 0.2689, 0.2384 */
        {{0, 0.25, 0.5, 0.9, 2}, 2}, /* 0.2420 < 0.25 */
        {{0, 0, 0, 0, 1e-9}, 4},     {{0, 0, 0, 0, 0}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(decide_worth(&s, context[0], cases[i].worth), cases[i].arm);
    }
}

/* With the bonus: worth_a mu(x_a . theta + beta sqrt(x_a' V^-1 x_a)), V = I, under the identity. */
TEST(worths_weigh_the_index_of_a_bonus)
{
    setup s = setup_of(SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, SOTTO_PARAMETERS_SHARED);
    for (uint32_t i = 0; i < DIM; i++) {
        s.model->factor[sotto__tri_count(i) + i] = 1;
    }
    s.model->theta[0] = 1;
    s.model->beta = 0.5;
    /* Indices: 0.5 + 0.25, 0 + 0.5, -0.5 + 0.25, 0.1 + 0.05, 0. */
    const double context[ARMS][DIM] = {{0.5}, {0, 1}, {-0.5}, {0.1}, {0}};
    assert_int_equal(decide_worth(&s, context[0], (double[]){1, 1, 1, 1, 1}), 0);
    assert_int_equal(decide_worth(&s, context[0], (double[]){1, 1.51, 1, 1, 1}), 1);
    assert_int_equal(decide_worth(&s, context[0], (double[]){1, 1.49, 1, 5.1, 1}), 3);
}

/* The nonce decides as ever, and what elimination would drop may be worth most. */
TEST(worths_change_neither_warm_up_nor_what_may_be_chosen)
{
    setup s = setup_of(SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, SOTTO_PARAMETERS_PER_ARM);
    const double x[DIM] = {1}, worth[ARMS] = {1, 1, 1, 1, 100};
    uint32_t assigned = sotto__assigned_arm(&s.terms, some_nonce);
    assert_int_equal(decide_worth(&s, x, worth), assigned); /* nothing is learnt */
    for (uint32_t a = 0; a < ARMS; a++) {
        s.model->theta[a * DIM] = s.model->frozen[a * DIM] = a == 4 ? 0.1 : 0.9;
    }
    s.model->elimination = 0.2;
    assert_ints(decide(&s, x), 0, decide_worth(&s, x, worth), 4);
    s.model->phase = SOTTO_PHASE_WARM_UP;
    assert_int_equal(decide_worth(&s, x, worth), assigned);
    assert_true(assigned != 4); /* or it would show nothing */
}

TEST(equal_worths_decide_as_none)
{
    const double worth[ARMS] = {0.3, 0.3, 0.3, 0.3, 0.3};
    setup s = setup_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED);
    tape random = tape_seeded(29);
    for (int trial = 0; trial < 2000; trial++) {
        double context[ARMS * DIM];
        randomise(&random, context, ARMS * DIM);
        randomise(&random, s.model->tbar, DIM);
        assert_int_equal(decide_worth(&s, context, worth), decide(&s, context));
    }
}

TEST(values_that_overflow_count_as_zero)
{
    setup s = setup_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED);
    memcpy(s.model->tbar, ((double[]){DBL_MAX, DBL_MAX, 1}), DIM * sizeof(double));
    const double context[ARMS][DIM] = {
        {-0.5, 0, 0}, {1, 1, 0}, {0, 0, 0.25}, {-1, -1, 0}, {0, 0, 0.125}};
    assert_int_equal(decide(&s, context[0]), 2); /* arm 1 overflows and counts as 0 < 0.25 */
}

TEST(warm_up_takes_the_arm_of_the_nonce)
{
    setup s = setup_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_PER_ARM);
    tape random = tape_seeded(22);
    s.model->phase = SOTTO_PHASE_WARM_UP;
    randomise(&random, s.model->theta, ARMS * DIM);
    uint32_t seen = 0;
    for (int trial = 0; trial < 200; trial++) {
        uint8_t nonce[SOTTO_NONCE_BYTES];
        double x[DIM];
        randomise(&random, x, DIM);
        assert_ok(random.rng.fill(&random.rng, nonce, sizeof nonce));
        uint32_t arm = sotto__decide(&s.terms, s.model, nonce, x, s.scratch);
        assert_int_equal(arm, sotto__assigned_arm(&s.terms, nonce));
        seen |= 1u << arm;
    }
    assert_int_equal(seen, (1u << ARMS) - 1);
}

TEST(an_estimate_of_zero_takes_the_arm_of_the_nonce)
{
    setup s = setup_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED);
    tape random = tape_seeded(23);
    randomise(&random, s.model->theta, DIM); /* theta does not decide where tbar exists */
    s.model->tbar[1] = -0.0;
    uint32_t seen = 0;
    for (int trial = 0; trial < 200; trial++) {
        uint8_t nonce[SOTTO_NONCE_BYTES];
        double context[ARMS * DIM];
        randomise(&random, context, ARMS * DIM);
        assert_ok(random.rng.fill(&random.rng, nonce, sizeof nonce));
        uint32_t arm = sotto__decide(&s.terms, s.model, nonce, context, s.scratch);
        assert_int_equal(arm, sotto__assigned_arm(&s.terms, nonce));
        seen |= 1u << arm;
    }
    assert_int_equal(seen, (1u << ARMS) - 1);
}

TEST(the_first_arm_wins_a_tie)
{
    setup s = setup_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED);
    s.model->tbar[2] = 5e-324; /* not zero */
    double context[ARMS][DIM] = {{0}};
    assert_int_equal(decide(&s, context[0]), 0);
    s.model->tbar[0] = 1;
    context[2][0] = context[3][0] = 0.5;
    assert_int_equal(decide(&s, context[0]), 2);
    context[0][0] = context[1][0] = context[2][0] = context[3][0] = context[4][0] = -0.5;
    assert_int_equal(decide(&s, context[0]), 0);
}

TEST(greedy_takes_the_largest_prediction_of_what_decides)
{
    setup shared = setup_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED);
    setup per_arm = setup_of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_PER_ARM);
    assert_ptr_equal(sotto__deciding_estimate(shared.model), shared.model->tbar);
    assert_ptr_equal(sotto__deciding_estimate(per_arm.model), per_arm.model->theta);
    tape random = tape_seeded(24);
    for (int trial = 0; trial < 2000; trial++) {
        double context[ARMS * DIM];
        randomise(&random, context, ARMS * DIM);
        randomise(&random, shared.model->theta, DIM);
        randomise(&random, shared.model->tbar, DIM);
        randomise(&random, per_arm.model->theta, ARMS * DIM);
        uint32_t best_shared = 0, best_per_arm = 0;
        for (uint32_t a = 1; a < ARMS; a++) {
            const double *tbar = shared.model->tbar, *theta = per_arm.model->theta;
            if (dot(context + a * DIM, tbar) > dot(context + best_shared * DIM, tbar)) {
                best_shared = a;
            }
            if (dot(context, theta + a * DIM) > dot(context, theta + best_per_arm * DIM)) {
                best_per_arm = a;
            }
        }
        assert_ints(decide(&shared, context), best_shared, decide(&per_arm, context), best_per_arm);
    }
}

/* x' A^-1 x for a symmetric 3 x 3 matrix by cofactors. */
static double dense_inverse_form(double a[DIM][DIM], const double *x)
{
    double determinant = 0, form = 0;
    for (int i = 0; i < DIM; i++) {
        for (int j = 0; j < DIM; j++) {
            int i1 = (i + 1) % DIM, i2 = (i + 2) % DIM, j1 = (j + 1) % DIM, j2 = (j + 2) % DIM;
            double cofactor = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
            form += x[i] * x[j] * cofactor;
            if (i == 0) determinant += a[0][j] * cofactor;
        }
    }
    return form / determinant;
}

/* A random positive definite matrix, and its factor packed as a model has it. */
static void random_factor(tape *random, double a[DIM][DIM], double *packed)
{
    double g[DIM][DIM];
    randomise(random, g[0], DIM * DIM);
    for (uint32_t i = 0; i < DIM; i++) {
        for (uint32_t j = 0; j < DIM; j++) {
            a[i][j] = dot(g[i], g[j]) + (i == j ? 0.1 : 0);
            if (j <= i) packed[sotto__tri_count(i) + j] = a[i][j];
        }
    }
    assert_true(sotto__cholesky(packed, DIM));
}

TEST(the_bonus_is_beta_times_the_norm_in_the_inverse)
{
    tape random = tape_seeded(25);
    for (int per_arm = 0; per_arm < 2; per_arm++) {
        setup s = setup_of(SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, (sotto_parameters)per_arm);
        for (int trial = 0; trial < 1000; trial++) {
            double context[ARMS * DIM], a[ARMS][DIM][DIM], best_value = -INFINITY;
            uint32_t blocks = per_arm ? ARMS : 1, best = 0;
            randomise(&random, context, ARMS * DIM);
            randomise(&random, s.model->theta, blocks * DIM);
            for (uint32_t b = 0; b < blocks; b++) {
                random_factor(&random, a[b], s.model->factor + b * sotto__tri_count(DIM));
            }
            s.model->beta = trial % 4 * 0.5;
            for (uint32_t arm = 0; arm < ARMS; arm++) {
                const double *x = per_arm ? context : context + arm * DIM;
                uint32_t block = per_arm ? arm : 0;
                double value = dot(x, s.model->theta + block * DIM) +
                               s.model->beta * sqrt(dense_inverse_form(a[block], x));
                if (value > best_value) {
                    best_value = value;
                    best = arm;
                }
            }
            assert_int_equal(decide(&s, context), best);
        }
    }
}

TEST(elimination_drops_arms_far_behind_in_the_frozen_estimate)
{
    setup s = setup_of(SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, SOTTO_PARAMETERS_PER_ARM);
    const double x[] = {1, 0, 0}, frozen[] = {0, 0.75, 1, 1, 0.5}, theta[] = {5, 4, 1, 2, 3};
    for (uint32_t a = 0; a < ARMS; a++) {
        s.model->frozen[a * DIM] = frozen[a];
        s.model->theta[a * DIM] = theta[a];
    }
    const struct {
        double h;
        uint32_t arm;
    } rows[] = {
        {0, 3},        /* only the best of warm-up, ties among them by theta */
        {0.49, 3},     /* 0.75 < 1 - 0.245 */
        {0.5, 1},      /* on the cut is not below it */
        {1.99, 1},     /* arm 0 still out */
        {2, 0},        /* all take part */
        {INFINITY, 0}, /* no elimination */
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        s.model->elimination = rows[r].h;
        assert_int_equal(decide(&s, x), rows[r].arm);
    }
}

/* An overflow in the frozen estimate neither eliminates all others nor saves its own arm. */
TEST(frozen_values_that_overflow_count_as_zero)
{
    setup s = setup_of(SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, SOTTO_PARAMETERS_PER_ARM);
    const double x[] = {1, 1, -1}, theta[] = {1, 4, 3, 2, 5};
    const double frozen[ARMS][DIM] = {
        {1, 0, 0}, {DBL_MAX, DBL_MAX, 0}, {0.75, 0, 0}, {1, 0, 0}, {INFINITY, 0, INFINITY}};
    for (uint32_t a = 0; a < ARMS; a++) {
        s.model->theta[a * DIM] = theta[a];
    }
    memcpy(s.model->frozen, frozen, sizeof frozen);
    s.model->elimination =
        1; /* below 1 - 1/2 are the arms that count as 0: one infinite, one NaN */
    assert_int_equal(decide(&s, x), 2);
}
