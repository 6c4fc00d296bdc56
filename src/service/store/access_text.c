/*
 * The column `labels` of an experiment:
 *
 *     LABELS [LF "origins" (" " ORIGIN)+] [LF "key " HASH]
 *
 *   LABELS   a JSON object. No line of it begins with `origins` or `key`: letters occur only in its strings, and
 *            strings contain no line feed
 *   ORIGIN   a web site whose pages may send reports: SCHEME "://" HOST [":" PORT], as browsers send it in Origin
 *            (RFC 6454): lower case, no path, no default port; or "*" alone for any
 *   HASH     the SHA-256 of a second report key, 64 hexadecimal digits; that of the first is in column report_key
 *
 * Without the optional parts, no web page may send reports and there is no second key. */
#include "store.h"

#include "service/system/system.h"

#include <stdio.h>
#include <string.h>

static const char origins_word[] = "\norigins ", key_word[] = "\nkey ";

/* ---- origins ------------------------------------------------------------------------------ */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* The length of the scheme, including "://"; 0: none. */
static size_t scheme_bytes(const char *text, size_t bytes)
{
    size_t at = 0;
    if (bytes == 0 || text[0] < 'a' || text[0] > 'z') return 0;
    while (at < bytes && (is_letter(text[at]) || (text[at] != '\0' && strchr("+-.", text[at])))) {
        at++;
    }
    return bytes - at > 3 && memcmp(text + at, "://", 3) == 0 ? at + 3 : 0;
}

/* A name or an address; IPv6 in brackets. */
static size_t host_bytes(const char *text, size_t bytes)
{
    size_t at = 0;
    if (bytes > 0 && text[0] == '[') {
        for (at = 1; at < bytes && (is_letter(text[at]) || text[at] == ':' || text[at] == '.');) {
            at++;
        }
        return at > 3 && at < bytes && text[at] == ']' ? at + 1 : 0;
    }
    while (at < bytes &&
           (is_letter(text[at]) || text[at] == '-' || text[at] == '.' || text[at] == '_')) {
        at++;
    }
    return at <= 253 ? at : 0;
}

/* ":8080", but not the default port of the scheme. */
static bool port_fits(const char *text, size_t bytes, const char *scheme)
{
    uint32_t port = 0;
    if (bytes == 0) return true;
    if (bytes < 2 || bytes > 6 || text[0] != ':' || text[1] == '0') return false;
    for (size_t i = 1; i < bytes; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        port = port * 10 + (uint32_t)(text[i] - '0');
    }
    if (strncmp(scheme, "http://", 7) == 0 && port == 80) return false;
    if (strncmp(scheme, "https://", 8) == 0 && port == 443) return false;
    return port <= UINT16_MAX;
}

bool access_origin_fits(const char *text, size_t bytes)
{
    if (bytes > ACCESS_ORIGIN_BYTES_MAX) return false;
    size_t scheme = scheme_bytes(text, bytes);
    if (scheme == 0) return false;
    size_t host = host_bytes(text + scheme, bytes - scheme);
    return host > 0 && port_fits(text + scheme + host, bytes - scheme - host, text);
}

bool access_origins_have(const char *origins, const char *origin, size_t bytes)
{
    while (*origins != '\0') {
        size_t length = strcspn(origins, " ");
        if (length == bytes && memcmp(origins, origin, bytes) == 0) return true;
        origins += length;
        origins += *origins == ' ';
    }
    return false;
}

bool access_origins_fit(const char *origins)
{
    uint32_t count = 0;
    if (origins[0] == '\0' || strcmp(origins, "*") == 0) return true;
    for (const char *at = origins; count < ACCESS_ORIGINS_MAX; count++) {
        size_t length = strcspn(at, " ");
        if (!access_origin_fits(at, length)) return false;
        if (at[length] == '\0') return true;
        at += length + 1;
        if (access_origins_have(at, at - length - 1, length)) return false;
    }
    return false;
}

/* ---- the text ----------------------------------------------------------------------------- */

bool access_text_read(const char *text, access_text *out)
{
    const char *origins = strstr(text, origins_word), *key = strstr(text, key_word);
    const char *end = key != NULL ? key : text + strlen(text);
    if (origins != NULL && origins > end) return false;
    out->labels_bytes = (size_t)((origins != NULL ? origins : end) - text);
    out->origins[0] = '\0';
    if (origins != NULL) {
        origins += sizeof origins_word - 1;
        size_t bytes = (size_t)(end - origins);
        if (bytes == 0 || bytes >= sizeof out->origins) return false;
        memcpy(out->origins, origins, bytes);
        out->origins[bytes] = '\0';
        if (!access_origins_fit(out->origins)) return false;
    }
    out->has_key = key != NULL;
    memset(out->key, 0, sizeof out->key);
    return key == NULL || hex_read(key + sizeof key_word - 1, strlen(key + sizeof key_word - 1),
                                   out->key, sizeof out->key);
}

size_t access_text_write(const char *origins, const uint8_t *key, char out[ACCESS_TEXT_BYTES])
{
    size_t used = 0;
    out[0] = '\0';
    if (origins[0] != '\0')
        used = (size_t)snprintf(out, ACCESS_TEXT_BYTES, "%s%s", origins_word, origins);
    if (key == NULL) return used;
    used += (size_t)snprintf(out + used, ACCESS_TEXT_BYTES - used, "%s", key_word);
    hex_write(key, JOURNAL_DIGEST_BYTES, out + used);
    return used + 2 * JOURNAL_DIGEST_BYTES;
}
