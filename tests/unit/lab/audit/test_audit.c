/* The audit as a whole: settings, verdicts, and what it reports of broken and external subjects. */
#include "broken.h"
#include "checked.h"
#include "guests.h"
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "subjects.h"
#include "test.h"

#include <sotto/lab.h>

static sotto_audit_settings settings_for(sotto_mechanism_kind kind, double epsilon)
{
    sotto_mechanism_settings mechanism = sotto_mechanism_default(kind, 2, epsilon);
    mechanism.seeded = true;
    mechanism.seed = 5;
    sotto_audit_settings settings = sotto_audit_default(&mechanism);
    settings.trials = 2000;
    return settings;
}

TEST(faults_name_the_setting)
{
    sotto_fault fault;
    sotto_audit_settings good = settings_for(SOTTO_MECHANISM_L2BALL, 1);
    assert_ok(sotto_audit_fault(&good, &fault));
#define REFUSED(field, value, part)                                                                \
    do {                                                                                           \
        sotto_audit_settings bad = good;                                                           \
        bad.command = "true";                                                                      \
        bad.field = (value);                                                                       \
        assert_status(sotto_audit_fault(&bad, &fault), SOTTO_E_FAULT);                             \
        assert_non_null(strstr(fault.sentence, part));                                             \
    } while (0)
    REFUSED(trials, 0, "trials = 0");
    REFUSED(trials, 1000000001, "1 to 1000000000");
    REFUSED(alpha, 0, "alpha = 0");
    REFUSED(alpha, NAN, "alpha = nan");
    REFUSED(alpha, 0.6, "0.5");
    REFUSED(timeout_s, 0, "timeout_s = 0");
    REFUSED(mechanism.dim, 0, "dim = 0");
    REFUSED(mechanism.epsilon, 51, "epsilon = 51");
    REFUSED(mechanism.delta, 1e-13, "delta = 1e-13");
    REFUSED(mechanism.radius, -1, "radius = -1");
    good.mechanism.epsilon = 9;
    assert_status(sotto_audit_fault(&good, &fault), SOTTO_E_FAULT);
    sotto_audit_result result;
    assert_status(sotto_audit_run(&good, NULL, &result), SOTTO_E_FAULT);
    assert_status(sotto_audit_run(NULL, NULL, &result), SOTTO_E_ARGUMENT);
    assert_status(sotto_audit_run(&good, NULL, NULL), SOTTO_E_ARGUMENT);
}

TEST(verdicts_have_names)
{
    assert_string_equal(sotto_audit_verdict_name(SOTTO_AUDIT_NO_VIOLATION), "no_violation");
    assert_string_equal(sotto_audit_verdict_name(SOTTO_AUDIT_VIOLATION), "violation");
    assert_string_equal(sotto_audit_verdict_name(SOTTO_AUDIT_INCONCLUSIVE), "inconclusive");
    assert_null(sotto_audit_verdict_name(3));
}

static bool hear(void *state, uint64_t done, uint64_t total)
{
    assert_true(done < total);
    (*(uint64_t *)state)++;
    return true;
}

static bool stop_half_way(void *state, uint64_t done, uint64_t total)
{
    bool *stopped = state;
    assert_false(*stopped); /* nothing comes after it */
    *stopped = done >= total / 2;
    return !*stopped;
}

TEST(an_audit_that_was_stopped_is_inconclusive)
{
    for (uint32_t kind = 0; sotto_mechanism_kind_name(kind) != NULL; kind++) {
        sotto_audit_settings settings = settings_for((sotto_mechanism_kind)kind, 1);
        settings.trials = 2000;
        bool stopped = false;
        sotto_audit_progress progress = {stop_half_way, &stopped};
        sotto_audit_result result;
        assert_ok(sotto_audit_run(&settings, &progress, &result));
        assert_true(stopped);
        assert_int_equal(result.verdict, SOTTO_AUDIT_INCONCLUSIVE);
        assert_string_equal(result.reason.sentence, "it was stopped");
        assert_true(isnan(result.epsilon_lower));
    }
}

TEST(every_mechanism_passes_and_progress_is_heard)
{
    for (uint32_t kind = 0; sotto_mechanism_kind_name(kind) != NULL; kind++) {
        sotto_audit_settings settings = settings_for((sotto_mechanism_kind)kind, 1);
        uint64_t heard = 0;
        sotto_audit_progress progress = {hear, &heard};
        sotto_audit_result result, again;
        assert_ok(sotto_audit_run(&settings, &progress, &result));
        assert_int_equal(result.verdict, SOTTO_AUDIT_NO_VIOLATION);
        assert_string_equal(result.reason.sentence, "");
        assert_true(heard > 10 && result.epsilon_lower > 0.2 && result.epsilon_lower < 1);
        for (uint32_t i = 1; i < result.rows_count; i++) {
            assert_true(result.row[i].layer >= result.row[i - 1].layer);
        }
        if (LOADS_ARE_CHECKED) continue;
        assert_ok(sotto_audit_run(&settings, NULL, &again)); /* same seed, same result */
        assert_near(again.epsilon_lower, result.epsilon_lower, 0);
    }
}

TEST(without_a_seed_the_system_gives_the_coins)
{
    sotto_audit_settings settings = settings_for(SOTTO_MECHANISM_PRIVUNIT, 1);
    settings.mechanism.seeded = false;
    sotto_audit_result result, again;
    assert_ok(sotto_audit_run(&settings, NULL, &result));
    assert_ok(sotto_audit_run(&settings, NULL, &again));
    bool same = result.epsilon_lower == again.epsilon_lower;
    for (uint32_t i = 0; i < result.rows_count && same; i++) {
        double p = result.row[i].p_value, q = again.row[i].p_value;
        same = p == q || (isnan(p) && isnan(q));
    }
    assert_false(same);
}

TEST(too_few_trials_are_inconclusive)
{
    sotto_audit_settings settings = settings_for(SOTTO_MECHANISM_L2BALL, 7);
    sotto_audit_result result;
    assert_ok(sotto_audit_run(&settings, NULL, &result));
    assert_int_equal(result.verdict, SOTTO_AUDIT_INCONCLUSIVE);
    assert_non_null(strstr(result.reason.sentence, "too few trials"));
}

/* A subject that counts its inputs and answers with a fair coin. */
typedef struct counting {
    sotto__subject base; /* must be first: a pointer to it is a pointer to the whole */
    uint64_t asked, last;
    uint64_t transition[SOTTO__AUDIT_PAIRS][2][2]; /* this input follows that one */
} counting;

enum { COUNTED_TRIALS = 20000 };

/* In 1 dimension, radius 1: 1 and -1 in the first three pairs; 10 and -1.2, either way round, in the
 * fourth; 0.5 and 0 in the last. */
static sotto_status count(sotto__subject *subject, const double *x, sotto_rng *rng,
                          sotto__subject_answer *out)
{
    counting *self = (counting *)subject;
    uint64_t pair = self->asked / COUNTED_TRIALS, bits;
    uint64_t which = pair == 4 ? x[0] == 0 : (pair == 3 ? fabs(x[0]) < 5 : x[0] < 0);
    if (self->asked % COUNTED_TRIALS > 0) self->transition[pair][self->last][which]++;
    self->last = which;
    self->asked++;
    out->count = 1;
    sotto_status status = rng->fill(rng, &bits, sizeof bits);
    out->value[0] = (double)(bits & 1);
    return status;
}

/* The first and the second input of each pair are asked for by fair and independent coins: each of
 * the four successions has a quarter of the trials, 6 standard deviations (1e-8 for all) at most
 * away. The third pair's first input may have either sign; that only swaps names. */
TEST(the_coins_of_the_audit_are_fair)
{
    sotto_mechanism_settings mechanism = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE, 1, 1);
    sotto_audit_settings settings = sotto_audit_default(&mechanism);
    settings.trials = COUNTED_TRIALS;
    counting self = {.asked = 0};
    self.base.claim = (sotto__privacy_claim){
        .family = SOTTO__OUTSIDE, .dim = 1, .answer_count = 1, .epsilon = 1, .radius = 1};
    self.base.draw = count;
    sotto__seeded random = seeded_of(31);
    sotto_audit_result result;
    assert_ok(sotto__audit_subject(&settings, &self.base, &random.rng, NULL, &result));
    assert_int_equal(self.asked, SOTTO__AUDIT_PAIRS * COUNTED_TRIALS);
    double expected = (COUNTED_TRIALS - 1) / 4.0, most = 6 * sqrt(expected * 0.75);
    for (uint32_t pair = 0; pair < SOTTO__AUDIT_PAIRS; pair++) {
        for (uint32_t i = 0; i < 4; i++) {
            assert_near((double)self.transition[pair][i / 2][i % 2], expected, most);
        }
    }
}

/* True if an earlier twin with few trials has the same mechanism and layer. */
static bool is_like_an_earlier_one(uint32_t twin)
{
    for (uint32_t i = 0; i < twin; i++) {
        const broken *a = broken_at(i), *b = broken_at(twin);
        if (a->trials <= 1000 && a->kind == b->kind && a->layer == b->layer) return true;
    }
    return false;
}

/* One twin of every mechanism and layer for which a few trials suffice; all are audited in tests/statistical. */
TEST(broken_twins_are_violations)
{
    uint32_t audited = 0;
    for (uint32_t i = 0; i < broken_count(); i++) {
        const broken *twin = broken_at(i);
        sotto_audit_result result;
        if (twin->trials > 1000 || is_like_an_earlier_one(i)) continue;
        if (LOADS_ARE_CHECKED && audited == 6) break;
        assert_ok(broken_audit(twin, twin->trials, i, &result));
        if (result.verdict != SOTTO_AUDIT_VIOLATION) fail_msg("not caught: %s", twin->name);
        audited++;
    }
    assert_true(audited >= 6);
}

static sotto_audit_result audit_command(const char *command, double epsilon)
{
    sotto_audit_settings settings = settings_for(SOTTO_MECHANISM_CODEBOOK, epsilon);
    settings.command = command;
    settings.timeout_s = 100;
    sotto_audit_result result;
    assert_ok(sotto_audit_run(&settings, NULL, &result));
    return result;
}

TEST(outside_programs_get_their_verdict)
{
    sotto_audit_result copied = audit_command("cat", 1);
    assert_int_equal(copied.verdict, SOTTO_AUDIT_VIOLATION);
    assert_true(copied.epsilon_lower > 3);
    sotto_audit_result constant = audit_command("sed 's/.*/1/'", 1);
    assert_int_equal(constant.verdict, SOTTO_AUDIT_INCONCLUSIVE);
    assert_non_null(strstr(constant.reason.sentence, "the same to every input"));
    assert_true(isnan(constant.epsilon_lower));
    sotto_audit_result random = audit_command("awk '{print rand()}'", 1);
    assert_int_equal(random.verdict, SOTTO_AUDIT_NO_VIOLATION);
    sotto_audit_result text = audit_command("sed 's/.*/x/'", 1);
    assert_ints(text.verdict, SOTTO_AUDIT_INCONCLUSIVE, text.rows_count, 0);
}

/* Mechanisms that users bring: audited like any other, with errors attributed to them. */

static guest user;
static sotto_mechanism_table table;
static sotto_audit_settings settings;

FIXTURE(set_up)
{
    memset(&user, 0, sizeof user);
    table = guest_mechanism(&user);
    sotto_mechanism_settings claim = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 2, 1);
    claim.seeded = true;
    claim.seed = 3;
    settings = sotto_audit_default(&claim);
    settings.custom = &table;
    settings.trials = 20000;
}

TEST_WITH(bad_settings_are_named, set_up, NULL)
{
    sotto_fault fault;
    assert_ok(sotto_audit_fault(&settings, &fault));
    settings.command = "cat";
    assert_fault_says(sotto_audit_fault(&settings, &fault), fault,
                      "command = cat: give only one of it and the custom mechanism murmur");
    settings.command = NULL;
    settings.mechanism.epsilon = 60;
    assert_fault_says(sotto_audit_fault(&settings, &fault), fault,
                      "epsilon = 60: allowed 0.01 to 50");
    table.draw = NULL;
    assert_fault_says(sotto_audit_fault(&settings, &fault), fault,
                      "mechanism murmur: its function draw is missing");
}

static sotto_audit_result audited(void)
{
    static sotto_audit_result result;
    assert_ok(sotto_audit_run(&settings, NULL, &result));
    assert_int_equal(user.made, user.freed);
    return result;
}

TEST_WITH(every_misdeed_leaves_the_audit_inconclusive_with_its_reason, set_up, NULL)
{
    static const struct {
        misdeed misdeed;
        const char *reason;
    } rows[] = {
        {MISDEED_MAKE_FAILS, "mechanism murmur: no chair is free"},
        {MISDEED_NO_ANSWERS, "mechanism murmur: answer_count = 0: allowed 1 to 65535"},
        {MISDEED_DRAW_FAILS, "mechanism murmur: dry"},
        {MISDEED_ANSWER_LEFT_OUT,
         "mechanism murmur: number 1 of an answer is nan: only finite ones can be audited"},
        {MISDEED_ANSWER_OVERFLOWS,
         "mechanism murmur: its answers have more than the 2 numbers that it announced"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set_up(NULL);
        user.misdeed = rows[i].misdeed;
        sotto_audit_result result = audited();
        assert_int_equal(result.verdict, SOTTO_AUDIT_INCONCLUSIVE);
        assert_string_equal(result.reason.sentence, rows[i].reason);
        assert_true(isnan(result.epsilon_lower));
    }
}

TEST_WITH(who_keeps_the_claim_passes, set_up, NULL)
{
    sotto_audit_result result = audited();
    assert_int_equal(result.verdict, SOTTO_AUDIT_NO_VIOLATION);
    assert_true(result.epsilon_lower > 0.1); /* it was audited */
}

/* Noise for epsilon 6 under a claim of 0.5. */
static const char *(*honest_make)(void *, uint32_t, double, double, double, uint32_t *, void **,
                                  char *);
static const char *careless_make(void *owner, uint32_t dim, double epsilon, double delta,
                                 double radius, uint32_t *answer_count, void **state, char *text)
{
    return honest_make(owner, dim, 12 * epsilon, delta, radius, answer_count, state, text);
}

TEST_WITH(who_breaks_it_is_caught, set_up, NULL)
{
    honest_make = table.make;
    table.make = careless_make;
    settings.mechanism.epsilon = 0.5;
    sotto_audit_result result = audited();
    assert_int_equal(result.verdict, SOTTO_AUDIT_VIOLATION);
    assert_true(result.epsilon_lower > 0.5);
}

TEST_WITH(the_same_seed_gives_the_same_audit, set_up, NULL)
{
    sotto_audit_result first = audited();
    set_up(NULL);
    assert_near(audited().epsilon_lower, first.epsilon_lower, 0);
}

/* Layer 0 of mechanisms: all pass. Its failures are tested with tests/support/broken.c, with few
 * trials in test_audit.c and with enough in tests/statistical. */

TEST(the_library_s_mechanisms_pass)
{
    for (uint32_t kind = 0; sotto_mechanism_kind_name(kind) != NULL; kind++) {
        for (uint32_t dim = 1; dim <= 9; dim += 4) {
            HELD(sotto__subject) subject = subject_of((sotto_mechanism_kind)kind, dim, 2);
            sotto_audit_result result = {.rows_count = 0};
            assert_ok(sotto__audit_deterministic(&subject, 5, &result));
            assert_true(result.rows_count >= 2);
            assert_int_equal(failed_rows(&result), 0);
        }
    }
}

static sotto_status fail_to_draw(sotto__subject *subject, const double *x, sotto_rng *rng,
                                 sotto__subject_answer *out)
{
    (void)subject, (void)x, (void)rng, (void)out;
    return SOTTO_E_ENTROPY;
}

TEST(a_draw_that_fails_ends_the_audit)
{
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_L2BALL, 2, 1);
    sotto_audit_result result = {.rows_count = 0};
    subject.draw = fail_to_draw;
    assert_status(sotto__audit_deterministic(&subject, 5, &result), SOTTO_E_ENTROPY);
}

/* The claim is for a smaller ball than the one the mechanism clips to. */
TEST(statistics_too_far_apart_are_told)
{
    HELD(sotto__subject) subject = subject_of(SOTTO_MECHANISM_LAPLACE, 3, 1);
    sotto_audit_result result = {.rows_count = 0};
    subject.claim.diameter_ticks *= 0.999;
    assert_ok(sotto__audit_deterministic(&subject, 5, &result));
    assert_int_equal(failed_rows(&result), 1);
    assert_false(row_named(&result, "distance of two answers on the same coins (ticks)")->passed);
}

/* Its distances are too large as well; this row gives the reason. */
TEST(noise_that_depends_on_the_input_is_named)
{
    for (uint32_t i = 0; i < broken_count(); i++) {
        const broken *twin = broken_at(i);
        if (strcmp(twin->name, "gaussian, less noise for short inputs") != 0) continue;
        sotto_audit_result result;
        assert_ok(broken_audit(twin, 100, 1, &result));
        assert_false(row_named(&result, "noise that depends on the input (ticks)")->passed);
        return;
    }
    fail_msg("the twin is gone");
}
