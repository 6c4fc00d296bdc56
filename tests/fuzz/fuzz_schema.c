/* Whatever the bytes: refused with a reason, or a schema that is written as it is read. */
#include "memory_file.h"
#include "schema_text.h"
#include "why.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[MEMORY_PATH_BYTES];
    sotto_schema schema, again;
    int fd = memory_file(data, size, path);
    const char *said = WHY(sotto__schema_read, path, &schema);
    close(fd);
    if (said != NULL) {
        fuzz_require(said == why_fault.sentence && said[0] != '\0' && schema.column == NULL);
        return 0;
    }
    size_t bytes, again_bytes;
    char *text = schema_text(&schema, &bytes);
    if (bytes <= SOTTO__RECORD_BYTES_MAX) {
        fd = memory_file((const uint8_t *)text, bytes, path);
        fuzz_require(WHY(sotto__schema_read, path, &again) == NULL);
        close(fd);
        char *text_again = schema_text(&again, &again_bytes);
        fuzz_require(again_bytes == bytes && memcmp(text, text_again, bytes) == 0);
        free(text_again);
        sotto__schema_free(&again);
    }
    free(text);
    sotto__schema_free(&schema);
    return 0;
}
