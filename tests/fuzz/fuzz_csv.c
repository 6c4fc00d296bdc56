/*
 * Whatever the bytes: refused with a reason, or records that are the same again when every field is
 * written with quotes. The first byte chooses the separator.
 */
#include "lab/dataset/dataset.h"
#include "memory_file.h"
#include "specs.h"
#include "why.h"

#include <string.h>

static char *written;
static size_t written_bytes;

/* Reads all; writes it anew if told to. Returns how many fields there were, -1 if refused. */
static long read_all(const char *path, char separator, FILE *out, uint64_t *digest)
{
    static sotto__record record;
    sotto__source source;
    long fields = 0;
    const char *said = WHY(sotto__source_open, &source, path);
    fuzz_require(said == NULL);
    for (record.count = 1; said == NULL && record.count > 0;) {
        said = WHY(sotto__csv_next, &source, separator, &record);
        fuzz_require(said == NULL ||
                     (said == why_fault.sentence && strstr(why_fault.sentence, "line ") != NULL));
        for (uint32_t i = 0; said == NULL && i < record.count; i++, fields++) {
            const sotto__field *field = &record.field[i];
            if (out != NULL) fputc(i == 0 ? '"' : separator, out);
            if (out != NULL && i > 0) fputc('"', out);
            for (uint32_t k = 0; k < field->bytes; k++) {
                *digest = (*digest ^ (unsigned char)field->text[k]) * 1099511628211u;
                if (out != NULL && field->text[k] == '"') fputc('"', out);
                if (out != NULL) fputc(field->text[k], out);
            }
            *digest = (*digest ^ 256) * 1099511628211u;
            if (out != NULL) fputc('"', out);
        }
        if (out != NULL && record.count > 0) fputc('\n', out);
        *digest = (*digest ^ 257) * 1099511628211u;
    }
    sotto__source_close(&source);
    return said == NULL ? fields : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[MEMORY_PATH_BYTES];
    uint64_t digest = 0, again = 0;
    if (size == 0) return 0;
    char separator = ",;\t| "[data[0] % 5];
    FILE *out = open_memstream(&written, &written_bytes);
    fuzz_require(out != NULL);
    int fd = memory_file(data + 1, size - 1, path);
    long fields = read_all(path, separator, out, &digest);
    close(fd);
    fclose(out);
    if (fields >= 0) {
        fd = memory_file((const uint8_t *)written, written_bytes, path);
        fuzz_require(read_all(path, separator, NULL, &again) == fields);
        fuzz_require(digest == again);
        close(fd);
    }
    free(written);
    return 0;
}
