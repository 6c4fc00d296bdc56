/* sotto simulate: methods on an environment, run by run, and what they cost. */
#include "command.h"
#include "constants.h"
#include "lab/run/true_privacy.h"
#include "play.h"

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
        if (!sotto_player_is_private(match->player) || spec->delta == 0) continue;
        double whitened = sotto__paper_whitened(match);
        option_say(line,
                   "%s claims epsilon %g, delta %g: with the paper's noise that is epsilon %.4g at "
                   "this delta, or delta %.3g at this epsilon",
                   sotto_player_name(match->player), spec->epsilon, spec->delta,
                   sotto_gaussian_epsilon(spec->delta, whitened),
                   sotto_gaussian_delta(spec->epsilon, whitened));
    }
}

static int run(const command *self, int argc, char **argv)
{
    simulate_options s = {0};
    simulate_request request;
    command_line line;
    if (!command_line_parse(&line, self, &s, argc, argv)) return EXIT_USAGE;
    if (!command_line_no_words(&line, argv)) return EXIT_USAGE;
    int code = simulate_request_of(&line, &s, &request);
    if (code != EXIT_OK) return code;
    if (s.constants) {
        const sotto_match *match = &request.comparison.match[0];
        code = simulate_constants_print(&line, match, s.first_seed, s.json);
    } else {
        if (!s.quiet) warn(&line, &request.comparison);
        code = simulate_play(&line, &s, &request.comparison);
    }
    simulate_request_free(&request);
    return code;
}

const command command_simulate = {
    .name = "simulate",
    .summary = "run methods on an environment, print regret",
    .usage = "sotto simulate --method M[,M...] --dim D --arms K --horizon T [options]",
    .example =
        "  sotto simulate --method sotto,ldp-sgd,ols --dim 10 --arms 5 --horizon 1e5\n"
        "  sotto simulate --method ldp-ucb --dim 5 --arms 10 --horizon 1e6 --epsilon 0.5,1,2 "
        "\\\n"
        "      --seeds 20 --out rows.csv --resume sweep.jsonl\n"
        "  sotto simulate --constants --environment margin --margin 0.5 --dim 5 --arms 2\n",
    .table = simulate_table,
    .run = run,
};
