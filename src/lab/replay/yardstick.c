#include "inner.h"
#include "replay.h"

#include <math.h>
#include <stdlib.h>

/* ==== constant arm =========================================================================== */

/* Rewards without learning. */

double sotto__constant_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                                  const uint64_t *label_count, uint32_t arm)
{
    double sum = 0;
    if (rules->rewards == NULL) return (double)label_count[arm];
    for (uint32_t label = 0; label < arms; label++) {
        sum += (double)label_count[label] * rules->rewards[(size_t)label * arms + arm];
    }
    return sum;
}

double sotto__random_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                                const uint64_t *label_count)
{
    double sum = 0;
    for (uint32_t arm = 0; arm < arms; arm++) {
        sum += sotto__constant_arm_reward(rules, arms, label_count, arm);
    }
    return sum / arms;
}

double sotto__right_arm_reward(const sotto__replay_rules *rules, uint32_t arms,
                               const uint64_t *label_count)
{
    double sum = 0;
    for (uint32_t label = 0; label < arms; label++) {
        const double *rewards =
            rules->rewards == NULL ? NULL : rules->rewards + (size_t)label * arms;
        double most = rewards == NULL ? 1 : rewards[0];
        for (uint32_t arm = 1; rewards != NULL && arm < arms; arm++) {
            most = fmax(most, rewards[arm]);
        }
        sum += (double)label_count[label] * most;
    }
    return sum;
}

double sotto__reward_range(const sotto__replay_rules *rules)
{
    return rules->rewards == NULL ? 1 : rules->reward_hi - rules->reward_lo;
}

uint32_t sotto__best_constant_arm(const sotto__replay_rules *rules, uint32_t arms,
                                  const uint64_t *label_count)
{
    uint32_t best = 0;
    double most = sotto__constant_arm_reward(rules, arms, label_count, 0);
    for (uint32_t arm = 1; arm < arms; arm++) {
        double sum = sotto__constant_arm_reward(rules, arms, label_count, arm);
        if (sum <= most) continue;
        best = arm;
        most = sum;
    }
    return best;
}

/* ==== yardstick ============================================================================== */

/* Yardsticks of a data set. */

#define CELL_MIN 25       /* people expected of an arm, below which it is counted with others */
#define NORMAL_1E6 4.7535 /* P(N(0,1) > this) = 1e-6 */
#define CHOICES_ROWS 1000 /* fewer may all have the chance 0.98, by chance */

sotto_status sotto__yardstick_new(uint32_t arms, double clip, sotto__yardstick **out)
{
    *out = NULL;
    sotto__yardstick *yardstick = calloc(1, sizeof *yardstick);
    if (yardstick == NULL) return SOTTO_E_MEMORY;
    yardstick->arm_count = calloc(arms, sizeof yardstick->arm_count[0]);
    yardstick->constant = calloc(arms, sizeof yardstick->constant[0]);
    if (yardstick->arm_count == NULL || yardstick->constant == NULL) {
        sotto__yardstick_free(yardstick);
        return SOTTO_E_MEMORY;
    }
    yardstick->arms = arms;
    yardstick->clip = clip;
    yardstick->propensity_min = 1;
    *out = yardstick;
    return SOTTO_OK;
}

void sotto__yardstick_free(sotto__yardstick *yardstick)
{
    if (yardstick == NULL) return;
    free(yardstick->arm_count);
    free(yardstick->constant);
    free(yardstick->agreed);
    free(yardstick);
}

sotto_status sotto__yardstick_keep_groups(sotto__yardstick *yardstick)
{
    yardstick->agreed =
        calloc((size_t)yardstick->arms * SOTTO__GROUPS, sizeof yardstick->agreed[0]);
    return yardstick->agreed == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
}

void sotto__yardstick_add(sotto__yardstick *yardstick, const sotto_people *people)
{
    for (uint32_t i = 0; i < people->rows; i++) {
        uint32_t arm = people->arm[i];
        double reward = people->reward[i], propensity = people->propensity[i];
        yardstick->arm_count[arm]++;
        yardstick->propensity_min = fmin(yardstick->propensity_min, propensity);
        double inverse = 1 / fmax(propensity, yardstick->clip);
        yardstick->inverse_sum += inverse;
        yardstick->inverse_squares += inverse * inverse;
        if (propensity < yardstick->clip) yardstick->clipped++;
        sotto__off_policy_add(&yardstick->logging, reward, 1, 0);
        sotto__off_policy_add(&yardstick->constant[arm], reward, propensity, yardstick->clip);
        if (yardstick->agreed == NULL) continue;
        uint32_t group = sotto__group_of(yardstick->rows + i);
        sotto__agreed *agreed = &yardstick->agreed[(size_t)arm * SOTTO__GROUPS + group];
        agreed->weight += inverse;
        agreed->product += inverse * reward;
    }
    yardstick->rows += people->rows;
}

uint32_t sotto__yardstick_majority(const sotto__yardstick *yardstick)
{
    uint32_t best = 0;
    for (uint32_t a = 1; a < yardstick->arms; a++) {
        if (yardstick->arm_count[a] > yardstick->arm_count[best]) best = a;
    }
    return best;
}

uint32_t sotto__yardstick_best_arm(const sotto__yardstick *yardstick)
{
    const sotto__off_policy *constant = yardstick->constant;
    uint32_t best = sotto__yardstick_majority(yardstick); /* an arm that was given to somebody */
    for (uint32_t a = 0; a < yardstick->arms; a++) {
        if (constant[a].matched > 0 && constant[a].product > constant[best].product) best = a;
    }
    return best;
}

uint32_t sotto__yardstick_arms_given(const sotto__yardstick *yardstick)
{
    uint32_t given = 0;
    for (uint32_t a = 0; a < yardstick->arms; a++) {
        if (yardstick->arm_count[a] > 0) given++;
    }
    return given;
}

/* The quantile of chi-square with k degrees of freedom, Wilson and Hilferty 1931:
 * k (1 - 2/(9 k) + z sqrt(2/(9 k)))^3. For few degrees it is a little too large. */
static double chi_square_1e6(double k)
{
    double root = 1 - 2 / (9 * k) + NORMAL_1E6 * sqrt(2 / (9 * k));
    return k * root * root * root;
}

/* X = (sum over arms of (o - e)^2/e)/(1 - n/N), for n people drawn from N without replacement: o
 * of them have the label, and e = n c/N are expected if c of all have it. Rare labels share one
 * cell. X has fewer degrees of freedom than cells; we use the number of cells. */
bool sotto__yardstick_is_sorted(const sotto__yardstick *yardstick, const uint64_t *last_arm_count)
{
    double rows = (double)yardstick->rows, last = 0, square = 0, cells = 0;
    double rare = 0, rare_expected = 0;
    for (uint32_t a = 0; a < yardstick->arms; a++) {
        last += (double)last_arm_count[a];
    }
    if (last >= rows) return false;
    for (uint32_t a = 0; a < yardstick->arms; a++) {
        double seen = (double)last_arm_count[a];
        double expected = last * (double)yardstick->arm_count[a] / rows;
        if (expected < CELL_MIN) {
            rare += seen;
            rare_expected += expected;
            continue;
        }
        square += (seen - expected) * (seen - expected) / expected;
        cells++;
    }
    if (rare_expected >= CELL_MIN) {
        square += (rare - rare_expected) * (rare - rare_expected) / rare_expected;
        cells++;
    }
    return cells > 0 && square > (1 - last / rows) * chi_square_1e6(cells);
}

double sotto__yardstick_floor(const sotto__yardstick *yardstick)
{
    return fmax(yardstick->propensity_min, yardstick->clip);
}

uint64_t sotto__yardstick_matches(const sotto__yardstick *yardstick)
{
    double kept = sotto__yardstick_floor(yardstick) * yardstick->inverse_sum;
    return (uint64_t)fmax(1, kept / yardstick->arms);
}

sotto_span sotto__yardstick_choices(const sotto__yardstick *yardstick)
{
    if (yardstick->rows < CHOICES_ROWS) return (sotto_span){NAN, NAN};
    double rows = (double)yardstick->rows, mean = yardstick->inverse_sum / rows;
    double variance = fmax(0, yardstick->inverse_squares / rows - mean * mean);
    double reach = NORMAL_1E6 * sqrt(variance / rows);
    return (sotto_span){mean - reach, mean + reach};
}
