/* SVG drawings: every word is text, every colour a class, and keys differ as lines do. */
#include "lab/page/inner.h"
#include "test.h"

#define TEXT_BYTES 60000u
#define NASTY "<script>'\"&"
#define CLEAN "&lt;script&gt;&#39;&quot;&amp;"

static const double x[] = {1, 10, 100, 1000, 10000}, y[] = {1, 2, 3, 4, 5};

typedef struct drawn {
    char text[TEXT_BYTES];
} drawn;

static drawn *panel_of(const sotto__figure *figure, uint32_t panel)
{
    drawn *d = calloc(1, sizeof *d);
    assert_non_null(d);
    FILE *out = fmemopen(d->text, TEXT_BYTES, "w");
    assert_non_null(out);
    sotto__figure_svg_panel(figure, panel, NASTY, out);
    assert_true(ftell(out) < (long)TEXT_BYTES - 1);
    fclose(out);
    return d;
}

static drawn *whole_of(const sotto__figure *figure)
{
    drawn *d = calloc(1, sizeof *d);
    assert_non_null(d);
    FILE *out = fmemopen(d->text, TEXT_BYTES, "w");
    assert_non_null(out);
    sotto__figure_svg_whole(figure, out);
    assert_true(ftell(out) < (long)TEXT_BYTES - 1);
    fclose(out);
    return d;
}

static void has(const drawn *d, const char *part)
{
    if (strstr(d->text, part) == NULL) fail_msg("\"%s\" is not in:\n%s", part, d->text);
}

static uint32_t count_of(const drawn *d, const char *part)
{
    uint32_t count = 0;
    for (const char *at = d->text; (at = strstr(at, part)) != NULL; at++) {
        count++;
    }
    return count;
}

static sotto__figure figure_of(const sotto__curve *curve, uint32_t curves_count)
{
    return (sotto__figure){
        .name = "fig",
        .title = "title " NASTY,
        .x_label = "people " NASTY,
        .x_log = true,
        .band = "band " NASTY,
        .panels_count = 1,
        .panel = {{"panel " NASTY, "regret " NASTY, true, curve, curves_count, NULL, {0, 0}}}};
}

static sotto__curve curve_of(sotto_player player)
{
    return (sotto__curve){.player = player, .count = 5, .x = x, .y = y};
}

TEST(numbers_without_a_place_are_not_drawn)
{
    const double bad[] = {NAN, -1, 0, INFINITY, NAN};
    sotto__curve curve = {
        .player = SOTTO_PLAYER_SOTTO, .count = 5, .x = x, .y = bad, .lo = bad, .hi = bad};
    sotto__figure figure = figure_of(&curve, 1);
    drawn *d = panel_of(&figure, 0);
    has(d, "stroke-width=\"2.4\" d=\"\"/>");
    assert_ints(count_of(d, "class=\"own\""), 0, count_of(d, "nan"), 0, count_of(d, "inf"), 0);
    free(d);
    figure = figure_of(NULL, 0);
    d = panel_of(&figure, 0);
    has(d, "</svg>");
    free(d);
}

TEST(a_gap_without_a_place_is_not_drawn)
{
    const double none[] = {NAN, NAN, NAN, NAN, NAN};
    sotto__curve curve[] = {curve_of(SOTTO_PLAYER_SOTTO), curve_of(SOTTO_PLAYER_LDP_SGD)};
    sotto__figure figure = figure_of(curve, 2);
    figure.panel[0].gap = NASTY " times less";
    figure.panel[0].gap_curve[1] = 1;
    for (uint32_t i = 0; i < 2; i++) { /* both end at one place, so one has no label */
        drawn *d = panel_of(&figure, 0);
        assert_int_equal(count_of(d, " times less</text>"), 0);
        free(d);
        curve[1].y = none;
    }
}

TEST(a_gap_is_an_arrow_between_the_ends_of_two_curves_and_is_said_to_who_cannot_see)
{
    const double more[] = {10, 20, 30, 40, 500};
    sotto__curve curve[] = {curve_of(SOTTO_PLAYER_SOTTO), curve_of(SOTTO_PLAYER_LDP_SGD)};
    curve[1].y = more;
    sotto__figure figure = figure_of(curve, 2);
    figure.panel[0].gap = NASTY " times less";
    figure.panel[0].gap_curve[1] = 1;
    drawn *d = panel_of(&figure, 0);
    has(d, "text-anchor=\"end\">" CLEAN " times less</text>");
    has(d, ". At the end: " CLEAN " times less\">");
    sotto__axes axes = sotto__figure_axes(&figure, 0);
    double high = 218 - sotto__axis_at(&axes.y, 500) * 176,
           low = 218 - sotto__axis_at(&axes.y, 5) * 176;
    char arrow[100];
    snprintf(arrow, sizeof arrow, "d=\"M288.0 %.1fV%.1fm", high + 7, low - 7);
    has(d, arrow);
    free(d);
}

TEST(gaps_break_lines_and_bands)
{
    const double broken[] = {1, 2, NAN, 4, 5}, hi[] = {2, 3, 4, 5, 6};
    sotto__curve curve = {
        .player = SOTTO_PLAYER_OLS, .count = 5, .x = x, .y = broken, .lo = y, .hi = hi};
    sotto__figure figure = figure_of(&curve, 1);
    FREED_BY(free_memory) drawn *d = panel_of(&figure, 0);
    const char *line = strstr(d->text, "class=\"line\""), *band = strstr(d->text, "class=\"band\"");
    assert_true(line != NULL && band != NULL && band < line); /* bands lie below */
    line = strstr(line, " d=\"M") + 5;
    assert_true(strchr(line, 'M') < strchr(line, '"'));
    band = strstr(band, " d=\"M") + 5;
    assert_true(strchr(band, 'M') < strchr(band, '"'));
}

TEST(all_words_are_escaped)
{
    sotto__curve curve = curve_of(SOTTO_PLAYER_SOTTO);
    curve.label = "label " NASTY;
    sotto__figure figure = figure_of(&curve, 1);
    drawn *d = panel_of(&figure, 0);
    has(d, "aria-label=\"" CLEAN ": panel " CLEAN "\">");
    has(d, ">panel " CLEAN "</text>");
    has(d, ">regret " CLEAN "</text>");
    has(d, ">people " CLEAN "</text>");
    assert_int_equal(count_of(d, "<script"), 0);
    free(d);
    d = whole_of(&figure);
    has(d, ">title " CLEAN "</text>");
    has(d, ">band " CLEAN "</text>");
    has(d, ">label " CLEAN "</text>");
    assert_int_equal(count_of(d, "<script"), 0);
    free(d);
}

/* A page has many drawings: ids in one could clash with another's, and a fixed colour would be
 * wrong on dark pages. */
TEST(there_are_no_ids_and_no_colours)
{
    sotto__curve curve[SOTTO_PLAYERS];
    for (uint32_t i = 0; i < SOTTO_PLAYERS; i++) {
        curve[i] = curve_of((sotto_player)i);
    }
    sotto__figure figure = figure_of(curve, SOTTO_PLAYERS);
    FREED_BY(free_memory) drawn *d = panel_of(&figure, 0);
    assert_ints(count_of(d, " id="), 0, count_of(d, " fill="), 0, count_of(d, " stroke=\""), 0);
    for (uint32_t i = 0; i < SOTTO_PLAYERS; i++) {
        char class[50];
        snprintf(class, sizeof class, "<g class=\"m-%s\">", sotto_player_name(i));
        has(d, class);
    }
}

/* Three epsilons of one method have three keys. */
TEST(keys_differ_as_lines_do)
{
    char key[3][1000] = {"", "", ""};
    sotto__curve curve[3];
    for (uint32_t i = 0; i < 3; i++) {
        curve[i] = curve_of(SOTTO_PLAYER_LDP_SGD);
        curve[i].dash = i;
        curve[i].label = i == 0 ? "0.25" : i == 1 ? "0.5" : "1";
        FILE *out = fmemopen(key[i], sizeof key[i], "w");
        assert_non_null(out);
        sotto__figure_svg_key(&curve[i], out);
        fclose(out);
        for (uint32_t j = 0; j < i; j++) {
            assert_string_not_equal(key[i], key[j]);
        }
    }
    assert_null(strstr(key[0], "stroke-dasharray"));
    assert_non_null(strstr(key[1], "stroke-dasharray=\"7,4\""));
    assert_non_null(strstr(key[2], "stroke-dasharray=\"2,3\""));
    sotto__figure figure = figure_of(curve, 3);
    FREED_BY(free_memory) drawn *d = whole_of(&figure);
    assert_int_equal(count_of(d, "stroke-dasharray=\"7,4\""), 2); /* the line and its key */
    assert_int_equal(count_of(d, "stroke-dasharray=\"2,3\""), 2);
}

TEST(our_own_line_has_its_name)
{
    sotto__curve curve[] = {curve_of(SOTTO_PLAYER_SOTTO), curve_of(SOTTO_PLAYER_OLS)};
    sotto__figure figure = figure_of(curve, 2);
    drawn *d = panel_of(&figure, 0);
    assert_int_equal(count_of(d, "class=\"own\">sotto</text>"), 1);
    free(d);
    curve[0].label = "sotto, epsilon 1"; /* several of them: the legend says which is which */
    d = panel_of(&figure, 0);
    assert_int_equal(count_of(d, "class=\"own\""), 0);
    free(d);
}

/* A file is complete: namespace, style for light and dark, all panels, a legend. */
TEST(a_file_has_all_it_needs)
{
    sotto__curve curve[] = {curve_of(SOTTO_PLAYER_SOTTO), curve_of(SOTTO_PLAYER_OLS)};
    sotto__figure figure = figure_of(curve, 2);
    figure.panels_count = 4;
    for (uint32_t p = 1; p < 4; p++) {
        figure.panel[p] = figure.panel[0];
    }
    FREED_BY(free_memory) drawn *d = whole_of(&figure);
    assert_int_equal(strncmp(d->text, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39), 0);
    has(d, "@media screen and (prefers-color-scheme: dark)");
    has(d, "<rect class=\"paper\"");
    assert_ints(count_of(d, "class=\"axis\""), 4, count_of(d, ">ols</text>"), 1);
    double width, height;
    assert_int_equal(sscanf(strstr(d->text, "viewBox"), "viewBox=\"0 0 %lf %lf\"", &width, &height),
                     2);
    assert_true(width > 2 * 340 && width < 800 && height > 2 * 258 && height < 700);
}
