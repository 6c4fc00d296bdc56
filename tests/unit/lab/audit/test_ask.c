/* Questions to a subject in this process, and to one outside. */
#include "lab/audit/ask.h"
#include "lab/random/random.h"
#include "subjects.h"
#include "test.h"

typedef struct counter {
    sotto__taker taker;
    uint64_t taken, stop_at;
} counter;

static sotto_status count(sotto__taker *taker, uint64_t t, const sotto__answer *answer)
{
    counter *c = (counter *)taker;
    assert_int_equal(t, c->taken);
    assert_true(answer->count > 0);
    c->taken++;
    return c->taken == c->stop_at ? SOTTO_E_FULL : SOTTO_OK;
}

static void questions_end_when_the_taker_says_so(void **state)
{
    (void)state;
    const double input[4] = {1, 0, 0, 1};
    const uint8_t coins[2] = {0x55, 0x55};
    sotto__subject subject = subject_of(SOTTO_MECHANISM_L2BALL, 2, 1);
    sotto__script script = {.dim = 2, .pairs = 1, .trials = 10, .input = input, .coins = coins};
    sotto__seeded random;
    sotto__seeded_begin(&random, 1);
    counter all = {{count}, 0, 0}, some = {{count}, 0, 4};
    assert_ok(sotto__ask(&subject, &script, &random.rng, &all.taker));
    assert_int_equal(all.taken, 10);
    assert_status(sotto__ask(&subject, &script, &random.rng, &some.taker), SOTTO_E_FULL);
    assert_int_equal(some.taken, 4);
    sotto__subject_free(&subject);
}

static sotto_status refuse(sotto__subject *subject, const double *x, sotto_rng *rng,
                           sotto__answer *out)
{
    (void)subject, (void)x, (void)rng, (void)out;
    return SOTTO_E_ENTROPY;
}

static void an_answer_that_failed_is_not_taken(void **state)
{
    (void)state;
    const double input[4] = {1, 0, 0, 1};
    const uint8_t coins[1] = {0};
    sotto__subject subject = subject_of(SOTTO_MECHANISM_L2BALL, 2, 1);
    sotto__script script = {.dim = 2, .pairs = 1, .trials = 3, .input = input, .coins = coins};
    counter all = {{count}, 0, 0};
    subject.draw = refuse;
    assert_status(sotto__ask(&subject, &script, NULL, &all.taker), SOTTO_E_ENTROPY);
    assert_int_equal(all.taken, 0);
    sotto__subject_free(&subject);
}

static bool hear(void *state, uint64_t done, uint64_t total)
{
    uint64_t *heard = state;
    assert_true(done <= total);
    ++*heard;
    return true;
}

static bool hear_twice(void *state, uint64_t done, uint64_t total)
{
    uint64_t *heard = state;
    assert_true(done <= total);
    return ++*heard < 2;
}

static void whoever_hears_of_it_can_stop_it(void **state)
{
    (void)state;
    enum { TRIALS = 10000 };
    static const uint8_t coins[TRIALS / 8];
    const double input[2] = {1, -1};
    uint64_t heard = 0;
    const sotto_audit_progress progress = {hear_twice, &heard};
    sotto__subject subject = subject_of(SOTTO_MECHANISM_LAPLACE, 1, 1);
    sotto__script script = {.dim = 1,
                            .pairs = 1,
                            .trials = TRIALS,
                            .input = input,
                            .coins = coins,
                            .progress = &progress,
                            .progress_total = TRIALS};
    sotto__seeded random;
    sotto__seeded_begin(&random, 1);
    counter all = {{count}, 0, 0};
    assert_ok(sotto__ask(&subject, &script, &random.rng, &all.taker));
    assert_int_equal(heard, 2);
    assert_int_equal(all.taken, 257);
    assert_string_equal(subject.reason, "it was stopped");
    sotto__subject_free(&subject);
}

static void every_pair_is_asked_and_told_of(void **state)
{
    (void)state;
    enum { PAIRS = 3, TRIALS = 100000 };
    static const uint8_t coins[PAIRS * TRIALS / 8];
    const double input[PAIRS * 2] = {1, -1, 0.5, -0.5, 1, 0};
    uint64_t heard = 0;
    const sotto_audit_progress progress = {hear, &heard};
    sotto__subject subject = subject_of(SOTTO_MECHANISM_LAPLACE, 1, 1);
    sotto__script script = {.dim = 1,
                            .pairs = PAIRS,
                            .trials = TRIALS,
                            .input = input,
                            .coins = coins,
                            .progress = &progress,
                            .progress_total = PAIRS * TRIALS};
    sotto__seeded random;
    sotto__seeded_begin(&random, 1);
    counter all = {{count}, 0, 0};
    assert_ok(sotto__ask(&subject, &script, &random.rng, &all.taker));
    assert_int_equal(all.taken, PAIRS * TRIALS);
    assert_true(heard > 0);
    sotto__subject_free(&subject);
}

static void a_subject_without_a_draw_function_is_asked_outside(void **state)
{
    (void)state;
    const double input[2] = {1, -1};
    const uint8_t coins[1] = {0x02};
    sotto_mechanism_settings claim = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 1, 1);
    sotto_audit_settings settings = sotto_audit_default(&claim);
    settings.command = "cat";
    sotto__subject subject;
    sotto__script script = {.dim = 1, .pairs = 1, .trials = 3, .input = input, .coins = coins};
    counter all = {{count}, 0, 0};
    assert_ok(sotto__subject_new(&settings, &subject));
    assert_ok(sotto__ask(&subject, &script, NULL, &all.taker));
    assert_string_equal(subject.reason, "");
    assert_int_equal(all.taken, 3);
    sotto__subject_free(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_that_failed_is_not_taken),
        cmocka_unit_test(questions_end_when_the_taker_says_so),
        cmocka_unit_test(every_pair_is_asked_and_told_of),
        cmocka_unit_test(whoever_hears_of_it_can_stop_it),
        cmocka_unit_test(a_subject_without_a_draw_function_is_asked_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
