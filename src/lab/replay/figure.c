/* The figure of a replay. */
#include "replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A point of a curve. */
typedef struct mark {
    double x, y, lo, hi;
} mark;

static int compare(const void *a, const void *b)
{
    double x = ((const mark *)a)->x, y = ((const mark *)b)->x;
    return x < y ? -1 : x > y;
}

/* A classification has a mean and its standard error over seeds; a log an estimate with its
 * interval. */
static mark mark_of(const sotto_replay_summary *summary, const sotto_replay_line *line)
{
    const sotto_estimate *value = &line->weighted;
    if (summary->log) return (mark){line->epsilon, value->value, value->lo, value->hi};
    double mean = line->reward_mean, error = line->reward_se;
    return (mark){line->epsilon, mean, mean - error, mean + error};
}

/* ---- curves ------------------------------------------------------------------------------- */

typedef struct replay_curves {
    const sotto_replay_summary *summary;
    uint32_t curves_count;
    sotto__curve *curve;
    double *number; /* of the next curve: x, y, lo, hi of each point */
    mark *mark;     /* room for the points of one curve */
    double x_min, x_max;
} replay_curves;

static void add_curve(replay_curves *s, sotto_player player, const char *label, uint32_t count)
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

static void add_level(replay_curves *s, const sotto_replay_line *line, sotto_player player,
                      const char *label)
{
    s->mark[0] = s->mark[1] = mark_of(s->summary, line);
    s->mark[0].x = s->x_min;
    s->mark[1].x = s->x_max;
    add_curve(s, player, label, s->x_min < s->x_max ? 2 : 1);
}

/* Adds the curve of a private method, whose lines are adjacent; returns how many lines it has. */
static uint32_t add_method(replay_curves *s, const sotto_replay_line *line)
{
    uint32_t count = 0;
    for (; !line[count].yardstick && line[count].player == line->player; count++) {
        s->mark[count] = mark_of(s->summary, &line[count]);
    }
    qsort(s->mark, count, sizeof s->mark[0], compare);
    add_curve(s, line->player, NULL, count);
    return count;
}

static void fill(replay_curves *s)
{
    const sotto_replay_line *line = s->summary->line;
    uint32_t i;
    s->x_min = INFINITY;
    for (i = 0; i < s->summary->lines_count; i++) {
        if (isinf(line[i].epsilon)) continue;
        s->x_min = fmin(s->x_min, line[i].epsilon);
        s->x_max = fmax(s->x_max, line[i].epsilon);
    }
    for (i = 0; !line[i].yardstick;) {
        if (isfinite(line[i].epsilon)) {
            i += add_method(s, &line[i]);
        } else {
            add_level(s, &line[i], line[i].player, NULL);
            i++;
        }
    }
    /* The best fixed arm is drawn in the style of the oracle, which no file has. */
    bool log = s->summary->log;
    add_level(s, &line[log ? i + 1 : i], SOTTO_PLAYER_ORACLE,
              log || s->summary->by_table ? "the best fixed arm" : "the majority arm");
}

/* ---- the figure --------------------------------------------------------------------------- */

static const char *y_label_of(const sotto_replay_summary *summary)
{
    if (summary->log) return "reward an event, by inverse propensity";
    return summary->passes > 1 ? "reward per person, over all passes" : "reward per person";
}

/* Everything but the curves. */
static void set_words(sotto__replay_figure *f, const sotto_replay_summary *summary,
                      const char *prefix, const char *data, bool from_data)
{
    const char *slash = strrchr(prefix, '/'), *file = strrchr(data, '/');
    size_t length = slash == NULL || slash == prefix ? 1 : (size_t)(slash - prefix);
    snprintf(f->directory, sizeof f->directory, "%.*s", (int)length, slash == NULL ? "." : prefix);
    snprintf(f->title, sizeof f->title, "%.200s%s", file == NULL ? data : file + 1,
             from_data ? " (ranges from people's rows)" : "");
    f->figure = (sotto__figure){
        .name = slash == NULL ? prefix : slash + 1,
        .title = f->title,
        .x_label = "epsilon of a report",
        .x_log = true,
        .band = summary->log ? "95 % interval" : "mean ± standard error over seeds",
        .panels_count = 1,
    };
}

sotto_status sotto__replay_figure_new(const sotto_replay_summary *summary, const char *prefix,
                                      const char *data, bool from_data, sotto__replay_figure **out)
{
    sotto_status status = SOTTO_E_MEMORY;
    size_t curves = summary->lines_count - SOTTO__REPLAY_YARDSTICKS + 1;
    mark *room = calloc(curves + 1, sizeof *room);
    sotto__replay_figure *f = calloc(1, sizeof *f);
    *out = NULL;
    if (room == NULL || f == NULL) goto cleanup;
    f->curve = calloc(curves, sizeof *f->curve);
    f->number = calloc(8 * curves, sizeof *f->number); /* two points of each at most, in the mean */
    if (f->curve == NULL || f->number == NULL) goto cleanup;

    replay_curves s = {.summary = summary, .curve = f->curve, .number = f->number, .mark = room};
    fill(&s);
    set_words(f, summary, prefix, data, from_data);
    f->figure.panel[0] = (sotto__panel){
        .y_label = y_label_of(summary), .curve = f->curve, .curves_count = s.curves_count};
    *out = f;
    f = NULL; /* now the caller's */
    status = SOTTO_OK;
cleanup:
    sotto__replay_figure_free(f);
    free(room);
    return status;
}

void sotto__replay_figure_free(sotto__replay_figure *figure)
{
    if (figure == NULL) return;
    free(figure->curve);
    free(figure->number);
    free(figure);
}
