/* Yardsticks of a data set, by hand. */
#include "lab/dataset/dataset.h"
#include "lab/replay/replay.h"
#include "schemas.h"
#include "texts.h"
#include "why.h"

OWNED(sotto__yardstick, sotto__yardstick_free)

static sotto_people people_of(uint32_t *arm, double *reward, double *propensity, uint32_t rows)
{
    return (sotto_people){.dim = 1,
                          .rows = rows,
                          .rows_max = rows,
                          .arm = arm,
                          .reward = reward,
                          .propensity = propensity};
}

TEST(an_empty_file_has_yardsticks_all_the_same)
{
    OWN(sotto__yardstick) yardstick;
    sotto__yardstick_free(NULL);
    assert_ok(sotto__yardstick_new(3, 0.01, &yardstick));
    assert_ints(yardstick->rows, 0, sotto__yardstick_majority(yardstick), 0);
    assert_int_equal(sotto__yardstick_best_arm(yardstick), 0);
    assert_true(sotto__yardstick_floor(yardstick) == 1);
    assert_int_equal(sotto__yardstick_matches(yardstick), 1);
}

TEST(labels_are_counted)
{
    uint32_t first[] = {2, 1, 2, 0}, second[] = {1, 1};
    double ones[] = {1, 1, 1, 1};
    sotto_people a = people_of(first, ones, ones, 4), b = people_of(second, ones, ones, 2);
    OWN(sotto__yardstick) yardstick;
    assert_ok(sotto__yardstick_new(4, 0.01, &yardstick));
    sotto__yardstick_add(yardstick, &a);
    assert_int_equal(sotto__yardstick_majority(yardstick), 2);
    sotto__yardstick_add(yardstick, &b);
    assert_ints(yardstick->rows, 6, yardstick->arm_count[0], 1, yardstick->arm_count[1], 3);
    assert_ints(yardstick->arm_count[2], 2, yardstick->arm_count[3], 0);
    assert_ints(sotto__yardstick_majority(yardstick), 1, yardstick->clipped, 0);
}

/* Groups continue from one block to the next; a group has every 1,009th row. */
TEST(sums_by_group_are_kept_if_asked_for)
{
    static uint32_t arm[SOTTO__GROUPS + 1];
    static double reward[SOTTO__GROUPS + 1], propensity[SOTTO__GROUPS + 1];
    for (uint32_t i = 0; i <= SOTTO__GROUPS; i++) {
        reward[i] = i;
        propensity[i] = 0.5;
    }
    arm[1] = 2;
    sotto_people first = people_of(arm, reward, propensity, 2);
    sotto_people rest = people_of(arm + 2, reward + 2, propensity + 2, SOTTO__GROUPS - 1);
    OWN(sotto__yardstick) yardstick;
    assert_ok(sotto__yardstick_new(3, 0.01, &yardstick));
    assert_null(yardstick->agreed);
    assert_int_equal(sotto__yardstick_arms_given(yardstick), 0);
    assert_ok(sotto__yardstick_keep_groups(yardstick));
    sotto__yardstick_add(yardstick, &first);
    sotto__yardstick_add(yardstick, &rest);
    const sotto__agreed *agreed = yardstick->agreed;
    assert_true(agreed[0].weight == 4 && agreed[0].product == 2 * SOTTO__GROUPS);
    assert_true(agreed[1].weight == 0 && agreed[2].product == 4);
    assert_true(agreed[2 * SOTTO__GROUPS + 1].product == 2);
    assert_int_equal(sotto__yardstick_arms_given(yardstick), 2);
}

/* Arm 1: 0.4/0.5 + 1/0.5 = 2.8; arm 0: 0.1/0.01, its propensity clipped. */
TEST(a_log_has_a_value_for_each_arm)
{
    uint32_t arm[] = {1, 0, 1, 2};
    double reward[] = {0.4, 0.1, 1, 0}, propensity[] = {0.5, 0.005, 0.5, 0.25};
    sotto_people people = people_of(arm, reward, propensity, 4);
    OWN(sotto__yardstick) yardstick;
    assert_ok(sotto__yardstick_new(3, 0.01, &yardstick));
    sotto__yardstick_add(yardstick, &people);
    assert_near(sotto__off_policy_value(&yardstick->logging, 4).value, 0.375, 1e-15);
    assert_near(sotto__off_policy_value(&yardstick->constant[1], 4).value, 0.7, 1e-15);
    assert_near(sotto__off_policy_value(&yardstick->constant[0], 4).value, 2.5, 1e-12);
    assert_ints(sotto__yardstick_best_arm(yardstick), 0, yardstick->clipped, 1);
    assert_true(yardstick->propensity_min == 0.005);
    assert_near(yardstick->inverse_sum, 2 + 100 + 2 + 4, 1e-12);
    assert_true(sotto__yardstick_floor(yardstick) == 0.01);
}

/* If all rewards are losses, an arm that was never given is not best because it lost nothing. */
TEST(an_arm_that_was_never_given_has_no_value)
{
    uint32_t arm[] = {1, 1, 2};
    double reward[] = {-1, -1, -0.5}, propensity[] = {0.5, 0.5, 0.5};
    sotto_people people = people_of(arm, reward, propensity, 3);
    OWN(sotto__yardstick) yardstick;
    assert_ok(sotto__yardstick_new(4, 0.01, &yardstick));
    sotto__yardstick_add(yardstick, &people);
    assert_int_equal(sotto__yardstick_best_arm(yardstick), 2);
}

/* 60 events at 1/2 and 30 at 1/4: kept 60 x 1/2 + 30 = 60, and one in K = 3 of them matched. */
TEST(matches_are_foreseen)
{
    uint32_t arm[90] = {0};
    double reward[90] = {0}, propensity[90];
    for (int i = 0; i < 90; i++) {
        propensity[i] = i < 60 ? 0.5 : 0.25;
    }
    sotto_people people = people_of(arm, reward, propensity, 90);
    OWN(sotto__yardstick) yardstick;
    assert_ok(sotto__yardstick_new(3, 0.01, &yardstick));
    sotto__yardstick_add(yardstick, &people);
    assert_true(sotto__yardstick_floor(yardstick) == 0.25);
    assert_int_equal(sotto__yardstick_matches(yardstick), 20);
}

/* The labels of all rows are `arm_count`, those of the last ones `last`. */
static bool is_sorted(const uint64_t *arm_count, const uint64_t *last, uint32_t arms)
{
    sotto__yardstick *yardstick;
    assert_ok(sotto__yardstick_new(arms, 0.01, &yardstick));
    for (uint32_t a = 0; a < arms; a++) {
        yardstick->arm_count[a] = arm_count[a];
        yardstick->rows += arm_count[a];
    }
    bool sorted = sotto__yardstick_is_sorted(yardstick, last);
    sotto__yardstick_free(yardstick);
    return sorted;
}

/* 100 of 1000, 50 expected of each label: X = 2 x^2/50 over 0.9, against 30.3 for two cells, so that
 * x = 26 is by chance and x = 27 is not. */
TEST(a_sorted_file_shows_in_its_last_people)
{
    const uint64_t even[] = {500, 500}, nobody[] = {0, 0};
    const uint64_t half[] = {50, 50}, near[] = {76, 24}, far[] = {77, 23}, other[] = {23, 77};
    assert_false(is_sorted(nobody, nobody, 2) || is_sorted(even, nobody, 2));
    assert_false(is_sorted(even, half, 2) || is_sorted(even, near, 2));
    assert_true(is_sorted(even, far, 2) && is_sorted(even, other, 2));
    /* The last people are all people, of whom so many are not told exactly. */
    const uint64_t many[] = {3608926326, 1009045414};
    assert_false(is_sorted(even, even, 2) || is_sorted(many, many, 2));
}

/* 10 labels of 20 expected people each, of 2000: none has enough alone, and one cell of all of them
 * says nothing. Beside a common label they are a cell. */
TEST(rare_labels_are_counted_together)
{
    const uint64_t rare[] = {200, 200, 200, 200, 200, 200, 200, 200, 200, 200};
    const uint64_t one[] = {200, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint64_t beside[] = {1000, 200, 200, 200, 200, 200};
    const uint64_t common[] = {160, 8, 8, 8, 8, 8}, shifted[] = {100, 60, 10, 10, 10, 10};
    const uint64_t scarce[] = {1900, 50, 50}, ended[] = {190, 10, 0}, gone[] = {0, 100, 100};
    assert_false(is_sorted(rare, one, 10));
    assert_true(is_sorted(beside, common, 6));
    assert_false(is_sorted(beside, shifted, 6) || is_sorted(scarce, ended, 3));
    assert_true(is_sorted(scarce, gone, 3));
}

/* 1/p is 2, 4, 2 and 4: 3 in the mean, with a standard error of 1/sqrt(rows). Below the clip, 0.01, it is 100. */
TEST(propensities_say_how_many_arms_there_were)
{
    uint32_t arm[] = {0, 1, 2, 0};
    double reward[] = {0, 0, 0, 0}, propensity[] = {0.5, 0.25, 0.5, 0.25}, few[] = {0.001};
    sotto_people people = people_of(arm, reward, propensity, 4),
                 rare = people_of(arm, reward, few, 1);
    OWN(sotto__yardstick) yardstick;
    assert_ok(sotto__yardstick_new(3, 0.01, &yardstick));
    sotto_span choices = sotto__yardstick_choices(yardstick);
    for (int rows = 0; rows < 1000; rows += 4) {
        assert_true(isnan(choices.lo) && isnan(choices.hi));
        sotto__yardstick_add(yardstick, &people);
        choices = sotto__yardstick_choices(yardstick);
    }
    assert_nears(1e-12, choices.lo, 3 - 4.7535 / sqrt(1000), choices.hi, 3 + 4.7535 / sqrt(1000));
    sotto__yardstick_add(yardstick, &rare);
    choices = sotto__yardstick_choices(yardstick);
    assert_near((choices.lo + choices.hi) / 2, 3100.0 / 1001, 1e-12);
}

/* A look at a file: what it finds, where it ends, and its sentence about a broken row. */

#define ROWS 70000u /* more than one block */

/* Labels a, b, b, a, b, b, ...; a row `broken` has none of them. */
static void bench_open(bench *b, uint32_t rows, uint32_t broken)
{
    char *text = malloc(8 * (size_t)rows + 8), *at = text;
    assert_non_null(text);
    at += sprintf(at, "x,y\n");
    for (uint32_t i = 0; i < rows; i++) {
        at += sprintf(at, "0.5,%c\n", i == broken ? 'z' : i % 3 == 0 ? 'a' : 'b');
    }
    bench_begin(b, "number x 0 1\nlabel y a b\n", text);
    free(text);
}

typedef struct heard {
    uint32_t calls;
    uint64_t bytes;
} heard;

static bool listen(void *state, uint64_t bytes)
{
    heard *h = state;
    assert_true(bytes >= h->bytes);
    h->calls++;
    h->bytes = bytes;
    return true;
}

static bool stop_at_once(void *state, uint64_t bytes)
{
    heard *h = state;
    h->calls++;
    h->bytes = bytes;
    return false;
}

TEST(a_broken_row_ends_it)
{
    HELD(bench) b;
    sotto__yardstick *found = (sotto__yardstick *)&b;
    bench_open(&b, 10, 6);
    assert_says(WHY(sotto__survey, &b.schema, b.dataset, 0.01, UINT64_MAX, NULL, &found),
                why_fault.sentence, "line 8");
    assert_null(found);
}

TEST(a_listener_can_stop_it)
{
    HELD(bench) b;
    sotto__yardstick *found;
    heard h = {0};
    const sotto_replay_listener listener = {stop_at_once, &h};
    bench_open(&b, ROWS, UINT32_MAX);
    assert_says(WHY(sotto__survey, &b.schema, b.dataset, 0.02, UINT64_MAX, &listener, &found),
                why_fault.sentence, SOTTO_REPLAY_STOPPED);
    assert_null(found);
    assert_int_equal(h.calls, 1);
}

TEST(all_rows_are_counted)
{
    HELD(bench) b;
    OWN(sotto__yardstick) found;
    heard h = {0};
    const sotto_replay_listener listener = {listen, &h};
    bench_open(&b, ROWS, UINT32_MAX);
    assert_silent(WHY(sotto__survey, &b.schema, b.dataset, 0.02, UINT64_MAX, &listener, &found));
    assert_int_equal(found->arms, 2);
    assert_true(found->clip == 0.02);
    assert_ints(found->rows, ROWS, found->arm_count[0], (ROWS + 2) / 3);
    assert_true(h.calls >= 2);
    assert_int_equal(h.bytes, 4 + 6 * ROWS);
}

/* Blocks are read whole: a run that shuffles them may meet any of their rows. */
TEST(it_ends_with_the_block_that_has_enough_people)
{
    HELD(bench) b;
    sotto_people *people;
    OWN(sotto__yardstick) found;
    bench_open(&b, ROWS, UINT32_MAX);
    assert_ok(sotto_people_new(sotto_schema_dim(&b.schema), &people));
    assert_true(people->rows_max < ROWS);
    assert_silent(WHY(sotto__survey, &b.schema, b.dataset, 0.01, 5, NULL, &found));
    assert_int_equal(found->rows, people->rows_max);
    sotto_people_free(people);
}

/* The contents of a file, and how well its schema fits. */

#define CLASSES "number x 0 1\nnumber z 0 1\ncategory c u v\nlabel y a b d\nignore i j k\n"
#define LOG "number x 0 1\naction a u v\nreward r 0 1\npropensity p\n"

/* Counts of missing columns are ignored, whatever they are. */
TEST(a_column_that_is_not_there_has_no_share)
{
    FREED_BY(sotto__schema_free) sotto_schema none = schema_of("number x 0 1\nlabel y a b\n");
    const sotto_dataset_counts counted = {.rows = 10, .missing = 1, .unknown = 2},
                               empty = {.rows = 0};
    sotto__misfit misfit = sotto__misfit_of(&none, &counted);
    assert_true(isnan(misfit.unknown));
    assert_near(misfit.missing, 0.1, 1e-12);
    assert_true(isnan(sotto__misfit_of(&none, &empty).missing));
}

TEST(shares_are_of_the_fields_that_could_be_so)
{
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

TEST(buckets_are_no_columns)
{
    uint32_t arm[] = {1, 0};
    double ones[] = {1, 1};
    const sotto_dataset_counts counted = {.rows = 2};
    FREED_BY(sotto__schema_free)
    sotto_schema schema = schema_of("format vw\nhash 8\nnumber x 0 1\nlabel y a b\n");
    OWN(sotto__yardstick) yardstick = yardstick_of(2, arm, ones, ones, 2);
    HELD(sotto__description) d;
    assert_ok(sotto__describe(&schema, yardstick, &counted, &d));
    assert_ints(d.columns, 2, d.numbers, 1, d.buckets, 8, d.dim, 10);
}

TEST(columns_and_arms_are_counted)
{
    uint32_t arm[] = {2, 0, 2, 2};
    double ones[] = {1, 1, 1, 1};
    const sotto_dataset_counts counted = {.rows = 4, .bytes = 99, .unlabelled = 3};
    FREED_BY(sotto__schema_free) sotto_schema schema = schema_of(CLASSES);
    OWN(sotto__yardstick) yardstick = yardstick_of(3, arm, ones, ones, 4);
    sotto__description d;
    assert_ok(sotto__describe(&schema, yardstick, &counted, &d));
    assert_ints(d.counted.bytes, 99, d.counted.unlabelled, 3, d.columns, 7, d.numbers, 2);
    assert_ints(d.categories, 1, d.ignored, 3);
    assert_int_equal(d.dim, 5); /* two numbers, two levels, the constant */
    assert_int_equal(d.arms, 3);
    assert_false(d.log);
    assert_true(d.share[0] == 0.25 && d.share[1] == 0 && d.share[2] == 0.75);
    assert_string_equal(sotto__ranges_name(&schema), "public");
    schema.from_data = true;
    assert_string_equal(sotto__ranges_name(&schema), "data");
    sotto__description_free(&d);
    assert_null(d.share);
}

TEST(a_log_has_its_own_reward_and_its_smallest_propensity)
{
    uint32_t arm[] = {0, 1, 1, 1};
    double reward[] = {1, 0, 0.5, 0.5}, propensity[] = {0.5, 0.05, 0.2, 0.3};
    const sotto_dataset_counts counted = {.rows = 4};
    FREED_BY(sotto__schema_free) sotto_schema schema = schema_of(LOG);
    OWN(sotto__yardstick) yardstick = yardstick_of(2, arm, reward, propensity, 4);
    HELD(sotto__description) d;
    assert_ok(sotto__describe(&schema, yardstick, &counted, &d));
    assert_true(d.log);
    assert_nears(1e-12, d.logging_reward, 0.5, d.propensity_min, 0.05, d.clipped_share, 0.25);
}
