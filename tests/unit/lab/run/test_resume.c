/* Rows files that grow: what is refused, what is dropped, what is read back. */
#include "directory.h"
#include "lab/run/run.h"
#include "shards.h"
#include "test.h"
#include "texts.h"
#include "why.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const sotto__shard whole = {0};
static directory where;
static sotto__comparison comparison;
static sotto__results results;
static sotto__resume resume;
static char bytes[65536];

FIXTURE(set_up)
{
    where = directory_new();
    small_comparison_new(&comparison);
    assert_ok(sotto__results_new(&comparison, &results));
    resume = SOTTO__RESUME_NONE;
}

FIXTURE(tear_down)
{
    sotto__resume_close(&resume);
    sotto__results_free(&results);
    sotto__comparison_free(&comparison);
    directory_free(&where);
}

static const char *open_again(void)
{
    sotto__resume_close(&resume);
    sotto__results_free(&results);
    assert_ok(sotto__results_new(&comparison, &results));
    return WHY(sotto__resume_open, &resume, where.file, &comparison, &whole, &results);
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

TEST_WITH(a_file_that_is_none_is_refused_and_left_alone, set_up, tear_down)
{
    assert_says((text_file(&where, "some,other\ntable,1\n"), open_again()), why_fault.sentence,
                "this is not a file of rows");
    read_bytes();
    assert_string_equal(bytes, "some,other\ntable,1\n");
}

TEST_WITH(a_directory_is_no_file, set_up, tear_down)
{
    assert_says(WHY(sotto__resume_open, &resume, where.path, &comparison, &whole, &results),
                why_fault.sentence, "directory");
}

TEST_WITH(a_pipe_is_no_regular_file, set_up, tear_down)
{
    assert_int_equal(mkfifo(where.file, 0600), 0);
    assert_says(open_again(), why_fault.sentence, "not a regular file");
}

TEST_WITH(a_file_that_another_sweep_writes_to_is_refused, set_up, tear_down)
{
    sotto__resume second = SOTTO__RESUME_NONE;
    assert_silent(open_again());
    assert_says(WHY(sotto__resume_open, &second, where.file, &comparison, &whole, &results),
                why_fault.sentence, "another sweep is writing");
    sotto__resume_close(&second);
}

TEST_WITH(the_file_of_another_sweep_is_named_and_left_alone, set_up, tear_down)
{
    make_file();
    size_t length = read_bytes();
    comparison.epsilon[1] = 3;
    assert_says(open_again(), why_fault.sentence, "another sweep");
    assert_true(resume.foreign);
    assert_non_null(strstr(resume.sweep_there, "sotto at 2"));
    assert_non_null(strstr(resume.sweep_here, "sotto at 3"));
    assert_memory_equal(resume.sweep_there, strstr(bytes, "\"sweep\": \"") + 10, 12);
    assert_int_equal(read_bytes(), length);
}

TEST_WITH(a_changed_row_is_refused_by_its_line, set_up, tear_down)
{
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
    assert_says(open_again(), why_fault.sentence, "line 3: this is not a row; nothing was changed");
}

TEST_WITH(a_run_that_is_there_twice_is_refused, set_up, tear_down)
{
    make_file();
    size_t length = read_bytes(), header = strcspn(bytes, "\n") + 1;
    memcpy(bytes + length, bytes + header, length - header);
    file_write(where.file, (const uint8_t *)bytes, 2 * length - header);
    assert_says(open_again(), why_fault.sentence, "twice");
}

TEST_WITH(a_row_of_no_match_is_refused, set_up, tear_down)
{
    make_file();
    size_t length = read_bytes(), header = strcspn(bytes, "\n") + 1;
    memcpy(strstr(bytes + header, "sotto"), "sotta", 5);
    file_write(where.file, (const uint8_t *)bytes, length);
    assert_says(open_again(), why_fault.sentence, "line 2: this row does not belong to this sweep");
}

TEST_WITH(a_row_of_an_earlier_seed_is_refused, set_up, tear_down)
{
    make_file();
    size_t length = read_bytes(), header = strcspn(bytes, "\n") + 1;
    for (char *at = bytes + header; (at = strstr(at, "\"seed\": ")) != NULL;) {
        at += strlen("\"seed\": ");
        *at = '6'; /* the first is 7 */
    }
    file_write(where.file, (const uint8_t *)bytes, length);
    assert_says(open_again(), why_fault.sentence, "line 2: this row does not belong to this sweep");
}

TEST_WITH(a_run_that_does_not_fit_on_the_disk_leaves_the_file_as_it_was, set_up, tear_down)
{
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

TEST_WITH(finished_runs_come_back_and_are_not_played, set_up, tear_down)
{
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

TEST_WITH(wherever_the_end_is_cut_whole_runs_come_back, set_up, tear_down)
{
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

TEST_WITH(a_sweep_may_grow_and_shrink, set_up, tear_down)
{
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

TEST_WITH(nothing_is_kept_without_a_file, set_up, tear_down)
{
    small_take(&results, &comparison, 0);
    assert_true(sotto__resume_add(&resume, &comparison, &results, 0));
    assert_int_equal(resume.kept_count, 0);
}

static void add_runs(uint64_t first, uint64_t last)
{
    for (uint64_t run = last + 1; run-- > first;) {
        if (results.run[run].done) continue;
        small_take(&results, &comparison, run);
        assert_true(sotto__resume_add(&resume, &comparison, &results, run));
    }
}

/* In the order of the sweep, in whatever order they finished. */
TEST_WITH(a_finished_file_is_that_of_a_shard, set_up, tear_down)
{
    char wanted[sizeof bytes];
    make_file();
    assert_silent(open_again());
    add_runs(1, SMALL_RUNS - 2);
    assert_true(sotto__resume_end(&resume, &comparison, &results));
    read_bytes();
    assert_null(strstr(bytes, "\"end\"")); /* one is missing */
    add_runs(0, SMALL_RUNS - 1);
    assert_true(sotto__resume_end(&resume, &comparison, &results));
    sotto__resume_close(&resume);
    size_t length = read_bytes();
    memcpy(wanted, bytes, length + 1);
    shard_write(where.file, &comparison, (sotto__shard){1, 1, 0}, SOTTO__TEXT_JSON);
    assert_int_equal(read_bytes(), length);
    assert_string_equal(bytes, wanted);
}

TEST_WITH(a_finished_file_that_cannot_be_written_is_as_before, set_up, tear_down)
{
    char part[sizeof where.file + 8];
    assert_silent(open_again());
    add_runs(0, SMALL_RUNS - 1);
    size_t length = read_bytes();
    snprintf(part, sizeof part, "%s.part", where.file);
    assert_int_equal(mkdir(part, 0700), 0);
    assert_false(sotto__resume_end(&resume, &comparison, &results));
    assert_int_equal(errno, EISDIR);
    assert_int_equal(rmdir(part), 0);
    assert_int_equal(read_bytes(), length);
    assert_silent(open_again());
    assert_int_equal(results.done_count, SMALL_RUNS);
}

/* The last line goes before the first new run comes. */
TEST_WITH(a_finished_file_grows_on_and_keeps_what_a_smaller_sweep_does_not_want, set_up, tear_down)
{
    shard_write(where.file, &comparison, (sotto__shard){1, 1, 0}, SOTTO__TEXT_CSV);
    comparison.sweep.seeds_count = SMALL_SEEDS + 1;
    assert_silent(open_again());
    assert_int_equal(results.done_count, SMALL_RUNS);
    assert_int_equal(resume.dropped_bytes, 0);
    add_runs(0, SMALL_RUNS + 3);
    read_bytes();
    assert_null(strstr(bytes, "\"end\""));
    assert_true(sotto__resume_end(&resume, &comparison, &results));
    size_t length = read_bytes();
    assert_non_null(strstr(bytes, "# {\"end\""));
    comparison.sweep.seeds_count = 1;
    assert_silent(open_again());
    assert_true(sotto__resume_end(&resume, &comparison, &results));
    assert_int_equal(read_bytes(), length);
}

TEST_WITH(runs_of_other_shards_are_taken_and_kept, set_up, tear_down)
{
    shard_write(where.file, &comparison, (sotto__shard){2, 3, 0}, SOTTO__TEXT_JSON);
    size_t length = read_bytes();
    const sotto__shard other = {1, 3, 0};
    assert_silent(WHY(sotto__resume_open, &resume, where.file, &comparison, &other, &results));
    assert_int_equal(resume.kept_count, SMALL_RUNS / 3);
    add_runs(0, 0);
    add_runs(3, 3);
    add_runs(6, 6);
    add_runs(9, 9);
    assert_true(sotto__resume_end(&resume, &comparison, &results));
    assert_true(read_bytes() > length);
    assert_silent(open_again());
    assert_int_equal(results.done_count, 2 * SMALL_RUNS / 3);
}
