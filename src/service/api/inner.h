/* What files of this room share. */
#ifndef SOTTO_SERVICE_API_INNER_H
#define SOTTO_SERVICE_API_INNER_H

#include "api.h"
#include "service/experiment/experiment.h"
#include "service/front/front.h"
#include "service/pages/pages.h"
#include "service/store/store.h"
#include "service/system/system.h"

#include <sotto/core.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- error_json ----------------------------------------------------------------------------- */

/* A refusal as the body of an answer: {"error":…,"field":…,"value":…,"allowed":…}. */

/* Room for the longest refusal with every byte escaped. */
#define ERROR_JSON_BYTES (6u * sizeof(sottod_refusal) + 64u)

/* Writes the body and returns its length. Empty texts become null; bytes that are not UTF-8, for example where a text
 * was cut within a character, become question marks. Allocates nothing. */
size_t error_json(const sottod_refusal *why, char out[ERROR_JSON_BYTES]);

/* ---- answer --------------------------------------------------------------------------------- */

/* Making answers. A port holds the memory of its last answer; the front copies it before it asks again. */

/* What all answers of a port have in common. */
typedef struct answer_style {
    front_header header[3]; /* in every answer; a name that is NULL: none */
} answer_style;

typedef struct api_answers {
    const answer_style *style;
    char *text; /* of the last answer; NULL or from malloc */
    char error[ERROR_JSON_BYTES];
} api_answers;

void answers_init(api_answers *answers, const answer_style *style);
void answers_end(api_answers *answers);

/* An answer without a body. */
void answer_empty(api_answers *answers, uint32_t status, front_answer *out);
/* The bytes must stay in place until the call returns. */
void answer_bytes(api_answers *answers, uint32_t status, const char *type, const void *body,
                  size_t bytes, front_answer *out);
/* Takes ownership of the JSON. NULL, as from json_pack without memory: 503. */
void answer_json(api_answers *answers, uint32_t status, json_t *body, front_answer *out);
/* Takes ownership of a text from malloc. */
void answer_text(api_answers *answers, uint32_t status, const char *type, char *text, size_t bytes,
                 front_answer *out);
/* {error, field, value, allowed}; 503 says when to retry, 401 how to authenticate. */
void answer_refusal(api_answers *answers, const sottod_refusal *why, front_answer *out);
/* A refusal by the front: the status tells which part of the request is at fault. `allowed` may be NULL. */
void answer_front_refusal(api_answers *answers, uint32_t status, const char *sentence,
                          const char *allowed, front_answer *out);
/* The value must live as long as the answer. */
void answer_add_header(front_answer *out, const char *name, const char *value);

/* ---- page ----------------------------------------------------------------------------------- */

/* The file that a browser requests by GET, and its answer (service/pages/pages.h). */

/* NULL: the path names none. */
const page_file *page_asked(const front_request *request);
void page_answer(api_answers *answers, const front_request *request, const page_file *page,
                 front_answer *out);

/* ---- route ---------------------------------------------------------------------------------- */

/* Routes: rows of a table, found by method and path. */

/* Who may use a route. */
typedef enum route_access { ROUTE_ANYBODY, ROUTE_READER, ROUTE_ADMIN } route_access;

typedef struct api_route api_route;

/* A request to a route. */
typedef struct route_call {
    const front_request *request;
    sottod_experiment *experiment; /* named by the path; NULL: none */
    const api_route *route;        /* route_answer sets this and `why` */
    sottod_refusal *why;
} route_call;

struct api_route {
    front_method method;
    const char
        *path; /* "/v1/experiments/{id}/terms"; with arguments of the query: "/a{?one,two}" */
    route_access access;
    bool gone;           /* also answers for a deleted experiment */
    journal_state state; /* for routes that change the state: the new one */
    /* Sets the maximal length of the body; NULL: no body. False: *why. */
    bool (*admit)(const route_call *call, size_t *body_max, sottod_refusal *why);
    /* False: *call->why. True with an answer without status: the request waits. */
    bool (*answer)(void *port, const route_call *call, front_answer *answer);
};

/* A row of a table of routes. */
#define ROUTE(verb, at, who, ...)                                                                  \
    {                                                                                              \
        .method = FRONT_##verb, .path = at, .access = ROUTE_##who, __VA_ARGS__                     \
    }

typedef struct route_table {
    const api_route *route;
    size_t count;
    bool options; /* every path also has OPTIONS, answered by the port itself */
} route_table;

#define ROUTE_ALLOW_BYTES 48u

/* The route of a request, and the experiment of its path. NULL, and *why: 404 for an unknown path, id or experiment,
 * 405 (`allow` then lists the methods of the path), 410 for a deleted experiment. */
const api_route *route_find(const route_table *table, sottod_experiments *all,
                            const front_request *request, route_call *call,
                            char allow[ROUTE_ALLOW_BYTES], sottod_refusal *why);
/* Lets the route answer, and answers with *call->why if it refuses. */
front_verdict route_answer(const api_route *route, void *port, api_answers *answers,
                           route_call *call, front_answer *answer);
/* False, and *why, if an argument of the query is unknown to the route, appears twice, or has no value. */
bool route_check_arguments(const api_route *route, const front_request *request,
                           sottod_refusal *why);
/* The experiment with this id. It may be deleted only if `route` allows that; NULL: no. False, and *why: 404, 410, or
 * 503 if it is damaged. */
bool route_find_experiment(sottod_experiments *all, const api_route *route, const char *text,
                           size_t bytes, route_call *call, sottod_refusal *why);
/* The index of a request's route in the table, from 1; 0: none. For `kind` of front_door. */
uint32_t route_kind(const route_table *table, const front_request *request);
/* The experiment named by a path "/v1/experiments/{id}/…"; NULL: none that can be used. */
sottod_experiment *route_experiment(sottod_experiments *all, const char *path);
/* The methods of a path, separated by commas. False: no route has this path. */
bool route_methods(const route_table *table, const char *path, char allow[ROUTE_ALLOW_BYTES]);
/* "GET", "POST", "PUT", "DELETE", "OPTIONS"; "other" otherwise. */
const char *route_method_name(front_method method);

/* All routes of each port; a test compares them with docs/openapi.json. */
route_table api_public_routes(void);
route_table api_admin_routes(void);

/* ---- audit ---------------------------------------------------------------------------------- */

/*
 * The audit: one log line per attempted administrative action, whether done or refused:
 *
 *     {"time":…,"level":"info","event":"admin","action":"pause","experiment":"5f0c…","token":"ops","role":"admin","status":200}
 *
 * It is written at every log level. `token` is the name of the token, never the token itself; "" if it is unknown. */

/* Whether requests with this method are actions: all methods except reading ones. */
bool audit_is_due(front_method method);
/* The action of a route: "create", "delete", "pause", …; "unknown" for NULL. */
const char *audit_action(const api_route *route);
/* `experiment` may be NULL. */
void audit_write(sottod_log *log, const auth_caller *who, const api_route *route,
                 const char *experiment, uint32_t status);

/* ---- card ----------------------------------------------------------------------------------- */

/* The privacy card: what an experiment promises its people, and what follows from its terms. */

/* The limits of a device whose owner has changed nothing: the numbers of sotto_policy_default, which this side may
 * not include. A test compares them. */
typedef struct card_limits {
    double epsilon_per_report_max;
    double epsilon_lifetime;
    double delta_max;
    double delta_lifetime;
    double measure_share_max;
} card_limits;
card_limits card_device_limits(void);

/* How many reports a new device with these limits sends to such an experiment over its lifetime; 0: none. */
uint64_t card_reports_per_device(const sotto_spec *spec);

typedef struct card_retention {
    uint32_t epoch_seconds_min;
    uint64_t epoch_reports_min;
    bool keep_reports;
} card_retention;

/* NULL: no memory. */
json_t *card_json(const sotto_terms *terms, const card_retention *retention);
/* A list of {error, field, value, allowed}: why devices would refuse such a spec. Usually empty. */
json_t *card_warnings(const sotto_spec *spec);

/* ---- origins -------------------------------------------------------------------------------- */

/*
 * Web pages (CORS). Any page may read terms, models, privacy, health and error messages. Reports are accepted from pages
 * that the experiment's owner lists, and from clients that send no Origin, such as devices. A page that is not listed is
 * refused before its report is read, and cannot read why. */

/* ["https://shop.example"] as text, separated by one blank; NULL is an empty list. False, and *why. */
bool origins_read(const json_t *list, char out[ACCESS_ORIGINS_BYTES], sottod_refusal *why);
/* The same from a whole body: {"origins": […]}. */
bool origins_read_body(const void *body, size_t bytes, char out[ACCESS_ORIGINS_BYTES],
                       sottod_refusal *why);
json_t *origins_json(const char *origins);

/* Whether reports with this Origin are accepted; NULL: no Origin. Otherwise 403. */
bool origins_admit(const sottod_experiment *experiment, const char *origin, sottod_refusal *why);

/* Why reports with this Origin would be refused now: "unlisted", "paused" or "closed"; NULL: they would be accepted. A
 * page cannot read the 403 to its reports and should spend no epsilon on them, so answers about the model say it. */
#define ORIGINS_REPORTS_HEADER "Sotto-Reports"
const char *origins_refusal(const sottod_experiment *experiment, const char *origin);

/* The headers of every answer to a request. `room` and `origin` must live as long as the style is used. The
 * experiment may be NULL. */
const answer_style *origins_style(const char *path, const sottod_experiment *experiment,
                                  const char *origin, answer_style *room);
/* Adds the headers for the answer to a report that was admitted with this Origin; NULL: adds nothing and returns
 * false. */
bool origins_dress(const char *origin, front_answer *answer);
/* Styles readable for all pages, as for errors without a path; and for none. */
const answer_style *origins_any(void);
const answer_style *origins_none(void);
/* Whether this is a path for reports. */
bool origins_is_for_reports(const char *path);

/* ---- json_read ------------------------------------------------------------------------------ */

/* Strict reading of JSON from outside: a body is checked once, and every fault names the path in it, the value there,
 * and what is allowed. */

#define JSON_READ_BYTES_MAX 65536u
#define JSON_READ_DEPTH_MAX 8u
#define JSON_READ_PATH_BYTES 64u

/* The object in these bytes, to be released with json_decref; NULL, and *why, for anything else: not JSON, not an
 * object, too long (413), too deep, a repeated key. */
json_t *json_read_object(const void *text, size_t bytes, sottod_refusal *why);

/* The path of a key: "spec.epsilon"; only the key if `above` is empty. An empty key is shown as two quotes, so that
 * no path is empty. */
void json_read_path(char path[JSON_READ_PATH_BYTES], const char *above, const char *key);

/* Refuses the value at a path: 400, with the value as JSON. NULL: there is no value. Returns false. */
bool json_read_refuse(sottod_refusal *why, const char *error, const char *path, const json_t *value,
                      const char *allowed);

/* True if all keys of an object are in the list. `path` is the object's path, empty for the outermost. */
bool json_read_known(json_t *object, const char *path, const char *const *names, size_t names_count,
                     sottod_refusal *why);

/* ---- spec_json ------------------------------------------------------------------------------ */

/* The settings of an experiment as JSON: {spec} and {learning}, with the names of core.h and cli/fleet/inner.h. The
 * two settings of epochs are in {learning}. Numbers are preserved to the bit. */

/* The default limit on how many epochs late a report may be. By default, reports come within SPEC_JSON_EPOCHS_AWAY
 * epochs; the rest is reserve for busy machines. */
#define SPEC_JSON_EPOCH_LAG_MAX 8u
#define SPEC_JSON_EPOCHS_AWAY 2u

/* Reads {spec} into request->spec. Missing fields have the values of sotto_spec_default for the reward_kind, which is
 * required; epoch_lag_max is SPEC_JSON_EPOCH_LAG_MAX. Also sets request->epoch_seconds_min to the least value that
 * covers reward_window_s + send_spread_s in epoch_lag_max epochs (if that is missing, in SPEC_JSON_EPOCHS_AWAY). */
bool spec_json_read(json_t *spec, experiment_request *request, sottod_refusal *why);
/* Reads {learning} into the rest of the request; NULL: it is missing. Missing fields have the values of
 * sotto_learning_default for the horizon, except those of epochs, which follow the schedule's rule; epoch_reports_min
 * is SOTTO__EPOCH_REPORTS_MIN, and epoch_seconds_min as set by spec_json_read. */
bool spec_json_read_learning(json_t *learning, const sotto_terms *terms,
                             experiment_request *request, sottod_refusal *why);

/* All fields; NULL: no memory. */
json_t *spec_json_write(const experiment_request *request);
json_t *spec_json_write_learning(const experiment_request *request);

/* spec.measure as a share of rounds: 0.1 for 429496730. */
double spec_json_share(uint32_t measure);

/* sotto_learning.fallback as written in JSON: an arm, "random" or "none". */
json_t *spec_json_fallback(uint32_t fallback);

/* ---- changes -------------------------------------------------------------------------------- */

/*
 * The long poll of pages: something changed if an experiment was created, deleted, paused, published, held, harmed, …
 * A page sends the `stamp` it has, and is answered when the stamp changes, or after a while. All waiting pages are
 * answered together. The stamp ignores the number of reports, so it changes no more often than models are published. */

#define CHANGES_BYTES 33u /* 32 hexadecimal digits, and a NUL */

typedef struct changes_wait {
    bool waits; /* a client waits */
    uint64_t since_ms, looked_ms;
    char stamp[CHANGES_BYTES]; /* the one that all waiting clients have */
} changes_wait;

/* Different after each start of the service. */
void changes_run(const api_service *service, char out[CHANGES_BYTES]);
void changes_stamp(const api_service *service, char out[CHANGES_BYTES]);
/* Checks the argument `after`; NULL: none. False, and *why, unless it can be a stamp. */
bool changes_read(const char *text, sottod_refusal *why);
/* {run, stamp}. NULL: no memory. */
json_t *changes_json(const api_service *service, const char *stamp);
/* Whether a client with the stamp `after` (NULL: none) must wait. */
bool changes_begin(changes_wait *wait, const char *after, const char *stamp, uint64_t now_ms);
/* Whether waiting clients must be answered now, with wait->stamp. Checks at most once a second. */
bool changes_over(changes_wait *wait, const api_service *service, uint64_t now_ms);
/* Milliseconds until the next check; -1: no client waits. */
int changes_timeout_ms(const changes_wait *wait, uint64_t now_ms);

/* ---- create --------------------------------------------------------------------------------- */

/* The body that creates an experiment: {"spec":{…},"learning":{…},"labels":{…},"report_key":"…","origins":[…]}. */

#define CREATE_LABELS_MAX 32u
#define CREATE_LABEL_NAME_BYTES_MAX 64u
#define CREATE_LABEL_BYTES_MAX 256u
#define CREATE_LABELS_BYTES_MAX 16384u /* as JSON */

typedef struct create_request {
    experiment_request request; /* its labels point to those below */
    sotto_terms terms;
    char labels[CREATE_LABELS_BYTES_MAX + 1];
    char origins[ACCESS_ORIGINS_BYTES];
} create_request;

/* False, and *why, at the first fault. */
bool create_read(const void *body, size_t bytes, create_request *out, sottod_refusal *why);

/* ---- describe ------------------------------------------------------------------------------- */

/* An experiment as JSON, for its owner. */

/* A row of the list: id, state, labels, counts, epoch. NULL: no memory. */
json_t *describe_row(const sottod_experiment *experiment);
/* The whole description: also spec, learning, terms, privacy card and warnings. Not for a deleted experiment. */
json_t *describe_experiment(const sottod_experiment *experiment, bool keep_reports);
/* The privacy card with the id. */
json_t *describe_privacy(const sottod_experiment *experiment, bool keep_reports);

/* ---- history -------------------------------------------------------------------------------- */

/*
 * An experiment over time, in pieces: rows of publishes, as in the journal, or their sums per minute, hour or day.
 * Measure rounds appear in rows only as sums over whole batches (service/experiment/experiment.h): sums of rows reveal
 * nothing that was not published before.
 *
 *     {"id": …, "resolution": …, "rows": [row, row, …], "more": false} */

#define HISTORY_ROWS_MAX 1000000u
#define HISTORY_FINE_MIN 10080u /* minutes per answer by epoch or by minute: one week */

/* The arguments of a request; NULL: not given. */
typedef struct history_words {
    const char *since, *until, *after, *limit, *resolution;
} history_words;

typedef struct history_query {
    uint64_t since, until; /* minutes since 1970; `until` is not included */
    uint32_t span;         /* minutes from the first row on, further rows set "more"; 0: no limit */
    uint32_t after;        /* only later epochs */
    uint32_t limit;        /* number of rows; further ones set "more" */
    uint32_t minutes;      /* length of one row; 0: one row per publish */
    const char *resolution;
} history_query;

/* False, and *why. `now`: the current minute. Default range: the last week, or for hours and days everything. */
bool history_read(const history_words *words, uint64_t now, history_query *out,
                  sottod_refusal *why);

/* NULL: no memory, or the journal cannot be read, as its fault says. The experiment may be deleted before the answer
 * ends; the journal must stay. */
typedef struct sottod_history sottod_history;
sottod_history *history_open(sottod_journal *journal, const sottod_experiment *experiment,
                             const history_query *query);
/* Writes the next part of the text; `more` of front_pieces. */
ptrdiff_t history_more(void *history, char *at, size_t room);
void history_free(void *history);

/* ---- host ----------------------------------------------------------------------------------- */

/* Whether a request was meant for the admin port. A web page whose name resolves to this machine (DNS rebinding)
 * sends its own name as Host; a page of another site sends its own Origin. */

typedef struct host_rule {
    /* on which the port listens: "127.0.0.1", "::1", "0.0.0.0"; NULL: loopback */
    const char *address;
    uint16_t port;
    /* other names, separated by commas or blanks: "name" or "name:port"; NULL: none */
    const char *names;
} host_rule;

/* Allowed Host: the port's own address or localhost, with its port; a name of the rule, with the port given there, or
 * with any. If the port listens on all addresses, any address is allowed, because an address cannot be rebound.
 * Allowed Origin: NULL, or the site named by Host. Otherwise false, and *why: 400 or 403. */
bool host_allows(const host_rule *rule, const char *host, const char *origin, sottod_refusal *why);

/* ---- list ----------------------------------------------------------------------------------- */

/* All experiments, in pieces: {"experiments": [row, row, …]}, with describe_row for each, in order of creation. */

/* NULL: no memory. Experiments may be created and deleted while it is read. */
typedef struct sottod_list sottod_list;
sottod_list *list_open(const sottod_experiments *all);
/* Writes the next part of the text; `more` of front_pieces. */
ptrdiff_t list_more(void *list, char *at, size_t room);
void list_free(void *list);

/* ---- metrics -------------------------------------------------------------------------------- */

/* The numbers of a running service, in Prometheus text format 0.0.4. */

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* For one experiment; NULL: sums over all, plus the process's own counters. Text from malloc, and its length; NULL:
 * no memory. */
char *metrics_text(const api_service *service, const route_table *admin_routes,
                   sottod_experiment *one, size_t *bytes);

/* ---- negotiate ------------------------------------------------------------------------------ */

/* Headers that choose the form of an answer. */

/* Whether If-None-Match contains the tag: a list of tags, possibly weak, or *. NULL: no header. */
bool negotiate_has_tag(const char *list, const char *tag);
/* Terms never change. Cached for a day only, because deleting an experiment removes them. */
#define TERMS_CACHE_CONTROL "public, max-age=86400, immutable"
/* Whether Accept-Encoding allows gzip: by its name, or else by *, unless with q=0. NULL: not allowed. */
bool negotiate_gzip(const char *list);

/* ---- report_key ----------------------------------------------------------------------------- */

/*
 * The key that devices send with their reports if the experiment's owner requires one, in the header Sotto-Report-Key.
 * All devices have the same key: a key per device would identify its person. During a change of keys there are two. The
 * service stores only their SHA-256. */

#define REPORT_KEY_HEADER "Sotto-Report-Key"
#define REPORT_KEY_BYTES_MIN 16u
#define REPORT_KEY_BYTES_MAX 128u

/* Reads {"report_keys": ["…"]}, at most two, into keys and key. False, and *why, which repeats nothing of the body. */
bool report_key_read_body(const void *body, size_t bytes, experiment_access *out,
                          sottod_refusal *why);
/* False unless the text has 16 to 128 visible ASCII characters, without blanks. */
bool report_key_read(const char *text, size_t bytes, uint8_t digest[JOURNAL_DIGEST_BYTES]);
/* Whether reports with this value of the header are accepted; NULL: no header. Takes the same time for all keys of a
 * length. Otherwise 403, which repeats nothing of the value. */
bool report_key_admits(const sottod_experiment *experiment, const char *shown, sottod_refusal *why);

/* ---- results -------------------------------------------------------------------------------- */

/* A number; null if it is infinite or NaN. */
json_t *results_number(double value);

/* The value of the policy by measure rounds (docs/methods.md), as of the last publish. */

#define RESULTS_ALPHA 0.05

/* Reads the argument `alpha`; NULL: RESULTS_ALPHA. False, and *why, unless it is between 0 and 1. */
bool results_read_alpha(const char *text, double *alpha, sottod_refusal *why);
/* "measurement" is null for terms without measure rounds. NULL: no memory. */
json_t *results_json(const sottod_experiment *experiment, double alpha);
/* Whether the policy's uplift has fallen for certain: the interval of the recent uplift lies below that of the whole
 * uplift. Both have alpha; false proves nothing. */
bool results_fallen(const sotto_measurement *m);

/* Harm and the fallback, as in the results. */
json_t *results_harm(const sottod_experiment *experiment);

/* ---- stopped -------------------------------------------------------------------------------- */

/* Experiments that a service over a shared journal cannot use or publish because their rows are damaged. The others
 * continue. */

typedef struct api_stopped {
    uint32_t count;
    char id[PUBLISHER_STOPPED_MAX][SPEC_ID_TEXT_BYTES];
} api_stopped;

/* Each once; at most as many as fit. */
void stopped_list(const api_service *service, api_stopped *out);

/* ---- watch ---------------------------------------------------------------------------------- */

/* The watch as JSON, and the owner's requests about it. */

/* The names of the tests whose bits are set. */
json_t *watch_alarms(uint32_t alarms);
/* Why the current epoch is held; null if it is not. */
json_t *watch_held(const sottod_experiment *experiment);
/* The last look at an epoch; null if there was none since the start. */
json_t *watch_json(const sottod_experiment *experiment);

/* A body {"quarantine": true} or {"quarantine": false}. */
bool watch_read_quarantine(const void *body, size_t bytes, bool *quarantine, sottod_refusal *why);
/* The same from a part of a larger body; NULL: missing, so quarantine is off. */
bool watch_read_flag(const json_t *value, bool *quarantine, sottod_refusal *why);

#endif
