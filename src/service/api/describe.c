/* An experiment as JSON. Except for the number of reports so far, nothing in it changes within an epoch. */
#include "inner.h"

#include "server/server.h"
#include "service/experiment/experiment.h"

static json_t *labels_of(const sottod_experiment *experiment)
{
    const char *text = experiment_labels(experiment);
    json_t *labels = text != NULL ? json_loads(text, 0, NULL) : NULL;
    return labels != NULL ? labels : json_object();
}

static json_t *counts_of(const sottod_experiment *experiment)
{
    journal_counts counts = experiment_counts(experiment);
    uint64_t all = counts.folded + counts.late + counts.duplicate + counts.conflicting;
    uint64_t waiting;
    json_t *waits =
        waiting_reports(experiment, &waiting) ? json_integer((json_int_t)waiting) : json_null();
    return json_pack("{sIsIsIsIsIso}", "acknowledged", (json_int_t)all, "folded",
                     (json_int_t)counts.folded, "late", (json_int_t)counts.late, "duplicate",
                     (json_int_t)counts.duplicate, "conflicting", (json_int_t)counts.conflicting,
                     "waiting", waits);
}

json_t *describe_row(const sottod_experiment *experiment)
{
    const sotto_learner *learner = experiment_learner(experiment);
    return json_pack(
        "{sssssIsosIsosIsIsbso}", "id", experiment_id_text(experiment), "state",
        journal_state_name(experiment_state(experiment)), "created_minute",
        (json_int_t)experiment_created_minute(experiment), "labels", labels_of(experiment), "epoch",
        (json_int_t)experiment_epoch(experiment), "reports", counts_of(experiment),
        "taken_since_publish", (json_int_t)sotto_learner_taken(learner), "wanted",
        (json_int_t)sotto_learner_wanted(learner), "quarantine",
        (int)experiment_watched(experiment).quarantine, "held", watch_held(experiment));
}

/* The canonical bytes, which an app can have built in, in hexadecimal digits. */
static json_t *terms_of(const sottod_experiment *experiment)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * SOTTO_TERMS_BYTES];
    size_t bytes = 0;
    const uint8_t *terms = experiment_terms_bytes(experiment, &bytes);
    if (terms == NULL || bytes > SOTTO_TERMS_BYTES) return json_null();
    for (size_t i = 0; i < bytes; i++) {
        text[2 * i] = digits[terms[i] >> 4];
        text[2 * i + 1] = digits[terms[i] & 15];
    }
    return json_stringn(text, 2 * bytes);
}

static json_t *card_of(const sottod_experiment *experiment, bool keep_reports)
{
    const card_retention retention = {
        .epoch_seconds_min = experiment_epoch_seconds_min(experiment),
        .epoch_reports_min = experiment_epoch_reports_min(experiment),
        .keep_reports = keep_reports,
    };
    return card_json(experiment_terms(experiment), &retention);
}

json_t *describe_experiment(const sottod_experiment *experiment, bool keep_reports)
{
    const sotto_terms *terms = experiment_terms(experiment);
    const experiment_request request = {
        .spec = terms->spec,
        .learning = experiment_learner(experiment)->learning,
        .epoch_seconds_min = experiment_epoch_seconds_min(experiment),
        .epoch_reports_min = experiment_epoch_reports_min(experiment),
        .epoch_reports_expected = experiment_watched(experiment).reports_expected,
    };
    const experiment_access access = experiment_access_of(experiment);
    json_t *row = describe_row(experiment);
    json_t *more =
        json_pack("{sosososososIsbsisoso}", "spec", spec_json_write(&request), "learning",
                  spec_json_write_learning(&request), "terms", terms_of(experiment), "privacy",
                  card_of(experiment, keep_reports), "warnings", card_warnings(&terms->spec),
                  "memory_bytes", (json_int_t)experiment_memory_bytes(experiment), "has_report_key",
                  access.keys > 0, "report_keys", (int)access.keys, "origins",
                  origins_json(access.origins), "watch", watch_json(experiment));
    if (row == NULL || more == NULL || json_object_update(row, more) != 0) {
        json_decref(row);
        row = NULL;
    }
    json_decref(more);
    return row;
}

json_t *describe_privacy(const sottod_experiment *experiment, bool keep_reports)
{
    json_t *privacy = json_pack("{ssssso}", "id", experiment_id_text(experiment), "state",
                                journal_state_name(experiment_state(experiment)), "warnings",
                                card_warnings(&experiment_terms(experiment)->spec));
    json_t *card = card_of(experiment, keep_reports);
    if (privacy == NULL || card == NULL || json_object_update(privacy, card) != 0) {
        json_decref(privacy);
        privacy = NULL;
    }
    json_decref(card);
    return privacy;
}
