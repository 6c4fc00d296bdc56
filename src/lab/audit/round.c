/*
 * Layer 0 of the client's round: begin, decide, finish, resend, with a recording generator and
 * ledger, for every kind of experiment that uses the mechanism and many hard secrets.
 *
 *   - epsilon is booked once, at begin, before there is a context; the report carries that nonce;
 *   - the report is recorded once, before it leaves, and leaves only if that succeeded;
 *   - the number of random bytes drawn and the length of the report do not depend on the secret;
 *   - a resent report is the same bytes; wrong lengths get no report;
 *   - in the mean phase the arm is the nonce's, and the report does not depend on the reward;
 *   - lattice: on the same coins two secrets' ticks are no further apart than the noise covers:
 *     sigma m (L2), m the Delta/sigma that (epsilon, delta) allows, or b epsilon (L1).
 */
#include "core/core.h"
#include "inner.h"
#include "lab/math/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIM_MAX 5u
#define ARMS 3u
#define TAPES 8u
#define LAW_ROUNDS 1000u
#define FILLER 0xaa

typedef enum round_promise {
    BOOKED,
    SAME_NONCE,
    RECORDED,
    SAME_BYTES,
    SAME_LENGTH,
    RESENT,
    REFUSED,
    NOISY,
    ASSIGNED,
    NO_REWARD,
    PROMISES
} round_promise;

static const char *const promise_name[PROMISES] = {
    [BOOKED] = "rounds: not booked once and in full, before the context",
    [SAME_NONCE] = "rounds: another nonce than the booked one",
    [RECORDED] = "rounds: not recorded once, before the report leaves",
    [SAME_BYTES] = "rounds: random bytes that depend on the secret, or noise drawn after it",
    [SAME_LENGTH] = "rounds: bytes outside the report's length, or no valid report",
    [RESENT] = "rounds: resent with other bytes",
    [REFUSED] = "rounds: wrong length, or no room in the ledger, not refused",
    [NOISY] = "rounds: ticks without noise in all of 8 reports",
    [ASSIGNED] = "rounds: another arm than the nonce assigns in the mean phase",
    [NO_REWARD] = "rounds: the reward is in a report of the mean phase",
};

/* The experiments of each mechanism. epsilon 0 stands for the claim's. Experiments with nulls have
 * few codewords, to be fast. */
static const struct {
    sotto_mechanism_kind kind;
    sotto_method method;
    sotto_score score;
    sotto_parameters parameters;
    sotto_split split;
    double epsilon;
    uint32_t dim;
    bool nulls;
} experiments[] = {
#define ROW_OF(kind, method, score, parameters, split, epsilon, dim, nulls)                        \
    {                                                                                              \
        SOTTO_MECHANISM_##kind, SOTTO_METHOD_##method, SOTTO_SCORE_##score,                        \
            SOTTO_PARAMETERS_##parameters, SOTTO_SPLIT_##split, epsilon, dim, nulls                \
    }
#define ROW(kind, method, score, parameters, split, epsilon)                                       \
    ROW_OF(kind, method, score, parameters, split, epsilon, 3, false)
#define ROW_NULLS(parameters, epsilon, dim)                                                        \
    ROW_OF(CODEBOOK, SOTTO, SELF, parameters, JOINT, epsilon, dim, true)
    ROW(CODEBOOK, SOTTO, SIGN, SHARED, JOINT, 0),
    ROW(CODEBOOK, SOTTO, SELF, SHARED, JOINT, 0),
    ROW(CODEBOOK, SOTTO, SIGN, PER_ARM, JOINT, 1), /* arm signs */
    ROW(CODEBOOK, SOTTO, SIGN, PER_ARM, JOINT, 5), /* arm tags */
    ROW_NULLS(SHARED, 0, 5),  /* only the tracked estimator has nulls, from dim 5 on */
    ROW_NULLS(PER_ARM, 1, 3), /* arm signs, and a mean phase, as in the next */
    ROW_NULLS(PER_ARM, 5, 3), /* arm tags */
    ROW(CODEBOOK, SOTTO_OLS, MOMENTS, SHARED, JOINT, 0),
    ROW(L2BALL, LDP_SGD, GRADIENT, SHARED, JOINT, 0),
    ROW(L2BALL, LDP_SGD, GRADIENT, PER_ARM, JOINT, 0),
    ROW(L2BALL, LDP_SGD, GRADIENT, PER_ARM, PER_ARM, 0),
    ROW(GAUSSIAN, LDP_OLS, MOMENTS, SHARED, JOINT, 0),
    ROW(GAUSSIAN, LDP_OLS, MOMENTS, PER_ARM, JOINT, 0),
    ROW(GAUSSIAN, LDP_UCB, MOMENTS, SHARED, JOINT, 0),
    ROW(GAUSSIAN, LDP_GLOC, GLOC_PAIR, SHARED, JOINT, 0),
    ROW(GAUSSIAN, LDP_GLOC, GLOC_PAIR, PER_ARM, JOINT, 0),
    ROW(LAPLACE, LDP_OLS, MOMENTS, SHARED, JOINT, 0),
    ROW(LAPLACE, LDP_OLS, MOMENTS, PER_ARM, JOINT, 0),
    ROW(LAPLACE, LDP_UCB, MOMENTS, SHARED, JOINT, 0),
    ROW(LAPLACE, LDP_GLOC, GLOC_PAIR, SHARED, JOINT, 0),
    ROW(LAPLACE, LDP_GLOC, GLOC_PAIR, PER_ARM, JOINT, 0),
#undef ROW_NULLS
#undef ROW
#undef ROW_OF
};

static const double rewards[] = {-1, 1, 0, 2, 1e308, -1e308, NAN, INFINITY, -INFINITY, 5e-324};
#define REWARDS (sizeof rewards / sizeof rewards[0])

/* One experiment under audit. */
typedef struct round_audit {
    sotto__audit_device device;
    uint64_t seed;
    sotto__recording_rng rng;
    uint32_t secrets;
    int32_t *value; /* TAPES x secrets x count */
    uint64_t broken[PROMISES];
    double distance; /* over what the noise covers */
    double law_p;    /* smallest of the rows of the noise's law, and the number of those rows */
    uint32_t law_rows;
} round_audit;

static sotto_spec spec_of(const sotto__privacy_claim *claim, uint32_t row)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    bool gaussian = experiments[row].kind == SOTTO_MECHANISM_GAUSSIAN;
    bool laplace = experiments[row].kind == SOTTO_MECHANISM_LAPLACE;
    spec.dim = experiments[row].dim;
    spec.arms = ARMS;
    spec.method = experiments[row].method;
    spec.score = experiments[row].score;
    spec.parameters = experiments[row].parameters;
    spec.split = experiments[row].split;
    spec.noise_law = laplace ? SOTTO_NOISE_LAPLACE : SOTTO_NOISE_GAUSSIAN;
    spec.epsilon = experiments[row].epsilon == 0 ? claim->epsilon : experiments[row].epsilon;
    spec.delta = gaussian ? claim->delta : 0;
    spec.allow_weak_delta = gaussian && spec.delta > 1e-6;
    return spec;
}

/* Secrets are contexts x rewards. The first contexts lead to each arm under the models below. */
static uint32_t contexts(void)
{
    return ARMS + sotto__hard_inputs();
}

static double fill_secret(const round_audit *s, uint32_t secret, double *context)
{
    uint32_t which = secret / REWARDS, dim = s->device.terms.spec.dim;
    bool shared = s->device.terms.spec.parameters == SOTTO_PARAMETERS_SHARED;
    memset(context, 0, s->device.context_count * sizeof context[0]);
    if (which < ARMS) {
        context[shared ? which * dim : which] = 1;
    } else {
        for (uint32_t at = 0; at < s->device.context_count; at += dim) {
            uint32_t hard = (which - ARMS + at / dim) % sotto__hard_inputs();
            sotto__hard_input(hard, dim, 1, context + at);
        }
    }
    return rewards[secret % REWARDS];
}

/* A model under which arms differ: theta = e_1 (shared), theta_a = e_a (per-arm). g is far too
 * long. */
static void fill_model(round_audit *s, sotto_phase phase)
{
    sotto__audit_device *d = &s->device;
    bool shared = d->terms.spec.parameters == SOTTO_PARAMETERS_SHARED;
    double *const estimate[] = {d->model->theta, d->model->tbar, d->model->theta_h};
    d->model->phase = phase;
    if (d->model->g != NULL) d->model->g[0] = 3e300, d->model->g[d->terms.spec.dim - 1] = 4e300;
    for (int e = 0; e < 3; e++) {
        for (uint32_t a = 0; a < (shared ? 1 : ARMS) && estimate[e] != NULL; a++) {
            estimate[e][a * d->terms.spec.dim + a] =
                e < 2 ? 1 : 1e6; /* theta_h: a server may send anything */
        }
    }
}

static bool untouched(const uint8_t *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (bytes[i] != FILLER) return false;
    }
    return true;
}

/* Plays one round on one tape. Writes its values to `value` and its number of random bytes to
 * *drawn. */
static void run_round(round_audit *s, uint32_t secret, uint32_t tape, int32_t *value,
                      uint64_t *drawn)
{
    sotto__audit_device *d = &s->device;
    double context[DIM_MAX * ARMS];
    uint8_t frame[SOTTO__RECORDING_FRAME_BYTES], again[SOTTO__RECORDING_FRAME_BYTES];
    size_t bytes = sotto_report_bytes(&d->terms);
    uint32_t arm = UINT32_MAX;
    double reward = fill_secret(s, secret, context);
    memset(frame, FILLER, sizeof frame);
    memset(again, FILLER, sizeof again);
    sotto__recording_rng_begin(&s->rng, s->seed + tape);
    sotto__recording_ledger_begin(&d->ledger);

    bool good = d->rounds->begin(d->round, d->model) == SOTTO_OK;
    s->broken[BOOKED] += !good || d->ledger.debits != 1 ||
                         d->ledger.epsilon != d->terms.spec.epsilon ||
                         d->ledger.delta != d->terms.spec.delta;
    uint64_t drawn_before = s->rng.drawn_bytes;
    good = d->rounds->decide(d->round, context, d->context_count, &arm) == SOTTO_OK && arm < ARMS;
    good = d->rounds->finish(d->round, reward, frame, sizeof frame) == SOTTO_OK && good;
    s->broken[BOOKED] += d->ledger.debits != 1;
    *drawn = s->rng.drawn_bytes;
    s->broken[SAME_BYTES] += !sotto_terms_reports_indices(&d->terms) && *drawn != drawn_before;
    s->broken[SAME_LENGTH] += !good || !untouched(frame, bytes, sizeof frame) ||
                              sotto_report_decode(&d->terms, frame, bytes, d->report) != SOTTO_OK;
    s->broken[ASSIGNED] += d->model->phase == SOTTO_PHASE_MEAN &&
                           arm != sotto__assigned_arm(&d->terms, d->report->nonce);
    s->broken[SAME_NONCE] += memcmp(d->report->nonce, d->ledger.nonce, SOTTO_NONCE_BYTES) != 0;
    s->broken[RECORDED] += d->ledger.records != 1 || d->ledger.entry != d->ledger.recorded_entry ||
                           d->ledger.frame_bytes != bytes ||
                           memcmp(d->ledger.frame, frame, bytes) != 0;
    bool resent = d->rounds->resend(d->round, again, sizeof again) == SOTTO_OK;
    s->broken[RESENT] += !resent || memcmp(frame, again, sizeof frame) != 0;
    memcpy(value, d->report->value, d->report->count * sizeof value[0]);
}

/* Wrong lengths and a full ledger must give no report and write no byte. */
static void run_refusals(round_audit *s)
{
    sotto__audit_device *d = &s->device;
    double context[DIM_MAX * ARMS + 1] = {0};
    uint8_t frame[SOTTO__RECORDING_FRAME_BYTES];
    size_t bytes = sotto_report_bytes(&d->terms);
    uint32_t arm;
    memset(frame, FILLER, sizeof frame);
    sotto__recording_rng_begin(&s->rng, s->seed);
    sotto__recording_ledger_begin(&d->ledger);
    d->ledger.refuses_debit = true;
    s->broken[REFUSED] += d->rounds->begin(d->round, d->model) == SOTTO_OK;
    s->broken[REFUSED] += d->rounds->decide(d->round, context, d->context_count, &arm) == SOTTO_OK;
    d->ledger.refuses_debit = false;
    d->ledger.refuses_record = true;
    s->broken[BOOKED] += d->rounds->begin(d->round, d->model) != SOTTO_OK;
    for (int off = -1; off <= 1; off += 2) {
        uint32_t count = (uint32_t)((int)d->context_count + off);
        s->broken[REFUSED] += d->rounds->decide(d->round, context, count, &arm) == SOTTO_OK;
    }
    s->broken[REFUSED] += d->rounds->decide(d->round, context, d->context_count, &arm) != SOTTO_OK;
    s->broken[REFUSED] += d->rounds->finish(d->round, 0, frame, bytes - 1) == SOTTO_OK;
    s->broken[RECORDED] += d->rounds->finish(d->round, 0, frame, sizeof frame) == SOTTO_OK;
    s->broken[RECORDED] += d->rounds->resend(d->round, frame, sizeof frame) == SOTTO_OK;
    s->broken[REFUSED] += !untouched(frame, 0, sizeof frame);
}

static const int32_t *value_of(const round_audit *s, uint32_t tape, uint32_t secret)
{
    return s->value + ((size_t)tape * s->secrets + secret) * s->device.report->count;
}

/* Counts ticks that are the same on every tape, although noise should change them. */
static uint64_t count_bare(const round_audit *s)
{
    uint64_t bare = 0;
    for (uint32_t secret = 0; secret < s->secrets; secret++) {
        for (uint32_t i = 0; i < s->device.report->count; i++) {
            uint32_t same = 0;
            for (uint32_t tape = 0; tape < TAPES; tape++) {
                same += value_of(s, tape, secret)[i] == value_of(s, 0, secret)[i];
            }
            bare += same == TAPES;
        }
    }
    return bare;
}

static double distance(const round_audit *s, const int32_t *a, const int32_t *b)
{
    bool l1 = s->device.terms.spec.noise_law == SOTTO_NOISE_LAPLACE;
    double sum = 0;
    for (uint32_t i = 0; i < s->device.report->count; i++) {
        double gap = fabs((double)a[i] - (double)b[i]);
        sum += l1 ? gap : gap * gap;
    }
    return l1 ? sum : sqrt(sum);
}

static void judge_ticks(round_audit *s)
{
    const sotto_spec *spec = &s->device.terms.spec;
    double covered = spec->noise_law == SOTTO_NOISE_LAPLACE
                         ? spec->epsilon
                         : sotto__gaussian_allowed(spec->epsilon, spec->delta);
    covered *= s->device.terms.lattice.scale_ticks;
    s->broken[NOISY] += count_bare(s);
    for (uint32_t pair = 0; pair < s->secrets * s->secrets; pair++) {
        uint32_t a = pair / s->secrets, b = pair % s->secrets;
        double ticks_between = distance(s, value_of(s, 0, a), value_of(s, 0, b));
        s->distance = fmax(s->distance, ticks_between / covered);
    }
}

/* Counts differences between secrets that differ only in their rewards, on the same tape. */
static uint64_t count_rewarded(const round_audit *s)
{
    uint64_t differ = 0;
    for (uint32_t tape = 0; tape < TAPES; tape++) {
        for (uint32_t secret = 0; secret < s->secrets; secret++) {
            uint32_t first = secret - secret % REWARDS;
            differ += value_of(s, tape, secret)[0] != value_of(s, tape, first)[0];
        }
    }
    return differ;
}

static void run_phase(round_audit *s, sotto_phase phase)
{
    uint64_t drawn_first = 0, drawn;
    fill_model(s, phase);
    if (sotto_model_check(&s->device.terms, s->device.model) != SOTTO_OK)
        return; /* no such phase */
    for (uint32_t tape = 0; tape < TAPES; tape++) {
        for (uint32_t secret = 0; secret < s->secrets; secret++) {
            size_t at = ((size_t)tape * s->secrets + secret) * s->device.report->count;
            run_round(s, secret, tape, s->value + at, &drawn);
            if (secret == 0) drawn_first = drawn;
            s->broken[SAME_BYTES] += drawn != drawn_first;
        }
    }
    run_refusals(s);
    if (phase == SOTTO_PHASE_MEAN) s->broken[NO_REWARD] += count_rewarded(s);
    if (!sotto_terms_reports_indices(&s->device.terms)) judge_ticks(s);
}

/* Tests the law of the ticks of whole rounds. The secret's statistic is 0, so the ticks are the
 * noise. */
static sotto_status judge_law(round_audit *s)
{
    sotto__audit_device *d = &s->device;
    const double nothing[DIM_MAX * ARMS] = {0};
    uint32_t count = d->report->count, arm;
    uint8_t frame[SOTTO__RECORDING_FRAME_BYTES];
    sotto_audit_result rows = {.rows_count = 0};
    sotto__privacy_claim claim = {.family = SOTTO__LATTICE,
                                  .dim = count,
                                  .radius = 1,
                                  .law = d->terms.spec.noise_law,
                                  .lattice = d->terms.lattice};
    sotto__subject_answer answer = {.count = count, .value = calloc(count, sizeof(double))};
    sotto__law *law = NULL;
    sotto_status status = SOTTO_E_MEMORY;
    if (answer.value == NULL) goto cleanup;
    status = sotto__law_new(&claim, answer.value, LAW_ROUNDS, &law);
    if (status != SOTTO_OK) goto cleanup;
    sotto__recording_rng_begin(&s->rng, s->seed + TAPES);
    for (uint64_t t = 0; t < LAW_ROUNDS && status == SOTTO_OK; t++) {
        sotto__recording_ledger_begin(&d->ledger);
        bool good = d->rounds->begin(d->round, d->model) == SOTTO_OK;
        good = good && d->rounds->decide(d->round, nothing, d->context_count, &arm) == SOTTO_OK;
        good = good && d->rounds->finish(d->round, 0, frame, sizeof frame) == SOTTO_OK;
        good = good && sotto_report_decode(&d->terms, frame, sotto_report_bytes(&d->terms),
                                           d->report) == SOTTO_OK;
        for (uint32_t i = 0; i < count && good; i++) {
            answer.value[i] = d->report->value[i];
        }
        status = law->taker.take(&law->taker, t, &answer);
    }
    law->rows(law, &rows);
    s->law_p = 1;
    s->law_rows = rows.rows_count;
    for (uint32_t i = 0; i < rows.rows_count; i++) {
        s->law_p = fmin(s->law_p, rows.row[i].p_value);
    }
cleanup:
    if (law != NULL) law->free(law);
    free(answer.value);
    return status;
}

/* Clients accept terms with any codebook that has as many nulls as TOP has codewords. */
static void use_nulls(sotto_terms *terms)
{
    for (int phase = 0; phase < SOTTO_PHASE_MEAN; phase++) {
        sotto_codebook *codebook = &terms->codebook[phase];
        if (!sotto__phase_may_have_nulls(&terms->spec, (uint32_t)phase)) continue;
        *codebook = sotto_codebook_constants(codebook->dim, 16 * codebook->groups, codebook->groups,
                                             terms->spec.epsilon);
        codebook->nulls = codebook->top;
    }
    sotto__terms_name(terms);
}

static sotto_status run_experiment(round_audit *s, const sotto__rounds *rounds,
                                   const sotto_spec *spec, bool nulls)
{
    sotto_terms terms;
    sotto_status status = sotto_spec_resolve(spec, &terms);
    if (status != SOTTO_OK) return status;
    if (nulls) use_nulls(&terms);
    s->secrets = contexts() * REWARDS;
    status = sotto__audit_device_begin(&s->device, rounds, &terms, &s->rng.rng);
    if (status != SOTTO_OK) goto cleanup;
    status = SOTTO_E_MEMORY;
    s->value = calloc((size_t)TAPES * s->secrets * s->device.report->count, sizeof s->value[0]);
    if (s->value == NULL) goto cleanup;
    status = SOTTO_OK;
    run_phase(s, SOTTO_PHASE_MEAN);
    run_phase(s, SOTTO_PHASE_WARM_UP);
    run_phase(s, SOTTO_PHASE_MAIN);
    if (!sotto_terms_reports_indices(&terms)) status = judge_law(s);
cleanup:
    sotto__audit_device_end(&s->device);
    free(s->value);
    return status;
}

sotto_status sotto__audit_rounds(sotto__subject *subject, uint64_t seed, sotto_audit_result *result)
{
    uint64_t broken[PROMISES] = {0};
    double farthest = 0, law_p = 1;
    uint32_t played = 0, law_rows = 0;
    bool ticks = subject->claim.family == SOTTO__LATTICE;
    for (uint32_t row = 0; row < sizeof experiments / sizeof experiments[0]; row++) {
        if (experiments[row].kind != subject->kind) continue;
        round_audit s = {.seed = seed};
        sotto_spec spec = spec_of(&subject->claim, row);
        if (sotto_spec_fault(&spec, NULL) != SOTTO_OK)
            continue; /* no experiment can have this claim */
        sotto_status status = run_experiment(&s, &subject->rounds, &spec, experiments[row].nulls);
        if (status != SOTTO_OK) return status;
        for (uint32_t i = 0; i < PROMISES; i++) {
            broken[i] += s.broken[i];
        }
        farthest = fmax(farthest, s.distance);
        if (s.law_rows > 0) law_p = fmin(law_p, s.law_p);
        law_rows += s.law_rows;
        played++;
    }
    for (uint32_t i = 0; i < PROMISES && played > 0; i++) {
        if (i == NOISY && !ticks) continue;
        if (i > NOISY && subject->kind != SOTTO_MECHANISM_CODEBOOK) continue; /* no mean phase */
        sotto__audit_row(result, 0, promise_name[i], (double)broken[i], 0, NAN, broken[i] == 0);
    }
    if (!ticks) return SOTTO_OK;
    sotto__audit_row(result, 0, "rounds: distance of two reports on the same coins (of allowed)",
                     farthest, 1, NAN, farthest <= 1);
    sotto__law_row(result, "rounds: law of their ticks (smallest p of its rows)", law_p, NAN,
                   sotto__smallest_p(law_p, fmax(1, law_rows)));
    return SOTTO_OK;
}
