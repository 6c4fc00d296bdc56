/*
 * Whatever files people hand to the command line: a report key, a token, lines with contexts, lines with vectors. Each is
 * refused with a sentence that a terminal can show, or taken as it stands there. The first byte chooses which.
 */
#include "cli/join/inner.h"
#include "fleet/fleet.h"
#include "memory_file.h"
#include "why.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define KEY_BYTES_MIN 16u

static char said[SOTTO_FAULT_BYTES];

/* The linker sends sentences here, not to the terminal. */
bool __wrap_option_say(const command_line *line, const char *format, ...);

bool __wrap_option_say(const command_line *line, const char *format, ...)
{
    va_list values;
    (void)line;
    va_start(values, format);
    vsnprintf(said, sizeof said, format, values);
    va_end(values);
    return false;
}

static void check_sentence(const char *text)
{
    fuzz_require(text[0] != '\0');
    for (const char *at = text; *at != '\0'; at++) {
        fuzz_require((unsigned char)*at >= ' ' && *at != 127);
    }
}

/* Bytes of a file of one word of visible characters, whatever `ends` end it; 0 if it is no such file. */
static size_t word_bytes(const uint8_t *data, size_t size, bool many_ends)
{
    if (many_ends) {
        while (size > 0 && (data[size - 1] == '\n' || data[size - 1] == '\r')) {
            size--;
        }
    } else {
        size -= size > 0 && data[size - 1] == '\n';
        size -= size > 0 && data[size - 1] == '\r';
    }
    for (size_t i = 0; i < size; i++) {
        if (data[i] <= ' ' || data[i] >= 127) return 0;
    }
    return size;
}

static void read_key(const char *path, const uint8_t *data, size_t size)
{
    const command_line line = {.self = &command_privatise};
    char key[SECRET_BYTES_MAX + 1];
    size_t bytes = word_bytes(data, size, false);
    bool taken = secret_read(&line, "report-key-file", path, KEY_BYTES_MIN, key);
    fuzz_require(taken == (bytes >= KEY_BYTES_MIN && bytes <= SECRET_BYTES_MAX));
    fuzz_require(!taken || (strlen(key) == bytes && memcmp(key, data, bytes) == 0));
    if (!taken) check_sentence(said);
}

static void read_token(const char *path, const uint8_t *data, size_t size)
{
    sotto__admin *admin;
    size_t bytes = word_bytes(data, size, true);
    const char *fault = WHY(sotto__admin_new, "http://127.0.0.1:8788", path, NULL, &admin);
    fuzz_require((fault == NULL) == (bytes > 0 && bytes <= 200 && size <= 202));
    if (fault != NULL) check_sentence(fault);
    sotto__admin_free(admin);
}

static bool read_contexts(const uint8_t *data, size_t size, bool with_reward, join_inputs *out)
{
    char path[MEMORY_PATH_BYTES];
    const command_line line = {.self = &command_privatise};
    int fd = memory_file(data, size, path);
    const join_options options = {.context_file = path, .with_reward = with_reward};
    bool taken = join_inputs_open(&line, &options, fuzz_spec(0), out);
    close(fd);
    return taken;
}

/* Numbers that are written and read again are the same. */
static void check_contexts(const uint8_t *data, size_t size, bool with_reward)
{
    join_inputs inputs, again;
    if (!read_contexts(data, size, with_reward, &inputs)) {
        check_sentence(said);
        join_inputs_close(&inputs);
        return;
    }
    char *text = NULL;
    size_t bytes, count = (size_t)inputs.rounds * inputs.stride;
    FILE *out = open_memstream(&text, &bytes);
    fuzz_require(out != NULL && inputs.rounds <= JOIN_ROUNDS_MAX);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%.17g%c", inputs.number[i], (i + 1) % inputs.stride == 0 ? '\n' : ',');
    }
    fclose(out);
    fuzz_require(read_contexts((const uint8_t *)text, bytes, with_reward, &again));
    fuzz_require(again.rounds == inputs.rounds);
    for (size_t i = 0; i < count; i++) {
        double a = inputs.number[i], b = again.number[i];
        fuzz_require(a == b || (isnan(a) && isnan(b)));
    }
    for (uint32_t i = 0; i < inputs.rounds; i++) {
        fuzz_require(join_inputs_context(&inputs, i)[0] == inputs.number[i * inputs.stride] ||
                     isnan(inputs.number[i * inputs.stride]));
    }
    free(text);
    join_inputs_close(&again);
    join_inputs_close(&inputs);
}

/* One report for each line that is read; all of them, or a sentence. */
static void privatise(const uint8_t *data, size_t size)
{
    char *argument[] = {"--mechanism", "codebook", "--dim", "2",      "--epsilon",
                        "1",           "--seed",   "1",     "--quiet"};
    FILE *in = stdin, *out = stdout;
    char *text = NULL;
    size_t bytes, lines = 0, reports = 0;
    stdin = fmemopen((void *)(uintptr_t)data, size, "r");
    stdout = open_memstream(&text, &bytes);
    fuzz_require(stdin != NULL && stdout != NULL);
    int code = command_privatise.run(&command_privatise, 9, argument);
    fclose(stdin);
    fclose(stdout);
    stdin = in;
    stdout = out;
    for (size_t i = 0, filled = 0; i <= size; i++) {
        bool end = i == size || data[i] == '\n';
        lines += end && filled > 0;
        filled = end ? 0 : filled + (memchr(" \t\r", data[i], 3) == NULL);
    }
    for (size_t i = 0; i < bytes; i++) {
        reports += text[i] == '\n';
    }
    fuzz_require(code == 0 ? reports == lines : reports < lines);
    if (code != 0) check_sentence(said);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[MEMORY_PATH_BYTES];
    if (size < 2) return 0;
    uint8_t which = *data++ % 5;
    size--;
    said[0] = '\0';
    if (which >= 2 && which <= 3) check_contexts(data, size, which == 3);
    if (which == 4) privatise(data, size);
    if (which >= 2) return 0;
    int fd = memory_file(data, size, path);
    if (which == 0) read_key(path, data, size);
    if (which == 1) read_token(path, data, size);
    close(fd);
    return 0;
}
