/* Resume files: what is refused, what is dropped, what comes back. */
#include "comparisons.h"
#include "folder.h"
#include "lab/run/resume.h"
#include "test.h"
#include "texts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static folder where;
static sotto__comparison comparison;
static sotto__results results;
static sotto__resume resume;
static char fault[SOTTO_FAULT_BYTES];
static char bytes[65536];

static int set_up(void **state)
{
    (void)state;
    where = folder_new();
    small_comparison_new(&comparison);
    assert_ok(sotto__results_new(&comparison, &results));
    resume = SOTTO__RESUME_NONE;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sotto__resume_close(&resume);
    sotto__results_free(&results);
    sotto__comparison_free(&comparison);
    folder_free(&where);
    return 0;
}

static const char *open_again(void)
{
    sotto__resume_close(&resume);
    sotto__results_free(&results);
    assert_ok(sotto__results_new(&comparison, &results));
    return sotto__resume_open(&resume, where.file, &comparison, &results, fault);
}

static size_t read_bytes(void)
{
    size_t length = file_read(where.file, (uint8_t *)bytes, sizeof bytes - 1);
    bytes[length] = '\0';
    return length;
}

/* A file with runs 4 and 0, in that order. */
static void make_file(void)
{
    assert_silent(open_again());
    const uint64_t finished[] = {4, 0};
    for (size_t i = 0; i < 2; i++) {
        small_take(&results, &comparison, finished[i]);
        assert_true(sotto__resume_add(&resume, &comparison, &results, finished[i]));
    }
    assert_int_equal(resume.kept_count, 2);
    sotto__resume_close(&resume);
}

static void a_file_that_is_none_is_refused_and_left_alone(void **state)
{
    (void)state;
    assert_says((text_file(&where, "some,other\ntable,1\n"), open_again()), fault, "line 1");
    read_bytes();
    assert_string_equal(bytes, "some,other\ntable,1\n");
}

static void a_folder_is_no_file(void **state)
{
    (void)state;
    assert_says(sotto__resume_open(&resume, where.path, &comparison, &results, fault), fault,
                "directory");
}

static void a_pipe_is_no_regular_file(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(where.file, 0600), 0);
    assert_says(open_again(), fault, "not a regular file");
}

static void a_file_that_another_sweep_writes_to_is_refused(void **state)
{
    (void)state;
    sotto__resume second = SOTTO__RESUME_NONE;
    assert_silent(open_again());
    assert_says(sotto__resume_open(&second, where.file, &comparison, &results, fault), fault,
                "another sweep is writing");
    sotto__resume_close(&second);
}

static void the_file_of_another_sweep_is_named_and_left_alone(void **state)
{
    (void)state;
    make_file();
    size_t length = read_bytes();
    comparison.epsilon[1] = 3;
    assert_says(open_again(), fault, "another sweep");
    assert_true(resume.foreign);
    assert_non_null(strstr(resume.sweep_there, "sotto at 2"));
    assert_non_null(strstr(resume.sweep_here, "sotto at 3"));
    assert_memory_equal(resume.sweep_there, bytes + strlen("{\"sweep\": \""), 12);
    assert_int_equal(read_bytes(), length);
}

static void a_changed_row_is_refused_by_its_line(void **state)
{
    (void)state;
    make_file();
    size_t length = read_bytes();
    char *digit = strstr(bytes, "\"regret\": 2000") + strlen("\"regret\": ");
    *digit = '3';
    file_write(where.file, (const uint8_t *)bytes, length);
    assert_silent(open_again()); /* it is the row that a run with this regret would have */
    assert_true(sotto__results_points(&results, 4)[1].regret == 3000);
    sotto__resume_close(&resume);
    *digit = ' ';
    file_write(where.file, (const uint8_t *)bytes, length);
    assert_says(open_again(), fault, "line 3: this is not the row expected; nothing was changed");
}

static void a_run_that_is_there_twice_is_refused(void **state)
{
    (void)state;
    make_file();
    size_t length = read_bytes(), header = strcspn(bytes, "\n") + 1;
    memcpy(bytes + length, bytes + header, length - header);
    file_write(where.file, (const uint8_t *)bytes, 2 * length - header);
    assert_says(open_again(), fault, "twice");
}

static void a_row_of_no_match_is_refused(void **state)
{
    (void)state;
    make_file();
    size_t length = read_bytes(), header = strcspn(bytes, "\n") + 1;
    memcpy(strstr(bytes + header, "sotto"), "sotta", 5);
    file_write(where.file, (const uint8_t *)bytes, length);
    assert_says(open_again(), fault, "line 2: this is no row of this sweep");
}

static void a_row_of_an_earlier_seed_is_refused(void **state)
{
    (void)state;
    make_file();
    size_t length = read_bytes(), header = strcspn(bytes, "\n") + 1;
    for (char *at = bytes + header; (at = strstr(at, "\"seed\": ")) != NULL;) {
        at += strlen("\"seed\": ");
        *at = '6'; /* the first is 7 */
    }
    file_write(where.file, (const uint8_t *)bytes, length);
    assert_says(open_again(), fault, "line 2: this is no row of this sweep");
}

static void a_run_that_does_not_fit_on_the_disk_leaves_the_file_as_it_was(void **state)
{
    (void)state;
    struct rlimit usual, small;
    make_file();
    assert_silent(open_again());
    size_t length = read_bytes();
    small_take(&results, &comparison, 1);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    small = (struct rlimit){.rlim_cur = length + 20, .rlim_max = usual.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool added = sotto__resume_add(&resume, &comparison, &results, 1);
    int why = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    assert_false(added);
    assert_int_equal(why, EFBIG);
    assert_int_equal(resume.kept_count, 2);
    assert_int_equal(read_bytes(), length);
    assert_true(sotto__resume_add(&resume, &comparison, &results, 1));
    assert_silent(open_again());
    assert_int_equal(results.done_count, 3);
}

static void finished_runs_come_back_and_are_not_played(void **state)
{
    (void)state;
    make_file();
    assert_silent(open_again());
    assert_int_equal(results.done_count, 2);
    assert_int_equal(resume.kept_count, 2);
    assert_int_equal(resume.dropped_bytes, 0);
    for (uint64_t run = 0; run < SMALL_RUNS; run++) {
        bool kept = run == 0 || run == 4;
        assert_int_equal(results.run[run].done, kept);
        assert_false(results.run[run].played);
        if (!kept) continue;
        assert_true(sotto__results_points(&results, run)[0].regret == (double)(run + 1) * 10);
        assert_true(sotto__results_points(&results, run)[1].regret == (double)(run + 1) * 400);
    }
}

static void wherever_the_end_is_cut_whole_runs_come_back(void **state)
{
    (void)state;
    make_file();
    size_t length = read_bytes(), header = strcspn(bytes, "\n") + 1;
    char *second = strstr(strstr(bytes + header, "\n") + 1, "\n") + 1;
    size_t first_run = (size_t)(second - bytes);
    for (size_t cut = 0; cut < length; cut++) {
        char kept[sizeof bytes];
        memcpy(kept, bytes, length);
        assert_int_equal(unlink(where.file), 0);
        file_write(where.file, (const uint8_t *)bytes, cut);
        assert_silent(open_again());
        assert_int_equal(results.done_count, cut >= first_run ? 1 : 0);
        size_t good = cut >= first_run ? first_run : cut >= header ? header : 0;
        assert_int_equal(resume.dropped_bytes, cut - good);
        sotto__resume_close(&resume);
        size_t left = read_bytes();
        assert_int_equal(left, good > 0 ? good : header);
        assert_memory_equal(bytes, kept, left);
        memcpy(bytes, kept, length);
    }
}

static void a_sweep_may_grow_and_shrink(void **state)
{
    (void)state;
    make_file();
    comparison.sweep.seeds_count = SMALL_SEEDS + 1;
    assert_silent(open_again());
    assert_int_equal(results.done_count, 2);
    assert_true(results.run[0].done);
    assert_true(results.run[5].done); /* match 1, seed 8 */
    comparison.sweep.seeds_count = 1;
    assert_silent(open_again());
    assert_int_equal(results.done_count, 1);
    assert_true(results.run[0].done);
}

static void nothing_is_kept_without_a_file(void **state)
{
    (void)state;
    small_take(&results, &comparison, 0);
    assert_true(sotto__resume_add(&resume, &comparison, &results, 0));
    assert_int_equal(resume.kept_count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_that_is_none_is_refused_and_left_alone),
        TEST(a_folder_is_no_file),
        TEST(a_pipe_is_no_regular_file),
        TEST(a_file_that_another_sweep_writes_to_is_refused),
        TEST(the_file_of_another_sweep_is_named_and_left_alone),
        TEST(a_changed_row_is_refused_by_its_line),
        TEST(a_run_that_is_there_twice_is_refused),
        TEST(a_row_of_no_match_is_refused),
        TEST(a_row_of_an_earlier_seed_is_refused),
        TEST(a_run_that_does_not_fit_on_the_disk_leaves_the_file_as_it_was),
        TEST(finished_runs_come_back_and_are_not_played),
        TEST(wherever_the_end_is_cut_whole_runs_come_back),
        TEST(a_sweep_may_grow_and_shrink),
        TEST(nothing_is_kept_without_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
