/* A new experiment: its owner's request is checked and made durable, and then the experiment exists. */
#include "inner.h"
#include "service/system/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refuse_number(sottod_refusal *why, const char *field, uint64_t number,
                          const char *allowed)
{
    char error[sizeof why->fault.sentence], value[32];
    snprintf(value, sizeof value, "%" PRIu64, number);
    snprintf(error, sizeof error, "%s = %s is not allowed.", field, value);
    return refusal_set(why, 400, error, field, value, allowed);
}

/* Reports come only when their rewards do: their epoch must still be open then. */
static bool epochs_fit(const experiment_request *request, sottod_refusal *why)
{
    char allowed[sizeof why->fault.allowed];
    const sotto_spec *spec = &request->spec;
    uint64_t seconds = request->epoch_seconds_min, lag = spec->epoch_lag_max;
    uint64_t away = (uint64_t)spec->reward_window_s + spec->send_spread_s;
    if (lag < 1) {
        return refuse_number(why, "spec.epoch_lag_max", lag,
                             "1 to 16, because reports arrive after the epoch of their round");
    }
    if (seconds < 1 || seconds > EXPERIMENT_SECONDS_MAX)
        return refuse_number(why, "epoch_seconds_min", seconds, "1 to 31536000");
    if (seconds * lag < away) {
        snprintf(allowed, sizeof allowed,
                 "at least %" PRIu64 ": times epoch_lag_max (%" PRIu64
                 ") it covers reward_window_s (%u) and send_spread_s (%u) together",
                 (away + lag - 1) / lag, lag, spec->reward_window_s, spec->send_spread_s);
        return refuse_number(why, "epoch_seconds_min", seconds, allowed);
    }
    if (request->epoch_reports_min < 1 || request->epoch_reports_min > SOTTO_REPORTS_MAX)
        return refuse_number(why, "epoch_reports_min", request->epoch_reports_min,
                             "1 to 2147483648");
    if (request->epoch_reports_expected > SOTTO_REPORTS_MAX)
        return refuse_number(why, "epoch_reports_expected", request->epoch_reports_expected,
                             "0 (not said) to 2147483648");
    return true;
}

/* An epoch must be able to collect so many reports while the nonces of all open epochs are stored. Half of the
 * reports may come from measure rounds, which do not count. */
static bool epoch_fits(const sottod_experiments *all, const experiment_request *request,
                       sottod_refusal *why)
{
    char allowed[sizeof why->fault.allowed];
    uint64_t of_each = request->spec.measure > 0 ? 2 : 1;
    uint64_t epochs = request->spec.epoch_lag_max + UINT64_C(2);
    uint64_t most = all->settings.nonces_max / (of_each * epochs);
    if (request->epoch_reports_min <= most) return true;
    snprintf(allowed, sizeof allowed,
             "at most %" PRIu64 " with epoch_lag_max = %u, or start with a larger nonces_max (%u)",
             most, request->spec.epoch_lag_max, all->settings.nonces_max);
    return refuse_number(why, "epoch_reports_min", request->epoch_reports_min, allowed);
}

static bool is_there(const sottod_experiments *all, const uint8_t *id, sottod_refusal *why)
{
    const sottod_experiment *there = experiments_find(all, id);
    if (there == NULL) return false;
    refusal_set(why, 409, "An experiment with these terms exists already, or was deleted.", "spec",
                there->id_text, "other terms, or another series");
    return true;
}

/* Fills *terms. */
static bool is_usable(const sottod_experiments *all, const experiment_request *request,
                      sotto_terms *terms, sottod_refusal *why)
{
    sotto_fault fault;
    if (sotto_spec_fault(&request->spec, &fault) != SOTTO_OK)
        return refusal_set_fault(why, "spec", &fault);
    if (!epochs_fit(request, why) || !epoch_fits(all, request, why)) return false;
    size_t labels_bytes = request->labels == NULL ? 0 : strlen(request->labels);
    if (labels_bytes > EXPERIMENT_LABELS_BYTES_MAX) {
        char value[32];
        snprintf(value, sizeof value, "%zu bytes", labels_bytes);
        return refusal_set(why, 400, "The labels are too long.", "labels", value,
                           "at most 16384 bytes");
    }
    sotto_status status = sotto_spec_resolve(&request->spec, terms);
    if (status != SOTTO_OK)
        return refusal_set(why, 400, sotto_status_text(status), "spec", NULL, NULL);
    if (sotto_learning_fault(terms, &request->learning, &fault) != SOTTO_OK)
        return refusal_set_fault(why, "learning", &fault);
    if (is_there(all, terms->id, why)) return false;
    if (all->live_count >= all->settings.experiments_max) {
        char value[32];
        snprintf(value, sizeof value, "%u", all->live_count);
        return refusal_set(why, 503, "The service has the maximum number of experiments.",
                           "experiments_max", value,
                           "delete one, or start with a larger experiments_max");
    }
    return true;
}

/* Makes the row durable in the journal; sets row->number. */
static bool write_down(sottod_experiments *all, journal_experiment *row, sottod_refusal *why)
{
    sottod_journal *journal = all->journal;
    if (journal_begin(journal) && journal_finish(journal, journal_add_experiment(journal, row)))
        return true;
    (void)experiments_refuse(all, why);
    /* Another process may have created the same experiment. */
    if (all->kind->catch_up(all, NULL, NULL)) (void)is_there(all, row->id, why);
    return false;
}

static bool out_of_memory(sottod_refusal *why)
{
    return refusal_set_lack(why, LACK_MEMORY,
                            "The server has too little memory for another experiment.");
}

bool experiments_create(sottod_experiments *all, const experiment_request *request, uint64_t now_ms,
                        sottod_experiment **out, sottod_refusal *why)
{
    sotto_terms terms;
    *out = NULL;
    if (!is_usable(all, request, &terms, why)) return false;

    bool created = false;
    sotto_learner *learner = NULL;
    sottod_experiment *experiment = NULL;
    sotto_fault fault;
    uint8_t *start = NULL, terms_bytes[SOTTO_TERMS_BYTES];
    journal_experiment row = {
        .state = JOURNAL_OPEN,
        .created_minute = clock_minute(),
        .epoch_seconds_min = request->epoch_seconds_min,
        .epoch_reports_min = request->epoch_reports_min,
        .has_report_key = request->access.keys > 0,
        .epoch_reports_expected = request->epoch_reports_expected,
        .quarantine = request->quarantine,
    };
    memcpy(row.id, terms.id, sizeof row.id);
    memcpy(row.report_key, request->access.key[0], sizeof row.report_key);
    char *labels = experiment_access_text(request->labels, &request->access);
    row.labels = labels;
    if (labels == NULL || !experiments_reserve(all) ||
        sotto_learner_new(&terms, &request->learning, &learner) != SOTTO_OK) {
        free(labels);
        return out_of_memory(why);
    }
    size_t start_bytes = sotto_learner_bytes(learner);
    start = malloc(start_bytes);
    if (start == NULL || sotto_learner_encode(learner, start, start_bytes) != SOTTO_OK) {
        out_of_memory(why);
        goto cleanup;
    }
    row.terms = (journal_bytes){terms_bytes, sotto_terms_encode(&terms, terms_bytes)};
    row.start = (journal_bytes){start, start_bytes};
    experiment = experiment_new(all, &row, now_ms, &fault);
    if (experiment == NULL || !experiment_encode_model(experiment)) {
        out_of_memory(why);
        goto cleanup;
    }
    if (!write_down(all, &row, why)) goto cleanup;
    experiment->number = experiment->engine->experiment = row.number;
    experiment->mark = row.mark;
    experiments_insert(all, experiment);
    experiment_begin_epoch(all, experiment, now_ms);
    experiments_log(all, LOG_INFO, "created", experiment, "number", experiment->number);
    *out = experiment;
    experiment = NULL; /* the list owns it now */
    created = true;
cleanup:
    experiment_free(experiment);
    sotto_learner_free(learner);
    free(start);
    free(labels);
    return created;
}
