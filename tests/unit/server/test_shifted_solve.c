/* Shifted least squares: sums of released moments, what is forgotten, and repaired matrices. */
#include "batches.h"
#include "borrowed.h"
#include "core/core.h"
#include "server/inner.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_MAX 200

/* Solves for two coordinates, and one block or three. */
typedef struct bench {
    sotto_spec spec;
    sotto_terms terms;
    sotto__shifted shifted;
    sotto_model *model;
    double numbers[NUMBERS_MAX];
} bench;

static void bench_free(bench *b)
{
    assert_true(b->numbers[sotto__shifted_doubles(&b->spec)] == 12345);
    sotto_model_free(b->model);
    free(b);
}

RELEASED_BY(bench_free, bench)

static bench *bench_new(sotto_parameters parameters, uint64_t window)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->spec = learner_spec(SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, parameters);
    b->spec.dim = 2;
    b->spec.window_reports = window;
    assert_ok(sotto_spec_resolve(&b->spec, &b->terms));
    assert_ok(sotto_model_new(&b->terms, &b->model));
    size_t doubles = sotto__shifted_doubles(&b->spec);
    assert_true(doubles < NUMBERS_MAX);
    b->numbers[doubles] = 12345; /* one past what is theirs */
    sotto__shifted_begin(&b->shifted, &b->spec, b->numbers);
    after_test(release_bench, b);
    return b;
}

/* A block's matrix [[a, c], [c, b]] and right side, as if one report had made them. */
static void set_block(bench *b, uint32_t block, const double gram[3], const double cross[2])
{
    memcpy(b->shifted.gram + 3 * block, gram, 3 * sizeof *gram);
    memcpy(b->shifted.cross + 2 * block, cross, 2 * sizeof *cross);
    b->shifted.summands[block] = 1;
}

TEST(matrices_that_are_not_finite_leave_the_model_alone)
{
    static const double bad[][3] = {
        {NAN, 0, 1}, {1, NAN, 1}, {1, 0, INFINITY}, {1, -INFINITY, 1}, {1e308, 1.7e308, 1e308},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bench *b = bench_new(SOTTO_PARAMETERS_PER_ARM, 0);
        set_block(b, 0, bad[i], (double[]){1, 1});
        set_block(b, 1, (double[]){1, 0, 1}, (double[]){3, 5});
        b->model->theta[0] = 7;
        sotto__shifted_solve(&b->shifted, 1, 1, b->model);
        assert_true(b->model->theta[0] == 7 && b->model->theta[1] == 0);
        assert_true(b->model->factor[0] == 1 && b->model->factor[1] == 0);
        assert_true(isinf(b->shifted.shift[0]));
        assert_near(b->model->theta[2], 1.5, 1e-15); /* its neighbour is solved: 3/(1 + 1) */
        assert_near(b->model->theta[3], 2.5, 1e-15);
    }
}

TEST(right_sides_that_are_not_finite_leave_the_model_alone)
{
    static const double bad[][2] = {{INFINITY, 0}, {0, NAN}, {1e300, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bench *b = bench_new(SOTTO_PARAMETERS_SHARED, 0);
        set_block(b, 0, (double[]){1e-10, 0, 1e-10}, bad[i]);
        b->model->theta[1] = 7;
        assert_int_equal(sotto__shifted_solve(&b->shifted, 0, 1, b->model), 0);
        assert_true(b->model->theta[0] == 0 && b->model->theta[1] == 7);
        assert_true(b->model->factor[0] == 1);
        assert_true(isinf(b->shifted.shift[0]));
    }
}

TEST(nothing_to_solve_leaves_the_model_alone)
{
    bench *b = bench_new(SOTTO_PARAMETERS_PER_ARM, 0);
    b->shifted.summands[1] = 1; /* a matrix of zeros without a shift */
    b->shifted.cross[2] = 1;
    b->model->theta[0] = 7;
    b->model->theta[2] = 8;
    assert_int_equal(sotto__shifted_solve(&b->shifted, 0, 1, b->model), 0);
    assert_true(b->model->theta[0] == 7 && b->model->theta[2] == 8);
    b->shifted.summands[1] = 0; /* no report: not solved even with one */
    assert_int_equal(sotto__shifted_solve(&b->shifted, 1, 1, b->model), 0);
    assert_true(b->model->theta[0] == 7 && b->model->theta[2] == 8);
}

TEST(extreme_but_finite_sums_are_solved)
{
    bench *b = bench_new(SOTTO_PARAMETERS_SHARED, 0);
    set_block(b, 0, (double[]){1e300, 5e299, 1e300}, (double[]){1.5e300, 1.5e300});
    assert_int_equal(sotto__shifted_solve(&b->shifted, 1, 2, b->model), 0);
    assert_near(b->model->theta[0], 2, 1e-12); /* [[1, .5], [.5, 1]] (1, 1) = (1.5, 1.5), twice */
    assert_near(b->model->theta[1], 2, 1e-12);
}

/* diag(-3, 1) + c I is positive for c = 4, after 1 and 2: two doublings. */
TEST(a_matrix_that_is_not_positive_is_repaired_by_doubling)
{
    bench *b = bench_new(SOTTO_PARAMETERS_SHARED, 0);
    set_block(b, 0, (double[]){-3, 0, 1}, (double[]){6, 10});
    assert_int_equal(sotto__shifted_solve(&b->shifted, 1, 1, b->model), 2);
    assert_true(b->shifted.shift[0] == 4);
    assert_near(b->model->theta[0], 6, 1e-14); /* 6/(-3 + 4) */
    assert_near(b->model->theta[1], 2, 1e-14); /* 10/(1 + 4) */
    assert_nears(1e-15, b->model->factor[0], 1, b->model->factor[2], sqrt(5));
}

/* When every block has reports they are solved side by side; one that must be repaired, or has no
 * solution, does not touch its neighbours. */
TEST(blocks_side_by_side_are_solved_each_for_itself)
{
    for (uint32_t odd = 0; odd < 3; odd++) {
        bench *b = bench_new(SOTTO_PARAMETERS_PER_ARM, 0);
        for (uint32_t block = 0; block < 3; block++) {
            set_block(b, block, (double[]){3, 2, 4}, (double[]){8, 12});
        }
        set_block(b, odd, (double[]){-3, 0, 1}, (double[]){6, 10});
        assert_int_equal(sotto__shifted_solve(&b->shifted, 1, 1, b->model), 2);
        for (uint32_t block = 0; block < 3; block++) {
            const double *theta = b->model->theta + 2 * block;
            const double *factor = b->model->factor + 3 * block;
            assert_true(b->shifted.shift[block] == (block == odd ? 4 : 1));
            assert_near(theta[0], block == odd ? 6 : 1, 1e-14); /* (4 2; 2 5) (1, 2) = (8, 12) */
            assert_near(theta[1], 2, 1e-14);
            assert_nears(1e-15, factor[0], block == odd ? 1 : 2, factor[1], block == odd ? 0 : 1,
                         factor[2], block == odd ? sqrt(5) : 2);
        }
        set_block(b, odd, (double[]){3, 2, 4}, (double[]){INFINITY, 0});
        b->model->theta[2 * odd] = 7;
        assert_int_equal(sotto__shifted_solve(&b->shifted, 1, 3, b->model), 0);
        for (uint32_t block = 0; block < 3; block++) {
            assert_near(b->model->theta[2 * block], block == odd ? 7 : 3, 1e-14);
            assert_true(isinf(b->shifted.shift[block]) == (block == odd));
        }
    }
}

/* A solver of its own memory, and the arrays of a model that it writes. */
typedef struct rows {
    sotto_spec spec;
    sotto__shifted shifted;
    sotto_model model;
    double *zeros;
} rows;

static rows *rows_new(sotto_parameters parameters, uint32_t dim, uint32_t arms)
{
    rows *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->spec = learner_spec(SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, parameters);
    r->spec.dim = dim;
    r->spec.arms = arms;
    size_t solver = sotto__shifted_doubles(&r->spec), triangle = sotto__tri_count(dim);
    r->zeros = calloc(solver + arms * (triangle + dim), sizeof(double));
    assert_non_null(r->zeros);
    sotto__shifted_begin(&r->shifted, &r->spec, r->zeros);
    r->model.theta = r->zeros + solver;
    r->model.factor = r->model.theta + (size_t)arms * dim;
    return r;
}

static void rows_free(rows *r)
{
    free(r->zeros);
    free(r);
}

OWNED(rows, rows_free)

/* Any number of blocks, in groups of four with a rest: what each would get alone, repairs too. One
 * matrix in three must be repaired. A block that has no reports changes nothing for others. */
TEST(any_number_of_blocks_is_solved_as_one_by_one)
{
    enum { D = 5, TRIANGLE = 15, BLOCKS_MAX = 9 };
    tape random = tape_seeded(73);
    for (uint32_t run = 0; run < 10 * BLOCKS_MAX; run++) {
        uint32_t blocks = 2 + run % (BLOCKS_MAX - 1), empty = run % 2 == 0 ? blocks : run % blocks;
        OWN(rows) all = rows_new(SOTTO_PARAMETERS_PER_ARM, D, blocks);
        OWN(rows) one = rows_new(SOTTO_PARAMETERS_SHARED, D, 2);
        fill_normals(&random, 1, all->shifted.gram, blocks * TRIANGLE);
        fill_normals(&random, 1, all->shifted.cross, blocks * D);
        for (uint32_t i = 0; i < blocks * D; i++) {
            bool definite = i / D % 3 != 1;
            all->shifted.gram[i / D * TRIANGLE + sotto__tri_count(i % D) + i % D] +=
                definite ? 8 : -4;
            all->shifted.summands[i / D] = i / D != empty;
        }
        uint64_t repairs = sotto__shifted_solve(&all->shifted, 0.5, 3, &all->model), alone = 0;
        for (uint32_t b = 0; b < blocks; b++) {
            if (b == empty) continue;
            one->shifted.summands[0] = 1;
            memcpy(one->shifted.gram, all->shifted.gram + b * TRIANGLE, TRIANGLE * sizeof(double));
            memcpy(one->shifted.cross, all->shifted.cross + b * D, D * sizeof(double));
            alone += sotto__shifted_solve(&one->shifted, 0.5, 3, &one->model);
            assert_true(all->shifted.shift[b] == one->shifted.shift[0]);
            assert_all_near(all->model.theta + b * D, one->model.theta, D, 1e-10);
            assert_all_near(all->model.factor + b * TRIANGLE, one->model.factor, TRIANGLE, 1e-10);
        }
        assert_int_equal(repairs, alone);
        if (empty == blocks) {
            assert_true(repairs > 0);
        } else {
            assert_true(isinf(all->shifted.shift[empty]));
        }
    }
}

/* A matrix of rank 5 has no sixth pivot but what rounding makes of it, which is not the same side
 * by side and alone: such a block may be solved, and then have no factor when the trace asks. */
TEST(a_trace_without_a_factor_is_infinite)
{
    tape random = tape_seeded(74);
    int infinite = 0;
    for (int run = 0; run < 2000; run++) {
        OWN(rows) r = rows_new(SOTTO_PARAMETERS_PER_ARM, 6, 4);
        for (uint32_t b = 0; b < 4; b++) {
            double x[30], *gram = r->shifted.gram + 21 * b;
            fill_normals(&random, 1, x, 30);
            for (uint32_t i = 0; i < 6; i++) {
                double *row = gram + sotto__tri_count(i);
                sotto__rows_dot(x, x + 5 * i, i + 1, 5, row);
            }
            r->shifted.summands[b] = 1;
        }
        (void)sotto__shifted_solve(&r->shifted, 0, 1, &r->model);
        for (uint32_t b = 0; b < 4; b++) {
            double trace = sotto__shifted_trace(&r->shifted, b);
            assert_true(trace > 0);
            infinite += isinf(trace);
        }
    }
    assert_true(infinite > 0); /* the case does occur */
}

/* [[1, 2], [2, 1]] has eigenvalues 3 and -1. No shift, then 2e-12 2^k: above 1 from k = 39 on,
 * which is the 40th try after the first. */
TEST(a_shift_of_zero_is_repaired_too)
{
    bench *b = bench_new(SOTTO_PARAMETERS_SHARED, 0);
    set_block(b, 0, (double[]){1, 2, 1}, (double[]){1, 1});
    assert_int_equal(sotto__shifted_solve(&b->shifted, 0, 1, b->model), 40);
    double c = 2e-12 * 0x1p39;
    assert_near(b->shifted.shift[0], c, 1e-12);
    assert_near(b->model->theta[0], 1 / (3 + c), 1e-12); /* (1, 1) is the eigenvector of 3 */
    assert_near(b->model->theta[1], 1 / (3 + c), 1e-12);
}

/* The worst case of the bound on doublings: d = 1024, all entries equal to -1 has eigenvalue -1024.
 * 1e-12 2^50 = 1126 is the first shift above it. */
TEST(the_largest_matrix_is_repaired_within_the_bound)
{
    const uint32_t d = SOTTO_DIM_MAX;
    sotto_spec spec =
        learner_spec(SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, SOTTO_PARAMETERS_SHARED);
    spec.dim = d, spec.arms = 2;
    sotto__shifted shifted;
    FREED_BY(free_memory) double *zeros = calloc(sotto__shifted_doubles(&spec), sizeof *zeros);
    FREED_BY(free_memory) double *theta = calloc(d, sizeof *theta);
    assert_non_null(zeros);
    assert_non_null(theta);
    sotto__shifted_begin(&shifted, &spec, zeros);
    for (uint32_t i = 0; i < sotto__tri_count(d); i++) {
        shifted.gram[i] = -1;
    }
    shifted.summands[0] = 1;
    shifted.cross[0] = 1;
    sotto_model model = {.theta = theta};
    assert_int_equal(sotto__shifted_solve(&shifted, 0, 1, &model), 51);
    assert_near(shifted.shift[0], 1e-12 * 0x1p50, 1e-9);
}

/* c of A^-1 is right for random positive matrices, against Gauss elimination. */
TEST(solutions_and_factors_and_traces_are_those_of_dense_algebra)
{
    tape random = tape_seeded(72);
    for (int run = 0; run < 50; run++) {
        bench *b = bench_new(SOTTO_PARAMETERS_PER_ARM, 0);
        for (uint32_t block = 0; block < 3; block++) {
            double g[4], cross[2];
            fill_normals(&random, 1, g, 4);
            fill_normals(&random, 1, cross, 2);
            double gram[3] = {g[0] * g[0] + g[1] * g[1], g[0] * g[2] + g[1] * g[3],
                              g[2] * g[2] + g[3] * g[3]};
            set_block(b, block, gram, cross);
        }
        assert_int_equal(sotto__shifted_solve(&b->shifted, 0.5, 3, b->model), 0);
        for (uint32_t block = 0; block < 3; block++) {
            const double *gram = b->shifted.gram + 3 * block, *l = b->model->factor + 3 * block;
            double a[4] = {gram[0] + 0.5, gram[1], gram[1], gram[2] + 0.5}, x[2], e[4];
            dense_solve(a, b->shifted.cross + 2 * block, x, 2);
            assert_near(b->model->theta[2 * block], 3 * x[0], 1e-12 * (1 + fabs(x[0])));
            assert_near(b->model->theta[2 * block + 1], 3 * x[1], 1e-12 * (1 + fabs(x[1])));
            assert_near(l[0] * l[0], a[0], 1e-12 * a[0]);
            assert_near(l[0] * l[1], a[1], 1e-12 * (1 + fabs(a[1])));
            assert_near(l[1] * l[1] + l[2] * l[2], a[3], 1e-12 * a[3]);
            dense_solve(a, (double[]){1, 0}, e, 2);
            dense_solve(a, (double[]){0, 1}, e + 2, 2);
            double trace = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
            assert_near(sotto__shifted_trace(&b->shifted, block), trace, 1e-12 * trace);
        }
    }
}

/* A released (x1 x1, sqrt2 x2 x1, x2 x2, r x1, r x2), and the plain one under laplace. */
TEST(sums_are_unpacked_by_block)
{
    const double sum[] = {1, sqrt(2) * 2, 3, 4, 5, 10, sqrt(2) * 20, 30, 40, 50, 0, 0, 0, 0, 0};
    const uint64_t arm_count[] = {2, 5, 0};
    sotto__batch batch = {
        .phase = SOTTO_PHASE_WARM_UP, .count = 7, .arm_count = arm_count, .sum = sum};
    bench *b = bench_new(SOTTO_PARAMETERS_PER_ARM, 0);
    sotto__shifted_add(&b->shifted, &batch, 10);
    sotto__shifted_add(&b->shifted, &batch, 10);
    const double wanted[] = {20, 40, 60, 200, 400, 600, 0, 0, 0};
    assert_all_near(b->shifted.gram, wanted, 9, 1e-14);
    assert_true(sotto__vector_part(&b->spec, sum, 1)[1] == 50);
    assert_true(b->shifted.summands[0] == 4 && b->shifted.summands[1] == 10 &&
                b->shifted.summands[2] == 0);
    assert_true(b->shifted.all == 14);
    assert_true(b->shifted.cross[0] == 0); /* the caller's */
    b->spec.noise_law = SOTTO_NOISE_LAPLACE;
    sotto__shifted_add(&b->shifted, &batch, 1);
    assert_nears(1e-13, b->shifted.gram[1], 40 + sqrt(8), b->shifted.gram[2], 63);
}

/* W = 4, n = 2: (3/4)^2 = 0.5625 of the sums is kept, 0.31640625 of the noise terms. */
TEST(drift_forgets_sums_and_their_noise)
{
    bench *b = bench_new(SOTTO_PARAMETERS_SHARED, 4);
    set_block(b, 0, (double[]){16, 32, 48}, (double[]){64, 80});
    b->shifted.summands[0] = 8;
    b->shifted.all = 16;
    const double sum[] = {1, 0, 2, 0, 0};
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 2, .sum = sum};
    sotto__shifted_add(&b->shifted, &batch, 1);
    const double gram[] = {10, 18, 29}, cross[] = {36, 45};
    assert_all_near(b->shifted.gram, gram, 3, 1e-14);
    assert_all_near(b->shifted.cross, cross, 2, 1e-14);
    assert_near(b->shifted.summands[0], 4.53125, 1e-14); /* 8 x 0.3164 + 2 */
    assert_near(b->shifted.all, 7.0625, 1e-14);          /* 16 x 0.3164 + 2 */
}

TEST(a_window_of_one_remembers_the_last_batch_only)
{
    bench *b = bench_new(SOTTO_PARAMETERS_SHARED, 1);
    set_block(b, 0, (double[]){16, 32, 48}, (double[]){64, 80});
    const double sum[] = {1, 0, 2, 0, 0};
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 3, .sum = sum};
    sotto__shifted_add(&b->shifted, &batch, 1);
    assert_true(b->shifted.gram[0] == 1 && b->shifted.gram[1] == 0 && b->shifted.gram[2] == 2);
    assert_true(b->shifted.cross[0] == 0 && b->shifted.cross[1] == 0);
    assert_true(b->shifted.summands[0] == 3 && b->shifted.all == 3);
}

/* sigma 2, t 9, d 2, odds e^3/2: 2 x 3 x (4 sqrt 2 + 2 x 3) = 69.94112549695429. */
TEST(upsilon_by_hand)
{
    bench *b = bench_new(SOTTO_PARAMETERS_SHARED, 0);
    b->shifted.all = 9;
    assert_near(sotto__upsilon(&b->shifted, 2, exp(3) / 2), 69.94112549695429, 1e-12);
}
