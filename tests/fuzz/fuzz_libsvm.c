/* Whatever the bytes: refused with a reason, or rows whose contexts are no longer than 1. */
#include "lab/dataset/dataset.h"
#include "memory_file.h"
#include "specs.h"
#include "why.h"

#include <math.h>
#include <string.h>

static char *arms[] = {"1", "-1"};
static char *missing[] = {"?"};

static void check_rows(const sotto_people *people)
{
    for (uint32_t i = 0; i < people->rows; i++) {
        double squares = 0;
        for (uint32_t k = 0; k < people->dim; k++) {
            double x = people->context[i * people->dim + k];
            squares += x * x;
        }
        fuzz_require(squares <= 1 && people->arm[i] < 2);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sotto_people *people;
    sotto__column column[] = {
        {.name = "y", .kind = SOTTO__COLUMN_LABEL, .levels_count = 2, .level = arms},
        {.name = "1", .kind = SOTTO__COLUMN_NUMBER, .lo = -1, .hi = 1},
        {.name = "2", .kind = SOTTO__COLUMN_NUMBER, .lo = 0, .hi = 1e300, .log = true},
        {.name = "7", .kind = SOTTO__COLUMN_NUMBER, .lo = 5, .hi = 6},
    };
    sotto_schema schema = {.format = SOTTO_DATASET_LIBSVM,
                           .unit = size % 2 == 0,
                           .others = true,
                           .missing_count = 1,
                           .missing = missing,
                           .columns_count = 4,
                           .column = column};
    char path[MEMORY_PATH_BYTES];
    sotto_dataset *dataset;
    if (people == NULL) fuzz_require(sotto_people_new(4, &people) == SOTTO_OK);
    int fd = memory_file(data, size, path);
    fuzz_require(WHY(sotto_dataset_open, &schema, path, &dataset) == NULL);
    const char *said = WHY(sotto_dataset_next, dataset, people);
    fuzz_require(said == NULL || (said == why_fault.sentence && said[0] != '\0'));
    check_rows(people);
    sotto_dataset_close(dataset);
    close(fd);
    return 0;
}
