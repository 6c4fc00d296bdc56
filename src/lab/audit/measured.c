/*
 * Layer 0 of measure rounds, and of best-arm, all of whose rounds report rewards. The audit chooses
 * the nonce and every coin, so chances are counted, not estimated.
 *
 *   - the round is booked once and in full, under the nonce that it was given; the report is index
 *     0 or 1, and 0 elsewhere;
 *   - a control round plays the arm of the nonce, and best-arm that of the nonce and the model's
 *     shares; no report depends on the context: the same reward on the same coins gives the same
 *     report;
 *   - the number of random bytes drawn does not depend on the secret;
 *   - of the W coins that choose between the two reports, c(r) lead to +1 if the reward is r. With
 *     the largest and the smallest c of all rewards, c_max <= e^eps c_min and
 *     W - c_min <= e^eps (W - c_max), exactly: a single coin too many is detected.
 *
 * c(r) is found by bisection, because the coins that lead to one report come before those of the
 * other.
 */
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <string.h>

#define DIM 3u
#define ARMS 3u
#define ROUNDS_OF_A_ROLE 3u
#define NONCES_MAX 64u /* 3 or more of these have each role, except for one seed in 10^5 */

static const struct {
    sotto_mechanism_kind kind;
    sotto_method method;
    sotto_score score;
    sotto_parameters parameters;
    sotto_split split;
} experiments[] = {
#define ROW(kind, method, score, parameters, split)                                                \
    {                                                                                              \
        SOTTO_MECHANISM_##kind, SOTTO_METHOD_##method, SOTTO_SCORE_##score,                        \
            SOTTO_PARAMETERS_##parameters, SOTTO_SPLIT_##split                                     \
    }
    ROW(CODEBOOK, SOTTO, SIGN, SHARED, JOINT),
    ROW(CODEBOOK, SOTTO, SELF, PER_ARM, JOINT),
    ROW(CODEBOOK, SOTTO_OLS, MOMENTS, SHARED, JOINT),
    ROW(L2BALL, LDP_SGD, GRADIENT, SHARED, JOINT),
    ROW(L2BALL, LDP_SGD, GRADIENT, PER_ARM, PER_ARM),
    ROW(CODEBOOK, BEST_ARM, REWARD, SHARED, JOINT),
    ROW(CODEBOOK, BEST_ARM, REWARD, PER_ARM, JOINT),
#undef ROW
};

static const double rewards[] = {-1,    1,      0,   0.3,      -0.6,      2,     -2,
                                 1e308, -1e308, NAN, INFINITY, -INFINITY, 5e-324};
#define REWARDS (sizeof rewards / sizeof rewards[0])

static const uint64_t signs[] = {0, UINT64_MAX / 2, UINT64_MAX};
#define SIGNS (sizeof signs / sizeof signs[0])

typedef enum measured_promise { BOOKED, BLIND, SAME_BYTES, PROMISES } measured_promise;

static const char *const promise_name[PROMISES] = {
    [BOOKED] = "measure rounds: not booked once, another nonce, or no valid report",
    [BLIND] = "measure rounds: an arm or a report that tells of the context",
    [SAME_BYTES] = "measure rounds: random bytes that depend on the secret",
};

/* A generator with given output: a nonce, then coins, then anything. */
typedef struct chosen_rng {
    sotto_rng rng; /* first, so that a pointer to it is a pointer to the whole */
    uint8_t nonce[SOTTO_NONCE_BYTES];
    uint64_t coin[3]; /* sign, member, uniform: see sotto__coins */
    uint32_t coins_drawn;
    bool nonce_drawn;
    uint64_t drawn_bytes;
    sotto__seeded more;
} chosen_rng;

static sotto_status chosen_fill(sotto_rng *rng, void *out, size_t bytes)
{
    chosen_rng *self = (chosen_rng *)rng;
    self->drawn_bytes += bytes;
    if (!self->nonce_drawn && bytes == sizeof self->nonce) {
        self->nonce_drawn = true;
        memcpy(out, self->nonce, bytes);
        return SOTTO_OK;
    }
    if (self->coins_drawn < 3 && bytes == sizeof self->coin[0]) {
        memcpy(out, &self->coin[self->coins_drawn++], bytes);
        return SOTTO_OK;
    }
    return self->more.rng.fill(&self->more.rng, out, bytes);
}

/* One experiment under audit. */
typedef struct measured_audit {
    sotto__audit_device device;
    sotto_codebook codebook; /* of measure rounds */
    chosen_rng rng;
    uint8_t nonce[SOTTO_NONCE_BYTES];
    sotto_role role;
    uint64_t broken[PROMISES];
    double most, least; /* coins that lead to +1 */
} measured_audit;

static double all_coins(const measured_audit *s)
{
    return (double)(s->codebook.weight_top + s->codebook.weight_rest);
}

/* Contexts that lead to each arm under the model, and hard contexts. */
static void fill_context(const measured_audit *s, uint32_t which, double *context)
{
    bool shared = s->device.terms.spec.parameters == SOTTO_PARAMETERS_SHARED;
    memset(context, 0, s->device.context_count * sizeof context[0]);
    if (which < ARMS) {
        context[shared ? which * DIM : which] = 1;
        return;
    }
    for (uint32_t at = 0; at < s->device.context_count; at += DIM) {
        sotto__hard_input((which - ARMS + at / DIM) % sotto__hard_inputs(), DIM, 1, context + at);
    }
}

/* False if there is a public arm and `arm` is another one. */
static bool plays_public_arm(const measured_audit *s, uint32_t arm)
{
    const sotto_terms *terms = &s->device.terms;
    const uint32_t *shares = s->device.model->shares;
    if (shares != NULL) return arm == sotto__shared_arm(terms, shares, s->nonce);
    return s->role != SOTTO_ROLE_CONTROL || arm == sotto__assigned_arm(terms, s->nonce);
}

/* Plays one round. Returns the sign of its report, or 0 if the report is invalid. */
static int play(measured_audit *s, uint32_t which, double reward, const uint64_t coin[3],
                uint64_t *drawn)
{
    sotto__audit_device *d = &s->device;
    double context[DIM * ARMS];
    uint8_t frame[SOTTO__RECORDING_FRAME_BYTES];
    uint32_t arm = UINT32_MAX;
    int32_t codeword = 0;
    fill_context(s, which, context);
    s->rng = (chosen_rng){.rng = {chosen_fill}, .coin = {coin[0], coin[1], coin[2]}};
    memcpy(s->rng.nonce, s->nonce, sizeof s->nonce);
    sotto__seeded_begin(&s->rng.more, 1);
    sotto__recording_ledger_begin(&d->ledger);
    bool good = d->rounds->begin(d->round, d->model) == SOTTO_OK && d->ledger.debits == 1 &&
                d->ledger.epsilon == d->terms.spec.epsilon;
    good = d->rounds->decide(d->round, context, d->context_count, &arm) == SOTTO_OK && good;
    good = d->rounds->finish(d->round, reward, frame, sizeof frame) == SOTTO_OK && good;
    *drawn = s->rng.drawn_bytes;
    good = good && d->ledger.debits == 1 &&
           sotto_report_decode(&d->terms, frame, sotto_report_bytes(&d->terms), d->report) ==
               SOTTO_OK &&
           memcmp(d->report->nonce, s->nonce, sizeof s->nonce) == 0;
    for (uint32_t i = 0; i < d->report->count && good; i++) {
        good = (uint32_t)d->report->value[i] <= (i == 0);
    }
    s->broken[BOOKED] += !good;
    if (!good) return 0;
    s->broken[BLIND] += !plays_public_arm(s, arm);
    sotto_status status = sotto_codebook_expand(&s->codebook, d->terms.stream_key, s->nonce,
                                                (uint32_t)d->report->value[0], 0, &codeword);
    return status != SOTTO_OK ? 0 : codeword > 0 ? 1 : -1;
}

/* The sign of the report on these coins, in the first context. */
static int sign_at(measured_audit *s, double reward, uint64_t sign, uint64_t member,
                   uint64_t uniform)
{
    const uint64_t coin[3] = {sign, member, uniform};
    uint64_t drawn;
    return play(s, 0, reward, coin, &drawn);
}

/* Counts c(r), with this coin for the sign. */
static void count_coins(measured_audit *s, double reward, uint64_t sign)
{
    uint64_t first = 0, last = s->codebook.weight_top + s->codebook.weight_rest - 1;
    int start = sign_at(s, reward, sign, first, 0), end = sign_at(s, reward, sign, last, 0);
    if (start == 0 || end == 0) return; /* reported already */
    double plus = start > 0 ? all_coins(s) : 0;
    if (start == end && sign_at(s, reward, sign, first, 1) != start) plus = all_coins(s) / 2;
    if (start != end) {
        while (last - first > 1) {
            uint64_t middle = first + (last - first) / 2;
            *(sign_at(s, reward, sign, middle, 0) == start ? &first : &last) = middle;
        }
        plus = start > 0 ? (double)last : all_coins(s) - (double)last;
    }
    s->most = fmax(s->most, plus);
    s->least = fmin(s->least, plus);
}

/* On the same coins, only the reward may change the report, and nothing may change the number of
 * bytes drawn. */
static void compare_secrets(measured_audit *s, const uint64_t coin[3])
{
    uint64_t drawn_first = 0, drawn;
    for (uint32_t r = 0; r < REWARDS; r++) {
        int first = 0;
        for (uint32_t which = 0; which < ARMS + sotto__hard_inputs(); which++) {
            int found = play(s, which, rewards[r], coin, &drawn);
            if (r == 0 && which == 0) drawn_first = drawn;
            if (which == 0) first = found;
            s->broken[BLIND] += found != first;
            s->broken[SAME_BYTES] += drawn != drawn_first;
        }
    }
}

static void audit_nonce(measured_audit *s)
{
    const uint64_t member[] = {0, s->codebook.weight_top};
    for (uint32_t i = 0; i < 2 * SIGNS; i++) {
        compare_secrets(s, (const uint64_t[3]){signs[i / 2], member[i % 2], i % 2});
    }
    for (uint32_t i = 0; i < SIGNS * REWARDS; i++) {
        count_coins(s, rewards[i / SIGNS], signs[i % SIGNS]);
    }
}

/* Sets theta = e_1 (shared), theta_a = e_a (per-arm), or shares that differ between arms. */
static bool set_model(measured_audit *s, sotto_phase phase)
{
    sotto__audit_device *d = &s->device;
    bool shared = d->terms.spec.parameters == SOTTO_PARAMETERS_SHARED;
    uint32_t *shares = d->model->shares;
    d->model->phase = phase;
    if (shares != NULL) shares[0] = 1u << 31, shares[1] = shares[2] = 1u << 30;
    for (uint32_t a = 0; a < (shared ? 1 : ARMS) && shares == NULL; a++) {
        d->model->theta[a * DIM + a] = 1;
        if (d->model->tbar != NULL) d->model->tbar[a * DIM + a] = 1;
    }
    s->codebook = sotto__measure_codebook(&d->terms.codebook[phase]);
    return sotto_model_check(&d->terms, d->model) == SOTTO_OK;
}

static sotto_status audit_phase(measured_audit *s, sotto_phase phase, sotto__seeded *random)
{
    uint32_t seen[3] = {0};
    if (!set_model(s, phase)) return SOTTO_OK; /* no such phase */
    bool followed = sotto__model_is_followed(&s->device.terms.spec, s->device.model);
    for (uint32_t i = 0; i < NONCES_MAX; i++) {
        sotto_status status = random->rng.fill(&random->rng, s->nonce, sizeof s->nonce);
        if (status != SOTTO_OK) return status;
        s->role = sotto__role_of(&s->device.terms, s->nonce, followed);
        bool reports_reward = s->role != SOTTO_ROLE_LEARN || s->device.model->shares != NULL;
        if (!reports_reward || seen[s->role] == ROUNDS_OF_A_ROLE) continue;
        seen[s->role]++;
        audit_nonce(s);
    }
    return SOTTO_OK;
}

static sotto_status audit_experiment(measured_audit *s, const sotto__rounds *rounds,
                                     const sotto_spec *spec, sotto__seeded *random)
{
    sotto_terms terms;
    sotto_status status = sotto_spec_resolve(spec, &terms);
    if (status != SOTTO_OK) return status;
    status = sotto__audit_device_begin(&s->device, rounds, &terms, &s->rng.rng);
    if (status == SOTTO_OK) status = audit_phase(s, SOTTO_PHASE_WARM_UP, random);
    if (status == SOTTO_OK) status = audit_phase(s, SOTTO_PHASE_MAIN, random);
    sotto__audit_device_end(&s->device);
    return status;
}

/* Half of all rounds are measure rounds; best-arm has none, and reports all rewards. */
static sotto_spec spec_of(const sotto__privacy_claim *claim, uint32_t row)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.measure = experiments[row].method == SOTTO_METHOD_BEST_ARM ? 0 : UINT32_C(1) << 31;
    spec.dim = DIM;
    spec.arms = ARMS;
    spec.method = experiments[row].method;
    spec.score = experiments[row].score;
    spec.parameters = experiments[row].parameters;
    spec.split = experiments[row].split;
    spec.epsilon = claim->epsilon;
    return spec;
}

/* The largest ratio between the coin counts of two rewards, over e^eps. */
static double excess_of(const measured_audit *s)
{
    double all = all_coins(s), allowed = exp(s->device.terms.spec.epsilon);
    return fmax(s->most / s->least, (all - s->least) / (all - s->most)) / allowed;
}

sotto_status sotto__audit_measured(sotto__subject *subject, uint64_t seed,
                                   sotto_audit_result *result)
{
    uint64_t broken[PROMISES] = {0};
    double excess = 0;
    uint32_t played = 0;
    sotto__seeded random;
    sotto__seeded_begin(&random, seed);
    for (uint32_t row = 0; row < sizeof experiments / sizeof experiments[0]; row++) {
        if (experiments[row].kind != subject->kind) continue;
        const sotto_spec spec = spec_of(&subject->claim, row);
        if (sotto_spec_fault(&spec, NULL) != SOTTO_OK)
            continue; /* no experiment can have this claim */
        measured_audit s = {.least = INFINITY};
        sotto_status status = audit_experiment(&s, &subject->rounds, &spec, &random);
        if (status != SOTTO_OK) return status;
        for (uint32_t i = 0; i < PROMISES; i++) {
            broken[i] += s.broken[i];
        }
        excess = fmax(excess, excess_of(&s));
        played++;
    }
    for (uint32_t i = 0; i < PROMISES && played > 0; i++) {
        sotto__audit_row(result, 0, promise_name[i], (double)broken[i], 0, NAN, broken[i] == 0);
    }
    if (played == 0) return SOTTO_OK;
    /* w_top is e^eps w_rest, rounded down; doubles may be off by an ulp. */
    sotto__audit_row(result, 0, "measure rounds: coins of two rewards' reports (ratio, of allowed)",
                     excess, 1, NAN, excess <= 1 + 1e-15);
    return SOTTO_OK;
}
