/* The figure of a replay: a curve for each private method, a level line for what has no epsilon. */
#include "figure.h"
#include "lab/page/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "sotto replay"

/* A point of a curve. */
typedef struct mark {
    double x, y, lo, hi;
} mark;

static int compare(const void *a, const void *b)
{
    double x = ((const mark *)a)->x, y = ((const mark *)b)->x;
    return x < y ? -1 : x > y;
}

/* A classification has a mean and its standard error over seeds; a log an estimate with its interval.
 */
static mark mark_of(const replay_summary *summary, const replay_line *line)
{
    const double *v = line->value;
    if (summary->log) return (mark){line->epsilon, v[IPS_VALUE], v[IPS_LO], v[IPS_HI]};
    double mean = v[REWARD_MEAN], error = v[REWARD_SE];
    return (mark){line->epsilon, mean, mean - error, mean + error};
}

/* ---- curves ------------------------------------------------------------------------------- */

/* Curves, and the numbers that they point at: x, y, lo, hi of each point. */
typedef struct sheet {
    uint32_t curves_count;
    sotto__curve *curve;
    double *number; /* of the next curve */
    mark *mark;     /* room for the points of one curve */
    double x_min, x_max;
} sheet;

static void add_curve(sheet *s, sotto_player player, const char *label, uint32_t count)
{
    double *x = s->number, *y = x + count, *lo = y + count, *hi = lo + count;
    for (uint32_t i = 0; i < count; i++) {
        x[i] = s->mark[i].x;
        y[i] = s->mark[i].y;
        lo[i] = s->mark[i].lo;
        hi[i] = s->mark[i].hi;
    }
    s->curve[s->curves_count++] = (sotto__curve){
        .player = player, .label = label, .count = count, .x = x, .y = y, .lo = lo, .hi = hi};
    s->number = hi + count;
}

static void add_level(sheet *s, const replay_summary *summary, const replay_line *line,
                      sotto_player player, const char *label)
{
    s->mark[0] = s->mark[1] = mark_of(summary, line);
    s->mark[0].x = s->x_min;
    s->mark[1].x = s->x_max;
    add_curve(s, player, label, s->x_min < s->x_max ? 2 : 1);
}

/* The lines of one private method stand together. */
static uint32_t add_method(sheet *s, const replay_report *report, const replay_summary *summary,
                           uint32_t first)
{
    sotto_player player = report->plan->match[first].player;
    uint32_t count = 0;
    while (first + count < report->plan->settings.matches_count &&
           report->plan->match[first + count].player == player) {
        s->mark[count] = mark_of(summary, &summary->line[first + count]);
        count++;
    }
    qsort(s->mark, count, sizeof s->mark[0], compare);
    add_curve(s, player, NULL, count);
    return count;
}

static void fill(sheet *s, const replay_report *report, const replay_summary *summary)
{
    uint32_t matches = report->plan->settings.matches_count;
    s->x_min = INFINITY;
    for (uint32_t i = 0; i < matches; i++) {
        double epsilon = summary->line[i].epsilon;
        if (isinf(epsilon)) continue;
        s->x_min = fmin(s->x_min, epsilon);
        s->x_max = fmax(s->x_max, epsilon);
    }
    for (uint32_t i = 0; i < matches;) {
        if (isfinite(summary->line[i].epsilon)) {
            i += add_method(s, report, summary, i);
        } else {
            sotto_player player = report->plan->match[i].player;
            add_level(s, summary, &summary->line[i], player, NULL);
            i++;
        }
    }
    /* What needs no method has the look of the oracle, which no file has. */
    add_level(s, summary, &summary->line[matches], SOTTO_PLAYER_ORACLE,
              summary->log ? "the logging policy" : "the majority arm");
}

/* ---- files -------------------------------------------------------------------------------- */

static int draw(const replay_report *report, const replay_summary *summary, const sheet *s)
{
    char folder[4096], title[512], fault[SOTTO_FAULT_BYTES];
    const char *prefix = report->options->figure, *slash = strrchr(prefix, '/');
    const char *file = strrchr(report->options->data, '/');
    size_t length = slash == NULL ? 1 : slash == prefix ? 1 : (size_t)(slash - prefix);
    snprintf(folder, sizeof folder, "%.*s", (int)length, slash == NULL ? "." : prefix);
    snprintf(title, sizeof title, "%.200s%s", file == NULL ? report->options->data : file + 1,
             report->schema->from_data ? " (ranges from people's rows)" : "");
    const sotto__figure figure = {
        .name = slash == NULL ? prefix : slash + 1,
        .title = title,
        .x_label = "epsilon of a report",
        .y_label = summary->log                  ? "reward an event, by inverse propensity"
                   : report->options->passes > 1 ? "reward a person, over all passes"
                                                 : "reward a person",
        .x_log = true,
        .band = summary->log ? "95 % interval" : "mean ± standard error over seeds",
        .panels_count = 1,
        .panel = {{.curve = s->curve, .curves_count = s->curves_count}},
    };
    const char *wrong = sotto__figure_csv(&figure, folder, fault);
    if (wrong == NULL) wrong = sotto__figure_draw(&figure, folder, fault);
    if (wrong == NULL) return EXIT_OK;
    fprintf(stderr, PROGRAM ": --figure %s: %s\n", prefix, wrong);
    return EXIT_FAILED;
}

int replay_figure(const replay_report *report, const replay_summary *summary)
{
    uint32_t curves = report->plan->settings.matches_count + 1;
    double *numbers = calloc(8 * (size_t)curves, sizeof *numbers);
    sheet s = {.curve = calloc(curves, sizeof *s.curve),
               .number = numbers,
               .mark = calloc(curves + 1, sizeof *s.mark)};
    int code = EXIT_FAILED;
    if (numbers == NULL || s.curve == NULL || s.mark == NULL) {
        fprintf(stderr, PROGRAM ": %s\n", sotto_status_text(SOTTO_E_MEMORY));
    } else {
        fill(&s, report, summary);
        code = draw(report, summary, &s);
    }
    free(s.mark);
    free(s.curve);
    free(numbers);
    return code;
}
