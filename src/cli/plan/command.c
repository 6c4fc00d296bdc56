/* sotto plan: predicts what an epsilon will cost, before an experiment starts. */
#include "inner.h"

static int run(const command *self, int argc, char **argv)
{
    plan_options options = {0};
    sotto_plan_question question;
    sotto_plan_answers answers;
    command_line line;
    if (!command_line_parse(&line, self, &options, argc, argv)) return EXIT_USAGE;
    if (!plan_options_question(&line, argv, &options, &question)) return EXIT_USAGE;
    sotto_status status = sotto_plan_question_answer(&question, &answers);
    if (status != SOTTO_OK) {
        option_say(&line, "%s", sotto_status_text(status));
        return EXIT_FAILED;
    }
    if (options.json) {
        plan_print_json(&question, &answers);
    } else {
        plan_print_text(&question, &answers);
    }
    return EXIT_OK;
}

const command command_plan = {
    .name = "plan",
    .summary = "predict what an epsilon will cost, before an experiment",
    .usage = "sotto plan --dim D --arms K [--epsilon E[,E...]] [--horizon T] [options]",
    .example = "  sotto plan --dim 10 --arms 5 --epsilon 1 --horizon 1e6 --per-day 5000\n"
               "  sotto plan --dim 20 --arms 3 --parameters per-arm --epsilon 0.5,1,2,5\n"
               "  sotto plan --dim 10 --arms 5 --link logit --target 0.01 --json\n",
    .table = plan_table,
    .run = run,
};
