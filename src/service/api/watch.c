/* The watch as JSON. */
#include "watch.h"

#include "server/watch.h"

json_t *watch_alarms(uint32_t alarms)
{
    json_t *names = json_array();
    for (uint32_t t = 0; t < EXPERIMENT_WATCH_TESTS; t++) {
        if ((alarms >> t & 1) != 0)
            json_array_append_new(names, json_string(experiment_watch_test(t)));
    }
    if ((alarms & JOURNAL_ALARM_HARM) != 0) json_array_append_new(names, json_string("harm"));
    return names;
}

json_t *watch_held(const sottod_experiment *experiment)
{
    const experiment_watch watch = experiment_watched(experiment);
    if (!watch.held) return json_null();
    const char *decision = watch.discards ? "discard" : "release";
    return json_pack("{sIsosIsbss?}", "epoch", (json_int_t)watch.epoch, "alarms",
                     watch_alarms(watch.alarms), "reports", (json_int_t)watch.reports, "ends",
                     (int)watch.ends, "decision", watch.ends ? decision : NULL);
}

json_t *watch_json(const sottod_experiment *experiment)
{
    const experiment_watch watch = experiment_watched(experiment);
    if (watch.reports == 0 || !watch.has_chances) return json_null();
    json_t *chances = json_object();
    for (uint32_t t = 0; t < EXPERIMENT_WATCH_TESTS; t++) {
        if (t == SOTTO__WATCH_COUNT) continue; /* a rule, which has none */
        json_object_set_new(chances, experiment_watch_test(t), json_real(watch.chance[t]));
    }
    return json_pack("{sIsIsfsoso}", "epoch", (json_int_t)watch.epoch, "reports",
                     (json_int_t)watch.reports, "alpha", SOTTO__WATCH_ALPHA, "alarms",
                     watch_alarms(watch.alarms), "chances", chances);
}

bool watch_read_flag(const json_t *value, bool *quarantine, sottod_refusal *why)
{
    *quarantine = json_is_true(value);
    if (value == NULL || json_is_boolean(value)) return true;
    return json_read_refuse(why, "This is neither true nor false.", "quarantine", value,
                            "true or false");
}

bool watch_read_quarantine(const void *body, size_t bytes, bool *quarantine, sottod_refusal *why)
{
    static const char *const names[] = {"quarantine"};
    json_t *root = json_read_object(body, bytes, why);
    if (root == NULL) return false;
    json_t *value = json_object_get(root, "quarantine");
    bool done = json_read_known(root, "", names, 1, why);
    if (done && value == NULL) {
        done = json_read_refuse(why, "Something is missing.", "quarantine", NULL, "true or false");
    }
    done = done && watch_read_flag(value, quarantine, why);
    json_decref(root);
    return done;
}
