/* What gnuplot is told: which points, where, how they look, and in what order. */
#include "lab/page/figure_script.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 200000u
#define MANY 5000u

static char *script_of(const sotto__figure *figure)
{
    char *text = calloc(1, TEXT_BYTES);
    assert_non_null(text);
    FILE *out = fmemopen(text, TEXT_BYTES, "w");
    assert_non_null(out);
    sotto__figure_script(figure, out);
    assert_int_equal(fflush(out), 0);
    assert_true(ftell(out) < (long)TEXT_BYTES - 1);
    fclose(out);
    return text;
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) fail_msg("\"%s\" is not in:\n%s", part, text);
}

static uint32_t count_of(const char *text, const char *part)
{
    uint32_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        count++;
    }
    return count;
}

/* Lines with numbers in the block called `name`. */
static uint32_t points_of(const char *text, const char *name)
{
    char start[40];
    uint32_t count = 0;
    snprintf(start, sizeof start, "$%s << END\n", name);
    has(text, start);
    const char *line = strstr(text, start) + strlen(start);
    for (; strncmp(line, "END\n", 4) != 0; line = strchr(line, '\n') + 1) {
        count += *line != '\n';
    }
    return count;
}

static sotto__figure figure_of(const sotto__curve *curve, uint32_t curves_count)
{
    return (sotto__figure){.name = "fig",
                           .title = "the title",
                           .x_label = "people",
                           .x_log = true,
                           .panels_count = 1,
                           .panel = {{"only", "regret", true, curve, curves_count}}};
}

static const double x[] = {1, 10, 100, 1000, 10000};

static void points_without_a_place_break_the_curve(void **state)
{
    (void)state;
    const double y[] = {1, NAN, 0, 4, 5}, lo[] = {-1, 1, 1, INFINITY, 1}, hi[] = {2, 2, 2, 5, 20};
    const sotto__curve curve = {
        .player = SOTTO_PLAYER_SOTTO, .count = 5, .x = x, .y = y, .lo = lo, .hi = hi};
    sotto__figure figure = figure_of(&curve, 1);
    char *text = script_of(&figure);
    has(text, "$line_0_0 << END\n1 1\n\n\n1000 4\n10000 5\nEND\n");
    has(text, "\n10000 1 20\nEND\n$marks");
    assert_int_equal(points_of(text, "band_0_0"), 2);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
    figure.panel[0].y_log = false; /* 0 has a place there */
    text = script_of(&figure);
    has(text, "$line_0_0 << END\n1 1\n\n100 0\n1000 4\n10000 5\nEND\n");
    free(text);
}

/* The first point after a gap is drawn, however near it is to the last one before. */
static void a_curve_begins_again_after_a_gap(void **state)
{
    (void)state;
    const double t[] = {0, 50, 50.01, 50.02, 100}, y[] = {0, 50, NAN, 50, 100};
    const sotto__curve curve = {.player = SOTTO_PLAYER_SOTTO, .count = 5, .x = t, .y = y};
    sotto__figure figure = figure_of(&curve, 1);
    figure.x_log = figure.panel[0].y_log = false;
    char *text = script_of(&figure);
    has(text, "$line_0_0 << END\n0 0\n50 50\n\n50.02 50\n100 100\nEND\n");
    free(text);
}

/* On a logarithmic axis a band ends at the axis, which goes down to a tenth of the mean for it. */
static void a_band_that_reaches_zero_is_cut_off(void **state)
{
    (void)state;
    const double y[] = {1, 1, 1, 1, 1}, lo[] = {-3, 0, 1e-9, 0.5, 1}, hi[] = {10, 2, 2, 2, 2};
    const sotto__curve curve = {
        .player = SOTTO_PLAYER_SOTTO, .count = 5, .x = x, .y = y, .lo = lo, .hi = hi};
    sotto__figure figure = figure_of(&curve, 1);
    char *text = script_of(&figure), range[100];
    /* 0.1 to 10 are two decades, of which 4 % is added at each end. */
    snprintf(range, sizeof range, "set yrange [%.10g:%.10g]\n", pow(10, -1.08) * (1 - 1e-9),
             pow(10, 1.08));
    has(text, range);
    snprintf(range, sizeof range, "\n10 %.10g 2\n", pow(10, -1.08));
    has(text, range);
    has(text, "set xrange [0.999999999:10000]\n"); /* so that the tick at 1 is drawn */
    free(text);
    figure.panel[0].y_log = false;
    text = script_of(&figure);
    has(text, "set yrange [-3.52:10.52]\n");
    has(text, "\n1 -3 10\n");
    free(text);
}

static void without_a_band_there_is_none(void **state)
{
    (void)state;
    const double y[] = {1, 2, 3, 4, 5};
    const sotto__curve curve = {.player = SOTTO_PLAYER_SOTTO, .count = 5, .x = x, .y = y};
    sotto__figure figure = figure_of(&curve, 1);
    char *text = script_of(&figure);
    assert_int_equal(points_of(text, "band_0_0"), 0);
    assert_null(strstr(text, "filledcurves"));
    free(text);
}

/* Each panel has its place, its words and its axes, in each of the two files. */
static void panels_stand_in_rows_of_two(void **state)
{
    (void)state;
    const double low[] = {1, 1, 1, 1, 1}, high[] = {1e4, 1e4, 1e4, 1e4, 1e4};
    const sotto__curve curve[] = {{.player = SOTTO_PLAYER_SOTTO, .count = 5, .x = x, .y = low},
                                  {.player = SOTTO_PLAYER_OLS, .count = 5, .x = x, .y = high}};
    sotto__figure figure = figure_of(curve, 1);
    figure.panels_count = 3;
    figure.panel[1] = (sotto__panel){"second", "regret", true, &curve[1], 1};
    figure.panel[2] = (sotto__panel){"third", "share", false, &curve[1], 1};
    char *text = script_of(&figure), range[100];
    snprintf(range, sizeof range, "set yrange [%.10g:%.10g]\n", pow(10, -0.16) * (1 - 1e-9),
             pow(10, 4.16));
    assert_int_equal(count_of(text, range), 4);
    assert_int_equal(count_of(text, "set yrange [9000:11000]\n"), 2);
    assert_int_equal(count_of(text, "\nset logscale y\n"), 4);
    assert_int_equal(count_of(text, "\nunset logscale y\n"), 2);
    assert_int_equal(
        count_of(text, "ytics out nomirror scale 0.7,0.35 ('' 0.7 1, '' 0.8 1, '' 0.9 1, '1' 1"),
        4);
    assert_int_equal(count_of(text, "set label 'third'"), 2);
    assert_int_equal(count_of(text, "set label 'people'"), 6);
    assert_int_equal(count_of(text, "set label 'regret'"), 4);
    assert_int_equal(count_of(text, "unset label\nunset arrow\n"), 6);
    /* The third begins below the first, at its left edge. */
    assert_int_equal(count_of(text, "set lmargin at screen 0.10370\n"), 4);
    free(text);
}

/* One entry for curves that look alike, in the order of the methods. */
static void the_legend_names_each_curve_once(void **state)
{
    (void)state;
    const double y[] = {1, 2, 3, 4, 5};
    const sotto__curve curve[] = {
        {.player = SOTTO_PLAYER_OLS, .count = 5, .x = x, .y = y},
        {.player = SOTTO_PLAYER_SOTTO, .label = "sotto, 5", .dash = 1, .count = 5, .x = x, .y = y},
        {.player = SOTTO_PLAYER_SOTTO, .count = 5, .x = x, .y = y},
        {.player = SOTTO_PLAYER_LDP_SGD, .count = 5, .x = x, .y = y},
        {.player = SOTTO_PLAYER_LDP_SGD, .dash = 1, .count = 5, .x = x, .y = y},
    };
    sotto__figure figure = figure_of(curve, 3);
    figure.panels_count = 2;
    figure.panel[1] = (sotto__panel){"second", "regret", true, &curve[1], 4};
    char *text = script_of(&figure);
    const char *const wanted[] = {"set label 'sotto, 5'", "set label 'sotto'",
                                  "set label 'ldp-sgd'", "set label 'ols'"};
    const char *last = text;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(count_of(text, wanted[i]), i == 2 ? 4 : 2); /* png, pdf */
        assert_true(strstr(text, wanted[i]) > last);
        last = strstr(text, wanted[i]);
    }
    assert_int_equal(count_of(text, "set arrow from"), 5 * 2);
    /* The first curve is drawn last, and so on top. */
    assert_true(strstr(text, ", $line_0_0") > strstr(text, ", $line_0_2"));
    has(text, ", $line_0_1 using 1:2 with lines lw 3.4 dt (7,4) lc rgb '#D55E00' notitle");
    has(text, ", $marks_0_0 using 1:2 with points pt 4 ");
    free(text);
}

/* Legends of any size lie below the words of the x axis, in the picture, and one beside another. */
static void legends_cover_nothing(void **state)
{
    (void)state;
    const double y[] = {1, 2, 3, 4, 5};
    const char *const label[] = {"m", "a method with a longer name",
                                 "a name that fills a whole line"};
    sotto__curve curve[SOTTO_PLAYERS];
    for (uint32_t kind = 0; kind < 6; kind++) {
        for (uint32_t i = 0; i < SOTTO_PLAYERS; i++) {
            curve[i] = (sotto__curve){.player = (sotto_player)i, .count = 5, .x = x, .y = y};
            curve[i].label = label[kind % 3];
        }
        sotto__figure figure = figure_of(curve, SOTTO_PLAYERS);
        figure.panels_count = kind < 3 ? 1 : 2;
        figure.panel[1] = figure.panel[0];
        char *text = script_of(&figure);
        double words, left, up, right, width, height, last_left = 2, last_up = 1;
        const char *size = strstr(text, "set terminal pngcairo size ");
        const char *people = strstr(text, "set label 'people' at screen ");
        assert_int_equal(sscanf(size, "set terminal pngcairo size %lf,%lf", &width, &height), 2);
        double scale = width / (kind < 3 ? 640 : 1080); /* pixels a unit */
        width /= scale;
        height /= scale;
        assert_int_equal(sscanf(people, "set label 'people' at screen %*f,%lf", &words), 1);
        const char *entry = text;
        for (uint32_t i = 0; i < SOTTO_PLAYERS; i++, entry++) {
            entry = strstr(entry, "set arrow from screen ");
            assert_non_null(entry);
            assert_int_equal(
                sscanf(entry, "set arrow from screen %lf,%lf to screen %lf", &left, &up, &right),
                3);
            double room = 10 * (double)strlen(label[kind % 3]); /* of the name */
            assert_true((words - up) * height > 20);
            assert_true(up * height > 15);
            assert_true(right * width + room < width);
            if (left > last_left) assert_true((left - last_left) * width > 50 + room);
            if (left <= last_left) assert_true((last_up - up) * height > 20);
            last_left = left;
            last_up = up;
        }
        free(text);
    }
}

/* What cannot be seen is left out; a jump is kept; so are both ends. */
static void points_too_near_to_be_seen_are_left_out(void **state)
{
    (void)state;
    static double t[MANY], y[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        t[i] = 1 + i;
        y[i] = i == 2500 ? 1000 : 1;
    }
    const sotto__curve curve = {
        .player = SOTTO_PLAYER_SOTTO, .count = MANY, .x = t, .y = y, .lo = y, .hi = y};
    sotto__figure figure = figure_of(&curve, 1);
    figure.x_log = figure.panel[0].y_log = false;
    char *text = script_of(&figure);
    assert_in_range(points_of(text, "line_0_0"), 300, 450);
    assert_int_equal(points_of(text, "line_0_0"), points_of(text, "band_0_0"));
    has(text, "$line_0_0 << END\n1 1\n");
    has(text, "\n2501 1000\n2502 1\n");
    has(text, "\n5000 1\nEND\n$band");
    free(text);
}

/* Seven, spread over the axis, elsewhere on each curve; one for a curve of one point. */
static void marks_are_few(void **state)
{
    (void)state;
    static double t[MANY], y[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        t[i] = i;
        y[i] = i;
    }
    const sotto__curve curve[] = {
        {.player = SOTTO_PLAYER_SOTTO, .count = MANY, .x = t, .y = y},
        {.player = SOTTO_PLAYER_OLS, .count = MANY, .x = t, .y = y},
        {.player = SOTTO_PLAYER_SGD, .count = 1, .x = t, .y = y},
    };
    sotto__figure figure = figure_of(curve, 3);
    figure.x_log = figure.panel[0].y_log = false;
    char *text = script_of(&figure);
    assert_int_equal(points_of(text, "marks_0_0"), 7);
    assert_int_equal(points_of(text, "marks_0_1"), 7);
    assert_int_equal(points_of(text, "marks_0_2"), 1);
    /* At (k + (curve + 1/2)/3)/7 of 4999. */
    has(text, "$marks_0_0 << END\n119 119\n833 833\n");
    has(text, "$marks_0_1 << END\n357 357\n1071 1071\n");
    free(text);
}

static void long_words_are_broken_into_lines(void **state)
{
    (void)state;
    sotto__figure figure = figure_of(NULL, 0);
    figure.title =
        "A title that is much too long to go on one line of a figure with one panel, and "
        "on two lines";
    figure.band = "it's\ta band";
    char *text = script_of(&figure), *longer;
    has(text, "set label 'A title that is much too long to go on one line of' at");
    has(text, "set label 'a figure with one panel, and on two lines' at");
    has(text, "set label 'it''s a band' at");
    figure.title = "A_title_without_a_space_that_is_longer_than_a_line_and_is_cut_where_it_must_be";
    longer = script_of(&figure);
    has(longer, "'A_title_without_a_space_that_is_longer_than_a_line_a' at");
    free(text);
    free(longer);
}

static void each_kind_of_file_is_drawn(void **state)
{
    (void)state;
    sotto__figure figure = figure_of(NULL, 0);
    char *text = script_of(&figure);
    assert_null(strstr(text, "svg"));
    has(text, "set terminal pngcairo size 1600,");
    has(text, "set output 'fig.png.part'\n");
    has(text, "set terminal pdfcairo size 7.0000in,");
    has(text, "set output 'fig.pdf.part'\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_without_a_place_break_the_curve),
        cmocka_unit_test(a_curve_begins_again_after_a_gap),
        cmocka_unit_test(a_band_that_reaches_zero_is_cut_off),
        cmocka_unit_test(without_a_band_there_is_none),
        cmocka_unit_test(panels_stand_in_rows_of_two),
        cmocka_unit_test(the_legend_names_each_curve_once),
        cmocka_unit_test(legends_cover_nothing),
        cmocka_unit_test(points_too_near_to_be_seen_are_left_out),
        cmocka_unit_test(marks_are_few),
        cmocka_unit_test(long_words_are_broken_into_lines),
        cmocka_unit_test(each_kind_of_file_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
