/* Chances: of being the best arm, and of the watch with its directions. */
#include "core/core.h"
#include "kinds.h"
#include "made.h"
#include "server/inner.h"
#include "server/server.h"
#include "tape.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

OWNED(sotto__aim, sotto__aim_free)
OWNED(sotto__best_chance, sotto__best_chance_free)

/* The chance to be the largest: against the closed form of two, the plain sum over the nodes of all arms,
 * and cases that would divide by 0. */

#define NODES 449 /* of each arm, in the plain sum */

static void chances(uint32_t arms, const double *mean, const double *sd, double *chance)
{
    OWN(sotto__best_chance) best = NULL;
    assert_ok(sotto__best_chance_new(arms, &best));
    sotto__best_chances(best, mean, sd, chance);
}

static double normal_cdf(double x)
{
    return 0.5 * sotto__erfc(-x * sqrt(0.5));
}

TEST(arms_that_nobody_can_beat)
{
    const double mean[] = {0, 1e6, 0, 0}, sd[] = {1, 1e-9, 1e-8, 1};
    double chance[4];
    chances(4, mean, sd, chance);
    assert_true(chance[1] == 1);
    assert_true(chance[0] >= 0 && chance[0] < 1e-12 && chance[2] >= 0 && chance[2] < 1e-12);
}

TEST(rewards_that_never_differ)
{
    static double mean[SOTTO_ARMS_MAX], sd[SOTTO_ARMS_MAX], chance[SOTTO_ARMS_MAX];
    static const uint32_t sizes[] = {2, 3, 7, 100, SOTTO_ARMS_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (uint32_t k = 0; k < sizes[i]; k++) {
            mean[k] = -3, sd[k] = 0.01;
        }
        chances(sizes[i], mean, sd, chance);
        for (uint32_t k = 0; k < sizes[i]; k++) {
            assert_near(chance[k] * sizes[i], 1, 1e-9);
        }
    }
}

/* P(value_0 > value_1) = Phi((m_0 - m_1)/sqrt(v_0 + v_1)). */
TEST(two_arms_by_their_closed_form)
{
    static const double ratios[] = {1, 0.999, 1.7, 10, 300, 1e5, 1e-3};
    double worst = 0;
    for (size_t r = 0; r < sizeof ratios / sizeof ratios[0]; r++) {
        for (double gap = -8; gap <= 8; gap += 0.0625) {
            const double sd[] = {0.3, 0.3 * ratios[r]};
            double both = sqrt(sd[0] * sd[0] + sd[1] * sd[1]);
            const double mean[] = {0.1 + gap * both, 0.1};
            double chance[2];
            chances(2, mean, sd, chance);
            worst = fmax(worst, fabs(chance[0] - normal_cdf(gap)));
            assert_near(chance[0] + chance[1], 1, 1e-15);
        }
    }
    assert_true(worst < 1e-4);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The plain sum over the nodes m_j + s_j u of all arms, u = -7(1/32)7. */
static void literal(uint32_t arms, const double *mean, const double *sd, double *chance)
{
    uint32_t count = NODES * arms;
    double *node = calloc(count, sizeof *node), total = 0;
    assert_non_null(node);
    for (uint32_t i = 0; i < count; i++) {
        node[i] = mean[i / NODES] + sd[i / NODES] * (0.03125 * (i % NODES) - 7);
    }
    qsort(node, count, sizeof *node, by_size);
    for (uint32_t k = 0; k < arms; k++) {
        double others_before = 0, cdf_before = 0;
        chance[k] = 0;
        for (uint32_t i = 0; i < count; i++) {
            double others = 1, cdf = normal_cdf((node[i] - mean[k]) / sd[k]);
            for (uint32_t j = 0; j < arms; j++) {
                if (j != k) others *= normal_cdf((node[i] - mean[j]) / sd[j]);
            }
            if (i > 0) chance[k] += (cdf - cdf_before) * (others + others_before) / 2;
            others_before = others, cdf_before = cdf;
        }
        total += chance[k];
    }
    for (uint32_t k = 0; k < arms; k++) {
        chance[k] /= total;
    }
    free(node);
}

static double uniform(tape *random)
{
    return (double)(sotto__seeded_next(&random->seeded) >> 11) * 0x1p-53;
}

TEST(chances_are_those_of_the_sum_over_the_nodes_of_all_arms)
{
    double mean[12], sd[12], ours[12], theirs[12], worst = 0;
    tape random = tape_seeded(7);
    for (int i = 0; i < 12; i++) {
        uint32_t arms = 2 + (uint32_t)(11 * uniform(&random));
        double spread = exp(-4 * uniform(&random)), wide = 5 * uniform(&random);
        for (uint32_t k = 0; k < arms; k++) {
            sd[k] = 0.2 * exp(-wide * uniform(&random));
            mean[k] = spread * (2 * uniform(&random) - 1);
        }
        chances(arms, mean, sd, ours);
        literal(arms, mean, sd, theirs);
        for (uint32_t k = 0; k < arms; k++) {
            worst = fmax(worst, fabs(ours[k] - theirs[k]));
        }
    }
    assert_true(worst < 1e-4);
}

/* The order of the last call is no part of the answer: arms 0 and 2 end at the same place, and were the other way
 * round. */
TEST(what_was_asked_before_changes_nothing)
{
    const double mean[] = {0.25, 0.1, -0.625, -0.2}, sd[] = {0.125, 0.4, 0.25, 0.1};
    const double other[] = {7, 2, 1, -3}, narrow[] = {0.1, 0.01, 0.3, 0.2};
    double first[4], again[4], between[4];
    OWN(sotto__best_chance) best = NULL;
    assert_ok(sotto__best_chance_new(4, &best));
    sotto__best_chances(best, mean, sd, first);
    sotto__best_chances(best, other, narrow, between);
    sotto__best_chances(best, mean, sd, again);
    assert_memory_equal(first, again, sizeof first);
    sotto__best_chance_free(NULL);
}

/* Chances of the watch, beside plain sums. */

TEST(nothing_seen_is_no_evidence)
{
    const uint64_t none[4] = {0};
    uint64_t total = 0;
    assert_true(sotto__chance_above(0, 0, 0.1) == 1);
    assert_true(sotto__chance_two_sided(0, 0, 0.1) == 1);
    assert_true(sotto__entropy_of(none, 4, 1, &total) == 0);
    assert_int_equal(total, 0);
    assert_true(sotto__entropy_chance(0, 0) == 1);
    assert_true(sotto__entropy_chance(1e-12, 0) == 1); /* rounding, and nothing to look at */
}

TEST(a_chance_of_one_or_more_says_nothing)
{
    assert_true(sotto__chance_above(10, 10, 1) == 1);
    assert_true(sotto__chance_above(10, 10, 1.7) == 1);
}

/* P(X >= x) by adding it up. */
static double sum_above(uint32_t x, uint32_t n, double q)
{
    double sum = 0;
    for (uint32_t i = x; i <= n; i++) {
        double log_choose = lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0);
        sum += exp(log_choose + i * log(q) + (n - i) * log1p(-q));
    }
    return sum;
}

TEST(binomial_tails_are_those_of_the_sum)
{
    static const double chance[] = {0.0001, 0.05, 0.5, 0.97};
    for (uint32_t n = 1; n <= 40; n += 13) {
        for (uint32_t x = 1; x <= n; x++) {
            for (int c = 0; c < 4; c++) {
                double q = chance[c], above = sum_above(x, n, q);
                double below = 1 - sum_above(x + 1, n, q);
                assert_near(sotto__chance_above(x, n, q), above, 1e-10 * above + 1e-13);
                assert_near(sotto__chance_two_sided(x, n, q), fmin(1, 2 * fmin(above, below)),
                            1e-10);
            }
        }
    }
}

TEST(far_tails_of_many_reports_are_right)
{
    /* A million coins: 503,000 heads or more, 6 sd. Normal: 9.9e-10, with the half step 9.6e-10. */
    assert_near(sotto__chance_above(503000, 1000000, 0.5), 9.7e-10, 0.4e-10);
    /* The largest tally: no loss of digits, and an answer. */
    uint64_t n = UINT64_C(1) << 31;
    assert_near(sotto__chance_above(n / 2 + 23170, n, 0.5), 0.1587, 0.002);
}

TEST(entropy_is_that_of_every_stride_th_count)
{
    const uint64_t count[6] = {3, 100, 1, 100, 0, 100};
    uint64_t total = 0;
    double wanted = 3 * log(3 * 3 / 4.0) + log(3 / 4.0);
    assert_near(sotto__entropy_of(count, 3, 2, &total), wanted, 1e-12);
    assert_int_equal(total, 4);
    const uint64_t equal[3] = {5, 5, 5};
    assert_near(sotto__entropy_of(equal, 3, 1, &total), 0, 1e-12);
}

/* All outcomes of n throws of three sides: the bound is never below the true chance. */
TEST(the_bound_on_entropy_holds_for_every_outcome_of_few_throws)
{
    for (uint32_t n = 1; n <= 12; n++) {
        for (double x = 0.5; x < 14; x += 0.5) {
            double chance = 0;
            for (uint32_t a = 0; a <= n; a++) {
                for (uint32_t b = 0; a + b <= n; b++) {
                    const uint64_t count[3] = {a, b, n - a - b};
                    uint64_t total = 0;
                    if (sotto__entropy_of(count, 3, 1, &total) < x) continue;
                    chance += exp(lgamma(n + 1.0) - lgamma(a + 1.0) - lgamma(b + 1.0) -
                                  lgamma(n - a - b + 1.0) - n * log(3));
                }
            }
            assert_true(chance <= sotto__entropy_chance(x, 2) + 1e-12);
        }
    }
}

TEST(tails_of_the_sphere_are_those_that_are_known)
{
    /* d = 3: U_1 is uniform on [-1, 1]. d = 2: P(|U_1| > t) = 2 acos(t)/pi. */
    assert_near(sotto__tail_square(3, 0.01), 0.99 * 0.99, 1e-12);
    assert_near(sotto__tail_square(2, 0.1), pow(cos(0.05 * acos(-1)), 2), 1e-12);
}

/* Directions of the watch: how codewords lie in the parameters, and what a model points at. */

static sotto_terms terms_of(uint32_t dim, uint32_t version)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = dim, spec.version = version;
    sotto_terms terms = resolved(&spec);
    return terms;
}

static sotto__aim *aim_of(const sotto_terms *terms)
{
    sotto__aim *aim;
    assert_ok(sotto__aim_new(terms, &aim));
    return aim;
}

TEST(ticks_and_lines_have_no_direction)
{
    const sotto_terms terms[] = {resolved_of(TICKS), resolved_of(PER_ARM_TICKS), terms_of(1, 2)};
    for (int i = 0; i < 3; i++) {
        OWN(sotto__aim) aim = aim_of(&terms[i]);
        assert_int_equal(aim->shape[SOTTO_PHASE_MAIN], SOTTO__AIM_NONE);
        assert_int_equal(aim->levels[SOTTO_PHASE_MAIN], 0);
    }
}

TEST(a_model_that_knows_nothing_has_none_either)
{
    sotto_terms terms = resolved_of(SHARED);
    OWN(sotto__aim) aim = aim_of(&terms);
    sotto_model *model = made_model(&terms);
    sotto__aim_set(aim, model);
    assert_true(aim->way[0].whole == 0);
    assert_true(aim->way[1].whole == 0);
    model->theta[0] = model->tbar[0] = INFINITY;
    sotto__aim_set(aim, model);
    assert_true(aim->way[0].whole == 0);
}

TEST(each_kind_of_report_has_its_shape)
{
    static const sotto__aim_shape shape[INDEX_KINDS] = {
        SOTTO__AIM_ROWS, SOTTO__AIM_SIGNS, SOTTO__AIM_ROWS, SOTTO__AIM_WHOLE, SOTTO__AIM_ROWS};
    for (int k = 0; k < INDEX_KINDS; k++) {
        sotto_terms terms = resolved_of((kind)k);
        OWN(sotto__aim) aim = aim_of(&terms);
        assert_int_equal(aim->shape[SOTTO_PHASE_MAIN], shape[k]);
        bool warms_up = terms.codebook[SOTTO_PHASE_WARM_UP].dim > 0;
        assert_int_equal(aim->shape[SOTTO_PHASE_WARM_UP],
                         warms_up ? SOTTO__AIM_ROWS : SOTTO__AIM_NONE);
    }
}

TEST(far_tails_are_left_out_in_few_dimensions)
{
    static const uint32_t levels[] = {0, 0, 2, 3, 4, 4};
    for (uint32_t dim = 2; dim < 6; dim++) {
        sotto_terms terms = terms_of(dim, 2);
        OWN(sotto__aim) aim = aim_of(&terms);
        assert_int_equal(aim->levels[SOTTO_PHASE_MAIN], levels[dim]);
    }
}

TEST(shared_parameters_point_as_they_are)
{
    sotto_terms terms = resolved_of(SHARED);
    OWN(sotto__aim) aim = aim_of(&terms);
    sotto_model *model = made_model(&terms);
    model->tbar[0] = 3, model->tbar[1] = 4;
    model->theta[0] = 3, model->theta[1] = 4, model->theta[2] = -2;
    sotto__aim_set(aim, model);
    assert_nears(1e-12, aim->way[0].whole, 5, aim->way[0].norm[0], 5, aim->way[1].at[2], -2,
                 aim->way[1].whole, 2);
}

TEST(what_all_arms_have_in_common_is_left_out)
{
    sotto_terms terms = resolved_of(SIGNS);
    OWN(sotto__aim) aim = aim_of(&terms);
    sotto_model *model = made_model(&terms);
    for (int k = 0; k < ARMS; k++) {
        model->theta[k * DIM] = 10; /* in common */
        model->theta[k * DIM + 1] = k - 1;
    }
    sotto__aim_set(aim, model);
    for (int k = 0; k < ARMS; k++) {
        assert_nears(1e-12, aim->way[0].at[k * DIM], 0, aim->way[0].at[k * DIM + 1], k - 1,
                     aim->way[0].norm[k], fabs(k - 1.0));
    }
    assert_true(aim->way[1].whole == 0); /* it has no running average */
}
