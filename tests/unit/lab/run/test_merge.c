/* Merged shards: shards that do not match, missing shards, and the bytes of one machine. */
#include "lab/run/run.h"
#include "shards.h"
#include "texts.h"
#include "why.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHARDS 3u

static directory where;
static sotto__comparison comparison;
static char name[8][DIRECTORY_PATH_BYTES + 16];
static const char *path[8];
static char bytes[16384], wanted[16384];

FIXTURE(set_up)
{
    where = directory_new();
    small_comparison_new(&comparison);
    for (uint32_t i = 0; i < 8; i++) {
        snprintf(name[i], sizeof name[i], "%s/part%u", where.path, i + 1);
        path[i] = name[i];
    }
}

FIXTURE(tear_down)
{
    sotto__comparison_free(&comparison);
    directory_free(&where);
}

static void make_all(uint32_t count, sotto__text_format format)
{
    for (uint32_t i = 0; i < count; i++) {
        shard_write(path[i], &comparison, (sotto__shard){i + 1, count, 0}, format);
    }
}

static const char *merge_of(uint32_t count)
{
    return WHY(sotto_shards_merge, path, count, where.other);
}

static void read_text(const char *from, char *text)
{
    text[file_read(from, (uint8_t *)text, sizeof bytes - 1)] = '\0';
}

/* Refused, and nothing was written. */
static void assert_refused(uint32_t count, const char *words)
{
    struct stat about;
    assert_says(merge_of(count), why_fault.sentence, words);
    assert_int_not_equal(stat(where.other, &about), 0);
}

TEST_WITH(no_files_and_bad_files_are_refused, set_up, tear_down)
{
    make_all(SHARDS, SOTTO__TEXT_CSV);
    assert_refused(0, "there is no file to merge");
    text_file(&where, "some,other\ntable,1\n");
    path[1] = where.file;
    assert_refused(SHARDS, "ledger: this is not a file of rows");
    path[1] = where.path;
    assert_refused(SHARDS, "not a regular file");
    path[1] = "/nowhere/part2";
    assert_refused(SHARDS, "/nowhere/part2: No such file");
}

TEST_WITH(missing_shards_are_named, set_up, tear_down)
{
    make_all(5, SOTTO__TEXT_CSV);
    path[1] = path[3]; /* 1, 4, 3 are given */
    assert_refused(3, "shards 2,5 of 5 are missing: run them");
    assert_refused(1, "shards 2,3,4,5 of 5 are missing");
    path[1] = name[1];
    assert_refused(4, "shard 5 of 5 is missing: run it, and give it too");
}

TEST_WITH(a_shard_that_is_given_twice_is_named, set_up, tear_down)
{
    make_all(SHARDS, SOTTO__TEXT_CSV);
    path[3] = path[1];
    assert_refused(4, "part2 are one file, of shard 2 of 3: give every shard once");
    shard_write(name[4], &comparison, (sotto__shard){2, 3, 0}, SOTTO__TEXT_CSV);
    path[3] = name[4];
    assert_refused(4, "part5 are both shard 2 of 3");
    assert_non_null(strstr(why_fault.sentence, "part2 and "));
}

TEST_WITH(a_shard_that_is_not_finished_is_named, set_up, tear_down)
{
    make_all(4, SOTTO__TEXT_CSV);
    read_text(path[2], bytes); /* runs 2, 6, 10 */
    assert_int_equal(truncate(path[2], (off_t)(strstr(bytes, "ols,0.5,7,400,") - bytes)), 0);
    assert_refused(4, "shard 3 of 4 is not finished (");
    assert_non_null(strstr(why_fault.sentence, "part3 has 1 of its 3 runs): run it again"));
    read_text(path[1], bytes);
    assert_int_equal(truncate(path[1], (off_t)(strstr(bytes, "# {\"end\"") - bytes)), 0);
    assert_refused(3, "shards 2,3 of 4 are not finished (");
    assert_non_null(
        strstr(why_fault.sentence,
               "part2 has 3 of its 3 runs, and no last line): run them again; missing: 4"));
}

TEST_WITH(shards_of_other_sweeps_are_named_with_what_differs, set_up, tear_down)
{
    make_all(SHARDS, SOTTO__TEXT_CSV);
    const sotto__shard second = {2, SHARDS, 0};
    comparison.sweep.first_seed = 8;
    shard_write(path[1], &comparison, second, SOTTO__TEXT_CSV);
    assert_refused(SHARDS, "with other options: first seed 7, and first seed 8");
    comparison.sweep.first_seed = 7;
    comparison.epsilon[3] = 2.5;
    shard_write(path[1], &comparison, second, SOTTO__TEXT_CSV);
    assert_refused(SHARDS, "with other options: ols at 2, and ols at 2.5");
    comparison.epsilon[3] = 2;
    comparison.match[0].spec.theta_norm_max *= 2; /* which is not among the main options */
    shard_write(path[1], &comparison, second, SOTTO__TEXT_CSV);
    assert_refused(SHARDS, "part2 are of sweeps with other options");
    comparison.match[0].spec.theta_norm_max /= 2;
    comparison.sweep.seeds_count = 2;
    shard_write(path[1], &comparison, second, SOTTO__TEXT_CSV);
    assert_refused(SHARDS, "part2 are of sweeps of 12 and of 8 runs");
    comparison.sweep.seeds_count = SMALL_SEEDS;
    shard_write(path[1], &comparison, second, SOTTO__TEXT_JSON);
    assert_refused(SHARDS, "one has CSV, the other JSON lines");
    shard_write(path[1], &comparison, (sotto__shard){2, 4, 0}, SOTTO__TEXT_CSV);
    assert_refused(SHARDS, "part2 are shards of 3 and of 4");
    shard_write(path[1], &comparison, (sotto__shard){2, 3, 1}, SOTTO__TEXT_CSV);
    assert_refused(SHARDS, "part2 are of sweeps of");
    shard_write(path[1], &comparison, second, SOTTO__TEXT_CSV);
    assert_silent(merge_of(SHARDS));
}

TEST_WITH(shards_of_another_version_are_refused, set_up, tear_down)
{
    char text[SOTTO__ROWS_HEAD_BYTES];
    make_all(SHARDS, SOTTO__TEXT_JSON);
    sotto__rows_head head =
        sotto__rows_head_of(&comparison, &(sotto__shard){2, SHARDS, 0}, SOTTO__TEXT_JSON);
    snprintf(head.version, sizeof head.version, "99.9");
    sotto__rows_head_text(&head, text);
    file_write(path[1], (const uint8_t *)text, strlen(text));
    assert_refused(SHARDS, "part2 were written by versions " SOTTO_VERSION " and 99.9 of sotto");
}

/* Any number of shards, even more than runs, in any order and format. */
TEST_WITH(merged_shards_are_the_bytes_of_one_machine, set_up, tear_down)
{
    static const sotto__text_format formats[] = {SOTTO__TEXT_CSV, SOTTO__TEXT_JSON};
    for (uint32_t f = 0; f < 2; f++) {
        shard_write(where.file, &comparison, (sotto__shard){0}, formats[f]);
        read_text(where.file, wanted);
        for (uint32_t count = 1; count <= 8; count++) {
            make_all(count, formats[f]);
            path[0] = name[count - 1];
            path[count - 1] = name[0];
            assert_silent(merge_of(count));
            read_text(where.other, bytes);
            assert_string_equal(bytes, wanted);
            path[0] = name[0];
            path[count - 1] = name[count - 1];
        }
    }
}

TEST_WITH(there_may_be_more_shards_than_files_that_can_be_open, set_up, tear_down)
{
    enum { MANY = 100 };
    struct rlimit usual, few;
    static char many[MANY][DIRECTORY_PATH_BYTES + 16];
    static const char *paths[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(many[i], sizeof many[i], "%s/%u", where.path, i);
        shard_write(many[i], &comparison, (sotto__shard){i + 1, MANY, 0}, SOTTO__TEXT_CSV);
        paths[i] = many[i];
    }
    shard_write(where.file, &comparison, (sotto__shard){0}, SOTTO__TEXT_CSV);
    read_text(where.file, wanted);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    few = (struct rlimit){MANY / 2, usual.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    const char *wrong = WHY(sotto_shards_merge, paths, MANY, where.other);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    assert_silent(wrong);
    read_text(where.other, bytes);
    assert_string_equal(bytes, wanted);
}

TEST_WITH(shards_that_were_dealt_on_are_joined_too, set_up, tear_down)
{
    shard_write(where.file, &comparison, (sotto__shard){0}, SOTTO__TEXT_CSV);
    read_text(where.file, wanted);
    for (uint32_t i = 0; i < 5; i++) {
        shard_write(path[i], &comparison, (sotto__shard){i + 1, 5, 7}, SOTTO__TEXT_CSV);
    }
    assert_silent(merge_of(5));
    read_text(where.other, bytes);
    assert_string_equal(bytes, wanted);
}

TEST_WITH(an_old_file_is_replaced_but_none_of_the_shards, set_up, tear_down)
{
    make_all(SHARDS, SOTTO__TEXT_CSV);
    file_write(where.other, (const uint8_t *)"old", 3);
    assert_says(WHY(sotto_shards_merge, path, SHARDS, path[1]), why_fault.sentence,
                "part2 is one of the shards");
    assert_int_equal(symlink(path[1], where.file), 0);
    assert_says(WHY(sotto_shards_merge, path, SHARDS, where.file), why_fault.sentence,
                "ledger is one of the shards");
    assert_silent(merge_of(SHARDS));
    read_text(where.other, bytes);
    assert_memory_equal(bytes, SOTTO_COMPARISON_HEADER, strlen(SOTTO_COMPARISON_HEADER));
    assert_silent(merge_of(SHARDS)); /* the shards did not change */
    assert_silent(WHY(sotto_shards_merge, path, SHARDS, "/dev/null"));
    struct stat about;
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

/* PATH.part is where a merge writes first. */
TEST_WITH(a_shard_at_the_place_of_the_draft_is_not_lost, set_up, tear_down)
{
    char draft[DIRECTORY_PATH_BYTES + 32];
    make_all(SHARDS, SOTTO__TEXT_CSV);
    snprintf(draft, sizeof draft, "%s.part", where.other);
    assert_int_equal(rename(path[0], draft), 0);
    path[0] = draft;
    assert_refused(SHARDS, "other.part is one of the shards");
    assert_says(WHY(sotto_shards_merge, path, SHARDS, "/nowhere/out"), why_fault.sentence,
                "cannot write /nowhere/out.part: No such file");
}

TEST_WITH(a_full_disk_is_told, set_up, tear_down)
{
    make_all(SHARDS, SOTTO__TEXT_CSV);
    assert_says(WHY(sotto_shards_merge, path, SHARDS, "/dev/full"), why_fault.sentence,
                "No space left");
}

TEST_WITH(a_shard_that_changes_while_it_is_read_is_found, set_up, tear_down)
{
    sotto__merge merge;
    make_all(SHARDS, SOTTO__TEXT_CSV);
    assert_silent(WHY(sotto__merge_read, &merge, path, SHARDS));
    assert_int_equal(truncate(path[1], 500), 0);
    assert_says(WHY(sotto__merge_save, &merge, SOTTO__MERGE_ROWS, where.other), why_fault.sentence,
                "part2 changed while it was read");
    sotto__merge_free(&merge);
    assert_int_not_equal(access(where.other, F_OK), 0);
    snprintf(bytes, sizeof bytes, "%s.part", where.other);
    assert_int_not_equal(access(bytes, F_OK), 0);
}

/* In both formats; the result is itself a shard, the only one. */
TEST_WITH(merged_shards_can_be_gone_on_with_and_merged_again, set_up, tear_down)
{
    static const sotto__text_format formats[] = {SOTTO__TEXT_CSV, SOTTO__TEXT_JSON};
    for (uint32_t f = 0; f < 2; f++) {
        sotto__merge merge;
        sotto__results results;
        sotto__resume resume = SOTTO__RESUME_NONE;
        const char *const merged[] = {where.other};
        make_all(SHARDS, formats[f]);
        assert_silent(WHY(sotto__merge_read, &merge, path, SHARDS));
        assert_silent(WHY(sotto__merge_save, &merge, SOTTO__MERGE_FILE, where.other));
        sotto__merge_free(&merge);
        read_text(where.other, wanted);
        assert_ok(sotto__results_new(&comparison, &results));
        assert_silent(WHY(sotto__resume_open, &resume, where.other, &comparison, &(sotto__shard){0},
                          &results));
        assert_int_equal(resume.kept_count, SMALL_RUNS);
        assert_int_equal(resume.dropped_bytes, 0);
        assert_true(sotto__resume_end(&resume, &comparison, &results));
        sotto__resume_close(&resume);
        sotto__results_free(&results);
        read_text(where.other, bytes);
        assert_string_equal(bytes, wanted);
        assert_silent(WHY(sotto_shards_merge, merged, 1, where.file));
        read_text(where.file, bytes);
        shard_write(where.file, &comparison, (sotto__shard){0}, formats[f]);
        read_text(where.file, wanted);
        assert_string_equal(bytes, wanted);
    }
}
