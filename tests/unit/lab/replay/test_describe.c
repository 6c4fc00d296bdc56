/* What there is in a file, and how well its schema fits. */
#include "lab/dataset/schema_file.h"
#include "lab/replay/describe.h"
#include "texts.h"

#include <math.h>

static char fault[SOTTO_FAULT_BYTES];

static sotto_schema schema_of(const char *text)
{
    folder f = folder_new();
    sotto_schema schema;
    assert_silent(sotto__schema_read(text_file(&f, text), &schema, fault));
    folder_free(&f);
    return schema;
}

#define CLASSES "number x 0 1\nnumber z 0 1\ncategory c u v\nlabel y a b d\nignore i j k\n"
#define LOG "number x 0 1\naction a u v\nreward r 0 1\npropensity p\n"

/* Counts of columns that are not there say nothing, whatever they are. */
static void a_column_that_is_not_there_has_no_share(void **state)
{
    (void)state;
    sotto_schema none = schema_of("number x 0 1\nlabel y a b\n");
    const sotto_dataset_counts counted = {.rows = 10, .missing = 1, .unknown = 2},
                               empty = {.rows = 0};
    sotto__misfit misfit = sotto__misfit_of(&none, &counted);
    assert_true(isnan(misfit.unknown));
    assert_near(misfit.missing, 0.1, 1e-12);
    assert_true(isnan(sotto__misfit_of(&none, &empty).missing));
    sotto__schema_free(&none);
}

static void shares_are_of_the_fields_that_could_be_so(void **state)
{
    (void)state;
    const sotto_dataset_counts counted = {.rows = 50, .missing = 30, .clipped = 20, .unknown = 5};
    sotto_schema classes = schema_of(CLASSES), log = schema_of(LOG);
    sotto__misfit misfit = sotto__misfit_of(&classes, &counted);
    assert_near(misfit.clipped, 20.0 / 100, 1e-12); /* two numbers */
    assert_near(misfit.missing, 30.0 / 150, 1e-12); /* and a category */
    assert_near(misfit.unknown, 5.0 / 50, 1e-12);
    misfit = sotto__misfit_of(&log, &counted);
    assert_near(misfit.clipped, 20.0 / 100, 1e-12); /* a number and a reward */
    assert_near(misfit.missing, 30.0 / 50, 1e-12);
    sotto__schema_free(&classes);
    sotto__schema_free(&log);
}

static sotto__yardstick *yardstick_of(uint32_t arms, uint32_t *arm, double *reward,
                                      double *propensity, uint32_t rows)
{
    sotto__yardstick *yardstick;
    const sotto_people people = {
        .dim = 1, .rows = rows, .arm = arm, .reward = reward, .propensity = propensity};
    assert_ok(sotto__yardstick_new(arms, 0.1, &yardstick));
    sotto__yardstick_add(yardstick, &people);
    return yardstick;
}

static void buckets_are_no_columns(void **state)
{
    (void)state;
    uint32_t arm[] = {1, 0};
    double ones[] = {1, 1};
    const sotto_dataset_counts counted = {.rows = 2};
    sotto_schema schema = schema_of("format vw\nhash 8\nnumber x 0 1\nlabel y a b\n");
    sotto__yardstick *yardstick = yardstick_of(2, arm, ones, ones, 2);
    sotto__description d;
    assert_ok(sotto__describe(&schema, yardstick, &counted, &d));
    assert_int_equal(d.columns, 2);
    assert_int_equal(d.numbers, 1);
    assert_int_equal(d.buckets, 8);
    assert_int_equal(d.dim, 10);
    sotto__description_free(&d);
    sotto__yardstick_free(yardstick);
    sotto__schema_free(&schema);
}

static void columns_and_arms_are_counted(void **state)
{
    (void)state;
    uint32_t arm[] = {2, 0, 2, 2};
    double ones[] = {1, 1, 1, 1};
    const sotto_dataset_counts counted = {.rows = 4, .bytes = 99, .unlabelled = 3};
    sotto_schema schema = schema_of(CLASSES);
    sotto__yardstick *yardstick = yardstick_of(3, arm, ones, ones, 4);
    sotto__description d;
    assert_ok(sotto__describe(&schema, yardstick, &counted, &d));
    assert_int_equal(d.counted.bytes, 99);
    assert_int_equal(d.counted.unlabelled, 3);
    assert_int_equal(d.columns, 7);
    assert_int_equal(d.numbers, 2);
    assert_int_equal(d.categories, 1);
    assert_int_equal(d.ignored, 3);
    assert_int_equal(d.dim, 5); /* two numbers, two levels, the constant */
    assert_int_equal(d.arms, 3);
    assert_false(d.log);
    assert_true(d.share[0] == 0.25 && d.share[1] == 0 && d.share[2] == 0.75);
    assert_string_equal(sotto__ranges_name(&schema), "public");
    schema.from_data = true;
    assert_string_equal(sotto__ranges_name(&schema), "data");
    sotto__description_free(&d);
    assert_null(d.share);
    sotto__yardstick_free(yardstick);
    sotto__schema_free(&schema);
}

static void a_log_has_its_own_reward_and_its_smallest_propensity(void **state)
{
    (void)state;
    uint32_t arm[] = {0, 1, 1, 1};
    double reward[] = {1, 0, 0.5, 0.5}, propensity[] = {0.5, 0.05, 0.2, 0.3};
    const sotto_dataset_counts counted = {.rows = 4};
    sotto_schema schema = schema_of(LOG);
    sotto__yardstick *yardstick = yardstick_of(2, arm, reward, propensity, 4);
    sotto__description d;
    assert_ok(sotto__describe(&schema, yardstick, &counted, &d));
    assert_true(d.log);
    assert_near(d.logging_reward, 0.5, 1e-12);
    assert_near(d.propensity_min, 0.05, 1e-12);
    assert_near(d.clipped_share, 0.25, 1e-12);
    sotto__description_free(&d);
    sotto__yardstick_free(yardstick);
    sotto__schema_free(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_that_is_not_there_has_no_share),
        cmocka_unit_test(shares_are_of_the_fields_that_could_be_so),
        cmocka_unit_test(buckets_are_no_columns),
        cmocka_unit_test(columns_and_arms_are_counted),
        cmocka_unit_test(a_log_has_its_own_reward_and_its_smallest_propensity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
