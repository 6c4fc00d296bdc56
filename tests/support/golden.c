/* Golden files. */
#include "golden.h"
#include "test.h"

#include <stdio.h>

size_t golden_read(const char *name, uint8_t *bytes, size_t capacity)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", SOTTO_GOLDEN_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, capacity, file);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    return count;
}
