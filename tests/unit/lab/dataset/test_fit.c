/* Whether a schema makes a bandit. */
#include "lab/dataset/fit.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>

static char fault[SOTTO_FAULT_BYTES];

/* A schema with room for a few columns, by hand: not all that is possible can be written. */
typedef struct made {
    sotto__column column[8];
    sotto_schema schema;
} made;

static char *arms[] = {"a", "b", "c"};
static char *one[] = {"uno"};
static uint32_t first[] = {0};

static sotto__column levels(const char *name, sotto__column_kind kind, uint32_t count)
{
    return (sotto__column){
        .name = (char *)(uintptr_t)name, .kind = kind, .levels_count = count, .level = arms};
}

static sotto__column range(const char *name, sotto__column_kind kind, double lo, double hi)
{
    return (sotto__column){.name = (char *)(uintptr_t)name, .kind = kind, .lo = lo, .hi = hi};
}

static void make(made *m, uint32_t count)
{
    m->schema = (sotto_schema){.separator = ',', .columns_count = count, .column = m->column};
}

/* A number, a category, an ignored column, a label; dim 1 + 3 + 1. */
static made labelled(void)
{
    made m = {
        .column = {range("x", SOTTO__COLUMN_NUMBER, 0, 1), levels("c", SOTTO__COLUMN_CATEGORY, 3),
                   levels("i", SOTTO__COLUMN_IGNORE, 0), levels("y", SOTTO__COLUMN_LABEL, 2)}};
    return m;
}

static made logged(void)
{
    made m = {.column = {levels("a", SOTTO__COLUMN_ACTION, 3),
                         range("r", SOTTO__COLUMN_REWARD, 0, 1),
                         levels("p", SOTTO__COLUMN_PROPENSITY, 0)}};
    return m;
}

static void columns_without_what_they_need_are_named(void **state)
{
    (void)state;
    static const double bad[][2] = {{1, 0},        {1, 1},         {NAN, 1},
                                    {0, INFINITY}, {-INFINITY, 0}, {-1.7e308, 1.7e308}};
    for (int i = 0; i < 6; i++) {
        made m = labelled();
        make(&m, 4);
        m.column[0].lo = bad[i][0], m.column[0].hi = bad[i][1];
        assert_says(sotto__schema_fault(&m.schema, fault), fault, "column \"x\": range");
        m = logged();
        make(&m, 3);
        m.column[1].lo = bad[i][0], m.column[1].hi = bad[i][1];
        assert_says(sotto__schema_fault(&m.schema, fault), fault, "column \"r\": range");
    }
    made m = labelled();
    make(&m, 4);
    m.column[1].levels_count = 0;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "column \"c\": a category needs");
    m = labelled(), make(&m, 4), m.column[3].levels_count = 1;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "\"y\": 1 level: allowed 2 to 1024");
    m = logged(), make(&m, 3), m.column[0].levels_count = 0;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "\"a\": 0 levels: allowed 2");
    m = logged(), make(&m, 3), m.column[0].levels_count = SOTTO_ARMS_MAX + 1;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "1025 levels");
}

static void roles_must_go_together(void **state)
{
    (void)state;
    made plain = logged();
    make(&plain, 3);
    plain.schema.unlabelled = true;
    assert_says(sotto__schema_fault(&plain.schema, fault), fault, "a log has no label");
    made m = labelled();
    make(&m, 3);
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "0 labels, 0 actions");
    m = labelled(), make(&m, 5), m.column[4] = levels("z", SOTTO__COLUMN_LABEL, 2);
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "2 labels, 0 actions");
    m = labelled(), make(&m, 5), m.column[4] = levels("z", SOTTO__COLUMN_ACTION, 2);
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "1 labels, 1 actions");
    m = labelled(), make(&m, 5), m.column[4] = range("z", SOTTO__COLUMN_REWARD, 0, 1);
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "kind reward: a label needs 0");
    m = labelled(), make(&m, 5), m.column[4] = levels("z", SOTTO__COLUMN_PROPENSITY, 0);
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "kind propensity: a label needs 0");
    m.schema.columns_count = 4;
    m.schema.propensity = 0.5;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "only the actions of a log");
    m = logged(), make(&m, 3), m.schema.propensity = 0.5;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "column of kind propensity too");
    m = logged(), make(&m, 2), m.schema.propensity = 0.5;
    assert_silent(sotto__schema_fault(&m.schema, fault));
    static const double chance[] = {-0.5, 1.5, NAN};
    for (int i = 0; i < 3; i++) {
        m.schema.propensity = chance[i];
        assert_says(sotto__schema_fault(&m.schema, fault), fault, "allowed above 0, to 1");
    }
    m = logged(), make(&m, 2);
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "propensity: an action needs 1");
    m = logged(), make(&m, 3), m.column[1].kind = SOTTO__COLUMN_IGNORE;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "reward: an action needs 1");
}

static void nothing_is_there_twice(void **state)
{
    (void)state;
    made m = labelled();
    make(&m, 4);
    m.column[2].name = m.column[0].name;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "column \"x\" appears twice");
    char *same[] = {"a", "b", "a"};
    m = labelled(), make(&m, 4), m.column[1].level = same;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "\"c\": level \"a\" appears twice");
    m = labelled(), make(&m, 4);
    m.column[3].aliases_count = 1, m.column[3].alias = arms, m.column[3].alias_level = first;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "\"y\": level \"a\" appears twice");
}

static void formats_have_their_limits(void **state)
{
    (void)state;
    made m = labelled();
    make(&m, 4);
    m.schema.separator = '/';
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "separator");
    m.schema.separator = '\0';
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "separator");
    m.schema.separator = ',';
    m.schema.decimal_comma = true;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "cannot be a comma too");
    m.schema.format = SOTTO_DATASET_LIBSVM;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "numbers of LIBSVM have a point");
    m.schema.decimal_comma = false;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "\"x\": a LIBSVM column is 1 to");
    m.column[0].name = "1";
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "\"c\": kind category: LIBSVM has");
    m.column[1] = range("4096", SOTTO__COLUMN_NUMBER, 0, 1);
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "\"i\": a LIBSVM column");
    m.column[2].name = "7";
    assert_silent(sotto__schema_fault(&m.schema, fault));
    static sotto__column many[SOTTO_DIM_MAX + 1];
    static char name[SOTTO_DIM_MAX + 1][8];
    for (uint32_t i = 0; i <= SOTTO_DIM_MAX; i++) {
        snprintf(name[i], sizeof name[i], "%u", i);
        many[i] = range(name[i], SOTTO__COLUMN_NUMBER, 0, 1);
    }
    many[0] = levels("0", SOTTO__COLUMN_LABEL, 2);
    m.schema = (sotto_schema){.separator = ',', .columns_count = SOTTO_DIM_MAX, .column = many};
    assert_silent(sotto__schema_fault(&m.schema, fault));
    assert_int_equal(sotto_schema_dim(&m.schema), SOTTO_DIM_MAX);
    m.schema.columns_count++;
    assert_says(sotto__schema_fault(&m.schema, fault), fault, "1025 features with the constant");
}

static void a_schema_tells_what_bandit_it_makes(void **state)
{
    (void)state;
    made m = labelled();
    make(&m, 4);
    m.column[3].aliases_count = 1, m.column[3].alias = one, m.column[3].alias_level = first;
    assert_silent(sotto__schema_fault(&m.schema, fault));
    assert_false(sotto_schema_is_log(&m.schema));
    assert_int_equal(sotto_schema_arms(&m.schema), 2);
    assert_string_equal(sotto_schema_arm_name(&m.schema, 1), "b");
    assert_null(sotto_schema_arm_name(&m.schema, 2));
    assert_int_equal(sotto_schema_dim(&m.schema), 5);
    m = logged(), make(&m, 3);
    assert_silent(sotto__schema_fault(&m.schema, fault));
    assert_true(sotto_schema_is_log(&m.schema));
    assert_int_equal(sotto_schema_arms(&m.schema), 3);
    assert_int_equal(sotto_schema_dim(&m.schema), 1);
    make(&m, 0);
    assert_int_equal(sotto_schema_arms(&m.schema), 0);
    assert_null(sotto_schema_arm_name(&m.schema, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_without_what_they_need_are_named),
        cmocka_unit_test(roles_must_go_together),
        cmocka_unit_test(nothing_is_there_twice),
        cmocka_unit_test(formats_have_their_limits),
        cmocka_unit_test(a_schema_tells_what_bandit_it_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
