/* Whatever the bytes of the files beside a schema: refused with a reason, or rewards in their range and
 * features of arms no longer than 1. */
#include "lab/dataset/inner.h"
#include "memory_file.h"
#include "specs.h"
#include "why.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARMS 2u
static char *arms[] = {"a", "b"};
static char *levels[] = {"u", "v"};

static void try_rewards(sotto_schema schema, char *path, bool ranged)
{
    schema.rewards_file = path;
    schema.rewards_ranged = ranged;
    schema.rewards_lo = -5;
    schema.rewards_hi = 5;
    const char *said = WHY(sotto__rewards_read, &schema);
    fuzz_require(said == NULL || (said == why_fault.sentence && said[0] != '\0'));
    for (uint32_t i = 0; said == NULL && i < ARMS * ARMS; i++) {
        fuzz_require(schema.rewards[i] >= schema.rewards_lo);
        fuzz_require(schema.rewards[i] <= schema.rewards_hi);
    }
    fuzz_require(said != NULL || isfinite(schema.rewards_hi - schema.rewards_lo));
    free(schema.rewards);
}

static void try_arms(sotto_schema schema, char *path)
{
    sotto__column column[] = {
        {.name = "x", .kind = SOTTO__COLUMN_NUMBER, .lo = -1e300, .hi = 1e300},
        {.name = "k", .kind = SOTTO__COLUMN_CATEGORY, .levels_count = 2, .level = levels},
        schema.column[0]};
    sotto_schema of_arms = {.separator = schema.separator,
                            .header = true,
                            .strict = true,
                            .others = true,
                            .columns_count = 3,
                            .column = column};
    schema.arms_file = path;
    schema.arms = &of_arms;
    const char *said = WHY(sotto__arms_read, &schema);
    fuzz_require(said == NULL || (said == why_fault.sentence && said[0] != '\0'));
    for (uint32_t a = 0; said == NULL && a < ARMS; a++) {
        const double *z = schema.arm_feature + (size_t)a * 3;
        fuzz_require(z[0] * z[0] + z[1] * z[1] + z[2] * z[2] <= 1);
    }
    free(schema.arm_feature);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[MEMORY_PATH_BYTES];
    sotto__column label[] = {
        {.name = "y", .kind = SOTTO__COLUMN_LABEL, .levels_count = ARMS, .level = arms}};
    sotto_schema schema = {.separator = ',', .columns_count = 1, .column = label};
    int fd = memory_file(data, size, path);
    try_rewards(schema, path, size % 2 == 0);
    try_arms(schema, path);
    close(fd);
    return 0;
}
