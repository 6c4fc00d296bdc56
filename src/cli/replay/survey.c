/* One look at a file. */
#include "survey.h"
#include "cli/print/facts.h"
#include "cli/print/progress.h"
#include "lab/dataset/fit.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PROGRAM "sotto replay"

static uint64_t bytes_of(const char *path)
{
    struct stat status;
    bool file = strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
    return file ? (uint64_t)status.st_size : 0;
}

static const char *read_all(sotto__yardstick *yardstick, sotto__dataset *dataset,
                            sotto__people *people, uint64_t people_max, progress *bar, char *fault)
{
    do {
        const char *wrong = sotto__dataset_next(dataset, people, fault);
        if (wrong != NULL) return wrong;
        sotto__yardstick_add(yardstick, people);
        progress_show(bar, sotto__dataset_counted(dataset)->bytes);
    } while (people->rows > 0 && yardstick->rows < people_max);
    return NULL;
}

int replay_survey(const replay_options *s, const sotto__schema *schema, sotto__dataset *dataset,
                  uint64_t people_max, sotto__yardstick **out)
{
    char fault[SOTTO__DATASET_FAULT_BYTES];
    const char *wrong = NULL;
    sotto__people *people = NULL;
    sotto_status status = sotto__yardstick_new(sotto__schema_arms(schema), s->clip, out);
    if (status == SOTTO_OK) status = sotto__people_new(sotto__schema_dim(schema), &people);
    if (status == SOTTO_OK) {
        progress bar = progress_begin("bytes", bytes_of(s->data), s->quiet);
        wrong = read_all(*out, dataset, people, people_max, &bar, fault);
        progress_end(&bar);
    } else {
        wrong = sotto_status_text(status);
    }
    sotto__people_free(people);
    if (wrong == NULL) return EXIT_OK;
    fprintf(stderr, PROGRAM ": %s\n", wrong);
    sotto__yardstick_free(*out);
    *out = NULL;
    return EXIT_FAILED;
}

/* ---- the description ---------------------------------------------------------------------- */

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static void print_columns(facts *list, const sotto__schema *schema)
{
    static const struct {
        sotto__column_kind kind;
        const char *name;
    } kinds[] = {
        {SOTTO__COLUMN_NUMBER, "numbers"},
        {SOTTO__COLUMN_CATEGORY, "categories"},
        {SOTTO__COLUMN_IGNORE, "ignored"},
    };
    fact_natural(list, "columns", schema->columns_count, "that the schema names, of them");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        uint64_t count = 0;
        for (uint32_t i = 0; i < schema->columns_count; i++) {
            if (schema->column[i].kind == kinds[k].kind) count++;
        }
        fact_natural(list, kinds[k].name, count, "");
    }
    uint32_t dim = sotto__schema_dim(schema);
    fact_natural(list, "context", dim,
                 dim == 1 ? "number, the constant" : "numbers, the constant among them");
    fact_text(list, "ranges", replay_ranges(schema),
              schema->from_data ? "taken from people's rows: epsilon does not cover that"
                                : "fixed by the schema");
}

static void print_arms(facts *list, const sotto__schema *schema, const sotto__yardstick *yardstick,
                       double *share)
{
    double rows = (double)yardstick->rows;
    for (uint32_t a = 0; a < yardstick->arms; a++) {
        share[a] = (double)yardstick->arm_count[a] / rows;
    }
    if (list->json) fact_vector(list, "shares", share, yardstick->arms, "");
    for (uint32_t a = 0; !list->json && a < yardstick->arms; a++) {
        const char *name = sotto__schema_arm_name(schema, a);
        char shown[SOTTO__SHOWN_BYTES];
        printf("  %-20s %.4f\n", sotto__shown(name, strlen(name), shown), share[a]);
    }
    if (!sotto__schema_is_log(schema)) return;
    sotto__estimate value = sotto__off_policy_value(&yardstick->logging, yardstick->rows);
    fact_real(list, "logging_reward", value.value, "mean reward of the log");
    fact_real(list, "propensity_min", yardstick->propensity_min, "");
    fact_real(list, "clipped_share", (double)yardstick->clipped / rows,
              "of events with a propensity below the clip");
}

int replay_describe(const replay_options *s, const sotto__schema *schema, sotto__dataset *dataset)
{
    struct timespec start;
    sotto__yardstick *yardstick;
    clock_gettime(CLOCK_MONOTONIC, &start);
    int code = replay_survey(s, schema, dataset, UINT64_MAX, &yardstick);
    if (code != EXIT_OK) return code;
    double elapsed_s = seconds_since(&start);
    const sotto__dataset_counts *counted = sotto__dataset_counted(dataset);
    double *share = calloc(yardstick->arms, sizeof *share);
    if (share == NULL) {
        fprintf(stderr, PROGRAM ": %s\n", sotto_status_text(SOTTO_E_MEMORY));
        sotto__yardstick_free(yardstick);
        return EXIT_FAILED;
    }
    facts list = facts_begin(s->json);
    fact_natural(&list, "rows", counted->rows, "people");
    fact_natural(&list, "bytes", counted->bytes, "");
    print_columns(&list, schema);
    fact_natural(&list, "missing", counted->missing, "fields without a value");
    fact_natural(&list, "clipped", counted->clipped, "numbers outside of their range");
    fact_natural(&list, "unknown", counted->unknown, "fields that are no level of their category");
    fact_natural(&list, "unlabelled", counted->unlabelled, "rows without a label, skipped");
    fact_natural(&list, "arms", yardstick->arms, "and which share of rows each has");
    print_arms(&list, schema, yardstick, share);
    fact_real(&list, "seconds", elapsed_s, "to read it");
    fact_real(&list, "mb_per_second", (double)counted->bytes / 1e6 / elapsed_s, "");
    facts_end(&list);
    free(share);
    sotto__yardstick_free(yardstick);
    return EXIT_OK;
}
