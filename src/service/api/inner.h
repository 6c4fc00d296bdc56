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

/* Writes the body and returns how many bytes it has. Texts that are empty become null; bytes that are no
 * UTF-8, as when a text was cut in the middle of a letter, become question marks. Allocates nothing. */
size_t error_json(const sottod_refusal *why, char out[ERROR_JSON_BYTES]);

/* ---- answer --------------------------------------------------------------------------------- */

/* The form of answers. A port holds the memory of its last answer; the front copies it before it
 * asks again. */

/* What a port's answers have in common. */
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
/* Bytes that stay where they are until the call returns. */
void answer_bytes(api_answers *answers, uint32_t status, const char *type, const void *body,
                  size_t bytes, front_answer *out);
/* Takes the JSON over. NULL, as from json_pack when memory is out: 503. */
void answer_json(api_answers *answers, uint32_t status, json_t *body, front_answer *out);
/* Takes text from malloc over. */
void answer_text(api_answers *answers, uint32_t status, const char *type, char *text, size_t bytes,
                 front_answer *out);
/* {error, field, value, allowed}; 503 says when to retry, 401 how to authenticate. */
void answer_refusal(api_answers *answers, const sottod_refusal *why, front_answer *out);
/* A refusal of the front itself: the status tells which part of the request is at fault. `allowed` may be
 * NULL. */
void answer_front_refusal(api_answers *answers, uint32_t status, const char *sentence,
                          const char *allowed, front_answer *out);
/* The value must live as long as the answer. */
void answer_add_header(front_answer *out, const char *name, const char *value);

/* ---- page ----------------------------------------------------------------------------------- */

/* The file that a browser asks for by GET, and its answer (service/pages/pages.h). */

/* NULL: the path names none. */
const page_file *page_asked(const front_request *request);
void page_answer(api_answers *answers, const front_request *request, const page_file *page,
                 front_answer *out);

/* ---- route ---------------------------------------------------------------------------------- */

/* Routes: rows of a table, found by method and path. */

/* Who may ask. */
typedef enum route_access { ROUTE_ANYBODY, ROUTE_READER, ROUTE_ADMIN } route_access;

typedef struct api_route api_route;

/* A request to a route. */
typedef struct route_call {
    const front_request *request;
    sottod_experiment *experiment; /* that the path names; NULL: it names none */
    const api_route *route;        /* this and `why` are set by route_answer */
    sottod_refusal *why;
} route_call;

struct api_route {
    front_method method;
    const char
        *path; /* "/v1/experiments/{id}/terms"; with arguments of the query: "/a{?one,two}" */
    route_access access;
    bool gone;           /* answers also for an experiment that is deleted */
    journal_state state; /* of routes that change it: the new one */
    /* How long the body may be; NULL: there is none. False: *why. */
    bool (*admit)(const route_call *call, size_t *body_max, sottod_refusal *why);
    /* False: *call->why. True, and the answer has no status: the request waits. */
    bool (*answer)(void *port, const route_call *call, front_answer *answer);
};

typedef struct route_table {
    const api_route *route;
    size_t count;
    bool options; /* every path also has OPTIONS, which the port answers by itself */
} route_table;

#define ROUTE_ALLOW_BYTES 48u

/* The route of a request, with the experiment of its path. NULL, and *why: 404 for a path, an id or an
 * experiment that there is not, 405 (`allow` then lists the methods of the path), 410 for one that is
 * deleted. */
const api_route *route_find(const route_table *table, sottod_experiments *all,
                            const front_request *request, route_call *call,
                            char allow[ROUTE_ALLOW_BYTES], sottod_refusal *why);
/* Lets a route answer; a refusal is answered as one. */
front_verdict route_answer(const api_route *route, void *port, api_answers *answers,
                           route_call *call, front_answer *answer);
/* False, and *why, for an argument of the query that the route does not have, that comes twice, or without a value. */
bool route_check_arguments(const api_route *route, const front_request *request,
                           sottod_refusal *why);
/* The experiment of an id. `route` says whether it may be deleted; NULL: no. False, and *why: 404, 410, or 503 if it is
 * damaged. */
bool route_find_experiment(sottod_experiments *all, const api_route *route, const char *text,
                           size_t bytes, route_call *call, sottod_refusal *why);
/* The place of a request's route in the table, from 1; 0: there is none. For kind of front_door. */
uint32_t route_kind(const route_table *table, const front_request *request);
/* The experiment that a path "/v1/experiments/{id}/…" names; NULL: it names none that can be used. */
sottod_experiment *route_experiment(sottod_experiments *all, const char *path);
/* The methods of a path, with commas between. False: no route has it. */
bool route_methods(const route_table *table, const char *path, char allow[ROUTE_ALLOW_BYTES]);
/* "GET", "POST", "PUT", "DELETE", "OPTIONS"; "other" otherwise. */
const char *route_method_name(front_method method);

/* All routes of each port; docs/openapi.json is compared with them. */
route_table api_public_routes(void);
route_table api_admin_routes(void);

/* ---- audit ---------------------------------------------------------------------------------- */

/* The audit: a line of the log for each administrative action that somebody asked for, done or refused:
 *
 *     {"time":…,"level":"info","event":"admin","action":"pause","experiment":"5f0c…","token":"ops","role":"admin","status":200}
 *
 * It is written at every log level. `token` is the name of the token, never the token; "" if it is none of ours.
 */

/* Whether requests of this method ask for an action: all but those that read. */
bool audit_is_due(front_method method);
/* "create", "delete", "pause", …: what the route does; "unknown" for NULL. */
const char *audit_action(const api_route *route);
/* `experiment` may be NULL. */
void audit_write(sottod_log *log, const auth_caller *who, const api_route *route,
                 const char *experiment, uint32_t status);

/* ---- card ----------------------------------------------------------------------------------- */

/* The privacy card: what an experiment promises its people, and what follows from its terms. */

/* What devices accept unless their owner changed it: the numbers of sotto_policy_default, which this side
 * may not see. A test compares them. */
typedef struct card_limits {
    double epsilon_per_report_max;
    double epsilon_lifetime;
    double delta_max;
    double delta_lifetime;
    double measure_share_max;
} card_limits;
card_limits card_device_limits(void);

/* How many reports a new device with these limits sends to such an experiment in its life; 0: none. */
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
 * Web pages (CORS). Terms, models, privacy and health may be read by any page, errors too. Reports come from pages that
 * the owner of the experiment lists, and from whatever sends no Origin, as devices that are not pages. A page that is
 * not listed is refused before its report is taken, and cannot read why.
 */

/* ["https://shop.example"] as text with one blank between; NULL is an empty list. False, and *why. */
bool origins_read(const json_t *list, char out[ACCESS_ORIGINS_BYTES], sottod_refusal *why);
/* The same in a body of its own: {"origins": […]}. */
bool origins_read_body(const void *body, size_t bytes, char out[ACCESS_ORIGINS_BYTES],
                       sottod_refusal *why);
json_t *origins_json(const char *origins);

/* Whether reports may come with this Origin; NULL: it has none. Otherwise 403. */
bool origins_admit(const sottod_experiment *experiment, const char *origin, sottod_refusal *why);

/* What every answer to a request has. `room` and `origin` must live as long as the style is used. The experiment may be
 * NULL. */
const answer_style *origins_style(const char *path, const sottod_experiment *experiment,
                                  const char *origin, answer_style *room);
/* What a report's answer has that was admitted with this Origin: NULL adds nothing, and is false. */
bool origins_dress(const char *origin, front_answer *answer);
/* For all pages, as for errors that belong to no path; and for none. */
const answer_style *origins_any(void);
const answer_style *origins_none(void);
/* Whether this is where reports go. */
bool origins_is_for_reports(const char *path);

/* ---- json_read ------------------------------------------------------------------------------ */

/* JSON from outside, read strictly: a body is checked once, and every fault names the path in it, the
 * value there and what is allowed. */

#define JSON_READ_BYTES_MAX 65536u
#define JSON_READ_DEPTH_MAX 8u
#define JSON_READ_PATH_BYTES 64u

/* The object that the bytes are, to be released with json_decref; NULL, and *why, for anything else: no
 * JSON, no object, too long (413), too deep, a key that comes twice. */
json_t *json_read_object(const void *text, size_t bytes, sottod_refusal *why);

/* The path of a key: "spec.epsilon"; only the key if `above` is empty. A key that is empty is shown as
 * two quotes, so that no path is. */
void json_read_path(char path[JSON_READ_PATH_BYTES], const char *above, const char *key);

/* Refuses what stands at a path: 400, with the value as JSON. NULL: nothing stands there. Returns false. */
bool json_read_refuse(sottod_refusal *why, const char *error, const char *path, const json_t *value,
                      const char *allowed);

/* True if all keys of an object are among these. `path` is its own path, empty for the outermost. */
bool json_read_known(json_t *object, const char *path, const char *const *names, size_t names_count,
                     sottod_refusal *why);

/* ---- spec_json ------------------------------------------------------------------------------ */

/* The settings of an experiment as JSON: {spec} and {learning}, with the names of core.h and cli/fleet/inner.h. The
 * two settings of epochs stand in {learning}. Numbers come back to the bit. */

/* How many epochs late a report may be, unless the spec says. Reports come within SPEC_JSON_EPOCHS_AWAY of them by
 * default; the others are for machines that are busy. */
#define SPEC_JSON_EPOCH_LAG_MAX 8u
#define SPEC_JSON_EPOCHS_AWAY 2u

/* {spec} into request->spec. Fields that are absent are those of sotto_spec_default for the reward_kind,
 * which must be there; epoch_lag_max is SPEC_JSON_EPOCH_LAG_MAX. Also sets request->epoch_seconds_min: the least that
 * covers reward_window_s + send_spread_s in epoch_lag_max epochs, in SPEC_JSON_EPOCHS_AWAY if that is absent. */
bool spec_json_read(json_t *spec, experiment_request *request, sottod_refusal *why);
/* {learning} into the rest of the request; NULL: all of it is absent. Fields that are absent are those of
 * sotto_learning_default for the horizon, but epochs by the rule of the schedule; epoch_reports_min is
 * SOTTO__EPOCH_REPORTS_MIN, and epoch_seconds_min as spec_json_read has set it. */
bool spec_json_read_learning(json_t *learning, const sotto_terms *terms,
                             experiment_request *request, sottod_refusal *why);

/* All fields; NULL: no memory. */
json_t *spec_json_write(const experiment_request *request);
json_t *spec_json_write_learning(const experiment_request *request);

/* The share of rounds that spec.measure stands for: 0.1 for 429496730. */
double spec_json_share(uint32_t measure);

/* sotto_learning.fallback as it is written: an arm, "random" or "none". */
json_t *spec_json_fallback(uint32_t fallback);

/* ---- changes -------------------------------------------------------------------------------- */

/*
 * The long poll of pages: something changed if an experiment was made, deleted, paused, published, held, harmed, … A
 * page says which `stamp` it has, and is answered when the stamp changes, or after a while. All who wait are answered
 * together. The stamp does not count reports, so it changes no more often than models are published.
 */

#define CHANGES_BYTES 33u /* 32 hexadecimal digits, and the end */

typedef struct changes_wait {
    bool waits; /* somebody does */
    uint64_t since_ms, looked_ms;
    char stamp[CHANGES_BYTES]; /* that they all have */
} changes_wait;

/* Another one after each start of the service. */
void changes_run(const api_service *service, char out[CHANGES_BYTES]);
void changes_stamp(const api_service *service, char out[CHANGES_BYTES]);
/* The argument `after`; NULL: none. False, and *why, unless it can be a stamp. */
bool changes_read(const char *text, sottod_refusal *why);
/* {run, stamp}. NULL: no memory. */
json_t *changes_json(const api_service *service, const char *stamp);
/* Whether a client that knows the stamp `after` has to wait. NULL: it knows none. */
bool changes_begin(changes_wait *wait, const char *after, const char *stamp, uint64_t now_ms);
/* Whether those who wait are to be answered now, with wait->stamp. Looks at most once a second. */
bool changes_over(changes_wait *wait, const api_service *service, uint64_t now_ms);
/* Milliseconds until the next look; -1: nobody waits. */
int changes_timeout_ms(const changes_wait *wait, uint64_t now_ms);

/* ---- create --------------------------------------------------------------------------------- */

/* The body that makes an experiment: {"spec":{…},"learning":{…},"labels":{…},"report_key":"…","origins":[…]}. */

#define CREATE_LABELS_MAX 32u
#define CREATE_LABEL_NAME_BYTES_MAX 64u
#define CREATE_LABEL_BYTES_MAX 256u
#define CREATE_LABELS_BYTES_MAX 16384u /* as JSON */

typedef struct create_request {
    experiment_request request; /* its labels are those below */
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
/* All of it: also spec, learning, terms, privacy card and warnings. Not for a deleted one. */
json_t *describe_experiment(const sottod_experiment *experiment, bool keep_reports);
/* Only the privacy card, with the id. */
json_t *describe_privacy(const sottod_experiment *experiment, bool keep_reports);

/* ---- history -------------------------------------------------------------------------------- */

/*
 * An experiment over time, in pieces: rows of publishes, as the journal has them, or their sums by the minute, hour or
 * day. Rows of measure rounds are sums over whole batches already (service/experiment/experiment.h): whatever is added
 * up here was published before.
 *
 *     {"id": …, "resolution": …, "rows": [row, row, …], "more": false}
 */

#define HISTORY_ROWS_MAX 1000000u
#define HISTORY_FINE_MIN 10080u /* minutes of one answer by epoch or by minute: a week */

/* What a request says; NULL: nothing. */
typedef struct history_words {
    const char *since, *until, *after, *limit, *resolution;
} history_words;

typedef struct history_query {
    uint64_t since, until; /* minutes since 1970, the second one not included */
    uint32_t span;         /* minutes from the first row on; the next one is "more"; 0: any */
    uint32_t after;        /* this epoch */
    uint32_t limit;        /* rows: more of them, and "more" is true */
    uint32_t minutes;      /* that become one row; 0: none do */
    const char *resolution;
} history_query;

/* False, and *why. `now` is the current minute: what is not said is the last week, or for hours and days all. */
bool history_read(const history_words *words, uint64_t now, history_query *out,
                  sottod_refusal *why);

/* NULL: no memory, or the journal could not be read, as its fault says. The experiment may end before the answer does;
 * the journal may not. */
typedef struct sottod_history sottod_history;
sottod_history *history_open(sottod_journal *journal, const sottod_experiment *experiment,
                             const history_query *query);
/* The text of it, as `more` of front_pieces. */
ptrdiff_t history_more(void *history, char *at, size_t room);
void history_free(void *history);

/* ---- host ----------------------------------------------------------------------------------- */

/* Whether a request to the admin port was meant for it. A web page whose name was made to point at this
 * machine (DNS rebinding) sends its own name as Host; a page of another place sends its own Origin. */

typedef struct host_rule {
    const char
        *address; /* that the port listens on: "127.0.0.1", "::1", "0.0.0.0"; NULL: loopback */
    uint16_t port;
    const char
        *names; /* others, with commas or blanks between: "name" or "name:port"; NULL: none */
} host_rule;

/* Host: the port's own address and localhost, with its port; a name of the rule, with the port that it
 * names there, or with any. A port that listens on all addresses takes any address as Host, since no name
 * is in it. Origin: NULL, or the place that Host names. Otherwise false, and *why: 400 or 403. */
bool host_allows(const host_rule *rule, const char *host, const char *origin, sottod_refusal *why);

/* ---- list ----------------------------------------------------------------------------------- */

/* All experiments, in pieces: {"experiments": [row, row, …]}, with a row of describe_row each, in the order in which they
 * were made. */

/* NULL: no memory. Experiments may be made and deleted while it is read. */
typedef struct sottod_list sottod_list;
sottod_list *list_open(const sottod_experiments *all);
/* The text of it, as `more` of front_pieces. */
ptrdiff_t list_more(void *list, char *at, size_t room);
void list_free(void *list);

/* ---- metrics -------------------------------------------------------------------------------- */

/* The numbers of a running service, in the text format of Prometheus, version 0.0.4. */

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Of one experiment; NULL: sums over all, and what the process counts. Text from malloc, and its length; NULL: no
 * memory. */
char *metrics_text(const api_service *service, const route_table *admin_routes,
                   sottod_experiment *one, size_t *bytes);

/* ---- negotiate ------------------------------------------------------------------------------ */

/* What a request says about the form of an answer. */

/* Whether If-None-Match has the tag: a list of tags, each perhaps weak, or *. NULL: it has none. */
bool negotiate_has_tag(const char *list, const char *tag);
/* Whether Accept-Encoding lets gzip through: by its name, or else by *, unless that has q=0. NULL: it does not. */
bool negotiate_gzip(const char *list);

/* ---- report_key ----------------------------------------------------------------------------- */

/*
 * The key that devices show with their reports, if the owner of an experiment wants one: in the header
 * Sotto-Report-Key. It is the same for all devices, since one for each would be a name of its person. While it is
 * renewed there are two. The service keeps only their SHA-256.
 */

#define REPORT_KEY_HEADER "Sotto-Report-Key"
#define REPORT_KEY_BYTES_MIN 16u
#define REPORT_KEY_BYTES_MAX 128u

/* {"report_keys": ["…"]}, at most two: into keys and key. False, and *why, without a word of what was said. */
bool report_key_read_body(const void *body, size_t bytes, experiment_access *out,
                          sottod_refusal *why);
/* False unless the text has 16 to 128 visible characters of ASCII, no blanks. */
bool report_key_read(const char *text, size_t bytes, uint8_t digest[JOURNAL_DIGEST_BYTES]);
/* Whether reports may come with what the header says; NULL: there is none. Takes the same time for any key
 * of a length. Otherwise 403, without a word of what was shown. */
bool report_key_admits(const sottod_experiment *experiment, const char *shown, sottod_refusal *why);

/* ---- results -------------------------------------------------------------------------------- */

/* A number; null if it is infinite or none. */
json_t *results_number(double value);

/* The value of the policy by measure rounds (docs/methods.md), as of the last publish. */

#define RESULTS_ALPHA 0.05

/* The argument `alpha` of a request; NULL: RESULTS_ALPHA. False, and *why, unless it is between 0 and 1. */
bool results_read_alpha(const char *text, double *alpha, sottod_refusal *why);
/* "measurement" is null for terms without measure rounds. NULL: no memory. */
json_t *results_json(const sottod_experiment *experiment, double alpha);
/* Whether the policy's uplift has certainly fallen: the interval of the recent uplift lies below that of the
 * uplift so far. Both have alpha; false proves nothing. */
bool results_fallen(const sotto_measurement *m);

/* Harm and the fallback, as in the results. */
json_t *results_harm(const sottod_experiment *experiment);

/* ---- stopped -------------------------------------------------------------------------------- */

/* Experiments that a service over a shared journal cannot use or publish, because their rows are damaged. The
 * others continue. */

typedef struct api_stopped {
    uint32_t count;
    char id[PUBLISHER_STOPPED_MAX][SPEC_ID_TEXT_BYTES];
} api_stopped;

/* Each once; at most as many as fit. */
void stopped_list(const api_service *service, api_stopped *out);

/* ---- watch ---------------------------------------------------------------------------------- */

/* The watch as JSON, and what an owner asks of it. */

/* The names of tests whose bits are set. */
json_t *watch_alarms(uint32_t alarms);
/* The reason why the current epoch is held; null if it is not. */
json_t *watch_held(const sottod_experiment *experiment);
/* The last look at an epoch; null if there was none since the start. */
json_t *watch_json(const sottod_experiment *experiment);

/* A body {"quarantine": true} or {"quarantine": false}. */
bool watch_read_quarantine(const void *body, size_t bytes, bool *quarantine, sottod_refusal *why);
/* The same of a part of a larger body; NULL: it is not there, and quarantine is off. */
bool watch_read_flag(const json_t *value, bool *quarantine, sottod_refusal *why);

#endif
