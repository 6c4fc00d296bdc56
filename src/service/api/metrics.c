/* Metrics: sums over all experiments plus the process's own counters, or one experiment. The first five rows of an
 * experiment's table are counters and are added up. */
#include "inner.h"

#include "service/experiment/experiment.h"
#include "service/system/system.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- of one experiment */

static uint64_t acknowledged(const journal_counts *counts)
{
    return counts->folded + counts->late + counts->duplicate + counts->conflicting;
}

static const struct {
    const char *name;
    const char *type;
    const char *help;
} of_experiment[] = {
    {"sottod_reports_acknowledged_total", "counter",
     "Acknowledged reports: folded + late + duplicate + conflicting."},
    {"sottod_reports_folded_total", "counter", "Reports added to the sums."},
    {"sottod_reports_late_total", "counter",
     "Reports whose epoch was closed. Many: epochs are too short."},
    {"sottod_reports_duplicate_total", "counter", "Repeated reports: same nonce, same bytes."},
    {"sottod_reports_conflicting_total", "counter",
     "Reports with a known nonce and other bytes; honest devices send none."},
    {"sottod_experiment_epoch", "gauge", "The open epoch."},
    {"sottod_experiment_state", "gauge", "0 open, 1 paused, 2 closed."},
    {"sottod_experiment_taken", "gauge", "Learn reports since the last publish."},
    {"sottod_experiment_wanted", "gauge", "Learn reports scheduled for this epoch."},
    {"sottod_experiment_held", "gauge", "1 while the watch holds its epoch."},
    {"sottod_experiment_memory_bytes", "gauge", "Memory of the experiment."},
};

static void head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* One line, with the name of the experiment. */
static void put_of(FILE *out, const char *name, const char *type, const char *help,
                   const sottod_experiment *experiment, double value, int digits)
{
    head(out, name, type, help);
    fprintf(out, "%s{experiment=\"%s\"} %.*f\n", name, experiment_id_text(experiment), digits,
            value);
}

static const char alarms_name[] = "sottod_watch_alarms_total";

static void put_alarms_head(FILE *out)
{
    head(out, alarms_name, "counter", "Epochs with an alarm of the watch since the start.");
}

/* Values where known: alarms, harm, waiting reports, and the age if there was a publish since the start. */
static void put_known(const api_service *service, const sottod_experiment *experiment, FILE *out)
{
    uint64_t reports;
    const watch_total total =
        totals_look(experiments_totals(service->experiments), experiment_number(experiment));
    put_alarms_head(out);
    for (uint32_t t = 0; t < EXPERIMENT_WATCH_TESTS; t++) {
        fprintf(out, "%s{experiment=\"%s\",test=\"%s\"} %" PRIu64 "\n", alarms_name,
                experiment_id_text(experiment), experiment_watch_test(t), total.epochs[t]);
    }
    const sotto_harm harm = experiment_harm(experiment);
    if (harm.verdict != SOTTO_HARM_UNKNOWN) {
        put_of(out, "sottod_experiment_harm", "gauge",
               "1 if the policy is worse than random arms, by measure rounds; absent if unknown.",
               experiment, harm.verdict == SOTTO_HARM_YES, 0);
    }
    put_of(out, "sottod_experiment_served", "gauge", "1 while the fallback is served.", experiment,
           harm.served_epoch > 0, 0);
    if (waiting_reports(experiment, &reports)) {
        put_of(out, "sottod_experiment_waiting", "gauge",
               "Accepted reports that are in no model yet.", experiment, (double)reports, 0);
    }
    if (isnan(total.age)) return;
    put_of(out, "sottod_experiment_age_epochs", "gauge",
           "Mean age, in epochs, of the learn reports in the last model.", experiment, total.age,
           3);
}

static void put_experiment(const api_service *service, sottod_experiment *experiment, FILE *out)
{
    waiting_ask(service->experiments, experiment);
    const journal_counts counts = experiment_counts(experiment);
    const sotto_learner *learner = experiment_learner(experiment);
    const uint64_t values[] = {
        acknowledged(&counts),
        counts.folded,
        counts.late,
        counts.duplicate,
        counts.conflicting,
        experiment_epoch(experiment),
        experiment_state(experiment),
        sotto_learner_taken(learner),
        sotto_learner_wanted(learner),
        experiment_watched(experiment).held,
        experiment_memory_bytes(experiment),
    };
    static_assert(sizeof values / sizeof values[0] ==
                      sizeof of_experiment / sizeof of_experiment[0],
                  "one value per row");
    for (size_t m = 0; m < sizeof of_experiment / sizeof of_experiment[0]; m++) {
        head(out, of_experiment[m].name, of_experiment[m].type, of_experiment[m].help);
        fprintf(out, "%s{experiment=\"%s\"} %" PRIu64 "\n", of_experiment[m].name,
                experiment_id_text(experiment), values[m]);
    }
    put_known(service, experiment, out);
}

/* ---- of the process */

static void put(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
    head(out, name, type, help);
    fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void put_seconds(FILE *out, const char *name, const char *type, const char *help,
                        uint64_t microseconds)
{
    head(out, name, type, help);
    fprintf(out, "%s %.6f\n", name, (double)microseconds / 1e6);
}

/* One number for each port. */
static void put_ports(FILE *out, const char *name, const char *type, const char *help,
                      uint64_t of_public, uint64_t of_admin)
{
    head(out, name, type, help);
    fprintf(out, "%s{port=\"public\"} %" PRIu64 "\n%s{port=\"admin\"} %" PRIu64 "\n", name,
            of_public, name, of_admin);
}

/* ---- of all experiments */

typedef struct experiment_totals {
    journal_counts counts;
    uint64_t state[JOURNAL_DELETED];
    uint64_t held, harmed, served, memory_bytes;
    watch_total total;
} experiment_totals;

static void add_experiment(experiment_totals *t, const sottod_experiment *experiment)
{
    const journal_counts counts = experiment_counts(experiment);
    const experiment_watch watch = experiment_watched(experiment);
    const sotto_harm harm = experiment_harm(experiment);
    t->counts.folded += counts.folded;
    t->counts.late += counts.late;
    t->counts.duplicate += counts.duplicate;
    t->counts.conflicting += counts.conflicting;
    t->state[experiment_state(experiment)]++;
    t->held += watch.held;
    t->harmed += harm.verdict == SOTTO_HARM_YES;
    t->served += harm.served_epoch > 0;
    t->memory_bytes += experiment_memory_bytes(experiment);
}

static experiment_totals totals_of(const api_service *service)
{
    experiment_totals totals = {
        .total = totals_look(experiments_totals(service->experiments), TOTALS_ALL)};
    for (uint32_t i = 0; i < experiments_count(service->experiments); i++) {
        add_experiment(&totals, experiments_at(service->experiments, i));
    }
    return totals;
}

static void put_totals(const api_service *service, FILE *out)
{
    static const char by_state[] = "sottod_experiments_by_state";
    const experiment_totals totals = totals_of(service);
    const journal_counts *counts = &totals.counts;
    const uint64_t reports[] = {acknowledged(counts), counts->folded, counts->late,
                                counts->duplicate, counts->conflicting};
    for (size_t m = 0; m < sizeof reports / sizeof reports[0]; m++) {
        put(out, of_experiment[m].name, of_experiment[m].type, of_experiment[m].help, reports[m]);
    }
    put(out, "sottod_experiments", "gauge", "Experiments that are not deleted.",
        experiments_count(service->experiments));
    head(out, by_state, "gauge", "Experiments by state.");
    for (uint32_t i = 0; i < JOURNAL_DELETED; i++) {
        fprintf(out, "%s{state=\"%s\"} %" PRIu64 "\n", by_state, journal_state_name(i),
                totals.state[i]);
    }
    put(out, "sottod_experiments_held", "gauge", "Experiments whose epoch the watch holds.",
        totals.held);
    put(out, "sottod_experiments_harmed", "gauge",
        "Experiments whose policy is worse than random arms, by measure rounds.", totals.harmed);
    put(out, "sottod_experiments_served", "gauge", "Experiments whose fallback is served.",
        totals.served);
    put(out, "sottod_experiments_memory_bytes", "gauge", "Memory of all experiments.",
        totals.memory_bytes);
    put_alarms_head(out);
    for (uint32_t t = 0; t < EXPERIMENT_WATCH_TESTS; t++) {
        fprintf(out, "%s{test=\"%s\"} %" PRIu64 "\n", alarms_name, experiment_watch_test(t),
                totals.total.epochs[t]);
    }
    if (isnan(totals.total.age)) return;
    head(out, "sottod_experiments_age_epochs_max", "gauge",
         "The largest sottod_experiment_age_epochs.");
    fprintf(out, "sottod_experiments_age_epochs_max %.3f\n", totals.total.age);
}

static const struct {
    const char *name, *help;
} refusals[FRONT_REFUSALS] = {
#define REFUSAL_ROW(name, text, help) {"sottod_refused_" text "_total", help},
    FRONT_REFUSAL_MAP(REFUSAL_ROW)
#undef REFUSAL_ROW
};

static front_counts counts_of(const sottod_front *front)
{
    return front != NULL ? front_count(front) : (front_counts){0};
}

/* Buckets are cumulative. */
static void put_latency(FILE *out, const char *port, const char *method, const char *path,
                        const front_latency *latency)
{
    static const char name[] = "sottod_request_seconds";
    char labels[160];
    uint64_t within = 0;
    snprintf(
        labels, sizeof labels, "port=\"%s\",method=\"%s\",route=\"%.*s\"", port, method,
        (int)(strstr(path, "{?") != NULL ? strstr(path, "{?") - path : (ptrdiff_t)strlen(path)),
        path);
    for (uint32_t i = 0; i < LATENCY_STEPS; i++) {
        within += latency->within[i];
        fprintf(out, "%s_bucket{%s,le=\"%s\"} %" PRIu64 "\n", name, labels, latency_step(i),
                within);
    }
    fprintf(out, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels, latency->count);
    fprintf(out, "%s_sum{%s} %.6f\n", name, labels, (double)latency->sum_us / 1e6);
    fprintf(out, "%s_count{%s} %" PRIu64 "\n", name, labels, latency->count);
}

static void put_latencies(FILE *out, const char *port, route_table table,
                          const front_counts *counts)
{
    put_latency(out, port, "any", "other", &counts->latency[0]);
    for (uint32_t i = 0; i < table.count; i++) {
        put_latency(out, port, route_method_name(table.route[i].method), table.route[i].path,
                    &counts->latency[i + 1u]);
    }
}

static void put_fronts(const api_service *service, const route_table *admin_routes, FILE *out)
{
    front_counts people = counts_of(service->public_front);
    front_counts admin = counts_of(service->admin_front);
    put_ports(out, "sottod_requests_total", "counter", "Requests whose head was read.",
              people.requests, admin.requests);
    put_ports(out, "sottod_connections", "gauge", "Open connections.", people.connections,
              admin.connections);
    for (uint32_t i = 0; i < FRONT_REFUSALS; i++) {
        put_ports(out, refusals[i].name, "counter", refusals[i].help, people.refused[i],
                  admin.refused[i]);
    }
    head(out, "sottod_request_seconds", "histogram",
         "Time from the end of a request to the beginning of its answer.");
    put_latencies(out, "public", api_public_routes(), &people);
    put_latencies(out, "admin", *admin_routes, &admin);
}

static void put_build(FILE *out)
{
    static const char build_info[] = "sottod_build_info";
    head(out, build_info, "gauge", "Always 1: the version and the commit of this program.");
    fprintf(out, "%s{version=\"%s\",commit=\"%s\"} 1\n", build_info, sotto_version(),
            sotto_commit());
}

static void put_process(const api_service *service, FILE *out)
{
    uint64_t last_us = 0, commits = journal_commits(service->journal, &last_us);
    uint64_t now_ms = clock_steady_ms();
    put(out, "sottod_acknowledged_since_start_total", "counter",
        "Reports that this process answered with 204.", service->acknowledged);
    put(out, "sottod_refused_key_total", "counter",
        "Requests without the experiment's report key (403).", service->refused_key);
    put(out, "sottod_journal_commits_total", "counter", "Transactions of the journal.", commits);
    put_seconds(out, "sottod_journal_last_commit_seconds", "gauge",
                "Duration of the journal's last commit.", last_us);
    put(out, "sottod_journal_disk_bytes", "gauge", "Size of the journal's files.",
        journal_disk_bytes(service->journal));
    put(out, "sottod_group_commits_total", "counter", "Commits of groups of reports.",
        service->commits);
    put_seconds(out, "sottod_group_commit_seconds_total", "counter",
                "Time spent committing groups of reports.", service->commit_us);
    put_seconds(out, "sottod_fold_seconds_total", "counter",
                "Time spent sorting and folding reports.", service->folded_us);
    put(out, "sottod_publishes_total", "counter", "Models published from a data directory.",
        epochs_published(service->experiments));
    put_seconds(out, "sottod_publish_seconds_total", "counter",
                "Time spent publishing and cleaning up; requests wait meanwhile.",
                service->publish_us);
    put(out, "sottod_publishes_in_backlog_total", "counter",
        "Publishes delayed by epoch_seconds_min, because reports kept coming.",
        epochs_published_in_backlog(service->experiments));
    put_seconds(out, "sottod_uptime_seconds", "gauge", "Time since the start.",
                now_ms > service->started_ms ? (now_ms - service->started_ms) * 1000 : 0);
    put(out, "sottod_ready", "gauge", "1 if /readyz answers 200.",
        !service->stopping && !service->failing);
}

/* For a shared journal. */
static void put_publisher(const api_service *service, FILE *out)
{
    publisher_state publisher = {.holds_lock = false};
    if (service->publisher != NULL) publisher = publisher_look(service->publisher);
    put(out, "sottod_housekeeper", "gauge",
        "1 if this process removes reports of closed and deleted experiments.",
        publisher.holds_lock);
    put(out, "sottod_publisher_experiments", "gauge", "Experiments that this process publishes.",
        publisher.experiments);
    put(out, "sottod_publisher_publishes_total", "counter", "Models published by this process.",
        publisher.publishes);
    put(out, "sottod_publisher_fenced_total", "counter",
        "Models not published because another process was first.", publisher.fenced);
    put_seconds(out, "sottod_publisher_seconds_total", "counter",
                "Time spent reading, folding and publishing.", publisher.fold_us);
    put(out, "sottod_publisher_waiting", "gauge",
        "Durable reports in no model yet, of experiments that this process publishes.",
        publisher.waiting);
    put(out, "sottod_publisher_distinct", "gauge",
        "Of these, reports that count, in epochs that are not due.", publisher.distinct);
}

static void put_stopped(const api_service *service, FILE *out)
{
    static const char name[] = "sottod_experiment_stopped";
    api_stopped stopped;
    stopped_list(service, &stopped);
    head(out, name, "gauge", "1 for each experiment stopped because its rows are damaged.");
    for (uint32_t i = 0; i < stopped.count; i++) {
        fprintf(out, "%s{experiment=\"%s\"} 1\n", name, stopped.id[i]);
    }
}

char *metrics_text(const api_service *service, const route_table *admin_routes,
                   sottod_experiment *one, size_t *bytes)
{
    char *text = NULL;
    *bytes = 0;
    FILE *out = open_memstream(&text, bytes);
    if (out == NULL) return NULL;
    if (one != NULL) {
        put_experiment(service, one, out);
    } else {
        put_totals(service, out);
        put_fronts(service, admin_routes, out);
        put_build(out);
        put_process(service, out);
        if (!journal_publishes_here(service->journal)) {
            put_publisher(service, out);
            put_stopped(service, out);
        }
    }
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
