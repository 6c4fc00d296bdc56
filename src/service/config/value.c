/* Whatever a field can hold, value_print writes as one line that value_read reads again. */
#include "value.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts -------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* What a line of a file can hold: there, # begins a comment, and blanks at the ends do not count. */
static bool fits_line(const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || length >= CONFIG_TEXT_BYTES) return false;
    if (is_blank(text[0]) || is_blank(text[length - 1])) return false;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) return false;
        if (text[i] == '#' && (i == 0 || is_blank(text[i - 1]))) return false;
    }
    return true;
}

static bool read_path(const setting *row, const char *text, void *field)
{
    (void)row;
    if (!fits_line(text)) return false;
    memcpy(field, text, strlen(text) + 1);
    return true;
}

/* Nothing, or a URL as libpq reads it. */
static bool read_url(const setting *row, const char *text, void *field)
{
    (void)row;
    static const char *const scheme[] = {"postgresql://", "postgres://"};
    bool ours = text[0] == '\0';
    for (int i = 0; i < 2; i++) {
        ours = ours || strncmp(text, scheme[i], strlen(scheme[i])) == 0;
    }
    if (!ours || (text[0] != '\0' && !fits_line(text))) return false;
    memcpy(field, text, strlen(text) + 1);
    return true;
}

static char *last_of(char *text, size_t length, char c)
{
    while (length > 0) {
        if (text[--length] == c) return text + length;
    }
    return NULL;
}

/* postgresql://user:password@host/name?password=password: what follows the first colon of the user's part goes,
 * and the value of each parameter whose name ends with `password`. */
void config_hide_password(const char *url, char out[CONFIG_TEXT_BYTES])
{
    static const char word[] = "password=";
    snprintf(out, CONFIG_TEXT_BYTES, "%s", url);
    char *authority = strstr(out, "://");
    if (authority == NULL) return;
    authority += 3;
    size_t before = strcspn(authority, "?");
    char *at = last_of(authority, before, '@');
    char *colon = at == NULL ? NULL : memchr(authority, ':', (size_t)(at - authority));
    if (colon != NULL) memmove(colon, at, strlen(at) + 1);
    char *query = strchr(authority, '?');
    while (query != NULL && (query = strstr(query, word)) != NULL) {
        query += sizeof word - 1;
        memmove(query, query + strcspn(query, "&"), strlen(query + strcspn(query, "&")) + 1);
    }
}

static void print_url(const void *field, char out[CONFIG_TEXT_BYTES])
{
    config_hide_password(field, out);
}

/* Names between commas, none of them empty; or nothing at all. */
static bool read_hosts(const setting *row, const char *text, void *field)
{
    (void)row;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  ".-_:[],";
    size_t length = strlen(text);
    if (length >= CONFIG_TEXT_BYTES || strspn(text, letters) != length) return false;
    if (text[0] == ',' || strstr(text, ",,") != NULL) return false;
    if (length > 0 && text[length - 1] == ',') return false;
    memcpy(field, text, length + 1);
    return true;
}

static void print_text(const void *field, char out[CONFIG_TEXT_BYTES])
{
    snprintf(out, CONFIG_TEXT_BYTES, "%s", (const char *)field);
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Digits and nothing else. */
static bool read_whole(const char *text, uint64_t lo, uint64_t hi, uint64_t *out)
{
    uint64_t value = 0;
    if (text[0] == '\0') return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    if (value < lo || value > hi) return false;
    *out = value;
    return true;
}

static bool read_u32(const setting *row, const char *text, void *field)
{
    uint64_t value;
    if (!read_whole(text, row->lo, row->hi, &value)) return false;
    *(uint32_t *)field = (uint32_t)value; /* hi is below 2^32 */
    return true;
}

static bool read_u64(const setting *row, const char *text, void *field)
{
    return read_whole(text, row->lo, row->hi, field);
}

static void print_u32(const void *field, char out[CONFIG_TEXT_BYTES])
{
    snprintf(out, CONFIG_TEXT_BYTES, "%" PRIu32, *(const uint32_t *)field);
}

static void print_u64(const void *field, char out[CONFIG_TEXT_BYTES])
{
    snprintf(out, CONFIG_TEXT_BYTES, "%" PRIu64, *(const uint64_t *)field);
}

/* ---- names -------------------------------------------------------------------------------- */

static bool read_switch(const setting *row, const char *text, void *field)
{
    (void)row;
    bool yes = strcmp(text, "yes") == 0;
    if (!yes && strcmp(text, "no") != 0) return false;
    *(bool *)field = yes;
    return true;
}

static void print_switch(const void *field, char out[CONFIG_TEXT_BYTES])
{
    snprintf(out, CONFIG_TEXT_BYTES, "%s", *(const bool *)field ? "yes" : "no");
}

static bool read_level(const setting *row, const char *text, void *field)
{
    (void)row;
    for (uint32_t i = 0; log_level_name((log_level)i) != NULL; i++) {
        if (strcmp(text, log_level_name((log_level)i)) != 0) continue;
        *(log_level *)field = (log_level)i;
        return true;
    }
    return false;
}

static void print_level(const void *field, char out[CONFIG_TEXT_BYTES])
{
    snprintf(out, CONFIG_TEXT_BYTES, "%s", log_level_name(*(const log_level *)field));
}

static const char *const addresses[] = {
    [CONFIG_ADDRESSES_AUTO] = "auto", [CONFIG_ADDRESSES_ON] = "on", [CONFIG_ADDRESSES_OFF] = "off"};

static bool read_addresses(const setting *row, const char *text, void *field)
{
    (void)row;
    for (uint32_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (strcmp(text, addresses[i]) != 0) continue;
        *(config_addresses *)field = (config_addresses)i;
        return true;
    }
    return false;
}

static void print_addresses(const void *field, char out[CONFIG_TEXT_BYTES])
{
    snprintf(out, CONFIG_TEXT_BYTES, "%s", addresses[*(const config_addresses *)field]);
}

/* ---- places ------------------------------------------------------------------------------- */

/* "127.0.0.1:8787" or "[::1]:8787": the address as the system writes it, so that one has one text. */
static bool read_place(const setting *row, const char *text, void *field)
{
    (void)row;
    const char *colon = strrchr(text, ':');
    if (colon == NULL) return false;
    size_t length = (size_t)(colon - text);
    bool six = length >= 2 && text[0] == '[' && colon[-1] == ']';
    if (six) {
        text++;
        length -= 2;
    }
    config_place place = {.port = 0};
    char address[sizeof place.address];
    if (length >= sizeof address) return false;
    memcpy(address, text, length);
    address[length] = '\0';

    unsigned char binary[16];
    uint64_t port;
    int family = six ? AF_INET6 : AF_INET;
    if (inet_pton(family, address, binary) != 1) return false;
    if (inet_ntop(family, binary, place.address, sizeof place.address) == NULL) return false;
    if (!read_whole(colon + 1, 0, UINT16_MAX, &port)) return false;
    place.port = (uint16_t)port; /* at most UINT16_MAX */
    *(config_place *)field = place;
    return true;
}

static void print_place(const void *field, char out[CONFIG_TEXT_BYTES])
{
    const config_place *place = field;
    bool six = strchr(place->address, ':') != NULL;
    snprintf(out, CONFIG_TEXT_BYTES, six ? "[%s]:%u" : "%s:%u", place->address, place->port);
}

/* ---- kinds -------------------------------------------------------------------------------- */

typedef struct value_kind {
    const char *word;
    const char *allowed; /* NULL: the row's range */
    bool (*read)(const setting *row, const char *text, void *field);
    void (*print)(const void *field, char out[CONFIG_TEXT_BYTES]);
} value_kind;

static const value_kind kinds[] = {
    [SETTING_PATH] = {"PATH", "at most 1023 bytes, no control characters, no ' #'", read_path,
                      print_text},
    [SETTING_URL] = {"URL", "postgresql://USER@HOST:PORT/NAME, or nothing", read_url, print_url},
    [SETTING_HOSTS] = {"NAMES", "names with commas between, such as sotto.example,[::1]:8788",
                       read_hosts, print_text},
    [SETTING_PLACE] = {"ADDR:PORT", "IP:PORT, such as 127.0.0.1:8787 or [::1]:8787; port 0: any",
                       read_place, print_place},
    [SETTING_SWITCH] = {"", "yes or no", read_switch, print_switch},
    [SETTING_LEVEL] = {"LEVEL", "debug, info, warning or error", read_level, print_level},
    [SETTING_ADDRESSES] = {"WHOSE", "auto, on or off", read_addresses, print_addresses},
    [SETTING_U32] = {"N", NULL, read_u32, print_u32},
    [SETTING_U64] = {"N", NULL, read_u64, print_u64},
};

bool value_read(const setting *row, const char *text, sottod_config *config)
{
    return kinds[row->kind].read(row, text, (char *)config + row->field);
}

void value_print(const setting *row, const sottod_config *config, char out[CONFIG_TEXT_BYTES])
{
    kinds[row->kind].print((const char *)config + row->field, out);
}

void value_allowed(const setting *row, char out[VALUE_ALLOWED_BYTES])
{
    const char *allowed = kinds[row->kind].allowed;
    if (allowed != NULL) {
        snprintf(out, VALUE_ALLOWED_BYTES, "%s", allowed);
    } else {
        snprintf(out, VALUE_ALLOWED_BYTES, "whole numbers %" PRIu64 " to %" PRIu64, row->lo,
                 row->hi);
    }
}

const char *value_name(const setting *row, uint32_t i)
{
    static const char *const switches[] = {"yes", "no"};
    switch (row->kind) {
    case SETTING_SWITCH: return i < sizeof switches / sizeof *switches ? switches[i] : NULL;
    case SETTING_LEVEL: return log_level_name((log_level)i);
    case SETTING_ADDRESSES: return i < sizeof addresses / sizeof *addresses ? addresses[i] : NULL;
    case SETTING_PATH:
    case SETTING_URL:
    case SETTING_HOSTS:
    case SETTING_PLACE:
    case SETTING_U32:
    case SETTING_U64: break;
    }
    return NULL;
}

const char *value_word(const setting *row)
{
    return kinds[row->kind].word;
}
