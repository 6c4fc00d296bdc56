/* Figures as numbers and as pictures, with rsvg-convert working, failing, and missing. */
#include "directory.h"
#include "lab/page/inner.h"
#include "lab/page/page.h"
#include "test.h"
#include "why.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES 60000

static const double x[] = {1, 10, 100}, y[] = {0.1, 2, 1.0 / 3}, lo[] = {0, NAN, 0.25},
                    hi[] = {0.5, INFINITY, 4e22};

static sotto__curve curve_of(sotto_player player, const char *label)
{
    return (sotto__curve){
        .player = player, .label = label, .count = 3, .x = x, .y = y, .lo = lo, .hi = hi};
}

static sotto__figure figure_of(const char *name, const sotto__curve *curve, uint32_t curves_count)
{
    return (sotto__figure){
        .name = name,
        .title = "title",
        .x_label = "people",
        .x_log = true,
        .band = "band",
        .panels_count = 2,
        .panel = {{"one, \"two\"", "regret", true, curve, curves_count, NULL, {0, 0}},
                  {NULL, "regret", true, curve, 1, NULL, {0, 0}}}};
}

/* Two directories: for the figure, and for a program called rsvg-convert; PATH names the second alone. */
typedef struct scene {
    directory figures, programs;
    char program[DIRECTORY_PATH_BYTES + 16];
    char path[5000]; /* PATH as it was */
    sotto__curve curve;
    sotto__figure figure;
} scene;

static int set_up(void **state)
{
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->figures = directory_new();
    s->programs = directory_new();
    snprintf(s->program, sizeof s->program, "%s/rsvg-convert", s->programs.path);
    snprintf(s->path, sizeof s->path, "%s", getenv("PATH"));
    s->curve = curve_of(SOTTO_PLAYER_SOTTO, NULL);
    s->figure = figure_of("fig-1", &s->curve, 1);
    setenv("PATH", s->programs.path, 1);
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    scene *s = *state;
    setenv("PATH", s->path, 1);
    directory_free(&s->figures);
    directory_free(&s->programs);
    free(s);
    return 0;
}

/* Installs an rsvg-convert that runs `body`. The shell uses the usual PATH. */
static void install(scene *s, const char *body)
{
    char text[1000];
    snprintf(text, sizeof text, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", body);
    file_write(s->program, (const uint8_t *)text, strlen(text));
    assert_int_equal(chmod(s->program, 0700), 0);
}

static size_t text_of(const directory *f, const char *name, char text[TEXT_BYTES])
{
    char path[DIRECTORY_PATH_BYTES + 100];
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    size_t count = file_read(path, (uint8_t *)text, TEXT_BYTES - 1);
    text[count] = '\0';
    return count;
}

/* ---- names -------------------------------------------------------------------------------- */

TEST_WITH(names_are_simple, set_up, tear_down)
{
    scene *s = *state;
    const char *const bad[] = {"", "a b", "../a", ".a", "a'b", "ä", "a\nb"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        s->figure.name = bad[i];
        assert_non_null(WHY(sotto__figure_csv, &s->figure, s->figures.path));
        assert_non_null(strstr(why_fault.sentence, "letters, digits, dashes and inner dots"));
        assert_non_null(WHY(sotto__figure_convert, &s->figure, s->figures.path));
        assert_non_null(strstr(why_fault.sentence, "letters, digits, dashes and inner dots"));
        assert_non_null(WHY(sotto__figure_svg, &s->figure, s->figures.path));
        assert_non_null(strstr(why_fault.sentence, "letters, digits, dashes and inner dots"));
    }
    assert_int_equal(directory_count(&s->figures), 0);
}

TEST_WITH(a_directory_that_is_not_there_is_named, set_up, tear_down)
{
    scene *s = *state;
    assert_non_null(WHY(sotto__figure_csv, &s->figure, s->figures.file));
    assert_non_null(strstr(why_fault.sentence, "/ledger/fig-1.csv: No such file or directory"));
    assert_non_null(WHY(sotto__figure_svg, &s->figure, s->figures.file));
    assert_non_null(strstr(why_fault.sentence, "/ledger/fig-1.svg: No such file or directory"));

    char far[5000];
    memset(far, 'a', sizeof far - 1);
    far[sizeof far - 1] = '\0';
    assert_non_null(WHY(sotto__figure_csv, &s->figure, far));
    assert_non_null(strstr(why_fault.sentence, "too long"));
    assert_non_null(WHY(sotto__figure_convert, &s->figure, far));
    assert_non_null(strstr(why_fault.sentence, "too long"));
}

/* ---- CSV ---------------------------------------------------------------------------------- */

TEST_WITH(the_numbers_are_written_in_full, set_up, tear_down)
{
    scene *s = *state;
    char text[TEXT_BYTES];
    const sotto__curve curve[] = {curve_of(SOTTO_PLAYER_LDP_SGD, NULL),
                                  curve_of(SOTTO_PLAYER_SOTTO, "sotto, epsilon 1")};
    sotto__curve bare = curve[0];
    bare.lo = bare.hi = NULL;
    s->figure = figure_of("fig-1", curve, 2);
    s->figure.panel[1].curve = &bare;
    assert_null(WHY(sotto__figure_csv, &s->figure, s->figures.path));
    text_of(&s->figures, "fig-1.csv", text);
    assert_string_equal(text,
                        "panel,curve,x,y,lo,hi\n"
                        "\"one, \"\"two\"\"\",ldp-sgd,1,0.10000000000000001,0,0.5\n"
                        "\"one, \"\"two\"\"\",ldp-sgd,10,2,,\n"
                        "\"one, \"\"two\"\"\",ldp-sgd,100,0.33333333333333331,0.25,4e+22\n"
                        "\"one, \"\"two\"\"\",\"sotto, epsilon 1\",1,0.10000000000000001,0,0.5\n"
                        "\"one, \"\"two\"\"\",\"sotto, epsilon 1\",10,2,,\n"
                        "\"one, \"\"two\"\"\",\"sotto, epsilon 1\",100,0.33333333333333331,0.25,"
                        "4e+22\n"
                        ",ldp-sgd,1,0.10000000000000001,,\n"
                        ",ldp-sgd,10,2,,\n"
                        ",ldp-sgd,100,0.33333333333333331,,\n");
    assert_int_equal(directory_count(&s->figures), 1);
}

/* ---- SVG ---------------------------------------------------------------------------------- */

/* rsvg-convert is not in PATH. */
TEST_WITH(a_drawing_needs_no_other_program, set_up, tear_down)
{
    scene *s = *state;
    char text[TEXT_BYTES], wanted[TEXT_BYTES] = "";
    assert_null(WHY(sotto__figure_svg, &s->figure, s->figures.path));
    text_of(&s->figures, "fig-1.svg", text);
    FILE *out = fmemopen(wanted, sizeof wanted, "w");
    sotto__figure_svg_whole(&s->figure, out);
    fclose(out);
    assert_string_equal(text, wanted);
    assert_int_equal(directory_count(&s->figures), 1);
}

/* ---- rsvg-convert that fails -------------------------------------------------------------- */

static void convert_fails(scene *s, const char *said)
{
    assert_non_null(WHY(sotto__figure_convert, &s->figure, s->figures.path));
    if (strstr(why_fault.sentence, said) == NULL)
        fail_msg("\"%s\", wanted \"%s\"", why_fault.sentence, said);
    assert_int_equal(directory_count(&s->figures), 0);
}

TEST_WITH(without_rsvg_convert_it_says_what_to_install, set_up, tear_down)
{
    convert_fails(*state, "rsvg-convert not found: install the Debian package librsvg2-bin");
}

TEST_WITH(what_rsvg_convert_complains_about_is_told, set_up, tear_down)
{
    scene *s = *state;
    install(s, "echo half > \"$5\"; echo first >&2; printf 'line 7: oh no\n\n' >&2; exit 1");
    convert_fails(s, "figure fig-1: rsvg-convert failed: line 7: oh no");
    install(s, "exit 1");
    convert_fails(s, "figure fig-1: rsvg-convert failed: it gave no reason");
    install(s, "kill -9 $$");
    convert_fails(s, "rsvg-convert failed: it gave no reason");
    install(s, "head -c 100000 /dev/zero | tr '\\0' 'x' >&2; exit 1");
    convert_fails(s, "rsvg-convert failed: xxx");
    install(s, "exit 0");
    convert_fails(s, "fig-1.png.part: No such file or directory");
    assert_int_equal(chmod(s->program, 0600), 0);
    convert_fails(s, "rsvg-convert cannot run: Permission denied");
}

/* ---- rsvg-convert that works -------------------------------------------------------------- */

TEST_WITH(what_was_converted_gets_its_name_and_nothing_is_printed, set_up, tear_down)
{
    scene *s = *state;
    char text[TEXT_BYTES];
    install(s, "echo noise; echo warning >&2; echo \"$*\" > \"$5\"");
    fflush(stdout);
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    int file = open(s->programs.file, O_RDWR | O_CREAT, 0600);
    assert_true(out >= 0 && err >= 0 && file >= 0);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    const char *fault = WHY(sotto__figure_convert, &s->figure, s->figures.path);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    close(file);
    assert_null(fault);
    assert_ints(text_of(&s->programs, "ledger", text), 0, directory_count(&s->figures), 2);
    text_of(&s->figures, "fig-1.png", text);
    assert_non_null(strstr(text, "--format=png --width=1600 --keep-aspect-ratio --output "));
    assert_non_null(strstr(text, "/fig-1.svg\n"));
    text_of(&s->figures, "fig-1.pdf", text);
    assert_non_null(strstr(text, "--format=pdf --width=7in --keep-aspect-ratio --output "));
}

/* With the real rsvg-convert, for any words and numbers. */
TEST_WITH(rsvg_convert_takes_every_drawing, set_up, tear_down)
{
    scene *s = *state;
    static const double none[] = {NAN, NAN, NAN}, zero[] = {0, 0, 0};
    setenv("PATH", s->path, 1);
    if (system("command -v rsvg-convert >/dev/null") != 0) skip();
    sotto__curve curve[] = {curve_of(SOTTO_PLAYER_SOTTO, "it's'; <script> #"),
                            curve_of(SOTTO_PLAYER_ORACLE, "`x` $x @y \\n a_b^c \"&<>\n"),
                            curve_of(SOTTO_PLAYER_OLS, NULL), curve_of(SOTTO_PLAYER_RANDOM, NULL),
                            curve_of(SOTTO_PLAYER_SGD, NULL)};
    curve[2].y = none;
    curve[3].y = zero;
    curve[4].count = 1;
    s->figure = figure_of("fig-1", curve, 5);
    for (uint32_t kind = 0; kind < 8; kind++) {
        s->figure.x_log = kind & 1;
        s->figure.panel[0].y_log = kind & 2;
        s->figure.panels_count = kind & 4 ? 2 : 1;
        assert_null(WHY(sotto__figure_svg, &s->figure, s->figures.path));
        const char *fault = WHY(sotto__figure_convert, &s->figure, s->figures.path);
        if (fault != NULL) fail_msg("%s", fault);
        assert_int_equal(directory_count(&s->figures), 3);
    }
}
