/* What `sotto plan` prints. */
#ifndef SOTTO_CLI_PLAN_PRINT_H
#define SOTTO_CLI_PLAN_PRINT_H

#include "options.h"

/* Answers in words and tables. */
void plan_text_print(const plan_answers *answers);

/* Regret against people, both by powers of ten: a mark for each epsilon, and one for the same
 * method without privacy. */
void plan_chart_print(const plan_answers *answers);

/* Everything as one JSON object. */
void plan_json_print(const plan_answers *answers);

#endif
