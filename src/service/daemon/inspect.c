/* sottod inspect: what is in the folder, in words. */
#include "commands.h"
#include "service/journal/journal.h"
#include "service/system/spec_id.h"

#include <sotto/server.h>

#include <stdlib.h>
#include <string.h>

typedef struct looking {
    sottod_journal *journal;
    uint32_t experiments;
    /* Of the experiment at hand. */
    sotto_terms terms;
    bool has_terms;
    uint32_t epoch;
    uint64_t rows, seq_first, seq_last, snapshot_seq;
    journal_counts counts;
} looking;

static bool take_snapshot(void *self, const journal_snapshot *snapshot)
{
    looking *look = self;
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
    looking *look = self;
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

static void print_experiment(const looking *look, const journal_experiment *e)
{
    const journal_counts *counts = &look->counts;
    char id[SPEC_ID_TEXT_BYTES];
    spec_id_print(e->id, id);
    printf("%s  %s\n", id, journal_state_name(e->state));
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
    printf("  rows       %llu", (unsigned long long)look->rows);
    if (look->rows > 0)
        printf(", %llu to %llu", (unsigned long long)look->seq_first,
               (unsigned long long)look->seq_last);
    printf("; the snapshot is of row %llu\n", (unsigned long long)look->snapshot_seq);
}

static bool take_experiment(void *self, const journal_experiment *e)
{
    looking *look = self;
    bool found;
    *look = (looking){.journal = look->journal, .experiments = look->experiments + 1};
    look->has_terms = e->state != JOURNAL_DELETED &&
                      sotto_terms_decode(e->terms.at, e->terms.bytes, &look->terms) == SOTTO_OK;
    if (look->has_terms &&
        (!journal_read_snapshot(look->journal, e->number, take_snapshot, look, &found) ||
         !journal_read_rows(look->journal, e->number, 0, take_row, look)))
        return false;
    print_experiment(look, e);
    return true;
}

int folder_inspect(const sottod_config *config)
{
    char fault[JOURNAL_FAULT_BYTES];
    looking look = {.journal = NULL};
    const journal_settings settings = {.folder = config->data, .read_only = true};
    if (!journal_open(&settings, &look.journal, fault)) {
        fprintf(stderr, "sottod: %s\n", fault);
        return 1;
    }
    bool fine = journal_read_experiments(look.journal, take_experiment, &look);
    if (fine) {
        printf("%s: %u experiment%s, last row %llu, %llu bytes; every digest is right\n",
               config->data, look.experiments, look.experiments == 1 ? "" : "s",
               (unsigned long long)journal_last(look.journal),
               (unsigned long long)journal_disk_bytes(look.journal));
    } else {
        fprintf(stderr, "sottod: %s\n", journal_fault(look.journal));
    }
    journal_close(look.journal);
    return fine ? 0 : 1;
}
