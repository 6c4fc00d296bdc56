#include "made.h"
#include "test.h"

#include <stdlib.h>

RELEASED_BY(sotto_ledger_free, sotto_ledger)
RELEASED_BY(sotto_model_free, sotto_model)
RELEASED_BY(sotto_report_free, sotto_report)
RELEASED_BY(sotto_learner_free, sotto_learner)
RELEASED_BY(sotto_client_free, sotto_client)
RELEASED_BY(sotto_round_free, sotto_round)
RELEASED_BY(sotto_tally_free, sotto_tally)

sotto_ledger *made_ledger(void)
{
    sotto_ledger *ledger;
    assert_ok(sotto_ledger_memory_new(&ledger));
    after_test(release_sotto_ledger, ledger);
    return ledger;
}

sotto_ledger *ledger_at(const char *path)
{
    sotto_ledger *ledger;
    assert_ok(sotto_ledger_file_open(path, &ledger));
    return ledger;
}

sotto_model *made_model(const sotto_terms *terms)
{
    sotto_model *model;
    assert_ok(sotto_model_new(terms, &model));
    after_test(release_sotto_model, model);
    return model;
}

sotto_report *made_report(const sotto_terms *terms)
{
    sotto_report *report;
    assert_ok(sotto_report_new(terms, &report));
    after_test(release_sotto_report, report);
    return report;
}

static void release_work(void *work)
{
    sotto__door_work_free(work);
    free(work);
}

sotto__door_work *made_work(const sotto_terms *terms)
{
    sotto__door_work *work = malloc(sizeof *work);
    assert_non_null(work);
    assert_ok(sotto__door_work_new(terms, work));
    after_test(release_work, work);
    return work;
}

sotto_learner *made_learner(const sotto_terms *terms, const sotto_learning *learning)
{
    sotto_learner *learner;
    assert_ok(sotto_learner_new(terms, learning, &learner));
    after_test(release_sotto_learner, learner);
    return learner;
}

sotto_client *made_client(const sotto_policy *policy, sotto_ledger *ledger)
{
    sotto_client *client;
    assert_ok(sotto_client_new(policy, ledger, &client));
    after_test(release_sotto_client, client);
    return client;
}

sotto_round *made_round(sotto_client *client, const sotto_terms *terms)
{
    sotto_round *round;
    assert_ok(sotto_round_new(client, terms, &round));
    after_test(release_sotto_round, round);
    return round;
}

sotto_tally *made_tally(const sotto_terms *terms, uint32_t epoch, sotto_phase phase, bool decides)
{
    sotto_tally *tally;
    assert_ok(sotto__tally_new(terms, epoch, phase, decides, &tally));
    after_test(release_sotto_tally, tally);
    return tally;
}
