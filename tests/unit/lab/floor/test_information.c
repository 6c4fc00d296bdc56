/*
 * What a report can tell, against every threshold report: for a set A of secrets, the report that is
 * e^epsilon times as likely on A tells (e^epsilon - 1) E[<u, S>; A]/(1 + (e^epsilon - 1) P(A)), and the
 * best A is a half line. Scores are drawn here, and sorted; nothing is solved.
 */
#include "draws.h"
#include "lab/floor/information.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

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

static void no_threshold_tells_more_and_one_tells_as_much(void **state)
{
    (void)state;
    const uint32_t dims[] = {2, 5};
    const double epsilons[] = {0.2, 1, 4}, sd = 0.3;
    const sotto__score score = {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, sd, 1};
    double *drawn = malloc(DRAWS * sizeof *drawn);
    assert_non_null(drawn);
    for (size_t i = 0; i < 2; i++) {
        sotto__cells *cells = sotto__cells_greedy(dims[i], 4);
        assert_non_null(cells);
        state_of_draws = 7;
        for (int j = 0; j < DRAWS; j += 2) { /* in pairs: the law is symmetric */
            drawn[j] = draw(dims[i], 4, sd);
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
        assert_near(open, (dims[i] - 1) * square, 0.03 * open);
        free(cells);
    }
    free(drawn);
}

/* A report of one of K arms says nothing with chance 1 - m/K. */
static void a_hidden_arm_dilutes_the_score(void **state)
{
    (void)state;
    const sotto__score score = {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.3, 1};
    sotto__cells *cells = sotto__cells_greedy(3, 1);
    double *drawn = malloc(DRAWS * sizeof *drawn);
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
    free(drawn);
    free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_threshold_tells_more_and_one_tells_as_much),
        cmocka_unit_test(a_hidden_arm_dilutes_the_score),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
