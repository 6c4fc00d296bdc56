/* Metrics, in the text format of Prometheus. */
#include "asked.h"
#include "house.h"
#include "server/learner.h"
#include "service/api/metrics.h"
#include "shared_memory.h"
#include "test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static house made;
static sottod_front *fronts[2];
static char *text;

static int start(void **state)
{
    (void)state;
    house_open(&made);
    fronts[0] = asked_front_new(8787, (front_counts){.requests = 7, .connections = 2});
    fronts[1] =
        asked_front_new(8788, (front_counts){.requests = 3, .refused[FRONT_REFUSED_LENGTH] = 1});
    made.service.public_front = fronts[0];
    made.service.admin_front = fronts[1];
    text = NULL;
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(text);
    free(fronts[0]);
    free(fronts[1]);
    house_close(&made);
    return 0;
}

static void write_metrics(void)
{
    size_t bytes;
    free(text);
    text = metrics_text(&made.service, &bytes);
    assert_non_null(text);
    assert_int_equal(bytes, strlen(text));
}

/* The value of a line that begins so. */
static double value_of(const char *name)
{
    char wanted[200];
    snprintf(wanted, sizeof wanted, "\n%s ", name);
    const char *line = strstr(text, wanted);
    if (line == NULL) fail_msg("there is no %s", name);
    return strtod(line + strlen(wanted), NULL);
}

static double value_for(const char *name, const sottod_experiment *experiment)
{
    char full[200];
    snprintf(full, sizeof full, "%s{experiment=\"%s\"}", name, experiment_id_text(experiment));
    return value_of(full);
}

/* "# HELP name …", "# TYPE name counter|gauge", then lines of that name; each name once. */
static void every_line_has_the_format(void **state)
{
    (void)state;
    house_experiment(&made, 0);
    house_experiment(&made, 1);
    write_metrics();
    char name[100] = "", type[20] = "";
    char *rest = strdup(text), *save = NULL;
    int samples = 0;
    for (char *line = strtok_r(rest, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        char next[100];
        if (sscanf(line, "# HELP %99s %*s", next) == 1) {
            assert_string_not_equal(next, name);
            strcpy(name, next);
            continue;
        }
        if (line[0] == '#') {
            assert_int_equal(sscanf(line, "# TYPE %99s %19s", next, type), 2);
            assert_string_equal(next, name);
            assert_true(strcmp(type, "counter") == 0 || strcmp(type, "gauge") == 0);
            size_t length = strlen(name);
            bool total = length > 6 && strcmp(name + length - 6, "_total") == 0;
            assert_int_equal(total, strcmp(type, "counter") == 0);
            continue;
        }
        assert_memory_equal(line, name, strlen(name));
        assert_true(line[strlen(name)] == ' ' || line[strlen(name)] == '{');
        char *end = NULL;
        strtod(strrchr(line, ' ') + 1, &end);
        assert_true(*end == '\0');
        samples++;
    }
    free(rest);
    assert_int_equal(samples, 2 * 14 + 2 * (2 + FRONT_REFUSALS) + 2 * 5 + 14);
    assert_int_equal(text[strlen(text) - 1], '\n');
}

static void what_was_acknowledged_is_folded_late_duplicate_or_conflicting(void **state)
{
    (void)state;
    sottod_experiment *experiment = house_experiment(&made, 0);
    sottod_refusal why;
    uint8_t frames[1024];
    size_t each = sotto_report_bytes(experiment_terms(experiment));
    house_frames(experiment, 1, frames, 10 * each);
    assert_true(intake_offer(made.intake, experiment, frames, 10 * each, &why));
    assert_true(intake_offer(made.intake, experiment, frames, 3 * each, &why));
    assert_true(intake_commit(made.intake, &why));
    write_metrics();
    assert_true(value_for("sottod_reports_folded_total", experiment) == 10);
    assert_true(value_for("sottod_reports_duplicate_total", experiment) == 3);
    assert_true(value_for("sottod_reports_acknowledged_total", experiment) ==
                value_for("sottod_reports_folded_total", experiment) +
                    value_for("sottod_reports_late_total", experiment) +
                    value_for("sottod_reports_duplicate_total", experiment) +
                    value_for("sottod_reports_conflicting_total", experiment));
}

static void harm_alone_serves_nothing(void **state)
{
    (void)state;
    sottod_experiment *experiment = house_experiment(&made, 0);
    sotto_learner *learner = (sotto_learner *)experiment_learner(experiment);
    for (uint32_t since = 0; since < 2; since++) {
        learner->harm.epoch = since;
        write_metrics();
        assert_true(value_for("sottod_experiment_harm", experiment) == since);
        assert_true(value_for("sottod_experiment_served", experiment) == 0);
    }
    learner->harm.served_epoch = 1;
    write_metrics();
    assert_true(value_for("sottod_experiment_served", experiment) == 1);
}

static void an_experiment_has_epoch_state_and_size(void **state)
{
    (void)state;
    sottod_refusal why;
    sottod_experiment *experiment = house_experiment(&made, 0), *other = house_experiment(&made, 1);
    house_epoch(&made, experiment, 1, 30);
    assert_true(experiment_set_state(made.experiments, other, JOURNAL_PAUSED, &why));
    write_metrics();
    assert_true(value_for("sottod_experiment_epoch", experiment) == 1);
    assert_true(value_for("sottod_experiment_epoch", other) == 0);
    assert_true(value_for("sottod_experiment_state", experiment) == 0);
    assert_true(value_for("sottod_experiment_state", other) == 1);
    assert_true(value_for("sottod_experiment_taken", experiment) == 0);
    assert_true(value_for("sottod_experiment_wanted", experiment) >= 1);
    assert_true(value_for("sottod_experiment_memory_bytes", experiment) > 1000);
    assert_true(value_of("sottod_publishes_total") == 1);
    assert_true(value_of("sottod_publishes_in_backlog_total") == 0);
}

static void the_process_has_its_own(void **state)
{
    (void)state;
    made.service.acknowledged = 12;
    made.service.commits = 5;
    made.service.commit_us = 1500000;
    made.service.folded_us = 250000;
    made.service.publish_us = 125000;
    write_metrics();
    assert_true(value_of("sottod_acknowledged_since_start_total") == 12);
    assert_true(value_of("sottod_group_commits_total") == 5);
    assert_true(value_of("sottod_group_commit_seconds_total") == 1.5);
    assert_true(value_of("sottod_fold_seconds_total") == 0.25);
    assert_true(value_of("sottod_publish_seconds_total") == 0.125);
    assert_true(value_of("sottod_requests_total{port=\"public\"}") == 7);
    assert_true(value_of("sottod_requests_total{port=\"admin\"}") == 3);
    assert_true(value_of("sottod_connections{port=\"public\"}") == 2);
    assert_true(value_of("sottod_refused_length_total{port=\"admin\"}") == 1);
    assert_true(value_of("sottod_journal_disk_bytes") > 0);
    assert_true(value_of("sottod_ready") == 1);
    made.service.failing = true;
    made.service.public_front = NULL; /* before it is open */
    write_metrics();
    assert_true(value_of("sottod_ready") == 0);
    assert_true(value_of("sottod_requests_total{port=\"public\"}") == 0);
}

#define IN_HOUSE(test) cmocka_unit_test_setup_teardown(test, start, end)

static void of_a_shared_journal_it_is_said_who_folds(void **state)
{
    (void)state;
    write_metrics();
    assert_null(strstr(text, "sottod_folds"));
    shared_memory_start();
    made.service.journal = shared_memory_gateway();
    write_metrics();
    assert_true(value_of("sottod_folds") == 0);
    assert_true(value_of("sottod_folder_publishes_total") == 0);
    assert_true(value_of("sottod_folder_waiting") == 0);
    journal_close(made.service.journal);
    made.service.journal = made.journal;
    shared_memory_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOUSE(every_line_has_the_format),
        IN_HOUSE(what_was_acknowledged_is_folded_late_duplicate_or_conflicting),
        IN_HOUSE(harm_alone_serves_nothing),
        IN_HOUSE(an_experiment_has_epoch_state_and_size),
        IN_HOUSE(the_process_has_its_own),
        IN_HOUSE(of_a_shared_journal_it_is_said_who_folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
