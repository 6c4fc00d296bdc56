/* Whatever the bytes: refused with a reason, or rows whose contexts are no longer than 1. The size says
 * which schema reads them: labels, a log, or blocks of lines. */
#include "lab/dataset/dataset.h"
#include "memory_file.h"
#include "specs.h"
#include "why.h"

#include <string.h>

static char *arms[] = {"1", "2"};
static char *levels[] = {"p", "q"};
static char *missing[] = {"?"};

#define FEATURES                                                                                   \
    {.name = "x", .kind = SOTTO__COLUMN_NUMBER, .lo = -1, .hi = 1},                                \
        {.name = "u^x", .kind = SOTTO__COLUMN_NUMBER, .lo = 0, .hi = 1e300, .log = true},          \
        {.name = "u^k", .kind = SOTTO__COLUMN_CATEGORY, .levels_count = 2, .level = levels},       \
        {.name = "i", .kind = SOTTO__COLUMN_IGNORE},                                               \
        {.name = "bucket 1", .kind = SOTTO__COLUMN_NUMBER, .bucket = true, .lo = -1, .hi = 1},     \
    {                                                                                              \
        .name = "bucket 2", .kind = SOTTO__COLUMN_NUMBER, .bucket = true, .lo = -1, .hi = 1        \
    }
#define FEATURES_COUNT 6u
#define DIM 7u

static void check_rows(const sotto_people *people)
{
    for (uint32_t i = 0; i < people->rows; i++) {
        double squares = 0;
        for (uint32_t k = 0; k < people->dim; k++) {
            double x = people->context[i * people->dim + k];
            squares += x * x;
        }
        fuzz_require(squares <= 1 && people->arm[i] < 2);
        fuzz_require(people->reward[i] >= -2 && people->reward[i] <= 2);
        fuzz_require(people->propensity[i] > 0 && people->propensity[i] <= 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sotto_people *people;
    sotto__column label[] = {
        FEATURES, {.name = "y", .kind = SOTTO__COLUMN_LABEL, .levels_count = 2, .level = arms}};
    sotto__column log[] = {
        FEATURES,
        {.name = "y", .kind = SOTTO__COLUMN_ACTION, .levels_count = 2, .level = arms},
        {.name = "r", .kind = SOTTO__COLUMN_REWARD, .lo = -2, .hi = 2},
        {.name = "p", .kind = SOTTO__COLUMN_PROPENSITY}};
    bool labels = size % 3 == 0;
    sotto_schema schema = {.format = size % 3 == 2 ? SOTTO_DATASET_VW_ADF : SOTTO_DATASET_VW,
                           .unit = size % 2 == 0,
                           .others = size % 4 < 2,
                           .numbered = size % 5 < 2,
                           .missing_count = 1,
                           .missing = missing,
                           .hash = size % 7 == 0 ? 0 : 2,
                           .columns_count = FEATURES_COUNT + (labels ? 1 : 3),
                           .column = labels ? label : log};
    char path[MEMORY_PATH_BYTES];
    sotto_dataset *dataset;
    if (people == NULL) fuzz_require(sotto_people_new(DIM, &people) == SOTTO_OK);
    int fd = memory_file(data, size, path);
    fuzz_require(WHY(sotto_dataset_open, &schema, path, &dataset) == NULL);
    const char *said = WHY(sotto_dataset_next, dataset, people);
    fuzz_require(said == NULL || (said == why_fault.sentence && said[0] != '\0'));
    check_rows(people);
    sotto_dataset_close(dataset);
    close(fd);
    return 0;
}
