/* CSV as records: bad files are refused with their line, and the same fields can be written in
 * every way. */
#include "csv_reader.h"
#include "lab/dataset/dataset.h"
#include "lab/dataset/inner.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "texts.h"
#include "why.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

OWNED(reader, reader_free)

static reader *reader_of(const char *text)
{
    return reader_of_bytes(text, strlen(text));
}

/* All records as one text: fields in brackets, a line each. */
static void assert_reads(const char *text, char separator, const char *wanted)
{
    char got[1024];
    size_t at = 0;
    OWN(reader) r = reader_of(text);
    for (;;) {
        assert_silent(WHY(sotto__csv_next, &r->source, separator, &r->record));
        if (r->record.count == 0) break;
        at += reader_print(r, got + at, sizeof got - at);
    }
    got[at] = '\0';
    assert_string_equal(got, wanted);
}

/* The first fault, after valid records. */
static void assert_refuses(const char *bytes, size_t count, const char *words)
{
    OWN(reader) r = reader_of_bytes(bytes, count);
    const char *said = NULL;
    do {
        said = WHY(sotto__csv_next, &r->source, ',', &r->record);
    } while (said == NULL && r->record.count > 0);
    assert_says(said, why_fault.sentence, words);
}

TEST(bad_bytes_are_named_by_line)
{
#define REFUSES(text, words) assert_refuses(text, sizeof(text) - 1, words)
    REFUSES("a,b\n1,\"2\n3\n", "line 2: a quote that is not closed");
    REFUSES("a,b\n\"1\n2\",\"\n", "line 3: a quote that is not closed");
    REFUSES("\"", "line 1: a quote that is not closed");
    REFUSES("\"\"\"", "line 1: a quote that is not closed");
    REFUSES("a\n\"b\"c\n", "line 2: text after the closing quote of field 1");
    REFUSES("a,\"b\" c\n", "closing quote of field 2");
    REFUSES("a\nb\0c\n", "line 2: a zero byte");
    REFUSES("a\n\"b\0c\"\n", "line 2: a zero byte");
    REFUSES("\xff\xfe\x61\0\x0a\0", "is UTF-16; convert it to UTF-8");
    REFUSES("\0", "line 1: a zero byte");
}

TEST(too_many_columns_are_refused)
{
    char text[SOTTO__COLUMNS_MAX + 1];
    memset(text, ',', sizeof text);
    OWN(reader) r = reader_of_bytes(text, SOTTO__COLUMNS_MAX - 1);
    assert_silent(WHY(sotto__csv_next, &r->source, ',', &r->record));
    assert_int_equal(r->record.count, SOTTO__COLUMNS_MAX);
    assert_refuses(text, SOTTO__COLUMNS_MAX, "line 1: more than 4096 columns");
}

/* A line of exactly the longest length is read; one byte more is not, with a line end or not. */
TEST(records_have_a_longest_length)
{
    FREED_BY(free_memory) char *text = malloc(SOTTO__RECORD_BYTES_MAX + 3);
    assert_non_null(text);
    memset(text, 'x', SOTTO__RECORD_BYTES_MAX + 3);
    text[0] = '\n';
    text[1 + SOTTO__RECORD_BYTES_MAX] = '\n';
    reader *r = reader_of_bytes(text, SOTTO__RECORD_BYTES_MAX + 2);
    assert_silent(WHY(sotto__csv_next, &r->source, ',', &r->record));
    assert_ints(r->record.field[0].bytes, SOTTO__RECORD_BYTES_MAX, r->record.line, 2);
    reader_free(r);
    text[1 + SOTTO__RECORD_BYTES_MAX] = 'x';
    assert_refuses(text, SOTTO__RECORD_BYTES_MAX + 2, "line 2: longer than 1048576 bytes");
    text[2 + SOTTO__RECORD_BYTES_MAX] = '\n';
    assert_refuses(text, SOTTO__RECORD_BYTES_MAX + 3, "line 2: longer than 1048576 bytes");
    text[1] = '"';
    assert_refuses(text, SOTTO__RECORD_BYTES_MAX + 3, "line 2: a quote that is not closed");
}

/* Writes one endless line for as long as it is read. */
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
    _exit(0); /* the signal for a broken pipe comes first */
}

TEST(a_line_without_end_is_given_up_early)
{
    const char letters[] = {'x', '"', ' '};
    for (int i = 0; i < 3; i++) {
        HELD(directory) f = directory_new();
        sotto__source source;
        FREED_BY(free_memory) sotto__record *record = malloc(sizeof *record);
        assert_non_null(record);
        assert_int_equal(mkfifo(f.file, 0600), 0);
        pid_t child = write_endless_line(f.file, letters[i]);
        assert_silent(WHY(sotto__source_open, &source, f.file));
        assert_says(WHY(sotto__csv_next, &source, ',', record), why_fault.sentence, "line 1: ");
        assert_true(source.bytes <= SOTTO__RECORD_BYTES_MAX + 2 * 262144);
        sotto__source_close(&source);
        int code;
        assert_int_equal(waitpid(child, &code, 0), child);
    }
}

TEST(fields_are_read_however_they_are_written)
{
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

TEST(runs_of_blanks_separate_once)
{
    assert_reads("a b   c\n", ' ', "[a][b][c]1;");
    assert_reads("  a  b  \n  c \r\n   \nd", ' ', "[a][b]1;[c]2;[d]4;");
    assert_reads("\"a b\"  \"c\" d\n\"e\"", ' ', "[a b][c][d]1;[e]2;");
    assert_reads("a ", ' ', "[a]1;");
}

/* Random letters, among them all special ones, split by the rules one byte at a time. The file is
 * long enough that records cross chunks. */
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

TEST(whatever_is_quoted_comes_back)
{
    FREED_BY(free_memory) char *text = malloc((size_t)RECORDS * 3 * 48);
    FREED_BY(free_memory) char *plain = malloc((size_t)RECORDS * 3 * 24);
    FREED_BY(free_memory) uint32_t *end = malloc(RECORDS * 3 * sizeof *end);
    assert_true(text != NULL && plain != NULL && end != NULL);
    sotto__seeded seeded = seeded_of(6);
    uint32_t bytes = 0, plain_bytes = 0, at = 0;
    for (uint32_t i = 0; i < RECORDS * 3; i++) {
        bytes += put_field(text + bytes, plain, &plain_bytes, &seeded);
        end[i] = plain_bytes;
        text[bytes++] = i % 3 == 2 ? '\n' : ',';
    }
    OWN(reader) r = reader_of_bytes(text, bytes);
    for (uint32_t i = 0; i < RECORDS * 3; i++) {
        if (i % 3 == 0) {
            assert_silent(WHY(sotto__csv_next, &r->source, ',', &r->record));
            assert_int_equal(r->record.count, 3);
        }
        const sotto__field *field = &r->record.field[i % 3];
        assert_int_equal(field->bytes, end[i] - at);
        assert_memory_equal(field->text, plain + at, field->bytes);
        at = end[i];
    }
    assert_silent(WHY(sotto__csv_next, &r->source, ',', &r->record));
    assert_int_equal(r->record.count, 0);
    uint64_t lines = 1;
    for (uint32_t i = 0; i < bytes; i++) {
        lines += text[i] == '\n';
    }
    assert_int_equal(r->source.line, lines);
}

/* How a file writes fields and numbers: if a guess could be wrong, the default meaning is kept. */

static void assert_guesses(const char *text, char separator, char mark)
{
    HELD(directory) f = directory_new();
    FREED_BY(sotto__source_close) sotto__source source;
    assert_silent(WHY(sotto__source_open, &source, text_file(&f, text)));
    assert_silent(WHY(sotto__source_fill, &source));
    size_t from = source.from, to = source.to;
    char got = sotto__guess_separator(&source);
    if (got != separator) fail_msg("\"%s\": separator '%c'", text, got);
    got = sotto__guess_decimal(&source, separator);
    if (got != mark) fail_msg("\"%s\": decimal '%c'", text, got);
    assert_true(source.from == from && source.to == to);
}

TEST(nothing_is_guessed_from_nothing)
{
    assert_guesses("", ',', '.');
    assert_guesses("\n", ',', '.');
    assert_guesses("\"", ',', '.');
    assert_guesses("\"a;b", ',', '.');
    assert_guesses("1,5", ',', '.');
}

TEST(the_separator_is_what_the_first_line_has_most_of)
{
    assert_guesses("a,b;c,d\n1;2;3;4\n", ',', '.');
    assert_guesses("a;b;c,d\n", ';', '.');
    assert_guesses("a\tb\n", '\t', '.');
    assert_guesses("a|b|c\n1.5|2|3\n", '|', '.');
    assert_guesses("\"a|b|c\",d\n", ',', '.');
    assert_guesses("a b c\n", ' ', '.');
    assert_guesses("a b c|d\n", '|', '.');
    assert_guesses("a|b\r1|2\r", '|', '.');
}

TEST(commas_inside_of_numbers_separate_nothing)
{
    assert_guesses("1,5;2,5;yes\n", ';', ',');
    assert_guesses("\"1,5\";-2,5e3;,5\n", ';', ',');
    assert_guesses("1,5;2,5,3;yes\n", ',', '.');
    assert_guesses("1,5;a,b\n", ',', '.');
    assert_guesses("1,a;2\n", ',', '.');
}

TEST(the_mark_is_what_more_numbers_have)
{
    assert_guesses("x;y\n1,5;a\n2;b\n", ';', ',');
    assert_guesses("x;y\n\"1,5\";a\n", ';', ',');
    assert_guesses("x;y\n 1,5 ;a\n", ';', ',');
    assert_guesses("x|z|y\n1,5|2,25|1.5\n", '|', ',');
    assert_guesses("x|z|y\n1,5|2,25|1.5\n1|1.5|2.5\n", '|', '.');
    assert_guesses("x|z|y\n1,5|1.5\n", '|', '.');
    assert_guesses("x;y\n1;a,b\n", ';', '.');
    assert_guesses("x;y\n1;a\n", ';', '.');
}

TEST(a_thousand_is_in_doubt)
{
    assert_guesses("x;y\n1,234;a\n-12,345;b\n999,000;c\n", ';', '.');
    assert_guesses("x;y\n1,234;a\n0,345;b\n", ';', ',');
    assert_guesses("x;y\n1234,567;a\n", ';', ',');
    assert_guesses("x;y\n,567;a\n", ';', ',');
    assert_guesses("x;y\n1,2345;a\n", ';', ',');
}

/* LIBSVM as records of pairs. */

/* All records as one text, or the first fault. */
static const char *read_all(const char *bytes, size_t count, char *got, size_t room)
{
    HELD(directory) f = directory_new();
    FREED_BY(sotto__source_close) sotto__source source;
    FREED_BY(free_memory) sotto__record *record = malloc(sizeof *record);
    assert_non_null(record);
    file_write(f.file, (const uint8_t *)bytes, count);
    assert_silent(WHY(sotto__source_open, &source, f.file));
    size_t at = 0;
    got[0] = '\0';
    for (;;) {
        const char *said = WHY(sotto__libsvm_next, &source, record);
        if (said != NULL || record->count == 0) return said;
        at += (size_t)snprintf(got + at, room - at, "%llu:", (unsigned long long)record->line);
        for (uint32_t i = 0; i < record->count; i++) {
            const sotto__field *field = &record->field[i];
            at += (size_t)snprintf(got + at, room - at, " %u=%.*s", field->column,
                                   (int)field->bytes, field->text);
        }
        at += (size_t)snprintf(got + at, room - at, ";");
    }
}

TEST(bad_pairs_are_named_by_line_and_byte)
{
    char got[256];
#define REFUSES_LIBSVM(text, words)                                                                \
    assert_says(read_all(text, sizeof(text) - 1, got, sizeof got), why_fault.sentence, words)
    REFUSES_LIBSVM("+1 1:2\n-1 1:1 x\n", "line 2, byte 8: \"x\" is not INDEX:VALUE");
    REFUSES_LIBSVM("1 :3", "line 1, byte 3: \":3\" is not INDEX:VALUE");
    REFUSES_LIBSVM("1 a:3", "an index that is not a number");
    REFUSES_LIBSVM("1 qid:3 1:2", "an index that is not a number");
    REFUSES_LIBSVM("1 -1:3", "an index that is not a number");
    REFUSES_LIBSVM("1 0:3", "index 0; indices begin with 1");
    REFUSES_LIBSVM("1 4097:3", "index above 4096");
    REFUSES_LIBSVM("1 99999999999999999999:3", "index above 4096");
    REFUSES_LIBSVM("1 2:3 2:4", "byte 7: \"2:4\" has an index that is not above");
    REFUSES_LIBSVM("1 2:3 1:4", "not above the one before");
    REFUSES_LIBSVM("1 2: 3:4", "has no value");
    REFUSES_LIBSVM("1 1:2\n\0", "line 2: a zero byte");
}

TEST(long_lines_are_refused)
{
    FREED_BY(free_memory) char *text = malloc(SOTTO__RECORD_BYTES_MAX + 3);
    char got[64];
    assert_non_null(text);
    memset(text, ' ', SOTTO__RECORD_BYTES_MAX + 3);
    text[0] = '\n';
    text[1] = '7';
    text[1 + SOTTO__RECORD_BYTES_MAX] = '\n';
    assert_silent(read_all(text, SOTTO__RECORD_BYTES_MAX + 2, got, sizeof got));
    assert_string_equal(got, "2: 0=7;");
    text[1 + SOTTO__RECORD_BYTES_MAX] = ' ';
    assert_says(read_all(text, SOTTO__RECORD_BYTES_MAX + 2, got, sizeof got), why_fault.sentence,
                "line 2: longer than 1048576 bytes");
    text[2 + SOTTO__RECORD_BYTES_MAX] = '\n';
    assert_says(read_all(text, SOTTO__RECORD_BYTES_MAX + 3, got, sizeof got), why_fault.sentence,
                "line 2: longer than 1048576 bytes");
}

static void assert_reads_libsvm(const char *text, const char *wanted)
{
    char got[256];
    assert_silent(read_all(text, strlen(text), got, sizeof got));
    assert_string_equal(got, wanted);
}

TEST(pairs_are_read_however_they_are_written)
{
    assert_reads_libsvm("", "");
    assert_reads_libsvm("\n# all of it\n  \n", "");
    assert_reads_libsvm("+1 1:0.5 4096:-2e3\n", "1: 0=+1 1=0.5 4096=-2e3;");
    assert_reads_libsvm("-1\n3 2:1", "1: 0=-1;2: 0=3 2=1;");
    assert_reads_libsvm("\xEF\xBB\xBF"
                        "1\t1:2  3:4 \r\n\r\n2 1:9 # rest 5:x\n",
                        "1: 0=1 1=2 3=4;3: 0=2 1=9;");
    assert_reads_libsvm("a 1:x:y\n", "1: 0=a 1=x:y;"); /* its reader decides what a value is */
}

TEST(records_join_across_chunks)
{
    HELD(directory) f = directory_new();
    FILE *file = fopen(f.file, "wb");
    assert_non_null(file);
    for (int i = 0; i < RECORDS; i++) {
        fprintf(file, "%d 1:%d 7:%d\n", i % 3, i, i * 7);
    }
    fclose(file);
    FREED_BY(sotto__source_close) sotto__source source;
    FREED_BY(free_memory) sotto__record *record = malloc(sizeof *record);
    assert_non_null(record);
    assert_silent(WHY(sotto__source_open, &source, f.file));
    for (int i = 0; i < RECORDS; i++) {
        double x;
        assert_silent(WHY(sotto__libsvm_next, &source, record));
        assert_ints(record->count, 3, record->line, i + 1);
        assert_true(sotto__number(record->field[2].text, record->field[2].bytes, &x) && x == i * 7);
    }
    assert_silent(WHY(sotto__libsvm_next, &source, record));
    assert_int_equal(record->count, 0);
}
