/* Bars around lines: what they must not take away, then what they are. */
#include "csv_reader.h"
#include "lab/dataset/bars.h"

static char fault[SOTTO_FAULT_BYTES];

/* The file with its header read, which was handed to sotto__bars_header. */
static reader *reader_of(const char *text, char separator)
{
    reader *r = reader_of_bytes(text, strlen(text));
    assert_silent(sotto__csv_next(&r->source, separator, &r->record, fault));
    sotto__bars_header(&r->source, separator, &r->record);
    return r;
}

/* All records, the header with them: fields in brackets, then the line. */
static void assert_reads(const char *text, char separator, const char *wanted)
{
    char got[1024];
    size_t at = 0;
    reader *r = reader_of(text, separator);
    while (r->record.count > 0) {
        at += reader_print(r, got + at, sizeof got - at);
        assert_silent(sotto__csv_next(&r->source, separator, &r->record, fault));
    }
    if (strcmp(got, wanted) != 0) fail_msg("\"%s\": got %s, wanted %s", text, got, wanted);
    reader_free(r);
}

static void a_row_without_the_bars_of_the_header_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"1|2|", "|1|2", "1|2", "x|1|2|", "|1|2|x", "|"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "|a|b|\n|1|2|\n%s\n", bad[i]);
        reader *r = reader_of(text, '|');
        assert_silent(sotto__csv_next(&r->source, '|', &r->record, fault));
        const char *said = sotto__csv_next(&r->source, '|', &r->record, fault);
        assert_says(said, fault, "line 3: does not begin and end with a bar, as the header does");
        reader_free(r);
    }
}

static void columns_with_a_name_stay_whatever_is_in_them(void **state)
{
    (void)state;
    assert_reads("a|b|c\n|1|\n|---|\n", '|', "[a][b][c]1;[][1][]2;[][---][]3;");
    assert_reads("|a|b\n|1|2\nx|1|2\n", '|', "[][a][b]1;[][1][2]2;[x][1][2]3;");
    assert_reads("a|b|\n1|2|\n1|2|x\n", '|', "[a][b][]1;[1][2][]2;[1][2][x]3;");
    assert_reads(",a,\n,1,\n", ',', "[][a][]1;[][1][]2;"); /* nobody frames lines with commas */
    assert_reads("||\n||\n", '|', "[]1;[]2;");
}

static void bars_around_lines_are_no_columns(void **state)
{
    (void)state;
    assert_reads("|a|b|\n|1|2|\n", '|', "[a][b]1;[1][2]2;");
    assert_reads("| a | b |\r\n\r\n  | 1 | |  \r\n| | |", '|', "[a][b]1;[1][]3;[][]4;");
    assert_reads("|a|\n|\"1|\n|2\"|\n", '|', "[a]1;[1|\n|2]2;");
}

static void a_rule_behind_the_header_is_no_row(void **state)
{
    (void)state;
    assert_reads("|a|b|\n|---|---|\n|1|2|\n", '|', "[a][b]1;[1][2]3;");
    assert_reads("| a | b |\n| :--- | ----: |\n\n| 1 | 2 |\n", '|', "[a][b]1;[1][2]4;");
    assert_reads("a | b\n--- | :---:\n1 | 2\n", '|', "[a][b]1;[1][2]3;");
    assert_reads("|a|b|\n|---|---|\n", '|', "[a][b]1;");
}

static void what_may_be_a_row_is_no_rule(void **state)
{
    (void)state;
    assert_reads("|a|b|\n|-|-|\n", '|', "[a][b]1;[-][-]2;"); /* a word for no value */
    assert_reads("|a|b|\n|--|--|\n", '|', "[a][b]1;[--][--]2;");
    assert_reads("|a|b|\n|---|1|\n", '|', "[a][b]1;[---][1]2;");
    assert_reads("|a|b|\n|---||\n", '|', "[a][b]1;[---][]2;");
    assert_reads("|a|b|\n|:::|---|\n", '|', "[a][b]1;[:::][---]2;");
    assert_reads("|a|b|\n|1|2|\n|---|---|\n", '|', "[a][b]1;[1][2]2;[---][---]3;");
    assert_reads("|a|b|\n|---|---|\n|---|---|\n", '|', "[a][b]1;[---][---]3;");
    assert_reads("a,b\n---,---\n", ',', "[a][b]1;[---][---]2;");
}

static void without_a_header_every_field_counts(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto__source source;
    static sotto__record record;
    assert_silent(sotto__source_open(&source, text_file(&f, "|1|\n|---|\n"), fault));
    for (uint64_t line = 1; line <= 2; line++) {
        assert_silent(sotto__csv_next(&source, '|', &record, fault));
        assert_int_equal(record.count, 3);
        assert_int_equal(record.line, line);
    }
    sotto__source_close(&source);
    folder_free(&f);
}

static void a_file_that_begins_again_has_no_header_yet(void **state)
{
    (void)state;
    reader *r = reader_of("|a|b|\n|1|2|\n", '|');
    assert_int_equal(r->record.count, 2);
    assert_silent(sotto__source_rewind(&r->source, fault));
    assert_silent(sotto__csv_next(&r->source, '|', &r->record, fault));
    assert_int_equal(r->record.count, 4);
    reader_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_without_the_bars_of_the_header_is_refused),
        cmocka_unit_test(columns_with_a_name_stay_whatever_is_in_them),
        cmocka_unit_test(bars_around_lines_are_no_columns),
        cmocka_unit_test(a_rule_behind_the_header_is_no_row),
        cmocka_unit_test(what_may_be_a_row_is_no_rule),
        cmocka_unit_test(without_a_header_every_field_counts),
        cmocka_unit_test(a_file_that_begins_again_has_no_header_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
