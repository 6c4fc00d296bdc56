/* Whatever the bytes of a CSV file that is read: written as VW text, it is read as the same people. */
#include "lab/dataset/dataset.h"
#include "memory_file.h"
#include "specs.h"
#include "why.h"

#include <stdlib.h>
#include <string.h>

static char *arms[] = {"1", "0", "a b"};
static char *levels[] = {"u", "v|w", ""};
static char *missing[] = {"?", "-1"};

#define DIM 6u /* of the numbers, the levels and the constant */

/* The first people of a file; NULL if it is refused. */
static sotto_people *people_of(const sotto_schema *schema, const char *path)
{
    sotto_dataset *dataset;
    sotto_people *people;
    fuzz_require(sotto_people_new(DIM, &people) == SOTTO_OK);
    const char *said = WHY(sotto_dataset_open, schema, path, &dataset);
    if (said == NULL) said = WHY(sotto_dataset_next, dataset, people);
    sotto_dataset_close(dataset);
    if (said == NULL) return people;
    sotto_people_free(people);
    return NULL;
}

static void write_both(const sotto_schema *schema, const char *path, char **text,
                       size_t *text_bytes, char **lines, size_t *lines_bytes)
{
    uint64_t count;
    sotto_dataset *dataset;
    FILE *file = open_memstream(text, text_bytes),
         *schema_file = open_memstream(lines, lines_bytes);
    fuzz_require(file != NULL && schema_file != NULL);
    fuzz_require(WHY(sotto_dataset_open, schema, path, &dataset) == NULL);
    fuzz_require(WHY(sotto__vw_write, schema, dataset, file, schema_file, &count) == NULL);
    sotto_dataset_close(dataset);
    fclose(file);
    fclose(schema_file);
}

static void require_same(const sotto_people *one, const sotto_people *two)
{
    size_t rows = one->rows;
    fuzz_require(two != NULL && two->rows == one->rows && two->dim == one->dim);
    fuzz_require(memcmp(one->context, two->context, rows * DIM * sizeof(double)) == 0);
    fuzz_require(memcmp(one->arm, two->arm, rows * sizeof one->arm[0]) == 0);
    for (size_t i = 0; i < rows; i++) {
        fuzz_require(one->reward[i] == two->reward[i]); /* where one is -0, the other is 0 */
    }
    fuzz_require(memcmp(one->propensity, two->propensity, rows * sizeof(double)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sotto__column column[] = {
        {.name = "x y", .kind = SOTTO__COLUMN_NUMBER, .lo = -1, .hi = 1},
        {.name = "z", .kind = SOTTO__COLUMN_NUMBER, .lo = 0, .hi = 1e300, .log = true},
        {.name = "k", .kind = SOTTO__COLUMN_CATEGORY, .levels_count = 3, .level = levels},
        {.name = "a", .kind = SOTTO__COLUMN_ACTION, .levels_count = 3, .level = arms},
        {.name = "r", .kind = SOTTO__COLUMN_REWARD, .lo = -2, .hi = 2},
        {.name = "p", .kind = SOTTO__COLUMN_PROPENSITY},
    };
    sotto_schema schema = {.separator = size % 2 == 0 ? ',' : ';',
                           .decimal_comma = size % 2 == 1,
                           .header = true,
                           .unit = size % 3 == 0,
                           .others = true,
                           .missing_count = 2,
                           .missing = missing,
                           .columns_count = 6,
                           .column = column};
    char path[MEMORY_PATH_BYTES], *text, *lines;
    size_t text_bytes, lines_bytes;
    sotto_schema back;
    int fd = memory_file(data, size, path);
    sotto_people *people = people_of(&schema, path);
    if (people == NULL) {
        close(fd);
        return 0;
    }
    write_both(&schema, path, &text, &text_bytes, &lines, &lines_bytes);
    close(fd);
    fd = memory_file((const uint8_t *)lines, lines_bytes, path);
    fuzz_require(WHY(sotto__schema_read, path, &back) == NULL);
    close(fd);
    fd = memory_file((const uint8_t *)text, text_bytes, path);
    sotto_people *again = people_of(&back, path);
    close(fd);
    require_same(people, again);
    sotto_people_free(people);
    sotto_people_free(again);
    sotto__schema_free(&back);
    free(text);
    free(lines);
    return 0;
}
