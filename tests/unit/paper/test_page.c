/* The page, with rsvg-convert missing: numbers, sections and checks are there all the same. */
#include "checked.h"
#include "methods_made.h"
#include "paper/inner.h"
#include "paper/paper.h"
#include "reproductions.h"
#include "texts.h"
#include "why.h"

#include <sys/stat.h>

OWNED(sotto__reproduction, sotto__reproduction_free)

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

static bool is_there(const directory *f, const char *name)
{
    char path[DIRECTORY_PATH_BYTES + 100];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    return stat(path, &about) == 0;
}

TEST(a_directory_that_is_missing_is_a_fault)
{
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    OWN(sotto__reproduction) r = reproduction_of("lower-bound", 2, 100, regret_by_method);
    assert_says(WHY(sotto__reproduction_page, r, &listener), why_fault.sentence,
                "/nowhere/lower-bound-gaussian.csv: No such file");
    assert_int_equal(h.sections, 0);
}

TEST(it_stops_between_figures)
{
    HELD(directory) f = directory_new();
    heard h = {.stops_at =
                   3}; /* before the first figure, after it was not drawn, before the second */
    const sotto__reproduction_listener listener = listener_of(&h);
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    settings.out = f.path;
    OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
    assert_says(WHY(sotto__reproduction_page, r, &listener), why_fault.sentence,
                "stopped: 78 of 78 runs are finished and kept in ");
    assert_true(is_there(&f, "shared-d2-epsilon-0.5.csv"));
    assert_false(is_there(&f, "shared-d2-epsilon-1.csv") || is_there(&f, "index.html"));
    assert_int_equal(h.sections, 0);
}

/* Regret that is twice the bound, but that of ldp-sgd at epsilon 1, a hundredth of it. */
static double over_bound(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    double epsilon = part->comparison.epsilon[match];
    bool low = part->comparison.match[match].player == SOTTO_PLAYER_LDP_SGD && epsilon == 1;
    (void)seed, (void)t;
    return (low ? 0.01 : 2) * sotto__part_bound(part, epsilon);
}

TEST(without_rsvg_convert_all_but_png_and_pdf_is_there)
{
    static char text[TEXT_BYTES];
    HELD(directory) f = directory_new();
    char path[DIRECTORY_PATH_BYTES + 100];
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    sotto__reproduction_settings settings = settings_made("lower-bound", 2, 100);
    settings.out = f.path;
    OWN(sotto__reproduction) r = reproduction_made(&settings, over_bound);
    assert_silent(WHY(sotto__reproduction_page, r, &listener));
    assert_true(r->undrawn);
    assert_int_equal(h.told, 1);
    assert_non_null(strstr(h.sentence, "librsvg2-bin; PNG and PDF are left out, but the page"));
    assert_string_equal(h.ids, "lower-bound ");
    assert_true(is_there(&f, "lower-bound-gaussian.csv"));
    assert_true(is_there(&f, "lower-bound-gaussian.svg"));
    assert_false(is_there(&f, "lower-bound-gaussian.png"));
    assert_false(is_there(&f, "paper-figure.svg")); /* none of its panels was played */
    snprintf(path, sizeof path, "%s/index.html", f.path);
    text[file_read(path, (uint8_t *)text, TEXT_BYTES - 1)] = '\0';
    static const char *const wanted[] = {
        "because the server is still learning. 5 of 6 checks passed.</p>",
        "Made by <code>the command</code> with sotto ",
        "<svg class=\"fig\"",
        "<a href=\"lower-bound-gaussian.svg\">SVG</a></p>",
        "<h2>The instance of the lower bound</h2>",
        "<li class=\"failed\"><span class=\"mark\">✗ failed</span>ldp-sgd, epsilon 1"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (strstr(text, wanted[i]) == NULL) fail_msg("\"%s\" is not in the page", wanted[i]);
    }
    assert_null(strstr(text, "class=\"notice\""));   /* no customers */
    assert_null(strstr(text, "class=\"findings\"")); /* not all of it was played */
}

/* The README's figure is drawn by --only shared-d2. */
TEST(one_of_its_experiments_draws_its_column_of_the_papers_figure)
{
    HELD(directory) f = directory_new();
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    settings.out = f.path;
    OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
    assert_silent(WHY(sotto__reproduction_page, r, &listener));
    assert_string_equal(h.ids, "shared-d2 ");
    assert_true(is_there(&f, "paper-figure.svg"));
}

/* What is wrong with one figure is wrong with all: told once, and not tried again. */
TEST(all_of_it_begins_with_the_papers_figure_and_a_glance)
{
    if (LOADS_ARE_CHECKED)
        skip(); /* the constants of all environments take long: test_constants.c has them */
    static char text[8 * TEXT_BYTES];
    HELD(directory) f = directory_new();
    char path[DIRECTORY_PATH_BYTES + 100];
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    settings.only = NULL;
    settings.out = f.path;
    OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
    assert_silent(WHY(sotto__reproduction_page, r, &listener));
    assert_ints(h.told, 1, h.sections, sotto__experiments_count + 1);
    assert_int_equal(strncmp(h.ids, "glance shared-d2 shared-d20 ", 28), 0);
    snprintf(path, sizeof path, "%s/index.html", f.path);
    text[file_read(path, (uint8_t *)text, sizeof text - 1)] = '\0';
    assert_non_null(strstr(text, "<p class=\"notice\" role=\"note\">Auto loans: SYNTHETIC"));
    assert_true(is_there(&f, "paper-figure.svg"));
    const char *findings = strstr(text, "<ul class=\"findings\">"),
               *glance = strstr(text, "id=\"glance\"");
    assert_true(findings != NULL && findings < strstr(text, "paper-figure.svg"));
    assert_true(findings < glance && glance < strstr(text, "<nav"));
}

GROUP(set_up, NULL)

/* A section that is being filled. */

/* How often memory is given from here on. */
static uint32_t memory_left = UINT32_MAX;

void *__real_sotto__pool_take(sotto__pool *pool, size_t bytes);
void *__wrap_sotto__pool_take(sotto__pool *pool, size_t bytes);
void *__wrap_sotto__pool_take(sotto__pool *pool, size_t bytes)
{
    if (memory_left-- > 0) return __real_sotto__pool_take(pool, bytes);
    memory_left = 0;
    pool->failed = 1;
    return NULL;
}

/* A section takes memory four times: paragraphs, notes, tables, checks. */
TEST(without_memory_there_is_no_section)
{
    for (uint32_t given = 0; given <= 4; given++) {
        sotto__reproduction r = {0};
        sotto__section s;
        memory_left = given;
        assert_true(sotto__section_begin(&s, &r, experiment_named("shared-d2")) == (given == 4));
        assert_true(r.pool.failed == (given < 4));
        sotto__pool_free(&r.pool);
    }
    memory_left = UINT32_MAX;
}

TEST(a_new_section_has_a_heading_and_nothing_else)
{
    sotto__reproduction r = {0};
    sotto__section s;
    assert_true(sotto__section_begin(&s, &r, experiment_named("logistic")));
    assert_string_equal(s.html.id, "logistic");
    assert_string_equal(s.html.heading, "Yes or no: logistic rewards, 2 dimensions, 10 arms");
    assert_int_equal(s.html.paragraphs_count + s.html.tables_count + s.html.checks_count, 0);
    assert_int_equal(s.html.figures_count + s.html.notes_count + s.html.commands_count, 0);
    sotto__pool_free(&r.pool);
}

TEST(what_is_added_is_there_in_order)
{
    sotto__reproduction r = {0};
    sotto__section s;
    sotto__page_table table;
    const sotto__page_column column[] = {{"only", SOTTO__HTML_WORDS}};
    assert_true(sotto__section_begin(&s, &r, experiment_named("logistic")));
    sotto__section_add_paragraph(&s, "first");
    sotto__section_add_paragraph(&s, "second");
    sotto__section_add_note(&s, "note");
    sotto__section_add_check(&s, "good", true);
    sotto__section_add_check(&s, "bad", false);
    assert_true(sotto__page_table_begin(&table, s.pool, "caption", column, 1, 1));
    sotto__page_table_line(&table, false)[0] = sotto__section_number(&s, 12345.6);
    sotto__section_add_table(&s, &table);
    assert_int_equal(s.html.paragraphs_count, 2);
    assert_strings(s.html.paragraph[0], "first", s.html.paragraph[1], "second");
    assert_int_equal(s.html.notes_count, 1);
    assert_string_equal(s.html.note[0], "note");
    assert_int_equal(s.html.checks_count, 2);
    assert_true(s.html.check[0].passed && !s.html.check[1].passed);
    assert_string_equal(s.html.check[1].text, "bad");
    assert_int_equal(s.html.tables_count, 1);
    assert_row(&s.html.table[0], 0, "12,346");
    assert_string_equal(sotto__section_number(&s, NAN), "-");
    sotto__pool_free(&r.pool);
}

/* What an experiment found, as a section. */

static void has(const char *text, const char *words)
{
    if (strstr(text, words) == NULL) fail_msg("\"%s\" is not in \"%s\"", words, text);
}

TEST(synthetic_customers_are_said_to_be)
{
    sotto__reproduction_settings settings = settings_made("loan-revenue", 2, 100);
    OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
    sotto__html_section s;
    assert_true(sotto__section_of(r, settings.only, &s));
    assert_int_equal(s.paragraphs_count, 2);
    has(s.paragraph[1], "The customers are SYNTHETIC");
    has(s.command[0].text, "--environment loan --revenue");
    r->customers.synthetic = false;
    r->settings.data = "loans.csv";
    assert_true(sotto__section_of(r, settings.only, &s));
    assert_int_equal(s.paragraphs_count, 1);
    assert_string_equal(s.command[0].about, "exact, T = 100: 36 runs");
    assert_string_equal(s.command[0].text, "none: sotto simulate has synthetic customers only");
}

TEST(words_come_from_the_table_and_settings_from_the_parts)
{
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
    sotto__html_section s;
    assert_true(sotto__section_of(r, settings.only, &s));
    assert_string_equal(s.id, "shared-d2");
    assert_int_equal(s.paragraphs_count, 1);
    assert_string_equal(s.paragraph[0], settings.only->about);
    assert_int_equal(s.notes_count, 2);
    has(s.note[0], "In the paper: the figure of the experiments, first column");
    has(s.note[1], "What differs from the paper: As published, linear rewards");
    assert_ints(s.tables_count, 2, s.commands_count, 2);
    assert_string_equal(s.command[0].about, "published, T = 100: 30 runs");
    has(s.command[0].text, "sotto simulate --method ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc,random");
    has(s.command[1].text, "--horizon 100 --epsilon 0.5,1,5");
    assert_int_equal(s.figures_count, 0);
}

/* Which kind is filled by what: by the head of its first table. */
TEST(every_kind_has_its_table)
{
    static const struct {
        const char *name, *head;
        uint32_t column, tables;
    } wanted[] = {
        {"shared-d2", "the same, as published", 3, 2},
        {"rates-epsilon", "exponent of epsilon", 1, 2},
        {"rates-horizon", "exponent of T", 7, 1},
        {"lower-bound", "proved", 2, 1},
        {"agreement", "theirs: median (range)", 4, 1},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto__reproduction_settings settings = settings_made(wanted[i].name, 2, 100);
        OWN(sotto__reproduction) r = reproduction_made(&settings, regret_by_method);
        sotto__html_section s;
        assert_true(sotto__section_of(r, settings.only, &s));
        assert_int_equal(s.tables_count, wanted[i].tables);
        assert_string_equal(s.table[0].head[wanted[i].column], wanted[i].head);
        if (i == 0) {
            assert_true(sotto__section_of(r, &sotto__glance, &s));
            assert_int_equal(s.tables_count, 1);
            assert_int_equal(s.commands_count, 0); /* it plays nothing */
            assert_string_equal(s.table[0].head[1], "sotto, exact");
            assert_string_equal(s.table[0].head[2], "epsilon alone costs: proved / heuristic");
            assert_string_equal(s.table[0].head[3], "over the paper's best");
        }
    }
}

/* Every figure of the paper in one table. */

/* All figures have a row, those of other experiments an empty one. */
TEST(what_was_not_played_is_a_dash)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, regret_by_method);
    sotto__section s;
    uint32_t figures = 0;
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        figures += sotto__experiments[i].kind == SOTTO__EXPERIMENT_CURVES;
    }
    assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
    assert_ints(s.html.tables_count, 1, s.html.table[0].rows_count, 3 * figures);
    assert_row(&s.html.table[0], 3,
               "One parameter for all arms, 20 dimensions, 20 arms, epsilon 0.5|-|-|-|-|-|-|-|-");
}

TEST(a_line_has_the_best_of_each_kind)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 2, 100, regret_by_method);
    sotto__section s;
    assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
    assert_row(&s.html.table[0], 1,
               "One parameter for all arms, 2 dimensions, 10 arms, epsilon 1|6|1.56 / 21.4|0.2|30 "
               "(ldp-ols, "
               "exact)|10 (ldp-gloc)|3 (ols)|0|90");
    assert_string_equal(s.html.id, "glance");
}

/* As `sotto plan` says: nothing is proved of per-arm parameters, nothing known of other links. */
TEST(a_floor_is_there_where_it_exists)
{
    const struct {
        const char *experiment;
        uint32_t row;
        const char *floor;
    } of[] = {{"shared-d20", 3, "28.7 / 39"}, {"per-arm-d20", 7, "- / 18"}, {"logistic", 12, "-"}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        OWN(sotto__reproduction) r = reproduction_of(of[i].experiment, 2, 100, regret_by_method);
        sotto__section s;
        assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
        const char *const *cell = &s.html.table[0].cell[9 * of[i].row];
        const char *title = experiment_named(of[i].experiment)->title;
        assert_memory_equal(cell[0], title, strlen(title));
        assert_string_equal(cell[2], of[i].floor);
    }
}

/* As published ldp-sgd has 5, and keeps its claim. */
static double behind(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    bool theirs = part->stage->calibration == SOTTO_CALIBRATION_PUBLISHED;
    if (theirs && part->comparison.match[match].player == SOTTO_PLAYER_LDP_SGD) return 5;
    return regret_by_method(part, match, seed, t);
}

TEST(where_sotto_is_behind_is_said)
{
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__section s;
    assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
    assert_int_equal(s.html.notes_count, 0);
    sotto__reproduction_free(r);
    r = reproduction_made(&settings, behind);
    assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
    assert_int_equal(s.html.notes_count, 1);
    assert_non_null(strstr(s.html.note[0], "In 3 of 3 settings the best of the paper's methods"));
    sotto__reproduction_free(r);
}

/* Its first stage is not the authors' code. */
TEST(revenue_has_nothing_published)
{
    OWN(sotto__reproduction) r = reproduction_of("loan-revenue", 2, 100, regret_by_method);
    sotto__section s;
    uint32_t row = 0;
    assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
    const sotto__html_table *table = &s.html.table[0];
    while (row < table->rows_count &&
           strncmp(table->cell[9 * row], "Auto loans: which price", 23) != 0) {
        row++;
    }
    assert_row(table, row,
               "Auto loans: which price earns most, 18 dimensions, 25 arms, epsilon 1|6|-|0.171|35 "
               "(ldp-sgd, exact)|-|0 (glm)|-|90");
}
