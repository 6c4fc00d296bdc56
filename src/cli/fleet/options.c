/* The table of options of `sotto fleet`. */
#include "cli/option/option.h"
#include "inner.h"

#include <math.h>

#define PEOPLE "people and their rewards"
#define PACE "how many, how fast"
#define HARM "dishonest people and missing rewards"
#define POLICY "what people allow"
#define SERVER "the server"
#define OUTPUT "output"

#define FIELD(member) OPTION_FIELD(fleet_options, member)
#define OF_WORLD(member) FIELD(wanted.member)
#define GIVEN(member) OPTION_GIVEN(line, fleet_options, member)

/* clang-format off */
const option fleet_table[] = {
    {"environment", OF_WORLD(kind), OPTION_NAME("sphere", names_of_environment), PEOPLE,
     "how contexts are drawn; everything else about people follows from the terms"},
    WORLD_ROWS(OF_WORLD, PEOPLE),
    {"seed", FIELD(seed), OPTION_NUMBER("1", 0, 9007199254740992), PEOPLE,
     "of contexts and rewards: the same people as in sotto simulate; privacy noise comes from the system's randomness"},

    {"people", FIELD(people), OPTION_NUMBER("10000", 1, 1e12), PACE, "each takes part in one round"},
    {"rate", FIELD(rate), OPTION_NUMBER(NULL, 1e-3, 1e6), PACE,
     "people per second, default: as fast as possible"},
    {"at-once", FIELD(at_once), OPTION_NUMBER("4000", 1, 1e6), PACE,
     "largest number of people with a report under way; if reward_window_s and send_spread_s are 0, also at most 2 x connections x batch"},
    {"batch", FIELD(batch), OPTION_NUMBER("1", 1, 10000), PACE, "reports in one request, as from a relay, a server "
     "that forwards reports"},
    {"connections", FIELD(connections), OPTION_NUMBER("32", 1, 4096), PACE, "requests at once"},
    {"refresh", FIELD(refresh_ms), OPTION_NUMBER("100", 10, 86400000), PACE,
     "milliseconds between requests for a newer model"},
    {"seconds", FIELD(seconds), OPTION_NUMBER(NULL, 0.1, 1e9), PACE,
     "no more people come after this many seconds; default: all people come"},
    {"drain", FIELD(drain_s), OPTION_NUMBER("60", 0, 1e9), PACE,
     "give up after this many seconds without an answer, in addition to reward_window_s and send_spread_s"},

    {"liars", FIELD(liars), OPTION_NUMBER("0", 0, 0.5), HARM,
     "share of people who send the most harmful reports, except in measure rounds and the mean phase"},
    {"grind", FIELD(grind), OPTION_NUMBER("1", 1, SOTTO_GRIND_MAX), HARM,
     "nonces that a dishonest person tries to find the worst codeword, except in measure rounds"},
    {"reward-missing", FIELD(reward_missing), OPTION_NUMBER("0", 0, 1), HARM,
     "share of the others whose reward never comes: they report the substitute reward of the terms, at the same time"},

    {"epsilon-max", FIELD(epsilon_max), OPTION_NUMBER("2", 0.01, 50), POLICY, "of one report"},
    {"measure-max", FIELD(measure_max), OPTION_NUMBER("0.1", 0, 0.5), POLICY, "share of measure rounds"},

    {"experiment", FIELD(experiment), OPTION_TEXT(NULL), SERVER,
     "ID, if URL names only the server; default: the only open experiment, according to the admin port"},
    {"admin", FIELD(admin), OPTION_TEXT(NULL), SERVER,
     "URL of the admin port, whose counts are checked, default: http://127.0.0.1:8788 if the server is on this machine"},
    {"token-file", FIELD(token_file), OPTION_FILE, SERVER,
     "FILE with a token of the admin port, default: reader.token in the default directory of sottod"},
    {"report-key", FIELD(report_key_file), OPTION_FILE, SERVER,
     "FILE with the report key of the experiment, default: none"},
    {"ca-file", FIELD(ca_file), OPTION_FILE, SERVER,
     "PEM FILE of the certificates to trust, default: those of the system"},

    {"csv", FIELD(csv), OPTION_FILE, OUTPUT, "FILE for the curve, one row per second"},
    {"json", FIELD(json), OPTION_FLAG, OUTPUT, "the summary as one JSON object"},
    {"quiet", FIELD(quiet), OPTION_FLAG, OUTPUT, "no table, no notes on stderr"},
    OPTION_END,
};
/* clang-format on */

sotto__fleet_options fleet_options_of(const command_line *line, const fleet_options *options,
                                      const char *url)
{
    sotto__fleet_options fleet = sotto__fleet_options_default();
    fleet.url = url;
    fleet.wire.ca_file = options->ca_file;
    fleet.wire.requests_max = options->connections;
    fleet.wire.batch_max = options->batch;
    fleet.refresh_ms = options->refresh_ms;
    fleet.policy.epsilon_per_report_max = options->epsilon_max;
    fleet.policy.epsilon_lifetime = fmax(fleet.policy.epsilon_lifetime, options->epsilon_max);
    fleet.policy.measure_share_max = options->measure_max;
    fleet.seed = options->seed;
    fleet.people = options->people;
    fleet.rate = GIVEN(rate) ? options->rate : 0;
    fleet.at_once = options->at_once;
    fleet.seconds = GIVEN(seconds) ? options->seconds : INFINITY;
    fleet.drain_s = options->drain_s;
    fleet.liars = options->liars;
    fleet.grind = options->grind;
    fleet.reward_missing = options->reward_missing;
    return fleet;
}
