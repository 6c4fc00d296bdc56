/* Rounds, ledgers and words are the same in every floating-point environment of the caller, whatever it decodes there,
 * and that environment comes back. tests/boundary sees that no function of the device is missing here and in
 * test_float_environment.c. */
#include "client/client.h"
#include "core/core.h"
#include "directory.h"
#include "float_modes.h"
#include "made.h"
#include "tape.h"
#include "test.h"
#include "transcript.h"
#include "why.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#define DIM 3
#define ARMS 3
#define CELLS 9
#define FRAME_BYTES_MAX 4096
#define ROUNDS 4

/* ---- rounds ------------------------------------------------------------------------------- */

/* Sums that tie but for rounding; numbers that are clipped; numbers below the normal ones, whose
 * squares vanish; numbers that are none. */
static const double contexts[ROUNDS][CELLS] = {
    {.1, .2, .3, .3, .2, .1, .2, .3, .1},
    {3, -4, 5e10, 1e-3, .7, .9, -1e200, 1e199, 3},
    {3e-310, 2e-310, -1e-309, 4e-310, 1e-310, 7e-310, 2e-310, 5e-309, 1e-310},
    {NAN, .3, 1e-160, INFINITY, .1, 2e-161, -.4, 1e-12, .33},
};
static const double rewards[ROUNDS] = {.3, NAN, .7, 1e9};
static const double worth[ARMS] = {.9, 1.1, .7};

static void fill(double *numbers, uint32_t count, double step)
{
    for (uint32_t i = 0; numbers != NULL && i < count; i++) {
        numbers[i] = step * (1 + i % DIM);
    }
}

static sotto_model *model_of(const sotto_terms *terms, int phase)
{
    sotto_model *model;
    bool shared = terms->spec.parameters == SOTTO_PARAMETERS_SHARED;
    uint32_t parameters = shared ? DIM : CELLS;
    assert_ok(sotto_model_new(terms, &model));
    model->phase = (sotto_phase)phase;
    fill(model->theta, parameters, .1);
    fill(model->tbar, parameters, .1);
    fill(model->theta_h, parameters, .3);
    fill(model->frozen, parameters, .1);
    model->elimination = .7;
    model->beta = .3;
    return model;
}

/* The model, as an application decodes it in its own environment. */
static sotto_model *decoded(const float_mode *mode, const sotto_terms *terms, sotto_model *model)
{
    uint8_t bytes[FRAME_BYTES_MAX];
    size_t count = sotto_model_bytes(terms);
    assert_true(count <= sizeof bytes);
    assert_ok(sotto_model_encode(terms, model, bytes, count));
    float_mode_enter(mode);
    sotto_status status = sotto_model_decode(terms, bytes, count, model);
    fesetenv(FE_DFL_ENV);
    assert_ok(status);
    return model;
}

static void play_round(const float_mode *mode, sotto_round *round, const sotto_terms *terms,
                       const sotto_model *model, int i, transcript *t)
{
    uint8_t frame[FRAME_BYTES_MAX];
    uint32_t arm = 0, count = terms->spec.parameters == SOTTO_PARAMETERS_SHARED ? CELLS : DIM;
    sotto_status status;
    size_t bytes = sotto_report_bytes(terms);
    assert_true(bytes <= sizeof frame);
    UNDER(mode, status = sotto_round_begin(round, model));
    NOTE(t, status);
    if (status != SOTTO_OK) return; /* the budget is used up */
    if (i % 2 == 0) {
        UNDER(mode, status = sotto_round_decide(round, contexts[i], count, &arm));
    } else {
        UNDER(mode, status = sotto_round_decide_worth(round, contexts[i], count, worth, &arm));
    }
    assert_ok(status);
    NOTE(t, arm);
    UNDER(mode, status = sotto_round_finish(round, rewards[i], frame, bytes));
    assert_ok(status);
    note(t, frame, bytes);
    memset(frame, 0, bytes);
    UNDER(mode, status = sotto_round_resend(round, frame, bytes));
    assert_ok(status);
    note(t, frame, bytes);
}

/* The same calls, for a crowd of one. */
static void play_rounds(const float_mode *mode, sotto_round *round, const sotto_terms *terms,
                        const sotto_model *model, int i, transcript *t)
{
    uint8_t frame[FRAME_BYTES_MAX];
    uint32_t arm = 0, count = terms->spec.parameters == SOTTO_PARAMETERS_SHARED ? CELLS : DIM;
    sotto_status status;
    size_t bytes = sotto_report_bytes(terms);
    UNDER(mode, status = sotto_rounds_begin(&round, 1, model, NULL));
    NOTE(t, status);
    if (status != SOTTO_OK) return; /* the budget is used up */
    UNDER(mode, status = sotto_rounds_decide(&round, 1, contexts[i], count, &arm, NULL));
    assert_ok(status);
    NOTE(t, arm);
    UNDER(mode, status = sotto_rounds_finish(&round, 1, &rewards[i], frame, bytes, NULL));
    assert_ok(status);
    note(t, frame, bytes);
}

static void note_budget(const float_mode *mode, const sotto_ledger *ledger, transcript *t)
{
    double epsilon, delta, optimal;
    uint64_t rounds, reports;
    UNDER(mode, rounds = sotto_ledger_rounds(ledger));
    UNDER(mode, reports = sotto_ledger_reports(ledger));
    UNDER(mode, epsilon = sotto_ledger_epsilon(ledger));
    UNDER(mode, delta = sotto_ledger_delta(ledger));
    UNDER(mode, optimal = sotto_ledger_epsilon_optimal(ledger, 1e-5));
    NOTE(t, rounds);
    NOTE(t, reports);
    NOTE(t, epsilon);
    NOTE(t, delta);
    NOTE(t, optimal);
    const char *fault;
    UNDER(mode, fault = why_of(sotto_ledger_fault(ledger, &why_fault)));
    note_text(t, fault);
}

/* A person of a lifetime that ends before the rounds do. */
static sotto_policy short_life(const float_mode *mode)
{
    sotto_policy policy;
    UNDER(mode, policy = sotto_policy_default());
    policy.epsilon_per_report_max = 5.3, policy.epsilon_lifetime = 7.7;
    policy.delta_lifetime = 1e-5;
    return policy;
}

static void play_ledger(const float_mode *mode, const sotto_terms *terms, sotto_ledger *ledger,
                        transcript *t)
{
    sotto_client *client;
    sotto_round *round;
    sotto_status status;
    sotto_policy policy = short_life(mode);
    tape random = tape_seeded(7);
    UNDER(mode, status = sotto_client_new(&policy, ledger, &client));
    assert_ok(status);
    client->rng = &random.rng;
    UNDER(mode, status = sotto_round_new(client, terms, &round));
    assert_ok(status);
    bool shared = terms->spec.parameters == SOTTO_PARAMETERS_SHARED;
    for (int phase = shared ? SOTTO_PHASE_MAIN : 0; phase < SOTTO_PHASE_MEAN; phase++) {
        OWN(sotto_model) model = decoded(mode, terms, model_of(terms, phase));
        for (int i = 0; i < ROUNDS; i++) {
            play_round(mode, round, terms, model, i, t);
            play_rounds(mode, round, terms, model, i, t);
            note_budget(mode, ledger, t);
        }
    }
    UNDER(mode, sotto_round_free(round));
    UNDER(mode, sotto_client_free(client));
}

static void play_spec(const float_mode *mode, const void *what, transcript *t)
{
    sotto_ledger *ledger;
    sotto_status status;
    UNDER(mode, status = sotto_ledger_memory_new(&ledger));
    assert_ok(status);
    play_ledger(mode, what, ledger, t);
    UNDER(mode, sotto_ledger_free(ledger));
}

/* The number-th combination of all kinds, whether or not there can be such a spec. */
static sotto_spec combination(uint32_t number)
{
    sotto_spec spec = sotto_spec_default((sotto_reward_kind)(number % 3));
    spec.parameters = (sotto_parameters)(number / 3 % 2), spec.link = (sotto_link)(number / 6 % 4);
    spec.method = (sotto_method)(number / 24 % 6), spec.score = (sotto_score)(number / 144 % 6);
    spec.split = (sotto_split)(number / 864 % 2);
    spec.noise_law = (sotto_noise_law)(number / 1728 % 2);
    spec.epsilon = number / 3456 == 0 ? 1.1 : 5.3; /* the second has arm tags */
    spec.dim = DIM, spec.arms = ARMS, spec.reward_default = .1;
    bool lattice = spec.method >= SOTTO_METHOD_LDP_OLS;
    if (lattice && spec.noise_law == SOTTO_NOISE_GAUSSIAN) spec.delta = 1e-6;
    return spec;
}

TEST(every_kind_of_round_is_the_same_in_every_environment)
{
    sotto_terms terms;
    int played = 0;
    for (uint32_t number = 0; number < 2 * 3456; number++) {
        sotto_spec spec = combination(number);
        if (sotto_spec_fault(&spec, NULL) != SOTTO_OK) continue;
        assert_ok(sotto_spec_resolve(&spec, &terms));
        assert_same_everywhere(play_spec, &terms);
        played++;
    }
    assert_int_equal(played, 278);
}

/* ---- terms of the application -------------------------------------------------------------- */

/* What sotto_round_new says in a mode. */
static sotto_status admitted(const float_mode *mode, const sotto_terms *terms)
{
    sotto_policy policy = sotto_policy_default();
    OWN(sotto_round) round = NULL;
    sotto_status status;
    policy.epsilon_per_report_max = 10, policy.delta_max = 1e-5;
    sotto_ledger *ledger = made_ledger();
    sotto_client *client = made_client(&policy, ledger);
    UNDER(mode, status = sotto_round_new(client, terms, &round));
    return status;
}

/* Terms, resolved and decoded in a mode, without any guard. */
static sotto_status made(const float_mode *mode, const sotto_spec *spec, sotto_terms *terms)
{
    uint8_t bytes[SOTTO_TERMS_BYTES];
    float_mode_enter(mode);
    sotto_status status = sotto_spec_resolve(spec, terms);
    if (status == SOTTO_OK) {
        size_t count = sotto_terms_encode(terms, bytes);
        status = sotto_terms_decode(bytes, count, terms);
    }
    fesetenv(FE_DFL_ENV);
    return status;
}

/* By the formulas of docs/privacy.md, in long doubles. */
static void assert_private(const sotto_terms *terms, const sotto_terms *usual)
{
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        const sotto_codebook *c = &terms->codebook[phase];
        if (c->size == 0) continue;
        assert_true((long double)c->weight_top / c->weight_rest <= expl(terms->spec.epsilon));
    }
    if (sotto_terms_reports_indices(terms)) return;
    /* A tick is to spare in those that are resolved as usual. */
    assert_int_equal(terms->lattice.grid_log2, usual->lattice.grid_log2);
    assert_int_equal(terms->lattice.clip_ticks, usual->lattice.clip_ticks);
    assert_true(terms->lattice.scale_ticks >= usual->lattice.scale_ticks - 1);
}

TEST(terms_that_were_made_in_another_environment_are_private_or_refused)
{
    uint32_t other = 0, specs = 0;
    for (uint32_t number = 0; number < 2 * 3456; number++) {
        sotto_spec spec = combination(number);
        if (sotto_spec_fault(&spec, NULL) != SOTTO_OK || specs++ % 4 != 0) continue;
        sotto_terms usual, terms;
        assert_ok(sotto_spec_resolve(&spec, &usual));
        for (size_t m = 1; m < float_modes_count; m++) {
            const float_mode *mode = &float_modes[m];
            if (mode->traps) continue;
            sotto_status status = made(mode, &spec, &terms);
            if (status == SOTTO_OK) status = admitted(mode, &terms);
            if (status != SOTTO_OK) continue;
            other += memcmp(terms.id, usual.id, sizeof usual.id) != 0;
            assert_private(&terms, &usual);
        }
    }
    assert_true(other > 25); /* or it would show nothing */
}

/* The largest epsilon for which these constants are weak, by bisection. */
static void weaken(sotto_terms *terms)
{
    double enough = terms->spec.epsilon, weak = enough * 0.9;
    for (double middle = weak; nextafter(weak, enough) < enough;
         middle = weak + (enough - weak) / 2) {
        terms->spec.epsilon = middle;
        sotto__terms_name(terms);
        *(sotto_terms_check(terms) == SOTTO_OK ? &enough : &weak) = middle;
    }
    terms->spec.epsilon = weak;
    sotto__terms_name(terms);
    assert_status(sotto_terms_check(terms), SOTTO_E_WEAK);
}

TEST(weak_terms_that_another_environment_accepts_are_refused)
{
    uint32_t accepted = 0; /* by what has no guard */
    for (uint32_t number = 0; number < 2 * 3456; number++) {
        sotto_spec spec = combination(number);
        if (sotto_spec_fault(&spec, NULL) != SOTTO_OK) continue;
        sotto_terms terms, decoded;
        uint8_t bytes[SOTTO_TERMS_BYTES];
        assert_ok(sotto_spec_resolve(&spec, &terms));
        weaken(&terms);
        size_t count = sotto_terms_encode(&terms, bytes);
        for (size_t m = 0; m < float_modes_count; m++) {
            const float_mode *mode = &float_modes[m];
            if (mode->traps) continue;
            float_mode_enter(mode);
            accepted += sotto_terms_decode(bytes, count, &decoded) == SOTTO_OK;
            fesetenv(FE_DFL_ENV);
            assert_status(admitted(mode, &terms), SOTTO_E_WEAK);
        }
    }
    assert_true(accepted > 100);
}

/* ---- what a review found ------------------------------------------------------------------ */

#define WIDE 30
#define WIDE_TICKS 495 /* moments of 30 numbers */
#define WIDE_ARMS 2

static bool accepts(sotto_terms *terms, uint32_t scale_ticks)
{
    terms->lattice.scale_ticks = scale_ticks;
    sotto__terms_name(terms);
    return sotto_terms_check(terms) == SOTTO_OK;
}

/* A grid as coarse as a server may ask for: rounding is nearly all of the diameter. */
static sotto_terms coarse(sotto_noise_law law)
{
    sotto_terms terms;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = WIDE, spec.arms = WIDE_ARMS, spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.method = SOTTO_METHOD_LDP_OLS, spec.score = SOTTO_SCORE_MOMENTS, spec.noise_law = law;
    spec.epsilon = law == SOTTO_NOISE_LAPLACE ? .4 : .05;
    spec.delta = law == SOTTO_NOISE_LAPLACE ? 0 : 1e-6;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    terms.lattice.grid_log2 = 4;
    terms.lattice.clip_ticks = 1;
    /* The least noise that this device accepts, by bisection. */
    uint32_t weak = 0, enough = 1u << 24;
    while (enough - weak > 1) {
        uint32_t middle = (weak + enough) / 2;
        *(accepts(&terms, middle) ? &enough : &weak) = middle;
    }
    assert_true(accepts(&terms, enough));
    return terms;
}

/* The report of a person whose context is small and points to an arm; the same noise for all. */
static void small_report(const float_mode *mode, const sotto_terms *terms, uint32_t wanted,
                         sotto_report *report)
{
    double context[WIDE];
    for (uint32_t i = 0; i < WIDE; i++) {
        context[i] = i == wanted ? 2e-3 : 1e-3;
    }
    OWN(sotto_round) round = NULL;
    sotto_policy policy = sotto_policy_default();
    tape random = tape_seeded(11);
    uint8_t frame[FRAME_BYTES_MAX];
    uint32_t arm;
    sotto_status status;
    sotto_ledger *ledger = made_ledger();
    sotto_client *client = made_client(&policy, ledger);
    client->rng = &random.rng;
    assert_ok(sotto_round_new(client, terms, &round));
    sotto_model *model = made_model(terms);
    model->phase = SOTTO_PHASE_MAIN;
    model->theta[0] = model->theta[WIDE + 1] = 1;
    assert_ok(sotto_round_begin(round, model));
    UNDER(mode, status = sotto_round_decide(round, context, WIDE, &arm));
    assert_ok(status);
    assert_int_equal(arm, wanted);
    UNDER(mode, status = sotto_round_finish(round, .5, frame, sizeof frame));
    assert_ok(status);
    assert_ok(sotto_report_decode(terms, frame, sotto_report_bytes(terms), report));
}

/* In ticks, by the norm of the noise law. */
static double distance(const sotto_terms *terms, const sotto_report *a, const sotto_report *b)
{
    double squares = 0, sizes = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        double off = (double)a->value[i] - b->value[i];
        squares += off * off;
        sizes += fabs(off);
    }
    return terms->spec.noise_law == SOTTO_NOISE_LAPLACE ? sizes : sqrt(squares);
}

TEST(no_environment_moves_two_arms_further_apart_than_declared)
{
    for (int law = 0; law < 2; law++) {
        sotto_terms terms = coarse((sotto_noise_law)law);
        /* Delta/16 and half a tick of rounding for each coordinate, twice. */
        double declared = law == SOTTO_NOISE_LAPLACE ? (WIDE + 1 + 2 * sqrt(WIDE)) / 16 + WIDE_TICKS
                                                     : 3 / sqrt(2) / 16 + sqrt(WIDE_TICKS);
        sotto_report *report[2];
        assert_ok(sotto_report_new(&terms, &report[0]));
        assert_ok(sotto_report_new(&terms, &report[1]));
        for (size_t m = 0; m < float_modes_count; m++) {
            if (!float_mode_exists(&float_modes[m])) continue;
            small_report(&float_modes[m], &terms, 0, report[0]);
            small_report(&float_modes[m], &terms, 1, report[1]);
            double apart = distance(&terms, report[0], report[1]);
            if (apart > declared) {
                fail_msg("%s, %s: %.9g ticks apart, declared %.9g", float_modes[m].name,
                         sotto_noise_law_name((sotto_noise_law)law), apart, declared);
            }
        }
        sotto_report_free(report[0]);
        sotto_report_free(report[1]);
    }
}

/* ---- ledgers in files --------------------------------------------------------------------- */

static void play_file(const float_mode *mode, const void *what, transcript *t)
{
    HELD(directory) f = directory_new();
    sotto_ledger *ledger;
    sotto_status status;
    const char *fault;
    UNDER(mode, status = sotto_ledger_file_create(f.file));
    assert_ok(status);
    UNDER(mode, status = sotto_ledger_file_open(f.file, &ledger));
    assert_ok(status);
    play_ledger(mode, what, ledger, t);
    UNDER(mode, sotto_ledger_free(ledger));
    /* Read again, the sums have to be those that were written. */
    UNDER(mode, fault = why_of(sotto_ledger_file_fault(f.file, &why_fault)));
    note_text(t, fault);
    UNDER(mode, status = sotto_ledger_file_open(f.file, &ledger));
    NOTE(t, status);
    if (status == SOTTO_OK) {
        note_budget(mode, ledger, t);
        sotto_ledger_free(ledger);
    }
}

/* Written in the first environment, read in another. */
static void play_file_of_others(const float_mode *mode, const void *what, transcript *t)
{
    HELD(directory) f = directory_new();
    sotto_status status;
    assert_ok(sotto_ledger_file_create(f.file));
    sotto_ledger *ledger = ledger_at(f.file);
    play_ledger(&float_modes[0], what, ledger, t);
    sotto_ledger_free(ledger);
    UNDER(mode, status = sotto_ledger_file_open(f.file, &ledger));
    NOTE(t, status);
    assert_ok(status);
    play_ledger(mode, what, ledger, t);
    sotto_ledger_free(ledger);
}

TEST(a_ledger_file_is_the_same_in_every_environment)
{
    sotto_terms terms;
    sotto_spec spec = combination(0);
    spec.epsilon = .7;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_same_everywhere(play_file, &terms);
    assert_same_everywhere(play_file_of_others, &terms);
}

/* ---- words -------------------------------------------------------------------------------- */

/* Numbers in words are rounded too. */
static void play_words(const float_mode *mode, const void *what, transcript *t)
{
    (void)what;
    const char *fault;
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    UNDER(mode, fault = why_of(sotto_policy_fault(&policy, &why_fault)));
    note_text(t, fault);
    policy.delta_max = 2.0 / 3;
    UNDER(mode, fault = why_of(sotto_policy_fault(&policy, &why_fault)));
    note_text(t, fault);
    spec.epsilon = 20.0 / 3;
    UNDER(mode, fault = why_of(sotto_policy_refusal(&policy, &spec, &why_fault)));
    note_text(t, fault);
}

TEST(words_are_the_same_in_every_environment)
{
    assert_same_everywhere(play_words, NULL);
}
