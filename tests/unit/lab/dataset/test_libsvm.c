/* LIBSVM as records of pairs. */
#include "lab/dataset/number.h"
#include "lab/dataset/record.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>

static char fault[SOTTO_FAULT_BYTES];

/* All records as one text, or the first fault. */
static const char *read_all(const char *bytes, size_t count, char *got, size_t room)
{
    folder f = folder_new();
    sotto__source source;
    sotto__record *record = malloc(sizeof *record);
    assert_non_null(record);
    file_write(f.file, (const uint8_t *)bytes, count);
    assert_silent(sotto__source_open(&source, f.file, fault));
    size_t at = 0;
    const char *said = NULL;
    got[0] = '\0';
    for (;;) {
        said = sotto__libsvm_next(&source, record, fault);
        if (said != NULL || record->count == 0) break;
        at += (size_t)snprintf(got + at, room - at, "%llu:", (unsigned long long)record->line);
        for (uint32_t i = 0; i < record->count; i++) {
            const sotto__field *field = &record->field[i];
            at += (size_t)snprintf(got + at, room - at, " %u=%.*s", field->column,
                                   (int)field->bytes, field->text);
        }
        at += (size_t)snprintf(got + at, room - at, ";");
    }
    sotto__source_close(&source);
    free(record);
    folder_free(&f);
    return said;
}

static void bad_pairs_are_named_by_line_and_byte(void **state)
{
    (void)state;
    char got[256];
#define REFUSES(text, words)                                                                       \
    assert_says(read_all(text, sizeof(text) - 1, got, sizeof got), fault, words)
    REFUSES("+1 1:2\n-1 1:1 x\n", "line 2, byte 8: \"x\" is no INDEX:VALUE");
    REFUSES("1 :3", "line 1, byte 3: \":3\" is no INDEX:VALUE");
    REFUSES("1 a:3", "an index that is not a number");
    REFUSES("1 qid:3 1:2", "an index that is not a number");
    REFUSES("1 -1:3", "an index that is not a number");
    REFUSES("1 0:3", "index 0; indices begin with 1");
    REFUSES("1 4097:3", "index above 4096");
    REFUSES("1 99999999999999999999:3", "index above 4096");
    REFUSES("1 2:3 2:4", "byte 7: \"2:4\" has an index that is not above");
    REFUSES("1 2:3 1:4", "not above the one before");
    REFUSES("1 2: 3:4", "has no value");
    REFUSES("1 1:2\n\0", "line 2: a byte 0");
}

static void long_lines_are_refused(void **state)
{
    (void)state;
    char *text = malloc(SOTTO__RECORD_BYTES_MAX + 3), got[64];
    assert_non_null(text);
    memset(text, ' ', SOTTO__RECORD_BYTES_MAX + 3);
    text[0] = '\n';
    text[1] = '7';
    text[1 + SOTTO__RECORD_BYTES_MAX] = '\n';
    assert_silent(read_all(text, SOTTO__RECORD_BYTES_MAX + 2, got, sizeof got));
    assert_string_equal(got, "2: 0=7;");
    text[1 + SOTTO__RECORD_BYTES_MAX] = ' ';
    assert_says(read_all(text, SOTTO__RECORD_BYTES_MAX + 2, got, sizeof got), fault,
                "line 2: longer than 1048576 bytes");
    text[2 + SOTTO__RECORD_BYTES_MAX] = '\n';
    assert_says(read_all(text, SOTTO__RECORD_BYTES_MAX + 3, got, sizeof got), fault,
                "line 2: longer than 1048576 bytes");
    free(text);
}

static void assert_reads(const char *text, const char *wanted)
{
    char got[256];
    assert_silent(read_all(text, strlen(text), got, sizeof got));
    assert_string_equal(got, wanted);
}

static void pairs_are_read_however_they_are_written(void **state)
{
    (void)state;
    assert_reads("", "");
    assert_reads("\n# all of it\n  \n", "");
    assert_reads("+1 1:0.5 4096:-2e3\n", "1: 0=+1 1=0.5 4096=-2e3;");
    assert_reads("-1\n3 2:1", "1: 0=-1;2: 0=3 2=1;");
    assert_reads("\xEF\xBB\xBF"
                 "1\t1:2  3:4 \r\n\r\n2 1:9 # rest 5:x\n",
                 "1: 0=1 1=2 3=4;3: 0=2 1=9;");
    assert_reads("a 1:x:y\n", "1: 0=a 1=x:y;"); /* what a value is, its reader says */
}

static void records_join_across_chunks(void **state)
{
    (void)state;
    enum { RECORDS = 60000 };
    folder f = folder_new();
    FILE *file = fopen(f.file, "wb");
    assert_non_null(file);
    for (int i = 0; i < RECORDS; i++) {
        fprintf(file, "%d 1:%d 7:%d\n", i % 3, i, i * 7);
    }
    fclose(file);
    sotto__source source;
    sotto__record *record = malloc(sizeof *record);
    assert_non_null(record);
    assert_silent(sotto__source_open(&source, f.file, fault));
    for (int i = 0; i < RECORDS; i++) {
        double x;
        assert_silent(sotto__libsvm_next(&source, record, fault));
        assert_int_equal(record->count, 3);
        assert_int_equal(record->line, i + 1);
        assert_true(sotto__number(record->field[2].text, record->field[2].bytes, &x));
        assert_true(x == i * 7);
    }
    assert_silent(sotto__libsvm_next(&source, record, fault));
    assert_int_equal(record->count, 0);
    sotto__source_close(&source);
    free(record);
    folder_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_pairs_are_named_by_line_and_byte),
        cmocka_unit_test(long_lines_are_refused),
        cmocka_unit_test(pairs_are_read_however_they_are_written),
        cmocka_unit_test(records_join_across_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
