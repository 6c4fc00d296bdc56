/* Whatever the bytes: refused with a reason, or settings that are printed as they are read. */
#include "memory_file.h"
#include "service/config/config.h"

#include <stdlib.h>
#include <string.h>

static bool read_bytes(const uint8_t *bytes, size_t count, sottod_config *out)
{
    char path[MEMORY_PATH_BYTES];
    sotto_fault fault = {.sentence = ""};
    int fd = memory_file(bytes, count, path), words;
    char *argument[] = {"--config", path};
    bool taken = config_read(out, 2, argument, &words, &fault) == SOTTO_OK;
    close(fd);
    fuzz_require(taken == (fault.sentence[0] == '\0') && words == 0);
    return taken;
}

static char *print_text(const sottod_config *config, size_t *bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);
    fuzz_require(out != NULL);
    settings_print(&config_settings, config, out);
    fclose(out);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sottod_config config, again;
    if (!read_bytes(data, size, &config)) return 0;
    size_t bytes, again_bytes;
    char *text = print_text(&config, &bytes);
    fuzz_require(read_bytes((const uint8_t *)text, bytes, &again));
    char *text_again = print_text(&again, &again_bytes);
    fuzz_require(again_bytes == bytes && memcmp(text, text_again, bytes) == 0);
    free(text);
    free(text_again);
    return 0;
}
