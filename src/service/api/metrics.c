/* Metrics: rows of two tables, one for each experiment and one for the process. */
#include "metrics.h"

#include "service/experiment/waiting.h"
#include "service/system/clock.h"
#include "stopped.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- of one experiment */

static uint64_t acknowledged(const sottod_experiment *experiment)
{
    journal_counts counts = experiment_counts(experiment);
    return counts.folded + counts.late + counts.duplicate + counts.conflicting;
}

static uint64_t folded(const sottod_experiment *experiment)
{
    return experiment_counts(experiment).folded;
}

static uint64_t late(const sottod_experiment *experiment)
{
    return experiment_counts(experiment).late;
}

static uint64_t duplicate(const sottod_experiment *experiment)
{
    return experiment_counts(experiment).duplicate;
}

static uint64_t conflicting(const sottod_experiment *experiment)
{
    return experiment_counts(experiment).conflicting;
}

static uint64_t epoch(const sottod_experiment *experiment)
{
    return experiment_epoch(experiment);
}

static uint64_t state(const sottod_experiment *experiment)
{
    return experiment_state(experiment);
}

static uint64_t taken(const sottod_experiment *experiment)
{
    return sotto_learner_taken(experiment_learner(experiment));
}

static uint64_t wanted(const sottod_experiment *experiment)
{
    return sotto_learner_wanted(experiment_learner(experiment));
}

static uint64_t memory(const sottod_experiment *experiment)
{
    return experiment_memory_bytes(experiment);
}

static uint64_t held(const sottod_experiment *experiment)
{
    return experiment_watched(experiment).held;
}

static const struct {
    const char *name;
    const char *type;
    const char *help;
    uint64_t (*value)(const sottod_experiment *experiment);
} of_experiment[] = {
    {"sottod_reports_acknowledged_total", "counter",
     "Reports that were taken or skipped: folded + late + duplicate + conflicting.", acknowledged},
    {"sottod_reports_folded_total", "counter", "Reports that were counted.", folded},
    {"sottod_reports_late_total", "counter", "Reports whose epoch was over.", late},
    {"sottod_reports_duplicate_total", "counter", "Reports that came before, the same bytes.",
     duplicate},
    {"sottod_reports_conflicting_total", "counter",
     "Reports whose nonce came before with other bytes.", conflicting},
    {"sottod_experiment_epoch", "gauge", "The epoch that is open.", epoch},
    {"sottod_experiment_state", "gauge", "0 open, 1 paused, 2 closed.", state},
    {"sottod_experiment_taken", "gauge", "Learn reports since the last publish.", taken},
    {"sottod_experiment_wanted", "gauge", "Learn reports that the schedule wants in this epoch.",
     wanted},
    {"sottod_experiment_held", "gauge", "1 if the watch holds its epoch back.", held},
    {"sottod_experiment_memory_bytes", "gauge", "Memory that the experiment holds.", memory},
};

static void put_experiments(const sottod_experiments *all, FILE *out)
{
    uint32_t count = experiments_count(all);
    for (size_t m = 0; m < sizeof of_experiment / sizeof of_experiment[0]; m++) {
        fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", of_experiment[m].name, of_experiment[m].help,
                of_experiment[m].name, of_experiment[m].type);
        for (uint32_t i = 0; i < count; i++) {
            const sottod_experiment *experiment = experiments_at(all, i);
            fprintf(out, "%s{experiment=\"%s\"} %" PRIu64 "\n", of_experiment[m].name,
                    experiment_id_text(experiment), of_experiment[m].value(experiment));
        }
    }
}

/* Of a shared journal the process that folds knows them. */
static void count_alarms(const api_service *service, const sottod_experiment *experiment,
                         uint64_t epochs[EXPERIMENT_WATCH_TESTS])
{
    const experiment_watch watch = experiment_watched(experiment);
    if (service->folder != NULL)
        folder_watched(service->folder, experiment_number(experiment), epochs);
    else
        memcpy(epochs, watch.total, sizeof watch.total);
}

/* Alarms of the watch, one row per test. */
static void put_alarms(const api_service *service, FILE *out)
{
    const sottod_experiments *all = service->experiments;
    uint64_t epochs[EXPERIMENT_WATCH_TESTS];
    static const char name[] = "sottod_watch_alarms_total";
    fprintf(out,
            "# HELP %s Epochs with an alarm of the watch since the start.\n# TYPE %s counter\n",
            name, name);
    for (uint32_t i = 0; i < experiments_count(all); i++) {
        const sottod_experiment *experiment = experiments_at(all, i);
        count_alarms(service, experiment, epochs);
        for (uint32_t t = 0; t < EXPERIMENT_WATCH_TESTS; t++) {
            fprintf(out, "%s{experiment=\"%s\",test=\"%s\"} %" PRIu64 "\n", name,
                    experiment_id_text(experiment), experiment_watch_test(t), epochs[t]);
        }
    }
}

/* Harm where it is known, and what is served. */
static void put_harm(const sottod_experiments *all, FILE *out)
{
    static const char name[] = "sottod_experiment_harm", served[] = "sottod_experiment_served";
    fprintf(out,
            "# HELP %s 1 if the policy is worse than random arms, by measure rounds; absent if "
            "unknown.\n# TYPE %s gauge\n",
            name, name);
    for (uint32_t i = 0; i < experiments_count(all); i++) {
        const sottod_experiment *experiment = experiments_at(all, i);
        const sotto_harm harm = experiment_harm(experiment);
        if (harm.verdict == SOTTO_HARM_UNKNOWN) continue;
        fprintf(out, "%s{experiment=\"%s\"} %d\n", name, experiment_id_text(experiment),
                harm.verdict == SOTTO_HARM_YES);
    }
    fprintf(out, "# HELP %s 1 if learn rounds are served the fallback.\n# TYPE %s gauge\n", served,
            served);
    for (uint32_t i = 0; i < experiments_count(all); i++) {
        const sottod_experiment *experiment = experiments_at(all, i);
        fprintf(out, "%s{experiment=\"%s\"} %d\n", served, experiment_id_text(experiment),
                experiment_harm(experiment).served_epoch > 0);
    }
}

/* Where it is known. */
static void put_waiting(const sottod_experiments *all, FILE *out)
{
    static const char name[] = "sottod_experiment_waiting";
    fprintf(out, "# HELP %s Reports that were accepted and are in no model yet.\n# TYPE %s gauge\n",
            name, name);
    for (uint32_t i = 0; i < experiments_count(all); i++) {
        uint64_t reports;
        const sottod_experiment *experiment = experiments_at(all, i);
        if (!waiting_reports(experiment, &reports)) continue;
        fprintf(out, "%s{experiment=\"%s\"} %" PRIu64 "\n", name, experiment_id_text(experiment),
                reports);
    }
}

/* Where a publish was since the start. Of a shared journal the process that folds knows it. */
static void put_ages(const api_service *service, FILE *out)
{
    static const char name[] = "sottod_experiment_age_epochs";
    fprintf(out,
            "# HELP %s Mean age of the learn reports in the last model, in epochs.\n# TYPE %s "
            "gauge\n",
            name, name);
    for (uint32_t i = 0; i < experiments_count(service->experiments); i++) {
        const sottod_experiment *experiment = experiments_at(service->experiments, i);
        double age = service->folder == NULL
                         ? experiment_age(experiment)
                         : folder_age(service->folder, experiment_number(experiment));
        if (isnan(age)) continue;
        fprintf(out, "%s{experiment=\"%s\"} %.3f\n", name, experiment_id_text(experiment), age);
    }
}

/* ---- of the process */

static void head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

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

/* One number of both ports. */
static void put_ports(FILE *out, const char *name, const char *type, const char *help,
                      uint64_t of_public, uint64_t of_admin)
{
    head(out, name, type, help);
    fprintf(out, "%s{port=\"public\"} %" PRIu64 "\n%s{port=\"admin\"} %" PRIu64 "\n", name,
            of_public, name, of_admin);
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

static void put_fronts(const api_service *service, FILE *out)
{
    front_counts people = counts_of(service->public_front);
    front_counts admin = counts_of(service->admin_front);
    put_ports(out, "sottod_requests_total", "counter", "Requests whose head was read.",
              people.requests, admin.requests);
    put_ports(out, "sottod_connections", "gauge", "Connections that are open.", people.connections,
              admin.connections);
    for (uint32_t i = 0; i < FRONT_REFUSALS; i++) {
        put_ports(out, refusals[i].name, "counter", refusals[i].help, people.refused[i],
                  admin.refused[i]);
    }
}

static void put_process(const api_service *service, FILE *out)
{
    uint64_t last_us = 0, commits = journal_commits(service->journal, &last_us);
    uint64_t now_ms = clock_steady_ms();
    put(out, "sottod_experiments", "gauge", "Experiments that are not deleted.",
        experiments_count(service->experiments));
    put(out, "sottod_acknowledged_since_start_total", "counter",
        "Reports in bodies that were answered 204, counted where they are answered.",
        service->acknowledged);
    put(out, "sottod_refused_key_total", "counter",
        "Requests without the key of their experiment (403).", service->refused_key);
    put(out, "sottod_journal_commits_total", "counter", "Transactions of the journal.", commits);
    put_seconds(out, "sottod_journal_last_commit_seconds", "gauge",
                "How long the journal's last commit took.", last_us);
    put(out, "sottod_journal_disk_bytes", "gauge", "Bytes of the journal's files.",
        journal_disk_bytes(service->journal));
    put(out, "sottod_group_commits_total", "counter", "Commits of groups of reports.",
        service->commits);
    put_seconds(out, "sottod_group_commit_seconds_total", "counter",
                "Time spent in commits of groups of reports.", service->commit_us);
    put_seconds(out, "sottod_fold_seconds_total", "counter", "Time spent in folding reports.",
                service->folded_us);
    put(out, "sottod_publishes_total", "counter", "Models published since the start.",
        epochs_published(service->experiments));
    put_seconds(out, "sottod_publish_seconds_total", "counter",
                "Time spent in publishing, and in keeping house after it.", service->publish_us);
    put(out, "sottod_publishes_in_backlog_total", "counter",
        "Of them, with reports still waiting in this process.",
        epochs_published_in_backlog(service->experiments));
    put_seconds(out, "sottod_uptime_seconds", "gauge", "Time since the start.",
                now_ms > service->started_ms ? (now_ms - service->started_ms) * 1000 : 0);
    put(out, "sottod_ready", "gauge", "1 if /readyz says so.",
        !service->stopping && !service->failing);
}

/* Of a journal that several processes share. */
static void put_folder(const api_service *service, FILE *out)
{
    if (!journal_is_shared(service->journal)) return;
    folder_state folder = {.holds_lock = false};
    if (service->folder != NULL) folder = folder_look(service->folder);
    put(out, "sottod_folds", "gauge", "1 if this process is the folder of the shared journal.",
        folder.holds_lock);
    put(out, "sottod_folder_publishes_total", "counter",
        "Models that the folder in this process published.", folder.publishes);
    put(out, "sottod_folder_fenced_total", "counter",
        "Models that another folder had published before.", folder.fenced);
    put_seconds(out, "sottod_folder_seconds_total", "counter",
                "Time that the folder in this process spent in folding and publishing.",
                folder.fold_us);
    put(out, "sottod_folder_waiting", "gauge",
        "Reports that are durable and in no model yet, if this process is the folder.",
        folder.waiting);
}

static void put_stopped(const api_service *service, FILE *out)
{
    static const char name[] = "sottod_experiment_stopped";
    api_stopped stopped;
    if (!journal_is_shared(service->journal)) return;
    stopped_list(service, &stopped);
    head(out, name, "gauge",
         "1 for each experiment that is stopped because the journal is damaged there.");
    for (uint32_t i = 0; i < stopped.count; i++) {
        fprintf(out, "%s{experiment=\"%s\"} 1\n", name, stopped.id[i]);
    }
}

char *metrics_text(const api_service *service, size_t *bytes)
{
    char *text = NULL;
    *bytes = 0;
    FILE *out = open_memstream(&text, bytes);
    if (out == NULL) return NULL;
    put_experiments(service->experiments, out);
    put_alarms(service, out);
    put_harm(service->experiments, out);
    waiting_ask_all(service->experiments, clock_steady_ms());
    put_waiting(service->experiments, out);
    put_ages(service, out);
    put_fronts(service, out);
    put_process(service, out);
    put_folder(service, out);
    put_stopped(service, out);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
