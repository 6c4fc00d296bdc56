/* Mechanisms that people bring: audited like any, and blamed for what they do wrong. */
#include "guests.h"
#include "test.h"

#include <sotto/lab.h>

#include <math.h>
#include <string.h>

static guest user;
static sotto_mechanism_table table;
static sotto_audit_settings settings;

static int set_up(void **state)
{
    (void)state;
    memset(&user, 0, sizeof user);
    table = guest_mechanism(&user);
    sotto_mechanism_settings claim = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 2, 1);
    claim.seeded = true;
    claim.seed = 3;
    settings = sotto_audit_default(&claim);
    settings.brought = &table;
    settings.trials = 20000;
    return 0;
}

static void bad_settings_are_named(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    assert_null(sotto_audit_fault(&settings, text));
    settings.command = "cat";
    assert_string_equal(sotto_audit_fault(&settings, text),
                        "command = cat: mechanism murmur is brought already");
    settings.command = NULL;
    settings.mechanism.epsilon = 60;
    assert_string_equal(sotto_audit_fault(&settings, text), "epsilon = 60: allowed 0.01 to 50");
    table.draw = NULL;
    assert_string_equal(sotto_audit_fault(&settings, text),
                        "mechanism murmur: its function draw is missing");
}

static sotto_audit_result audited(void)
{
    static sotto_audit_result result;
    assert_ok(sotto_audit_run(&settings, NULL, &result));
    assert_int_equal(user.made, user.freed);
    return result;
}

static void every_misdeed_leaves_the_audit_inconclusive_with_its_reason(void **state)
{
    (void)state;
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
        assert_string_equal(result.reason, rows[i].reason);
        assert_true(isnan(result.epsilon_lower));
    }
}

static void who_keeps_the_claim_passes(void **state)
{
    (void)state;
    sotto_audit_result result = audited();
    assert_int_equal(result.verdict, SOTTO_AUDIT_NO_VIOLATION);
    assert_true(result.epsilon_lower > 0.1); /* it was looked at */
}

/* Noise for epsilon 6 under a claim of 0.5. */
static const char *(*honest_make)(void *, uint32_t, double, double, double, uint32_t *, void **,
                                  char *);
static const char *careless_make(void *owner, uint32_t dim, double epsilon, double delta,
                                 double radius, uint32_t *answer_count, void **state, char *text)
{
    return honest_make(owner, dim, 12 * epsilon, delta, radius, answer_count, state, text);
}

static void who_breaks_it_is_caught(void **state)
{
    (void)state;
    honest_make = table.make;
    table.make = careless_make;
    settings.mechanism.epsilon = 0.5;
    sotto_audit_result result = audited();
    assert_int_equal(result.verdict, SOTTO_AUDIT_VIOLATION);
    assert_true(result.epsilon_lower > 0.5);
}

static void the_same_seed_gives_the_same_audit(void **state)
{
    (void)state;
    sotto_audit_result first = audited();
    set_up(NULL);
    assert_near(audited().epsilon_lower, first.epsilon_lower, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(bad_settings_are_named, set_up),
        cmocka_unit_test_setup(every_misdeed_leaves_the_audit_inconclusive_with_its_reason, set_up),
        cmocka_unit_test_setup(who_keeps_the_claim_passes, set_up),
        cmocka_unit_test_setup(who_breaks_it_is_caught, set_up),
        cmocka_unit_test_setup(the_same_seed_gives_the_same_audit, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
