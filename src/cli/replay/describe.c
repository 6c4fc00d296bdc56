/* The description of a file: facts in words, or one JSON object. */
#include "cli/print/facts.h"
#include "lab/dataset/fit.h"
#include "lab/dataset/words.h"
#include "lab/text/printable.h"
#include "print.h"

#include <string.h>

static void print_columns(facts *list, const sotto_schema *schema, const sotto__description *d)
{
    fact_natural(list, "columns", d->columns, "that the schema names, of them");
    fact_natural(list, "numbers", d->numbers, "");
    fact_natural(list, "categories", d->categories, "");
    fact_natural(list, "ignored", d->ignored, "");
    if (d->buckets > 0) fact_natural(list, "buckets", d->buckets, "shared by other names");
    fact_natural(list, "context", d->dim,
                 d->dim == 1 ? "number, the constant" : "numbers, the constant among them");
    uint32_t arm_dim = sotto__schema_arm_dim(schema);
    if (arm_dim > 0) {
        fact_natural(list, "arm_features", arm_dim,
                     "numbers of each arm, which shared parameters use");
    }
    fact_text(list, "ranges", sotto__ranges_name(schema),
              schema->from_data ? "taken from people's rows: epsilon does not cover that"
                                : "fixed by the schema");
}

static void print_arms(facts *list, const sotto_schema *schema, const sotto__description *d)
{
    fact_natural(list, "arms", d->arms, "and which share of rows each has");
    if (list->json) fact_vector(list, "shares", d->share, d->arms, "");
    for (uint32_t a = 0; !list->json && a < d->arms; a++) {
        const char *name = sotto_schema_arm_name(schema, a);
        char shown[SOTTO__SHOWN_BYTES];
        printf("  %-20s %.4f\n", sotto__shown(name, strlen(name), shown), d->share[a]);
    }
    if (!d->log) return;
    fact_real(list, "logging_reward", d->logging_reward, "mean reward of the log");
    fact_real(list, "propensity_min", d->propensity_min, "");
    fact_real(list, "clipped_share", d->clipped_share,
              "of events with a propensity below the clip");
}

void replay_print_description(const sotto_schema *schema, const sotto__description *description,
                              double elapsed_s, bool json)
{
    const sotto_dataset_counts *counted = &description->counted;
    facts list = facts_begin(json);
    fact_natural(&list, "rows", counted->rows, "people");
    fact_natural(&list, "bytes", counted->bytes, "");
    print_columns(&list, schema, description);
    fact_natural(&list, "missing", counted->missing, "fields without a value");
    fact_natural(&list, "clipped", counted->clipped, "numbers outside of their range");
    fact_natural(&list, "unknown", counted->unknown, "fields that are no level of their category");
    fact_natural(&list, "unlabelled", counted->unlabelled, "rows without a label, skipped");
    print_arms(&list, schema, description);
    fact_real(&list, "seconds", elapsed_s, "to read it");
    fact_real(&list, "mb_per_second", (double)counted->bytes / 1e6 / elapsed_s, "");
    facts_end(&list);
}
