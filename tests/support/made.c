#include "made.h"
#include "test.h"

#include <stdlib.h>

RELEASED_BY(sotto_ledger_free, sotto_ledger)
RELEASED_BY(sotto_model_free, sotto_model)
RELEASED_BY(sotto_report_free, sotto_report)
RELEASED_BY(sotto_learner_free, sotto_learner)

sotto_ledger *made_ledger(void)
{
    sotto_ledger *ledger;
    assert_ok(sotto_ledger_memory_new(&ledger));
    after_test(release_sotto_ledger, ledger);
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
