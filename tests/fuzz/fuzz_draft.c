/*
 * Whatever file a schema is drafted from: refused with a reason, or a schema that is written as it is read, and under
 * which the very same file can be read to its end, unless a chance or a reward of a log is none. The first byte says
 * what is known beforehand.
 */
#include "lab/dataset/dataset.h"
#include "memory_file.h"
#include "schema_text.h"
#include "why.h"

#include <string.h>

static const char *const ignored[] = {"c", "3"};

static sotto_draft draft_of(uint8_t known)
{
    static const char *const label[] = {"y", "1", "2", "label"};
    sotto_draft draft = sotto_draft_default();
    draft.format = known % 8 == 7 ? SOTTO_DATASET_LIBSVM : SOTTO_DATASET_CSV;
    draft.header = (sotto_draft_header)(known % 3);
    draft.separator = ",;\t| "[known % 5];
    if (known & 8) draft.separator = '\0';
    draft.decimal = known & 8 ? '\0' : known & 4 ? ',' : '.';
    draft.label = label[known >> 4 & 3];
    if (draft.format == SOTTO_DATASET_CSV && known & 64) {
        draft.action = draft.label;
        draft.label = NULL;
        draft.reward = "r";
        draft.constant_propensity = known & 128 ? 0.5 : 0;
        if (!(known & 128)) draft.propensity = "p";
    } else if (known & 128) {
        draft.ignored = ignored + (known & 1);
        draft.ignored_count = 1;
    }
    return draft;
}

/* Without notes, which whoever reads a schema skips. */
static size_t drop_notes(char *text, size_t bytes)
{
    size_t kept = 0;
    for (size_t at = 0; at < bytes;) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t line = end == NULL ? bytes - at : (size_t)(end - (text + at)) + 1;
        bool note = text[at] == '#';
        if (!note) memmove(text + kept, text + at, line);
        kept += note ? 0 : line;
        at += line;
    }
    return kept;
}

static void check_text(const sotto_schema *schema)
{
    char path[MEMORY_PATH_BYTES];
    sotto_schema again;
    size_t bytes, again_bytes;
    char *text = schema_text(schema, &bytes);
    int fd = memory_file((const uint8_t *)text, bytes, path);
    fuzz_require(WHY(sotto__schema_read, path, &again) == NULL);
    close(fd);
    char *text_again = schema_text(&again, &again_bytes);
    bytes = drop_notes(text, bytes);
    again_bytes = drop_notes(text_again, again_bytes);
    fuzz_require(again_bytes == bytes && memcmp(text, text_again, bytes) == 0);
    free(text_again);
    free(text);
    sotto__schema_free(&again);
}

/* Chances, and rewards that are missing, are looked at when they are read, and no sooner. */
static void read_all(const sotto_schema *schema, const char *path, bool is_log)
{
    static sotto_people *people[SOTTO_DIM_MAX + 1];
    sotto_dataset *dataset;
    uint32_t dim = sotto_schema_dim(schema);
    fuzz_require(dim > 1 && dim <= SOTTO_DIM_MAX);
    if (people[dim] == NULL) fuzz_require(sotto_people_new(dim, &people[dim]) == SOTTO_OK);
    fuzz_require(WHY(sotto_dataset_open, schema, path, &dataset) == NULL);
    for (people[dim]->rows = 1; people[dim]->rows > 0;) {
        const char *said = WHY(sotto_dataset_next, dataset, people[dim]);
        fuzz_require(said == NULL || (is_log && said == why_fault.sentence && said[0] != '\0'));
        for (uint32_t i = 0; i < people[dim]->rows; i++) {
            fuzz_require(people[dim]->arm[i] < sotto_schema_arms(schema));
        }
        if (said != NULL) break;
    }
    sotto_dataset_close(dataset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[MEMORY_PATH_BYTES];
    sotto_schema schema;
    if (size < 1) return 0;
    const sotto_draft draft = draft_of(data[0]);
    int fd = memory_file(data + 1, size - 1, path);
    const char *said = WHY(sotto__schema_draft, &draft, path, &schema);
    fuzz_require(said == NULL ||
                 (said == why_fault.sentence && said[0] != '\0' && schema.column == NULL));
    if (said == NULL) {
        fuzz_require(schema.from_data && WHY(sotto__schema_fault, &schema) == NULL);
        check_text(&schema);
        read_all(&schema, path, draft.action != NULL);
        sotto__schema_free(&schema);
    }
    close(fd);
    return 0;
}
