/* Who may send reports to an experiment: web pages by their origin, devices by a key. The row of the experiment
 * stores it: the first key in its own column, the rest behind the labels. */
#include "inner.h"
#include "service/store/store.h"

#include <stdlib.h>
#include <string.h>

bool experiment_take_access(sottod_experiment *experiment, const journal_experiment *row)
{
    access_text text;
    if (!access_text_read(row->labels, &text)) return false;
    char *labels = strndup(row->labels, text.labels_bytes), *origins = strdup(text.origins);
    if (labels == NULL || origins == NULL) {
        free(labels);
        free(origins);
        return false;
    }
    experiment_life *life = experiment->life;
    experiment_access *access = &life->access;
    free(experiment->labels);
    free(life->origins);
    experiment->labels = labels;
    life->origins = origins;
    *access = (experiment_access){.origins = origins};
    if (row->has_report_key)
        memcpy(access->key[access->keys++], row->report_key, sizeof row->report_key);
    if (text.has_key) memcpy(access->key[access->keys++], text.key, sizeof text.key);
    return true;
}

experiment_access experiment_access_of(const sottod_experiment *experiment)
{
    return experiment->life != NULL ? experiment->life->access : (experiment_access){.origins = ""};
}

char *experiment_access_text(const char *labels, const experiment_access *access)
{
    char behind[ACCESS_TEXT_BYTES];
    if (labels == NULL) labels = "{}";
    size_t bytes = strlen(labels);
    size_t more = access_text_write(access->origins == NULL ? "" : access->origins,
                                    access->keys > 1 ? access->key[1] : NULL, behind);
    char *text = malloc(bytes + more + 1);
    if (text == NULL) return NULL;
    memcpy(text, labels, bytes);
    memcpy(text + bytes, behind, more + 1);
    return text;
}

static bool write_down(sottod_journal *journal, const journal_experiment *row)
{
    return journal_begin(journal) &&
           journal_finish(journal,
                          journal_set_access(journal, row->number, row->labels,
                                             row->has_report_key ? row->report_key : NULL));
}

bool experiment_set_access(sottod_experiments *all, sottod_experiment *experiment,
                           const experiment_access *access, sottod_refusal *why)
{
    journal_experiment row = {.number = experiment->number, .has_report_key = access->keys > 0};
    char *text = experiment_access_text(experiment->labels, access);
    row.labels = text;
    memcpy(row.report_key, access->key[0], sizeof row.report_key);
    bool written = text != NULL && write_down(all->journal, &row);
    /* Without memory for it, the durable setting takes effect at the next start. */
    bool done = written && experiment_take_access(experiment, &row);
    if (text != NULL && !written) {
        refusal_set_lack(why, LACK_JOURNAL, journal_fault(all->journal)->sentence);
    } else if (!done) {
        refusal_set_lack(why, LACK_MEMORY, "The server has too little memory for the change.");
    }
    free(text);
    return done;
}
