/* Specs and frames in files. */
#include "spec_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool failed(const char *what, const char *why)
{
    fprintf(stderr, "sotto inspect: %s: %s\n", what, why);
    return false;
}

bool file_read(const char *path, uint8_t *bytes, size_t capacity, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return failed(path, strerror(errno));
    *count = fread(bytes, 1, capacity, file);
    bool broken = ferror(file) != 0;
    fclose(file);
    return !broken || failed(path, "cannot be read");
}

bool spec_file_read(const char *path, sotto_resolved *resolved)
{
    uint8_t bytes[SOTTO_SPEC_BYTES + 1];
    char text[SOTTO_FAULT_BYTES];
    size_t count;
    if (!file_read(path, bytes, sizeof bytes, &count)) return false;
    if (sotto_spec_bytes_fault(bytes, count, text) != NULL) return failed(path, text);
    sotto_status status = sotto_spec_decode(bytes, count, resolved);
    return status == SOTTO_OK || failed(path, sotto_status_text(status));
}

bool spec_file_write(const char *path, const sotto_resolved *resolved)
{
    uint8_t bytes[SOTTO_SPEC_BYTES];
    sotto_spec_encode(resolved, bytes);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return failed(path, strerror(errno));
    bool written = fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes;
    written = fclose(file) == 0 && written;
    return written || failed(path, "cannot be written");
}
