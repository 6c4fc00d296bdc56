#include "inner.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ==== stopped ================================================================================ */

static bool has(const api_stopped *list, const char *id)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->id[i], id) == 0) return true;
    }
    return false;
}

void stopped_list(const api_service *service, api_stopped *out)
{
    const char *id;
    out->count = 0;
    if (service->publisher != NULL)
        out->count = publisher_stopped(service->publisher, out->id, PUBLISHER_STOPPED_MAX);
    for (uint32_t i = 0; (id = experiments_damaged(service->experiments, i)) != NULL; i++) {
        if (out->count < PUBLISHER_STOPPED_MAX && !has(out, id))
            memcpy(out->id[out->count++], id, SPEC_ID_TEXT_BYTES);
    }
}

/* ==== error json ============================================================================= */

/* A refusal as JSON, written without jansson, so that it needs no memory. */

/* The length of the UTF-8 character at `text` (RFC 3629); 0 if it is invalid. */
static size_t letter_bytes(const unsigned char *text)
{
    unsigned char c = text[0];
    size_t bytes = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : 4;
    if (c >= 0x80 && (c < 0xc2 || c > 0xf4)) return 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0; /* also true for the end of the text */
    }
    if (c == 0xe0 && text[1] < 0xa0) return 0;
    if (c == 0xed && text[1] > 0x9f) return 0;
    if (c == 0xf0 && text[1] < 0x90) return 0;
    if (c == 0xf4 && text[1] > 0x8f) return 0;
    return bytes;
}

static char *put_letter(char *out, const unsigned char *text, size_t bytes)
{
    if (bytes == 0) {
        *out = '?';
        return out + 1;
    }
    if (bytes == 1 && (*text < 0x20 || *text == 0x7f || *text == '"' || *text == '\\')) {
        return out + snprintf(out, 7, "\\u%04x", *text);
    }
    memcpy(out, text, bytes);
    return out + bytes;
}

static char *put_pair(char *out, const char *before, const char *name, const char *text)
{
    out += sprintf(out, "%s\"%s\":", before, name);
    if (text[0] == '\0') return out + sprintf(out, "null");
    *out++ = '"';
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        size_t bytes = letter_bytes(at);
        out = put_letter(out, at, bytes);
        at += bytes > 0 ? bytes : 1;
    }
    *out++ = '"';
    return out;
}

size_t error_json(const sottod_refusal *why, char out[ERROR_JSON_BYTES])
{
    char *end = put_pair(out, "{", "error", why->fault.sentence);
    end = put_pair(end, ",", "field", why->fault.field);
    end = put_pair(end, ",", "value", why->fault.value);
    end = put_pair(end, ",", "allowed", why->fault.allowed);
    *end++ = '}';
    assert((size_t)(end - out) <= ERROR_JSON_BYTES);
    return (size_t)(end - out);
}

/* ==== negotiate ============================================================================== */

bool negotiate_has_tag(const char *list, const char *tag)
{
    if (list == NULL) return false;
    for (list += strspn(list, " \t,"); *list != '\0'; list += strspn(list, " \t,")) {
        if (*list == '*') return true;
        if (strncmp(list, "W/", 2) == 0) list += 2;
        size_t bytes = strcspn(list, " \t,");
        if (bytes == strlen(tag) && strncmp(list, tag, bytes) == 0) return true;
        list += bytes;
    }
    return false;
}

/* Whether parameters such as ";q=0.000" forbid the coding before them. */
static bool is_refused(const char *parameters, size_t bytes)
{
    for (size_t i = 0; i + 1 < bytes; i++) {
        if (strncasecmp(parameters + i, "q=", 2) != 0) continue;
        size_t zeros = strspn(parameters + i + 2, "0.");
        const char *behind = parameters + i + 2 + zeros;
        /* strchr also finds the end of the text */
        return zeros > 0 && strchr(" \t,;", *behind) != NULL;
    }
    return false;
}

bool negotiate_gzip(const char *list)
{
    bool any = false;
    if (list == NULL) return false;
    for (list += strspn(list, " \t,"); *list != '\0'; list += strspn(list, " \t,")) {
        size_t name = strcspn(list, " \t,;"), all = strcspn(list, ",");
        bool taken = !is_refused(list + name, all - name);
        if (name == 4 && strncasecmp(list, "gzip", 4) == 0) return taken;
        if (name == 1 && *list == '*') any = taken;
        list += all;
    }
    return any;
}

/* ==== answer ================================================================================= */

/* The form of answers. */

void answers_init(api_answers *answers, const answer_style *style)
{
    memset(answers, 0, sizeof *answers);
    answers->style = style;
}

void answers_end(api_answers *answers)
{
    free(answers->text);
    answers->text = NULL;
}

void answer_add_header(front_answer *out, const char *name, const char *value)
{
    assert(out->headers < FRONT_HEADERS_MAX);
    out->header[out->headers++] = (front_header){name, value};
}

void answer_bytes(api_answers *answers, uint32_t status, const char *type, const void *body,
                  size_t bytes, front_answer *out)
{
    *out = (front_answer){.status = status, .type = type, .body = body, .body_bytes = bytes};
    for (size_t i = 0; i < sizeof answers->style->header / sizeof(front_header); i++) {
        const front_header *header = &answers->style->header[i];
        if (header->name != NULL) answer_add_header(out, header->name, header->value);
    }
}

void answer_empty(api_answers *answers, uint32_t status, front_answer *out)
{
    answer_bytes(answers, status, NULL, NULL, 0, out);
}

void answer_text(api_answers *answers, uint32_t status, const char *type, char *text, size_t bytes,
                 front_answer *out)
{
    free(answers->text);
    answers->text = text;
    if (text != NULL) {
        answer_bytes(answers, status, type, text, bytes, out);
        return;
    }
    sottod_refusal why;
    refusal_set_lack(&why, LACK_MEMORY, "The server has too little memory for the answer.");
    answer_refusal(answers, &why, out);
}

void answer_json(api_answers *answers, uint32_t status, json_t *body, front_answer *out)
{
    char *text = body != NULL ? json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_decref(body);
    answer_text(answers, status, "application/json", text, text != NULL ? strlen(text) : 0, out);
}

static front_refusal counted_as(const sottod_refusal *why)
{
    switch (why->lacks) {
    case LACK_NOTHING:
        if (why->status == 413) return FRONT_REFUSED_LENGTH;
        return why->status == 403 && strcmp(why->fault.field, "Origin") == 0 ? FRONT_REFUSED_ORIGIN
                                                                             : FRONT_REFUSED_ROUTE;
    case LACK_JOURNAL: return FRONT_REFUSED_JOURNAL;
    case LACK_NONCES: return FRONT_REFUSED_NONCES;
    case LACK_MEMORY: return FRONT_REFUSED_MEMORY;
    }
    return FRONT_REFUSED_ROUTE;
}

void answer_refusal(api_answers *answers, const sottod_refusal *why, front_answer *out)
{
    size_t bytes = error_json(why, answers->error);
    answer_bytes(answers, why->status, "application/json", answers->error, bytes, out);
    out->why = counted_as(why);
    if (why->status == 503 || why->status == 429) answer_add_header(out, "Retry-After", "1");
    if (why->status == 401) {
        answer_add_header(out, "WWW-Authenticate", "Bearer realm=\"sottod\"");
    }
}

void answer_front_refusal(api_answers *answers, uint32_t status, const char *sentence,
                          const char *allowed, front_answer *out)
{
    static const struct {
        uint32_t status;
        const char *field;
    } parts[] = {
        {411, "Content-Length"}, {413, "body"}, {414, "path"}, {429, "address"}, {431, "head"}};
    sottod_refusal why;
    const char *field = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].status == status) field = parts[i].field;
    }
    refusal_set(&why, status, sentence, field, NULL, allowed);
    answer_refusal(answers, &why, out);
}

/* ==== page =================================================================================== */

const page_file *page_asked(const front_request *request)
{
    if (front_request_method(request) != FRONT_GET) return NULL;
    return pages_find(front_request_path(request));
}

/* After an upgrade a browser must not mix files of two versions, so it asks each time and gets 304. */
void page_answer(api_answers *answers, const front_request *request, const page_file *page,
                 front_answer *out)
{
    static const answer_style own = {{{"X-Content-Type-Options", "nosniff"},
                                      {"Referrer-Policy", "no-referrer"},
                                      {"Content-Security-Policy", PAGES_POLICY}}};
    const answer_style *before = answers->style;
    answers->style = &own;
    if (negotiate_has_tag(front_request_header(request, "If-None-Match"), page->tag)) {
        answer_empty(answers, 304, out);
    } else {
        answer_bytes(answers, 200, page->type, page->bytes, page->bytes_count, out);
    }
    answers->style = before;
    answer_add_header(out, "ETag", page->tag);
    answer_add_header(out, "Cache-Control", "no-cache");
}
