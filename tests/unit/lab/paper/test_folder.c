/* The folder of a page: two never mix. */
#include "lab/paper/folder.h"
#include "reproductions.h"
#include "texts.h"

#include <stdio.h>
#include <sys/stat.h>

typedef struct place {
    folder f;
    char out[FOLDER_PATH_BYTES + 100], manifest[FOLDER_PATH_BYTES + 100];
    sotto__reproduction_settings settings;
} place;

/* A folder that is there and empty; the program is a file in another. */
static void begin(place *p, const folder *program)
{
    p->f = folder_new();
    snprintf(p->out, sizeof p->out, "%s", p->f.path);
    snprintf(p->manifest, sizeof p->manifest, "%s/reproduce.txt", p->f.path);
    p->settings = settings_made("shared-d2", 3, 500);
    p->settings.out = p->out;
    p->settings.program = text_file(program, "the program");
}

static void refused(const sotto__reproduction_settings *settings, bool foreign, const char *words)
{
    char fault[SOTTO_FAULT_BYTES];
    sotto__folder opening;
    assert_says(sotto__folder_open(&opening, settings, fault), fault, words);
    assert_true(opening.foreign == foreign);
    sotto__folder_close(&opening);
}

static void opened(const sotto__reproduction_settings *settings)
{
    char fault[SOTTO_FAULT_BYTES];
    sotto__folder opening;
    assert_silent(sotto__folder_open(&opening, settings, fault));
    assert_false(opening.foreign);
    sotto__folder_close(&opening);
}

static void what_cannot_be_a_folder_is_refused(void **state)
{
    (void)state;
    folder program = folder_new();
    char far[5000];
    place p;
    begin(&p, &program);
    snprintf(p.out, sizeof p.out, "%s/no/such", p.f.path);
    refused(&p.settings, false, "No such file or directory");
    snprintf(p.out, sizeof p.out, "%s", text_file(&p.f, "a file"));
    refused(&p.settings, false, "this is not a folder");
    memset(far, 'a', sizeof far - 1);
    far[sizeof far - 1] = '\0';
    p.settings.out = far;
    refused(&p.settings, false, "name too long");
    folder_free(&p.f);
    folder_free(&program);
}

static void the_files_of_others_are_left_alone(void **state)
{
    (void)state;
    folder program = folder_new();
    place p;
    begin(&p, &program);
    text_file(&p.f, "mine");
    refused(&p.settings, true, "files that are no page of ours");
    assert_int_equal(folder_count(&p.f), 1);
    folder_free(&p.f);
    folder_free(&program);
}

/* Each thing that determines a page, changed on its own. */
static void another_page_is_refused_and_said(void **state)
{
    (void)state;
    folder program = folder_new();
    place p;
    begin(&p, &program);
    opened(&p.settings);
    sotto__reproduction_settings other = p.settings;
    other.first_seed = 2;
    refused(&other, true, "another page (first seed 1; this one: first seed 2)");
    other = p.settings;
    other.seeds = 4;
    refused(&other, true, "(seeds 3; this one: seeds 4)");
    other = p.settings;
    other.horizon = 501;
    refused(&other, true, "(horizon 500; this one: horizon 501)");
    other = p.settings;
    other.scale = SOTTO__SCALE_FULL;
    refused(&other, true, "(scale quick; this one: scale full)");
    other = p.settings;
    other.only = NULL;
    refused(&other, true, "(experiments shared-d2; this one: experiments all)");
    other = p.settings;
    other.data = p.settings.program;
    refused(&other, true, "(data the stand-in; this one: data ");
    other.data = "/dev/null"; /* SHA-256 of nothing */
    refused(&other, true,
            "this one: data e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855)");
    text_file(&program, "the program, changed");
    refused(&p.settings, true, "(program ");
    text_file(&program, "the program");
    opened(&p.settings);
    folder_free(&p.f);
    folder_free(&program);
}

static void two_at_a_time_are_one_too_many(void **state)
{
    (void)state;
    char fault[SOTTO_FAULT_BYTES];
    folder program = folder_new();
    sotto__folder first;
    place p;
    begin(&p, &program);
    assert_silent(sotto__folder_open(&first, &p.settings, fault));
    refused(&p.settings, false, "another sotto reproduce is at work there");
    sotto__folder_close(&first);
    opened(&p.settings);
    folder_free(&p.f);
    folder_free(&program);
}

/* SHA-256 of "abc": FIPS 180-4. Threads change nothing, and neither does the command. */
static void the_manifest_says_what_determines_the_page(void **state)
{
    (void)state;
    static const char wanted[] =
        "\nprogram ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
        "scale quick\nfirst seed 1\nseeds 3\nhorizon 500\nexperiments shared-d2\n"
        "data the stand-in\n";
    char text[4096];
    struct stat about;
    folder program = folder_new();
    place p;
    begin(&p, &program);
    text_file(&program, "abc");
    opened(&p.settings);
    text[file_read(p.manifest, (uint8_t *)text, sizeof text - 1)] = '\0';
    assert_int_equal(strncmp(text, "sotto reproduce, version ", 25), 0);
    assert_string_equal(strchr(text, '\n'), wanted);
    snprintf(text, sizeof text, "%s/runs", p.f.path);
    assert_int_equal(stat(text, &about), 0);
    assert_true(S_ISDIR(about.st_mode));
    p.settings.threads = 9;
    p.settings.command = "another command";
    opened(&p.settings);
    folder_free(&p.f);
    folder_free(&program);
}

static void the_manifest_of_a_shard_says_which_it_is(void **state)
{
    (void)state;
    char text[4096];
    struct stat about;
    folder program = folder_new();
    place p;
    begin(&p, &program);
    p.settings.shard = (sotto__shard){2, 3, 0};
    opened(&p.settings);
    text[file_read(p.manifest, (uint8_t *)text, sizeof text - 1)] = '\0';
    assert_non_null(strstr(text, "\ndata the stand-in\nshard 2 of 3\nfiles 2\n"));
    snprintf(text, sizeof text, "%s/shards", p.f.path);
    assert_int_equal(stat(text, &about), 0);
    sotto__reproduction_settings other = p.settings;
    other.shard.index = 1;
    refused(&other, true, "(shard 2 of 3; this one: shard 1 of 3)");
    other.shard = (sotto__shard){0};
    refused(&other, true, "(shard 2 of 3; this one: no shard)");
    opened(&p.settings);
    folder_free_page(&p.f);
    folder_free(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_a_folder_is_refused),
        cmocka_unit_test(the_files_of_others_are_left_alone),
        cmocka_unit_test(another_page_is_refused_and_said),
        cmocka_unit_test(two_at_a_time_are_one_too_many),
        cmocka_unit_test(the_manifest_says_what_determines_the_page),
        cmocka_unit_test(the_manifest_of_a_shard_says_which_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
