/* sotto plan: what an epsilon will cost, before anybody is asked. */
#include "command.h"
#include "cli/option/args.h"
#include "options.h"
#include "print.h"

#include <stdio.h>

static int run(const command *self, int argc, char **argv)
{
    plan_options s = {.epsilons = "1", .horizon = 100000, .within = 5};
    args_option options[] = {PLAN_OPTIONS(s), {.meaning = NULL}};
    plan_answers answers;
    int words;
    if (!args_parse(self, options, argc, argv, &words)) return EXIT_USAGE;
    if (words > 0) {
        fprintf(stderr, "sotto plan: %s: every word belongs to an option\n", argv[0]);
        return EXIT_USAGE;
    }
    if (!args_need(self, options, "dim") || !args_need(self, options, "arms")) return EXIT_USAGE;
    int code = plan_answer_all(&s, options, &answers);
    if (code != EXIT_OK) return code;
    if (s.json) {
        plan_json_print(&answers);
    } else {
        plan_text_print(&answers);
    }
    return EXIT_OK;
}

const command command_plan = {
    .name = "plan",
    .summary = "predict what an epsilon will cost, before anybody is asked",
    .usage = "sotto plan --dim D --arms K [--epsilon E[,E...]] [--horizon T] [options]",
    .example = "  sotto plan --dim 10 --arms 5 --epsilon 1 --horizon 1e6 --per-day 5000\n"
               "  sotto plan --dim 20 --arms 3 --parameters per-arm --epsilon 0.5,1,2,5\n"
               "  sotto plan --dim 10 --arms 5 --link logit --target 0.01 --json\n",
    .run = run,
};
