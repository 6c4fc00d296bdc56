/* sottod inspect: describes the content of the directory. */
#include "inner.h"
#include "service/store/store.h"
#include "service/system/system.h"

#include <sotto/server.h>

#include <stdlib.h>
#include <string.h>

typedef struct inspection {
    sottod_journal *journal;
    uint32_t experiments, damaged;
    /* of the current experiment */
    sotto_terms terms;
    bool has_terms;
    uint32_t epoch;
    bool has_rows; /* rows can be read */
    uint64_t rows, seq_first, seq_last, snapshot_seq;
    journal_counts counts;
} inspection;

static bool take_snapshot(void *self, const journal_snapshot *snapshot)
{
    inspection *look = self;
    sotto_learner *learner = NULL;
    look->snapshot_seq = snapshot->seq;
    look->counts = snapshot->counts;
    sotto_status status =
        sotto_learner_decode(&look->terms, snapshot->learner.at, snapshot->learner.bytes, &learner);
    if (status == SOTTO_OK) look->epoch = sotto_learner_model(learner)->epoch;
    sotto_learner_free(learner);
    return true;
}

static bool take_row(void *self, const journal_row *row)
{
    inspection *look = self;
    if (look->rows++ == 0) look->seq_first = row->seq;
    look->seq_last = row->seq;
    if (row->seq <= look->snapshot_seq) return true;
    if (row->kind != JOURNAL_REPORTS) look->epoch = row->epoch;
    look->counts.folded += row->frames.bytes / sotto_report_bytes(&look->terms);
    look->counts.late += row->late;
    look->counts.duplicate += row->duplicate;
    look->counts.conflicting += row->conflicting;
    return true;
}

static void print_experiment(const inspection *look, const journal_experiment *e)
{
    const journal_counts *counts = &look->counts;
    char id[SPEC_ID_TEXT_BYTES];
    spec_id_print(e->id, id);
    printf("%s  %s\n", id, e->damaged ? "damaged" : journal_state_name(e->state));
    if (!look->has_terms) return;
    const sotto_spec *spec = &look->terms.spec;
    printf("  terms      %s, %s parameters, dim %u, %u arms, epsilon %g, series %u\n",
           sotto_method_name(spec->method), sotto_parameters_name(spec->parameters), spec->dim,
           spec->arms, spec->epsilon, spec->series);
    printf("  epoch      %u\n", look->epoch);
    printf("  reports    %llu acknowledged = %llu folded + %llu late + %llu duplicate + %llu "
           "conflicting\n",
           (unsigned long long)(counts->folded + counts->late + counts->duplicate +
                                counts->conflicting),
           (unsigned long long)counts->folded, (unsigned long long)counts->late,
           (unsigned long long)counts->duplicate, (unsigned long long)counts->conflicting);
    if (!look->has_rows) return;
    printf("  rows       %llu", (unsigned long long)look->rows);
    if (look->rows > 0)
        printf(", %llu to %llu", (unsigned long long)look->seq_first,
               (unsigned long long)look->seq_last);
    printf("; the snapshot is of row %llu\n", (unsigned long long)look->snapshot_seq);
}

/* Experiments are read first, then the details of each: a journal may not be able to do both at once. */
typedef struct listed {
    journal_experiment experiment; /* with its terms below; the rest is not kept */
    uint8_t terms[SOTTO_TERMS_BYTES];
} listed;

typedef struct experiment_list {
    listed *at;
    uint32_t count;
} experiment_list;

static bool take_experiment(void *self, const journal_experiment *e)
{
    experiment_list *all = self;
    listed *grown = realloc(all->at, (all->count + 1) * sizeof *grown);
    if (grown == NULL) return false;
    all->at = grown;
    listed *one = &all->at[all->count++];
    one->experiment = *e;
    if (e->terms.bytes > sizeof one->terms) one->experiment.terms.bytes = 0;
    if (one->experiment.terms.bytes > 0) memcpy(one->terms, e->terms.at, e->terms.bytes);
    return true;
}

static bool look_at(inspection *look, const listed *one)
{
    bool found;
    const journal_experiment *e = &one->experiment;
    *look = (inspection){.journal = look->journal,
                         .experiments = look->experiments + 1,
                         .has_rows = look->has_rows,
                         .damaged = look->damaged + e->damaged};
    look->has_terms = e->state != JOURNAL_DELETED && !e->damaged &&
                      sotto_terms_decode(one->terms, e->terms.bytes, &look->terms) == SOTTO_OK;
    if (look->has_terms &&
        (!journal_read_snapshot(look->journal, e->number, take_snapshot, look, &found) ||
         (look->has_rows && !journal_read_rows(look->journal, e->number, 0, take_row, look))))
        return false;
    print_experiment(look, e);
    return true;
}

static bool look_at_all(inspection *look)
{
    experiment_list all = {.count = 0};
    bool fine = journal_read_experiments(look->journal, take_experiment, &all);
    for (uint32_t i = 0; fine && i < all.count; i++) {
        fine = look_at(look, &all.at[i]);
    }
    free(all.at);
    return fine;
}

static void print_sum(const sottod_config *config, const inspection *look)
{
    char place[CONFIG_TEXT_BYTES];
    const char *plural = look->experiments == 1 ? "" : "s";
    if (!look->has_rows) {
        config_hide_password(config->journal, place);
        printf("%s: %u experiment%s, as of the last publish of each\n", place, look->experiments,
               plural);
        return;
    }
    printf("%s: %u experiment%s, last row %llu, %llu bytes; all digests are correct\n",
           config->data, look->experiments, plural, (unsigned long long)journal_last(look->journal),
           (unsigned long long)journal_disk_bytes(look->journal));
}

int directory_inspect(const sottod_config *config)
{
    sotto_fault fault;
    inspection look = {.journal = NULL};
    if (daemon_open_journal(config, true, &look.journal, &fault) != SOTTO_OK) {
        fprintf(stderr, "sottod: %s\n", fault.sentence);
        return 1;
    }
    look.has_rows = journal_publishes_here(look.journal);
    bool fine = look_at_all(&look);
    if (fine) {
        print_sum(config, &look);
    } else {
        fprintf(stderr, "sottod: %s\n", journal_fault(look.journal)->sentence);
    }
    if (fine && look.damaged > 0)
        fprintf(stderr,
                "sottod: %u of the experiments are damaged; restore their rows from a copy\n",
                look.damaged);
    journal_close(look.journal);
    return fine && look.damaged == 0 ? 0 : 1;
}
