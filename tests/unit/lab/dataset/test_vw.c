/* VW text as records: what is refused by line and byte, then what names and labels become. */
#include "lab/dataset/dataset.h"
#include "lab/dataset/schema_file.h"
#include "lab/dataset/vw.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static char fault[SOTTO_FAULT_BYTES];

#define LABEL                                                                                      \
    "format vw\nlabel y a b\nnumber x 0 10\nnumber u^x -1 1\ncategory u^k p q\nignore note\n"
#define LOG "format vw\naction y a b\nreward r -2 2\npropensity p\nnumber x 0 10\n"
#define ADF "format vw-adf\naction y a b\nreward r -2 2\npropensity p\nnumber x 0 10\n"

/* All records as one text, column=value, or the first fault. */
static const char *read_all(const char *lines, const char *bytes, size_t count, char *got,
                            size_t room)
{
    folder f = folder_new();
    sotto_schema schema;
    sotto__source source;
    sotto__vw *vw;
    sotto__record *record = malloc(sizeof *record);
    assert_non_null(record);
    assert_silent(sotto__schema_read(text_file(&f, lines), &schema, fault));
    assert_ok(sotto__vw_new(&schema, &vw));
    file_write(f.other, (const uint8_t *)bytes, count);
    assert_silent(sotto__source_open(&source, f.other, fault));
    size_t at = 0;
    const char *said = NULL;
    got[0] = '\0';
    for (;;) {
        said = sotto__vw_next(vw, &source, record, fault);
        if (said != NULL || record->count == 0) break;
        at += (size_t)snprintf(got + at, room - at, "%llu:", (unsigned long long)record->line);
        for (uint32_t i = 0; i < record->count; i++) {
            const sotto__field *field = &record->field[i];
            at +=
                (size_t)snprintf(got + at, room - at, " %s=%.*s", schema.column[field->column].name,
                                 (int)field->bytes, field->text);
        }
        at += (size_t)snprintf(got + at, room - at, ";");
    }
    sotto__source_close(&source);
    sotto__vw_free(vw);
    sotto__schema_free(&schema);
    free(record);
    folder_free(&f);
    return said;
}

static void assert_reads(const char *lines, const char *text, const char *wanted)
{
    static char got[4096];
    assert_silent(read_all(lines, text, strlen(text), got, sizeof got));
    assert_string_equal(got, wanted);
}

static void assert_refuses(const char *lines, const char *text, const char *words)
{
    static char got[4096];
    assert_says(read_all(lines, text, strlen(text), got, sizeof got), fault, words);
}

static void bad_words_are_named_by_line_and_byte(void **state)
{
    (void)state;
    assert_refuses(LABEL, "a |\nb x:1\n", "line 2, byte 1: \"b\" has no | behind it");
    assert_refuses(LABEL, "a 1 2 |\n", "line 1, byte 5: \"2\" is one word too many");
    assert_refuses(LABEL, "a 2 |\n", "byte 3: \"2\" is an importance other than 1: each person");
    assert_refuses(LABEL, "a w |\n", "\"w\" is an importance other than 1");
    assert_refuses(LABEL, "a | x:1 x:2\n", "byte 9: \"x:2\" appears twice");
    assert_refuses(LABEL, "a |u k=p k:q\n", "byte 10: \"k:q\" appears twice");
    assert_refuses(LABEL, "a |u z:2\n", "byte 6: \"z:2\" has no line in the schema; `hash` there");
    assert_refuses(LABEL, "a |u x=3\n", "\"x=3\" has no line in the schema"); /* a word to VW */
    assert_refuses(LABEL, "a |u k\n", "\"k\" is a category without a level");
    assert_refuses(LABEL, "a |u:2 k=p\n", "\"k=p\" is a category, and its namespace has a weight");
    assert_refuses(LABEL, "a |u k=p:2\n", "\"k=p:2\" is a level with a value other than 1");
    assert_refuses(LABEL, "shared | x\n", "\"shared\" begins a block of lines: `format vw-adf`");
    assert_refuses(LABEL "numbered yes\n", "3 | x\n", "byte 1: \"3\" is no arm: allowed 1 to 2");
    assert_refuses(LABEL "numbered yes\n", "a | x\n", "\"a\" is no arm: allowed 1 to 2");
    static char got[64];
    assert_says(read_all(LABEL, "a |\n\0|", 6, got, sizeof got), fault, "line 2: a byte 0");
}

static void bad_events_are_named(void **state)
{
    (void)state;
    assert_refuses(LOG, "a |\n", "\"a\" is no ACTION:COST:CHANCE");
    assert_refuses(LOG, "a:1 |\n", "\"a:1\" is no ACTION:COST:CHANCE");
    assert_refuses(LOG, "a:x:0.5 |\n", "\"a:x:0.5\" has a cost that is not a finite number");
    assert_refuses(LOG, ":1:0.5 |\n", "\":1:0.5\" has no action");
    assert_refuses(LOG, "a:1:0.5 b:1:0.5 |\n", "\"b:1:0.5\" is one word too many");
    assert_refuses("format vw\naction y a b\nreward r 0 1\npropensity constant 0.5\n",
                   "a:1:0.5 |\n", "\"a:1:0.5\" is no ACTION:COST; the schema has a constant");
}

static void bad_blocks_are_named(void **state)
{
    (void)state;
    assert_refuses(ADF, "shared |\n0:1:0.5 |\n\n",
                   "line 1: a block with 1 actions: the schema has 2");
    assert_refuses(ADF, "\nshared |\n|\n|\n|\n", "line 5: action 3: the schema has 2 arms");
    assert_refuses(ADF, "|\nshared |\n", "line 2, byte 1: \"shared\" is not the first line");
    assert_refuses(ADF, "shared 1 |\n|\n|\n", "\"1\" is one word too many");
    assert_refuses(ADF, "0:1:0.5 |\n1:1:0.5 |\n", "line 2, byte 1: \"1:1:0.5\" is a second action");
    assert_refuses(ADF, "|\n1:1 |\n", "line 2, byte 1: \"1:1\" is no ACTION:COST:CHANCE");
    assert_refuses(ADF, "|\n1:1:1 1 |\n", "\"1\" is one word too many");
    assert_refuses(ADF, "|\n| z\n", "line 2, byte 3: \"z\" is a feature of an arm, and these come");
    assert_refuses(ADF, "shared | z\n|\n|\n", "line 1, byte 10: \"z\" has no line in the schema");
}

static void long_lines_and_names_are_refused(void **state)
{
    (void)state;
    static char text[SOTTO__RECORD_BYTES_MAX + 16], got[64];
    memset(text, ' ', sizeof text);
    memcpy(text, "\na |", 4);
    text[1 + SOTTO__RECORD_BYTES_MAX] = '\n';
    assert_silent(read_all(LABEL, text, SOTTO__RECORD_BYTES_MAX + 2, got, sizeof got));
    assert_string_equal(got, "2: y=a;");
    text[1 + SOTTO__RECORD_BYTES_MAX] = ' ';
    text[2 + SOTTO__RECORD_BYTES_MAX] = '\n';
    assert_says(read_all(LABEL, text, SOTTO__RECORD_BYTES_MAX + 3, got, sizeof got), fault,
                "line 2: longer than 1048576 bytes");
    memset(text + 5, 'z', 5000);
    assert_says(read_all("format vw\nhash 2\nlabel y a b\n", text, 6000, got, sizeof got), fault,
                "is longer than 4096 bytes");
}

static void labels_and_features_find_their_columns(void **state)
{
    (void)state;
    assert_reads(LABEL, "", "");
    assert_reads(LABEL, "\n \t\r\n", "");
    assert_reads(LABEL, "a |\n\nb 1 'tag | x:2.5\r\n", "1: y=a;3: y=b x=2.5;");
    assert_reads(LABEL, "a | x |u x:0.5 k=q", "1: y=a x=1 u^x=0.5 u^k=q;");
    assert_reads(LABEL, "b |u k:p |u:2 x:0.25", "1: y=b u^k=p u^x=0.5;");
    assert_reads(LABEL, "b |u:2 k:p", "1: y=b u^k=p;");             /* a level weighs 1 */
    assert_reads(LABEL, "c | x= note note:3 note=4", "1: y=c x=;"); /* others know the levels */
    assert_reads(LABEL, "| x:nan", "1: y= x=nan;");
    assert_reads(LABEL "others ignore\n", "a |u z:2 x=3", "1: y=a;");
    assert_reads(LABEL "numbered yes\n", "2 | x:1\n|", "1: y=b x=1;2: y=;");
    assert_reads(LABEL, "a | u^x:0.5", "1: y=a u^x=0.5;"); /* one and the same name */
}

static void costs_are_rewards_with_the_other_sign(void **state)
{
    (void)state;
    assert_reads(LOG, "a:-1.5:0.25 | x:3\nb:0:1 |\n", "1: y=a r=1.5 p=0.25 x=3;2: y=b r=0 p=1;");
    assert_reads(LOG, "|\n", "1: y=;");
    assert_reads(LOG "numbered yes\n", "2:0.1:0.5 |", "1: y=b r=-0.10000000000000001 p=0.5;");
    assert_reads("format vw\naction y a b\nreward r 0 1\npropensity constant 0.5\n", "a:-1 |",
                 "1: y=a r=1;");
}

static void a_block_of_lines_is_a_person(void **state)
{
    (void)state;
    assert_reads(ADF, "shared | x:2\n|\n0:-1:0.5 |\n\n \nshared |\n7:1:0.25 'tag |\n|",
                 "1: x=2 y=b r=1 p=0.5;6: y=a r=-1 p=0.25;");
    assert_reads(ADF, "0:0:1 |\n|\n\n", "1: y=a r=0 p=1;"); /* nothing is shared */
    assert_reads(ADF "others ignore\n", "|c z:1\n0:0:1 |c z:2\n", "1: y=b r=0 p=1;");
    assert_reads(ADF, "|\n|\n", "1: y=;");
}

/* By the definition at the head of vw.c, with hashes that were computed elsewhere. */
static void other_names_share_buckets(void **state)
{
    (void)state;
    double sign;
    assert_int_equal(sotto__vw_bucket("", 0, 1u << 31, &sign), 0xcbf29ce4u & 0x7fffffffu);
    assert_true(sign == -1);
    assert_int_equal(sotto__vw_bucket("a", 1, 1u << 31, &sign), 0xaf63dc4cu & 0x7fffffffu);
    assert_true(sign == 1); /* af63dc4c8601ec8c */
    assert_int_equal(sotto__vw_bucket("foobar", 6, 1000, &sign), 0x85944171u % 1000);
    assert_true(sign == 1); /* 85944171f73967e8 */
#define HASHED "format vw\nhash 1\nlabel y a b\n"
    double a, za, colour;
    sotto__vw_bucket("a", 1, 1, &a);
    sotto__vw_bucket("z^a", 3, 1, &za);
    sotto__vw_bucket("c:red", 5, 1, &colour);
    char wanted[128];
    snprintf(wanted, sizeof wanted, "1: y=a bucket 1=%.17g;2: y=b bucket 1=%.17g;3: y=a;",
             a * 0.25 + za * 0.5 * 3, colour);
    assert_reads(HASHED, "a | a:0.25 |z:0.5 a:3\nb | c:red\na |\n", wanted);
    double red;
    sotto__vw_bucket("z^c:red", 7, 1, &red);
    snprintf(wanted, sizeof wanted, "1: y=a bucket 1=%.17g;", red + za * 0.5);
    assert_reads(HASHED, "a |z:0.5 c:red a\n", wanted);
    snprintf(wanted, sizeof wanted, "1: y=a bucket 1=%.17g;", za * 1e300); /* and not infinite */
    assert_reads(HASHED, "a |z:1e300 a:1e300\n", wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_words_are_named_by_line_and_byte),
        cmocka_unit_test(bad_events_are_named),
        cmocka_unit_test(bad_blocks_are_named),
        cmocka_unit_test(long_lines_and_names_are_refused),
        cmocka_unit_test(labels_and_features_find_their_columns),
        cmocka_unit_test(costs_are_rewards_with_the_other_sign),
        cmocka_unit_test(a_block_of_lines_is_a_person),
        cmocka_unit_test(other_names_share_buckets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
