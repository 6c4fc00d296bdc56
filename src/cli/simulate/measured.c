#include "cli/print/print.h"
#include "inner.h"
#include "lab/player/player.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ==== measured =============================================================================== */

/* Prints the estimates from measure rounds beside the truth. */

#define TABLE_ARMS_MAX 10u /* CSV and JSON have all arms */

static const print_column column[] = {
    {"method", NULL, 0, 0, 0},    {"epsilon", NULL, 0, 0, 15}, {"seed", NULL, 0, 0, 0},
    {"what", "what", -15, 0, 0},  {"arm", "arm", 4, 0, 0},     {"reports", "reports", 9, 0, 0},
    {"value", "value", 10, 4, 0}, {"lo", "from", 10, 4, 0},    {"hi", "to", 10, 4, 0},
    {"truth", "truth", 10, 4, 0},
};
enum { COLUMNS = sizeof column / sizeof column[0] };

/* The run that rows belong to, and the file they are printed to. */
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

/* For programs, if harm was found: `value` is the number of people until then, `hi` the upper end
 * of the uplift. */
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

/* Prints the harm verdict of the run whose table was just printed. */
static void print_harm(FILE *file, const sotto_run_measurement *m)
{
    fprintf(file, "\nHarm in this run: %s", sotto_harm_verdict_name(m->harm.verdict));
    if (m->harm_at > 0) fprintf(file, ", seen after %" PRIu64 " people", m->harm_at);
    if (m->served_at > 0) fprintf(file, ", fallback after %" PRIu64, m->served_at);
    fprintf(file, "; the uplift is at most %.4g, recently %.4g\n", m->harm.uplift_hi,
            m->harm.recent_uplift_hi);
    if (m->harm.better_arm != UINT32_MAX) {
        fprintf(file, "below-best-arm: arm %u for everybody is better than the policy\n",
                m->harm.better_arm);
    }
}

/* Prints one method at one epsilon as a table. */
static void print_match(FILE *file, const sotto__comparison *comparison,
                        const sotto__results *results, uint32_t match)
{
    const sotto_spec *spec = &comparison->match[match].spec;
    const sotto__measured_line line = sotto__measured_of(comparison, results, match);
    if (spec->measure == 0 && spec->score == SOTTO_SCORE_REWARD) {
        fprintf(file,
                "\n%s at epsilon %g: played without measure rounds; every round reports its reward "
                "already\n",
                sotto__match_method(&comparison->match[match]), comparison->epsilon[match]);
    }
    if (spec->measure == 0) return;
    if (line.runs == 0) {
        fprintf(file, "\n%s at epsilon %g: no reports of measure rounds of both roles\n",
                sotto__match_method(&comparison->match[match]), comparison->epsilon[match]);
        return;
    }
    const printing p = printing_of(file, PRINT_TABLE, comparison, line.first);
    const char *plural = line.runs == 1 ? "" : "s";
    fprintf(file,
            "\n%s at epsilon %g: mean uplift %.4g, truth %.4g (%u run%s).\n"
            "The truth is within the interval in %u run%s, and the interval is above 0 in %u.\n"
            "Harm in %u of %u run%s; a fallback was served in %u.\n",
            p.method, p.epsilon, line.uplift, line.truth, line.runs, plural, line.held,
            line.held == 1 ? "" : "s", line.above, line.harm, line.runs, plural, line.served);
    fprintf(file,
            "\nThe measure rounds of seed %" PRIu64
            ", a share of %g of all rounds. %g %% intervals, "
            "valid at any time; the server does not see the truth:\n\n",
            p.seed, spec->measure * 0x1p-32, 100 * (1 - SOTTO_RUN_MEASURE_ALPHA));
    table_head(file, column, COLUMNS);
    print_run(&p, &results->measured[line.first]);
    if (spec->arms > TABLE_ARMS_MAX) {
        fprintf(file, "and %u more arms\n", spec->arms - TABLE_ARMS_MAX);
    }
    print_harm(file, &results->measured[line.first]);
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

/* ==== idle =================================================================================== */

/* Options that change nothing. */

#define AT(member) offsetof(simulate_options, member)
#define GIVEN(member) OPTION_GIVEN(line, simulate_options, member)

static void tell(const command_line *line, size_t field, const char *whose)
{
    option_say(line, "--%s changes nothing here: it is for %s", option_name(line, field), whose);
}

#define PLAYERS_BYTES 512u
/* The names of a set of methods; bit p of `players` is method p. */
static void players_text(uint32_t players, char text[PLAYERS_BYTES])
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        if ((players >> p & 1) == 0) continue;
        length += (size_t)snprintf(text + length, PLAYERS_BYTES - length, "%s%s",
                                   length == 0 ? "" : " ", sotto_player_name((sotto_player)p));
    }
}

/* Names options that no method of the comparison uses. */
static void tell_idle_methods(const command_line *line, const simulate_options *s)
{
    char text[PLAYERS_BYTES];
    uint32_t compared = 0;
    for (uint32_t i = 0; i < s->methods.count; i++) {
        if (s->methods.custom[i] == NULL) compared |= 1u << s->methods.player[i];
    }
    for (uint32_t i = 0; i < s->request.changes_count; i++) {
        size_t field = s->request.change[i].field;
        /* Under calibration published, --step selects a scheme for all methods. */
        bool scheme = s->request.calibration == SOTTO_CALIBRATION_PUBLISHED &&
                      field == offsetof(sotto_match, learning.step);
        /* Private methods that cannot have measure rounds refuse the option with a sentence. */
        bool refused = field == offsetof(sotto_match, spec.measure) &&
                       (compared & SOTTO__PLAYERS_PRIVATE) != 0;
        uint32_t users = sotto__request_users(field);
        if ((users & compared) != 0 || scheme || refused) continue;
        players_text(users, text);
        tell(line, AT(request.wanted) + field, text);
    }
    bool any_private = (compared & SOTTO__PLAYERS_PRIVATE) != 0;
    players_text(SOTTO__PLAYERS_PRIVATE, text);
    if (!any_private && GIVEN(request.unknown_horizon)) {
        tell(line, AT(request.unknown_horizon), text);
    }
    if (!any_private && GIVEN(request.epoch)) tell(line, AT(request.epoch), text);
    if (GIVEN(request.wanted.grind) && s->request.wanted.liars == 0) {
        tell(line, AT(request.wanted.grind), "--liars");
    }
}

/* Names options that are for other environments than this one. */
static void tell_idle_world(const command_line *line, const sotto_scene *scene)
{
    bool custom = scene->custom != NULL;
    bool own_rewards = custom && scene->custom->reward != NULL;
    const struct {
        size_t field;
        bool used;
        const char *whose;
    } special[] = {
        {AT(request.wanted.environment.margin), scene->environment == SOTTO_ENVIRONMENT_MARGIN,
         "environment margin"},
        {AT(request.wanted.environment.drift), scene->environment == SOTTO_ENVIRONMENT_DRIFT,
         "environment drift"},
        {AT(request.revenue), scene->environment == SOTTO_ENVIRONMENT_LOAN, "environment loan"},
        {AT(request.wanted.environment.noise),
         scene->reward_kind == SOTTO_REWARD_CONTINUOUS && !own_rewards,
         own_rewards ? "environments that do not draw rewards themselves" : "continuous rewards"},
        {AT(request.wanted.environment.theta_norm), !custom, "environments of the lab's own"},
    };
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        bool idle = !special[i].used && option_is_given(line, special[i].field);
        if (idle) tell(line, special[i].field, special[i].whose);
    }
}

void simulate_tell_idle(const command_line *line, const simulate_options *s)
{
    if (s->quiet) return;
    if (!s->constants) tell_idle_methods(line, s);
    tell_idle_world(line, &s->request.scene);
}
