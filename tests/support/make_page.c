/*
 * Writes a small page into a directory, for the test that looks at it with a browser:
 *     make_page DIRECTORY
 * The curves are made up.
 */
#include "lab/page/page.h"
#include "why.h"

#include <math.h>
#include <stdio.h>

#define POINTS 61u
#define CURVES 7u

#define NASTY "<script>alert('no')</script> & \"quotes\""

typedef struct numbers {
    double x[POINTS], y[2][CURVES][POINTS], lo[2][CURVES][POINTS], hi[2][CURVES][POINTS];
    sotto__curve curve[2][CURVES];
} numbers;

/* A made-up regret: linear until a method has learned, then a power of t. */
static void make_curve(numbers *n, uint32_t p, uint32_t c)
{
    static const sotto_player player[CURVES] = {
        SOTTO_PLAYER_SOTTO,   SOTTO_PLAYER_SOTTO_OLS, SOTTO_PLAYER_LDP_SGD, SOTTO_PLAYER_LDP_OLS,
        SOTTO_PLAYER_LDP_UCB, SOTTO_PLAYER_LDP_GLOC,  SOTTO_PLAYER_OLS};
    static const double scale[CURVES] = {3, 6, 20, 30, 60, 100, 0.2};
    static const double power[CURVES] = {0.5, 0.55, 0.62, 0.66, 0.7, 0.75, 0.3};
    for (uint32_t i = 0; i < POINTS; i++) {
        double t = n->x[i], learned = scale[c] * (1 + p) * pow(t, power[c]);
        double y = 1 / (1 / (0.5 * t) + 1 / learned), error = y * (0.03 + 0.6 / sqrt(sqrt(t)));
        n->y[p][c][i] = y;
        n->lo[p][c][i] = y - error;
        n->hi[p][c][i] = y + error;
    }
    n->curve[p][c] = (sotto__curve){.player = player[c],
                                    .count = POINTS,
                                    .x = n->x,
                                    .y = n->y[p][c],
                                    .lo = n->lo[p][c],
                                    .hi = n->hi[p][c]};
}

static void make_numbers(numbers *n)
{
    for (uint32_t i = 0; i < POINTS; i++) {
        n->x[i] = pow(10, 0.1 * i);
    }
    for (uint32_t p = 0; p < 2; p++) {
        for (uint32_t c = 0; c < CURVES; c++) {
            make_curve(n, p, c);
        }
    }
}

/* Two figures: one with both panels of a comparison, ours first, and one with a single panel whose
 * words need escaping. */
static void make_figures(const numbers *n, sotto__figure figure[2])
{
    figure[0] = (sotto__figure){
        .name = "both",
        .title = "Shared parameters, identity link: d = 20, K = 20, epsilon 1",
        .x_label = "people t",
        .x_log = true,
        .band = "mean ± standard error of 10 runs",
        .panels_count = 2,
        .panel = {{"exact", "cumulative regret", true, n->curve[0], CURVES, NULL, {0, 0}},
                  {"as published", "cumulative regret", true, &n->curve[1][2], 5, NULL, {0, 0}}},
    };
    figure[1] = (sotto__figure){
        .name = "one",
        .title = "One panel: " NASTY,
        .x_label = "people t",
        .panels_count = 1,
        .panel = {{NULL, "cumulative regret", false, n->curve[0], 4, NULL, {0, 0}}},
    };
}

static const char *draw_figures(const sotto__figure *figure, const char *directory)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < 2 && wrong == NULL; i++) {
        wrong = WHY(sotto__figure_csv, &figure[i], directory);
        if (wrong == NULL) wrong = WHY(sotto__figure_svg, &figure[i], directory);
        if (wrong == NULL) wrong = WHY(sotto__figure_convert, &figure[i], directory);
    }
    return wrong;
}

static const char *make_page(const sotto__figure *figure, const char *directory)
{
    static const char *const paragraph[] = {
        "Regret of a method is what its people would have had more, had each got the best arm. The "
        "bands are what chance does to ten runs.",
        "Text is text: " NASTY};
    static const char *const finding[] = {"sotto has 20 times less regret than the best of them."};
    static const char *const alt[] = {"Regret against people for 7 methods", NASTY};
    static const char *const head[] = {"method",  "epsilon", "regret", "standard error", "less?",
                                       "seconds", "theirs",  "ratio",  "remark"};
    static const char *const cell[] = {"sotto",
                                       "1",
                                       "874",
                                       "12.4",
                                       "yes: 262 ± 40 less",
                                       "3.1",
                                       "",
                                       "",
                                       "as shipped",
                                       "ldp-sgd",
                                       "1",
                                       "1,136",
                                       "44.0",
                                       "cannot tell: 62 ± 44 more",
                                       "11.9",
                                       "1,140",
                                       "1.00",
                                       ("as published: " NASTY)};
    static const sotto__html_kind kind[] = {
        SOTTO__HTML_WORDS,  SOTTO__HTML_NUMBER,  SOTTO__HTML_OWN,
        SOTTO__HTML_NUMBER, SOTTO__HTML_VERDICT, SOTTO__HTML_NUMBER,
        SOTTO__HTML_NUMBER, SOTTO__HTML_NUMBER,  SOTTO__HTML_SENTENCE};
    static const bool strong[] = {true, false};
    static const sotto__html_table table = {.caption = "After 1,000,000 people",
                                            .columns_count = 9,
                                            .rows_count = 2,
                                            .head = head,
                                            .cell = cell,
                                            .kind = kind,
                                            .strong = strong};
    static const sotto__html_check check[] = {
        {"LDP-SGD, epsilon 1: median 874, theirs 1136, p = 0.82", true},
        {"LDP-GLOC, epsilon 1: median 12, theirs 40, p = 0.0001; " NASTY, false}};
    static const sotto__html_command command[] = {{"exact, 70 runs", "sotto simulate --seeds 10"}};
    const sotto__html_section section[] = {{.id = "regret",
                                            .heading = "Regret",
                                            .paragraphs_count = 2,
                                            .figures_count = 1,
                                            .paragraph = paragraph,
                                            .figure = &figure[1],
                                            .figure_alt = &alt[1]},
                                           {.id = "numbers",
                                            .heading = "Numbers and checks",
                                            .tables_count = 1,
                                            .checks_count = 2,
                                            .commands_count = 1,
                                            .table = &table,
                                            .check = check,
                                            .command = command}};
    const sotto__html_page page = {
        .title = "A page to be looked at",
        .lead = "What the methods cost, and whether this agrees with what is known.",
        .findings_count = 1,
        .finding = finding,
        .figure = &figure[0],
        .figure_alt = alt[0],
        .notice = "All curves are made up: they are here to be looked at.",
        .command = "make_page DIRECTORY",
        .version = "sotto 0",
        .sections_count = 2,
        .section = section};
    return WHY(sotto__html_write, &page, directory);
}

int main(int argc, char **argv)
{
    static numbers n;
    sotto__figure figure[2];
    if (argc != 2) {
        fprintf(stderr, "make_page DIRECTORY\n");
        return 2;
    }
    make_numbers(&n);
    make_figures(&n, figure);
    const char *wrong = draw_figures(figure, argv[1]);
    if (wrong == NULL) wrong = make_page(figure, argv[1]);
    if (wrong != NULL) fprintf(stderr, "make_page: %s\n", wrong);
    return wrong != NULL;
}
