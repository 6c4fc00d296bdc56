/* sotto simulate: methods on an environment, run by run, and what they cost. */
#include "command.h"
#include "constants.h"
#include "idle.h"
#include "lab/loan/file.h"
#include "lab/player/brought.h"
#include "lab/run/measured.h"
#include "lab/run/true_privacy.h"
#include "play.h"

#include <inttypes.h>
#include <math.h>

/* Says what a calibration other than exact is worth. */
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

/* Nobody has looked into what was brought. */
static void tell_claims(const command_line *line, const method_list *methods)
{
    for (uint32_t i = 0; i < methods->count; i++) {
        const sotto_player_table *brought = methods->brought[i];
        if (brought == NULL) continue;
        option_say(
            line, "method %s %s", brought->name,
            brought->claims_privacy
                ? "claims to be private at epsilon: that is not checked here, see sotto audit"
                : "does not claim to be private: epsilon says nothing of it");
    }
}

/* Simulated devices take part in whatever is asked for. */
static void warn_of_share(const command_line *line, const simulate_options *s)
{
    uint32_t measure = s->request.wanted.spec.measure;
    double most = sotto__measure_share_usual();
    if (measure <= rint(most * 0x1p32)) return;
    option_say(line, "--measure = %g: a device allows at most %g unless its policy says otherwise",
               measure * 0x1p-32, most);
}

/* The customers of environment loan: synthetic ones. */
static bool open_loan(const command_line *line, simulate_options *s, sotto__loan **loan)
{
    char fault[SOTTO_FAULT_BYTES];
    if (s->request.scene.environment != SOTTO_ENVIRONMENT_LOAN) return true;
    if (sotto__loan_open(NULL, loan, fault) != NULL) {
        return option_say(line, "--environment loan: %s", fault);
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
    char fault[SOTTO_FAULT_BYTES];
    uint32_t culprit;
    if (sotto__comparison_of(&s->request, out, &culprit, fault) == NULL) return true;
    if (s->constants) return option_say(line, "%s", fault);
    const sotto_player_table *brought = s->methods.brought[culprit];
    const char *name =
        brought != NULL ? brought->name : sotto_player_name(s->methods.player[culprit]);
    return option_say(line, "--method %s: %s", name, option_typed(line, fault, fault));
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
