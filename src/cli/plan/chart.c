/* A chart for a terminal, drawn with ASCII characters. */
#include "inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS 42u
#define ROWS_MAX 16u
#define MARGIN 6 /* columns to the left of the axis */

typedef struct chart {
    double from, to;             /* people at the left and right end, as powers of ten */
    uint32_t decades, rows_each; /* decades of regret from 1 upwards, and rows per decade */
    char cell[ROWS_MAX][COLUMNS + 1];
} chart;

static void mark(chart *c, uint32_t x, double regret, char letter)
{
    double y = log10(regret) * c->rows_each;
    if (!(y >= 0)) return; /* a regret below 1 */
    uint32_t top = c->decades * c->rows_each - 1;
    c->cell[y < top ? (uint32_t)y : top][x] = letter;
}

/* Scales the chart to the largest regret, at most 10^12. */
static void set_scale(chart *c, const sotto_plan_answers *answers)
{
    double most = 0;
    for (uint32_t i = 0; i < answers->count; i++) {
        most = fmax(most, log10(answers->of[i].end.regret));
    }
    c->decades = (uint32_t)fmin(ROWS_MAX, ceil(most));
    c->rows_each = c->decades <= 4 ? 3 : c->decades <= 8 ? 2 : 1;
    memset(c->cell, 0, sizeof c->cell);
    for (uint32_t row = 0; row < c->decades * c->rows_each; row++) {
        memset(c->cell[row], ' ', COLUMNS);
    }
}

static char letter_of(const sotto_plan_answers *answers, uint32_t i)
{
    return answers->count == 1 ? '*' : (char)('1' + i);
}

static void print_rows(FILE *file, const chart *c)
{
    fprintf(file, "%*s\n", MARGIN, "regret");
    for (uint32_t row = c->decades * c->rows_each; row-- > 0;) {
        char label[16] = "";
        if (row % c->rows_each == 0) snprintf(label, sizeof label, "1e%02u", row / c->rows_each);
        fprintf(file, "%*s |%s\n", MARGIN, label, c->cell[row]);
    }
}

static void print_axis(FILE *file, const chart *c)
{
    char line[COLUMNS + 1], labels[COLUMNS + 16];
    memset(line, '-', COLUMNS);
    line[COLUMNS] = '\0';
    memset(labels, ' ', sizeof labels);
    for (double power = c->from; power <= c->to; power++) {
        uint32_t x = (uint32_t)lround((power - c->from) / (c->to - c->from) * (COLUMNS - 1));
        char label[16];
        int length = snprintf(label, sizeof label, "1e%02.0f", power);
        bool room = c->to - c->from <= 9 || fmod(power, 2) == 1;
        line[x] = '+';
        if (room) memcpy(labels + x, label, (size_t)length);
    }
    labels[COLUMNS + 3] = '\0';
    fprintf(file, "%*s +%s\n%*s  %s people\n", MARGIN, "", line, MARGIN, "", labels);
}

void plan_print_chart(FILE *file, const sotto_plan_answers *answers)
{
    chart c = {.from = 1, .to = log10((double)answers->of[0].end.people)};
    set_scale(&c, answers);
    if (c.to <= c.from || c.decades == 0) return; /* too small for a chart */
    sotto_plan_point point[COLUMNS];
    for (uint32_t i = 0; i < answers->count; i++) {
        sotto_plan_curve(&answers->of[i].plan, point, COLUMNS);
        for (uint32_t x = 0; x < COLUMNS; x++) {
            if (i == 0) mark(&c, x, point[x].open_regret, '.');
            mark(&c, x, point[x].regret, letter_of(answers, i));
        }
    }
    print_rows(file, &c);
    print_axis(file, &c);
    fprintf(file, "%*s  . without privacy", MARGIN, "");
    for (uint32_t i = 0; i < answers->count; i++) {
        fprintf(file, "   %c epsilon %g", letter_of(answers, i),
                answers->of[i].plan.match.spec.epsilon);
    }
    fprintf(file, "\n\n");
}
