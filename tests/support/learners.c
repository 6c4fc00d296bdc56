/* Learners of every method. */
#include "learners.h"
#include "core/core.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    sotto_method method;
    sotto_parameters parameters;
    sotto_score score;
    sotto_reward_kind kind;
    uint32_t dim, arms;
    double epsilon;
    sotto_split split;
    sotto_noise_law law;
} row;

#define SHARED SOTTO_PARAMETERS_SHARED
#define PER_ARM SOTTO_PARAMETERS_PER_ARM
#define PLAIN SOTTO_REWARD_CONTINUOUS
#define LAPLACE SOTTO_NOISE_LAPLACE

static const row rows[LEARNER_METHODS] = {
    /* averaged */
    {SOTTO_METHOD_SOTTO, SHARED, SOTTO_SCORE_SIGN, PLAIN, 3, 3, 1, 0, 0},
    {SOTTO_METHOD_SOTTO, SHARED, SOTTO_SCORE_HUBER, PLAIN, 6, 3, 1, 0, 0},
    {SOTTO_METHOD_SOTTO, SHARED, SOTTO_SCORE_SELF, SOTTO_REWARD_BINARY, 3, 3, 1, 0, 0},
    {SOTTO_METHOD_SOTTO, SHARED, SOTTO_SCORE_CENTRED, SOTTO_REWARD_COUNT, 3, 3, 1, 0, 0},
    /* tracked: shared; signs; tags; with nulls in version 2 */
    {SOTTO_METHOD_SOTTO, SHARED, SOTTO_SCORE_SELF, SOTTO_REWARD_BINARY, 6, 3, 1, 0, 0},
    {SOTTO_METHOD_SOTTO, SHARED, SOTTO_SCORE_CENTRED, SOTTO_REWARD_COUNT, 6, 3, 1, 0, 0},
    {SOTTO_METHOD_SOTTO, PER_ARM, SOTTO_SCORE_SIGN, PLAIN, 3, 3, 1, 0, 0},
    {SOTTO_METHOD_SOTTO, PER_ARM, SOTTO_SCORE_SIGN, PLAIN, 3, 3, 5, 0, 0},
    {SOTTO_METHOD_SOTTO, PER_ARM, SOTTO_SCORE_SELF, PLAIN, 3, 3, 1, 0, 0},
    {SOTTO_METHOD_SOTTO, PER_ARM, SOTTO_SCORE_SELF, SOTTO_REWARD_BINARY, 3, 3, 5, 0, 0},
    /* sgd: shared, joint, split */
    {SOTTO_METHOD_LDP_SGD, SHARED, SOTTO_SCORE_GRADIENT, PLAIN, 3, 3, 1, 0, 0},
    {SOTTO_METHOD_LDP_SGD, PER_ARM, SOTTO_SCORE_GRADIENT, PLAIN, 3, 3, 1, 0, 0},
    {SOTTO_METHOD_LDP_SGD, PER_ARM, SOTTO_SCORE_GRADIENT, PLAIN, 3, 3, 1, SOTTO_SPLIT_PER_ARM, 0},
    /* least squares */
    {SOTTO_METHOD_SOTTO_OLS, SHARED, SOTTO_SCORE_MOMENTS, PLAIN, 3, 3, 1, 0, 0},
    {SOTTO_METHOD_LDP_OLS, SHARED, SOTTO_SCORE_MOMENTS, PLAIN, 3, 3, 1, 0, LAPLACE},
    {SOTTO_METHOD_LDP_OLS, PER_ARM, SOTTO_SCORE_MOMENTS, PLAIN, 3, 3, 1, 0, 0},
    {SOTTO_METHOD_LDP_UCB, SHARED, SOTTO_SCORE_MOMENTS, PLAIN, 3, 3, 1, 0, 0},
    {SOTTO_METHOD_LDP_UCB, PER_ARM, SOTTO_SCORE_MOMENTS, PLAIN, 3, 5, 1, 0, 0},
    {SOTTO_METHOD_LDP_GLOC, SHARED, SOTTO_SCORE_GLOC_PAIR, SOTTO_REWARD_BINARY, 3, 3, 1, 0, 0},
    {SOTTO_METHOD_LDP_GLOC, PER_ARM, SOTTO_SCORE_GLOC_PAIR, PLAIN, 3, 3, 1, 0, LAPLACE},
    /* one arm for all */
    {SOTTO_METHOD_BEST_ARM, SHARED, SOTTO_SCORE_REWARD, SOTTO_REWARD_BINARY, 3, 5, 1, 0, 0},
    {SOTTO_METHOD_BEST_ARM, PER_ARM, SOTTO_SCORE_REWARD, PLAIN, 3, 3, 4, 0, 0},
};

static sotto_spec spec_of(const row *r)
{
    sotto_spec spec = sotto_spec_default(r->kind);
    bool lattice = r->method >= SOTTO_METHOD_LDP_OLS && r->method <= SOTTO_METHOD_LDP_GLOC;
    spec.method = r->method;
    spec.parameters = r->parameters;
    spec.score = r->score;
    spec.dim = r->dim;
    spec.arms = r->arms;
    spec.epsilon = r->epsilon;
    spec.split = r->split;
    spec.noise_law = r->law;
    spec.delta = lattice && r->law == SOTTO_NOISE_GAUSSIAN ? 1e-6 : 0;
    return spec;
}

bool learner_case(uint32_t number, sotto_terms *terms, sotto_learning *learning)
{
    static const uint64_t windows[] = {0, 20, 1};
    static sotto_terms known[LEARNER_CASES]; /* resolving takes long */
    uint32_t variant = number / LEARNER_METHODS % 3, lag = number / LEARNER_METHODS / 3 % 2;
    uint32_t drift = number / LEARNER_METHODS / 6;
    sotto_spec spec = spec_of(&rows[number % LEARNER_METHODS]);
    spec.measure = variant == 2 ? 1u << 31 : 0;
    spec.epoch_lag_max = 2 * lag;
    spec.window_reports = windows[drift];
    if (sotto_spec_fault(&spec, NULL) != SOTTO_OK) return false;
    if (known[number].spec.dim == 0) assert_ok(sotto_spec_resolve(&spec, &known[number]));
    *terms = known[number];
    bool warms_up = sotto__phase_exists(&spec, SOTTO_PHASE_WARM_UP);
    *learning = sotto_learning_default(terms, number % 2 == 0 ? 0 : 100);
    learning->warm_up = warms_up ? (drift + lag) * 25 : 0;
    if (sotto__phase_exists(&spec, SOTTO_PHASE_MEAN)) learning->mean_phase = 20 * drift;
    learning->epoch = 7 * lag;
    learning->alpha = 0.1 + 0.1 * drift;
    learning->step = (sotto_step)drift % 2;
    learning->eta0 = 5 - drift;
    learning->project = variant != 1;
    learning->shift_scale = variant == 1 ? 0 : 1;
    learning->elimination_scale = variant == 0 ? INFINITY : 4;
    return true;
}

sotto_learner *learner_of_case(uint32_t number)
{
    sotto_terms terms;
    sotto_learning learning;
    sotto_learner *learner;
    assert_true(learner_case(number, &terms, &learning));
    assert_ok(sotto_learner_new(&terms, &learning, &learner));
    return learner;
}

static uint32_t draw(tape *random, uint32_t below)
{
    return (uint32_t)(sotto__seeded_next(&random->seeded) >> 32) % below;
}

sotto_report *report_for(const sotto_learner *learner, tape *random)
{
    sotto_report *report;
    const sotto_terms *terms = &learner->terms;
    assert_ok(sotto_report_new(terms, &report));
    report->epoch = learner->model->epoch - draw(random, terms->spec.epoch_lag_max + 1);
    assert_ok(random->rng.fill(&random->rng, report->nonce, sizeof report->nonce));
    bool indices = sotto_terms_reports_indices(terms), measured = draw(random, 2) == 0;
    const sotto_tally *tally = learner->open[report->epoch % learner->open_count].tally;
    const sotto_codebook *codebook = &terms->codebook[tally->phase];
    for (uint32_t i = 0; i < report->count; i++) {
        int32_t tick = (int32_t)draw(random, 1 << 19) - (1 << 18);
        uint32_t below = indices ? codebook->size + codebook->nulls : 1;
        if (terms->spec.measure > 0 && measured) below = i == 0 ? 2 : 1;
        report->value[i] = indices ? (int32_t)draw(random, below) : tick;
    }
    return report;
}

static void take(sotto_learner *one, sotto_learner *other, tape *random)
{
    sotto_report *report = report_for(one, random);
    assert_status(sotto_learner_take(one, report), sotto_learner_take(other, report));
    sotto_report_free(report);
}

/* A tally of the current epoch, as another machine would have collected it. */
static void merge(sotto_learner *one, sotto_learner *other, tape *random)
{
    sotto_tally *tally;
    assert_ok(sotto_tally_new(&one->terms, one->model, &tally));
    for (int i = 0; i < 5; i++) {
        sotto_report *report = report_for(one, random);
        report->epoch = one->model->epoch;
        sotto_status status = sotto_tally_fold(tally, report);
        (void)status; /* an index of another role is refused */
        sotto_report_free(report);
    }
    for (uint32_t i = draw(random, 8) == 0 ? 10 : 0; i > 0; i--) {
        assert_ok(sotto_tally_merge(tally, tally)); /* thousands: past the loops of estimators */
    }
    assert_ok(sotto_learner_merge(one, tally));
    assert_ok(sotto_learner_merge(other, tally));
    sotto_tally_free(tally);
}

void learners_step(sotto_learner *one, sotto_learner *other, tape *random)
{
    uint32_t action = draw(random, 12);
    if (action == 0) {
        merge(one, other, random);
    } else if (action == 1) {
        assert_ok(sotto_learner_publish(one));
        assert_ok(sotto_learner_publish(other));
    } else {
        take(one, other, random);
    }
}

static bool models_are_same(const sotto_learner *one, const sotto_learner *other)
{
    size_t count = sotto_model_bytes(&one->terms);
    uint8_t *a = malloc(count), *b = malloc(count);
    assert_true(a != NULL && b != NULL);
    assert_ok(sotto_model_encode(&one->terms, one->model, a, count));
    assert_ok(sotto_model_encode(&other->terms, other->model, b, count));
    bool same = memcmp(a, b, count) == 0;
    free(a);
    free(b);
    return same;
}

static bool measurements_are_same(const sotto_learner *one, const sotto_learner *other)
{
    sotto_measurement m[2];
    sotto_arm_measurement a[2];
    if (one->terms.spec.measure == 0) return true;
    assert_ok(sotto_learner_measure(one, 0.1, &m[0]));
    assert_ok(sotto_learner_measure(other, 0.1, &m[1]));
    if (memcmp(&m[0], &m[1], sizeof m[0]) != 0) return false;
    for (uint32_t arm = 0; arm < one->terms.spec.arms; arm++) {
        assert_ok(sotto_learner_measure_arm(one, 0.1, arm, &a[0]));
        assert_ok(sotto_learner_measure_arm(other, 0.1, arm, &a[1]));
        if (memcmp(&a[0], &a[1], sizeof a[0]) != 0) return false;
    }
    return true;
}

uint8_t *learner_bytes_of(const sotto_learner *learner, size_t *count)
{
    *count = sotto_learner_bytes(learner);
    uint8_t *bytes = malloc(*count);
    assert_non_null(bytes);
    assert_ok(sotto_learner_encode(learner, bytes, *count));
    return bytes;
}

bool learners_have_same_bytes(const sotto_learner *one, const sotto_learner *other)
{
    size_t count[2];
    uint8_t *bytes[] = {learner_bytes_of(one, &count[0]), learner_bytes_of(other, &count[1])};
    bool same = count[0] == count[1] && memcmp(bytes[0], bytes[1], count[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
    return same;
}

bool learners_are_same(const sotto_learner *one, const sotto_learner *other)
{
    return models_are_same(one, other) && measurements_are_same(one, other) &&
           sotto_learner_taken(one) == sotto_learner_taken(other) &&
           sotto_learner_wanted(one) == sotto_learner_wanted(other) &&
           sotto_learner_repairs(one) == sotto_learner_repairs(other);
}
