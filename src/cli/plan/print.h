/* What `sotto plan` prints. */
#ifndef SOTTO_CLI_PLAN_PRINT_H
#define SOTTO_CLI_PLAN_PRINT_H

#include <sotto/lab/plans.h>

/* Answers in words and tables. */
void plan_print_text(const sotto_plan_question *question, const sotto_plan_answers *answers);

/* Regret against people, both by powers of ten: one mark per epsilon, and one for the same method
 * without privacy. */
void plan_print_chart(const sotto_plan_answers *answers);

/* Everything as one JSON object. */
void plan_print_json(const sotto_plan_question *question, const sotto_plan_answers *answers);

#endif
