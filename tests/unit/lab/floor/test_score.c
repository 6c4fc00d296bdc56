/* Scores against slow sums over every reward. */
#include "core/core.h"
#include "draws.h"
#include "lab/floor/inner.h"
#include "lab/math/math.h"
#include "test.h"

/* sum over rewards of chance x of(e D y), e = (r - mu) mu'/v from first principles: the derivative of the
 * log-likelihood, by a small step. */
typedef double likelihood(const sotto__floor_score *score, double reward, double at);

static double gaussian(const sotto__floor_score *score, double reward, double at)
{
    double off = (reward - sotto__link_mean(score->link, at)) / score->noise;
    return exp(-0.5 * off * off) / (score->noise * sqrt(2 * acos(-1)));
}

static double bernoulli(const sotto__floor_score *score, double reward, double at)
{
    double mean = sotto__link_mean(score->link, at);
    return reward > 0.5 ? mean : 1 - mean;
}

static double poisson(const sotto__floor_score *score, double reward, double at)
{
    double mean = sotto__link_mean(score->link, at);
    return exp(reward * log(mean) - mean - lgamma(reward + 1));
}

static void slow(const sotto__floor_score *score, likelihood *chance, double from, double step,
                 int count, double c, double y, double rho, double *excess, double *square)
{
    const double small = 1e-5;
    double at = score->theta_norm * c;
    *excess = *square = 0;
    for (int i = 0; i < count; i++) {
        double r = from + i * step, p = chance(score, r, at);
        if (p < 1e-30) continue;
        double e = log(chance(score, r, at + small) / chance(score, r, at - small)) / (2 * small);
        double s = e * score->theta_norm;
        double mass = p * (score->law == SOTTO_LAW_GAUSSIAN ? step : 1);
        *square += mass * s * s;
        *excess += mass * (fmax(0, s * y - rho) + fmax(0, -s * y - rho)) / 2;
    }
}

TEST(laws_without_a_score_are_told)
{
    const sotto__floor_score good = {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.1, 1};
    assert_true(sotto__score_exists(&good));
    const sotto__floor_score bad[] = {
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0, 1},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, NAN, 1},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.1, 0},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.1, NAN},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.1, 6},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_BERNOULLI, 0.1, 1},
        {SOTTO_LINK_LOGIT, SOTTO_LAW_POISSON, 0.1, 1},
        {SOTTO_LINK_IDENTITY, SOTTO_LAW_NONE, 0.1, 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(sotto__score_exists(&bad[i]));
    }
}

TEST(scores_are_derivatives_of_the_likelihood)
{
    const struct {
        sotto__floor_score score;
        likelihood *chance;
        double from, step;
        int count;
    } row[] = {
        {{SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.1, 1}, gaussian, -3, 1e-4, 60000},
        {{SOTTO_LINK_LOGIT, SOTTO_LAW_GAUSSIAN, 0.5, 2}, gaussian, -8, 5e-4, 36000},
        {{SOTTO_LINK_LOGIT, SOTTO_LAW_BERNOULLI, 0, 1}, bernoulli, 0, 1, 2},
        {{SOTTO_LINK_PROBIT, SOTTO_LAW_BERNOULLI, 0, 1.5}, bernoulli, 0, 1, 2},
        {{SOTTO_LINK_LOG, SOTTO_LAW_POISSON, 0, 1.2}, poisson, 0, 1, 80},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const sotto__floor_score *score = &row[i].score;
        assert_true(sotto__score_exists(score));
        for (double c = -0.6; c < 1; c += 0.5) {
            for (double rho = 0; rho < 2; rho += 0.15) {
                double excess, square;
                slow(score, row[i].chance, row[i].from, row[i].step, row[i].count, c, 0.7, rho,
                     &excess, &square);
                assert_near(sotto__score_excess(score, c, 0.7, rho), excess, 1e-5 * (1 + excess));
                assert_near(sotto__score_square(score, c), square, 1e-5 * square);
            }
        }
    }
}

/* Cells against what is known of a uniform unit vector. */

typedef struct sums {
    double weight, c, cc, yy, y4;
} sums;

static sums sums_of(const sotto__cells *cells)
{
    sums s = {0};
    for (uint32_t i = 0; i < cells->count; i++) {
        const sotto__cell *at = &cells->cell[i];
        double yy = at->y * at->y;
        assert_true(at->weight >= 0 && at->y >= 0 && at->c * at->c + yy <= 1 + 1e-12);
        s.weight += at->weight;
        s.c += at->weight * at->c;
        s.cc += at->weight * at->c * at->c;
        s.yy += at->weight * yy;
        s.y4 += at->weight * yy * yy;
    }
    return s;
}

static const uint32_t dims[] = {2, 3, 4, 20, 200, 1000};

TEST(one_arm_is_uniform_on_the_sphere)
{
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        double d = dims[i];
        for (int even = 0; even < 2; even++) {
            sotto__cells *cells =
                even ? sotto__cells_even(dims[i]) : sotto__cells_greedy(dims[i], 1);
            assert_non_null(cells);
            sums s = sums_of(cells);
            double tolerance = even ? 0.01 : 1e-6; /* the grid is for choosing, not for sums */
            assert_near(s.weight, 1, 1e-12);
            assert_near(s.c, 0, even ? tolerance / sqrt(d) : 1e-9);
            assert_nears(tolerance / d, s.cc, 1 / d, s.yy, 1 / d);
            assert_near(s.y4, 3 / (d * (d + 2)), tolerance * 3 / (d * (d + 2)));
            free(cells);
        }
    }
}

static double square(double c, const void *state)
{
    (void)state;
    return c * c;
}

TEST(the_best_arm_has_the_largest_projection)
{
    const uint32_t arms[] = {2, 10, 1000};
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        for (size_t j = 0; j < sizeof arms / sizeof arms[0]; j++) {
            FREED_BY(free_memory) sotto__cells *cells = sotto__cells_greedy(dims[i], arms[j]);
            assert_non_null(cells);
            sums s = sums_of(cells);
            double cc = sotto__sphere_max(dims[i], arms[j], square, NULL);
            assert_nears(1e-6, s.c, sotto__sphere_max_mean(dims[i], arms[j]), s.cc, cc);
            assert_near(s.yy, (1 - cc) / (dims[i] - 1), 1e-6 / dims[i]); /* any tangent is alike */
        }
    }
}

/*
 * What a report can reveal, compared with every threshold report: for a set A of secrets, the
 * report that is e^epsilon times as likely on A reveals (e^epsilon - 1) E[<u, S>; A]/(1 +
 * (e^epsilon - 1) P(A)), and the best A is a half line. Scores are drawn here and sorted; nothing
 * is solved.
 */

#define DRAWS 200000

/* <u, S> of the best of K arms, noise sd. c: first coordinate, y: second. */
static double draw(uint32_t dim, uint32_t arms, double sd)
{
    double best = -2, at_best = 0;
    for (uint32_t a = 0; a < arms; a++) {
        double c = normal(), y = normal(), squares = c * c + y * y;
        for (uint32_t i = 2; i < dim; i++) {
            double x = normal();
            squares += x * x;
        }
        c /= sqrt(squares);
        if (c <= best) continue;
        best = c;
        at_best = y / sqrt(squares);
    }
    return normal() / sd * at_best;
}

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The best threshold on DRAWS scores. */
static double best_threshold(double *score, double epsilon)
{
    double more = expm1(epsilon), sum = 0, best = 0;
    qsort(score, DRAWS, sizeof *score, falling);
    for (int i = 0; i < DRAWS; i++) {
        sum += score[i] / DRAWS;
        best = fmax(best, more * sum / (1 + more * (i + 1) / DRAWS));
    }
    return best;
}

TEST(no_threshold_tells_more_and_one_tells_as_much)
{
    const uint32_t two_dims[] = {2, 5};
    const double epsilons[] = {0.2, 1, 4}, sd = 0.3;
    const sotto__floor_score score = {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, sd, 1};
    FREED_BY(free_memory) double *drawn = malloc(DRAWS * sizeof *drawn);
    assert_non_null(drawn);
    for (size_t i = 0; i < 2; i++) {
        FREED_BY(free_memory) sotto__cells *cells = sotto__cells_greedy(two_dims[i], 4);
        assert_non_null(cells);
        state_of_draws = 7;
        for (int j = 0; j < DRAWS; j += 2) { /* in pairs: the law is symmetric */
            drawn[j] = draw(two_dims[i], 4, sd);
            drawn[j + 1] = -drawn[j];
        }
        double square = 0;
        for (int j = 0; j < DRAWS; j++) {
            square += drawn[j] * drawn[j] / DRAWS;
        }
        for (size_t j = 0; j < 3; j++) {
            double root = sotto__information_root(cells, &score, epsilons[j], 1, 1);
            assert_near(root, best_threshold(drawn, epsilons[j]), 0.015 * root);
        }
        double open = sotto__information_open(cells, &score);
        assert_near(open, (two_dims[i] - 1) * square, 0.03 * open);
    }
}

/* A report of one of K arms says nothing with chance 1 - m/K. */
TEST(a_hidden_arm_dilutes_the_score)
{
    const sotto__floor_score score = {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.3, 1};
    FREED_BY(free_memory) sotto__cells *cells = sotto__cells_greedy(3, 1);
    FREED_BY(free_memory) double *drawn = malloc(DRAWS * sizeof *drawn);
    assert_true(cells != NULL && drawn != NULL);
    for (uint32_t m = 1; m <= 5; m += 2) {
        state_of_draws = 9;
        for (int j = 0; j < DRAWS; j += 2) {
            bool says = 5 * (uint64_t)j < m * (uint64_t)DRAWS;
            drawn[j] = says ? draw(3, 1, 0.3) / sqrt(m) : 0;
            drawn[j + 1] = -drawn[j];
        }
        double root = sotto__information_root(cells, &score, 1, m, 5);
        assert_near(root, best_threshold(drawn, 1), 0.015 * root);
    }
}

/* Fixed points that are known. */

static int calls;

static double inverse(double x, void *state)
{
    calls++;
    return *(const double *)state / x; /* meets x at its root */
}

static double steep(double x, void *state)
{
    calls++;
    return 1e9 * exp(-*(const double *)state * x);
}

static double flat(double x, void *state)
{
    (void)x;
    return *(const double *)state;
}

TEST(it_is_where_the_function_meets_its_argument)
{
    for (double of = 1e-6; of < 1e6; of *= 7) {
        double root = sqrt(of);
        const double low[] = {0.99 * root, 0.5 * root, root},
                     high[] = {root, 1.01 * root, 100 * root};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                assert_near(sotto__fixed_point(inverse, &of, low[i], high[j], 1e-9), root,
                            2e-9 * root);
            }
        }
        assert_near(sotto__fixed_point(flat, &of, 0, 10 * of, 1e-9), of, 1e-9 * of);
    }
}

TEST(a_steep_fall_from_nothing_known_takes_few_steps)
{
    for (double of = 0.01; of < 100; of *= 3) {
        calls = 0;
        double found = sotto__fixed_point(steep, &of, 0, 1e9, 1e-9);
        assert_near(log(1e9 / found), of * found, 1e-6);
        assert_true(calls < 70);
    }
}

/* A bound that rounding made invalid: the end of the interval is the answer. */
TEST(a_low_end_above_the_root_is_the_answer)
{
    double of = 4;
    assert_near(sotto__fixed_point(inverse, &of, 2.00001, 3, 1e-9), 2, 2e-5);
}
