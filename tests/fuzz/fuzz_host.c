/* Whatever Host and Origin a request has, and whatever other names were set: allowed, or refused with a status and
 * a sentence. What is allowed is a name of the rule, and a page of another place never is. The three texts stand
 * one after the other, each with a zero at its end. */
#include "service/api/inner.h"
#include "specs.h"

#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const addresses[] = {NULL, "127.0.0.1", "::1", "0.0.0.0", "::", "192.0.2.7"};
    if (size < 1) return 0;
    char *text = calloc(1, size + 3);
    fuzz_require(text != NULL);
    memcpy(text, data + 1, size - 1);
    const char *host = text, *origin = host + strlen(host) + 1;
    const char *end = text + size + 2;
    if (origin > end) origin = end;
    const char *names = origin + strlen(origin) + 1;
    if (names > end) names = end;
    const host_rule rule = {.address = addresses[data[0] % 6], .port = 8788, .names = names};
    sottod_refusal why = {.status = 0};
    char body[ERROR_JSON_BYTES];
    if (host_allows(&rule, host, origin[0] != '\0' ? origin : NULL, &why)) {
        fuzz_require(host[0] != '\0');
        if (origin[0] != '\0') {
            const char *place = strstr(origin, "://");
            fuzz_require(place != NULL && strcasecmp(place + 3, host) == 0);
        }
        bool any = data[0] % 6 == 3 || data[0] % 6 == 4;
        fuzz_require(any || names[0] != '\0' || strstr(host, "8788") != NULL);
    } else {
        fuzz_require(why.status == 400 || why.status == 403);
        fuzz_require(why.fault.sentence[0] != '\0' && error_json(&why, body) > 2);
    }
    free(text);
    return 0;
}
