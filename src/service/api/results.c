#include "inner.h"
#include "server/server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== results ================================================================================ */

/* Results as JSON: means and uplifts, each with its interval. */

bool results_read_alpha(const char *text, double *alpha, sottod_refusal *why)
{
    *alpha = RESULTS_ALPHA;
    if (text == NULL) return true;
    char *end = NULL;
    bool plain = text[0] != '\0' && strspn(text, "0123456789.eE-") == strlen(text);
    double value = plain ? strtod(text, &end) : 0;
    if (plain && *end == '\0' && value > 0 && value < 1) {
        *alpha = value;
        return true;
    }
    return refusal_set(why, 400, "This is not a probability.", "alpha", text,
                       "a number above 0 and below 1");
}

json_t *results_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *interval(sotto_interval i)
{
    return json_pack("{sososo}", "value", results_number(i.value), "lo", results_number(i.lo), "hi",
                     results_number(i.hi));
}

static json_t *arms(const sottod_experiment *experiment, uint32_t count, double alpha)
{
    json_t *list = json_array();
    for (uint32_t a = 0; a < count; a++) {
        sotto_arm_measurement m;
        if (experiment_measure_arm(experiment, alpha, a, &m) != SOTTO_OK) break;
        json_array_append_new(list, json_pack("{sIsIsoso}", "arm", (json_int_t)a, "reports",
                                              (json_int_t)m.count, "mean", interval(m.mean),
                                              "uplift", interval(m.uplift)));
    }
    return list;
}

bool results_fallen(const sotto_measurement *m)
{
    return m->recent_uplift.hi < m->uplift.lo; /* false for NaN */
}

static json_t *measurement(const sottod_experiment *experiment, double alpha)
{
    sotto_measurement m;
    if (experiment_measure(experiment, alpha, &m) != SOTTO_OK) return json_null();
    return json_pack(
        "{s{sIso}s{sIso}sos{sIsIso}sbso}", "follow", "reports", (json_int_t)m.follow_count, "mean",
        interval(m.follow), "control", "reports", (json_int_t)m.control_count, "mean",
        interval(m.control), "uplift", interval(m.uplift), "recent", "follow_reports",
        (json_int_t)m.recent_follow_count, "control_reports", (json_int_t)m.recent_control_count,
        "uplift", interval(m.recent_uplift), "fallen", (int)results_fallen(&m), "arms",
        arms(experiment, experiment_terms(experiment)->spec.arms, alpha));
}

/* null for none. */
static json_t *number_or_none(uint32_t number, uint32_t none)
{
    return number == none ? json_null() : json_integer(number);
}

json_t *results_harm(const sottod_experiment *experiment)
{
    const sotto_harm harm = experiment_harm(experiment);
    const bool known = harm.verdict != SOTTO_HARM_UNKNOWN;
    const uint32_t fallback = experiment_learner(experiment)->learning.fallback;
    return json_pack("{sssosososososososb}", "verdict", sotto_harm_verdict_name(harm.verdict),
                     "since_epoch", number_or_none(harm.since_epoch, 0), "uplift_hi",
                     known ? results_number(harm.uplift_hi) : json_null(), "recent_uplift_hi",
                     known ? results_number(harm.recent_uplift_hi) : json_null(), "below_best_arm",
                     number_or_none(harm.better_arm, UINT32_MAX), "fallback",
                     spec_json_fallback(fallback), "served_since_epoch",
                     number_or_none(harm.served_epoch, 0), "restarts", json_integer(harm.restarts),
                     "ends", (int)harm.ends);
}

json_t *results_json(const sottod_experiment *experiment, double alpha)
{
    const sotto_learner *learner = experiment_learner(experiment);
    const sotto_terms *terms = experiment_terms(experiment);
    const sotto_model *model = sotto_learner_model(learner);
    return json_pack("{sssIsssIsbsfsososo}", "id", experiment_id_text(experiment), "epoch",
                     (json_int_t)model->epoch, "phase", sotto_phase_name(model->phase),
                     "learned_from", (json_int_t)model->reports, "decides",
                     (int)sotto_model_decides(terms, model), "alpha", alpha, "measurement",
                     measurement(experiment, alpha), "harm", results_harm(experiment), "watch",
                     watch_json(experiment));
}

/* ==== watch ================================================================================== */

/* The watch as JSON. */

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
        if (t == SOTTO__WATCH_COUNT) continue; /* a rule without a test */
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
        done = json_read_refuse(why, "A required field is missing.", "quarantine", NULL,
                                "true or false");
    }
    done = done && watch_read_flag(value, quarantine, why);
    json_decref(root);
    return done;
}
