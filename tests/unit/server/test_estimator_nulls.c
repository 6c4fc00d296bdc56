/* The tracked estimator with nulls: a learner that takes reports, against the definition worked out
 * slowly from the same reports, one by one. */
#include "core/core.h"
#include "lab/random/random.h"
#include "made.h"
#include "test.h"

#include <sotto/server.h>

#include <math.h>
#include <string.h>

#define DIM 5
#define ARMS_MAX 7
#define EPOCHS 12
#define REPORTS_MAX 400

typedef struct setting {
    sotto_parameters parameters;
    uint32_t arms;
    double epsilon, reward_rate;
    uint64_t window;
    bool identity; /* rewards in [-1, 2], contexts up to 4; otherwise logit, and lengths of 1 */
} setting;

static const setting settings[] = {
    {SOTTO_PARAMETERS_SHARED, 3, 2, 0.02, 0, false},
    {SOTTO_PARAMETERS_SHARED, 3, 2, 0.02, 150, false},
    {SOTTO_PARAMETERS_PER_ARM, 7, 1, 0, 0, false},
    {SOTTO_PARAMETERS_PER_ARM, 7, 6, 0, 0, false},
    {SOTTO_PARAMETERS_PER_ARM, 7, 6, 0.3, 150, false},
    {SOTTO_PARAMETERS_SHARED, 3, 2, 0.02, 0, true},
    {SOTTO_PARAMETERS_PER_ARM, 7, 1, 0, 0, true},
    {SOTTO_PARAMETERS_PER_ARM, 7, 6, 0, 0, true},
    {SOTTO_PARAMETERS_PER_ARM, 7, 6, 0, 150, true},
};

static sotto_terms terms_of(const setting *s)
{
    sotto_spec spec =
        sotto_spec_default(s->identity ? SOTTO_REWARD_CONTINUOUS : SOTTO_REWARD_BINARY);
    spec.score = SOTTO_SCORE_SELF, spec.dim = DIM, spec.arms = s->arms;
    spec.parameters = s->parameters, spec.epsilon = s->epsilon, spec.reward_rate = s->reward_rate;
    spec.window_reports = s->window;
    if (s->identity) spec.reward_hi = 2, spec.context_norm_max = 4;
    spec.theta_norm_max = 2;
    sotto_terms terms = resolved(&spec);
    assert_true(terms.codebook[SOTTO_PHASE_MAIN].nulls > 0);
    return terms;
}

/* What the definition keeps, and the reports of the epoch that is open. */
typedef struct slow {
    const sotto_terms *terms;
    double theta[ARMS_MAX][DIM], p[ARMS_MAX];
    double count[2], heard[2]; /* by phase */
    sotto_report report[REPORTS_MAX];
    int32_t index[REPORTS_MAX];
    uint32_t reports;
} slow;

/* q: of a score that is heard with chance a, and of M + k indices, k of them heavy, the share of
 * weight that codewords have; index by index. */
static double slow_q(const sotto_terms *terms, sotto_phase phase)
{
    const sotto_codebook *c = &terms->codebook[phase];
    double rate = terms->spec.reward_rate, a = 0.3;
    if (terms->spec.parameters == SOTTO_PARAMETERS_SHARED) {
        a = 2 * rate * (1 - rate) / (rate > 0.5 ? rate : 1 - rate);
    } else if (phase == SOTTO_PHASE_WARM_UP) {
        a = terms->spec.arms < 2 ? 1 : 2.0 / terms->spec.arms;
    }
    if (c->nulls == 0) return 1;
    double all = 0, codewords = 0;
    for (uint32_t i = 0; i < c->size + c->nulls; i++) {
        bool null = i >= c->size;
        double heard = i < c->top ? exp(terms->spec.epsilon) : 1;
        double silent = null ? exp(terms->spec.epsilon) : 1;
        all += a * heard + (1 - a) * silent;
        codewords += null ? 0 : a * heard + (1 - a) * silent;
    }
    return codewords / all;
}

/* What report number r says of arm k: s z, 0 if it is null or of another tag. False if arm k has no
 * part in it. */
static bool slow_says(const slow *s, sotto_phase phase, uint32_t r, uint32_t k, double *z)
{
    const sotto_codebook *c = &s->terms->codebook[phase];
    const sotto_report *report = &s->report[r];
    int32_t integers[DIM];
    int8_t sign[ARMS_MAX];
    memset(sign, 1, sizeof sign);
    memset(z, 0, DIM * sizeof *z);
    bool per_arm = s->terms->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    bool assigned = per_arm && phase == SOTTO_PHASE_WARM_UP;
    if (assigned && sotto__assigned_arm(s->terms, report->nonce) != k) return false;
    uint32_t index = (uint32_t)s->index[r];
    if (index >= c->size) return true;
    if (c->groups > 1 && index % (c->size / 2) % c->groups != k) return true;
    if (per_arm && !assigned && c->groups == 1) sotto__arm_signs(s->terms, report->nonce, sign);
    assert_ok(sotto_codebook_expand(c, s->terms->stream_key, report->nonce, index, 0, integers));
    for (int j = 0; j < DIM; j++) {
        z[j] = sign[k] * (double)integers[j] * 0x1p-30;
    }
    return true;
}

/* Per-arm under the identity link: P_0, slope and bound go by the range of rewards, R, for x/C_B. */
static bool goes_by_range(const sotto_spec *spec)
{
    return spec->parameters == SOTTO_PARAMETERS_PER_ARM && spec->link == SOTTO_LINK_IDENTITY;
}

static double slow_first(const sotto_spec *spec)
{
    double range = spec->reward_hi - spec->reward_lo;
    return goes_by_range(spec) ? 0.5 * range * range : 4.0 / DIM;
}

static double slow_slope(const sotto_spec *spec)
{
    if (spec->link != SOTTO_LINK_IDENTITY) return 0.5;
    return (goes_by_range(spec) ? 1.2 : 1.6) / (spec->reward_hi - spec->reward_lo);
}

/* P after a report. Per-arm: damped, and under drift y = R^2 (1/P - 1/P_0) held to the root of
 * y + y^2/12 = R^2 W info. */
static double slow_variance(const sotto_spec *spec, double variance, double info)
{
    double first = 1 / slow_first(spec), window = (double)spec->window_reports;
    double range = spec->reward_hi - spec->reward_lo, more = 1 / variance - first;
    if (spec->parameters == SOTTO_PARAMETERS_SHARED) {
        more += info;
        if (window > 0 && more > window * info) more = window * info;
        return 1 / (first + more);
    }
    double y = range * range * (more + info / (1 + range * range * more / 6));
    double most = 6 * (sqrt(1 + range * range * window * info / 3) - 1);
    if (window > 0 && y > most) y = most;
    return 1 / (first + y / (range * range));
}

static void slow_publish(slow *s, sotto_phase phase)
{
    const sotto_spec *spec = &s->terms->spec;
    const sotto_codebook *c = &s->terms->codebook[phase];
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM, main = phase == SOTTO_PHASE_MAIN;
    double q = slow_q(s->terms, phase), k = spec->arms, b = c->scale;
    for (uint32_t r = 0; r < s->reports; r++) {
        s->count[phase] += 1;
        s->heard[phase] += (uint32_t)s->index[r] < c->size;
    }
    double qhat = (s->heard[phase] + 20 * q) / (s->count[phase] + 20);
    if (qhat > q) qhat = q;
    double gain = (main ? 0.7 : 1) * slow_slope(spec) / b, info = gain * gain / DIM;
    double unit = goes_by_range(spec) ? spec->context_norm_max : 1;
    double bound = goes_by_range(spec) ? 10 * (spec->reward_hi - spec->reward_lo) / unit : 2;
    if (per_arm && main && c->groups == 1) gain /= k, info /= k * k;
    if (c->groups > 1) info /= k;
    for (uint32_t a = 0; a < (per_arm ? spec->arms : 1); a++) {
        double sum[DIM] = {0}, z[DIM], squares = 0, reports = 0;
        for (uint32_t r = 0; r < s->reports; r++) {
            if (!slow_says(s, phase, r, a, z)) continue;
            reports++;
            s->p[a] = slow_variance(spec, s->p[a], info / qhat);
            for (int j = 0; j < DIM; j++) {
                sum[j] += z[j];
            }
        }
        double p = s->p[a];
        if (per_arm && p > qhat / (2 * reports * info)) p = qhat / (2 * reports * info);
        for (int j = 0; j < DIM; j++) {
            s->theta[a][j] -= p * gain / qhat / unit * sum[j];
            squares += s->theta[a][j] * s->theta[a][j];
        }
        for (int j = 0; j < DIM && squares > bound * bound; j++) {
            s->theta[a][j] *= bound / sqrt(squares);
        }
    }
    s->reports = 0;
}

/* Many nulls at first, few later, so that qhat is below q and then held to it. */
static void take_report(slow *s, sotto_learner *learner, sotto__seeded *random, uint32_t epoch)
{
    const sotto_model *model = sotto_learner_model(learner);
    const sotto_codebook *c = &s->terms->codebook[model->phase];
    sotto_report *report = &s->report[s->reports];
    uint64_t word = sotto__seeded_next(random);
    bool null = c->nulls > 0 && word % 100 < (epoch % 6 < 3 ? 97 : 3);
    uint32_t index = (uint32_t)(word >> 32);
    s->index[s->reports] = (int32_t)(null ? c->size + index % c->nulls : index % c->size);
    report->epoch = model->epoch;
    memcpy(report->spec_id, s->terms->id, sizeof report->spec_id);
    assert_ok(random->rng.fill(&random->rng, report->nonce, sizeof report->nonce));
    report->count = 1;
    report->value = &s->index[s->reports];
    assert_ok(sotto_learner_take(learner, report));
    s->reports++;
}

TEST(a_learner_does_what_the_definition_says)
{
    static slow s;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        sotto_terms terms = terms_of(&settings[i]);
        bool per_arm = terms.spec.parameters == SOTTO_PARAMETERS_PER_ARM;
        uint32_t rows = per_arm ? terms.spec.arms : 1;
        sotto_learning learning = sotto_learning_default(&terms, 100000);
        learning.warm_up = per_arm ? 600 : 0, learning.mean_phase = 0;
        sotto__seeded random;
        sotto__seeded_begin(&random, 40 + i);
        sotto_learner *learner = made_learner(&terms, &learning);
        memset(&s, 0, sizeof s);
        s.terms = &terms;
        for (uint32_t a = 0; a < rows; a++) {
            s.p[a] = slow_first(&terms.spec);
        }
        for (uint32_t epoch = 0; epoch < EPOCHS; epoch++) {
            sotto_phase phase = sotto_learner_model(learner)->phase;
            uint32_t reports = epoch % 4 == 0 ? 1 : 150 + 20 * epoch;
            for (uint32_t r = 0; r < reports; r++) {
                take_report(&s, learner, &random, epoch);
            }
            slow_publish(&s, phase);
            assert_ok(sotto_learner_publish(learner));
            for (uint32_t at = 0; at < rows * DIM; at++) {
                double got = sotto_learner_model(learner)->theta[at];
                assert_near(got, s.theta[at / DIM][at % DIM], 1e-11);
            }
        }
        assert_true(s.count[SOTTO_PHASE_MAIN] > 0);
        assert_true(!per_arm || s.count[SOTTO_PHASE_WARM_UP] > 0);
    }
}

/* 100 reports, all null: qhat = 20 q/120, so that 1/P has grown six times as much as by q. The next,
 * one report that is not null, shows it. */
TEST(nulls_alone_move_nothing_but_say_how_much_the_others_count)
{
    sotto_terms terms = terms_of(&settings[0]);
    sotto_learning learning = sotto_learning_default(&terms, 0);
    sotto__seeded random;
    sotto__seeded_begin(&random, 9);
    sotto_learner *learner = made_learner(&terms, &learning);
    const sotto_codebook *c = &terms.codebook[SOTTO_PHASE_MAIN];
    for (int r = 0; r < 100; r++) {
        int32_t index = (int32_t)c->size;
        sotto_report report = {.count = 1, .value = &index};
        memcpy(report.spec_id, terms.id, sizeof report.spec_id);
        assert_ok(random.rng.fill(&random.rng, report.nonce, sizeof report.nonce));
        assert_ok(sotto_learner_take(learner, &report));
    }
    assert_ok(sotto_learner_publish(learner));
    for (int j = 0; j < DIM; j++) {
        assert_true(sotto_learner_model(learner)->theta[j] == 0);
    }
    int32_t index = 3, z[DIM];
    sotto_report report = {.epoch = 1, .count = 1, .value = &index};
    memcpy(report.spec_id, terms.id, sizeof report.spec_id);
    assert_ok(sotto_learner_take(learner, &report));
    assert_ok(sotto_learner_publish(learner));
    assert_ok(sotto_codebook_expand(c, terms.stream_key, report.nonce, 3, 0, z));
    double q = slow_q(&terms, SOTTO_PHASE_MAIN), gain = 0.35 / c->scale;
    double precision = 1.25 + gain * gain / DIM * (600 / q + 121 / (1 + 20 * q));
    double step = gain / precision * 121 / (1 + 20 * q);
    for (int j = 0; j < DIM; j++) {
        assert_near(sotto_learner_model(learner)->theta[j], -step * z[j] * 0x1p-30, 1e-13);
    }
}
