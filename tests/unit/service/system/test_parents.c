/* The folders above a folder. */
#include "folder.h"
#include "service/system/parents.h"
#include "test.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static folder made;
static char path[2 * FOLDER_PATH_BYTES];

static int start(void **state)
{
    (void)state;
    made = folder_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/a/b", made.path);
    rmdir(path);
    snprintf(path, sizeof path, "%s/a", made.path);
    rmdir(path);
    folder_free(&made);
    return 0;
}

static const char *under(const char *rest)
{
    snprintf(path, sizeof path, "%s%s", made.path, rest);
    return path;
}

/* The mode of a folder; 0 if there is none. */
static mode_t mode_of(const char *rest)
{
    struct stat about;
    if (stat(under(rest), &about) != 0) return 0;
    return S_ISDIR(about.st_mode) ? about.st_mode & 0777 : 0;
}

static void a_path_that_is_too_long_is_refused(void **state)
{
    (void)state;
    static char longest[PATH_MAX + 1];
    memset(longest, 'a', PATH_MAX);
    assert_false(parents_make(longest));
    assert_int_equal(errno, ENAMETOOLONG);
}

static void a_file_in_the_way_is_refused(void **state)
{
    (void)state;
    file_write(made.file, (const uint8_t *)"x", 1);
    assert_false(parents_make(under("/ledger/a/b")));
    assert_int_equal(errno, ENOTDIR);
}

static void the_folders_above_are_made_for_their_owner_and_the_last_is_not(void **state)
{
    (void)state;
    assert_true(parents_make(under("/a/b/c")));
    assert_int_equal(mode_of("/a"), 0700);
    assert_int_equal(mode_of("/a/b"), 0700);
    assert_int_equal(mode_of("/a/b/c"), 0);
}

static void slashes_at_the_end_and_in_pairs_do_not_count(void **state)
{
    (void)state;
    assert_true(parents_make(under("//a//b//")));
    assert_int_equal(mode_of("/a"), 0700);
    assert_int_equal(mode_of("/a/b"), 0);
}

static void folders_that_are_there_stay_as_they_are(void **state)
{
    (void)state;
    assert_int_equal(mkdir(under("/a"), 0755), 0);
    assert_int_equal(chmod(under("/a"), 0755), 0);
    assert_true(parents_make(under("/a/b")));
    assert_int_equal(mode_of("/a"), 0755);
}

static void paths_without_parents_need_none(void **state)
{
    (void)state;
    assert_true(parents_make(""));
    assert_true(parents_make("/"));
    assert_true(parents_make("//"));
    assert_true(parents_make("/a"));
    assert_true(parents_make("a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_that_is_too_long_is_refused),
        cmocka_unit_test_setup_teardown(a_file_in_the_way_is_refused, start, end),
        cmocka_unit_test_setup_teardown(
            the_folders_above_are_made_for_their_owner_and_the_last_is_not, start, end),
        cmocka_unit_test_setup_teardown(slashes_at_the_end_and_in_pairs_do_not_count, start, end),
        cmocka_unit_test_setup_teardown(folders_that_are_there_stay_as_they_are, start, end),
        cmocka_unit_test(paths_without_parents_need_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
