/* A client of a server's admin port: libcurl makes the requests, jansson reads the JSON. */
#include "fleet.h"

#include "core/core.h"

#include <curl/curl.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_BYTES_MAX (4u << 20)
#define TOKEN_BYTES_MAX 200u
#define TIMEOUT_S 20L

struct sotto__admin {
    CURL *curl; /* the template: each request uses a copy of it */
    struct curl_slist *headers;
    char server[SOTTO__URL_BYTES_MAX + 1]; /* without a slash at its end */
    char *answer;                          /* answer_bytes long, in a buffer of room_bytes */
    size_t answer_bytes, room_bytes;
    char error[CURL_ERROR_SIZE];
};

/* ---- made and freed ----------------------------------------------------------------------- */

void sotto__admin_free(sotto__admin *admin)
{
    if (admin == NULL) return;
    if (admin->curl != NULL) curl_easy_cleanup(admin->curl);
    curl_slist_free_all(admin->headers);
    free(admin->answer);
    free(admin);
}

static sotto_status read_token(const char *path, char token[TOKEN_BYTES_MAX + 1],
                               sotto_fault *fault)
{
    char line[TOKEN_BYTES_MAX + 3]; /* room for \r\n, and one byte to detect a longer line */
    FILE *file = fopen(path, "rb");
    if (file == NULL) return sotto__refuse(fault, "%.200s: %s", path, strerror(errno));
    size_t bytes = fread(line, 1, sizeof line, file);
    fclose(file);
    bool fits = bytes < sizeof line; /* the whole file was read */
    while (bytes > 0 && (line[bytes - 1] == '\n' || line[bytes - 1] == '\r')) {
        bytes--;
    }
    fits = fits && bytes > 0 && bytes <= TOKEN_BYTES_MAX;
    for (size_t i = 0; fits && i < bytes; i++) {
        fits = line[i] > ' ' && line[i] < 127;
    }
    if (!fits) return sotto__refuse(fault, "%.200s: is not a token of sottod", path);
    memcpy(token, line, bytes);
    token[bytes] = '\0';
    return SOTTO_OK;
}

static size_t keep(char *bytes, size_t size, size_t count, void *state)
{
    sotto__admin *admin = state;
    size_t more = size * count, all = admin->answer_bytes + more;
    if (all >= ANSWER_BYTES_MAX) return 0; /* makes libcurl end the transfer */
    if (all >= admin->room_bytes) {
        size_t room_bytes = 2 * all + 1;
        char *room = realloc(admin->answer, room_bytes);
        if (room == NULL) return 0;
        admin->answer = room;
        admin->room_bytes = room_bytes;
    }
    memcpy(admin->answer + admin->answer_bytes, bytes, more);
    admin->answer_bytes = all;
    return more;
}

/* No redirect and no proxy, so that only this server receives the token. */
static bool set_up(sotto__admin *admin, const char *ca_file)
{
    CURL *curl = admin->curl;
    CURLcode code = curl_easy_setopt(curl, CURLOPT_HTTPHEADER, admin->headers);
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_PROXY, "");
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_TIMEOUT, TIMEOUT_S);
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_WRITEDATA, admin);
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, admin->error);
    if (code == CURLE_OK && ca_file != NULL) {
        code = curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file);
        /* Otherwise the system's certificates would also be trusted. */
        if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
    }
    return code == CURLE_OK;
}

sotto_status sotto__admin_new(const char *server, const char *token_file, const char *ca_file,
                              sotto__admin **out, sotto_fault *fault)
{
    static const char any_id[] = "00000000000000000000000000000000";
    char token[TOKEN_BYTES_MAX + 1], header[TOKEN_BYTES_MAX + 32];
    sotto__url url;
    *out = NULL;
    if (sotto__place_join("admin", server, any_id, &url, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (read_token(token_file, token, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto__admin *admin = calloc(1, sizeof *admin);
    if (admin == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    snprintf(admin->server, sizeof admin->server, "%s", server);
    size_t bytes = strlen(admin->server);
    if (admin->server[bytes - 1] == '/') admin->server[bytes - 1] = '\0';
    snprintf(header, sizeof header, "Authorization: Bearer %s", token);
    admin->headers = curl_slist_append(NULL, header);
    admin->curl = curl_easy_init();
    if (admin->headers == NULL || admin->curl == NULL || !set_up(admin, ca_file)) {
        sotto__admin_free(admin);
        return sotto__refuse(fault, "libcurl cannot be used");
    }
    *out = admin;
    return SOTTO_OK;
}

/* ---- asked -------------------------------------------------------------------------------- */

/* Uses a new handle for each request, for the reason given in transport/requests_curl.c. */
static CURLcode ask(sotto__admin *admin, const char *url, long *status)
{
    CURL *curl = curl_easy_duphandle(admin->curl);
    if (curl == NULL) return CURLE_OUT_OF_MEMORY;
    CURLcode code = curl_easy_setopt(curl, CURLOPT_URL, url);
    if (code == CURLE_OK) code = curl_easy_perform(curl);
    if (code == CURLE_OK) code = curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
    curl_easy_cleanup(curl);
    return code;
}

/* Makes a GET request for a path. */
static sotto_status get(sotto__admin *admin, const char *path, sotto_fault *fault)
{
    char url[SOTTO__URL_BYTES_MAX + 100];
    long status = 0;
    snprintf(url, sizeof url, "%s%s", admin->server, path);
    admin->answer_bytes = 0;
    admin->error[0] = '\0';
    CURLcode code = ask(admin, url, &status);
    if (code != CURLE_OK) {
        const char *why = admin->error[0] != '\0' ? admin->error : curl_easy_strerror(code);
        return sotto__refuse(fault, "admin %.200s: no answer: %.200s", admin->server, why);
    }
    if (status != 200) {
        const char *why = status == 401   ? ": the token is not valid for this server"
                          : status == 404 ? ": it has no such experiment"
                          : status == 410 ? ": the experiment was deleted"
                                          : "";
        return sotto__refuse(fault, "admin %.200s: answer %ld%s", admin->server, status, why);
    }
    return SOTTO_OK;
}

static sotto__admin_answer answer_of(const sotto__admin *admin)
{
    return (sotto__admin_answer){admin->server, admin->answer, admin->answer_bytes};
}

sotto_status sotto__admin_get(sotto__admin *admin, const char *path, sotto__admin_answer *out,
                              sotto_fault *fault)
{
    if (get(admin, path, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    *out = answer_of(admin);
    return SOTTO_OK;
}

void sotto__admin_token_usual(char path[SOTTO__PATH_BYTES])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state != NULL && state[0] == '/') {
        snprintf(path, SOTTO__PATH_BYTES, "%s/sotto/reader.token", state);
    } else {
        snprintf(path, SOTTO__PATH_BYTES, "%s/.local/state/sotto/reader.token",
                 home != NULL ? home : "");
    }
}

/* Returns NULL with a fault on failure. */
static json_t *read_json(const sotto__admin_answer *answer, sotto_fault *fault)
{
    json_error_t error;
    json_t *json = json_loadb(answer->body, answer->bytes, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL) {
        sotto__refuse(fault, "admin %.200s: its answer is not JSON: %.100s", answer->server,
                      error.text);
    }
    return json;
}

static bool read_count(const json_t *of, const char *key, uint64_t *out)
{
    const json_t *value = json_object_get(of, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *out = (uint64_t)json_integer_value(value);
    return true;
}

sotto_status sotto__admin_counts(sotto__admin *admin, const char *id, sotto__check_counts *out,
                                 sotto_fault *fault)
{
    char path[100];
    snprintf(path, sizeof path, "/v1/experiments/%.32s", id);
    if (get(admin, path, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    const sotto__admin_answer answer = answer_of(admin);
    return sotto__admin_read_counts(&answer, out, fault);
}

sotto_status sotto__admin_read_counts(const sotto__admin_answer *answer, sotto__check_counts *out,
                                      sotto_fault *fault)
{
    json_t *json = read_json(answer, fault);
    if (json == NULL) return SOTTO_E_FAULT;
    const json_t *reports = json_object_get(json, "reports");
    sotto__check_counts counts;
    bool whole = read_count(reports, "folded", &counts.folded) &&
                 read_count(reports, "late", &counts.late) &&
                 read_count(reports, "duplicate", &counts.duplicate) &&
                 read_count(reports, "conflicting", &counts.conflicting);
    json_decref(json);
    if (!whole)
        return sotto__refuse(fault, "admin %.200s: its answer has no counts", answer->server);
    *out = counts;
    return SOTTO_OK;
}

static bool is_open(const json_t *row)
{
    const char *state = json_string_value(json_object_get(row, "state"));
    const char *id = json_string_value(json_object_get(row, "id"));
    return state != NULL && strcmp(state, "open") == 0 && id != NULL &&
           strlen(id) == SOTTO__ID_CHARS;
}

sotto_status sotto__admin_only(sotto__admin *admin, char id[SOTTO__ID_CHARS + 1],
                               sotto_fault *fault)
{
    if (get(admin, "/v1/experiments", fault) != SOTTO_OK) return SOTTO_E_FAULT;
    const sotto__admin_answer answer = answer_of(admin);
    return sotto__admin_read_only(&answer, id, fault);
}

sotto_status sotto__admin_read_only(const sotto__admin_answer *answer, char id[SOTTO__ID_CHARS + 1],
                                    sotto_fault *fault)
{
    json_t *json = read_json(answer, fault);
    if (json == NULL) return SOTTO_E_FAULT;
    const json_t *row;
    size_t i, open = 0;
    json_array_foreach(json_object_get(json, "experiments"), i, row)
    {
        if (!is_open(row)) continue;
        open++;
        snprintf(id, SOTTO__ID_CHARS + 1, "%s", json_string_value(json_object_get(row, "id")));
    }
    json_decref(json);
    if (open == 1) return SOTTO_OK;
    return sotto__refuse(fault, "experiment: %zu are open at %.200s; name one of them", open,
                         answer->server);
}
