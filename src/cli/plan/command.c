/* sotto plan: what an epsilon will cost, before anybody is asked. */
#include "command.h"
#include "options.h"
#include "print.h"

#include <stdio.h>

int cmd_plan(const command *self, int argc, char **argv)
{
    plan_options s = {.epsilons = "1", .horizon = 100000, .within = 5};
    option options[] = {PLAN_OPTIONS(s), {.meaning = NULL}};
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
