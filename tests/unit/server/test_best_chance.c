/* The chance to be the largest: against the closed form of two, the plain sum over the nodes of all arms,
 * and cases that would divide by 0. */
#include "core/erfc.h"
#include "server/best_chance.h"
#include "tape.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define NODES 449 /* of each arm, in the plain sum */

static void chances(uint32_t arms, const double *mean, const double *sd, double *chance)
{
    sotto__best_chance *best;
    assert_ok(sotto__best_chance_new(arms, &best));
    sotto__best_chances(best, mean, sd, chance);
    sotto__best_chance_free(best);
}

static double normal_cdf(double x)
{
    return 0.5 * sotto__erfc(-x * sqrt(0.5));
}

static void arms_that_nobody_can_beat(void **state)
{
    (void)state;
    const double mean[] = {0, 1e6, 0, 0}, sd[] = {1, 1e-9, 1e-8, 1};
    double chance[4];
    chances(4, mean, sd, chance);
    assert_true(chance[1] == 1);
    assert_true(chance[0] >= 0 && chance[0] < 1e-12 && chance[2] >= 0 && chance[2] < 1e-12);
}

static void rewards_that_never_differ(void **state)
{
    (void)state;
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
static void two_arms_by_their_closed_form(void **state)
{
    (void)state;
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

static void as_the_sum_over_the_nodes_of_all_arms(void **state)
{
    (void)state;
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
static void what_was_asked_before_changes_nothing(void **state)
{
    (void)state;
    const double mean[] = {0.25, 0.1, -0.625, -0.2}, sd[] = {0.125, 0.4, 0.25, 0.1};
    const double other[] = {7, 2, 1, -3}, narrow[] = {0.1, 0.01, 0.3, 0.2};
    double first[4], again[4], between[4];
    sotto__best_chance *best;
    assert_ok(sotto__best_chance_new(4, &best));
    sotto__best_chances(best, mean, sd, first);
    sotto__best_chances(best, other, narrow, between);
    sotto__best_chances(best, mean, sd, again);
    assert_memory_equal(first, again, sizeof first);
    sotto__best_chance_free(best);
    sotto__best_chance_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_that_nobody_can_beat),
        cmocka_unit_test(rewards_that_never_differ),
        cmocka_unit_test(two_arms_by_their_closed_form),
        cmocka_unit_test(as_the_sum_over_the_nodes_of_all_arms),
        cmocka_unit_test(what_was_asked_before_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
