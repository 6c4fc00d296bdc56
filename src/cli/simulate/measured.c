/* Prints what measure rounds say, beside the truth. */
#include "measured.h"
#include "cli/print/table.h"
#include "lab/player/brought.h"

#include <inttypes.h>
#include <math.h>

#define TABLE_ARMS_MAX 10u /* programs get more */

static const print_column column[] = {
    {"method", NULL, 0, 0, 0},    {"epsilon", NULL, 0, 0, 15}, {"seed", NULL, 0, 0, 0},
    {"what", "what", -15, 0, 0},  {"arm", "arm", 4, 0, 0},     {"reports", "reports", 9, 0, 0},
    {"value", "value", 10, 4, 0}, {"lo", "from", 10, 4, 0},    {"hi", "to", 10, 4, 0},
    {"truth", "truth", 10, 4, 0},
};
enum { COLUMNS = sizeof column / sizeof column[0] };

/* The run that rows belong to, and where they go. */
typedef struct printing {
    FILE *file;
    print_format format;
    const char *method;
    double epsilon;
    uint64_t seed;
} printing;

static void print_line(const printing *p, const char *what, print_value arm, uint64_t reports,
                       const sotto_interval *seen, double truth)
{
    const print_value value[COLUMNS] = {
        print_text(p->method),
        print_real(p->epsilon),
        print_natural(p->seed),
        print_text(what),
        arm,
        print_natural(reports),
        print_real(seen->value),
        print_real(seen->lo),
        print_real(seen->hi),
        print_real(truth),
    };
    print_row(p->file, p->format, column, value, COLUMNS);
}

static void print_arms(const printing *p, const sotto_run_measurement *m)
{
    uint64_t follow = m->seen.follow_count;
    bool table = p->format == PRINT_TABLE;
    uint32_t most = table && m->arms_count > TABLE_ARMS_MAX ? TABLE_ARMS_MAX : m->arms_count;
    for (uint32_t a = 0; a < most; a++) {
        const sotto_run_arm *arm = &m->arm[a];
        print_line(p, "control", print_natural(a), arm->seen.count, &arm->seen.mean, arm->mean);
    }
    for (uint32_t a = 0; a < most; a++) {
        const sotto_run_arm *arm = &m->arm[a];
        print_line(p, "uplift over", print_natural(a), follow + arm->seen.count, &arm->seen.uplift,
                   arm->uplift);
    }
}

/* For programs, where there was harm: `value` is the number of people until then, `hi` the upper end of the
 * uplift. */
static void print_people(const printing *p, const sotto_run_measurement *m)
{
    const sotto_measurement *seen = &m->seen;
    const sotto_interval harm = {(double)m->harm_at, NAN, m->harm.uplift_hi};
    const sotto_interval served = {(double)m->served_at, NAN, m->harm.recent_uplift_hi};
    uint64_t recent = seen->recent_follow_count + seen->recent_control_count;
    if (m->harm_at > 0)
        print_line(p, "harm", print_none(), seen->follow_count + seen->control_count, &harm, NAN);
    if (m->served_at > 0) print_line(p, "fallback", print_none(), recent, &served, NAN);
}

static void print_run(const printing *p, const sotto_run_measurement *m)
{
    const sotto_measurement *seen = &m->seen;
    print_line(p, "follow", print_none(), seen->follow_count, &seen->follow, m->follow);
    print_line(p, "control", print_none(), seen->control_count, &seen->control, m->control);
    print_line(p, "uplift", print_none(), seen->follow_count + seen->control_count, &seen->uplift,
               m->uplift);
    print_line(p, "recent uplift", print_none(),
               seen->recent_follow_count + seen->recent_control_count, &seen->recent_uplift,
               m->recent_uplift);
    if (p->format != PRINT_TABLE) print_people(p, m);
    print_arms(p, m);
}

static printing printing_of(FILE *file, print_format format, const sotto__comparison *comparison,
                            uint64_t run)
{
    const sotto_sweep *sweep = &comparison->sweep;
    return (printing){file, format, sotto__match_method(sotto__comparison_match(comparison, run)),
                      comparison->epsilon[run / sweep->seeds_count],
                      sweep->first_seed + run % sweep->seeds_count};
}

static void print_all(FILE *file, print_format format, const sotto__comparison *comparison,
                      const sotto__results *results)
{
    print_head(file, format, column, COLUMNS);
    for (uint64_t run = 0; run < sotto_sweep_runs(&comparison->sweep); run++) {
        if (results->measured == NULL || !results->measured[run].there) continue;
        const printing p = printing_of(file, format, comparison, run);
        print_run(&p, &results->measured[run]);
    }
}

/* Of the run whose table stands above. */
static void print_harm(FILE *file, const sotto_run_measurement *m)
{
    fprintf(file, "Harm of this run: %s", sotto_harm_verdict_name(m->harm.verdict));
    if (m->harm_at > 0) fprintf(file, ", seen after %" PRIu64 " people", m->harm_at);
    if (m->served_at > 0) fprintf(file, ", fallback after %" PRIu64, m->served_at);
    fprintf(file, "; the uplift is at most %.4g, recently %.4g\n", m->harm.uplift_hi,
            m->harm.recent_uplift_hi);
    if (m->harm.better_arm != UINT32_MAX) {
        fprintf(file, "below-best-arm: arm %u for everybody is better than the policy\n",
                m->harm.better_arm);
    }
}

/* One method at one epsilon, for people. */
static void print_match(FILE *file, const sotto__comparison *comparison,
                        const sotto__results *results, uint32_t match)
{
    const sotto_spec *spec = &comparison->match[match].spec;
    const sotto__measured_line line = sotto__measured_of(comparison, results, match);
    if (spec->measure == 0) return;
    if (line.runs == 0) {
        fprintf(file, "\n%s at epsilon %g: no reports of measure rounds of both roles\n",
                sotto__match_method(&comparison->match[match]), comparison->epsilon[match]);
        return;
    }
    const printing p = printing_of(file, PRINT_TABLE, comparison, line.first);
    fprintf(
        file,
        "\nMeasure rounds, %g of all, as the server of %s at epsilon %g sees them, seed %" PRIu64
        ";\nintervals of %g %% for any time, and the truth that it does not see:\n\n",
        spec->measure * 0x1p-32, p.method, p.epsilon, p.seed, 100 * (1 - SOTTO_RUN_MEASURE_ALPHA));
    table_head(file, column, COLUMNS);
    print_run(&p, &results->measured[line.first]);
    if (spec->arms > TABLE_ARMS_MAX) {
        fprintf(file, "and %u more arms\n", spec->arms - TABLE_ARMS_MAX);
    }
    fprintf(
        file,
        "\nUplift in %u run%s: %.4g in the mean, truth %.4g; truth within the interval in %u, told "
        "from 0 in %u\n",
        line.runs, line.runs == 1 ? "" : "s", line.uplift, line.truth, line.held, line.told);
    print_harm(file, &results->measured[line.first]);
    fprintf(file, "Harm in %u of %u run%s; a fallback was served in %u\n", line.harm, line.runs,
            line.runs == 1 ? "" : "s", line.served);
}

void simulate_measured_print(FILE *file, print_format format, const sotto__comparison *comparison,
                             const sotto__results *results)
{
    if (results->measured == NULL) return;
    if (format != PRINT_TABLE) {
        print_all(file, format, comparison, results);
        return;
    }
    for (uint32_t i = 0; i < comparison->sweep.matches_count; i++) {
        print_match(file, comparison, results, i);
    }
}
