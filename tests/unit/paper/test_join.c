/* Directories of shards as one: what does not belong together, what is missing, and the runs of one machine. */
#include "paper/paper.h"
#include "reproductions.h"
#include "texts.h"
#include "why.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHARDS 3u

static directory part[SHARDS + 1], out, program;
static const char *path[SHARDS + 1];
static char bytes[1 << 20], wanted[1 << 20];
static bool foreign;

static void ignore_progress(void *state, const char *what, double known, double done, double total)
{
    (void)state, (void)what, (void)known, (void)done, (void)total;
}

static bool never(void *state)
{
    (void)state;
    return false;
}

/* Plays a shard into a directory, as the command does. */
static void play(const directory *f, sotto__shard shard, uint64_t horizon)
{
    const sotto__reproduction_listener listener = {.progress = ignore_progress, .stops = never};
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, horizon);
    sotto__reproduction *r;
    sotto__directory opened;
    settings.out = f->path;
    settings.program = text_file(&program, "the program");
    settings.shard = shard;
    assert_silent(WHY(sotto__reproduction_new, &settings, &r));
    assert_silent(WHY(sotto__directory_open, &opened, &settings));
    assert_silent(WHY(sotto__reproduction_play, r, &listener));
    sotto__directory_close(&opened);
    sotto__reproduction_free(r);
}

FIXTURE(set_up)
{
    out = directory_new();
    program = directory_new();
    for (uint32_t i = 0; i <= SHARDS; i++) {
        part[i] = directory_new();
        path[i] = part[i].path;
        if (i < SHARDS) play(&part[i], (sotto__shard){i + 1, SHARDS, 0}, 20);
    }
}

FIXTURE(tear_down)
{
    for (uint32_t i = 0; i <= SHARDS; i++) {
        directory_free_page(&part[i]);
    }
    directory_free_page(&out);
    directory_free(&program);
}

static const char *join(uint32_t count)
{
    return WHY(sotto__join, path, count, out.path, &foreign);
}

static void assert_refused(uint32_t count, const char *words)
{
    assert_says(join(count), why_fault.sentence, words);
    assert_false(foreign);
    assert_int_equal(directory_count(&out), 0);
}

static const char *in(const directory *f, const char *name)
{
    static char text[DIRECTORY_PATH_BYTES + 100];
    snprintf(text, sizeof text, "%s/%s", f->path, name);
    return text;
}

TEST_WITH(what_is_no_directory_of_a_shard_is_refused, set_up, tear_down)
{
    assert_true(sotto__join_is_directory(out.path));
    assert_false(sotto__join_is_directory(text_file(&program, "the program")));
    assert_false(sotto__join_is_directory("/nowhere"));
    assert_refused(0, "no directory");
    path[1] = program.path;
    assert_refused(SHARDS, "this is not the directory of a shard");
    path[1] = part[SHARDS].path;
    play(&part[SHARDS], (sotto__shard){0}, 20);
    assert_refused(SHARDS, "are shards of 3 and of 1");
}

TEST_WITH(a_manifest_that_nobody_writes_is_refused, set_up, tear_down)
{
    memset(bytes, 'a', sizeof bytes);
    file_write(in(&part[0], "reproduce.txt"), (const uint8_t *)bytes, sizeof bytes);
    assert_refused(SHARDS, "this is not the directory of a shard");
    assert_int_equal(unlink(in(&part[0], "reproduce.txt")), 0);
    assert_refused(SHARDS, "this is not the directory of a shard");
}

TEST_WITH(what_another_machine_wrote_is_shown_without_what_a_terminal_obeys, set_up, tear_down)
{
    static const char manifest[] = "sotto \x1b[2Jreproduce\a\xC2\x9B\xFF\xC3\xA4\nshard 2 of 3\n";
    file_write(in(&part[1], "reproduce.txt"), (const uint8_t *)manifest, sizeof manifest - 1);
    assert_refused(SHARDS, "and sotto ?[2Jreproduce???\xC3\xA4");
    assert_null(strpbrk(why_fault.sentence, "\x1b\a"));
}

TEST_WITH(shards_that_are_missing_or_given_twice_are_named, set_up, tear_down)
{
    assert_refused(1, "shards 2,3 of 3 are missing: run them, and give them too");
    assert_refused(2, "shard 3 of 3 is missing: run it, and give it too");
    path[1] = part[0].path;
    assert_refused(SHARDS, "are one file, of shard 1 of 3: give every shard once");
    path[1] = part[1].path;
}

TEST_WITH(a_shard_that_is_not_finished_is_named, set_up, tear_down)
{
    const char *name = in(&part[1], "runs/shared-d2-exact-20.jsonl");
    size_t count = file_read(name, (uint8_t *)bytes, sizeof bytes);
    assert_int_equal(unlink(name), 0);
    assert_refused(SHARDS, "have 2 and 1 files: run the one with fewer again");
    file_write(name, (const uint8_t *)bytes, count - 10);
    assert_refused(SHARDS, "shard 2 of 3 is not finished (");
    bytes[count / 2] ^= 1;
    file_write(name, (const uint8_t *)bytes, count);
    assert_refused(SHARDS, "damaged at line");
}

TEST_WITH(shards_of_other_reproductions_are_named_with_what_differs, set_up, tear_down)
{
    path[1] = part[SHARDS].path;
    play(&part[SHARDS], (sotto__shard){2, SHARDS, 0}, 30);
    assert_refused(SHARDS, "are of other reproductions: horizon 20, and horizon 30");
    directory_free_page(&part[SHARDS]);
    part[SHARDS] = directory_new();
    path[1] = part[SHARDS].path;
    play(&part[SHARDS], (sotto__shard){2, 4, 0}, 20);
    assert_refused(SHARDS, "are shards of 3 and of 4");
    path[1] = part[1].path;
}

TEST_WITH(a_directory_with_something_else_is_left_alone, set_up, tear_down)
{
    text_file(&out, "mine");
    assert_says(join(SHARDS), why_fault.sentence, "files that do not belong to a page");
    assert_true(foreign);
    assert_int_equal(directory_count(&out), 1);
    assert_says(WHY(sotto__join, path, SHARDS, path[0], &foreign), why_fault.sentence,
                "holds another page (shard 1 of 3; this one: no shard)");
    assert_true(foreign);
}

/* One machine with one thread. Joining again, as after a kill, changes nothing. */
TEST_WITH(joined_directories_have_the_bytes_of_one_machine, set_up, tear_down)
{
    static const char *const name[] = {"reproduce.txt", "runs/shared-d2-exact-20.jsonl",
                                       "runs/shared-d2-published-20.jsonl"};
    play(&part[SHARDS], (sotto__shard){0}, 20);
    for (uint32_t times = 0; times < 2; times++) {
        assert_silent(join(SHARDS));
        for (size_t i = 0; i < 3; i++) {
            size_t count = file_read(in(&part[SHARDS], name[i]), (uint8_t *)wanted, sizeof wanted);
            assert_true(count > 100);
            assert_int_equal(file_read(in(&out, name[i]), (uint8_t *)bytes, sizeof bytes), count);
            assert_memory_equal(bytes, wanted, count);
        }
    }
}
