/* The table of experiments. */
#include "paper.h"

const char *sotto__scale_name(sotto__scale scale)
{
#define NAME(name, text) text,
    static const char *const name[] = {SOTTO__SCALE_MAP(NAME)};
#undef NAME
    return (uint32_t)scale < SOTTO__SCALES ? name[scale] : NULL;
}

#define PLAYER(name) (1u << SOTTO_PLAYER_##name)
#define LINEAR (PLAYER(LDP_UCB) | PLAYER(LDP_GLOC) | PLAYER(LDP_OLS) | PLAYER(LDP_SGD))
#define GENERAL (PLAYER(LDP_GLOC) | PLAYER(LDP_SGD))
#define OURS (PLAYER(SOTTO) | PLAYER(BEST_ARM) | PLAYER(RANDOM))
#define OURS_BY_WORTH (PLAYER(SOTTO) | PLAYER(RANDOM)) /* best-arm knows of no worth */

/* The three links, with the rewards that go with them. */
#define IDENTITY .link = SOTTO_LINK_IDENTITY, .reward_kind = SOTTO_REWARD_CONTINUOUS
#define LOGIT .link = SOTTO_LINK_LOGIT, .reward_kind = SOTTO_REWARD_BINARY
#define LOG .link = SOTTO_LINK_LOG, .reward_kind = SOTTO_REWARD_COUNT
#define SHARED .parameters = SOTTO_PARAMETERS_SHARED
#define PER_ARM .parameters = SOTTO_PARAMETERS_PER_ARM

/* Seeds, then horizons. */
#define QUICK(...) [SOTTO__SCALE_QUICK] = {__VA_ARGS__}
#define FULL(...) [SOTTO__SCALE_FULL] = {__VA_ARGS__}

/* ---- the paper's figures ------------------------------------------------------------------ */

/* clang-format off */
#define PAPERS_EPSILONS {0.5, 1, 5}
#define TIMES(seeds, horizon) QUICK(seeds, {horizon}), FULL(10, {1000000}) /* full: as theirs */
#define INVERSE SOTTO_STEP_INVERSE
#define SQRT SOTTO_STEP_SQRT

/* What the authors' code shows, and what the claim costs, side by side: the same methods, epsilons
 * and deltas; the second with rewards that are noisy and contexts that are bounded. */
#define AS_PUBLISHED(world, theirs, privacy, scheme, ...) { \
    .name = "published", .title = "as published: the authors' code", \
    .scene = {world, .environment = SOTTO_ENVIRONMENT_PUBLISHED}, \
    .calibration = SOTTO_CALIBRATION_PUBLISHED, .players = (theirs) | PLAYER(RANDOM), \
    .epsilon = PAPERS_EPSILONS, \
    .delta = privacy, .step = scheme, .size = {__VA_ARGS__}}
#define AS_CLAIMED(world, methods, privacy, most, ...) { \
    .name = "exact", .title = "exact: the claim kept", \
    .scene = {world, .environment = SOTTO_ENVIRONMENT_SPHERE}, \
    .calibration = SOTTO_CALIBRATION_EXACT, .players = methods, .epsilon = PAPERS_EPSILONS, \
    .delta = privacy, .reward_hi = most, .size = {__VA_ARGS__}}

#define SHARED_D2 .dim = 2, .arms = 10, SHARED, IDENTITY
static const sotto__stage shared_d2[] = {
    AS_PUBLISHED(SHARED_D2, LINEAR, 0.01, INVERSE, TIMES(10, 100000)),
    AS_CLAIMED(SHARED_D2, LINEAR | OURS | PLAYER(OLS), 0.01, 0, TIMES(10, 100000)),
};
#define SHARED_D20 .dim = 20, .arms = 20, SHARED, IDENTITY
static const sotto__stage shared_d20[] = {
    AS_PUBLISHED(SHARED_D20, LINEAR, 0.01, SQRT, TIMES(5, 20000)),
    AS_CLAIMED(SHARED_D20, LINEAR | OURS | PLAYER(OLS), 0.01, 0, TIMES(5, 20000)),
};
#define PER_ARM_D20 .dim = 20, .arms = 3, PER_ARM, IDENTITY
static const sotto__stage per_arm_d20[] = {
    AS_PUBLISHED(PER_ARM_D20, LINEAR, 0.1, INVERSE, TIMES(5, 20000)),
    AS_CLAIMED(PER_ARM_D20, LINEAR | OURS | PLAYER(OLS), 0.1, 0, TIMES(5, 20000)),
};
#define PER_ARM_D10 .dim = 10, .arms = 10, PER_ARM, IDENTITY
static const sotto__stage per_arm_d10[] = {
    AS_PUBLISHED(PER_ARM_D10, LINEAR, 0.1, SQRT, TIMES(5, 10000)),
    AS_CLAIMED(PER_ARM_D10, LINEAR | OURS | PLAYER(OLS), 0.1, 0, TIMES(5, 10000)),
};
#define LOGISTIC .dim = 2, .arms = 10, SHARED, LOGIT
static const sotto__stage logistic[] = {
    AS_PUBLISHED(LOGISTIC, GENERAL, 0.01, INVERSE, TIMES(10, 50000)),
    AS_CLAIMED(LOGISTIC, GENERAL | OURS | PLAYER(GLM_UCB), 0.01, 0, TIMES(10, 50000)),
};
#define POISSON .dim = 2, .arms = 10, SHARED, LOG
static const sotto__stage poisson[] = {
    AS_PUBLISHED(POISSON, GENERAL, 0.01, INVERSE, TIMES(10, 50000)),
    /* Means are at most e; counts above 5 count as 5. */
    AS_CLAIMED(POISSON, GENERAL | OURS | PLAYER(GLM_UCB), 0.01, 5, TIMES(10, 50000)),
};

/* ---- the auto-loan study ------------------------------------------------------------------ */

#define LOAN(stage_name, stage_title, calibrated, methods, money) { \
    .name = stage_name, .title = stage_title, \
    .scene = {.dim = 18, .arms = 25, SHARED, LOGIT, \
              .environment = SOTTO_ENVIRONMENT_LOAN}, \
    .calibration = SOTTO_CALIBRATION_##calibrated, .players = methods, \
    .epsilon = {1, 4, 8}, .delta = 0.01, .step = INVERSE, .revenue = money, \
    .size = {QUICK(5, {10000}), FULL(10, {100000})}}
static const sotto__stage loan_acceptance[] = {
    LOAN("published", "as published: the authors' code", PUBLISHED, GENERAL | PLAYER(RANDOM),
         false),
    LOAN("exact", "exact: the claim kept", EXACT,
         GENERAL | OURS | PLAYER(GLM) | PLAYER(GLM_UCB), false),
};
static const sotto__stage loan_revenue[] = {
    LOAN("exact", "exact: the claim kept", EXACT,
         GENERAL | OURS_BY_WORTH | PLAYER(GLM) | PLAYER(GLM_UCB), true),
};

/* ---- rates -------------------------------------------------------------------------------- */

static const sotto__stage against_epsilon[] = {{
    .name = "exact", .title = "regret at the last round",
    .scene = {SHARED_D2, .environment = SOTTO_ENVIRONMENT_SPHERE},
    .calibration = SOTTO_CALIBRATION_EXACT, .players = LINEAR | PLAYER(SOTTO) | PLAYER(OLS),
    .epsilon = {0.1, 0.2, 0.5, 1, 2, 4, 8}, .delta = 0.01,
    .size = {QUICK(5, {50000}), FULL(20, {1000000})},
}};

#define RATE(stage_name, stage_title, count, kind, beta) { \
    .name = stage_name, .title = stage_title, \
    .scene = {.dim = 2, .arms = count, SHARED, IDENTITY, .environment = SOTTO_ENVIRONMENT_##kind}, \
    .calibration = SOTTO_CALIBRATION_EXACT, \
    .players = PLAYER(SOTTO) | PLAYER(LDP_SGD) | PLAYER(OLS), \
    .epsilon = {5}, .delta = 1e-6, .margin = beta, \
    .size = {QUICK(10, {1000, 3000, 10000, 30000, 100000}), \
             FULL(40, {10000, 30000, 100000, 300000, 1000000})}}
static const sotto__stage against_horizon[] = {
    RATE("sphere", "margin 1, on the sphere: epsilon 5, 2 dimensions, 10 arms", 10, SPHERE, 1),
    RATE("margin-1", "margin 1: epsilon 5, 2 dimensions, 2 arms", 2, MARGIN, 1),
    RATE("margin-0.5", "margin 0.5: epsilon 5, 2 dimensions, 2 arms", 2, MARGIN, 0.5),
    RATE("margin-0", "margin 0, gaps of 1/sqrt T: epsilon 5, 2 dimensions, 2 arms", 2, MARGIN, 0),
};

static const sotto__stage lower_bound[] = {{
    .name = "gaussian", .title = "the lower bound's instance, 5 dimensions, 2 arms",
    .scene = {.dim = 5, .arms = 2, SHARED, IDENTITY, .environment = SOTTO_ENVIRONMENT_GAUSSIAN},
    .calibration = SOTTO_CALIBRATION_EXACT,
    .players = PLAYER(SOTTO) | PLAYER(LDP_SGD) | PLAYER(RANDOM),
    .epsilon = {0.25, 0.5, 1}, .delta = 1e-6,
    .size = {QUICK(10, {1000, 3000, 10000, 30000, 100000}),
             FULL(40, {10000, 30000, 100000, 300000, 1000000})},
}};

/* ---- agreement ---------------------------------------------------------------------------- */

/* At the settings of the runs of their code that we have: T + 1 rounds. */
#define THEIRS(stage_name, stage_title, world, methods, privacy, scheme, epsilons, ...) { \
    .name = stage_name, .title = stage_title, \
    .scene = {world, .environment = SOTTO_ENVIRONMENT_PUBLISHED}, \
    .calibration = SOTTO_CALIBRATION_PUBLISHED, .players = methods, \
    .epsilon = epsilons, .delta = privacy, .step = scheme, .size = {__VA_ARGS__}}
#define LIST(...) {__VA_ARGS__}
static const sotto__stage agreement[] = {
    THEIRS("shared-d2", "one parameter, linear, 2 dimensions, 10 arms", SHARED_D2, LINEAR, 0.01, INVERSE,
           LIST(0.5, 1), QUICK(30, {100001}), FULL(30, {100001})),
    THEIRS("logistic", "one parameter, logistic, 2 dimensions, 10 arms", LOGISTIC, GENERAL, 0.01, INVERSE,
           LIST(1), QUICK(30, {100001}), FULL(30, {100001})),
    THEIRS("poisson", "one parameter, Poisson, 2 dimensions, 10 arms", POISSON, GENERAL, 0.01, INVERSE,
           LIST(1), QUICK(30, {100001}), FULL(30, {100001})),
    THEIRS("per-arm-d20", "one per arm, linear, 20 dimensions, 3 arms", PER_ARM_D20, LINEAR, 0.1, INVERSE,
           LIST(1, 5), QUICK(0), FULL(30, {20001})),
    THEIRS("shared-d20", "one parameter, linear, 20 dimensions, 20 arms", SHARED_D20, LINEAR, 0.01, SQRT,
           LIST(1), QUICK(0), FULL(70, {100001})),
};

/* ---- the table ---------------------------------------------------------------------------- */

#define STAGES(array) array, sizeof array / sizeof array[0]
#define NO_STAGES NULL, 0

#define SHARED_DIFFERS \
    "As published, linear rewards have no noise at all (ours: sd 0.1), and the Gaussian noise is " \
    "3 to 6 times what the claim needs. Exact has the same epsilon and delta, noise that is just " \
    "enough, and contexts, rewards and reports that are clipped on the device; its " \
    "LDP-SGD keeps the estimate in the unit ball."
#define PER_ARM_DIFFERS \
    "As published, contexts are N(0, I), not on the sphere and not bounded, so no (epsilon, " \
    "delta) holds for all people; arms are never eliminated. Exact has contexts on the unit " \
    "sphere, so its regret is on a smaller scale: compare with the random arm, not across panels."

const sotto__experiment sotto__experiments[] = {
    {"shared-d2", "One parameter for all arms, 2 dimensions, 10 arms",
     "the figure of the experiments, first column; the authors' first scheme, steps 1/t",
     "Ten arms with contexts on the unit circle, and one unknown direction.",
     SHARED_DIFFERS, SOTTO__EXPERIMENT_CURVES, STAGES(shared_d2)},
    {"shared-d20", "One parameter for all arms, 20 dimensions, 20 arms",
     "the same; the authors' second scheme, steps 1/sqrt t",
     "The same in 20 dimensions, where privacy costs more: a report must hide more numbers.",
     SHARED_DIFFERS " Their second scheme starts every run and method from one random vector.",
     SOTTO__EXPERIMENT_CURVES, STAGES(shared_d20)},
    {"per-arm-d20", "One parameter per arm, 20 dimensions, 3 arms",
     "the figure of the experiments, second column; first scheme",
     "One context per person; each arm has a parameter of its own, and which arm was chosen is a "
     "secret too.",
     PER_ARM_DIFFERS, SOTTO__EXPERIMENT_CURVES, STAGES(per_arm_d20)},
    {"per-arm-d10", "One parameter per arm, 10 dimensions, 10 arms",
     "the same; second scheme",
     "More arms, each met less often.",
     PER_ARM_DIFFERS, SOTTO__EXPERIMENT_CURVES, STAGES(per_arm_d10)},
    {"logistic", "Yes or no: logistic rewards, 2 dimensions, 10 arms",
     "generalized linear bandits: the authors' code has it, the paper's text does not",
     "Rewards are 0 or 1. Methods of least squares have no answer here.",
     "As published, steps have a ridge that is not in the paper, and the reports of LDP-GLOC are "
     "not bounded.",
     SOTTO__EXPERIMENT_CURVES, STAGES(logistic)},
    {"poisson", "Counts: Poisson rewards, 2 dimensions, 10 arms",
     "generalized linear bandits: the authors' code has it, the paper's text does not",
     "Rewards are counts with means from 1/e to e, and without a bound as published.",
     "As published, LDP-SGD clips the gradient to length 1. That is private, biased under Poisson rewards, and does better than an unbiased gradient. Exact clips counts at 5.",
     SOTTO__EXPERIMENT_CURVES, STAGES(poisson)},
    {"loan-acceptance", "Auto loans: who accepts which price, 18 dimensions, 25 arms",
     "the auto-loan study of the appendix",
     "Customers ask for a loan and are offered one of 25 prices between 0 and 25,000. Their demand "
     "is a logit model fitted to the data; the reward is acceptance, so that the cheapest price is "
     "best for nearly everybody.",
     "As published, the reward is the chance of acceptance itself, contexts reach a length of 4, "
     "and prices are negative. Here contexts are scaled by public bounds and clipped, and people "
     "answer yes or no.",
     SOTTO__EXPERIMENT_CURVES, STAGES(loan_acceptance)},
    {"loan-revenue", "Auto loans: which price earns most, 18 dimensions, 25 arms",
     "not there; the same study with another question",
     "The same customers and methods. Methods learn acceptance and choose the price with the largest price times chance of acceptance. Regret is in parts of 25,000.",
     "The paper has no such figure. Without privacy, compare with glm, which is greedy and has steps that cannot overshoot. glm-ucb does worse than some private methods here, but not because of privacy: its Newton steps overshoot where the bound on theta is as large as 40, and return theta to the bound again and again.",
     SOTTO__EXPERIMENT_CURVES, STAGES(loan_revenue)},
    {"rates-epsilon", "What an epsilon costs",
     "Table 1: regret grows as 1/epsilon^2 under margin 1",
     "Regret at the last round against epsilon, from 0.1 to 8.",
     NULL, SOTTO__EXPERIMENT_EPSILONS, STAGES(against_epsilon)},
    {"rates-horizon", "How regret grows",
     "Table 1, Theorems 3.1 and 3.3: log T under margin 1, T^((1 - beta)/2) under margin beta < 1",
     "Regret against T at epsilon 5 in 2 dimensions; each point is of runs that know their T. The margin beta says how rare close calls are: the larger, the rarer.",
     "The theory's bounds are for large T, and none is proved for sotto, so exponents are shown but not judged. LDP-SGD takes steps 5/t, as the authors' code does. On the sphere the theory requires longer ones (eta0 in the table of constants), and the regret of LDP-SGD grows faster than log T here.",
     SOTTO__EXPERIMENT_HORIZONS, STAGES(against_horizon)},
    {"lower-bound", "The instance of the lower bound",
     "Theorem 3.2: no method does better than a constant times sqrt(T d)/(e^epsilon - 1)",
     "Two arms, Gaussian contexts, and a parameter so short that no method can find it in time. Regret is divided by the bound; the value from the proof, with its constants, stands beside it.",
     "Contexts are clipped at 1 + 6/sqrt d and rewards to [-6, 6], so that a device can bound "
     "them.",
     SOTTO__EXPERIMENT_BOUND, STAGES(lower_bound)},
    {"agreement", "Beside the runs of the authors' own code",
     "the same figures, with the options and seeds that their public code was run with",
     "Calibration published at the last round against theirs, as two samples of seeds, by an exact "
     "rank test of Mann and Whitney. If all laws are the same, the whole list fails with chance "
     "1e-3.",
     "Their three seeds with 20 dimensions and 20 arms share one initial vector, so they are not independent.",
     SOTTO__EXPERIMENT_AGREEMENT, STAGES(agreement)},
    {"constants", "The constants that the theory uses",
     "Assumptions of Sections 3 and 4",
     "Estimated by drawing contexts of each environment, with what the theory derives from them.",
     NULL, SOTTO__EXPERIMENT_CONSTANTS, NO_STAGES},
};
/* clang-format on */
const uint32_t sotto__experiments_count = sizeof sotto__experiments / sizeof sotto__experiments[0];

const char *sotto__experiment_name(uint32_t value)
{
    return value < sotto__experiments_count ? sotto__experiments[value].name : NULL;
}

/* ---- stages ------------------------------------------------------------------------------- */

uint32_t sotto__stage_epsilons(const sotto__stage *stage)
{
    uint32_t count = 0;
    while (count < SOTTO__STAGE_EPSILONS && stage->epsilon[count] > 0) {
        count++;
    }
    return count;
}

uint32_t sotto__stage_horizons(const sotto__stage *stage, sotto__scale scale)
{
    const sotto__stage_size *size = &stage->size[scale];
    uint32_t count = 0;
    while (size->seeds > 0 && count < SOTTO__STAGE_HORIZONS && size->horizon[count] > 0) {
        count++;
    }
    return count;
}

bool sotto__stage_is_loan(const sotto__stage *stage)
{
    return stage->scene.environment == SOTTO_ENVIRONMENT_LOAN;
}

sotto_status sotto__stage_match(const sotto__stage *stage, const sotto_population *customers,
                                sotto_player player, double epsilon, uint64_t horizon,
                                sotto_match *out)
{
    sotto_scene scene = stage->scene;
    scene.horizon = horizon;
    if (sotto__stage_is_loan(stage)) scene.population = customers;
    *out = sotto_match_default(player, stage->calibration, &scene, epsilon, stage->delta);
    out->spec.allow_weak_delta = out->spec.delta > 1e-6;
    if (stage->reward_hi > 0) out->spec.reward_hi = stage->reward_hi;
    if (stage->revenue && customers != NULL) out->worth = customers->worth;
    if (scene.environment == SOTTO_ENVIRONMENT_MARGIN) out->environment.margin = stage->margin;
    sotto_status status = sotto_match_set_learning(out);
    if (status != SOTTO_OK) return status;
    out->learning.epoch = 1;
    if (stage->calibration == SOTTO_CALIBRATION_PUBLISHED) out->learning.step = stage->step;
    return SOTTO_OK;
}
