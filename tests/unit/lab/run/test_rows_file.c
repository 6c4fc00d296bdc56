/* The rows file: other files, truncated ones, damaged ones. */
#include "lab/run/run.h"
#include "shards.h"
#include "texts.h"
#include "why.h"

#include <stdio.h>
#include <sys/stat.h>

static directory where;
static sotto__comparison comparison;
static sotto__rows_file file;
static char bytes[16384];
static size_t length;

FIXTURE(set_up)
{
    where = directory_new();
    small_comparison_new(&comparison);
}

FIXTURE(tear_down)
{
    sotto__comparison_free(&comparison);
    directory_free(&where);
}

/* Shard 2 of 5 of 12 runs: runs 1, 6, 11. */
static void make(sotto__text_format format)
{
    shard_write(where.file, &comparison, (sotto__shard){2, 5, 0}, format);
    length = file_read(where.file, (uint8_t *)bytes, sizeof bytes - 1);
    bytes[length] = '\0';
}

static const char *read_bytes(size_t count)
{
    file_write(where.file, (const uint8_t *)bytes, count);
    return WHY(sotto__rows_file_read, where.file, &file);
}

static const char *read_text(const char *text)
{
    return WHY(sotto__rows_file_read, text_file(&where, text), &file);
}

TEST_WITH(what_is_no_file_of_a_shard_is_refused, set_up, tear_down)
{
    static const char binary[] = "\x7f"
                                 "ELF\0\0\0\n\0more";
    assert_says(WHY(sotto__rows_file_read, "/nowhere/file", &file), why_fault.sentence,
                "No such file");
    assert_says(WHY(sotto__rows_file_read, where.path, &file), why_fault.sentence,
                "not a regular file");
    assert_says(read_text(""), why_fault.sentence, "the file is empty");
    assert_says(read_text("\n"), why_fault.sentence, "not a file of rows");
    assert_says(read_text("a,b\n1,2\n"), why_fault.sentence, "not a file of rows");
    assert_says(read_text(SOTTO_COMPARISON_HEADER), why_fault.sentence,
                "the rows of a whole sweep, without its first line");
    assert_says(read_text("{\"method\": \"sotto\"}\n"), why_fault.sentence,
                "the rows of a whole sweep, without its first line");
    assert_says(read_text("{\"sweep\": \"0123\"}\n"), why_fault.sentence,
                "the resume file of an older version");
    file_write(where.file, (const uint8_t *)binary, sizeof binary);
    assert_says(WHY(sotto__rows_file_read, where.file, &file), why_fault.sentence,
                "not a file of rows");
    memset(bytes, 'a', sizeof bytes);
    assert_says(read_bytes(sizeof bytes), why_fault.sentence, "not a file of rows");
    memset(bytes, 0, sizeof bytes);
    assert_says(read_bytes(sizeof bytes), why_fault.sentence, "not a file of rows");
}

TEST_WITH(a_pipe_without_a_writer_is_not_waited_for, set_up, tear_down)
{
    assert_int_equal(mkfifo(where.other, 0600), 0);
    assert_says(WHY(sotto__rows_file_read, where.other, &file), why_fault.sentence,
                "not a regular file");
}

/* A number that no sweep has, or one written in another form. */
TEST_WITH(a_first_line_that_nobody_writes_is_refused, set_up, tear_down)
{
    static const char *const bad[] = {
        "\"shard\": 0, \"of\": 3, \"runs\": 2, \"dealt\": 0, \"points\": 1",
        "\"shard\": 4, \"of\": 3, \"runs\": 2, \"dealt\": 0, \"points\": 1",
        "\"shard\": 1, \"of\": 4000000000, \"runs\": 2, \"dealt\": 0, \"points\": 1",
        "\"shard\": 1, \"of\": 3, \"runs\": 0, \"dealt\": 0, \"points\": 1",
        "\"shard\": 1, \"of\": 3, \"runs\": 18446744073709551615, \"dealt\": 0, \"points\": 1",
        "\"shard\": 1, \"of\": 3, \"runs\": 2, \"dealt\": 18446744073709551615, \"points\": 1",
        "\"shard\": 1, \"of\": 3, \"runs\": 2, \"dealt\": 0, \"points\": 0",
        "\"shard\": 1, \"of\": 3, \"runs\": 2, \"dealt\": 0, \"points\": 4097",
        "\"shard\": 01, \"of\": 3, \"runs\": 2, \"dealt\": 0, \"points\": 1",
        "\"shard\":  1, \"of\": 3, \"runs\": 2, \"dealt\": 0, \"points\": 1",
    };
    const char *rest = "\"version\": \"1\", \"sweep\": "
                       "\"0123456789012345678901234567890123456789012345678901234567890123\", "
                       "\"about\": \"it\"}";
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(bytes, sizeof bytes, "# {%s, %s\n", bad[i], rest);
        assert_says(read_bytes(strlen(bytes)), why_fault.sentence, "not a file of rows");
    }
    snprintf(bytes, sizeof bytes, "# {%s, %s\n",
             "\"shard\": 1, \"of\": 3, \"runs\": 2, \"dealt\": 0, \"points\": 1", rest);
    assert_silent(read_bytes(strlen(bytes))); /* the others differ from it in one number */
    assert_false(file.whole);
}

/* Truncated anywhere: refused if in the first line, otherwise incomplete. */
TEST_WITH(a_file_that_is_cut_anywhere_is_not_whole, set_up, tear_down)
{
    static const sotto__text_format formats[] = {SOTTO__TEXT_CSV, SOTTO__TEXT_JSON};
    for (uint32_t f = 0; f < 2; f++) {
        make(formats[f]);
        size_t head = (size_t)(strchr(bytes, '\n') - bytes);
        for (size_t count = 1; count < length; count++) {
            const char *wrong = read_bytes(count);
            if (count <= head) assert_non_null(wrong);
            if (count > head) assert_null(wrong);
            if (count > head) assert_false(file.whole);
        }
        assert_silent(read_bytes(length));
        assert_true(file.whole);
        assert_int_equal(file.runs_there, 3);
    }
}

TEST_WITH(what_is_there_of_a_cut_file_is_counted_in_whole_runs, set_up, tear_down)
{
    make(SOTTO__TEXT_CSV);
    char *third = strstr(bytes, "ols,2,9,10,");
    assert_non_null(third);
    assert_silent(read_bytes((size_t)(third - bytes)));
    assert_int_equal(file.runs_there, 2);
    assert_silent(read_bytes((size_t)(third - bytes) - 1));
    assert_int_equal(file.runs_there, 1);
}

/* Changes any byte after the first line. */
TEST_WITH(a_changed_byte_is_found, set_up, tear_down)
{
    make(SOTTO__TEXT_CSV);
    size_t head = (size_t)(strchr(bytes, '\n') - bytes);
    for (size_t at = head + 1; at < length; at++) {
        char before = bytes[at];
        bytes[at] = before == '3' ? '4' : '3';
        bool used = read_bytes(length) == NULL && file.whole;
        if (used) fail_msg("byte %zu was changed, and nobody saw it", at);
        bytes[at] = '\0';
        used = read_bytes(length) == NULL && file.whole;
        if (used) fail_msg("byte %zu was made 0, and nobody saw it", at);
        bytes[at] = before;
    }
}

TEST_WITH(rows_that_come_or_go_are_found, set_up, tear_down)
{
    make(SOTTO__TEXT_CSV);
    char *last = strstr(bytes, "# {\"end\"");
    static char changed[sizeof bytes + 100];
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(last - bytes), bytes,
             "ols,2,9,400,4800,1\n", last);
    assert_says(read_text(changed), why_fault.sentence,
                "damaged at line 9: there is one row too many");
    snprintf(changed, sizeof changed, "%s%s", bytes, "ols,2,9,400,4800,1\n");
    assert_says(read_text(changed), why_fault.sentence,
                "damaged at line 10: there are bytes after its end");
    char *second = strstr(bytes, "sotto,0.5,8,400");
    snprintf(changed, sizeof changed, "%.*s%s", (int)(second - bytes), bytes,
             strchr(second, '\n') + 1);
    assert_says(read_text(changed), why_fault.sentence, "the SHA-256 of the file is not");
}

/* Not found by the digest: the SHA-256 is right. */
TEST_WITH(the_right_sum_does_not_excuse_the_wrong_number_of_rows, set_up, tear_down)
{
    make(SOTTO__TEXT_CSV);
    sotto__digest digest;
    char *second = strstr(bytes, "sotto,0.5,8,400");
    size_t kept = (size_t)(second - bytes);
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, bytes, kept);
    sotto__rows_end_text(&digest, SOTTO__TEXT_CSV, second);
    assert_says(read_bytes(strlen(bytes)), why_fault.sentence, "the number of rows is wrong");
}

/* A change of these bytes is a new format. SHA-256 of "abc": FIPS 180-4. */
TEST_WITH(the_first_and_the_last_line_are_these_bytes, set_up, tear_down)
{
    char text[SOTTO__ROWS_HEAD_BYTES], end[SOTTO__ROWS_END_BYTES];
    sotto__digest digest;
    const sotto__rows_head head = {.format = SOTTO__TEXT_CSV,
                                   .shard = {2, 3, 7},
                                   .runs = 20,
                                   .points = 13,
                                   .version = "V",
                                   .sweep = "0123",
                                   .about = "sotto at 1"};
    size_t written = sotto__rows_head_text(&head, text);
    assert_int_equal(written, strlen(text));
    assert_string_equal(text,
                        "# {\"shard\": 2, \"of\": 3, \"runs\": 20, \"dealt\": 7, \"points\": 13, "
                        "\"version\": \"V\", \"sweep\": \"0123\", \"about\": \"sotto at 1\"}\n");
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, "abc", 3);
    written = sotto__rows_end_text(&digest, SOTTO__TEXT_JSON, end);
    assert_int_equal(written, strlen(end));
    assert_string_equal(
        end, "{\"end\": \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}\n");
}

TEST_WITH(a_shard_says_what_it_is, set_up, tear_down)
{
    char id[SOTTO__COMPARISON_ID_BYTES];
    make(SOTTO__TEXT_CSV);
    assert_silent(read_bytes(length));
    sotto__comparison_id(&comparison, id);
    assert_int_equal(file.head.shard.index, 2);
    assert_int_equal(file.head.shard.count, 5);
    assert_int_equal(file.head.runs, SMALL_RUNS);
    assert_int_equal(file.head.points, SMALL_POINTS);
    assert_string_equal(file.head.version, sotto_version());
    assert_string_equal(file.head.sweep, id);
    assert_non_null(strstr(file.head.about, "sotto at 0.5, sotto at 2, ols at 0.5, ols at 2"));
    assert_memory_equal(bytes + file.rows_at, "sotto,0.5,8,10,20,0.5\n", 22);
}

TEST_WITH(a_shard_without_runs_is_whole, set_up, tear_down)
{
    shard_write(where.file, &comparison, (sotto__shard){13, 20, 0}, SOTTO__TEXT_JSON);
    assert_silent(WHY(sotto__rows_file_read, where.file, &file));
    assert_true(file.whole);
    assert_int_equal(file.runs_there, 0);
}
