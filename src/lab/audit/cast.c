/* Who plays a round under audit. */
#include "cast.h"
#include "client/client.h"

#include <math.h>

sotto_status sotto__cast_begin(sotto__cast *cast, const sotto__rounds *rounds,
                               const sotto_terms *terms, sotto_rng *rng)
{
    const sotto_spec *spec = &terms->spec;
    uint32_t rows = spec->parameters == SOTTO_PARAMETERS_SHARED ? spec->arms : 1;
    *cast = (sotto__cast){.rounds = rounds, .terms = *terms, .context_count = rows * spec->dim};
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = 50;
    policy.epsilon_lifetime = INFINITY;
    policy.delta_max = 0.5;
    policy.measure_share_max = 0.5;
    sotto__spy_ledger_begin(&cast->ledger);
    sotto_status status = sotto_client_new(&policy, &cast->ledger.ledger, &cast->client);
    if (status != SOTTO_OK) return status;
    cast->client->rng = rng;
    status = rounds->create(cast->client, &cast->terms, &cast->round);
    if (status == SOTTO_OK) status = sotto_model_new(&cast->terms, &cast->model);
    if (status == SOTTO_OK) status = sotto_report_new(&cast->terms, &cast->report);
    return status;
}

void sotto__cast_end(sotto__cast *cast)
{
    if (cast->round != NULL) cast->rounds->free(cast->round);
    sotto_client_free(cast->client);
    sotto_model_free(cast->model);
    sotto_report_free(cast->report);
}
