/*
 * Measuring uplift: one round in ten is a measure round. It reports the reward, privately, instead
 * of a score, and in half of these rounds the arm is drawn at random. So a server that never sees a
 * reward can say at any time how much better its policy is than chance, and how certain that is.
 */
#include <math.h>
#include <sotto/client.h>
#include <sotto/server.h>
#include <stdio.h>
#include <stdlib.h>

#define DIM 2
#define ARMS 3
#define PEOPLE 100000

static void check(sotto_status status)
{
    if (status == SOTTO_OK) return;
    fprintf(stderr, "%s\n", sotto_status_text(status));
    exit(1);
}

static const double truth[DIM] = {0.6, -0.8}; /* what the server has to learn */

/* A person with three offers. Only the person's device knows these numbers. */
static double *person(double context[ARMS * DIM])
{
    for (int a = 0; a < ARMS; a++) {
        double angle = 6.2831853 * rand() / RAND_MAX;
        context[a * DIM] = cos(angle);
        context[a * DIM + 1] = sin(angle);
    }
    return context;
}

/* The person's side. Only 42 bytes leave it. Its policy allows at most one measure round in ten. */
static void take_part(const sotto_terms *terms, const sotto_model *model, uint8_t frame[64])
{
    double context[ARMS * DIM];
    uint32_t arm;
    sotto_policy policy = sotto_policy_default();
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    check(sotto_ledger_memory_new(&ledger));
    check(sotto_client_new(&policy, ledger, &client));
    check(sotto_round_new(client, terms, &round));
    check(sotto_round_begin(round, model));
    check(sotto_round_decide(round, person(context), ARMS * DIM, &arm));
    const double *x = context + arm * DIM;
    check(sotto_round_finish(round, x[0] * truth[0] + x[1] * truth[1], frame, 64));
    sotto_round_free(round);
    sotto_client_free(client);
    sotto_ledger_free(ledger);
}

/* The server's side: what it knows about its own policy. */
static void show(const sotto_learner *learner, uint32_t people)
{
    sotto_measurement m;
    check(sotto_learner_measure(learner, 0.05, &m));
    const char *verdict = m.uplift.lo > 0   ? "better than chance"
                          : m.uplift.hi < 0 ? "worse than chance"
                                            : "not certain yet";
    printf("%7u %8llu %8llu   %6.3f in [%6.3f, %6.3f]   %s\n", people,
           (unsigned long long)m.follow_count, (unsigned long long)m.control_count, m.uplift.value,
           m.uplift.lo, m.uplift.hi, verdict);
}

int main(void)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS, spec.epsilon = 2;
    spec.measure = 429496729; /* 0.1 of 2^32 */
    sotto_terms terms;
    check(sotto_spec_resolve(&spec, &terms));

    sotto_learning learning = sotto_learning_default(&terms, PEOPLE);
    learning.epoch = 0; /* by the rule */
    sotto_learner *learner;
    check(sotto_learner_new(&terms, &learning, &learner));

    printf(" people   follow  control   uplift, 95 %% at any time\n");
    for (uint32_t i = 1, next = 1000; i <= PEOPLE; i++) {
        uint8_t frame[64];
        take_part(&terms, sotto_learner_model(learner), frame);
        check(sotto_learner_take_frames(learner, frame, sotto_report_bytes(&terms), NULL));
        if (sotto_learner_taken(learner) >= sotto_learner_wanted(learner)) {
            check(sotto_learner_publish(learner));
        }
        if (i != next) continue;
        show(learner, i);
        next = next < 10000 ? 10000 : next + 30000;
    }

    /* Compared with giving everybody the same offer. */
    for (uint32_t a = 0; a < ARMS; a++) {
        sotto_arm_measurement arm;
        check(sotto_learner_measure_arm(learner, 0.05, a, &arm));
        printf("over offer %u for everybody: %6.3f in [%6.3f, %6.3f]\n", a, arm.uplift.value,
               arm.uplift.lo, arm.uplift.hi);
    }
    sotto_learner_free(learner);
    return 0;
}
