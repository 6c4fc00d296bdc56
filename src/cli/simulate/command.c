#include "inner.h"
#include "lab/loan/loan.h"
#include "lab/player/player.h"
#include "lab/run/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* sotto simulate: plays methods in an environment, run by run, and shows their regret. */

/* Warns what a calibration other than exact really guarantees. */
static void warn(const command_line *line, const sotto__comparison *comparison)
{
    sotto_calibration calibration = comparison->match[0].calibration;
    if (calibration == SOTTO_CALIBRATION_PUBLISHED) {
        option_say(line, "lab only: reproduces the authors' code, which is not private as claimed");
    }
    if (calibration != SOTTO_CALIBRATION_PAPER) return;
    option_say(line, "lab only: the constants printed in the paper");
    for (uint32_t i = 0; i < comparison->sweep.matches_count; i++) {
        const sotto_match *match = &comparison->match[i];
        const sotto_spec *spec = &match->spec;
        if (!sotto__match_is_private(match) || spec->delta == 0) continue;
        double whitened = sotto__paper_whitened(match);
        option_say(line,
                   "%s claims epsilon %g, delta %g: with the paper's noise that is epsilon %.4g at "
                   "this delta, or delta %.3g at this epsilon",
                   sotto_player_name(match->player), spec->epsilon, spec->delta,
                   sotto_gaussian_epsilon(spec->delta, whitened),
                   sotto_gaussian_delta(spec->epsilon, whitened));
    }
}

/* Warns that the claims of custom methods are not checked. */
static void tell_claims(const command_line *line, const method_list *methods)
{
    for (uint32_t i = 0; i < methods->count; i++) {
        const sotto_player_table *custom = methods->custom[i];
        if (custom == NULL) continue;
        option_say(
            line, "method %s %s", custom->name,
            custom->claims_privacy
                ? "claims to be private at epsilon: that is not checked here, see sotto audit"
                : "does not claim to be private: epsilon does not apply to it");
    }
}

/* Warns of a share of measure rounds that real devices refuse by default; simulated devices accept
 * any share. */
static void warn_of_share(const command_line *line, const simulate_options *s)
{
    uint32_t measure = s->request.wanted.spec.measure;
    double most = sotto__measure_share_usual();
    if (measure <= rint(most * 0x1p32)) return;
    option_say(line, "--measure = %g: a device allows at most %g unless its policy allows more",
               measure * 0x1p-32, most);
}

/* Warns if the first model is published too late for anybody to use it. Matches with phases or
 * growth are excluded: an epoch ends with its phase, and growth begins with 1 report. */
static void warn_of_epochs(const command_line *line, const sotto__comparison *comparison)
{
    for (uint32_t i = 0; i < comparison->sweep.matches_count; i++) {
        const sotto_match *match = &comparison->match[i];
        const sotto_learning *learning = &match->learning;
        bool phases = learning->warm_up > 0 || learning->mean_phase > 0;
        if (!sotto__match_is_private(match) || match->growth > 0 || phases) continue;
        double away = match->people_per_second * match->spec.reward_window_s;
        if ((double)learning->epoch + away < (double)match->horizon) continue;
        option_say(line,
                   "--epoch = %" PRIu64 ": method %s publishes no model before the last of %" PRIu64
                   " people, so that all of them get random arms",
                   learning->epoch, sotto__match_method(match), match->horizon);
        return;
    }
}

/* The customers of environment loan: synthetic ones. */
static bool open_loan(const command_line *line, simulate_options *s, sotto__loan **loan)
{
    sotto_fault fault;
    if (s->request.scene.environment != SOTTO_ENVIRONMENT_LOAN) return true;
    if (sotto__loan_open(NULL, loan, &fault) != SOTTO_OK) {
        return option_say(line, "--environment loan: %s", fault.sentence);
    }
    s->request.scene.population = &(*loan)->population;
    if (s->quiet) return true;
    option_say(line,
               "SYNTHETIC customers: %" PRIu64 " rows of the stand-in, not the data of the "
               "auto-loan study",
               (*loan)->rows);
    return true;
}

static bool make_comparison(const command_line *line, const simulate_options *s,
                            sotto__comparison *out)
{
    sotto_fault fault;
    uint32_t culprit;
    if (sotto__comparison_of(&s->request, out, &culprit, &fault) == SOTTO_OK) return true;
    if (s->constants) return option_refuse(line, "", &fault);
    const sotto_player_table *custom = s->methods.custom[culprit];
    const char *name =
        custom != NULL ? custom->name : sotto_player_name(s->methods.player[culprit]);
    char of[64];
    snprintf(of, sizeof of, "--method %s: ", name);
    return option_refuse(line, of, &fault);
}

static int play(const command_line *line, const simulate_options *s,
                const sotto__comparison *comparison)
{
    if (s->constants) {
        return simulate_constants_print(line, &comparison->match[0], s->request.first_seed,
                                        s->json);
    }
    if (!s->quiet) warn(line, comparison);
    if (!s->quiet) warn_of_share(line, s);
    if (!s->quiet && OPTION_GIVEN(line, simulate_options, request.epoch))
        warn_of_epochs(line, comparison);
    if (!s->quiet) tell_claims(line, &s->methods);
    return simulate_play(line, s, comparison);
}

static int run(const command *self, int argc, char **argv)
{
    simulate_options s = {0};
    sotto__comparison comparison = {0};
    sotto__loan *loan = NULL;
    command_line line;
    if (!command_line_parse(&line, self, &s, argc, argv)) return EXIT_USAGE;
    if (!command_line_no_words(&line, argv)) return EXIT_USAGE;
    bool whole = simulate_options_complete(&line, &s);
    if (whole) simulate_tell_idle(&line, &s);
    bool made = whole && open_loan(&line, &s, &loan) && make_comparison(&line, &s, &comparison);
    int code = made ? play(&line, &s, &comparison) : EXIT_USAGE;
    sotto__comparison_free(&comparison);
    sotto__loan_free(loan);
    simulate_options_free(&s);
    return code;
}

const command command_simulate = {
    .name = "simulate",
    .summary = "play methods in an environment, print regret",
    .usage = "sotto simulate --method M[,M...] --dim D --arms K --horizon T [options]",
    .example =
        "  sotto simulate --method sotto,ldp-sgd,ols --dim 10 --arms 5 --horizon 1e5\n"
        "  sotto simulate --method ldp-ucb --dim 5 --arms 10 --horizon 1e6 --epsilon 0.5,1,2 "
        "--seeds 20 --out rows.csv --resume sweep.jsonl\n"
        "  sotto simulate --method sotto --dim 5 --arms 3 --horizon 1e6 --seeds 40 --shard 2/8 "
        "--out part2.csv\n"
        "  sotto simulate --method sotto,./mine.so --dim 5 --arms 3 --horizon 1e5\n"
        "  sotto simulate --constants --environment margin --margin 0.5 --dim 5 --arms 2\n",
    .table = simulate_table,
    .run = run,
};
