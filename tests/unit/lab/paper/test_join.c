/* Folders of shards as one: what does not belong together, what is missing, and the runs of one machine. */
#include "lab/paper/folder.h"
#include "lab/paper/join.h"
#include "lab/paper/play.h"
#include "reproductions.h"
#include "texts.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHARDS 3u

static folder part[SHARDS + 1], out, program;
static const char *path[SHARDS + 1];
static char fault[SOTTO_FAULT_BYTES];
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

/* Plays a shard into a folder, as the command does. */
static void play(const folder *f, sotto__shard shard, uint64_t horizon)
{
    const sotto__reproduction_listener listener = {.progress = ignore_progress, .stops = never};
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, horizon);
    sotto__reproduction *r;
    sotto__folder opened;
    settings.out = f->path;
    settings.program = text_file(&program, "the program");
    settings.shard = shard;
    assert_silent(sotto__reproduction_new(&settings, &r, fault));
    assert_silent(sotto__folder_open(&opened, &settings, fault));
    assert_silent(sotto__reproduction_play(r, &listener, fault));
    sotto__folder_close(&opened);
    sotto__reproduction_free(r);
}

static int set_up(void **state)
{
    (void)state;
    out = folder_new();
    program = folder_new();
    for (uint32_t i = 0; i <= SHARDS; i++) {
        part[i] = folder_new();
        path[i] = part[i].path;
        if (i < SHARDS) play(&part[i], (sotto__shard){i + 1, SHARDS, 0}, 20);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i <= SHARDS; i++) {
        folder_free_page(&part[i]);
    }
    folder_free_page(&out);
    folder_free(&program);
    return 0;
}

static const char *join(uint32_t count)
{
    return sotto__join(path, count, out.path, &foreign, fault);
}

static void assert_refused(uint32_t count, const char *words)
{
    assert_says(join(count), fault, words);
    assert_false(foreign);
    assert_int_equal(folder_count(&out), 0);
}

static const char *in(const folder *f, const char *name)
{
    static char text[FOLDER_PATH_BYTES + 100];
    snprintf(text, sizeof text, "%s/%s", f->path, name);
    return text;
}

static void what_is_no_folder_of_a_shard_is_refused(void **state)
{
    (void)state;
    assert_true(sotto__join_is_folder(out.path));
    assert_false(sotto__join_is_folder(text_file(&program, "the program")));
    assert_false(sotto__join_is_folder("/nowhere"));
    assert_refused(0, "no folder");
    path[1] = program.path;
    assert_refused(SHARDS, "this is not the folder of a shard");
    path[1] = part[SHARDS].path;
    play(&part[SHARDS], (sotto__shard){0}, 20);
    assert_refused(SHARDS, "this is not the folder of a shard");
}

static void a_manifest_that_nobody_writes_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "shard 0 of 3\nfiles 2\n",          "shard 4 of 3\nfiles 2\n",
        "shard 1 of 4000000000\nfiles 2\n", "shard 1 of 3\n",
        "shard 1 of 3\nfiles 2\nmore\n",    "shard 01 of 3\nfiles 2\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(bytes, sizeof bytes, "sotto reproduce\n%s", bad[i]);
        file_write(in(&part[0], "reproduce.txt"), (const uint8_t *)bytes, strlen(bytes));
        assert_refused(SHARDS, "this is not the folder of a shard");
    }
    memset(bytes, 'a', sizeof bytes);
    file_write(in(&part[0], "reproduce.txt"), (const uint8_t *)bytes, sizeof bytes);
    assert_refused(SHARDS, "this is not the folder of a shard");
}

static void what_another_machine_wrote_is_shown_without_what_a_terminal_obeys(void **state)
{
    (void)state;
    static const char manifest[] =
        "sotto \x1b[2Jreproduce\a\xC2\x9B\xFF\xC3\xA4\nshard 2 of 3\nfiles 2\n";
    file_write(in(&part[1], "reproduce.txt"), (const uint8_t *)manifest, sizeof manifest - 1);
    assert_refused(SHARDS, "and sotto ?[2Jreproduce???\xC3\xA4");
    assert_null(strpbrk(fault, "\x1b\a"));
}

static void shards_that_are_missing_or_given_twice_are_named(void **state)
{
    (void)state;
    assert_refused(1, "shards 2,3 of 3 are missing: run them, and give their folders too");
    assert_refused(2, "shard 3 of 3 is missing: run it, and give its folder too");
    path[1] = part[0].path;
    assert_refused(SHARDS, "are both shard 1 of 3: give every shard once");
    path[1] = part[1].path;
}

static void a_shard_that_is_not_finished_is_named(void **state)
{
    (void)state;
    const char *name = in(&part[1], "shards/shared-d2-exact-20.jsonl");
    size_t count = file_read(name, (uint8_t *)bytes, sizeof bytes);
    assert_int_equal(unlink(name), 0);
    assert_refused(SHARDS, "shard 2 of 3 is not finished: run it again");
    file_write(name, (const uint8_t *)bytes, count - 10);
    assert_says(join(SHARDS), fault, "shard 2 of 3 is not finished (");
}

static void shards_of_other_reproductions_are_named_with_what_differs(void **state)
{
    (void)state;
    path[1] = part[SHARDS].path;
    play(&part[SHARDS], (sotto__shard){2, SHARDS, 0}, 30);
    assert_refused(SHARDS, "are of other reproductions: horizon 20, and horizon 30");
    folder_free_page(&part[SHARDS]);
    part[SHARDS] = folder_new();
    path[1] = part[SHARDS].path;
    play(&part[SHARDS], (sotto__shard){2, 4, 0}, 20);
    assert_refused(SHARDS, "are shards of 3 and of 4");
    path[1] = part[1].path;
}

static void a_folder_with_something_else_is_left_alone(void **state)
{
    (void)state;
    text_file(&out, "mine");
    assert_says(join(SHARDS), fault, "files that are no page of ours");
    assert_true(foreign);
    assert_int_equal(folder_count(&out), 1);
    assert_says(sotto__join(path, SHARDS, path[0], &foreign, fault), fault,
                "holds another page (shard 1 of 3; this one: no shard)");
    assert_true(foreign);
}

/* One machine with one thread. Joining again, as after a kill, changes nothing. */
static void joined_folders_have_the_bytes_of_one_machine(void **state)
{
    (void)state;
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_no_folder_of_a_shard_is_refused),
        TEST(a_manifest_that_nobody_writes_is_refused),
        TEST(what_another_machine_wrote_is_shown_without_what_a_terminal_obeys),
        TEST(shards_that_are_missing_or_given_twice_are_named),
        TEST(a_shard_that_is_not_finished_is_named),
        TEST(shards_of_other_reproductions_are_named_with_what_differs),
        TEST(a_folder_with_something_else_is_left_alone),
        TEST(joined_folders_have_the_bytes_of_one_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
