/* Only usable experiments are created; a refusal names field, value and allowed values. */
#include "desk.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static void assert_refused(desk *d, const experiment_request *request, uint32_t status,
                           const char *field, const char *value, const char *allowed)
{
    sottod_refusal why = {0};
    sottod_experiment *experiment = (sottod_experiment *)d;
    uint32_t before = experiments_count(d->all);
    assert_false(experiments_create(d->all, request, d->now_ms, &experiment, &why));
    assert_null(experiment);
    assert_int_equal(why.status, status);
    assert_strings(why.fault.field, field, why.fault.value, value);
    assert_non_null(strstr(why.fault.allowed, allowed));
    assert_true(why.fault.sentence[0] != '\0');
    assert_int_equal(experiments_count(d->all), before);
}

TEST(faults_of_spec_and_learning_are_named)
{
    HELD(desk) d = desk_of(1);
    experiment_request request = desk_request();
    request.spec.epsilon = 99;
    assert_refused(&d, &request, 400, "spec.epsilon", "99", "0.01 to 8");
    request = desk_request();
    request.spec.arms = 1;
    assert_refused(&d, &request, 400, "spec.arms", "1", "2 to 1024");
    request = desk_request();
    request.learning.alpha = 2;
    assert_refused(&d, &request, 400, "learning.alpha", "2", "");
    request = desk_request();
    request.learning.warm_up = 5; /* shared parameters have none */
    assert_refused(&d, &request, 400, "learning.warm_up", "5", "");
}

TEST(epochs_that_do_not_fit_people_are_refused)
{
    HELD(desk) d = desk_of(1);
    experiment_request request = desk_request();
    request.spec.epoch_lag_max = 0;
    assert_refused(&d, &request, 400, "spec.epoch_lag_max", "0", "1 to 16");
    request = desk_request();
    request.epoch_seconds_min = 0;
    assert_refused(&d, &request, 400, "epoch_seconds_min", "0", "1 to 31536000");
    request.epoch_seconds_min = 31536001;
    assert_refused(&d, &request, 400, "epoch_seconds_min", "31536001", "1 to 31536000");
    request = desk_request();
    request.epoch_reports_min = 0;
    assert_refused(&d, &request, 400, "epoch_reports_min", "0", "1 to 2147483648");
    request.epoch_reports_min = SOTTO_REPORTS_MAX + 1;
    assert_refused(&d, &request, 400, "epoch_reports_min", "2147483649", "1 to 2147483648");
    request = desk_request();
    request.spec.reward_window_s = 3600;
    request.spec.send_spread_s = 601;
    request.epoch_seconds_min = 2100;
    assert_refused(&d, &request, 400, "epoch_seconds_min", "2100", "at least 2101");
    request.spec.reward_window_s = request.spec.send_spread_s = 31536000; /* no overflow */
    request.spec.epoch_lag_max = 1;
    request.epoch_seconds_min = 31536000;
    assert_refused(&d, &request, 400, "epoch_seconds_min", "31536000", "at least 63072000");
    request.spec.reward_window_s = 3600;
    request.spec.send_spread_s = 601;
    request.spec.epoch_lag_max = 2;
    request.epoch_seconds_min = 2101;
    assert_non_null(desk_create(&d, &request));
}

/* Such an epoch could never end: its reports would be refused for lack of room. */
TEST(epochs_of_more_reports_than_nonces_can_be_known_are_refused)
{
    HELD(desk) d = desk_of(1);
    d.settings.nonces_max = 1000;
    desk_restart(&d);
    experiment_request request = desk_request(); /* lag 2 */
    request.epoch_reports_min = 251;
    assert_refused(&d, &request, 400, "epoch_reports_min", "251", "at most 250");
    request.spec.measure = 1u << 31;
    request.epoch_reports_min = 126;
    assert_refused(&d, &request, 400, "epoch_reports_min", "126", "at most 125");
    request.epoch_reports_min = 125;
    assert_non_null(desk_create(&d, &request));
}

TEST(labels_that_are_too_long_are_refused)
{
    HELD(desk) d = desk_of(1);
    experiment_request request = desk_request();
    FREED_BY(free_memory) char *labels = malloc(16386);
    assert_non_null(labels);
    memset(labels, ' ', 16385);
    labels[16385] = '\0';
    request.labels = labels;
    assert_refused(&d, &request, 400, "labels", "16385 bytes", "16384");
    labels[16384] = '\0';
    assert_string_equal(experiment_labels(desk_create(&d, &request)), labels);
    request.spec.series++;
    request.labels = NULL;
    assert_string_equal(experiment_labels(desk_create(&d, &request)), "{}");
}

TEST(the_same_terms_are_there_once_for_good)
{
    HELD(desk) d = desk_of(1);
    sottod_refusal why;
    experiment_request request = desk_request();
    const sottod_experiment *first = desk_create(&d, &request);
    char id[40];
    strcpy(id, experiment_id_text(first));
    request.learning.alpha = 0.2; /* not part of the terms */
    assert_refused(&d, &request, 409, "spec", id, "series");
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_DELETED, &why));
    assert_refused(&d, &request, 409, "spec", id, "series");
    desk_restart(&d);
    assert_refused(&d, &request, 409, "spec", id, "series");
    request.spec.series = 1;
    assert_int_equal(experiment_number(desk_create(&d, &request)), 2);
}

TEST(there_are_no_more_than_allowed)
{
    HELD(desk) d = desk_of(1);
    d.settings.experiments_max = 2;
    desk_restart(&d);
    sottod_refusal why;
    experiment_request request = desk_request();
    for (request.spec.series = 0; request.spec.series < 2; request.spec.series++) {
        desk_create(&d, &request);
    }
    assert_refused(&d, &request, 503, "experiments_max", "2", "delete one");
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_DELETED, &why));
    assert_int_equal(experiment_number(desk_create(&d, &request)), 3);
}

TEST(what_the_journal_does_not_have_is_not_there)
{
    HELD(desk) d = desk_of(1);
    experiment_request request = desk_request();
    for (uint32_t calls = 0; calls < 3; calls++) { /* begin, add, commit */
        journal_memory_fail_after(d.journal, calls);
        assert_refused(&d, &request, 503, "", "", "");
        assert_true(journal_memory_has_failed(d.journal));
    }
    assert_int_equal(experiment_number(desk_create(&d, &request)), 1);
}

TEST(a_new_experiment_is_open_and_survives_a_restart)
{
    HELD(desk) d = desk_of(1);
    experiment_request request = desk_request();
    request.epoch_seconds_min = 60;
    request.epoch_reports_min = 21;
    desk_create(&d, &request);
    for (int round = 0; round < 2; round++, desk_restart(&d)) {
        const sottod_experiment *e = d.experiment;
        size_t bytes;
        sotto_terms terms;
        sotto_model *model;
        assert_int_equal(experiments_count(d.all), 1);
        assert_ptr_equal(experiments_at(d.all, 0), e);
        assert_null(experiments_at(d.all, 1));
        assert_int_equal(experiment_state(e), JOURNAL_OPEN);
        assert_string_equal(experiment_labels(e), request.labels);
        assert_ints(experiment_epoch_seconds_min(e), 60, experiment_epoch_reports_min(e), 21);
        assert_true(experiment_created_minute(e) > 29000000);
        const uint8_t *at = experiment_terms_bytes(e, &bytes);
        assert_ok(sotto_terms_decode(at, bytes, &terms));
        assert_memory_equal(terms.id, experiment_id(e), sizeof terms.id);
        assert_memory_equal(experiment_terms(e)->id, terms.id, sizeof terms.id);
        at = experiment_model_bytes(e, &bytes);
        assert_ok(sotto_model_new(&terms, &model));
        assert_ok(sotto_model_decode(&terms, at, bytes, model));
        assert_ints(model->epoch, 0, experiment_epoch(e), 0);
        desk_assert_counts(e, 0, 0, 0, 0);
        sotto_model_free(model);
    }
}
