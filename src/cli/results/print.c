/* Prints the result as a sentence, then the numbers, then the caveats. */
#include "cli/print/print.h"
#include "inner.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 40u

/* A difference of rewards without its unit: percentage points for rewards of 0 and 1. */
static void difference_text(const results_read *read, double value, char out[NUMBER_BYTES])
{
    snprintf(out, NUMBER_BYTES, read->binary ? "%.1f" : "%.4g",
             read->binary ? 100 * value + 0.0 : value);
}

/* The estimate, or the nearest end of the interval if the estimate is impossible. */
static double possible(const results_interval *u)
{
    return fmin(u->hi, fmax(u->lo, u->value));
}

static void compare(const results_read *read, bool more, char out[RESULTS_TEXT_BYTES])
{
    const results_interval *u = &read->uplift;
    char value[NUMBER_BYTES], low[NUMBER_BYTES], high[NUMBER_BYTES];
    difference_text(read, more ? possible(u) : -possible(u), value);
    difference_text(read, more ? u->lo : -u->hi, low);
    difference_text(read, more ? u->hi : -u->lo, high);
    snprintf(
        out, RESULTS_TEXT_BYTES,
        "The learned choice earns %s%s %s than an arm at random (%g %% any-time interval %s to "
        "%s).",
        value, read->binary ? " percentage points" : "", more ? "more" : "less",
        100 * (1 - read->alpha), low, high);
}

static void say_unsure(const results_read *read, char out[RESULTS_TEXT_BYTES])
{
    const results_interval *u = &read->uplift;
    char value[NUMBER_BYTES], low[NUMBER_BYTES], high[NUMBER_BYTES];
    difference_text(read, possible(u), value);
    difference_text(read, u->lo, low);
    difference_text(read, u->hi, high);
    snprintf(
        out, RESULTS_TEXT_BYTES,
        "It is not yet certain whether the learned choice is better than an arm at random: the "
        "difference is %s%s (%g %% any-time interval %s to %s).",
        value, read->binary ? " percentage points" : "", 100 * (1 - read->alpha), low, high);
}

void results_sentence(const results_read *read, char out[RESULTS_TEXT_BYTES])
{
    if (!read->measured) {
        snprintf(out, RESULTS_TEXT_BYTES,
                 "This experiment has no measure rounds, so what the learned choice earns is "
                 "unknown.");
    } else if (!isfinite(read->uplift.value)) {
        snprintf(out, RESULTS_TEXT_BYTES,
                 "Nothing is measured yet: the first batch of measure rounds is not complete.");
    } else if (read->uplift.lo > 0) {
        compare(read, true, out);
    } else if (read->uplift.hi < 0) {
        compare(read, false, out);
    } else if (read->harmed) {
        snprintf(out, RESULTS_TEXT_BYTES,
                 "The learned choice is worse than an arm at random: the alarm for harm has "
                 "fired.");
    } else {
        say_unsure(read, out);
    }
}

static verdict_tone tone_of(const results_read *read)
{
    if (!read->measured) return VERDICT_OPEN;
    if (read->uplift.lo > 0) return VERDICT_GOOD;
    return read->uplift.hi < 0 || read->harmed ? VERDICT_BAD : VERDICT_OPEN;
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define COLUMNS 8u
static const print_column columns[COLUMNS] = {
    {"row", "", -16, 0, 0},         {"reports", "reports", 11, 0, 0},
    {"mean", "mean", 10, 4, 0},     {"mean_lo", "from", 9, 4, 0},
    {"mean_hi", "to", 9, 4, 0},     {"uplift", "learned leads", 13, 4, 0},
    {"uplift_lo", "from", 9, 4, 0}, {"uplift_hi", "to", 9, 4, 0},
};

static void put_row(print_format format, const char *name, const uint64_t *reports,
                    const results_interval *mean, const results_interval *uplift)
{
    static const results_interval none = {NAN, NAN, NAN};
    const results_interval *m = mean != NULL ? mean : &none, *u = uplift != NULL ? uplift : &none;
    const print_value value[COLUMNS] = {
        print_text(name),     reports != NULL ? print_natural(*reports) : print_none(),
        print_real(m->value), print_real(m->lo),
        print_real(m->hi),    print_real(u->value),
        print_real(u->lo),    print_real(u->hi),
    };
    print_row(stdout, format, columns, value, COLUMNS);
}

static void put_rows(const results_read *read, print_format format)
{
    print_head(stdout, format, columns, COLUMNS);
    put_row(format, "learned choice", &read->follow.reports, &read->follow.mean, NULL);
    put_row(format, "arm at random", &read->control.reports, &read->control.mean, &read->uplift);
    put_row(format, "the same lately", &read->recent_reports, NULL, &read->recent);
    for (uint32_t a = 0; a < read->arms; a++) {
        char name[24];
        snprintf(name, sizeof name, "arm %" PRIu32, a);
        put_row(format, name, &read->arm[a].reports, &read->arm[a].mean, &read->arm[a].uplift);
    }
}

void results_print_csv(const results_read *read)
{
    put_rows(read, PRINT_CSV);
}

/* ---- caveats -------------------------------------------------------------------------------- */

static char *next(results_caveats *list)
{
    return list->text[list->count++];
}

static void warn(const results_read *read, results_caveats *list)
{
    if (read->harmed) {
        snprintf(next(list), RESULTS_TEXT_BYTES,
                 "Harm: pause the experiment and find out why. At most one experiment in "
                 "1,000 gets a false alarm.");
    }
    if (read->served_since >= 0) {
        snprintf(next(list), RESULTS_TEXT_BYTES,
                 "Since epoch %" PRId64 " people get the fallback, until its owner ends it.",
                 read->served_since);
    }
    if (read->better_arm >= 0) {
        snprintf(next(list), RESULTS_TEXT_BYTES,
                 "Arm %" PRId64 " for everybody would earn more than the learned choice so far.",
                 read->better_arm);
    }
    if (read->fallen) {
        snprintf(next(list), RESULTS_TEXT_BYTES,
                 "What the learned choice earns has fallen: the recent interval lies below that of "
                 "the whole time.");
    }
    if (read->held) {
        snprintf(next(list), RESULTS_TEXT_BYTES,
                 "The watch holds an epoch: release or discard it.");
    }
    if (strcmp(read->state, "open") != 0) {
        snprintf(next(list), RESULTS_TEXT_BYTES, "The experiment is %.20s: no reports come in.",
                 read->state);
    }
}

void results_list_caveats(const results_read *read, results_caveats *list)
{
    list->count = 0;
    warn(read, list);
    if (!read->measured) {
        snprintf(next(list), RESULTS_TEXT_BYTES,
                 "To measure, create a new experiment with \"measure\" in its spec.");
        return;
    }
    snprintf(next(list), RESULTS_TEXT_BYTES,
             "Intervals hold for all looks together. The uplift counts the whole time since the "
             "first deciding model; reports appear in batches.");
    snprintf(next(list), RESULTS_TEXT_BYTES,
             "Dishonest clients can shift these numbers (docs/methods.md, section 15).");
}

static void print_place(const results_read *read)
{
    char shown[4 * SOTTO__SHOWN_BYTES];
    bool fits = strlen(read->name) < sizeof shown;
    snprintf(shown, sizeof shown, "%.*s%s", (int)sizeof shown - 5, read->name, fits ? "" : "...");
    if (read->name[0] != '\0') printf("%s  ", sotto__printable(shown));
    printf("%s\n\n", read->id);
}

void results_print(const results_read *read)
{
    char sentence[RESULTS_TEXT_BYTES];
    results_caveats list;
    const uint32_t width = text_columns_of_output();
    results_sentence(read, sentence);
    verdict_print(stdout, sentence, tone_of(read), width);
    print_place(read);
    if (read->measured) put_rows(read, PRINT_TABLE);
    if (read->measured) putchar('\n');
    results_list_caveats(read, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        fputs("- ", stdout);
        wrap_print(stdout, list.text[i], 2, 2, width);
    }
}
