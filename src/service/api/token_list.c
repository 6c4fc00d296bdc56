/*
 * The file token-hashes: one line per token, at most 64.
 *
 *     ROLE HASH [NAME [LAST-DAY]]
 *
 *   ROLE       admin or reader
 *   HASH       the SHA-256 of the token (its 64 digits as text): 64 hexadecimal digits, lower case
 *   NAME       1 to 32 of a-z, 0-9, '.', '_' and '-', beginning with a letter or a digit; default: the role
 *   LAST-DAY   YYYY-MM-DD, from 1970-01-01 to 9999-12-31: the last day, UTC, on which it is valid
 *
 * Words are separated by one blank, and "\n" ends every line. The file has at least one line, and no zero byte, "\r" or
 * blank line. Names are different, and so are hashes. */
#include "api.h"
#include "service/system/system.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define HASH_DIGITS (2u * SOTTO__DIGEST_BYTES)
#define DAY_LETTERS 10u

static const char *const roles[] = {
    [AUTH_NOBODY] = "nobody", [AUTH_READER] = "reader", [AUTH_ADMIN] = "admin"};

const char *token_role_name(auth_role role)
{
    return roles[role];
}

auth_role token_role_read(const char *text, size_t bytes)
{
    for (auth_role role = AUTH_READER; role <= AUTH_ADMIN; role++) {
        if (strlen(roles[role]) == bytes && memcmp(roles[role], text, bytes) == 0) return role;
    }
    return AUTH_NOBODY;
}

bool token_name_fits(const char *text, size_t bytes)
{
    if (bytes == 0 || bytes >= TOKEN_NAME_BYTES) return false;
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!plain && (i == 0 || (c != '.' && c != '_' && c != '-'))) return false;
    }
    return true;
}

/* ---- days --------------------------------------------------------------------------------- */

static bool read_number(const char *text, size_t digits, uint32_t *out)
{
    *out = 0;
    for (size_t i = 0; i < digits; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        *out = *out * 10 + (uint32_t)(text[i] - '0');
    }
    return true;
}

uint32_t token_day_read(const char *text, size_t bytes)
{
    static const uint32_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint32_t year, month, day;
    if (bytes != DAY_LETTERS || text[4] != '-' || text[7] != '-') return 0;
    if (!read_number(text, 4, &year) || !read_number(text + 5, 2, &month) ||
        !read_number(text + 8, 2, &day))
        return 0;
    if (year < 1970 || month < 1 || month > 12 || day < 1) return 0;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (day > days[month - 1] + (month == 2 && leap ? 1u : 0u)) return 0;
    return 10000 * year + 100 * month + day;
}

uint32_t token_today(void)
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    return (uint32_t)(10000 * (parts.tm_year + 1900) + 100 * (parts.tm_mon + 1) + parts.tm_mday);
}

/* ---- a line ------------------------------------------------------------------------------- */

typedef struct word {
    const char *at;
    size_t bytes;
} word;

/* The words between single blanks; 0 if there are more than 4. Two adjacent blanks enclose an empty word, which is
 * invalid everywhere. */
static uint32_t split(const char *line, size_t bytes, word out[4])
{
    uint32_t count = 0;
    for (size_t at = 0; at <= bytes; at++) {
        const char *blank = memchr(line + at, ' ', bytes - at);
        size_t length = blank != NULL ? (size_t)(blank - line) - at : bytes - at;
        if (count == 4) return 0;
        out[count++] = (word){line + at, length};
        at += length;
    }
    return count;
}

static sotto_status read_row(const char *line, size_t bytes, token_row *out, sotto_fault *fault)
{
    word part[4] = {{NULL, 0}};
    uint32_t count = split(line, bytes, part);
    *out = (token_row){.last_day = 0};
    if (count < 2)
        return sotto__refuse(fault,
                             "allowed ROLE HASH [NAME [LAST-DAY]], separated by single blanks");
    out->role = token_role_read(part[0].at, part[0].bytes);
    if (out->role == AUTH_NOBODY)
        return sotto__fault_at(fault, "role", ": allowed admin or reader");
    if (!hex_read(part[1].at, part[1].bytes, out->hash, sizeof out->hash))
        return sotto__fault_at(fault, "hash", ": allowed 64 lower-case hexadecimal digits");
    word name = count > 2 ? part[2] : part[0];
    if (!token_name_fits(name.at, name.bytes))
        return sotto__fault_at(
            fault, "name",
            ": allowed 1 to 32 of a-z, 0-9, '.', '_', '-', the first a letter or digit");
    memcpy(out->name, name.at, name.bytes);
    if (count < 4) return SOTTO_OK;
    out->last_day = token_day_read(part[3].at, part[3].bytes);
    if (out->last_day != 0) return SOTTO_OK;
    return sotto__fault_at(fault, "last day", ": allowed a date such as 2027-01-31");
}

/* ---- the list ----------------------------------------------------------------------------- */

token_row *token_list_find(token_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->row[i].name, name) == 0) return &list->row[i];
    }
    return NULL;
}

bool token_is_admin(const token_row *row, uint32_t today)
{
    return row->role == AUTH_ADMIN && (row->last_day == 0 || today <= row->last_day);
}

bool token_list_has_admin(const token_list *list, uint32_t today)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (token_is_admin(&list->row[i], today)) return true;
    }
    return false;
}

/* Checks that concern several lines; *line, from 1, is the last of them. */
static sotto_status check(const token_list *list, uint32_t *line, sotto_fault *fault)
{
    for (*line = 1; *line <= list->count; (*line)++) {
        const token_row *this = &list->row[*line - 1];
        for (uint32_t i = 0; i + 1 < *line; i++) {
            const token_row *before = &list->row[i];
            bool same_name = strcmp(before->name, this->name) == 0;
            bool same_hash = memcmp(before->hash, this->hash, sizeof this->hash) == 0;
            if (!same_name && !same_hash) continue;
            return sotto__refuse(fault, "the %s is also in line %u; allowed once",
                                 same_name ? "name" : "hash", i + 1);
        }
    }
    if (list->count > 0) return SOTTO_OK;
    return sotto__refuse(fault, "the file has no token; allowed at least one");
}

sotto_status token_list_read(const char *text, size_t bytes, token_list *out, uint32_t *line,
                             sotto_fault *fault)
{
    *out = (token_list){.count = 0};
    for (*line = 1; bytes > 0; (*line)++) {
        const char *end = memchr(text, '\n', bytes);
        if (end == NULL) return sotto__refuse(fault, "the line does not end in a newline");
        if (out->count == TOKEN_LIST_MAX)
            return sotto__refuse(fault, "the file has too many tokens; allowed 64");
        token_row *row = &out->row[out->count++];
        if (read_row(text, (size_t)(end - text), row, fault) != SOTTO_OK) return SOTTO_E_FAULT;
        bytes -= (size_t)(end + 1 - text);
        text = end + 1;
    }
    return check(out, line, fault);
}

size_t token_list_write(const token_list *list, char out[TOKEN_LIST_BYTES])
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < list->count; i++) {
        const token_row *row = &list->row[i];
        char digits[HASH_DIGITS + 1];
        hex_write(row->hash, sizeof row->hash, digits);
        const char *role = token_role_name(row->role);
        used += (size_t)snprintf(out + used, TOKEN_LIST_BYTES - used, "%s %s", role, digits);
        if (strcmp(role, row->name) != 0 || row->last_day != 0)
            used += (size_t)snprintf(out + used, TOKEN_LIST_BYTES - used, " %s", row->name);
        if (row->last_day != 0)
            used += (size_t)snprintf(out + used, TOKEN_LIST_BYTES - used, " %04u-%02u-%02u",
                                     row->last_day / 10000, row->last_day / 100 % 100,
                                     row->last_day % 100);
        used += (size_t)snprintf(out + used, TOKEN_LIST_BYTES - used, "\n");
    }
    return used;
}
