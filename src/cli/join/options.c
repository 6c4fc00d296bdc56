/* From options to a policy, a wire and a site. */
#include "inner.h"

#define FIELD(member) OPTION_FIELD(join_options, member)

const option join_table[] = {
    {"rounds", FIELD(rounds), OPTION_NUMBER("3", 0, JOIN_ROUNDS_MAX), "rounds",
     "rounds to play; 0: only send reports left from before"},
    {"context", FIELD(context_file), OPTION_FILE, "rounds",
     "FILE with one line of numbers per round, - for the standard input; otherwise contexts are "
     "made "
     "up"},
    {"with-reward", FIELD(with_reward), OPTION_FLAG, "rounds",
     "the last number of a line is the reward, nan if none came; otherwise rewards are made up"},
    {"yes", FIELD(yes), OPTION_FLAG, "rounds", "take part without being asked"},
    {"ledger", FIELD(ledger_file), OPTION_FILE, "what is yours",
     "FILE that records the epsilon you have spent, default: $XDG_STATE_HOME/sotto/ledger, or "
     "$HOME/.local/state/sotto/ledger; made when you first take part"},
    {"epsilon-max", FIELD(epsilon_max), OPTION_NUMBER("2", 0.01, 50), "what is yours",
     "largest epsilon of one report"},
    {"epsilon-lifetime", FIELD(epsilon_lifetime), OPTION_NUMBER("8", 0.01, 1e9), "what is yours",
     "largest epsilon of all reports together"},
    {"measure-max", FIELD(measure_max), OPTION_NUMBER("0.1", 0, 0.5), "what is yours",
     "largest share of rounds that measure"},
    {"proxy", FIELD(proxy), OPTION_TEXT(NULL), "network",
     "URL of a proxy, which forwards connections, default: none"},
    {"relay", FIELD(relay), OPTION_TEXT(NULL), "network",
     "URL of a relay, a server that forwards reports; same form, default: "
     "none"},
    {"report-key", FIELD(report_key_file), OPTION_FILE, "network",
     "FILE with the report key of the experiment, the same for all people, default: none"},
    {"ca-file", FIELD(ca_file), OPTION_FILE, "network",
     "FILE of certificates to trust, default: those of the system"},
    {"timeout", FIELD(timeout_s), OPTION_NUMBER("30", 0.1, 600), "network",
     "seconds to wait for an answer"},
    {"json", FIELD(json), OPTION_FLAG, "output", "one JSON object for the card and one per event"},
    {"quiet", FIELD(quiet), OPTION_FLAG, "output", "no progress"},
    OPTION_END,
};

bool join_options_settings(const command_line *line, char **argv, const join_options *options,
                           join_settings *out)
{
    sotto_fault fault;
    if (line->words_count == 0) {
        return option_say(
            line, "the URL of the experiment is needed, such as https://HOST/v1/experiments/ID");
    }
    if (line->words_count > 1) {
        return option_say(line, "\"%s\" after the URL: one experiment at a time", argv[1]);
    }
    if (options->with_reward && options->context_file == NULL) {
        return option_say(line, "--with-reward: rewards are read from the lines of --context FILE, "
                                "which is missing");
    }
    out->url = argv[0];
    out->policy = sotto_policy_default();
    out->policy.epsilon_per_report_max = options->epsilon_max;
    out->policy.epsilon_lifetime = options->epsilon_lifetime;
    out->policy.measure_share_max = options->measure_max;
    out->wire = sotto_wire_options_default();
    out->wire.proxy = options->proxy;
    out->wire.ca_file = options->ca_file;
    out->wire.timeout_ms = (uint32_t)(1000 * options->timeout_s);
    out->site = sotto_site_options_default();
    out->site.url = out->url;
    out->site.relay = options->relay;
    if (options->report_key_file != NULL) {
        if (!secret_read(line, "report-key", options->report_key_file, JOIN_KEY_BYTES_MIN,
                         out->report_key))
            return false;
        out->site.report_key = out->report_key;
    }
    if (sotto_policy_fault(&out->policy, &fault) == SOTTO_OK &&
        sotto_wire_options_fault(&out->wire, &fault) == SOTTO_OK &&
        sotto_site_options_fault(&out->site, &fault) == SOTTO_OK)
        return true;
    return option_refuse(line, "", &fault);
}
