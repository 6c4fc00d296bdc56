/* Whatever bytes stand in the column `told`: refused, with what was published before, or read to what gives the same bytes
 * again; and a publish can follow. The first byte chooses the spec; most have no measure rounds, and no bytes. */
#include "service/experiment/experiment.h"
#include "specs.h"

#include <string.h>

#define BYTES_MAX 4096u
#define MEASURED 5 /* of the specs */

static const sotto_learner *learner_of(int which)
{
    static sotto_learner *made[FUZZ_SPECS];
    const sotto_terms *terms = fuzz_spec(which);
    const sotto_learning learning = sotto_learning_default(terms, 0);
    if (made[which] == NULL)
        fuzz_require(sotto_learner_new(terms, &learning, &made[which]) == SOTTO_OK);
    return made[which];
}

static void check_sums(const published_results *published, uint32_t arms)
{
    const sotto__measures *results = &published->shown;
    uint64_t count = 0;
    int64_t sum = 0;
    for (uint32_t a = 0; a < arms; a++) {
        count += results->control_arm[a].count;
        sum += results->control_arm[a].sum;
    }
    fuzz_require(results->control.count == count && results->control.sum == sum);
    fuzz_require(results->recent_control.count <= count);
    fuzz_require(results->recent_follow.count <= results->follow.count);
    fuzz_require(!published->hides_recent ||
                 results->recent_control.count + results->recent_follow.count == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t before[BYTES_MAX], after[BYTES_MAX];
    if (size < 1) return 0;
    int which = data[0] % (FUZZ_SPECS + 1);
    if (which == FUZZ_SPECS) which = MEASURED;
    const sotto_terms *terms = fuzz_spec(which);
    published_results results;
    journal_history history = {.epoch = 0};
    fuzz_require(published_bytes(terms) <= BYTES_MAX);
    fuzz_require(published_make(&results, learner_of(which), terms));
    published_encode(&results, terms, before);
    bool taken = published_decode(&results, terms, data + 1, size - 1);
    published_encode(&results, terms, after);
    fuzz_require(!taken || size - 1 == published_bytes(terms));
    fuzz_require(memcmp(after, taken ? data + 1 : before, published_bytes(terms)) == 0);
    if (published_bytes(terms) > 0) check_sums(&results, terms->spec.arms);
    if (published_prepare(&results, learner_of(which), 20, &history)) {
        published_done(&results, terms->spec.arms);
        check_sums(&results, terms->spec.arms);
    }
    published_free(&results);
    return 0;
}
