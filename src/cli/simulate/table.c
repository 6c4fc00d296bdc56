#include "cli/option/option.h"
#include "cli/print/print.h"
#include "inner.h"

#include <math.h>

/* ==== constants ============================================================================== */

/* The constants of an environment. */

#define DIM_MAX 256u /* a larger dim needs more draws, and each draw takes longer */

/* The number of draws: far above dim, but few enough to take only seconds. */
static uint64_t draws_of(uint32_t dim)
{
    return dim <= 32 ? 100000 : 3200000 / dim;
}

int simulate_constants_print(const command_line *line, const sotto_match *match, uint64_t seed,
                             bool json)
{
    sotto_assumptions found;
    uint32_t dim = match->spec.dim;
    if (dim > DIM_MAX) {
        option_say(line, "--dim = %u: with --constants allowed 1 to %u", dim, DIM_MAX);
        return EXIT_USAGE;
    }
    sotto_status status = sotto_assumptions_estimate(match, seed, draws_of(dim), &found);
    if (status != SOTTO_OK) {
        option_say(line, "%s", sotto_status_text(status));
        return EXIT_FAILED;
    }
    facts list = facts_begin(json);
    fact_real(&list, "kappa_u", found.kappa_u, "d x largest eigenvalue of a context's covariance");
    bool per_arm = match->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    fact_real(&list, "kappa_l_p", found.kappa_l_p,
              per_arm ? "kappa_l p': lambda_min x arms that are best for somebody"
                      : "kappa_l p*: d x smallest lambda_min over directions of theta");
    fact_real(&list, "lambda_min", found.lambda_min, "smallest eigenvalue of E[x x'] under greedy");
    fact_real(&list, "margin_beta", found.margin_beta, "P(gap <= h) ~ gamma h^beta");
    fact_real(&list, "margin_gamma", found.margin_gamma, "of the same law");
    fact_real(&list, "zeta", found.zeta, "smallest slope of the link");
    fact_real(&list, "random_regret", found.random_regret, "of a random arm, a round");
    fact_real(&list, "eta0", found.eta0, "theory: smallest of steps eta0/t");
    fact_real(&list, "exponent", found.exponent, "theory: regret grows as T^exponent (0: log T)");
    fact_natural(&list, "draws", found.draws, "contexts drawn");
    facts_end(&list);
    return EXIT_OK;
}

/* ==== table ================================================================================== */

/* The table of options of `sotto simulate`. */

#define PROBLEM "the problem"
#define METHODS "methods"
#define WORLD "people and their rewards"
#define LEARNING "how methods learn"
#define EPOCHS "epochs, delay, drift, dishonest people"
#define RUNS "runs"
#define OUTPUT "output"

#define FIELD(member) OPTION_FIELD(simulate_options, member)
#define OF_WORLD(member) FIELD(request.wanted.environment.member)
#define CORRECTION(name, text, meaning) "\n" text ": " meaning

/* clang-format off */
const option simulate_table[] = {
    {"environment", FIELD(request.scene.environment), OPTION_NAME_OR_PLUGIN("sphere", names_of_environment, simulate_parse_environment), PROBLEM,
     "how contexts are drawn; with --calibration published as the authors did; or a plug-in ./FILE.so"},
    {"parameters", FIELD(request.scene.parameters), OPTION_NAME("shared", names_of_parameters), PROBLEM,
     "one parameter for all arms, or one per arm"},
    {"link", FIELD(request.scene.link), OPTION_NAME("identity", names_of_link), PROBLEM,
     "from x.theta to the mean reward; loan: logit"},
    {"dim", FIELD(request.scene.dim), OPTION_NUMBER(NULL, 1, SOTTO_DIM_MAX), PROBLEM,
     "numbers per context vector, needed; loan: 18"},
    {"arms", FIELD(request.scene.arms), OPTION_NUMBER(NULL, 2, SOTTO_ARMS_MAX), PROBLEM,
     "to choose from, needed; loan: 25"},
    {"horizon", FIELD(request.scene.horizon), OPTION_NUMBER(NULL, 1, 1e12), PROBLEM,
     "T, rounds per run, needed"},
    {"context-norm-max", FIELD(request.wanted.spec.context_norm_max), OPTION_NUMBER(NULL, 1e-6, 1e6), PROBLEM,
     "longer vectors are scaled down, default: that of the environment"},
    {"theta-norm-max", FIELD(request.wanted.spec.theta_norm_max), OPTION_NUMBER(NULL, 1e-6, 1e6), PROBLEM,
     "bound on the true parameter's length that methods know"},

    {"method", FIELD(methods), OPTION_PLUGIN_LIST(NULL, names_of_player, simulate_parse_methods), METHODS,
     "one, or several separated by commas, needed; also plug-ins ./FILE.so. Several methods are compared with "
     "best-arm too, which shows what an epsilon buys without contexts"},
    {"epsilon", FIELD(epsilons), OPTION_LIST("1", 0.01, 50, epsilon_list_parse), METHODS,
     "of each report; one, or several separated by commas; 0.01 to 8, lattice methods: to 50"},
    {"delta", FIELD(request.delta), OPTION_NUMBER("1e-6", 1e-12, 0.5), METHODS,
     "of methods with gaussian noise"},
    {"allow-weak-delta", FIELD(request.allow_weak_delta), OPTION_FLAG, METHODS, "allow delta above 1e-6"},
    {"calibration", FIELD(request.calibration), OPTION_NAME("exact", names_of_calibration), METHODS,
     "what ships, or what the paper or its authors' code does"},
    {"correct", FIELD(request.wanted.corrections), OPTION_NAME_LIST(NULL, names_of_correction, simulate_parse_corrections), METHODS,
     "departures of the authors' code to undo, separated by commas, under calibration published:"
     SOTTO_CORRECTION_MAP(CORRECTION)},
    {"score", FIELD(request.wanted.spec.score), OPTION_NAME_WORDS(NULL, simulate_score_word, simulate_parse_score), METHODS,
     "what method sotto reports, default: follows from reward and link"},
    {"split", FIELD(request.wanted.spec.split), OPTION_NAME_WORDS("joint", simulate_split_word, simulate_parse_split), METHODS,
     "of ldp-sgd with per-arm parameters"},
    {"noise-law", FIELD(request.wanted.spec.noise_law), OPTION_NAME("gaussian", names_of_noise_law), METHODS,
     "of lattice methods"},
    {"exact-noise", FIELD(request.wanted.exact_noise), OPTION_FLAG, METHODS,
     "draw lattice noise as a device does; slower"},

    {"reward-kind", FIELD(request.scene.reward_kind), OPTION_NAME(NULL, names_of_reward_kind), WORLD,
     "default: follows from the link"},
    {"reward-range", FIELD(request.wanted.spec.reward_lo), OPTION_LIST(NULL, -1e6, 1e6, simulate_parse_range), WORLD,
     "LO,HI: rewards are clamped to it"},
    {"reward-rate", FIELD(request.wanted.spec.reward_rate), OPTION_NUMBER("0", 0, 1), WORLD,
     "typical reward, as a fraction of its range; tunes the terms of sotto; 0: unknown"},
    WORLD_ROWS(OF_WORLD, WORLD),
    {"revenue", FIELD(request.revenue), OPTION_FLAG, WORLD,
     "of environment loan: decide by price times chance, and count regret in revenue"},

    {"warmup", FIELD(request.wanted.learning.warm_up), OPTION_NUMBER(NULL, 0, 1e12), LEARNING,
     "rounds of random arms with per-arm parameters, default: chosen by the method"},
    {"mean-phase", FIELD(request.wanted.learning.mean_phase), OPTION_NUMBER(NULL, 0, 1e12), LEARNING,
     "rounds that report the direction of contexts, of sotto with score self per arm, default: chosen by the method"},
    {"prior-variance", FIELD(request.wanted.learning.prior_variance), OPTION_NUMBER(NULL, 1e-12, 1e12), LEARNING,
     "of a coordinate of theta before any report, of sotto with score self per arm, default: 0.5 of the squared "
     "range of rewards, D^2/dim with other links than identity"},
    {"alpha", FIELD(request.wanted.learning.alpha), OPTION_NUMBER("0.1", 1e-9, 0.999999999), LEARNING,
     "chance that a confidence bound fails"},
    {"step", FIELD(request.wanted.learning.step), OPTION_NAME("1/t", names_of_step), LEARNING,
     "of ldp-sgd and sgd; calibration published: the scheme"},
    {"eta0", FIELD(request.wanted.learning.eta0), OPTION_NUMBER("5", 1e-12, 1e6), LEARNING,
     "first step of ldp-sgd and sgd; with --step 1/sqrt: 0.03"},
    {"shift-scale", FIELD(request.wanted.learning.shift_scale), OPTION_NUMBER("1", 0, 1e3), LEARNING,
     "factor on the shift of least squares"},
    {"elimination", FIELD(request.wanted.learning.elimination_scale), OPTION_NUMBER("4", 0, INFINITY), LEARNING,
     "scale of the elimination after warm-up; inf: none"},
    {"unknown-horizon", FIELD(request.unknown_horizon), OPTION_FLAG, LEARNING, "methods do not know T"},

    {"epoch", FIELD(request.epoch), OPTION_WORDS("1", simulate_parse_epoch), EPOCHS, "reports between models, auto, or growth:G"},
    {"lag", FIELD(request.wanted.spec.epoch_lag_max), OPTION_NUMBER("0", 0, 16), EPOCHS,
     "by how many epochs every report is late; with --delay the largest lateness accepted, 8 unless given"},
    {"delay", FIELD(request.wanted.people_per_second), OPTION_WORDS(NULL, simulate_parse_delay), EPOCHS,
     "WINDOW,SPREAD,RATE: delay as in a service: a report leaves WINDOW seconds and a random part of SPREAD after the decision, RATE people come per second, and epochs also end by the clock"},
    {"epoch-seconds-min", FIELD(request.wanted.epoch_seconds_min), OPTION_NUMBER(NULL, 0, 31536000), EPOCHS,
     "with --delay: an epoch lasts at least so long and has at least 20 reports, default: (WINDOW + SPREAD)/lag, half of it if no lag is given, at least 1; 0: epochs end only by --epoch"},
    {"window", FIELD(request.wanted.spec.window_reports), OPTION_WORDS("none", simulate_parse_window), EPOCHS, "reports remembered under drift, or none"},
    {"liars", FIELD(request.wanted.liars), OPTION_NUMBER("0", 0, 0.5), EPOCHS,
     "share of people who send the most harmful reports"},
    {"grind", FIELD(request.wanted.grind), OPTION_NUMBER("1", 1, SOTTO_GRIND_MAX), EPOCHS,
     "nonces that a dishonest person tries to find the worst codeword"},
    {"measure", FIELD(request.wanted.spec.measure), OPTION_WORDS("0", simulate_parse_measure), EPOCHS,
     "share of rounds that report the reward instead of a score, half of them with a random arm, so that the server can measure its policy; 0, or 0.001 to 0.5"},
    {"fallback", FIELD(request.wanted.learning.fallback), OPTION_WORDS("none", simulate_parse_fallback), EPOCHS,
     "ARM or random: what learn rounds play once measure rounds show that the policy harms; none: the policy continues"},

    {"seeds", FIELD(request.seeds), OPTION_NUMBER("10", 1, 1e6), RUNS, "runs of each method and epsilon"},
    {"first-seed", FIELD(request.first_seed), OPTION_NUMBER("1", 0, 9007199254740992), RUNS,
     "of the first run"},
    {"checkpoints", FIELD(points), OPTION_WORDS(NULL, point_list_parse), RUNS,
     "rounds to print, separated by commas, default 1, 2, 5, 10, ...; the last round is always added"},
    {"threads", FIELD(request.threads), OPTION_NUMBER(NULL, 1, SOTTO_THREADS_MAX), RUNS,
     "default: one per core; changes the time, never the output"},
    {"resume", FIELD(resume), OPTION_FILE, RUNS,
     "FILE that keeps finished runs; the same command later plays only the rest"},
    {"shard", FIELD(shard), OPTION_WORDS(NULL, shard_parse), RUNS,
     "I/N: play only the runs of shard I of N, such as 2/8, on one of N machines; sotto merge joins their files"},
    {"constants", FIELD(constants), OPTION_FLAG, RUNS,
     "no runs: print the constants of the environment that the theory uses"},

    {"out", FIELD(out), OPTION_FILE, OUTPUT, "FILE for the rows instead of the standard output"},
    {"summary", FIELD(summary), OPTION_FLAG, OUTPUT, "print the summary instead of the rows"},
    {"measured", FIELD(measured), OPTION_FLAG, OUTPUT,
     "print what measure rounds say instead of the rows; with --csv or --json that of every run"},
    {"csv", FIELD(csv), OPTION_FLAG, OUTPUT, "comma-separated rows, the default; with --summary and --measured too"},
    {"json", FIELD(json), OPTION_FLAG, OUTPUT, "JSON lines"},
    {"quiet", FIELD(quiet), OPTION_FLAG, OUTPUT, "no progress, no warning, no summary on stderr"},
    OPTION_END,
};
/* clang-format on */
