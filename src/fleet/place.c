/* Where an experiment is. */
#include "place.h"

#include "core/fault.h"

#include <stdio.h>
#include <string.h>

static const char route[] = "/v1/experiments/";

bool sotto__place_is_whole(const char *url)
{
    return strstr(url, "/v1/experiments") != NULL;
}

const char *sotto__place_join(const char *name, const char *server, const char *id, sotto__url *out,
                              char text[SOTTO_FAULT_BYTES])
{
    char whole[SOTTO__URL_BYTES_MAX + 2];
    size_t bytes = strlen(server);
    if (bytes > 0 && server[bytes - 1] == '/') bytes--;
    if (strlen(id) != SOTTO__ID_CHARS || strspn(id, "0123456789abcdef") != SOTTO__ID_CHARS) {
        return sotto__fault(
            text, "experiment = %.100s: allowed 32 hexadecimal digits in small letters", id);
    }
    if (bytes > SOTTO__URL_BYTES_MAX)
        bytes = SOTTO__URL_BYTES_MAX + 1; /* too long, as will be told */
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)bytes, server, route, id);
    if (sotto__url_fault(name, whole, out, text) == NULL) return NULL;
    return sotto__fault(
        text,
        "%s %.200s: allowed https://HOST[:PORT][/PATH], and http:// to this machine "
        "(127.0.0.0/8, [::1], localhost)",
        name, server);
}

void sotto__place_id(const sotto__url *url, char id[SOTTO__ID_CHARS + 1])
{
    snprintf(id, SOTTO__ID_CHARS + 1, "%s", url->text + strlen(url->text) - SOTTO__ID_CHARS);
}
