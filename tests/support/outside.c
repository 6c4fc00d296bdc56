/* A program outside the project, which uses only installed headers. It simulates, plans, audits and
 * replays, and prints what test_lab.py compares with the commands. Usage: outside DATA SCHEMA */
#include <sotto/client.h>
#include <sotto/lab.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void need(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "outside: %s\n", what);
    exit(EXIT_FAILURE);
}

/* Methods, environment and calibration by name, options as fields. */
static void simulate(void)
{
    const double epsilon[] = {0.5, 2};
    sotto_player player[3];
    sotto_scene scene = {.dim = 4, .arms = 3, .link = SOTTO_LINK_LOGIT, .horizon = 500};
    sotto_fault fault;
    need(sotto_player_from_name("sotto", &player[0]), "sotto");
    need(sotto_player_from_name("ldp-sgd", &player[1]), "ldp-sgd");
    need(sotto_player_from_name("glm-ucb", &player[2]), "glm-ucb");
    need(sotto_environment_kind_from_name("ball", &scene.environment), "ball");
    scene.reward_kind = sotto_link_reward_kind(scene.link);
    sotto_comparison_request request = sotto_comparison_request_default(&scene);
    request.player = player;
    request.players_count = 3;
    request.epsilon = epsilon;
    request.epsilons_count = 2;
    request.best_arm = true;
    request.first_seed = 3;
    request.seeds = 4;
    request.threads = 3;
    need(SOTTO_COMPARISON_CHANGE(&request, environment.theta_norm, 0.5), "theta-norm");
    need(SOTTO_COMPARISON_CHANGE(&request, learning.eta0, 2), "eta0");
    sotto_status wrong = sotto_comparison_request_fault(&request, &fault);
    need(wrong == SOTTO_OK, fault.sentence);

    sotto_comparison *comparison;
    sotto_comparison_row row;
    need(sotto_comparison_new(&request, &comparison) == SOTTO_OK, "new");
    need(sotto_comparison_play(comparison, NULL) == SOTTO_OK, "play");
    printf(SOTTO_COMPARISON_HEADER);
    for (uint64_t i = 0; sotto_comparison_row_at(comparison, i, &row); i++) {
        need(sotto_comparison_row_csv(&row, fault.sentence) > 0, "csv");
        fputs(fault.sentence, stdout);
    }
    sotto_comparison_line line[8];
    need(sotto_comparison_summarise(comparison, line, 8) == SOTTO_OK, "summarise");
    for (int i = 0; i < 8; i++) {
        if (line[i].repeated) continue;
        printf("summary %s %.17g %u %.17g %.17g %.17g\n", line[i].method, line[i].epsilon,
               line[i].seeds, line[i].regret_mean, line[i].regret_p90, line[i].cost);
    }
    sotto_comparison_free(comparison);
}

/* Customers that stand in for a study, and prices that are worth something. */
static void lend(void)
{
    char text[SOTTO_FAULT_BYTES];
    sotto_loan *loan;
    sotto_fault fault;
    need(sotto_loan_open(NULL, &loan, &fault) == SOTTO_OK, fault.sentence);
    const sotto_population *customers = sotto_loan_population(loan);
    const sotto_scene scene = {.dim = customers->dim,
                               .arms = customers->arms,
                               .link = customers->link,
                               .reward_kind = sotto_link_reward_kind(customers->link),
                               .environment = SOTTO_ENVIRONMENT_LOAN,
                               .horizon = 300,
                               .population = customers};
    sotto_comparison_request request = sotto_comparison_request_default(&scene);
    request.seeds = 2;
    request.revenue = true;
    sotto_comparison *comparison;
    sotto_comparison_row row;
    need(sotto_comparison_new(&request, &comparison) == SOTTO_OK, "loan");
    need(sotto_comparison_play(comparison, NULL) == SOTTO_OK, "loan");
    for (uint64_t i = 0; sotto_comparison_row_at(comparison, i, &row); i++) {
        need(sotto_comparison_row_csv(&row, text) > 0, "csv");
        printf("loan %s", text);
    }
    sotto_comparison_free(comparison);
    sotto_loan_free(loan);
}

static void plan(void)
{
    const sotto_scene scene = {.dim = 6, .arms = 4, .horizon = 50000};
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
    sotto_plan_question question = sotto_plan_question_default(&match);
    static sotto_plan_answers answers;
    need(sotto_plan_question_answer(&question, &answers) == SOTTO_OK, "plan");
    printf("plan %.17g %llu\n", answers.of[0].end.regret_per_person,
           (unsigned long long)answers.of[0].target_people);
}

static void audit(void)
{
    sotto_mechanism_kind kind;
    need(sotto_mechanism_kind_from_name("l2ball", &kind), "l2ball");
    sotto_mechanism_settings mechanism = sotto_mechanism_default(kind, 3, 1);
    mechanism.seeded = true;
    mechanism.seed = 7;
    sotto_audit_settings settings = sotto_audit_default(&mechanism);
    static sotto_audit_result result;
    settings.trials = 20000;
    need(sotto_audit_run(&settings, NULL, &result) == SOTTO_OK, "audit");
    printf("audit %s %.17g\n", sotto_audit_verdict_name(result.verdict), result.epsilon_lower);
}

static void replay(const char *data, const char *path)
{
    sotto_fault fault;
    sotto_schema *schema;
    sotto_replay *played;
    sotto_replay_row row;
    sotto_replay_summary *summary;
    need(sotto_schema_read(path, &schema, &fault) == SOTTO_OK, fault.sentence);
    sotto_replay_request request = sotto_replay_request_default();
    request.seeds_count = 3;
    need(sotto_replay_run(&request, schema, data, NULL, &played, &fault) == SOTTO_OK,
         fault.sentence);
    for (uint64_t i = 0; sotto_replay_row_at(played, i, &row); i++) {
        printf("replay %s,%.17g,%llu,%llu,%.17g,%.17g\n", row.method, row.epsilon,
               (unsigned long long)row.seed, (unsigned long long)row.t, row.reward, row.regret);
    }
    need(sotto_replay_summarise(played, &summary) == SOTTO_OK, "summary");
    for (uint32_t i = 0; i < summary->lines_count; i++) {
        printf("replayed %s %.17g\n", summary->line[i].name, summary->line[i].reward_mean);
    }
    sotto_replay_summary_free(summary);
    sotto_replay_free(played);
    sotto_schema_free(schema);
}

/* The lab's library also contains the code of a device. */
static void spend(void)
{
    sotto_ledger *ledger;
    need(sotto_ledger_memory_new(&ledger) == SOTTO_OK, "ledger");
    printf("ledger %g\n", sotto_ledger_epsilon(ledger));
    sotto_ledger_free(ledger);
}

int main(int argc, char **argv)
{
    need(argc == 3, "DATA SCHEMA");
    simulate();
    lend();
    plan();
    audit();
    replay(argv[1], argv[2]);
    spend();
    return EXIT_SUCCESS;
}
