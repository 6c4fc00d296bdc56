/* Whatever a server answers, and whatever URL a device is told: a verdict and a sentence, or a URL that reads as it was
 * written. The first two bytes are the status; the rest is the body, and the URL. */
#include "memory_file.h"
#include "transport/transport.h"
#include "why.h"

#include <stdlib.h>
#include <string.h>

static void judge(long status, const uint8_t *body, size_t bytes)
{
    sotto_fault fault = {.field = ""};
    const sotto_answer answer = {
        .status = status, .body = body, .body_bytes = bytes, .why = "nobody listens"};
    sotto__answer_verdict verdict = sotto__answer_judge(&answer, &fault);
    fuzz_require((verdict == SOTTO__TAKEN) == (status == 204));
    fuzz_require((verdict == SOTTO__TAKEN) == (fault.sentence[0] == '\0'));
}

static void read_url(const uint8_t *data, size_t bytes)
{
    char *word = calloc(1, bytes + 1);
    sotto__url url;
    fuzz_require(word != NULL);
    memcpy(word, data, bytes);
    const char *fault = WHY(sotto__url_fault, "url", word, &url);
    fuzz_require(fault == NULL || why_fault.value[0] == '\0');
    fuzz_require(fault != NULL || (strcmp(url.text, word) == 0 && strchr(word, '@') == NULL &&
                                   url.plain == (strncmp(word, "http:", 5) == 0)));
    free(word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    judge((data[0] | data[1] << 8) % 1000, data + 2, size - 2);
    judge(400, data + 2, size - 2);
    read_url(data + 2, size - 2);
    return 0;
}
