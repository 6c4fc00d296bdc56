/* The demonstration behind `make demo`: one round in words, 100,000 people, and an audit. */
#include <sotto/client.h>
#include <sotto/lab.h>
#include <sotto/server.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIM 4u
#define ARMS 3u
#define PEOPLE 100000u

static void check(sotto_status status)
{
    if (status == SOTTO_OK) return;
    fprintf(stderr, "demo: %s\n", sotto_status_text(status));
    exit(1);
}

static void print_vector(const double *x, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        printf("%s%6.2f", i == 0 ? "" : " ", x[i]);
    }
    printf("\n");
}

static void tell_one_round(void)
{
    static const double context[ARMS * DIM] = {0.9,  0.1, 0.2, 0.0, 0.2, 0.8,
                                               -0.1, 0.3, 0.1, 0.1, 0.6, -0.7};
    static const double estimate[DIM] = {0.3, 0.7, -0.2, 0.1};
    const double reward = 0.64;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM;
    spec.arms = ARMS;
    sotto_terms terms;
    sotto_model *model;
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_policy policy = sotto_policy_default();
    check(sotto_spec_resolve(&spec, &terms));
    check(sotto_model_new(&terms, &model));
    check(sotto_ledger_memory_new(&ledger));
    check(sotto_client_new(&policy, ledger, &client));
    check(sotto_round_new(client, &terms, &round));
    for (uint32_t i = 0; i < DIM; i++) {
        model->theta[i] = model->tbar[i] = estimate[i];
    }

    uint32_t arm;
    uint8_t frame[64];
    check(sotto_round_begin(round, model));
    check(sotto_round_decide(round, context, ARMS * DIM, &arm));
    check(sotto_round_finish(round, reward, frame, sizeof frame));

    printf("ONE ROUND\n\n  On the person's device. This stays here:\n");
    for (uint32_t a = 0; a < ARMS; a++) {
        printf("    offer %u looks like   ", a);
        print_vector(context + a * DIM, DIM);
    }
    printf("    the model's estimate ");
    print_vector(estimate, DIM);
    printf("    so offer %u is shown, and the person's reward is %.2f\n\n", arm, reward);
    size_t bytes = sotto_report_bytes(&terms);
    printf("  What the server sees, all of it: %zu bytes\n    ", bytes);
    for (size_t i = 0; i < bytes; i++) {
        printf("%02x%s", frame[i], i == 3 || i == 19 || i == 23 || i == 39 ? " " : "");
    }
    printf("\n    magic, terms, epoch, nonce, and one number below %u\n",
           terms.codebook[SOTTO_PHASE_MAIN].size);
    printf("    Any other secret would have sent these bytes with a chance at most e^%g = %.2f "
           "times\n    smaller or larger. Budget spent on this device: %g of %g.\n\n",
           spec.epsilon, exp(spec.epsilon), sotto_ledger_epsilon(ledger), policy.epsilon_lifetime);

    sotto_round_free(round);
    sotto_client_free(client);
    sotto_ledger_free(ledger);
    sotto_model_free(model);
}

static double distance(const double *x, const double *y)
{
    double sum = 0;
    for (uint32_t i = 0; i < DIM; i++) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sqrt(sum);
}

static void close_in_on_a_vector(void)
{
    static const double known[DIM] = {0.6, -0.5, 0.4, 0.3};
    sotto_mechanism_settings settings = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, DIM, 1);
    settings.seeded = true; /* only the lab may: the same table every time */
    settings.seed = 1;
    sotto_mechanism *people;
    sotto_tally *tally;
    check(sotto_mechanism_new(&settings, &people));
    const sotto_terms *terms = sotto_mechanism_terms(people);
    double scale = terms->codebook[SOTTO_PHASE_MAIN].scale, norm_squared = 0, estimate[DIM];
    sotto_model *model; /* the one before the first report */
    check(sotto_model_new(terms, &model));
    check(sotto_tally_new(terms, model, &tally));
    sotto_model_free(model);
    for (uint32_t i = 0; i < DIM; i++) {
        norm_squared += known[i] * known[i];
    }

    printf("100,000 PEOPLE\n\n  Each holds the same vector and sends one report at epsilon 1. The "
           "server only adds integers.\n\n");
    printf("    people   estimate                      error   expected\n");
    printf("         -   ");
    for (uint32_t i = 0; i < DIM; i++) {
        printf("%6.3f ", known[i]);
    }
    printf("  (the truth)\n");
    uint32_t next = 10;
    for (uint32_t n = 1; n <= PEOPLE; n++) {
        check(sotto_mechanism_draw(people, known, estimate));
        check(sotto_tally_fold(tally, sotto_mechanism_report(people)));
        if (n != next) continue;
        next *= 10;
        sotto_tally_mean(tally, estimate);
        printf("    %6u   ", n);
        for (uint32_t i = 0; i < DIM; i++) {
            printf("%6.3f ", estimate[i]);
        }
        printf(" %6.3f   %6.3f\n", distance(estimate, known),
               sqrt((scale * scale - norm_squared) / n));
    }
    printf("\n  expected = sqrt((B^2 - ||x||^2)/people), B = %.4f: what epsilon 1 costs in %u "
           "dimensions.\n",
           scale, DIM);
    sotto_tally_free(tally);
    sotto_mechanism_free(people);
}

static void audit(const char *name, const char *command, sotto_mechanism_kind kind)
{
    sotto_mechanism_settings claim = sotto_mechanism_default(kind, 2, 1);
    sotto_audit_settings settings = sotto_audit_default(&claim);
    sotto_audit_result found;
    settings.mechanism.seeded = true; /* the same table every time */
    settings.mechanism.seed = 1;
    settings.command = command;
    settings.trials = 50000;
    check(sotto_audit_run(&settings, NULL, &found));
    printf("    %-20s %7g %12.3f   %s\n", name, claim.epsilon, found.epsilon_lower,
           sotto_audit_verdict_name(found.verdict));
}

/* The last one is 02_careless_gaussian, next to this program, which uses a radius as a diameter. */
static void audit_every_mechanism(const char *self)
{
    const char *slash = strrchr(self, '/');
    char command[4096];
    snprintf(command, sizeof command, "'%.*s02_careless_gaussian'",
             slash == NULL ? 0 : (int)(slash - self + 1), self);
    printf(
        "\nAN AUDIT\n\n  Who claims epsilon 1 in 2 dimensions, and what 50,000 trials of each of 5 "
        "pairs of inputs show.\n\n");
    printf("    %-20s %7s %12s   %s\n", "mechanism", "claimed", "measured >=", "verdict");
    for (uint32_t kind = 0; sotto_mechanism_kind_name(kind) != NULL; kind++) {
        audit(sotto_mechanism_kind_name(kind), NULL, (sotto_mechanism_kind)kind);
    }
    audit("careless gaussian", command, SOTTO_MECHANISM_GAUSSIAN);
    printf("\n  no_violation means that none was found, not that there is none.\n");
}

int main(int argc, char **argv)
{
    tell_one_round();
    close_in_on_a_vector();
    audit_every_mechanism(argc > 0 ? argv[0] : "");
    return 0;
}
