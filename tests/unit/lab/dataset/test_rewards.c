/* Tables of rewards: bad files by line and column, then every label and arm in its place. */
#include "lab/dataset/rewards.h"
#include "schemas.h"

static char fault[SOTTO_FAULT_BYTES];

#define LABEL "label y a b c\n"
#define LINES LABEL "rewards other\n"
#define HEAD "y,a,b,c\n"
#define TABLE HEAD "a,1,0,0\nb,0,1,-0.5\nc,0,0,2\n"

static void bad_tables_are_named_by_line_and_column(void **state)
{
    (void)state;
    sotto_schema schema;
#define REFUSES(table, words) assert_says(schema_beside(table, LINES, &schema, fault), fault, words)
    REFUSES("", "/other: is empty");
    REFUSES("a,b,c\n", "line 1: no column \"y\", which names the label of a row");
    REFUSES("y,a,b\n", "line 1: 2 arms, but the label \"y\" has 3: one column per arm");
    REFUSES("y,a,b,d\n", "column \"d\" is neither the label, \"y\", nor one of the arms a b c");
    REFUSES("y,a,b,b\n", "line 1: column \"b\" appears twice");
    REFUSES("y,y,a,b\n", "column \"y\" is neither");
    REFUSES(HEAD "a,1,0\n", "line 2: 3 fields, expected 4");
    REFUSES(HEAD "A,1,0,0\n", "line 2, column \"y\": \"A\" is none of a b c");
    REFUSES(HEAD "a,1,0,0\n\na,1,0,0\n",
            "line 4, column \"y\": \"a\" has a row already, in line 2");
    REFUSES(HEAD "a,1,0,0\nb,0,1,0\n", "/other: label \"c\" has no row: one row per label");
    REFUSES(HEAD "a,1,x,0\n", "line 2, column \"b\": \"x\" is not a finite number");
    REFUSES(HEAD "a,1,,0\n", "line 2, column \"b\": \"\" is not a finite number");
    REFUSES(HEAD "a,1,\"1.234,5\",0\n",
            "column \"b\": \"1.234,5\" is not a finite number: the decimal mark");
    REFUSES(HEAD "a,1,0,1e999\n", "column \"c\": \"1e999\" is not a finite number");
    REFUSES(HEAD "a,2,2,2\nb,2,2,2\nc,2,2,2\n", "rewards from 2 to 2: they must differ");
    REFUSES(HEAD "a,-1e308,0,0\nb,1e308,1,0\nc,0,0,0\n", "by a finite number");
    REFUSES(HEAD "\"a\n", "line 2: a quote that is not closed");
    assert_null(schema.rewards);
    assert_null(schema.rewards_file);
}

static void a_reward_outside_of_the_given_range_is_refused(void **state)
{
    (void)state;
    sotto_schema schema;
    assert_says(schema_beside(TABLE, LABEL "rewards other 0 2\n", &schema, fault), fault,
                "line 3, column \"c\": \"-0.5\" is outside of what the schema allows: 0 to 2");
    assert_says(schema_beside(TABLE, LABEL "rewards other -1 1.5\n", &schema, fault), fault,
                "line 4, column \"c\": \"2\" is outside of what the schema allows: -1 to 1.5");
}

static void files_that_are_none_are_refused(void **state)
{
    (void)state;
    sotto_schema schema;
    assert_says(schema_beside(TABLE, LABEL "rewards none.csv\n", &schema, fault), fault,
                "none.csv: cannot be read");
    assert_says(schema_beside(TABLE, LABEL "rewards .\n", &schema, fault), fault,
                "is not a regular file");
    assert_says(schema_beside(TABLE, LABEL "rewards /dev/zero\n", &schema, fault), fault,
                "/dev/zero: is not a regular file");
}

static void every_reward_is_in_its_place(void **state)
{
    (void)state;
    sotto_schema schema;
    const double wanted[] = {1, 0, 0, 0, 1, -0.5, 0, 0, 2};
    assert_silent(schema_beside(TABLE, LINES, &schema, fault));
    assert_memory_equal(schema.rewards, wanted, sizeof wanted);
    assert_true(schema.rewards_lo == -0.5 && schema.rewards_hi == 2);
    sotto__schema_free(&schema);
    assert_silent(schema_beside("b,c,y,a\n0,2,c,0\n0,0,a,1\n1,-0.5,b,0\n", LINES, &schema, fault));
    assert_memory_equal(schema.rewards, wanted, sizeof wanted);
    sotto__schema_free(&schema);
    assert_silent(schema_beside("y;a;b;c\na;1;0;0\nb;0;1;-0,5\nc;0;0;2\n",
                                "separator semicolon\ndecimal comma\n" LINES, &schema, fault));
    assert_memory_equal(schema.rewards, wanted, sizeof wanted);
    sotto__schema_free(&schema);
}

static void a_label_may_be_called_like_an_arm(void **state)
{
    (void)state;
    sotto_schema schema;
    assert_silent(
        schema_beside("a,a,b\na,1,2\nb,3,4\n", "label a a b\nrewards other\n", &schema, fault));
    assert_true(schema.rewards[1] == 2 && schema.rewards[2] == 3);
    sotto__schema_free(&schema);
}

static void a_given_range_may_be_wider(void **state)
{
    (void)state;
    sotto_schema schema;
    assert_silent(schema_beside(TABLE, LABEL "rewards other -1 3\n", &schema, fault));
    assert_true(schema.rewards_lo == -1 && schema.rewards_hi == 3);
    sotto__schema_free(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_tables_are_named_by_line_and_column),
        cmocka_unit_test(a_reward_outside_of_the_given_range_is_refused),
        cmocka_unit_test(files_that_are_none_are_refused),
        cmocka_unit_test(every_reward_is_in_its_place),
        cmocka_unit_test(a_label_may_be_called_like_an_arm),
        cmocka_unit_test(a_given_range_may_be_wider),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
