/* Whether anything changed: one long poll. */
#include "inner.h"

#include "server/server.h"

#include <string.h>

#define LOOK_MS 1000u /* between two checks while a client waits */
/* then the answer says that nothing changed; shorter than the idle limit of usual proxies */
#define WAIT_MS 20000u

void changes_run(const api_service *service, char out[CHANGES_BYTES])
{
    uint8_t bytes[SOTTO__DIGEST_BYTES];
    sotto__digest digest;
    sotto__digest_begin(&digest);
    journal__add_u64(&digest, service->started_ms);
    sotto__digest_end(&digest, bytes);
    hex_write(bytes, (CHANGES_BYTES - 1) / 2, out);
}

/* Without counts of reports, which change all the time. */
static void add_experiment(sotto__digest *digest, const sottod_experiment *experiment)
{
    const experiment_watch watch = experiment_watched(experiment);
    const sotto_harm harm = experiment_harm(experiment);
    const experiment_access access = experiment_access_of(experiment);
    journal__add_u64(digest, experiment_number(experiment));
    journal__add_u64(digest, experiment_state(experiment));
    journal__add_u64(digest, experiment_epoch(experiment));
    journal__add_u64(digest, (uint64_t)watch.quarantine | (uint64_t)watch.held << 1 |
                                 (uint64_t)watch.ends << 2 | (uint64_t)watch.discards << 3 |
                                 (uint64_t)harm.ends << 4 | (uint64_t)access.keys << 5);
    sotto__digest_add(digest, access.origins, strlen(access.origins) + 1);
}

void changes_stamp(const api_service *service, char out[CHANGES_BYTES])
{
    uint8_t bytes[SOTTO__DIGEST_BYTES];
    sotto__digest digest;
    sotto__digest_begin(&digest);
    journal__add_u64(&digest, service->started_ms);
    journal__add_u64(&digest, service->failing);
    for (uint32_t i = 0; i < experiments_count(service->experiments); i++) {
        add_experiment(&digest, experiments_at(service->experiments, i));
    }
    sotto__digest_end(&digest, bytes);
    hex_write(bytes, (CHANGES_BYTES - 1) / 2, out);
}

bool changes_read(const char *text, sottod_refusal *why)
{
    if (text == NULL) return true;
    if (strlen(text) == CHANGES_BYTES - 1 && strspn(text, "0123456789abcdef") == CHANGES_BYTES - 1)
        return true;
    return refusal_set(why, 400, "This is not a valid stamp.", "after", text,
                       "the stamp from an earlier answer of this path");
}

json_t *changes_json(const api_service *service, const char *stamp)
{
    char run[CHANGES_BYTES];
    changes_run(service, run);
    return json_pack("{ssss}", "run", run, "stamp", stamp);
}

bool changes_begin(changes_wait *wait, const char *after, const char *stamp, uint64_t now_ms)
{
    if (after == NULL || strcmp(after, stamp) != 0) return false;
    if (!wait->waits) *wait = (changes_wait){.waits = true, .since_ms = now_ms};
    memcpy(wait->stamp, stamp, CHANGES_BYTES);
    wait->looked_ms = now_ms;
    return true;
}

bool changes_over(changes_wait *wait, const api_service *service, uint64_t now_ms)
{
    char stamp[CHANGES_BYTES];
    if (!wait->waits) return false;
    bool over = service->stopping || now_ms - wait->since_ms >= WAIT_MS;
    if (!over && now_ms - wait->looked_ms < LOOK_MS) return false;
    wait->looked_ms = now_ms;
    changes_stamp(service, stamp);
    over = over || strcmp(stamp, wait->stamp) != 0;
    memcpy(wait->stamp, stamp, CHANGES_BYTES);
    wait->waits = !over;
    return over;
}

int changes_timeout_ms(const changes_wait *wait, uint64_t now_ms)
{
    if (!wait->waits) return -1;
    const uint64_t passed_ms = now_ms - wait->looked_ms;
    return passed_ms >= LOOK_MS ? 0 : (int)(LOOK_MS - passed_ms);
}
