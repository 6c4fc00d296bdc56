/* Metrics, in the text format of Prometheus. */
#include "asked.h"
#include "house.h"
#include "server/server.h"
#include "service/api/inner.h"
#include "service/experiment/inner.h"
#include "shared_memory.h"
#include "test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static house made;
static sottod_front *fronts[2];
static char *text;

FIXTURE(start)
{
    house_open(&made);
    fronts[0] = asked_front_new(8787, (front_counts){.requests = 7, .connections = 2});
    fronts[1] =
        asked_front_new(8788, (front_counts){.requests = 3, .refused[FRONT_REFUSED_LENGTH] = 1});
    made.service.public_front = fronts[0];
    made.service.admin_front = fronts[1];
    text = NULL;
}

FIXTURE(end)
{
    free(text);
    free(fronts[0]);
    free(fronts[1]);
    house_close(&made);
}

static void write_metrics_of(sottod_experiment *one)
{
    size_t bytes;
    free(text);
    const route_table routes = api_admin_routes();
    text = metrics_text(&made.service, &routes, one, &bytes);
    assert_non_null(text);
    assert_int_equal(bytes, strlen(text));
}

static void write_metrics(void)
{
    write_metrics_of(NULL);
}

/* The value of the line that begins with `name`. */
static double value_of(const char *name)
{
    char wanted[200];
    snprintf(wanted, sizeof wanted, "\n%s ", name);
    const char *line = strstr(text, wanted);
    if (line == NULL) fail_msg("there is no %s", name);
    return strtod(line + strlen(wanted), NULL);
}

static double value_for(const char *name, sottod_experiment *experiment)
{
    char full[200];
    write_metrics_of(experiment);
    snprintf(full, sizeof full, "%s{experiment=\"%s\"}", name, experiment_id_text(experiment));
    return value_of(full);
}

/* "# HELP name …", "# TYPE name kind", then lines of that name; each name once. Returns their
 * number. */
static int check_format(void)
{
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
            assert_true(strcmp(type, "counter") == 0 || strcmp(type, "gauge") == 0 ||
                        strcmp(type, "histogram") == 0);
            size_t length = strlen(name);
            bool total = length > 6 && strcmp(name + length - 6, "_total") == 0;
            assert_int_equal(total, strcmp(type, "counter") == 0);
            continue;
        }
        assert_memory_equal(line, name, strlen(name));
        char next_byte = strcmp(type, "histogram") == 0 ? '_' : '{';
        assert_true(line[strlen(name)] == ' ' || line[strlen(name)] == next_byte);
        char *end = NULL;
        strtod(strrchr(line, ' ') + 1, &end);
        assert_true(*end == '\0');
        samples++;
    }
    free(rest);
    assert_int_equal(text[strlen(text) - 1], '\n');
    return samples;
}

/* The number of lines does not depend on the number of experiments, so that asking stays cheap. */
TEST_WITH(every_line_has_the_format, start, end)
{
    enum { ALARMS = 5, TIMED = LATENCY_STEPS + 3 };
    int timed = (int)(api_public_routes().count + api_admin_routes().count + 2) * TIMED;
    int wanted = 5 + 1 + 3 + 4 + ALARMS + 2 * (2 + FRONT_REFUSALS) + timed + 14;
    write_metrics();
    assert_int_equal(check_format(), wanted);
    sottod_experiment *one = house_experiment(&made, 0);
    house_experiment(&made, 1);
    house_experiment(&made, 2);
    write_metrics();
    assert_int_equal(check_format(), wanted);
    assert_null(strstr(text, "experiment="));
    write_metrics_of(one);
    assert_int_equal(check_format(), 11 + ALARMS + 3);
}

TEST_WITH(totals_are_sums, start, end)
{
    sottod_refusal why;
    sottod_experiment *one = house_experiment(&made, 0), *two = house_experiment(&made, 1);
    house_epoch(&made, one, 1, 30);
    house_epoch(&made, two, 2, 50);
    assert_true(experiment_set_state(made.experiments, two, JOURNAL_PAUSED, &why));
    sotto_learner *learner = (sotto_learner *)experiment_learner(two);
    learner->harm.epoch = learner->harm.served_epoch = 1;
    learner = (sotto_learner *)experiment_learner(one);
    learner->harm.epoch = 1; /* and has no fallback */
    double folded = value_for("sottod_reports_folded_total", one) +
                    value_for("sottod_reports_folded_total", two);
    double memory = value_for("sottod_experiment_memory_bytes", one) +
                    value_for("sottod_experiment_memory_bytes", two);
    write_metrics();
    assert_true(strncmp(text, "# HELP sottod_reports_acknowledged_total ", 41) == 0);
    assert_true(folded == 80 && value_of("sottod_reports_folded_total") == folded);
    assert_true(value_of("sottod_reports_acknowledged_total") == folded);
    assert_true(value_of("sottod_experiments") == 2);
    assert_true(value_of("sottod_experiments_by_state{state=\"open\"}") == 1);
    assert_true(value_of("sottod_experiments_by_state{state=\"paused\"}") == 1);
    assert_true(value_of("sottod_experiments_by_state{state=\"closed\"}") == 0);
    assert_true(value_of("sottod_experiments_memory_bytes") == memory);
    assert_true(value_of("sottod_experiments_harmed") == 2);
    assert_true(value_of("sottod_experiments_served") == 1);
    assert_true(value_of("sottod_experiments_held") == 0);
    assert_true(value_of("sottod_experiments_age_epochs_max") == 0);
    for (uint32_t t = 0; t < EXPERIMENT_WATCH_TESTS; t++) {
        char name[80];
        snprintf(name, sizeof name, "sottod_watch_alarms_total{test=\"%s\"}",
                 experiment_watch_test(t));
        watch_totals *totals = experiments_totals(made.experiments);
        assert_true(value_of(name) ==
                    (double)(totals_look(totals, experiment_number(one)).epochs[t] +
                             totals_look(totals, experiment_number(two)).epochs[t]));
    }
}

TEST_WITH(buckets_of_latencies_add_up, start, end)
{
    front_counts counts = {.requests = 1};
    latency_add(&counts.latency[1], 900);
    latency_add(&counts.latency[1], 1100);
    latency_add(&counts.latency[1], 9000000);
    free(fronts[0]);
    made.service.public_front = fronts[0] = asked_front_new(8787, counts);
    write_metrics();
#define OF "{port=\"public\",method=\"POST\",route=\"/v1/experiments/{id}/reports\""
    assert_true(value_of("sottod_request_seconds_bucket" OF ",le=\"0.001\"}") == 1);
    assert_true(value_of("sottod_request_seconds_bucket" OF ",le=\"0.0025\"}") == 2);
    assert_true(value_of("sottod_request_seconds_bucket" OF ",le=\"5\"}") == 2);
    assert_true(value_of("sottod_request_seconds_bucket" OF ",le=\"+Inf\"}") == 3);
    assert_true(value_of("sottod_request_seconds_count" OF "}") == 3);
    assert_true(value_of("sottod_request_seconds_sum" OF "}") == 9.002);
#undef OF
    assert_non_null(strstr(text, "route=\"/metrics\""));
}

TEST_WITH(what_was_acknowledged_is_folded_late_duplicate_or_conflicting, start, end)
{
    sottod_experiment *experiment = house_experiment(&made, 0);
    sottod_refusal why;
    uint8_t frames[1024];
    size_t each = sotto_report_bytes(experiment_terms(experiment));
    house_frames(experiment, 1, frames, 10 * each);
    assert_true(intake_offer(made.intake, experiment, frames, 10 * each, &why));
    assert_true(intake_offer(made.intake, experiment, frames, 3 * each, &why));
    assert_true(intake_commit(made.intake, &why));
    assert_true(value_for("sottod_reports_folded_total", experiment) == 10);
    assert_true(value_for("sottod_reports_duplicate_total", experiment) == 3);
    experiment->engine->counts.late = 20;
    experiment->engine->counts.conflicting = 100;
    assert_true(value_for("sottod_reports_acknowledged_total", experiment) ==
                value_for("sottod_reports_folded_total", experiment) +
                    value_for("sottod_reports_late_total", experiment) +
                    value_for("sottod_reports_duplicate_total", experiment) +
                    value_for("sottod_reports_conflicting_total", experiment));
    assert_true(value_for("sottod_reports_acknowledged_total", experiment) == 133);
    write_metrics();
    assert_true(value_of("sottod_reports_acknowledged_total") ==
                value_of("sottod_reports_folded_total") + value_of("sottod_reports_late_total") +
                    value_of("sottod_reports_duplicate_total") +
                    value_of("sottod_reports_conflicting_total"));
    assert_true(value_of("sottod_reports_late_total") == 20);
}

TEST_WITH(harm_alone_serves_nothing, start, end)
{
    sottod_experiment *experiment = house_experiment(&made, 0);
    sotto_learner *learner = (sotto_learner *)experiment_learner(experiment);
    for (uint32_t since = 0; since < 2; since++) {
        learner->harm.epoch = since;
        assert_true(value_for("sottod_experiment_harm", experiment) == since);
        assert_true(value_for("sottod_experiment_served", experiment) == 0);
    }
    learner->harm.served_epoch = 1;
    assert_true(value_for("sottod_experiment_served", experiment) == 1);
}

TEST_WITH(an_experiment_has_epoch_state_and_size, start, end)
{
    sottod_refusal why;
    sottod_experiment *experiment = house_experiment(&made, 0), *other = house_experiment(&made, 1);
    house_epoch(&made, experiment, 1, 30);
    assert_true(experiment_set_state(made.experiments, other, JOURNAL_PAUSED, &why));
    assert_true(value_for("sottod_experiment_epoch", experiment) == 1);
    assert_true(value_for("sottod_experiment_epoch", other) == 0);
    assert_true(value_for("sottod_experiment_state", experiment) == 0);
    assert_true(value_for("sottod_experiment_state", other) == 1);
    assert_true(value_for("sottod_experiment_taken", experiment) == 0);
    assert_true(value_for("sottod_experiment_wanted", experiment) >= 1);
    assert_true(value_for("sottod_experiment_memory_bytes", experiment) > 1000);
    write_metrics();
    assert_true(value_of("sottod_publishes_total") == 1);
    assert_true(value_of("sottod_publishes_in_backlog_total") == 0);
}

TEST_WITH(the_process_has_its_own, start, end)
{
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

TEST_WITH(of_a_shared_journal_it_is_said_who_folds, start, end)
{
    write_metrics();
    assert_null(strstr(text, "sottod_housekeeper"));
    shared_memory_start();
    made.service.journal = shared_memory_gateway();
    write_metrics();
    assert_true(value_of("sottod_housekeeper") == 0);
    assert_true(value_of("sottod_publisher_publishes_total") == 0);
    assert_true(value_of("sottod_publisher_waiting") == 0);
    assert_true(value_of("sottod_publisher_distinct") == 0);
    journal_close(made.service.journal);
    made.service.journal = made.journal;
    shared_memory_end();
}
