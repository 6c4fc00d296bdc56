#include "core/core.h"
#include "transport.h"

#include <arpa/inet.h>
#include <string.h>

/* ==== url ==================================================================================== */

/* A strict parser: it refuses everything it does not know, so that libcurl cannot interpret a URL
 * differently. */

#define ID_CHARS (2u * SOTTO_SPEC_ID_BYTES)
#define HOST_CHARS_MAX 253u

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static const char digits[] = "0123456789";
static const char route[] = "/v1/experiments/";

static bool all_in(const char *text, size_t count, const char *a, const char *b, const char *c)
{
    for (size_t i = 0; i < count; i++) {
        bool known = text[i] != '\0' && (strchr(a, text[i]) != NULL || strchr(b, text[i]) != NULL ||
                                         strchr(c, text[i]) != NULL);
        if (!known) return false;
    }
    return true;
}

static bool is_port(const char *text, size_t count)
{
    unsigned long port = 0;
    if (count == 0 || count > 5 || !all_in(text, count, digits, "", "")) return false;
    for (size_t i = 0; i < count; i++) {
        port = 10 * port + (unsigned long)(text[i] - '0');
    }
    return port >= 1 && port <= 65535;
}

/* True for 127.x.y.z in full; short forms such as 127.1 are refused, because programs read them
 * differently. */
static bool is_loopback(const char *host)
{
    uint8_t address[16];
    if (strcmp(host, "localhost") == 0) return true;
    if (inet_pton(AF_INET, host, address) == 1) return address[0] == 127;
    return strcmp(host, "[::1]") == 0;
}

/* True if the first `count` characters are HOST[:PORT]. */
static bool is_authority(const char *text, size_t count, bool *loopback)
{
    char host[HOST_CHARS_MAX + 1];
    uint8_t address[16];
    const char *end = text[0] == '[' ? memchr(text, ']', count) : NULL;
    const char *colon =
        memchr(end == NULL ? text : end, ':', count - (end == NULL ? 0 : (size_t)(end - text)));
    size_t chars = colon == NULL ? count : (size_t)(colon - text);
    if (chars == 0 || chars > HOST_CHARS_MAX) return false;
    if (colon != NULL && !is_port(colon + 1, count - chars - 1)) return false;
    memcpy(host, text, chars);
    host[chars] = '\0';
    *loopback = is_loopback(host);
    if (host[0] != '[') return all_in(host, chars, letters, digits, ".-");
    host[chars - 1] = '\0';
    return end == text + chars - 1 && inet_pton(AF_INET6, host + 1, address) == 1;
}

static int nibble(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* True if the path ends with the route and an id. */
static bool is_path(const char *path, uint8_t id[SOTTO_SPEC_ID_BYTES])
{
    size_t count = strlen(path), tail = sizeof route - 1 + ID_CHARS;
    if (count < tail || !all_in(path, count, letters, digits, "/._~-")) return false;
    if (strstr(path, "/.") != NULL || strstr(path, "//") != NULL) return false;
    if (memcmp(path + count - tail, route, sizeof route - 1) != 0) return false;
    const char *hex = path + count - ID_CHARS;
    for (size_t i = 0; i < SOTTO_SPEC_ID_BYTES; i++) {
        int high = nibble(hex[2 * i]), low = nibble(hex[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        id[i] = (uint8_t)(16 * high + low);
    }
    return true;
}

sotto_status sotto__url_fault(const char *field, const char *url, sotto__url *out,
                              sotto_fault *fault)
{
    static const char https[] = "https://", http[] = "http://";
    size_t bytes = strnlen(url, SOTTO__URL_BYTES_MAX + 1);
    if (bytes > SOTTO__URL_BYTES_MAX)
        return sotto__fault_at(fault, field, ": allowed at most %u bytes", SOTTO__URL_BYTES_MAX);
    bool plain = strncmp(url, http, sizeof http - 1) == 0;
    if (!plain && strncmp(url, https, sizeof https - 1) != 0)
        return sotto__fault_at(fault, field, ": allowed https://..., and http:// to this machine");
    const char *authority = url + (plain ? sizeof http : sizeof https) - 1;
    const char *path = strchr(authority, '/');
    bool loopback = false;
    sotto__url read = {.plain = plain};
    if (path == NULL || !is_authority(authority, (size_t)(path - authority), &loopback) ||
        !is_path(path, read.spec_id))
        return sotto__fault_at(fault, field,
                               ": allowed https://HOST[:PORT][/PATH]/v1/experiments/ID, where ID "
                               "is 32 lower-case hexadecimal digits");
    if (plain && !loopback)
        return sotto__fault_at(
            fault, field,
            ": http is allowed only to this machine (127.0.0.0/8, [::1], localhost); use https");
    memcpy(read.text, url, bytes + 1);
    *out = read;
    return SOTTO_OK;
}

/* ==== answer ================================================================================= */

/* What a device does after an answer, by its status. */

/* True if the JSON of an error names this field, as in `"field": "epoch"`: the only part of the
 * JSON that a device needs. */
static bool names_field(const sotto_answer *answer, const char *field)
{
    static const char key[] = "\"field\"";
    size_t length = strlen(field);
    const char *at = (const char *)answer->body, *end = at + answer->body_bytes;
    for (; at != NULL && (size_t)(end - at) > sizeof key; at++) {
        if (memcmp(at, key, sizeof key - 1) != 0) continue;
        for (at += sizeof key - 1; at < end && (*at == ' ' || *at == ':'); at++) {
        }
        return (size_t)(end - at) > length + 1 && at[0] == '"' &&
               memcmp(at + 1, field, length) == 0 && at[length + 1] == '"';
    }
    return false;
}

sotto_status sotto__answer_fault(const sotto_answer *answer, const char *what, sotto_fault *fault)
{
    if (answer->status == 0) return sotto__refuse(fault, "%s: no answer: %s", what, answer->why);
    if (answer->status < 300 && answer->too_long)
        return sotto__refuse(fault, "%s: the answer (%ld) is too long", what, answer->status);
    if (answer->status >= 300 && answer->status < 400 && answer->status != 304)
        return sotto__refuse(
            fault, "%s: the server answered %ld, a redirect, which a device does not follow", what,
            answer->status);
    if (answer->status == 403)
        return sotto__refuse(fault, "%s: the server requires another report key (403)", what);
    if (answer->status == 404)
        return sotto__refuse(fault, "%s: the server has no such experiment (404)", what);
    if (answer->status == 409)
        return sotto__refuse(fault, "%s: the experiment is paused (409)", what);
    if (answer->status == 410)
        return sotto__refuse(fault, "%s: the experiment has ended (410)", what);
    if (answer->status == 429)
        return sotto__refuse(
            fault, "%s: the server accepts no more requests from this address now (429)", what);
    if (answer->status == 503)
        return sotto__refuse(fault, "%s: the server cannot accept requests now (503)", what);
    return sotto__refuse(fault, "%s: the server answered %ld", what, answer->status);
}

sotto__answer_verdict sotto__answer_judge(const sotto_answer *answer, sotto_fault *fault)
{
    if (answer->status == 204 && !answer->too_long) return SOTTO__TAKEN;
    sotto__answer_fault(answer, "report", fault);
    switch (answer->status) {
    case 400: break;
    case 404:
    case 410: return SOTTO__LOST;
    case 409: return SOTTO__PAUSED;
    case 413: return SOTTO__TOO_LONG;
    default: return SOTTO__AGAIN;
    }
    if (names_field(answer, "epoch")) {
        sotto__refuse(fault,
                      "report: its epoch has not begun at the server (400), which was restored "
                      "from an older copy");
        return SOTTO__NOT_YET;
    }
    sotto__refuse(fault, "report: the server refuses it (400)");
    return SOTTO__REFUSED;
}
