/* What estimators keep, as bytes: numbers that cannot be, and those that come back as they were. */
#include "core/bytes.h"
#include "learners.h"
#include "server/kept.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NUMBERS 3

/* An estimator that keeps some numbers and some counts. */
typedef struct keeper {
    sotto__estimator base;
    double number[NUMBERS];
    uint64_t reports[NUMBERS];
} keeper;

static uint32_t keep(sotto__estimator *base, sotto__kept kept[SOTTO__KEPT_MAX])
{
    keeper *self = (keeper *)base;
    kept[0] = (sotto__kept){self->number, NULL, NUMBERS, -1, DBL_MAX};
    kept[1] = (sotto__kept){.reports = self->reports, .count = NUMBERS};
    return 2;
}

static const keeper some = {{.kept = keep}, {-1, 0.5, DBL_MAX}, {3, 0, 7}};

static void numbers_out_of_their_range_are_named(void **state)
{
    (void)state;
    const double bad[] = {-1.0000001, INFINITY, -INFINITY, NAN};
    char text[SOTTO_FAULT_BYTES];
    for (int at = 0; at < NUMBERS; at++) {
        for (int b = 0; b < 4; b++) {
            keeper k = some;
            char place[32];
            k.number[at] = bad[b];
            snprintf(place, sizeof place, "number %d of part 0", at);
            assert_non_null(sotto__kept_fault(&k.base, 10, text));
            assert_non_null(strstr(text, place));
        }
    }
    assert_null(sotto__kept_fault(&some.base, 10, text));
}

static void counts_are_no_more_than_the_reports(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    assert_null(sotto__kept_fault(&some.base, 10, text));
    assert_non_null(sotto__kept_fault(&some.base, 9, text));
    assert_string_equal(text, "count 2 of part 1 of the estimator = 7: allowed 0 to 6");
    keeper k = some;
    k.reports[1] = UINT64_MAX - 9; /* adds up only modulo 2^64 */
    assert_non_null(sotto__kept_fault(&k.base, 10, text));
}

static void bytes_bring_everything_back(void **state)
{
    (void)state;
    keeper read = {{.kept = keep}, {0}, {0}};
    uint8_t bytes[8 * 2 * NUMBERS];
    assert_int_equal(sotto__kept_bytes(&some.base), sizeof bytes);
    sotto__kept_put(&some.base, bytes);
    assert_true(sotto__get_f64(bytes + 8) == 0.5);
    assert_int_equal(sotto__get_u64(bytes + 24), 3);
    sotto__kept_get(&read.base, bytes);
    assert_memory_equal(read.number, some.number, sizeof some.number);
    assert_memory_equal(read.reports, some.reports, sizeof some.reports);
}

static void an_estimator_may_keep_nothing(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    sotto__estimator none = {.kept = NULL};
    uint8_t byte = 7;
    assert_int_equal(sotto__kept_bytes(&none), 0);
    sotto__kept_put(&none, &byte);
    sotto__kept_get(&none, &byte);
    assert_int_equal(byte, 7);
    assert_null(sotto__kept_fault(&none, 0, text));
}

/* Of the learners of the cases: t, V, b, reports and shift of each block; 1/P, and four counts
 * where there are nulls; warm-up reports. */
static void each_method_keeps_what_it_learns_from(void **state)
{
    (void)state;
    static const uint32_t wanted[LEARNER_METHODS] = {
        0, 0, 0, 0, 1, 1, 3, 3, 7, 7, 0, 3, 3, 12, 12, 34, 12, 56, 12, 34, 10, 6,
    };
    for (uint32_t number = 0; number < LEARNER_METHODS; number++) {
        char text[SOTTO_FAULT_BYTES];
        /* Version 2, which all methods have. */
        sotto_learner *learner = learner_of_case(LEARNER_METHODS + number);
        assert_int_equal(sotto__kept_bytes(learner->estimator), 8 * wanted[number]);
        assert_null(sotto__kept_fault(learner->estimator, 0, text));
        sotto_learner_free(learner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_out_of_their_range_are_named),
        cmocka_unit_test(counts_are_no_more_than_the_reports),
        cmocka_unit_test(bytes_bring_everything_back),
        cmocka_unit_test(an_estimator_may_keep_nothing),
        cmocka_unit_test(each_method_keeps_what_it_learns_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
