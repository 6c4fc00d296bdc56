/* Features of arms: bad files by line and column, then what they become. */
#include "lab/dataset/arms.h"
#include "lab/dataset/dataset.h"
#include "schemas.h"

#include <math.h>

static char fault[SOTTO_FAULT_BYTES];

#define LABEL "missing ?\nlabel y a b c\nalias A a\n"
#define LINES LABEL "arms other\narm number price 0 10\narm category kind u v\n"
#define HEAD "y,price,kind\n"

static void bad_files_are_named_by_line_and_column(void **state)
{
    (void)state;
    sotto_schema schema;
#define REFUSES(file, words) assert_says(schema_beside(file, LINES, &schema, fault), fault, words)
    REFUSES("", "/other: is empty");
    REFUSES(HEAD, "/other: has no rows");
    REFUSES("y,price\n", "column \"kind\" of the schema is not in the file");
    REFUSES("price,kind\n", "column \"y\" of the schema is not in the file");
    REFUSES("y,price,kind,size\n", "column \"size\" has no line in the schema");
    REFUSES(HEAD "a,1\n", "line 2: 2 fields, expected 3");
    REFUSES(HEAD "d,1,u\n", "line 2, column \"y\": \"d\" is none of a b c");
    REFUSES(HEAD "a,11,u\n", "line 2, column \"price\": \"11\" is outside of its range, 0 to 10");
    REFUSES(HEAD "a,x,u\n", "line 2, column \"price\": \"x\" is not a finite number");
    REFUSES(HEAD "a,1,w\n", "line 2, column \"kind\": \"w\" is none of u v");
    REFUSES(HEAD "a,1,u\nb,1,u\nA,2,v\n", "line 4: arm \"a\" has a row already, in line 2");
    REFUSES(HEAD "a,1,u\nb,1,u\n", "/other: arm \"c\" has no row: one row per arm");
    REFUSES(HEAD "a,5,\nb,?,?\nc,,\n", "all features of all arms are 0 after scaling");
    assert_null(schema.arms);
    assert_null(schema.arm_feature);
}

static void a_file_needs_features_and_features_a_file(void **state)
{
    (void)state;
    sotto_schema schema;
    const char *good = HEAD "a,1,u\nb,1,u\nc,1,u\n";
    assert_says(schema_beside(good, LABEL "arms other\n", &schema, fault), fault,
                "ledger: arms: `arm number` or `arm category` must say");
    assert_says(schema_beside(good, LABEL "arms other\narm ignore price kind\n", &schema, fault),
                fault, "arms: `arm number` or `arm category` must say");
    assert_says(schema_beside(good, LABEL "arm number price 0 1\n", &schema, fault), fault,
                "arm: `arms FILE` must say where");
    assert_says(schema_beside(good, LABEL "arms other\narm number y 0 1\n", &schema, fault), fault,
                "arms: column \"y\" appears twice");
    assert_says(schema_beside(good, LABEL "arms other\narm number 1..1024 0 1\n", &schema, fault),
                fault, "arms: 1025 features with the constant: allowed up to 1024");
    assert_says(schema_beside(good, LABEL "arms none\narm number price 0 1\n", &schema, fault),
                fault, "/none: cannot be read");
}

/* Arms by f: a (-1, 1, 0), b (1, 0, 0) without a kind, c (0, 0, 1) without a price. The longest is
 * sqrt 2. */
static void arms_keep_their_proportions(void **state)
{
    (void)state;
    sotto_schema schema;
    const double wanted[3][3] = {{-1, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    assert_silent(schema_beside("kind,y,price\n,b,10\nu,A,0\nv,c,?\n", LINES, &schema, fault));
    assert_int_equal(sotto__schema_arm_dim(&schema), 3);
    for (uint32_t i = 0; i < 9; i++) {
        double x = schema.arm_feature[i];
        assert_true(fabs(x - wanted[i / 3][i % 3] / sqrt(2)) < 1e-9);
    }
    const double *a = schema.arm_feature;
    double squares = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    assert_true(squares <= 1 && squares > 1 - 1e-9);
    assert_int_equal(sotto_schema_dim(&schema), 1); /* people have none of these */
    sotto__schema_free(&schema);
}

static void settings_are_those_of_the_schema(void **state)
{
    (void)state;
    sotto_schema schema;
    assert_silent(schema_beside("y;price;more\na;1,5;\nb;2;x\nc;0;y\n",
                                "separator semicolon\ndecimal comma\nothers ignore\n" LABEL
                                "arms other\narm number price 0 2\n",
                                &schema, fault));
    assert_true(fabs(schema.arm_feature[0] - 0.5) < 1e-9); /* 1.5 of 0 to 2 */
    sotto__schema_free(&schema);
    assert_silent(schema_beside("k,size,more\nu,1,z\nv,2,x\n",
                                "format csv\naction k u v\nreward r 0 1\npropensity p\n"
                                "arms other\narm number size 1 2\narm ignore more\n",
                                &schema, fault));
    assert_true(schema.arm_feature[0] < 0 && schema.arm_feature[1] > 0);
    sotto__schema_free(&schema);
}

static void arms_without_a_line_are_nothing(void **state)
{
    (void)state;
    sotto_schema schema;
    assert_silent(schema_beside("", LABEL, &schema, fault));
    assert_int_equal(sotto__schema_arm_dim(&schema), 0);
    assert_null(schema.arm_feature);
    assert_silent(sotto__arms_prepare(&schema, fault));
    sotto__schema_free(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_named_by_line_and_column),
        cmocka_unit_test(a_file_needs_features_and_features_a_file),
        cmocka_unit_test(arms_keep_their_proportions),
        cmocka_unit_test(settings_are_those_of_the_schema),
        cmocka_unit_test(arms_without_a_line_are_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
