/* From options to a question. */
#include "cli/option/option.h"
#include "inner.h"
#include "lab/run/run.h"

#include <sotto/server.h>

#define DAY_S 86400
#define FIELD(member) OPTION_FIELD(plan_options, member)
#define GIVEN(member) OPTION_GIVEN(line, plan_options, member)
#define NEED(member) OPTION_NEED(line, plan_options, member)

static sotto_status plan_parse_measure(const option *row, const char *text, void *fields,
                                       sotto_fault *fault)
{
    (void)row;
    return word_share(text, &((plan_options *)fields)->measure, fault);
}

static sotto_status plan_parse_delay(const option *row, const char *text, void *fields,
                                     sotto_fault *fault)
{
    (void)row;
    return word_delay(text, false, &((plan_options *)fields)->delay, fault);
}

const option plan_table[] = {
    {"dim", FIELD(dim), OPTION_NUMBER(NULL, 1, SOTTO_DIM_MAX), "experiment",
     "numbers per context vector, needed"},
    {"arms", FIELD(arms), OPTION_NUMBER(NULL, 2, SOTTO_ARMS_MAX), "experiment",
     "to choose from, needed"},
    {"epsilon", FIELD(epsilons), OPTION_LIST("1", 0.01, 8, epsilon_list_parse), "experiment",
     "of each report; one, or several separated by commas; 0.01 to 8"},
    {"horizon", FIELD(horizon), OPTION_NUMBER("100000", 1, 1e12), "experiment", "T, people in all"},
    {"parameters", FIELD(parameters), OPTION_NAME("shared", names_of_parameters), "experiment",
     "one parameter for all arms, or one per arm"},
    {"link", FIELD(link), OPTION_NAME("identity", names_of_link), "experiment",
     "from x.theta to the mean reward"},
    {"reward-kind", FIELD(reward_kind), OPTION_NAME(NULL, names_of_reward_kind), "experiment",
     "default: follows from the link"},
    {"reward-range", FIELD(reward_range), OPTION_NUMBER(NULL, -1e6, 1e6), "experiment",
     "LO,HI: rewards are clamped to it; default: follows from the kind of reward"},
    {"noise", FIELD(noise), OPTION_NUMBER("0.1", 0, 1e6), "experiment",
     "standard deviation of continuous rewards"},
    {"theta-norm-max", FIELD(theta_norm_max), OPTION_NUMBER("1", 1e-6, 1e6), "experiment",
     "length of the true parameter"},
    {"method", FIELD(method), OPTION_NAME("sotto", names_of_player), "experiment",
     "only sotto can be predicted"},
    {"delay", FIELD(delay), OPTION_WORDS(NULL, plan_parse_delay), "experiment",
     "WINDOW,SPREAD,RATE: reports come WINDOW to WINDOW + SPREAD seconds after decisions, at RATE "
     "people per second; RATE may be left out with --per-day"},
    {"target", FIELD(target), OPTION_NUMBER(NULL, 1e-9, 1e6), "questions",
     "print the number of people from which regret per person is at most this; default 5 % of the "
     "best reward"},
    {"within", FIELD(within), OPTION_NUMBER("5", 0.01, 99), "questions",
     "print the number of people after which the next reward is within this percentage of that "
     "without privacy"},
    {"per-day", FIELD(per_day), OPTION_NUMBER(NULL, 1, 1e12), "questions",
     "people per day; answers are then also in days"},
    {"measure", FIELD(measure), OPTION_WORDS("0", plan_parse_measure), "questions",
     "share of measure rounds: prints their cost, and when they show what the policy is worth; 0, "
     "or 0.001 to 0.5"},
    {"uplift", FIELD(uplift), OPTION_NUMBER(NULL, 1e-9, 1e6), "questions",
     "uplift over random arms that --measure is to detect; default: the predicted one"},
    {"shuffle", FIELD(shuffle), OPTION_NUMBER(NULL, 1, SOTTO_SHUFFLE_REPORTS_MAX), "questions",
     "number of reports of one epoch that a party other than the server shuffles: prints what the "
     "server then learns about one person"},
    {"json", FIELD(json), OPTION_FLAG, "output", "one JSON object"},
    {"quiet", FIELD(quiet), OPTION_FLAG, "output", "no warning"},
    OPTION_END,
};

static sotto_match match_of(const command_line *line, const plan_options *options, double epsilon)
{
    sotto_scene scene = {
        .dim = options->dim,
        .arms = options->arms,
        .parameters = options->parameters,
        .link = options->link,
        .reward_kind =
            GIVEN(reward_kind) ? options->reward_kind : sotto_link_reward_kind(options->link),
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = options->horizon,
    };
    sotto_match match =
        sotto_match_default(options->method, SOTTO_CALIBRATION_EXACT, &scene, epsilon, 1e-6);
    sotto_spec *spec = &match.spec;
    match.environment.noise = options->noise;
    match.environment.theta_norm = spec->theta_norm_max = options->theta_norm_max;
    if (GIVEN(reward_range)) {
        spec->reward_lo = spec->reward_default = options->reward_range[0];
        spec->reward_hi = options->reward_range[1];
        /* A missing reward counts as 0 if the range contains 0. */
        if (spec->reward_lo <= 0 && spec->reward_hi >= 0) spec->reward_default = 0;
    }
    double rate = options->delay.rate > 0 ? options->delay.rate : (double)options->per_day / DAY_S;
    if (GIVEN(delay)) {
        sotto_match_set_clock(&match, options->delay.window_s, options->delay.spread_s, rate);
    }
    return match;
}

bool plan_options_question(const command_line *line, char **argv, const plan_options *options,
                           sotto_plan_question *out)
{
    sotto_fault fault;
    const double *epsilon = options->epsilons.epsilon;
    uint32_t count = options->epsilons.count;
    if (!command_line_no_words(line, argv)) return false;
    if (!NEED(dim) || !NEED(arms)) return false;
    if (GIVEN(delay) && options->delay.rate == 0 && !GIVEN(per_day)) {
        return option_say(line, "--delay = %u,%u: needs RATE, people per second, or --per-day",
                          options->delay.window_s, options->delay.spread_s);
    }
    if (count > SOTTO_PLAN_EPSILONS_MAX) {
        return option_say(line, "--epsilon = %.15g: allowed at most %u values",
                          epsilon[SOTTO_PLAN_EPSILONS_MAX], SOTTO_PLAN_EPSILONS_MAX);
    }
    sotto_match match = match_of(line, options, epsilon[0]);
    *out = sotto_plan_question_default(&match);
    out->epsilons_count = count;
    for (uint32_t i = 0; i < count; i++) {
        out->epsilon[i] = epsilon[i];
    }
    out->within_percent = options->within;
    out->per_day = options->per_day;
    out->measure_share = options->measure;
    out->uplift = options->uplift;
    out->shuffle_reports = options->shuffle;
    if (GIVEN(target)) {
        out->target = options->target;
        out->target_is_share = false;
    }
    if (GIVEN(uplift) && options->measure == 0) {
        return option_say(line, "--uplift: only with --measure SHARE, 0.001 to 0.5");
    }
    if (sotto_plan_question_fault(out, &fault) != SOTTO_OK) return option_refuse(line, "", &fault);
    double most = sotto__measure_share_usual();
    if (options->measure > most && !options->quiet) {
        option_say(line, "--measure = %g: a device allows at most %g unless its policy allows more",
                   options->measure, most);
    }
    bool noisy = match.environment.law == SOTTO_LAW_GAUSSIAN;
    if (GIVEN(noise) && !noisy && !options->quiet) {
        option_say(line, "--noise changes nothing here: it is for continuous rewards");
    }
    return true;
}
