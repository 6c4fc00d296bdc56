/* Every public call of the device gives the same answer in every floating-point environment of the
 * caller, and gives that environment back. tests/boundary sees that no function is missing. */
#include "client/client.h"
#include "core/float_environment.h"
#include "core/terms_encode.h"
#include "float_modes.h"
#include "folder.h"
#include "tape.h"
#include "test.h"
#include "transcript.h"

#include <math.h>
#include <string.h>

#define DIM 3
#define ARMS 3
#define CELLS 9
#define FRAME_BYTES_MAX 4096
#define ROUNDS 4

/* ---- the module itself ---------------------------------------------------------------------- */

#define NUMBERS 3

/* Numbers that any other rounding or flushing changes; raises flags on the way. */
static void compute(double *numbers)
{
    volatile double one = 1, three = 3, least = 0x1p-1030, large = 1e300;
    volatile double none = large * large - large * large;
    numbers[0] = one / three;                    /* rounded down */
    numbers[1] = (one + one) / three;            /* rounded up */
    numbers[2] = none == none ? 0 : least * one; /* flushed */
}

static void compute_nested(bool again, double *numbers)
{
    SOTTO__DEFAULT_FLOATS;
    SOTTO__UNSEEN(compute)(numbers);
    if (!again) return;
    compute_nested(false, numbers);
    SOTTO__UNSEEN(compute)(numbers);
}

static void the_default_environment_is_set_and_the_caller_s_comes_back(void **state)
{
    (void)state;
    double wanted[NUMBERS], got[NUMBERS];
    compute(wanted);
    fesetenv(FE_DFL_ENV);
    for (size_t m = 0; m < float_modes_count; m++) {
        const float_mode *mode = &float_modes[m];
        if (!float_mode_exists(mode)) continue;
        UNDER(mode, compute_nested(false, got));
        assert_memory_equal(got, wanted, sizeof got);
        UNDER(mode, compute_nested(true, got));
        assert_memory_equal(got, wanted, sizeof got);
        if (m == 0 || mode->traps) continue;
        float_mode_enter(mode); /* without this module */
        compute(got);
        fesetenv(FE_DFL_ENV);
        assert_memory_not_equal(got, wanted, sizeof got);
    }
}

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

static sotto_model *model_of(const float_mode *mode, const sotto_terms *terms, int phase)
{
    sotto_model *model;
    sotto_status status;
    bool shared = terms->spec.parameters == SOTTO_PARAMETERS_SHARED;
    uint32_t parameters = shared ? DIM : CELLS;
    UNDER(mode, status = sotto_model_new(terms, &model));
    assert_ok(status);
    model->phase = (sotto_phase)phase;
    fill(model->theta, parameters, .1);
    fill(model->tbar, parameters, .1);
    fill(model->theta_h, parameters, .3);
    fill(model->frozen, parameters, .1);
    model->elimination = .7;
    model->beta = .3;
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
    UNDER(mode, fault = sotto_ledger_fault(ledger));
    note_text(t, fault);
}

/* A person of a lifetime that ends before the rounds do. */
static sotto_policy short_life(const float_mode *mode)
{
    sotto_policy policy;
    UNDER(mode, policy = sotto_policy_default());
    policy.epsilon_per_report_max = 5.3;
    policy.epsilon_lifetime = 7.7;
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
        sotto_model *model = model_of(mode, terms, phase);
        for (int i = 0; i < ROUNDS; i++) {
            play_round(mode, round, terms, model, i, t);
            play_rounds(mode, round, terms, model, i, t);
            note_budget(mode, ledger, t);
        }
        UNDER(mode, sotto_model_free(model));
    }
    UNDER(mode, sotto_round_free(round));
    UNDER(mode, sotto_client_free(client));
}

/* A spec's own numbers, from terms to bytes and back. */
static sotto_terms play_terms(const float_mode *mode, const sotto_spec *spec, transcript *t)
{
    sotto_terms terms, again;
    uint8_t bytes[SOTTO_TERMS_BYTES];
    sotto_status status;
    char text[SOTTO_FAULT_BYTES];
    const char *fault;
    UNDER(mode, status = sotto_spec_resolve(spec, &terms));
    assert_ok(status);
    size_t count;
    UNDER(mode, count = sotto_terms_encode(&terms, bytes));
    note(t, bytes, count);
    UNDER(mode, status = sotto_terms_decode(bytes, count, &again));
    NOTE(t, status);
    UNDER(mode, fault = sotto_terms_bytes_fault(bytes, count, text));
    note_text(t, fault);
    UNDER(mode, status = sotto_terms_check(&terms));
    NOTE(t, status);
    UNDER(mode, fault = sotto_terms_fault(&terms, text));
    note_text(t, fault);
    return terms;
}

static void play_spec(const float_mode *mode, const void *what, transcript *t)
{
    sotto_ledger *ledger;
    sotto_status status;
    sotto_terms terms = play_terms(mode, what, t);
    UNDER(mode, status = sotto_ledger_memory_new(&ledger));
    assert_ok(status);
    play_ledger(mode, &terms, ledger, t);
    UNDER(mode, sotto_ledger_free(ledger));
}

/* The number-th combination of all kinds, whether or not there can be such a spec. */
static sotto_spec combination(uint32_t number)
{
    sotto_spec spec = sotto_spec_default((sotto_reward_kind)(number % 3));
    spec.parameters = (sotto_parameters)(number / 3 % 2);
    spec.link = (sotto_link)(number / 6 % 4);
    spec.method = (sotto_method)(number / 24 % 6);
    spec.score = (sotto_score)(number / 144 % 6);
    spec.split = (sotto_split)(number / 864 % 2);
    spec.noise_law = (sotto_noise_law)(number / 1728 % 2);
    spec.epsilon = number / 3456 == 0 ? 1.1 : 5.3; /* the second has arm tags */
    spec.dim = DIM;
    spec.arms = ARMS;
    spec.reward_default = .1;
    bool lattice = spec.method >= SOTTO_METHOD_LDP_OLS;
    if (lattice && spec.noise_law == SOTTO_NOISE_GAUSSIAN) spec.delta = 1e-6;
    return spec;
}

static void every_kind_of_round_is_the_same_in_every_environment(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    int played = 0;
    for (uint32_t number = 0; number < 2 * 3456; number++) {
        sotto_spec spec = combination(number);
        if (sotto_spec_fault(&spec, text) != NULL) continue;
        assert_same_everywhere(play_spec, &spec);
        played++;
    }
    assert_int_equal(played, 278);
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
    spec.dim = WIDE;
    spec.arms = WIDE_ARMS;
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.method = SOTTO_METHOD_LDP_OLS;
    spec.score = SOTTO_SCORE_MOMENTS;
    spec.noise_law = law;
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
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_model *model;
    sotto_policy policy = sotto_policy_default();
    tape random = tape_seeded(11);
    uint8_t frame[FRAME_BYTES_MAX];
    uint32_t arm;
    sotto_status status;
    assert_ok(sotto_ledger_memory_new(&ledger));
    assert_ok(sotto_client_new(&policy, ledger, &client));
    client->rng = &random.rng;
    assert_ok(sotto_round_new(client, terms, &round));
    assert_ok(sotto_model_new(terms, &model));
    model->phase = SOTTO_PHASE_MAIN;
    model->theta[0] = model->theta[WIDE + 1] = 1;
    assert_ok(sotto_round_begin(round, model));
    UNDER(mode, status = sotto_round_decide(round, context, WIDE, &arm));
    assert_ok(status);
    assert_int_equal(arm, wanted);
    UNDER(mode, status = sotto_round_finish(round, .5, frame, sizeof frame));
    assert_ok(status);
    assert_ok(sotto_report_decode(terms, frame, sotto_report_bytes(terms), report));
    sotto_model_free(model);
    sotto_round_free(round);
    sotto_client_free(client);
    sotto_ledger_free(ledger);
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

static void no_environment_moves_two_arms_further_apart_than_declared(void **state)
{
    (void)state;
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
    folder f = folder_new();
    sotto_ledger *ledger;
    sotto_status status;
    char text[SOTTO_FAULT_BYTES];
    const char *fault;
    UNDER(mode, status = sotto_ledger_file_create(f.file));
    assert_ok(status);
    UNDER(mode, status = sotto_ledger_file_open(f.file, &ledger));
    assert_ok(status);
    play_ledger(mode, what, ledger, t);
    UNDER(mode, sotto_ledger_free(ledger));
    /* Read again, the sums have to be those that were written. */
    UNDER(mode, fault = sotto_ledger_file_fault(f.file, text));
    note_text(t, fault);
    UNDER(mode, status = sotto_ledger_file_open(f.file, &ledger));
    NOTE(t, status);
    if (status == SOTTO_OK) {
        note_budget(mode, ledger, t);
        sotto_ledger_free(ledger);
    }
    folder_free(&f);
}

/* Written in the first environment, read in another. */
static void play_file_of_others(const float_mode *mode, const void *what, transcript *t)
{
    folder f = folder_new();
    sotto_ledger *ledger;
    sotto_status status;
    assert_ok(sotto_ledger_file_create(f.file));
    assert_ok(sotto_ledger_file_open(f.file, &ledger));
    play_ledger(&float_modes[0], what, ledger, t);
    sotto_ledger_free(ledger);
    UNDER(mode, status = sotto_ledger_file_open(f.file, &ledger));
    NOTE(t, status);
    assert_ok(status);
    play_ledger(mode, what, ledger, t);
    sotto_ledger_free(ledger);
    folder_free(&f);
}

static void a_ledger_file_is_the_same_in_every_environment(void **state)
{
    (void)state;
    sotto_terms terms;
    sotto_spec spec = combination(0);
    spec.epsilon = .7;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_same_everywhere(play_file, &terms);
    assert_same_everywhere(play_file_of_others, &terms);
}

/* ---- words and numbers -------------------------------------------------------------------- */

/* Numbers in words are rounded too. */
static void play_words(const float_mode *mode, const void *what, transcript *t)
{
    (void)what;
    char text[SOTTO_FAULT_BYTES];
    const char *fault;
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    UNDER(mode, fault = sotto_policy_fault(&policy, text));
    note_text(t, fault);
    policy.delta_max = 2.0 / 3;
    UNDER(mode, fault = sotto_policy_fault(&policy, text));
    note_text(t, fault);
    spec.epsilon = 20.0 / 3;
    UNDER(mode, fault = sotto_policy_refusal(&policy, &spec, text));
    note_text(t, fault);
    spec.reward_lo = -2.0 / 3;
    spec.reward_default = -20.0 / 3;
    UNDER(mode, fault = sotto_spec_fault(&spec, text));
    note_text(t, fault);
}

static void play_numbers(const float_mode *mode, const void *what, transcript *t)
{
    (void)what;
    double number;
    sotto_privunit privunit;
    sotto_codebook codebook;
    for (uint32_t dim = 1; dim < 40; dim += 7) {
        UNDER(mode, number = sotto_l2ball_radius(dim, 1.1));
        NOTE(t, number);
        UNDER(mode, privunit = sotto_privunit_constants(dim, 1.1));
        NOTE(t, privunit);
        UNDER(mode, codebook = sotto_codebook_constants(dim, 64, 1, 1.1));
        NOTE(t, codebook.top);
        NOTE(t, codebook.weight_top);
        NOTE(t, codebook.scale);
    }
    UNDER(mode, number = sotto_gaussian_sigma(1.1, 1e-6, .7));
    NOTE(t, number);
    UNDER(mode, number = sotto_gaussian_delta(1.1, .7));
    NOTE(t, number);
    UNDER(mode, number = sotto_gaussian_epsilon(1e-6, .7));
    NOTE(t, number);
    UNDER(mode, number = sotto_compose_delta(100, .1, 1e-9, 3.3));
    NOTE(t, number);
    UNDER(mode, number = sotto_compose_epsilon(100, .1, 1e-9, 1e-5));
    NOTE(t, number);
}

/* A factor's diagonal may be as small as a double can be. */
static void play_model(const float_mode *mode, const void *what, transcript *t)
{
    uint8_t bytes[FRAME_BYTES_MAX];
    sotto_status status;
    size_t count = sotto_model_bytes(what);
    sotto_model *model = model_of(mode, what, SOTTO_PHASE_MAIN);
    assert_true(count <= sizeof bytes);
    bool decides;
    for (uint32_t i = 0; i < DIM; i++) {
        model->theta[i] = 3e-310; /* not 0, whatever the caller flushes */
    }
    UNDER(mode, decides = sotto_model_decides(what, model));
    assert_true(decides);
    model->factor[0] = 3e-310;
    UNDER(mode, status = sotto_model_encode(what, model, bytes, count));
    NOTE(t, status);
    note(t, bytes, count);
    UNDER(mode, status = sotto_model_decode(what, bytes, count, model));
    NOTE(t, status);
    sotto_model_free(model);
}

static void play_codewords(const float_mode *mode, const void *what, transcript *t)
{
    const sotto_terms *terms = what;
    const sotto_codebook *codebook = &terms->codebook[SOTTO_PHASE_MAIN];
    static const uint8_t nonce[SOTTO_NONCE_BYTES] = {1, 2, 3};
    int32_t codeword[DIM];
    sotto_status status;
    for (uint32_t i = 0; i < codebook->size; i++) {
        UNDER(mode,
              status = sotto_codebook_expand(codebook, terms->stream_key, nonce, i, 0, codeword));
        assert_ok(status);
        NOTE(t, codeword);
    }
}

static void words_and_numbers_are_the_same_in_every_environment(void **state)
{
    (void)state;
    assert_same_everywhere(play_words, NULL);
    assert_same_everywhere(play_numbers, NULL);
}

static void codewords_and_models_are_the_same_in_every_environment(void **state)
{
    (void)state;
    sotto_terms terms;
    sotto_spec spec = combination(0);
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_same_everywhere(play_codewords, &terms);
    spec.method = SOTTO_METHOD_LDP_UCB;
    spec.score = SOTTO_SCORE_MOMENTS;
    spec.delta = 1e-6;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    assert_same_everywhere(play_model, &terms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_environment_is_set_and_the_caller_s_comes_back),
        cmocka_unit_test(every_kind_of_round_is_the_same_in_every_environment),
        cmocka_unit_test(no_environment_moves_two_arms_further_apart_than_declared),
        cmocka_unit_test(a_ledger_file_is_the_same_in_every_environment),
        cmocka_unit_test(words_and_numbers_are_the_same_in_every_environment),
        cmocka_unit_test(codewords_and_models_are_the_same_in_every_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
