/* CSV as records: bad files by line, and every way in which files write the same fields. */
#include "csv_reader.h"
#include "lab/random/random.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char fault[SOTTO_FAULT_BYTES];

static reader *reader_of(const char *text)
{
    return reader_of_bytes(text, strlen(text));
}

/* All records as one text: fields in brackets, a line each. */
static void assert_reads(const char *text, char separator, const char *wanted)
{
    char got[1024];
    size_t at = 0;
    reader *r = reader_of(text);
    for (;;) {
        assert_silent(sotto__csv_next(&r->source, separator, &r->record, fault));
        if (r->record.count == 0) break;
        at += reader_print(r, got + at, sizeof got - at);
    }
    got[at] = '\0';
    assert_string_equal(got, wanted);
    reader_free(r);
}

/* The first fault after records that are well. */
static void assert_refuses(const char *bytes, size_t count, const char *words)
{
    reader *r = reader_of_bytes(bytes, count);
    const char *said = NULL;
    do {
        said = sotto__csv_next(&r->source, ',', &r->record, fault);
    } while (said == NULL && r->record.count > 0);
    assert_says(said, fault, words);
    reader_free(r);
}

static void bad_bytes_are_named_by_line(void **state)
{
    (void)state;
#define REFUSES(text, words) assert_refuses(text, sizeof(text) - 1, words)
    REFUSES("a,b\n1,\"2\n3\n", "line 2: a quote that is not closed");
    REFUSES("a,b\n\"1\n2\",\"\n", "line 3: a quote that is not closed");
    REFUSES("\"", "line 1: a quote that is not closed");
    REFUSES("\"\"\"", "line 1: a quote that is not closed");
    REFUSES("a\n\"b\"c\n", "line 2: text after the closing quote of field 1");
    REFUSES("a,\"b\" c\n", "closing quote of field 2");
    REFUSES("a\nb\0c\n", "line 2: a byte 0");
    REFUSES("a\n\"b\0c\"\n", "line 2: a byte 0");
    REFUSES("\xff\xfe\x61\0\x0a\0", "line 1: a byte 0"); /* UTF-16 */
    REFUSES("\0", "line 1: a byte 0");
}

static void too_many_columns_are_refused(void **state)
{
    (void)state;
    char text[SOTTO__COLUMNS_MAX + 1];
    memset(text, ',', sizeof text);
    reader *r = reader_of_bytes(text, SOTTO__COLUMNS_MAX - 1);
    assert_silent(sotto__csv_next(&r->source, ',', &r->record, fault));
    assert_int_equal(r->record.count, SOTTO__COLUMNS_MAX);
    reader_free(r);
    assert_refuses(text, SOTTO__COLUMNS_MAX, "line 1: more than 4096 columns");
}

/* A line of exactly the longest length is read; one byte more is not, with a line end or not. */
static void records_have_a_longest_length(void **state)
{
    (void)state;
    char *text = malloc(SOTTO__RECORD_BYTES_MAX + 3);
    assert_non_null(text);
    memset(text, 'x', SOTTO__RECORD_BYTES_MAX + 3);
    text[0] = '\n';
    text[1 + SOTTO__RECORD_BYTES_MAX] = '\n';
    reader *r = reader_of_bytes(text, SOTTO__RECORD_BYTES_MAX + 2);
    assert_silent(sotto__csv_next(&r->source, ',', &r->record, fault));
    assert_int_equal(r->record.field[0].bytes, SOTTO__RECORD_BYTES_MAX);
    assert_int_equal(r->record.line, 2);
    reader_free(r);
    text[1 + SOTTO__RECORD_BYTES_MAX] = 'x';
    assert_refuses(text, SOTTO__RECORD_BYTES_MAX + 2, "line 2: longer than 1048576 bytes");
    text[2 + SOTTO__RECORD_BYTES_MAX] = '\n';
    assert_refuses(text, SOTTO__RECORD_BYTES_MAX + 3, "line 2: longer than 1048576 bytes");
    text[1] = '"';
    assert_refuses(text, SOTTO__RECORD_BYTES_MAX + 3, "line 2: a quote that is not closed");
    free(text);
}

/* Writes one line for as long as somebody reads it. */
static pid_t write_endless_line(const char *path, char letter)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) return child;
    char block[4096];
    memset(block, letter, sizeof block);
    FILE *out = fopen(path, "wb");
    while (out != NULL && fwrite(block, 1, sizeof block, out) == sizeof block) {
    }
    _exit(0); /* the signal of a broken pipe comes first */
}

static void a_line_without_end_is_given_up_early(void **state)
{
    (void)state;
    const char letters[] = {'x', '"', ' '};
    for (int i = 0; i < 3; i++) {
        folder f = folder_new();
        sotto__source source;
        sotto__record *record = malloc(sizeof *record);
        assert_non_null(record);
        assert_int_equal(mkfifo(f.file, 0600), 0);
        pid_t child = write_endless_line(f.file, letters[i]);
        assert_silent(sotto__source_open(&source, f.file, fault));
        assert_says(sotto__csv_next(&source, ',', record, fault), fault, "line 1: ");
        assert_true(source.bytes <= SOTTO__RECORD_BYTES_MAX + 2 * 262144);
        sotto__source_close(&source);
        int code;
        assert_int_equal(waitpid(child, &code, 0), child);
        free(record);
        folder_free(&f);
    }
}

static void fields_are_read_however_they_are_written(void **state)
{
    (void)state;
    assert_reads("", ',', "");
    assert_reads("\n\r\n  \n\t\n", ',', "");
    assert_reads("a,b\nc,d\n", ',', "[a][b]1;[c][d]2;");
    assert_reads("a,b\r\nc,d\r\n", ',', "[a][b]1;[c][d]2;");
    assert_reads("a,b\nc,d", ',', "[a][b]1;[c][d]2;");
    assert_reads("a,b\nc,d\r", ',', "[a][b]1;[c][d]2;");
    assert_reads("a,\n,b\n,\n", ',', "[a][]1;[][b]2;[][]3;");
    assert_reads("\xEF\xBB\xBF\"a\",b\n", ',', "[a][b]1;");
    assert_reads("\n\na\n\n\nb\n", ',', "[a]3;[b]6;");
    assert_reads(" a , b c ,\td\t\n", ',', "[a][b c][d]1;");
    assert_reads("39, State-gov, <=50K\n", ',', "[39][State-gov][<=50K]1;");
    assert_reads("\"a,b\",\"c\nd\"\ne,f\n", ',', "[a,b][c\nd]1;[e][f]3;");
    assert_reads("\"a\"\"b\",\"\"\"\",\"\"\n", ',', "[a\"b][\"][]1;");
    assert_reads(" \" a \" ,\t\"b\"\t\r\n", ',', "[ a ][b]1;");
    assert_reads("\"\"\n\"\"", ',', "[]1;[]2;");
    assert_reads("5\" pipe,a\"b\"\n", ',', "[5\" pipe][a\"b\"]1;");
    assert_reads("\"a\r\nb\"\r\n\"c\"", ',', "[a\r\nb]1;[c]3;");
    assert_reads("a\rb,c\n", ',', "[a\rb][c]1;");
    assert_reads("a;b,c;d\n", ';', "[a][b,c][d]1;");
    assert_reads("a\t b c\t\t\"d\"\n", '\t', "[a][b c][][d]1;");
    assert_reads("0123456789abcdef,0123456,01234567,x\n", ',',
                 "[0123456789abcdef][0123456][01234567][x]1;");
}

static void runs_of_blanks_separate_once(void **state)
{
    (void)state;
    assert_reads("a b   c\n", ' ', "[a][b][c]1;");
    assert_reads("  a  b  \n  c \r\n   \nd", ' ', "[a][b]1;[c]2;[d]4;");
    assert_reads("\"a b\"  \"c\" d\n\"e\"", ' ', "[a b][c][d]1;[e]2;");
    assert_reads("a ", ' ', "[a]1;");
}

/* Letters at random, among them all that mean something, split by the rules one byte at a time. The
 * file is long enough for records to lie across chunks. */
enum { RECORDS = 60000 };

static double draw(sotto__seeded *seeded)
{
    return sotto__uniform(sotto__seeded_next(seeded));
}

static uint32_t put_field(char *out, char *plain, uint32_t *plain_bytes, sotto__seeded *seeded)
{
    static const char letters[] = "ab,;\"\n\r 1";
    uint32_t length = (uint32_t)(draw(seeded) * 20), to = 0;
    out[to++] = '"';
    for (uint32_t i = 0; i < length; i++) {
        char c = letters[(uint32_t)(draw(seeded) * (sizeof letters - 1))];
        plain[(*plain_bytes)++] = c;
        out[to++] = c;
        if (c == '"') out[to++] = c;
    }
    out[to++] = '"';
    return to;
}

static void whatever_is_quoted_comes_back(void **state)
{
    (void)state;
    char *text = malloc((size_t)RECORDS * 3 * 48), *plain = malloc((size_t)RECORDS * 3 * 24);
    uint32_t *end = malloc(RECORDS * 3 * sizeof *end);
    assert_true(text != NULL && plain != NULL && end != NULL);
    sotto__seeded seeded;
    sotto__seeded_begin(&seeded, 6);
    uint32_t bytes = 0, plain_bytes = 0, at = 0;
    for (uint32_t i = 0; i < RECORDS * 3; i++) {
        bytes += put_field(text + bytes, plain, &plain_bytes, &seeded);
        end[i] = plain_bytes;
        text[bytes++] = i % 3 == 2 ? '\n' : ',';
    }
    reader *r = reader_of_bytes(text, bytes);
    for (uint32_t i = 0; i < RECORDS * 3; i++) {
        if (i % 3 == 0) {
            assert_silent(sotto__csv_next(&r->source, ',', &r->record, fault));
            assert_int_equal(r->record.count, 3);
        }
        const sotto__field *field = &r->record.field[i % 3];
        assert_int_equal(field->bytes, end[i] - at);
        assert_memory_equal(field->text, plain + at, field->bytes);
        at = end[i];
    }
    assert_silent(sotto__csv_next(&r->source, ',', &r->record, fault));
    assert_int_equal(r->record.count, 0);
    uint64_t lines = 1;
    for (uint32_t i = 0; i < bytes; i++) {
        lines += text[i] == '\n';
    }
    assert_int_equal(r->source.line, lines);
    reader_free(r);
    free(end);
    free(plain);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_bytes_are_named_by_line),
        cmocka_unit_test(too_many_columns_are_refused),
        cmocka_unit_test(records_have_a_longest_length),
        cmocka_unit_test(a_line_without_end_is_given_up_early),
        cmocka_unit_test(fields_are_read_however_they_are_written),
        cmocka_unit_test(runs_of_blanks_separate_once),
        cmocka_unit_test(whatever_is_quoted_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
