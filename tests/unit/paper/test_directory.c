/* The directory of a page: two never mix. */
#include "paper/paper.h"
#include "reproductions.h"
#include "texts.h"
#include "why.h"

#include <stdio.h>
#include <sys/stat.h>

typedef struct place {
    directory f;
    char out[DIRECTORY_PATH_BYTES + 100], manifest[DIRECTORY_PATH_BYTES + 100];
    sotto__reproduction_settings settings;
} place;

/* A directory that is there and empty; the program is a file in another. */
static void begin(place *p, const directory *program)
{
    p->f = directory_new();
    snprintf(p->out, sizeof p->out, "%s", p->f.path);
    snprintf(p->manifest, sizeof p->manifest, "%s/reproduce.txt", p->f.path);
    p->settings = settings_made("shared-d2", 3, 500);
    p->settings.out = p->out;
    p->settings.program = text_file(program, "the program");
}

static void refused(const sotto__reproduction_settings *settings, bool foreign, const char *words)
{
    sotto__directory opening;
    assert_says(WHY(sotto__directory_open, &opening, settings), why_fault.sentence, words);
    assert_true(opening.foreign == foreign);
    sotto__directory_close(&opening);
}

static void opened(const sotto__reproduction_settings *settings)
{
    sotto__directory opening;
    assert_silent(WHY(sotto__directory_open, &opening, settings));
    assert_false(opening.foreign);
    sotto__directory_close(&opening);
}

TEST(what_cannot_be_a_directory_is_refused)
{
    directory program = directory_new();
    char far[5000];
    place p;
    begin(&p, &program);
    snprintf(p.out, sizeof p.out, "%s/no/such", p.f.path);
    refused(&p.settings, false, "No such file or directory");
    snprintf(p.out, sizeof p.out, "%s", text_file(&p.f, "a file"));
    refused(&p.settings, false, "this is not a directory");
    memset(far, 'a', sizeof far - 1);
    far[sizeof far - 1] = '\0';
    p.settings.out = far;
    refused(&p.settings, false, "name too long");
    directory_free(&p.f);
    directory_free(&program);
}

TEST(the_files_of_others_are_left_alone)
{
    directory program = directory_new();
    place p;
    begin(&p, &program);
    text_file(&p.f, "mine");
    refused(&p.settings, true, "files that do not belong to a page");
    assert_int_equal(directory_count(&p.f), 1);
    directory_free(&p.f);
    directory_free(&program);
}

/* Each thing that determines a page, changed on its own. */
TEST(another_page_is_refused_and_said)
{
    directory program = directory_new();
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
    directory_free(&p.f);
    directory_free(&program);
}

TEST(two_at_a_time_are_one_too_many)
{
    directory program = directory_new();
    sotto__directory first;
    place p;
    begin(&p, &program);
    assert_silent(WHY(sotto__directory_open, &first, &p.settings));
    refused(&p.settings, false, "another sotto reproduce uses the directory");
    sotto__directory_close(&first);
    opened(&p.settings);
    directory_free(&p.f);
    directory_free(&program);
}

/* SHA-256 of "abc": FIPS 180-4. Threads change nothing, and neither does the command. */
TEST(the_manifest_says_what_determines_the_page)
{
    static const char wanted[] =
        "\nprogram ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
        "scale quick\nfirst seed 1\nseeds 3\nhorizon 500\nexperiments shared-d2\n"
        "data the stand-in\n";
    char text[4096];
    struct stat about;
    directory program = directory_new();
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
    directory_free(&p.f);
    directory_free(&program);
}

TEST(the_manifest_of_a_shard_says_which_it_is)
{
    char text[4096];
    directory program = directory_new();
    place p;
    begin(&p, &program);
    p.settings.shard = (sotto__shard){2, 3, 0};
    opened(&p.settings);
    text[file_read(p.manifest, (uint8_t *)text, sizeof text - 1)] = '\0';
    assert_non_null(strstr(text, "\ndata the stand-in\nshard 2 of 3\n"));
    sotto__reproduction_settings other = p.settings;
    other.shard.index = 1;
    refused(&other, true, "(shard 2 of 3; this one: shard 1 of 3)");
    other.shard = (sotto__shard){0};
    refused(&other, true, "(shard 2 of 3; this one: no shard)");
    opened(&p.settings);
    directory_free_page(&p.f);
    directory_free(&program);
}
