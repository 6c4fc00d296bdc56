/* Fixtures of the estimators' tests. */
#include "batches.h"
#include "borrowed.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

sotto_spec learner_spec(sotto_method method, sotto_score score, sotto_parameters parameters)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    bool lattice = method == SOTTO_METHOD_LDP_OLS || method == SOTTO_METHOD_LDP_UCB ||
                   method == SOTTO_METHOD_LDP_GLOC;
    spec.dim = 3;
    spec.arms = 3;
    spec.method = method;
    spec.score = score;
    spec.parameters = parameters;
    spec.delta = lattice ? 1e-6 : 0;
    return spec;
}

sotto_learning plain_learning(void)
{
    return (sotto_learning){
        .horizon = 1000,
        .alpha = 0.1,
        .step = SOTTO_STEP_INVERSE,
        .eta0 = 5,
        .project = true,
        .shift_scale = 1,
        .elimination_scale = 4,
    };
}

static void subject_free(void *self)
{
    subject *s = self;
    sotto__estimator_free(s->estimator);
    sotto_model_free(s->model);
    free(s);
}

subject *subject_new(const sotto_spec *spec, const sotto_learning *learning)
{
    subject *s = calloc(1, sizeof *s);
    assert_non_null(s);
    assert_ok(sotto_spec_resolve(spec, &s->terms));
    s->learning = learning == NULL ? plain_learning() : *learning;
    assert_ok(sotto_model_new(&s->terms, &s->model));
    assert_ok(sotto__estimator_new(&s->terms, &s->learning, &s->estimator));
    after_test(subject_free, s);
    return s;
}

void subject_absorb(subject *s, const sotto__batch *batch)
{
    uint64_t before = s->model->reports;
    s->estimator->absorb(s->estimator, batch, s->model);
    assert_int_equal(s->model->reports, before);
    s->model->reports += batch->count;
}

void fill_normals(tape *random, double scale, double *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double pair[2];
        uint64_t first = sotto__seeded_next(&random->seeded);
        sotto__normal_pair(first, sotto__seeded_next(&random->seeded), pair);
        out[i] = scale * pair[0];
    }
}

static void swap_rows(double *a, double *x, uint32_t n, uint32_t i, uint32_t j)
{
    for (uint32_t k = 0; k < n; k++) {
        double kept = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = kept;
    }
    double kept = x[i];
    x[i] = x[j];
    x[j] = kept;
}

void dense_solve(const double *matrix, const double *b, double *x, uint32_t n)
{
    double a[DENSE_MAX * DENSE_MAX];
    assert_true(n <= DENSE_MAX);
    memcpy(a, matrix, n * n * sizeof *a);
    memcpy(x, b, n * sizeof *x);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++) {
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        }
        swap_rows(a, x, n, k, best);
        for (uint32_t i = 0; i < n; i++) {
            if (i == k) continue;
            double factor = a[i * n + k] / a[k * n + k];
            for (uint32_t j = k; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        x[k] /= a[k * n + k];
    }
}

void assert_all_near(const double *got, const double *wanted, uint32_t count, double tolerance)
{
    double largest = 1;
    for (uint32_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(wanted[i]));
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_near(got[i], wanted[i], tolerance * largest);
    }
}
