/* The audit as a whole: settings, verdicts, and what it does with broken and outside subjects. */
#include "broken.h"
#include "lab/audit/audit.h"
#include "lab/random/random.h"
#include "subjects.h"
#include "test.h"

#include <math.h>
#include <string.h>

static sotto_audit_settings settings_for(sotto_mechanism_kind kind, double epsilon)
{
    sotto_mechanism_settings mechanism = sotto_mechanism_default(kind, 2, epsilon);
    mechanism.seeded = true;
    mechanism.seed = 5;
    sotto_audit_settings settings = sotto_audit_default(&mechanism);
    settings.trials = 2000;
    return settings;
}

static void faults_name_the_setting(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    sotto_audit_settings good = settings_for(SOTTO_MECHANISM_L2BALL, 1);
    assert_null(sotto_audit_fault(&good, text));
#define REFUSED(field, value, part)                                                                \
    do {                                                                                           \
        sotto_audit_settings bad = good;                                                           \
        bad.command = "true";                                                                      \
        bad.field = (value);                                                                       \
        assert_non_null(sotto_audit_fault(&bad, text));                                            \
        assert_non_null(strstr(text, part));                                                       \
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
    assert_non_null(sotto_audit_fault(&good, text));
    sotto_audit_result result;
    assert_status(sotto_audit_run(&good, NULL, &result), SOTTO_E_FAULT);
    assert_status(sotto_audit_run(NULL, NULL, &result), SOTTO_E_ARGUMENT);
    assert_status(sotto_audit_run(&good, NULL, NULL), SOTTO_E_ARGUMENT);
}

static void verdicts_have_names(void **state)
{
    (void)state;
    assert_string_equal(sotto_audit_verdict_name(SOTTO_AUDIT_NO_VIOLATION), "no_violation");
    assert_string_equal(sotto_audit_verdict_name(SOTTO_AUDIT_VIOLATION), "violation");
    assert_string_equal(sotto_audit_verdict_name(SOTTO_AUDIT_INCONCLUSIVE), "inconclusive");
    assert_null(sotto_audit_verdict_name(3));
}

static void hear(void *state, uint64_t done, uint64_t total)
{
    assert_true(done < total);
    (*(uint64_t *)state)++;
}

static void every_mechanism_passes_and_progress_is_heard(void **state)
{
    (void)state;
    for (uint32_t kind = 0; sotto_mechanism_kind_name(kind) != NULL; kind++) {
        sotto_audit_settings settings = settings_for((sotto_mechanism_kind)kind, 1);
        uint64_t heard = 0;
        sotto_audit_progress progress = {hear, &heard};
        sotto_audit_result result, again;
        assert_ok(sotto_audit_run(&settings, &progress, &result));
        assert_int_equal(result.verdict, SOTTO_AUDIT_NO_VIOLATION);
        assert_string_equal(result.reason, "");
        assert_true(heard > 10);
        assert_true(result.epsilon_lower > 0.2 && result.epsilon_lower < 1);
        for (uint32_t i = 1; i < result.rows_count; i++) {
            assert_true(result.row[i].layer >= result.row[i - 1].layer);
        }
        assert_ok(sotto_audit_run(&settings, NULL, &again)); /* a seed repeats it */
        assert_near(again.epsilon_lower, result.epsilon_lower, 0);
    }
}

static void without_a_seed_the_system_gives_the_coins(void **state)
{
    (void)state;
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

static void too_few_trials_are_inconclusive(void **state)
{
    (void)state;
    sotto_audit_settings settings = settings_for(SOTTO_MECHANISM_L2BALL, 7);
    sotto_audit_result result;
    assert_ok(sotto_audit_run(&settings, NULL, &result));
    assert_int_equal(result.verdict, SOTTO_AUDIT_INCONCLUSIVE);
    assert_non_null(strstr(result.reason, "too few trials"));
}

/* A subject that counts what it is asked; its answers are those of a fair coin. */
typedef struct counting {
    sotto__subject base; /* first, so that a pointer to it is a pointer to the whole */
    uint64_t asked, last;
    uint64_t transition[SOTTO__AUDIT_PAIRS][2][2]; /* this input of the pair after that one */
} counting;

enum { COUNTED_TRIALS = 20000 };

/* In 1 dimension, radius 1: 1 and -1 in the first three pairs; 10 and -1.2, either way round, in the
 * fourth; 0.5 and 0 in the last. */
static sotto_status count(sotto__subject *subject, const double *x, sotto_rng *rng,
                          sotto__answer *out)
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
static void the_coins_of_the_audit_are_fair(void **state)
{
    (void)state;
    sotto_mechanism_settings mechanism = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE, 1, 1);
    sotto_audit_settings settings = sotto_audit_default(&mechanism);
    settings.trials = COUNTED_TRIALS;
    counting self = {.asked = 0};
    self.base.claim = (sotto__claim){
        .family = SOTTO__OUTSIDE, .dim = 1, .answer_count = 1, .epsilon = 1, .radius = 1};
    self.base.draw = count;
    sotto__seeded random;
    sotto__seeded_begin(&random, 31);
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

/* Whether an earlier twin of few trials has the same mechanism and is told by the same layer. */
static bool is_like_an_earlier_one(uint32_t twin)
{
    for (uint32_t i = 0; i < twin; i++) {
        const broken *a = broken_at(i), *b = broken_at(twin);
        if (a->trials <= 1000 && a->kind == b->kind && a->layer == b->layer) return true;
    }
    return false;
}

/* One twin of every mechanism and layer for which a few trials suffice; all are audited in tests/statistical. */
static void broken_twins_are_violations(void **state)
{
    (void)state;
    uint32_t audited = 0;
    for (uint32_t i = 0; i < broken_count(); i++) {
        const broken *twin = broken_at(i);
        sotto_audit_result result;
        if (twin->trials > 1000 || is_like_an_earlier_one(i)) continue;
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
    settings.timeout_s = 20;
    sotto_audit_result result;
    assert_ok(sotto_audit_run(&settings, NULL, &result));
    return result;
}

static void outside_programs_get_their_verdict(void **state)
{
    (void)state;
    sotto_audit_result copied = audit_command("cat", 1);
    assert_int_equal(copied.verdict, SOTTO_AUDIT_VIOLATION);
    assert_true(copied.epsilon_lower > 3);
    sotto_audit_result constant = audit_command("sed 's/.*/1/'", 1);
    assert_int_equal(constant.verdict, SOTTO_AUDIT_INCONCLUSIVE);
    assert_non_null(strstr(constant.reason, "the same to every input"));
    assert_true(isnan(constant.epsilon_lower));
    sotto_audit_result random = audit_command("awk '{print rand()}'", 1);
    assert_int_equal(random.verdict, SOTTO_AUDIT_NO_VIOLATION);
    sotto_audit_result text = audit_command("sed 's/.*/x/'", 1);
    assert_int_equal(text.verdict, SOTTO_AUDIT_INCONCLUSIVE);
    assert_int_equal(text.rows_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_name_the_setting),
        cmocka_unit_test(too_few_trials_are_inconclusive),
        cmocka_unit_test(the_coins_of_the_audit_are_fair),
        cmocka_unit_test(broken_twins_are_violations),
        cmocka_unit_test(verdicts_have_names),
        cmocka_unit_test(every_mechanism_passes_and_progress_is_heard),
        cmocka_unit_test(without_a_seed_the_system_gives_the_coins),
        cmocka_unit_test(outside_programs_get_their_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
