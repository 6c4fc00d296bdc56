/* Schema files: bad lines by number, and every line's meaning. */
#include "lab/dataset/schema_file.h"
#include "lab/dataset/settings.h"
#include "texts.h"

#include <stdlib.h>
#include <unistd.h>

static char fault[SOTTO_FAULT_BYTES];

#define ARMS "label y a b\n"

static void assert_refuses(const char *text, const char *words)
{
    folder f = folder_new();
    sotto_schema schema;
    assert_says(sotto__schema_read(text_file(&f, text), &schema, fault), fault, words);
    if (strstr(fault, "ledger: ") == NULL) fail_msg("\"%s\" does not name the file", fault);
    assert_int_equal(schema.columns_count, 0);
    assert_null(schema.column);
    folder_free(&f);
}

static sotto_schema schema_of(const char *text)
{
    folder f = folder_new();
    sotto_schema schema;
    assert_silent(sotto__schema_read(text_file(&f, text), &schema, fault));
    folder_free(&f);
    return schema;
}

static void settings_are_checked(void **state)
{
    (void)state;
    assert_refuses("foo 1\n", "line 1: foo: not known; allowed: format");
    assert_refuses("\nformat\n", "line 2: format must be csv, libsvm, vw or vw-adf");
    assert_refuses("format xml\n", "line 1: format must be csv, libsvm, vw or vw-adf");
    assert_refuses("format csv csv\n", "format must be");
    assert_refuses("separator pipe\n", "separator must be comma, semicolon, tab, bar or blank");
    assert_refuses("decimal ,\n", "decimal must be point or comma");
    assert_refuses("decimal comma\n" ARMS, "decimal comma: the separator cannot be a comma too");
    assert_refuses("format libsvm\ndecimal comma\n" ARMS, "decimal comma: numbers of LIBSVM");
    assert_refuses("propensity constant 0\n", "line 1: propensity constant 0: is not a chance");
    assert_refuses("propensity constant 1.1\n", "allowed above 0, to 1");
    assert_refuses("propensity constant x\n", "propensity constant x: is not a chance");
    assert_refuses("propensity other 0.5\n", "must be: propensity NAME, or propensity constant");
    assert_refuses("propensity constant .5\npropensity constant .5\n",
                   "line 2: propensity constant");
    assert_refuses("propensity constant 0.5\n" ARMS, "only the actions of a log have a chance");
    assert_refuses("action k a b\nreward r 0 1\npropensity p\npropensity constant 0.5\n",
                   "there is a column of kind propensity too");
    assert_refuses("header maybe\n", "header must be yes or no");
    assert_refuses("scale 1\n", "scale must be unit or bound");
    assert_refuses("ranges private\n", "ranges must be public or data");
    assert_refuses("others keep\n", "others must be fault or ignore");
    assert_refuses("unlabelled keep\n", "unlabelled must be fault or skip");
    assert_refuses("numbered 1\n", "numbered must be no or yes");
    assert_refuses("numbered yes\n" ARMS, "numbered yes: only VW text has it");
    assert_refuses("hash 4\n" ARMS, "hash: only VW text has it");
    assert_refuses("hash\n", "must be: hash BUCKETS");
    assert_refuses("hash 0\n", "line 1: hash 0: allowed 1 to 1023");
    assert_refuses("hash 1024\n", "hash 1024: allowed 1 to 1023");
    assert_refuses("hash 12345678\n", "hash 12345678: allowed 1 to 1023");
    assert_refuses("hash 4x\n", "hash 4x: allowed 1 to 1023");
    assert_refuses("hash 4\nhash 4\n", "line 2: hash is given twice");
    assert_refuses("format vw\ndecimal comma\n" ARMS, "decimal comma: numbers of VW text");
    assert_refuses("format vw\nnumber \"a b\" 0 1\n" ARMS, "column \"a b\": a name of VW text");
    assert_refuses("format vw\nnumber a=b 0 1\n" ARMS, "has no blank, |, : or =");
    assert_refuses("format vw-adf\n" ARMS, "format vw-adf: needs an action");
    assert_refuses("format vw\nhash 1023\nnumber x 0 1\n" ARMS, "1025 features with the constant");
    assert_refuses("format vw\nignore 1..4090\nhash 9\n" ARMS, "more than 4096 columns");
    assert_refuses("header yes\nheader yes\n", "line 2: header is given twice");
    assert_refuses("number \"x\n", "line 1: a quote that is not closed");
}

static void columns_are_checked(void **state)
{
    (void)state;
    assert_refuses("number x 1\n", "line 1: must be: number NAME LO HI");
    assert_refuses("number x 1 2 lin\n", "must be: number NAME LO HI, or");
    assert_refuses("number x 1 2 log log\n", "must be: number NAME LO HI");
    assert_refuses("number x a 2\n", "line 1: a 2: needs two numbers, the smaller one first");
    assert_refuses("number x 1 nan\n", "1 nan: needs two numbers");
    assert_refuses("number x 2 2\n", "2 2: needs two numbers");
    assert_refuses("number x 3 2\n", "3 2: needs two numbers");
    assert_refuses("reward x 1\n", "must be: reward NAME LO HI");
    assert_refuses("reward x 1 0\n", "1 0: needs two numbers");
    assert_refuses("category x\n", "must be: category NAME LEVEL...");
    assert_refuses("label x\n", "must be: label NAME LEVEL...");
    assert_refuses("action x\n", "must be: action NAME LEVEL...");
    assert_refuses("propensity\n", "must be: propensity NAME");
    assert_refuses("propensity a b\n", "must be: propensity NAME");
    assert_refuses("ignore\n", "must be: ignore NAME...");
    assert_refuses("arms\n", "line 1: must be: arms FILE");
    assert_refuses("arms a b\n", "must be: arms FILE");
    assert_refuses("arms a\narms b\n", "line 2: arms is given twice");
    assert_refuses("arm\n", "line 1: must be: arm number, arm category or arm ignore");
    assert_refuses("arm label y a b\n", "must be: arm number, arm category or arm ignore");
    assert_refuses("arm number x 1\n", "line 1: must be: number NAME LO HI");
    assert_refuses(ARMS "arm category k u\nalias v a\n", "line 3: a: is no level");
    assert_refuses("rewards\n", "line 1: must be: rewards FILE, or rewards FILE LO HI");
    assert_refuses("rewards a 1\n", "must be: rewards FILE");
    assert_refuses("rewards a 2 1\n", "2 1: needs two numbers, the smaller one first");
    assert_refuses("rewards \"\"\n", "rewards: needs the name of a file");
    assert_refuses("rewards a\nrewards b\n", "line 2: rewards is given twice");
    assert_refuses("rewards a\naction k a b\nreward r 0 1\npropensity p\n",
                   "rewards: a log has its own; only labels have a table of them");
    assert_refuses("label y a a\n", "level \"a\" appears twice"); /* what makes no bandit */
    assert_refuses("", "0 labels, 0 actions");
}

static void ranges_and_aliases_are_checked(void **state)
{
    (void)state;
    assert_refuses("number a..b 0 1\n", "a..b: a range is written as in V1..9");
    assert_refuses("number 3..2 0 1\n", "3..2: a range is written");
    assert_refuses("number 1..x 0 1\n", "1..x: a range");
    assert_refuses("number 1.. 0 1\n", "1..: a range");
    assert_refuses("number V1..V9 0 1\n", "V1..V9: a range");
    assert_refuses("number 1..9999999 0 1\n", "a range");
    assert_refuses("number 0..4096 0 1\n", "at most 4096 numbers");
    assert_refuses("ignore 1..4096 a\n", "more than 4096 names");
    assert_refuses("ignore 1..4096\nignore a\n", "line 2: more than 4096 columns");
    assert_refuses("alias a b\n", "b: is no level of the column above");
    assert_refuses(ARMS "alias c d\n", "line 2: d: is no level of the column above");
    assert_refuses(ARMS "number x 0 1\nalias c a\n", "a: is no level");
    assert_refuses(ARMS "alias c\n", "must be: alias WORD LEVEL");
    assert_refuses(ARMS "alias a b\n", "level \"a\" appears twice");
}

static void files_that_are_no_schema_are_refused(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto_schema schema;
    assert_says(sotto__schema_read(f.file, &schema, fault), fault, "cannot be read");
    assert_says(sotto__schema_read(f.path, &schema, fault), fault, "is a folder");
    file_write(f.file, (const uint8_t *)"a\0b", 3);
    assert_says(sotto__schema_read(f.file, &schema, fault), fault, "a byte 0");
    assert_int_equal(truncate(f.file, 3 << 20), 0);
    assert_says(sotto__schema_read(f.file, &schema, fault), fault, "longer than 1048576 bytes");
    folder_free(&f);
}

static void what_is_not_said_has_its_default(void **state)
{
    (void)state;
    sotto_schema schema = schema_of(ARMS);
    assert_int_equal(schema.format, SOTTO_DATASET_CSV);
    assert_int_equal(schema.separator, ',');
    assert_true(schema.header && schema.unit);
    assert_false(schema.from_data || schema.others || schema.unlabelled);
    assert_int_equal(schema.missing_count, 0);
    sotto__schema_free(&schema);
    sotto__schema_free(&schema);
}

static void every_line_has_its_meaning(void **state)
{
    (void)state;
    sotto_schema s = schema_of("separator semicolon # why not\nheader no\nmissing ? \"\" NA\n"
                               "scale bound\nranges data\nothers ignore\n"
                               "number V8..10 -1.5 2e3\nnumber \"a..b\" 0 1 log\n"
                               "category \"c d\" x \"y z\" 1..3\nignore p q 1..2\n"
                               "action item 0 1\nalias zero 0\nalias one 1\n"
                               "reward click -1 1\npropensity chance\n");
    assert_int_equal(s.separator, ';');
    assert_false(s.header || s.unit);
    assert_true(s.from_data && s.others);
    assert_int_equal(s.missing_count, 3);
    assert_string_equal(s.missing[1], "");
    assert_string_equal(s.missing[2], "NA");
    static const char *const name[] = {"V8", "V9", "V10", "a..b", "c d",   "p",
                                       "q",  "1",  "2",   "item", "click", "chance"};
    assert_int_equal(s.columns_count, 12);
    for (uint32_t i = 0; i < 12; i++) {
        assert_string_equal(s.column[i].name, name[i]);
    }
    assert_true(s.column[2].lo == -1.5 && s.column[2].hi == 2000 && !s.column[2].log);
    assert_true(s.column[3].log);
    assert_int_equal(s.column[4].kind, SOTTO__COLUMN_CATEGORY);
    assert_int_equal(s.column[4].levels_count, 5);
    assert_string_equal(s.column[4].level[1], "y z");
    assert_string_equal(s.column[4].level[4], "3");
    assert_int_equal(s.column[8].kind, SOTTO__COLUMN_IGNORE);
    assert_int_equal(s.column[9].aliases_count, 2);
    assert_string_equal(s.column[9].alias[1], "one");
    assert_int_equal(s.column[9].alias_level[1], 1);
    assert_true(s.column[10].lo == -1 && s.column[10].hi == 1);
    assert_int_equal(s.column[11].kind, SOTTO__COLUMN_PROPENSITY);
    sotto__schema_free(&s);
    s = schema_of("format libsvm\nlabel y a b\nnumber 1..780 0 255\n");
    assert_int_equal(s.format, SOTTO_DATASET_LIBSVM);
    assert_int_equal(s.columns_count, 781);
    assert_string_equal(s.column[780].name, "780");
    sotto__schema_free(&s);
    const char *names[] = {"comma", "semicolon", "tab", "bar", "blank"};
    for (int i = 0; i < 5; i++) {
        char text[64];
        snprintf(text, sizeof text, "separator %s\n" ARMS, names[i]);
        s = schema_of(text);
        assert_int_equal(s.separator, ",;\t| "[i]);
        sotto__schema_free(&s);
        assert_string_equal(sotto__separator_name((uint32_t)i), names[i]);
    }
    assert_null(sotto__separator_name(5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(columns_are_checked),
        cmocka_unit_test(ranges_and_aliases_are_checked),
        cmocka_unit_test(files_that_are_no_schema_are_refused),
        cmocka_unit_test(what_is_not_said_has_its_default),
        cmocka_unit_test(every_line_has_its_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
