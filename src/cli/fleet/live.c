#include "cli/print/print.h"
#include "inner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ==== chart ================================================================================== */

/* Bars drawn with ASCII characters. */

#define BAR 40

static void print_step(const sotto__regret_steps *curve, uint32_t step, uint64_t last)
{
    static const char full[BAR + 1] = "########################################";
    double part = curve->random[step] > 0 ? curve->regret[step] / curve->random[step] : 0;
    int length = (int)lrint(BAR * fmin(part, 1));
    printf("%10" PRIu64 " |%-*.*s| %3.0f %%\n", last, BAR, length, full, 100 * part);
}

void fleet_chart_print(const sotto__regret_steps *curve)
{
    uint64_t last = 0;
    uint32_t steps = sotto__regret_steps_count(curve);
    if (steps == 0) return;
    printf("\n%10s  %s\n", "to person", "regret, as a share of that of random arms");
    for (uint32_t i = 0; i < steps; i++) {
        last += sotto__regret_steps_people(curve, i);
        print_step(curve, i, last);
    }
}

/* ==== live =================================================================================== */

/*
 * The live table. On a terminal, one line is rewritten every second; elsewhere, a row is added
 * every five seconds. Rates, latencies and regret are those since the row before. The oracle's
 * regret is 0 by definition.
 */

#define CURVE_EVERY_S 1.0
#define TERMINAL_EVERY_S 1.0
#define ROWS_EVERY_S 5.0
#define COLUMNS 19u
#define LINE_BYTES_MAX 400u

static const print_column column[COLUMNS] = {
    {"seconds", "s", 6, 5, 6},
    {"people", "people", 9, 0, 0},
    {"reports_per_s", "reports/s", 9, 6, 6},
    {"acknowledged", "acked", 9, 0, 0},
    {"p50_ms", "p50 ms", 7, 3, 4},
    {"p90_ms", "p90 ms", 7, 3, 4},
    {"p99_ms", "p99 ms", 7, 3, 4},
    {"epoch", "epoch", 6, 0, 0},
    {"regret_per_person", "regret", 8, 3, 6},
    {"random_per_person", "random", 8, 3, 6},
    {"oracle_per_person", "oracle", 6, 3, 6},
    {"uplift", "uplift", 8, 3, 6},
    {"uplift_lo", "from", 8, 3, 6},
    {"uplift_hi", "to", 8, 3, 6},
    {"uplift_true", "true", 8, 3, 6},
    {"regret", NULL, 0, 0, 0},
    {"regret_random", NULL, 0, 0, 0},
    {"put_off", NULL, 0, 0, 0},
    {"dropped", NULL, 0, 0, 0},
};

static void fill(const sotto__sight *before, const sotto__sight *now, print_value value[COLUMNS])
{
    sotto__pace pace = sotto__pace_between(before, now);
    const sotto__policy_value_seen *policy = &now->value;
    bool seen = policy->there && !isnan(policy->uplift.value);
    const print_value values[COLUMNS] = {
        print_real(now->seconds),
        print_natural(now->people),
        print_real(pace.reports_per_s),
        print_natural(now->sent.acknowledged),
        print_real(pace.p50_ms),
        print_real(pace.p90_ms),
        print_real(pace.p99_ms),
        print_natural(now->epoch),
        print_real(pace.regret),
        print_real(pace.regret_random),
        print_real(0),
        seen ? print_real(policy->uplift.value) : print_none(),
        seen ? print_real(policy->uplift.lo) : print_none(),
        seen ? print_real(policy->uplift.hi) : print_none(),
        seen ? print_real(policy->truth) : print_none(),
        print_real(now->regret),
        print_real(now->regret_random),
        print_natural(now->put_off),
        print_natural(now->dropped),
    };
    for (uint32_t i = 0; i < COLUMNS; i++) {
        value[i] = values[i];
    }
}

/* How many columns to show: the last four are of measure rounds, and left out if there are none. */
static uint32_t columns_shown(const sotto__sight *sight)
{
    return sight->value.there ? COLUMNS : 11;
}

static uint32_t terminal_width(void)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

/* Prints one line, cut to the width of the terminal: a line that wraps cannot be overwritten. */
static void print_cut(const print_value *value, uint32_t count)
{
    char line[LINE_BYTES_MAX] = "";
    FILE *file = fmemopen(line, sizeof line, "w");
    if (file == NULL) return;
    if (value != NULL) {
        table_row(file, column, value, count);
    } else {
        table_head(file, column, count);
    }
    fclose(file);
    uint32_t end = 0, width = terminal_width() - 1;
    while (line[end] != '\0' && line[end] != '\n' && end < width) {
        end++;
    }
    fprintf(stderr, "\r\033[K%.*s%s", (int)end, line, value == NULL ? "\n" : "");
}

/* If reports were put off since the last row, prints on a separate line how often and why. */
static void tell_trouble(const fleet_live *live, const sotto__sight *sight)
{
    uint64_t more = sight->put_off - live->shown.put_off;
    if (more == 0) return;
    fprintf(stderr, "%ssotto fleet: put off %" PRIu64 " times: %s\n",
            live->terminal ? "\r\033[K" : "", more, sight->trouble);
}

static void show(fleet_live *live, const sotto__sight *sight)
{
    print_value value[COLUMNS];
    uint32_t count = columns_shown(sight);
    tell_trouble(live, sight);
    fill(&live->shown, sight, value);
    if (live->terminal) {
        if (!live->head) print_cut(NULL, count);
        print_cut(value, count);
    } else {
        if (!live->head) table_head(stderr, column, count);
        table_row(stderr, column, value, count);
    }
    live->head = true;
    live->shown = *sight;
}

static void write_row(fleet_live *live, const sotto__sight *sight)
{
    print_value value[COLUMNS];
    fill(&live->written, sight, value);
    csv_row(live->csv, column, value, COLUMNS);
    live->written = *sight;
}

static bool look(void *state, const sotto__sight *sight)
{
    fleet_live *live = state;
    double every_s = live->terminal ? TERMINAL_EVERY_S : ROWS_EVERY_S;
    if (live->table && sight->seconds >= live->shown.seconds + every_s) show(live, sight);
    if (live->csv != NULL && sight->seconds >= live->written.seconds + CURVE_EVERY_S) {
        write_row(live, sight);
    }
    live->came = live->came || stop_signals_came(&live->signals);
    return !live->came;
}

void fleet_live_begin(fleet_live *live, FILE *csv, bool quiet)
{
    *live = (fleet_live){
        .table = !quiet,
        .terminal = isatty(STDERR_FILENO) != 0,
        .csv = csv,
        .signals = stop_signals_hold(),
    };
    if (csv != NULL) csv_head(csv, column, COLUMNS);
}

sotto__fleet_listener fleet_live_listener(fleet_live *live)
{
    return (sotto__fleet_listener){look, live};
}

void fleet_live_end(fleet_live *live, const sotto__sight *sight)
{
    if (live->table && sight->seconds > live->shown.seconds) show(live, sight);
    if (live->table && live->terminal && live->head) fprintf(stderr, "\n");
    if (live->csv != NULL && sight->seconds > live->written.seconds) write_row(live, sight);
}
