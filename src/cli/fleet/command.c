/* sotto fleet: plays simulated people as real clients of a server. */
#include "cli/option/option.h"
#include "inner.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define PUBLISH_S_MAX 5.0 /* how long the weaker check waits for a publish */

#define FLEET_KEY_BYTES_MIN 16u

typedef struct fleet_run {
    const command_line *line;
    fleet_options options;
    fleet_server server;
    sotto__fleet *fleet;
    sotto_loan *loan;
    sotto_match match;
    fleet_live live;
    FILE *csv;
    char report_key[SECRET_BYTES_MAX + 1];
} fleet_run;

static int fail(const fleet_run *run, const char *text)
{
    option_say(run->line, "%s", text);
    return EXIT_FAILED;
}

static int join(fleet_run *run)
{
    sotto_fault fault;
    sotto__fleet_options options = fleet_options_of(run->line, &run->options, run->server.url.text);
    sotto__fleet_listener listener = fleet_live_listener(&run->live);
    if (run->options.report_key_file != NULL) options.report_key = run->report_key;
    if (sotto__fleet_new(&options, &run->fleet, &fault) != SOTTO_OK) {
        option_refuse(run->line, "", &fault);
        return EXIT_USAGE;
    }
    sotto_status status = sotto__fleet_join(run->fleet, &listener, &fault);
    if (status == SOTTO_OK) return EXIT_OK;
    if (status != SOTTO_E_POLICY) return fail(run, fault.sentence);
    option_say(
        run->line,
        "people's policy refuses the terms: %s; --epsilon-max and --measure-max raise its limits",
        fault.sentence);
    return EXIT_FAILED;
}

/* Makes the people, in an environment that fits the terms. */
static int begin(fleet_run *run)
{
    sotto_fault fault;
    const fleet_options *options = &run->options;
    const sotto_terms *terms = sotto__fleet_terms(run->fleet);
    const sotto_population *population = NULL;
    if (options->wanted.kind == SOTTO_ENVIRONMENT_LOAN) {
        if (sotto_loan_open(NULL, &run->loan, &fault) != SOTTO_OK) return fail(run, fault.sentence);
        population = sotto_loan_population(run->loan);
        if (!options->quiet) {
            option_say(run->line,
                       "SYNTHETIC customers: %" PRIu64
                       " rows of the stand-in, not the data of the auto-loan study",
                       population->rows);
        }
    }
    run->match = sotto__fleet_match(terms, options->wanted.kind, population, options->people);
    command_line_copy_given(run->line, offsetof(fleet_options, wanted), sizeof options->wanted,
                            &run->match.environment);
    if (sotto__fleet_begin(run->fleet, &run->match, &fault) != SOTTO_OK) {
        option_refuse(run->line, "", &fault);
        return EXIT_FAILED;
    }
    uint32_t last_s = terms->spec.reward_window_s + terms->spec.send_spread_s;
    if (last_s > 0 && !options->quiet) {
        option_say(run->line, "reports leave %u to %u s after their round, as the terms say",
                   terms->spec.reward_window_s, last_s);
    }
    return EXIT_OK;
}

static sotto__check check(fleet_run *run)
{
    const sotto__sight *sight = sotto__fleet_sight(run->fleet);
    sotto__check result = {0};
    sotto__check_counts after;
    sotto_fault fault;
    if (run->server.admin == NULL) {
        sotto__fleet_listener listener = fleet_live_listener(&run->live);
        sotto__fleet_await_publish(run->fleet, &listener, PUBLISH_S_MAX);
        return sotto__check_by_model(&sight->sent, sight->publishes, sight->reports_first,
                                     sight->reports_last);
    }
    if (sotto__admin_counts(run->server.admin, run->server.id, &after, &fault) != SOTTO_OK) {
        snprintf(result.text, sizeof result.text, "%s", fault.sentence);
        return result;
    }
    return sotto__check_by_counts(&sight->sent, &run->server.before, &after);
}

static int play(fleet_run *run)
{
    sotto__fleet_listener listener = fleet_live_listener(&run->live);
    const sotto__sight *sight = sotto__fleet_sight(run->fleet);
    sotto_status status = sotto__fleet_play(run->fleet, &listener);
    fleet_live_end(&run->live, sight);
    if (status != SOTTO_OK) fail(run, sotto_status_text(status));
    sotto__check result = check(run);
    fleet_summary_print(run->server.url.text, &run->match, sight, &result, run->options.json);
    bool left = sight->under_way > 0 && !run->live.came;
    if (sight->dropped > 0 || left) {
        option_say(run->line, "%s: %s",
                   sight->dropped > 0 ? "reports were dropped"
                                      : "reports were not acknowledged in time",
                   sight->trouble[0] != '\0' ? sight->trouble : "the server did not answer");
    }
    if (!result.holds) option_say(run->line, "the check failed: %s", result.text);
    return result.holds && status == SOTTO_OK && sight->dropped == 0 && !left ? EXIT_OK
                                                                              : EXIT_FAILED;
}

static int run_all(fleet_run *run, const char *url)
{
    int code = fleet_server_find(run->line, &run->options, url, &run->server);
    if (code != EXIT_OK) return code;
    if (run->options.csv != NULL) {
        run->csv = fopen(run->options.csv, "w");
        if (run->csv == NULL) {
            option_say(run->line, "--csv %s: %s", run->options.csv, strerror(errno));
            return EXIT_FAILED;
        }
    }
    fleet_live_begin(&run->live, run->csv, run->options.quiet);
    code = join(run);
    if (code == EXIT_OK) code = begin(run);
    if (code == EXIT_OK) code = play(run);
    if (run->csv != NULL && fclose(run->csv) != 0) {
        option_say(run->line, "--csv %s: %s", run->options.csv, strerror(errno));
        code = EXIT_FAILED;
    }
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    command_line line;
    fleet_run whole = {.line = &line};
    if (!command_line_parse(&line, self, &whole.options, argc, argv)) return EXIT_USAGE;
    if (line.words_count != 1) {
        option_say(&line, line.words_count == 0 ? "the URL of the experiment is needed"
                                                : "allowed exactly one URL");
        return EXIT_USAGE;
    }
    const char *key_file = whole.options.report_key_file;
    if (key_file != NULL &&
        !secret_read(&line, "report-key", key_file, FLEET_KEY_BYTES_MIN, whole.report_key))
        return EXIT_USAGE;
    int code = run_all(&whole, argv[0]);
    sotto__fleet_free(whole.fleet);
    sotto_loan_free(whole.loan);
    fleet_server_free(&whole.server);
    return code;
}

const command command_fleet = {
    .name = "fleet",
    .summary = "send simulated people through a server, as real clients over HTTP",
    .usage = "sotto fleet URL [options]",
    .example = "  sotto fleet http://127.0.0.1:8787 --people 50000 --batch 20\n"
               "  sotto fleet http://127.0.0.1:8787/v1/experiments/ID --rate 500 --seconds 60 "
               "--csv curve.csv\n"
               "  sotto fleet https://example.org/v1/experiments/ID --liars 0.05 --json\n"
               "\n"
               "exit status: 0 the server has all that it acknowledged, 1 it does not, reports "
               "were dropped, or nobody could take part, 2 wrong usage\n",
    .table = fleet_table,
    .run = run,
};
