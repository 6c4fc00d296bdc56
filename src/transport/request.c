/* A request as libcurl makes it. Everything that could tell one device from another is off. */
#include "request.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES_MAX 65536u
#define RETRY_AFTER_MAX_S 86400l

static size_t take_body(char *data, size_t size, size_t count, void *user)
{
    sotto__request *request = user;
    size_t bytes = size * count, room = request->body_max - request->body_bytes;
    if (bytes > room) {
        request->too_long = true;
        return CURL_WRITEFUNC_ERROR;
    }
    if (bytes > 0) memcpy(request->body + request->body_bytes, data, bytes);
    request->body_bytes += bytes;
    return bytes;
}

/* Nothing of the head is kept, but it must end. */
static size_t take_head(char *data, size_t size, size_t count, void *user)
{
    sotto__request *request = user;
    (void)data;
    request->head_bytes += size * count;
    if (request->head_bytes <= HEAD_BYTES_MAX) return size * count;
    request->too_long = true;
    return CURL_WRITEFUNC_ERROR;
}

/* The folder of the system's certificates counts beside the file, unless it is taken away. */
static bool trust_alone(CURL *easy, const char *ca_file)
{
    return curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK;
}

/* A name that nobody resolves must not hold up a turn after the request's time is over. Older libraries
 * wait for their resolver. */
static void wait_for_no_name(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075700
    (void)curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1l);
#else
    (void)easy;
#endif
}

/* True if all went well. */
static bool set_up(sotto__request *request, const sotto_wire_options *options)
{
    CURL *easy = request->easy;
    long timeout_ms = (long)options->timeout_ms, alone = !options->keep_connections;
    wait_for_no_name(easy);
    return curl_easy_setopt(easy, CURLOPT_PRIVATE, request) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, request->why) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, request) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_head) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERDATA, request) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1l) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0l) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, timeout_ms) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOPROXY, "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK &&
           /* A session or a connection that is used again says who was here before, as a cookie does. */
           curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0l) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, alone) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, alone) == CURLE_OK &&
           (options->ca_file == NULL || trust_alone(easy, options->ca_file));
}

sotto_status sotto__request_make(sotto__request *request, sotto_wire *wire,
                                 void (*done)(sotto__request *, const sotto__answer *))
{
    *request = (sotto__request){.wire = wire, .done = done};
    request->easy = curl_easy_init();
    if (request->easy != NULL && set_up(request, &wire->options)) return SOTTO_OK;
    sotto__request_free(request);
    return SOTTO_E_MEMORY;
}

void sotto__request_stop(sotto__request *request)
{
    if (request->running) {
        curl_multi_remove_handle(request->wire->multi, request->easy);
        request->wire->under_way--;
    }
    request->running = false;
    curl_easy_setopt(request->easy, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(request->headers);
    request->headers = NULL;
}

void sotto__request_free(sotto__request *request)
{
    if (request->easy != NULL) {
        sotto__request_stop(request);
        curl_easy_cleanup(request->easy);
    }
    free(request->body);
    request->easy = NULL;
    request->body = NULL;
}

/* A handle asks once. libcurl before 8.1.0 keeps a pointer into the head of the last answer after it freed that, and
 * writes there if the next head begins with a blank: curl/curl pull request 11103. */
static bool renew(sotto__request *request)
{
    if (!request->used) return true;
    CURL *fresh = curl_easy_duphandle(request->easy);
    if (fresh == NULL) return false;
    curl_easy_cleanup(request->easy);
    request->easy = fresh;
    request->used = false;
    return true;
}

static bool make_room(sotto__request *request, size_t body_max)
{
    uint8_t *body = realloc(request->body, body_max);
    if (body == NULL) return false;
    request->body = body;
    request->body_max = body_max;
    return true;
}

/* Plain http stays on this machine, so no proxy may see it. */
static bool aim(sotto__request *request, const sotto__url *url, const char *leaf)
{
    char text[SOTTO__URL_BYTES_MAX + 16];
    const char *proxy = request->wire->options.proxy;
    if (url->plain || proxy == NULL) proxy = "";
    snprintf(text, sizeof text, "%s/%s", url->text, leaf);
    return curl_easy_setopt(request->easy, CURLOPT_URL, text) == CURLE_OK &&
           curl_easy_setopt(request->easy, CURLOPT_PROXY, proxy) == CURLE_OK &&
           curl_easy_setopt(request->easy, CURLOPT_PROTOCOLS_STR, url->plain ? "http" : "https") ==
               CURLE_OK;
}

static sotto_status start(sotto__request *request)
{
    request->body_bytes = 0;
    request->head_bytes = 0;
    request->too_long = false;
    request->why[0] = '\0';
    if (curl_multi_add_handle(request->wire->multi, request->easy) != CURLM_OK)
        return SOTTO_E_MEMORY;
    request->running = request->used = true;
    request->wire->under_way++;
    return SOTTO_OK;
}

sotto_status sotto__request_get(sotto__request *request, const sotto__url *url, const char *leaf,
                                size_t body_max, const uint32_t *epoch)
{
    char tag[40];
    if (!renew(request) || !make_room(request, body_max) || !aim(request, url, leaf))
        return SOTTO_E_MEMORY;
    if (epoch != NULL) {
        snprintf(tag, sizeof tag, "If-None-Match: \"%u\"", *epoch);
        request->headers = curl_slist_append(NULL, tag);
        if (request->headers == NULL) return SOTTO_E_MEMORY;
    }
    if (curl_easy_setopt(request->easy, CURLOPT_HTTPGET, 1l) != CURLE_OK ||
        curl_easy_setopt(request->easy, CURLOPT_HTTPHEADER, request->headers) != CURLE_OK)
        return SOTTO_E_MEMORY;
    return start(request);
}

static bool append(struct curl_slist **list, const char *header)
{
    struct curl_slist *longer = curl_slist_append(*list, header);
    if (longer == NULL) return false;
    *list = longer;
    return true;
}

void *sotto__request_headers(const char *report_key)
{
    struct curl_slist *list = NULL;
    char text[SOTTO__KEY_BYTES_MAX + 32];
    snprintf(text, sizeof text, "Sotto-Report-Key: %s", report_key != NULL ? report_key : "");
    if (append(&list, "Content-Type: application/octet-stream") && append(&list, "Expect:") &&
        (report_key == NULL || append(&list, text)))
        return list;
    curl_slist_free_all(list);
    return NULL;
}

void sotto__request_headers_free(void *headers)
{
    curl_slist_free_all(headers);
}

sotto_status sotto__request_post(sotto__request *request, const sotto__url *url, void *headers,
                                 const uint8_t *frames, size_t bytes)
{
    if (!renew(request) || !make_room(request, SOTTO__ANSWER_BYTES_MAX) ||
        !aim(request, url, "reports"))
        return SOTTO_E_MEMORY;
    if (curl_easy_setopt(request->easy, CURLOPT_POST, 1l) != CURLE_OK ||
        curl_easy_setopt(request->easy, CURLOPT_HTTPHEADER, headers) != CURLE_OK ||
        curl_easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes) !=
            CURLE_OK ||
        curl_easy_setopt(request->easy, CURLOPT_POSTFIELDS, frames) != CURLE_OK)
        return SOTTO_E_MEMORY;
    return start(request);
}

/* Seconds alone: a device need not read dates. */
static uint64_t retry_after_ms(CURL *easy)
{
    struct curl_header *header;
    char *end;
    if (curl_easy_header(easy, "Retry-After", 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return 0;
    long seconds = strtol(header->value, &end, 10);
    if (end == header->value || *end != '\0' || seconds < 0) return 0;
    return 1000 * (uint64_t)(seconds < RETRY_AFTER_MAX_S ? seconds : RETRY_AFTER_MAX_S);
}

/* libcurl's words may have some of the server's in them, such as the name in a certificate: what a
 * terminal would obey is not for people. */
static void make_printable(char *text)
{
    for (; *text != '\0'; text++) {
        if (*text < ' ' || *text > '~') *text = '?';
    }
}

/* libcurl hands on whatever number a server has in its first line. */
static bool is_status(long status)
{
    return status >= 100 && status <= 999;
}

void sotto__request_end(void *easy, int code)
{
    sotto__request *request = NULL;
    sotto__answer answer = {0};
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &request);
    if (code == CURLE_OK || request->too_long) {
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer.status);
        answer.retry_after_ms = retry_after_ms(easy);
    }
    make_printable(request->why);
    if (!is_status(answer.status)) answer = (sotto__answer){.why = "its first line has no status"};
    if (code != CURLE_OK)
        answer.why = request->why[0] != '\0' ? request->why : curl_easy_strerror((CURLcode)code);
    answer.body = request->body;
    answer.body_bytes = request->body_bytes;
    answer.too_long = request->too_long;
    sotto__request_stop(request);
    request->done(request, &answer);
}
