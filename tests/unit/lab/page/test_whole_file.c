/* Files are read whole, and written whole or not at all. */
#include "folder.h"
#include "lab/page/whole_file.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void put_words(const void *state, FILE *out)
{
    fputs(state, out);
}

static void put_in_vain(const void *state, FILE *out)
{
    assert_non_null(freopen("/dev/full", "w", out));
    fputs(state, out);
}

static void what_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    folder f = folder_new();
    char path[SOTTO__PATH_BYTES];
    assert_true(sotto__path(path, f.path, "missing", "/file"));
    assert_false(sotto__write_whole(path, put_words, "words"));
    assert_int_equal(errno, ENOENT);

    file_write(f.file, (const uint8_t *)"old", 3);
    assert_false(sotto__write_whole(f.file, put_in_vain, "words"));
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(folder_count(&f), 1);
    char *text = sotto__read_whole(f.file);
    assert_string_equal(text, "old");
    free(text);

    assert_int_equal(mkdir(f.other, 0700), 0); /* a file cannot take a folder's name */
    assert_false(sotto__write_whole(f.other, put_words, "words"));
    assert_int_equal(errno, EISDIR);
    assert_int_equal(folder_count(&f), 2);
    folder_free(&f);
}

static void what_is_not_there_is_not_read(void **state)
{
    (void)state;
    folder f = folder_new();
    assert_null(sotto__read_whole(f.file));
    assert_int_equal(errno, ENOENT);
    assert_null(sotto__read_whole(f.path));
    folder_free(&f);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    folder f = folder_new();
    const char *const words[] = {"first, and longer", "", "second"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(sotto__write_whole(f.file, put_words, words[i]));
        assert_int_equal(folder_count(&f), 1);
        char *text = sotto__read_whole(f.file);
        assert_string_equal(text, words[i]);
        free(text);
    }
    folder_free(&f);
}

/* A path has room for the name of the half-written file. */
static void paths_have_an_end(void **state)
{
    (void)state;
    char path[SOTTO__PATH_BYTES], long_name[SOTTO__PATH_BYTES + 1];
    assert_true(sotto__path(path, "folder", "name", ".csv"));
    assert_string_equal(path, "folder/name.csv");
    memset(long_name, 'a', sizeof long_name);
    long_name[SOTTO__PATH_BYTES] = '\0';
    assert_false(sotto__path(path, long_name, "name", ".csv"));
    long_name[SOTTO__PATH_BYTES - sizeof "/b" - sizeof ".part"] = '\0';
    assert_true(sotto__path(path, long_name, "b", ""));
    assert_false(sotto__path(path, long_name, "bc", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_written_leaves_nothing),
        cmocka_unit_test(what_is_not_there_is_not_read),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(paths_have_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
