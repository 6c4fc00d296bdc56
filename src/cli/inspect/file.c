/* Specs and frames in files. */
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool failed(const command_line *line, const char *path, const char *why)
{
    return option_say(line, "%s: %s", path, why);
}

bool inspect_file_read(const command_line *line, const char *path, uint8_t *bytes, size_t capacity,
                       size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return failed(line, path, strerror(errno));
    *count = fread(bytes, 1, capacity, file);
    bool broken = ferror(file) != 0;
    fclose(file);
    return !broken || failed(line, path, "cannot be read");
}

bool inspect_spec_read(const command_line *line, const char *path, sotto_terms *terms)
{
    uint8_t bytes[SOTTO_TERMS_BYTES + 1];
    char text[SOTTO_FAULT_BYTES];
    size_t count = 0;
    if (!inspect_file_read(line, path, bytes, sizeof bytes, &count)) return false;
    if (sotto_terms_bytes_fault(bytes, count, text) != NULL) return failed(line, path, text);
    sotto_status status = sotto_terms_decode(bytes, count, terms);
    return status == SOTTO_OK || failed(line, path, sotto_status_text(status));
}

bool inspect_spec_write(const command_line *line, const char *path, const sotto_terms *terms)
{
    uint8_t bytes[SOTTO_TERMS_BYTES];
    size_t count = sotto_terms_encode(terms, bytes);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return failed(line, path, strerror(errno));
    bool written = fwrite(bytes, 1, count, file) == count;
    written = fclose(file) == 0 && written;
    return written || failed(line, path, "cannot be written");
}
