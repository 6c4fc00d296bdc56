/* Features of arms: bad files are refused with line and column; good ones give these features. */
#include "lab/dataset/dataset.h"
#include "lab/dataset/inner.h"
#include "schemas.h"
#include "texts.h"
#include "why.h"

#define LABEL "missing ?\nlabel y a b c\nalias A a\n"
#define LINES LABEL "arms other\narm number price 0 10\narm category kind u v\n"
#define HEAD "y,price,kind\n"

TEST(bad_files_are_named_by_line_and_column)
{
    sotto_schema schema;
#define REFUSES(file, words)                                                                       \
    assert_says(schema_beside(file, LINES, &schema), why_fault.sentence, words)
    REFUSES("", "/other: is empty");
    REFUSES(HEAD, "/other: has no rows");
    REFUSES("y,price\n", "column \"kind\" of the schema is not in the file");
    REFUSES("price,kind\n", "column \"y\" of the schema is not in the file");
    REFUSES("y,price,kind,size\n", "column \"size\" has no line in the schema");
    REFUSES(HEAD "a,1\n", "line 2: 2 fields, expected 3");
    REFUSES(HEAD "d,1,u\n", "line 2, column \"y\": \"d\" is not one of a b c");
    REFUSES(HEAD "a,11,u\n", "line 2, column \"price\": \"11\" is outside of its range, 0 to 10");
    REFUSES(HEAD "a,x,u\n", "line 2, column \"price\": \"x\" is not a finite number");
    REFUSES(HEAD "a,1,w\n", "line 2, column \"kind\": \"w\" is not one of u v");
    REFUSES(HEAD "a,1,u\nb,1,u\nA,2,v\n", "line 4: arm \"a\" has a row already, in line 2");
    REFUSES(HEAD "a,1,u\nb,1,u\n", "/other: arm \"c\" has no row: one row per arm");
    REFUSES(HEAD "a,5,\nb,?,?\nc,,\n", "all features of all arms are 0 after scaling");
    assert_true(schema.arms == NULL && schema.arm_feature == NULL);
}

TEST(a_file_needs_features_and_features_a_file)
{
    sotto_schema schema;
    const char *good = HEAD "a,1,u\nb,1,u\nc,1,u\n";
    assert_says(schema_beside(good, LABEL "arms other\n", &schema), why_fault.sentence,
                "ledger: arms: `arm number` or `arm category` must say");
    assert_says(schema_beside(good, LABEL "arms other\narm ignore price kind\n", &schema),
                why_fault.sentence, "arms: `arm number` or `arm category` must say");
    assert_says(schema_beside(good, LABEL "arm number price 0 1\n", &schema), why_fault.sentence,
                "arm: `arms FILE` must say where");
    assert_says(schema_beside(good, LABEL "arms other\narm number y 0 1\n", &schema),
                why_fault.sentence, "arms: column \"y\" appears twice");
    assert_says(schema_beside(good, LABEL "arms other\narm number 1..1024 0 1\n", &schema),
                why_fault.sentence, "arms: 1025 features with the constant: allowed up to 1024");
    assert_says(schema_beside(good, LABEL "arms none\narm number price 0 1\n", &schema),
                why_fault.sentence, "/none: cannot be read");
}

/* Arms by f: a (-1, 1, 0), b (1, 0, 0) without a kind, c (0, 0, 1) without a price. The longest is
 * sqrt 2. */
TEST(arms_keep_their_proportions)
{
    FREED_BY(sotto__schema_free) sotto_schema schema;
    const double wanted[3][3] = {{-1, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    assert_silent(schema_beside("kind,y,price\n,b,10\nu,A,0\nv,c,?\n", LINES, &schema));
    assert_int_equal(sotto__schema_arm_dim(&schema), 3);
    for (uint32_t i = 0; i < 9; i++) {
        double x = schema.arm_feature[i];
        assert_true(fabs(x - wanted[i / 3][i % 3] / sqrt(2)) < 1e-9);
    }
    const double *a = schema.arm_feature;
    double squares = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    assert_true(squares <= 1 && squares > 1 - 1e-9);
    assert_int_equal(sotto_schema_dim(&schema), 1); /* people have no such features */
}

TEST(settings_are_those_of_the_schema)
{
    sotto_schema schema;
    assert_silent(schema_beside("y;price;more\na;1,5;\nb;2;x\nc;0;y\n",
                                "separator semicolon\ndecimal comma\nothers ignore\n" LABEL
                                "arms other\narm number price 0 2\n",
                                &schema));
    assert_true(fabs(schema.arm_feature[0] - 0.5) < 1e-9); /* 1.5 of 0 to 2 */
    sotto__schema_free(&schema);
    assert_silent(schema_beside("k,size,more\nu,1,z\nv,2,x\n",
                                "format csv\naction k u v\nreward r 0 1\npropensity p\n"
                                "arms other\narm number size 1 2\narm ignore more\n",
                                &schema));
    assert_true(schema.arm_feature[0] < 0 && schema.arm_feature[1] > 0);
    sotto__schema_free(&schema);
}

TEST(arms_without_a_line_are_nothing)
{
    FREED_BY(sotto__schema_free) sotto_schema schema;
    assert_silent(schema_beside("", LABEL, &schema));
    assert_int_equal(sotto__schema_arm_dim(&schema), 0);
    assert_null(schema.arm_feature);
    assert_silent(WHY(sotto__arms_prepare, &schema));
}

/* Tables of rewards: bad files are refused with line and column; good ones have every label and arm
 * in its place. */

#define LABEL_REWARDS "label y a b c\n"
#define LINES_REWARDS LABEL_REWARDS "rewards other\n"
#define HEAD_REWARDS "y,a,b,c\n"
#define TABLE HEAD_REWARDS "a,1,0,0\nb,0,1,-0.5\nc,0,0,2\n"

TEST(bad_tables_are_named_by_line_and_column)
{
    sotto_schema schema;
#define REFUSES_REWARDS(table, words)                                                              \
    assert_says(schema_beside(table, LINES_REWARDS, &schema), why_fault.sentence, words)
    REFUSES_REWARDS("", "/other: is empty");
    REFUSES_REWARDS("a,b,c\n", "line 1: no column \"y\", which names the label of a row");
    REFUSES_REWARDS("y,a,b\n", "line 1: 2 arms, but the label \"y\" has 3: one column per arm");
    REFUSES_REWARDS("y,a,b,d\n",
                    "column \"d\" is neither the label, \"y\", nor one of the arms a b c");
    REFUSES_REWARDS("y,a,b,b\n", "line 1: column \"b\" appears twice");
    REFUSES_REWARDS("y,y,a,b\n", "column \"y\" is neither");
    REFUSES_REWARDS(HEAD_REWARDS "a,1,0\n", "line 2: 3 fields, expected 4");
    REFUSES_REWARDS(HEAD_REWARDS "A,1,0,0\n", "line 2, column \"y\": \"A\" is not one of a b c");
    REFUSES_REWARDS(HEAD_REWARDS "a,1,0,0\n\na,1,0,0\n",
                    "line 4, column \"y\": \"a\" has a row already, in line 2");
    REFUSES_REWARDS(HEAD_REWARDS "a,1,0,0\nb,0,1,0\n",
                    "/other: label \"c\" has no row: one row per label");
    REFUSES_REWARDS(HEAD_REWARDS "a,1,x,0\n", "line 2, column \"b\": \"x\" is not a finite number");
    REFUSES_REWARDS(HEAD_REWARDS "a,1,,0\n", "line 2, column \"b\": \"\" is not a finite number");
    REFUSES_REWARDS(HEAD_REWARDS "a,1,\"1.234,5\",0\n",
                    "column \"b\": \"1.234,5\" is not a finite number: the decimal mark");
    REFUSES_REWARDS(HEAD_REWARDS "a,1,0,1e999\n", "column \"c\": \"1e999\" is not a finite number");
    REFUSES_REWARDS(HEAD_REWARDS "a,2,2,2\nb,2,2,2\nc,2,2,2\n",
                    "rewards from 2 to 2: they must differ");
    REFUSES_REWARDS(HEAD_REWARDS "a,-1e308,0,0\nb,1e308,1,0\nc,0,0,0\n", "by a finite number");
    REFUSES_REWARDS(HEAD_REWARDS "\"a\n", "line 2: a quote that is not closed");
    assert_true(schema.rewards == NULL && schema.rewards_file == NULL);
}

TEST(a_reward_outside_of_the_given_range_is_refused)
{
    sotto_schema schema;
    assert_says(schema_beside(TABLE, LABEL_REWARDS "rewards other 0 2\n", &schema),
                why_fault.sentence,
                "line 3, column \"c\": \"-0.5\" is outside of what the schema allows: 0 to 2");
    assert_says(schema_beside(TABLE, LABEL_REWARDS "rewards other -1 1.5\n", &schema),
                why_fault.sentence,
                "line 4, column \"c\": \"2\" is outside of what the schema allows: -1 to 1.5");
}

TEST(files_that_are_none_are_refused)
{
    sotto_schema schema;
    assert_says(schema_beside(TABLE, LABEL_REWARDS "rewards none.csv\n", &schema),
                why_fault.sentence, "none.csv: cannot be read");
    assert_says(schema_beside(TABLE, LABEL_REWARDS "rewards .\n", &schema), why_fault.sentence,
                "is not a regular file");
    assert_says(schema_beside(TABLE, LABEL_REWARDS "rewards /dev/zero\n", &schema),
                why_fault.sentence, "/dev/zero: is not a regular file");
}

TEST(every_reward_is_in_its_place)
{
    sotto_schema schema;
    const double wanted[] = {1, 0, 0, 0, 1, -0.5, 0, 0, 2};
    assert_silent(schema_beside(TABLE, LINES_REWARDS, &schema));
    assert_memory_equal(schema.rewards, wanted, sizeof wanted);
    assert_true(schema.rewards_lo == -0.5 && schema.rewards_hi == 2);
    sotto__schema_free(&schema);
    assert_silent(schema_beside("b,c,y,a\n0,2,c,0\n0,0,a,1\n1,-0.5,b,0\n", LINES_REWARDS, &schema));
    assert_memory_equal(schema.rewards, wanted, sizeof wanted);
    sotto__schema_free(&schema);
    assert_silent(schema_beside("y;a;b;c\na;1;0;0\nb;0;1;-0,5\nc;0;0;2\n",
                                "separator semicolon\ndecimal comma\n" LINES_REWARDS, &schema));
    assert_memory_equal(schema.rewards, wanted, sizeof wanted);
    sotto__schema_free(&schema);
}

TEST(a_label_may_be_called_like_an_arm)
{
    FREED_BY(sotto__schema_free) sotto_schema schema;
    assert_silent(schema_beside("a,a,b\na,1,2\nb,3,4\n", "label a a b\nrewards other\n", &schema));
    assert_true(schema.rewards[1] == 2 && schema.rewards[2] == 3);
}

TEST(a_given_range_may_be_wider)
{
    FREED_BY(sotto__schema_free) sotto_schema schema;
    assert_silent(schema_beside(TABLE, LABEL_REWARDS "rewards other -1 3\n", &schema));
    assert_true(schema.rewards_lo == -1 && schema.rewards_hi == 3);
}

/* Whether a schema can be used for a bandit. */

/* A schema with room for a few columns, filled directly: a file cannot express every case. */
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

TEST(columns_without_what_they_need_are_named)
{
    static const double bad[][2] = {{1, 0},        {1, 1},         {NAN, 1},
                                    {0, INFINITY}, {-INFINITY, 0}, {-1.7e308, 1.7e308}};
    for (int i = 0; i < 6; i++) {
        made m = labelled();
        make(&m, 4);
        m.column[0].lo = bad[i][0], m.column[0].hi = bad[i][1];
        assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence, "column \"x\": range");
        m = logged();
        make(&m, 3);
        m.column[1].lo = bad[i][0], m.column[1].hi = bad[i][1];
        assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence, "column \"r\": range");
    }
    made m = labelled();
    make(&m, 4);
    m.column[1].levels_count = 0;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "column \"c\": a category needs");
    m = labelled(), make(&m, 4), m.column[3].levels_count = 1;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "\"y\": 1 level: allowed 2 to 1024");
    m = logged(), make(&m, 3), m.column[0].levels_count = 0;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "\"a\": 0 levels: allowed 2");
    m = logged(), make(&m, 3), m.column[0].levels_count = SOTTO_ARMS_MAX + 1;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence, "1025 levels");
}

TEST(roles_must_go_together)
{
    made plain = logged();
    make(&plain, 3);
    plain.schema.unlabelled = true;
    assert_says(WHY(sotto__schema_fault, &plain.schema), why_fault.sentence, "a log has no label");
    made m = labelled();
    make(&m, 3);
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence, "0 labels, 0 actions");
    m = labelled(), make(&m, 5), m.column[4] = levels("z", SOTTO__COLUMN_LABEL, 2);
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence, "2 labels, 0 actions");
    m = labelled(), make(&m, 5), m.column[4] = levels("z", SOTTO__COLUMN_ACTION, 2);
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence, "1 labels, 1 actions");
    m = labelled(), make(&m, 5), m.column[4] = range("z", SOTTO__COLUMN_REWARD, 0, 1);
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "kind reward: a label needs 0");
    m = labelled(), make(&m, 5), m.column[4] = levels("z", SOTTO__COLUMN_PROPENSITY, 0);
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "kind propensity: a label needs 0");
    m.schema.columns_count = 4;
    m.schema.propensity = 0.5;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "only the actions of a log");
    m = logged(), make(&m, 3), m.schema.propensity = 0.5;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "column of kind propensity too");
    m = logged(), make(&m, 2), m.schema.propensity = 0.5;
    assert_silent(WHY(sotto__schema_fault, &m.schema));
    static const double chance[] = {-0.5, 1.5, NAN};
    for (int i = 0; i < 3; i++) {
        m.schema.propensity = chance[i];
        assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                    "allowed above 0, to 1");
    }
    m = logged(), make(&m, 2);
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "propensity: an action needs 1");
    m = logged(), make(&m, 3), m.column[1].kind = SOTTO__COLUMN_IGNORE;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "reward: an action needs 1");
}

TEST(columns_and_levels_that_come_twice_are_refused)
{
    made m = labelled();
    make(&m, 4);
    m.column[2].name = m.column[0].name;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "column \"x\" appears twice");
    char *same[] = {"a", "b", "a"};
    m = labelled(), make(&m, 4), m.column[1].level = same;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "\"c\": level \"a\" appears twice");
    m = labelled(), make(&m, 4);
    m.column[3].aliases_count = 1, m.column[3].alias = arms, m.column[3].alias_level = first;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "\"y\": level \"a\" appears twice");
}

TEST(formats_have_their_limits)
{
    made m = labelled();
    make(&m, 4);
    m.schema.separator = '/';
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence, "separator");
    m.schema.separator = '\0';
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence, "separator");
    m.schema.separator = ',';
    m.schema.decimal_comma = true;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence, "cannot be a comma too");
    m.schema.format = SOTTO_DATASET_LIBSVM;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "numbers of LIBSVM have a point");
    m.schema.decimal_comma = false;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "\"x\": a LIBSVM column is 1 to");
    m.column[0].name = "1";
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "\"c\": kind category: LIBSVM has");
    m.column[1] = range("4096", SOTTO__COLUMN_NUMBER, 0, 1);
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence, "\"i\": a LIBSVM column");
    m.column[2].name = "7";
    assert_silent(WHY(sotto__schema_fault, &m.schema));
    static sotto__column many[SOTTO_DIM_MAX + 1];
    static char name[SOTTO_DIM_MAX + 1][8];
    for (uint32_t i = 0; i <= SOTTO_DIM_MAX; i++) {
        snprintf(name[i], sizeof name[i], "%u", i);
        many[i] = range(name[i], SOTTO__COLUMN_NUMBER, 0, 1);
    }
    many[0] = levels("0", SOTTO__COLUMN_LABEL, 2);
    m.schema = (sotto_schema){.separator = ',', .columns_count = SOTTO_DIM_MAX, .column = many};
    assert_silent(WHY(sotto__schema_fault, &m.schema));
    assert_int_equal(sotto_schema_dim(&m.schema), SOTTO_DIM_MAX);
    m.schema.columns_count++;
    assert_says(WHY(sotto__schema_fault, &m.schema), why_fault.sentence,
                "1025 features with the constant");
}

TEST(a_schema_tells_what_bandit_it_makes)
{
    made m = labelled();
    make(&m, 4);
    m.column[3].aliases_count = 1, m.column[3].alias = one, m.column[3].alias_level = first;
    assert_silent(WHY(sotto__schema_fault, &m.schema));
    assert_false(sotto_schema_is_log(&m.schema));
    assert_int_equal(sotto_schema_arms(&m.schema), 2);
    assert_string_equal(sotto_schema_arm_name(&m.schema, 1), "b");
    assert_null(sotto_schema_arm_name(&m.schema, 2));
    assert_int_equal(sotto_schema_dim(&m.schema), 5);
    m = logged(), make(&m, 3);
    assert_silent(WHY(sotto__schema_fault, &m.schema));
    assert_true(sotto_schema_is_log(&m.schema));
    assert_ints(sotto_schema_arms(&m.schema), 3, sotto_schema_dim(&m.schema), 1);
    make(&m, 0);
    assert_int_equal(sotto_schema_arms(&m.schema), 0);
    assert_null(sotto_schema_arm_name(&m.schema, 0));
}
