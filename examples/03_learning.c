/* Learning without seeing: 20,000 people, one report each; the server publishes as it learns. */
#include <math.h>
#include <sotto/client.h>
#include <sotto/server.h>
#include <stdio.h>
#include <stdlib.h>

#define DIM 2
#define ARMS 5
#define PEOPLE 20000

static void check(sotto_status status)
{
    if (status == SOTTO_OK) return;
    fprintf(stderr, "%s\n", sotto_status_text(status));
    exit(1);
}

static const double truth[DIM] = {0.6, -0.8}; /* what the server has to learn */

/* A person with five offers. Only the person's device knows these numbers. */
static double *person(double context[ARMS * DIM])
{
    for (int a = 0; a < ARMS; a++) {
        double angle = 6.2831853 * rand() / RAND_MAX;
        context[a * DIM] = cos(angle);
        context[a * DIM + 1] = sin(angle);
    }
    return context;
}

int main(void)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS, spec.epsilon = 2;
    sotto_terms terms;
    check(sotto_spec_resolve(&spec, &terms));

    /* The server. How it learns is not part of the terms. Epochs grow by the rule. */
    sotto_learning learning = sotto_learning_default(&terms, PEOPLE);
    learning.epoch = 0;
    sotto_learner *learner;
    sotto_report *report;
    check(sotto_learner_new(&terms, &learning, &learner));
    check(sotto_report_new(&terms, &report));

    sotto_policy policy = sotto_policy_default();
    printf(" people   models   estimate (truth %.2f %.2f)\n", truth[0], truth[1]);
    for (uint32_t i = 1, next = 10; i <= PEOPLE; i++) {
        /* A device, with a ledger of its own. */
        double context[ARMS * DIM];
        uint32_t arm;
        uint8_t frame[64];
        sotto_ledger *ledger;
        sotto_client *client;
        sotto_round *round;
        check(sotto_ledger_memory_new(&ledger));
        check(sotto_client_new(&policy, ledger, &client));
        check(sotto_round_new(client, &terms, &round));
        check(sotto_round_begin(round, sotto_learner_model(learner)));
        check(sotto_round_decide(round, person(context), ARMS * DIM, &arm));
        const double *x = context + arm * DIM;
        double reward = x[0] * truth[0] + x[1] * truth[1] + 0.2 * rand() / RAND_MAX - 0.1;
        check(sotto_round_finish(round, reward, frame, sizeof frame));
        sotto_round_free(round);
        sotto_client_free(client);
        sotto_ledger_free(ledger);

        /* The server again, with 42 bytes. Over a network it would first drop reports whose nonce
         * it has seen, because a report that is taken twice counts twice. */
        check(sotto_report_decode(&terms, frame, sotto_report_bytes(&terms), report));
        check(sotto_learner_take(learner, report));
        if (sotto_learner_taken(learner) >= sotto_learner_wanted(learner)) {
            check(sotto_learner_publish(learner));
        }
        if (i != next && i != PEOPLE) continue;
        const sotto_model *model = sotto_learner_model(learner);
        printf("%7u %8u   %6.3f %6.3f\n", i, model->epoch, model->tbar[0], model->tbar[1]);
        next *= 10;
    }
    sotto_report_free(report);
    sotto_learner_free(learner);
    return 0;
}
