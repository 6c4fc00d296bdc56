/* One private round, end to end: a secret becomes a report, a report becomes a sum. */
#include <sotto/client.h>
#include <sotto/server.h>
#include <stdio.h>
#include <stdlib.h>

static void check(sotto_status status)
{
    if (status == SOTTO_OK) return;
    fprintf(stderr, "%s\n", sotto_status_text(status));
    exit(1);
}

int main(void)
{
    /* The public terms: 3 offers, 2 features each, epsilon 1. Both sides know them. */
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2, spec.arms = 3, spec.epsilon = 1;
    sotto_terms terms;
    check(sotto_spec_resolve(&spec, &terms));
    sotto_model *model; /* what the server publishes; here, the one before the first report */
    check(sotto_model_new(&terms, &model));

    /* The person's device. The context and the reward never leave it. */
    sotto_policy policy = sotto_policy_default();
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    check(sotto_ledger_memory_new(&ledger));
    check(sotto_client_new(&policy, ledger, &client));
    check(sotto_round_new(client, &terms, &round));
    const double context[] = {0.9, 0.1, 0.2, 0.8, -0.5, 0.5}; /* one row per offer */
    uint32_t arm;
    uint8_t frame[64];
    check(sotto_round_begin(round, model));
    check(sotto_round_decide(round, context, 6, &arm));
    check(sotto_round_finish(round, 0.7, frame, sizeof frame)); /* the reward was 0.7 */

    /* The server. It sees 42 bytes, and adds them up in integers. */
    sotto_report *report;
    sotto_tally *tally;
    check(sotto_report_new(&terms, &report));
    check(sotto_tally_new(&terms, model, &tally));
    check(sotto_report_decode(&terms, frame, sotto_report_bytes(&terms), report));
    check(sotto_tally_fold(tally, report));
    printf("%zu bytes, codeword %d of %u, %llu report folded, epsilon spent: %g of %g\n",
           sotto_report_bytes(&terms), report->value[0], terms.codebook[model->phase].size,
           (unsigned long long)sotto_tally_count(tally), sotto_ledger_epsilon(ledger),
           policy.epsilon_lifetime);

    sotto_tally_free(tally), sotto_report_free(report), sotto_round_free(round);
    sotto_client_free(client), sotto_ledger_free(ledger), sotto_model_free(model);
    return 0;
}
