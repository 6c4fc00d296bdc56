/* The page, with gnuplot missing: numbers, sections and checks are there all the same. */
#include "checked.h"
#include "lab/paper/numbers.h"
#include "lab/paper/page.h"
#include "methods_made.h"
#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define TEXT_BYTES (1u << 20)

/* A listener that notes what it hears. */
typedef struct heard {
    uint32_t asked, told, sections;
    uint32_t stops_at; /* the question that it says yes to, from 1 on; 0: none */
    char sentence[SOTTO_FAULT_BYTES], ids[200];
} heard;

static bool note_question(void *state)
{
    heard *h = state;
    return ++h->asked == h->stops_at;
}

static void note_sentence(void *state, const char *sentence)
{
    heard *h = state;
    h->told++;
    snprintf(h->sentence, sizeof h->sentence, "%s", sentence);
}

static void note_section(void *state, const sotto__html_section *section)
{
    heard *h = state;
    size_t length = strlen(h->ids);
    h->sections++;
    snprintf(h->ids + length, sizeof h->ids - length, "%s ", section->id);
}

static sotto__reproduction_listener listener_of(heard *h)
{
    return (sotto__reproduction_listener){
        .stops = note_question, .tell = note_sentence, .section = note_section, .state = h};
}

/* No program is found there. */
static int set_up(void **state)
{
    (void)state;
    return setenv("PATH", "/nowhere", 1);
}

static bool is_there(const folder *f, const char *name)
{
    char path[FOLDER_PATH_BYTES + 100];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    return stat(path, &about) == 0;
}

static void a_folder_that_is_missing_is_a_fault(void **state)
{
    (void)state;
    char fault[SOTTO_FAULT_BYTES];
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    sotto__reproduction_settings settings = settings_made("lower-bound", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    assert_says(sotto__reproduction_page(r, &listener, fault), fault,
                "/nowhere/lower-bound-gaussian.csv: No such file");
    assert_int_equal(h.sections, 0);
    sotto__reproduction_free(r);
}

static void it_stops_between_figures(void **state)
{
    (void)state;
    folder f = folder_new();
    char fault[SOTTO_FAULT_BYTES];
    heard h = {.stops_at =
                   3}; /* before the first figure, after it was not drawn, before the second */
    const sotto__reproduction_listener listener = listener_of(&h);
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    settings.out = f.path;
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    assert_says(sotto__reproduction_page(r, &listener, fault), fault,
                "stopped: 78 of 78 runs are finished and kept in ");
    assert_true(is_there(&f, "shared-d2-epsilon-0.5.csv"));
    assert_false(is_there(&f, "shared-d2-epsilon-1.csv"));
    assert_false(is_there(&f, "index.html"));
    assert_int_equal(h.sections, 0);
    sotto__reproduction_free(r);
    folder_free(&f);
}

/* Regret that is twice the bound, but that of ldp-sgd at epsilon 1, a hundredth of it. */
static double over_bound(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    double epsilon = part->comparison.epsilon[match];
    bool low = part->comparison.match[match].player == SOTTO_PLAYER_LDP_SGD && epsilon == 1;
    (void)seed, (void)t;
    return (low ? 0.01 : 2) * sotto__part_bound(part, epsilon);
}

static void without_gnuplot_all_but_png_and_pdf_is_there(void **state)
{
    (void)state;
    static char text[TEXT_BYTES];
    folder f = folder_new();
    char fault[SOTTO_FAULT_BYTES], path[FOLDER_PATH_BYTES + 100];
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    sotto__reproduction_settings settings = settings_made("lower-bound", 2, 100);
    settings.out = f.path;
    sotto__reproduction *r = reproduction_made(&settings, over_bound);
    assert_silent(sotto__reproduction_page(r, &listener, fault));
    assert_true(r->undrawn);
    assert_int_equal(h.told, 1);
    assert_non_null(strstr(h.sentence, "gnuplot-nox; PNG and PDF are left out, the page"));
    assert_string_equal(h.ids, "lower-bound ");
    assert_true(is_there(&f, "lower-bound-gaussian.csv"));
    assert_true(is_there(&f, "lower-bound-gaussian.svg"));
    assert_false(is_there(&f, "lower-bound-gaussian.png"));
    snprintf(path, sizeof path, "%s/index.html", f.path);
    text[file_read(path, (uint8_t *)text, TEXT_BYTES - 1)] = '\0';
    static const char *const wanted[] = {
        "because the server is still learning. 5 of 6 checks passed.</p>",
        "Made by <code>the command</code> with sotto ",
        "<svg class=\"fig\"",
        "<a href=\"lower-bound-gaussian.svg\">SVG</a></p>",
        "<h2>The instance of the lower bound</h2>",
        "<li class=\"failed\"><span class=\"mark\">✗ failed</span>ldp-sgd, epsilon 1",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (strstr(text, wanted[i]) == NULL) fail_msg("\"%s\" is not in the page", wanted[i]);
    }
    assert_null(strstr(text, "class=\"notice\""));   /* no customers */
    assert_null(strstr(text, "class=\"findings\"")); /* not all of it was played */
    sotto__reproduction_free(r);
    folder_free(&f);
}

/* What is wrong with one figure is wrong with all: told once, and not tried again. */
static void all_of_it_begins_with_the_papers_figure_and_a_glance(void **state)
{
    (void)state;
    if (LOADS_ARE_CHECKED)
        skip(); /* the constants of all environments take long: test_constants.c has them */
    static char text[8 * TEXT_BYTES];
    folder f = folder_new();
    char fault[SOTTO_FAULT_BYTES], path[FOLDER_PATH_BYTES + 100];
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    settings.only = NULL;
    settings.out = f.path;
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    assert_silent(sotto__reproduction_page(r, &listener, fault));
    assert_int_equal(h.told, 1);
    assert_int_equal(h.sections, sotto__experiments_count + 1);
    assert_int_equal(strncmp(h.ids, "glance shared-d2 shared-d20 ", 28), 0);
    snprintf(path, sizeof path, "%s/index.html", f.path);
    text[file_read(path, (uint8_t *)text, sizeof text - 1)] = '\0';
    assert_non_null(strstr(text, "<p class=\"notice\" role=\"note\">Auto loans: SYNTHETIC"));
    assert_true(is_there(&f, "paper-figure.svg"));
    const char *findings = strstr(text, "<ul class=\"findings\">"),
               *glance = strstr(text, "id=\"glance\"");
    assert_true(findings != NULL && findings > strstr(text, "paper-figure.svg"));
    assert_true(findings < glance);
    assert_true(glance < strstr(text, "<nav"));
    sotto__reproduction_free(r);
    folder_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_that_is_missing_is_a_fault),
        cmocka_unit_test(it_stops_between_figures),
        cmocka_unit_test(without_gnuplot_all_but_png_and_pdf_is_there),
        cmocka_unit_test(all_of_it_begins_with_the_papers_figure_and_a_glance),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
