/* Requests by libcurl, with everything off that could distinguish one device from another. */
#include "core/core.h"
#include "inner.h"

#include <curl/curl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES_MAX 65536u
#define RETRY_AFTER_MAX_S 86400l
#define CACHED_MORE 4 /* connections for models, besides those for reports */

typedef struct carrier {
    const sotto_wire_options *options;
    CURLM *multi;
} carrier;

/* A request under way. Each has a new handle, because libcurl before 8.1.0 keeps a pointer into the
 * freed head of the last answer, and writes to it if the next head begins with a blank (curl/curl
 * pull request 11103). */
typedef struct transfer {
    sotto_request *request;
    CURL *easy;
    struct curl_slist *headers;
    uint8_t *body;
    size_t body_bytes, head_bytes;
    bool too_long;
    char why[CURL_ERROR_SIZE]; /* the message of libcurl */
} transfer;

static size_t take_body(char *data, size_t size, size_t count, void *user)
{
    transfer *self = user;
    size_t bytes = size * count, room = self->request->answer_bytes_max - self->body_bytes;
    if (bytes > room) {
        self->too_long = true;
        return CURL_WRITEFUNC_ERROR;
    }
    if (bytes > 0) memcpy(self->body + self->body_bytes, data, bytes);
    self->body_bytes += bytes;
    return bytes;
}

/* Ignores the head of an answer, but limits its length. */
static size_t take_head(char *data, size_t size, size_t count, void *user)
{
    transfer *self = user;
    (void)data;
    self->head_bytes += size * count;
    if (self->head_bytes <= HEAD_BYTES_MAX) return size * count;
    self->too_long = true;
    return CURL_WRITEFUNC_ERROR;
}

/* Trusts only the certificates in the file. Without CAPATH = NULL, libcurl would also trust the
 * system's directory of certificates. */
static bool trust_alone(CURL *easy, const char *ca_file)
{
    return curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK;
}

/* Makes libcurl not wait for a name that does not resolve when the request has timed out, so that
 * it does not block a turn. Older versions of libcurl wait for their resolver. */
static void wait_for_no_name(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075700
    (void)curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1l);
#else
    (void)easy;
#endif
}

/* Sets the options of the handle. True on success. */
static bool set_up(transfer *self, const sotto_wire_options *options)
{
    CURL *easy = self->easy;
    long timeout_ms = (long)options->timeout_ms, alone = !options->keep_connections;
    wait_for_no_name(easy);
    return curl_easy_setopt(easy, CURLOPT_PRIVATE, self) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, self->why) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, self) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_head) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERDATA, self) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1l) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0l) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, timeout_ms) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOPROXY, "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK &&
           /* A reused session or connection identifies a returning device, as a cookie does. */
           curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0l) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, alone) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, alone) == CURLE_OK &&
           (options->ca_file == NULL || trust_alone(easy, options->ca_file));
}

/* Sets URL and proxy. Plain http stays on this machine, so it uses no proxy. */
static bool aim(const transfer *self, const sotto_wire_options *options)
{
    const char *url = self->request->url;
    bool plain = strncmp(url, "http:", 5) == 0;
    const char *proxy = plain || options->proxy == NULL ? "" : options->proxy;
    return curl_easy_setopt(self->easy, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(self->easy, CURLOPT_PROXY, proxy) == CURLE_OK &&
           curl_easy_setopt(self->easy, CURLOPT_PROTOCOLS_STR, plain ? "http" : "https") ==
               CURLE_OK;
}

static bool append(struct curl_slist **list, const char *header)
{
    struct curl_slist *longer = curl_slist_append(*list, header);
    if (longer == NULL) return false;
    *list = longer;
    return true;
}

static bool add_headers(transfer *self)
{
    const sotto_request *request = self->request;
    char text[SOTTO__KEY_BYTES_MAX + 32];
    if (request->has_epoch) {
        sotto__format(text, sizeof text, "If-None-Match: \"%u\"", request->epoch);
        return append(&self->headers, text);
    }
    if (request->body == NULL) return true;
    sotto__format(text, sizeof text, "Sotto-Report-Key: %s",
                  request->report_key != NULL ? request->report_key : "");
    return append(&self->headers, "Content-Type: application/octet-stream") &&
           append(&self->headers, "Expect:") &&
           (request->report_key == NULL || append(&self->headers, text));
}

static bool fill(const transfer *self)
{
    const sotto_request *request = self->request;
    CURL *easy = self->easy;
    if (curl_easy_setopt(easy, CURLOPT_HTTPHEADER, self->headers) != CURLE_OK) return false;
    if (request->body == NULL) return curl_easy_setopt(easy, CURLOPT_HTTPGET, 1l) == CURLE_OK;
    return curl_easy_setopt(easy, CURLOPT_POST, 1l) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_bytes) ==
               CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body) == CURLE_OK;
}

static void transfer_free(transfer *self)
{
    curl_easy_cleanup(self->easy);
    curl_slist_free_all(self->headers);
    free(self->body);
    free(self);
}

static sotto_status start(void *state, sotto_request *request)
{
    const carrier *curl = state;
    transfer *self = calloc(1, sizeof *self);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->request = request;
    self->easy = curl_easy_init();
    self->body = malloc(request->answer_bytes_max);
    if (self->easy == NULL || self->body == NULL || !set_up(self, curl->options) ||
        !aim(self, curl->options) || !add_headers(self) || !fill(self) ||
        curl_multi_add_handle(curl->multi, self->easy) != CURLM_OK) {
        transfer_free(self);
        return SOTTO_E_MEMORY;
    }
    request->own = self;
    return SOTTO_OK;
}

static void stop(void *state, sotto_request *request)
{
    const carrier *curl = state;
    transfer *self = request->own;
    curl_multi_remove_handle(curl->multi, self->easy);
    transfer_free(self);
}

/* Retry-After in seconds; the form with a date is ignored. */
static uint64_t retry_after_ms(CURL *easy)
{
    struct curl_header *header;
    char *end;
    if (curl_easy_header(easy, "Retry-After", 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return 0;
    long seconds = strtol(header->value, &end, 10);
    if (end == header->value || *end != '\0' || seconds < 0) return 0;
    return 1000 * (uint64_t)(seconds < RETRY_AFTER_MAX_S ? seconds : RETRY_AFTER_MAX_S);
}

static void finish(const carrier *curl, transfer *self, CURLcode code)
{
    sotto_answer answer = {
        .body = self->body, .body_bytes = self->body_bytes, .too_long = self->too_long};
    if (code == CURLE_OK || self->too_long) {
        curl_easy_getinfo(self->easy, CURLINFO_RESPONSE_CODE, &answer.status);
        answer.retry_after_ms = retry_after_ms(self->easy);
    }
    if (code != CURLE_OK) answer.why = self->why[0] != '\0' ? self->why : curl_easy_strerror(code);
    curl_multi_remove_handle(curl->multi, self->easy);
    sotto_request_answer(self->request, &answer);
    transfer_free(self);
}

/* Lets libcurl work, and passes on the answers of requests that have ended. */
static sotto_status work(const carrier *curl)
{
    int running, left;
    if (curl_multi_perform(curl->multi, &running) != CURLM_OK) return SOTTO_E_MEMORY;
    for (CURLMsg *message = curl_multi_info_read(curl->multi, &left); message != NULL;
         message = curl_multi_info_read(curl->multi, &left)) {
        transfer *self = NULL;
        if (message->msg != CURLMSG_DONE) continue;
        CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &self);
        finish(curl, self, code);
    }
    return SOTTO_OK;
}

static sotto_status turn(void *state, uint32_t timeout_ms)
{
    const carrier *curl = state;
    if (timeout_ms > INT_MAX) timeout_ms = INT_MAX;
    if (timeout_ms > 0 && curl_multi_poll(curl->multi, NULL, 0, (int)timeout_ms, NULL) != CURLM_OK)
        return SOTTO_E_MEMORY;
    return work(curl);
}

const char *sotto__requests_missing(void)
{
    return NULL;
}

sotto_status sotto__requests_new(const sotto_wire_options *options, sotto_requests *out)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return SOTTO_E_MEMORY;
    long cached = (long)options->requests_max + CACHED_MORE;
    carrier *curl = calloc(1, sizeof *curl);
    if (curl == NULL) {
        curl_global_cleanup();
        return SOTTO_E_MEMORY;
    }
    curl->options = options;
    curl->multi = curl_multi_init();
    if (curl->multi == NULL ||
        curl_multi_setopt(curl->multi, CURLMOPT_MAXCONNECTS, cached) != CURLM_OK ||
        curl_multi_setopt(curl->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING) != CURLM_OK) {
        sotto__requests_free(curl);
        return SOTTO_E_MEMORY;
    }
    *out = (sotto_requests){SOTTO_REQUESTS_VERSION, curl, start, stop, turn};
    return SOTTO_OK;
}

void sotto__requests_free(void *state)
{
    carrier *curl = state;
    if (curl == NULL) return;
    if (curl->multi != NULL) curl_multi_cleanup(curl->multi);
    free(curl);
    curl_global_cleanup();
}
