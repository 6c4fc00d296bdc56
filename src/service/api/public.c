/* The public port: what devices and auditors ask for. It knows no cookies, sends nobody elsewhere, and
 * answers pages of any origin, since it answers everybody the same. */
#include "answer.h"
#include "api.h"
#include "describe.h"
#include "report_key.h"
#include "route.h"
#include "stopped.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct api_public {
    api_service *service;
    api_answers answers;
    uint64_t waiting; /* reports in bodies that wait for the commit */
    char tag[16];
    char allow[ROUTE_ALLOW_BYTES];
};

static const answer_style style = {{{"Access-Control-Allow-Origin", "*"}, {NULL, NULL}}};
static const char octets[] = "application/octet-stream";

/* ---- reading */

static front_verdict answer_terms(void *self, const route_call *call, front_answer *answer)
{
    api_public *port = self;
    size_t bytes = 0;
    const uint8_t *terms = experiment_terms_bytes(call->experiment, &bytes);
    answer_bytes(&port->answers, 200, octets, terms, bytes, answer);
    answer_add_header(answer, "Cache-Control", "no-cache");
    return FRONT_ANSWERED;
}

/* Whether If-None-Match has the tag: a list of tags, each perhaps weak, or *. */
static bool has_tag(const char *list, const char *tag)
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

/* The validator is the epoch, which is the same for everybody: it marks no one. */
static front_verdict answer_model(void *self, const route_call *call, front_answer *answer)
{
    api_public *port = self;
    size_t bytes = 0;
    const uint8_t *model = experiment_model_bytes(call->experiment, &bytes);
    snprintf(port->tag, sizeof port->tag, "\"%" PRIu32 "\"", experiment_epoch(call->experiment));
    if (has_tag(front_request_header(call->request, "If-None-Match"), port->tag)) {
        answer_empty(&port->answers, 304, answer);
    } else {
        answer_bytes(&port->answers, 200, octets, model, bytes, answer);
    }
    answer_add_header(answer, "ETag", port->tag);
    answer_add_header(answer, "Cache-Control", "no-cache");
    answer_add_header(answer, "Access-Control-Expose-Headers", "ETag");
    return FRONT_ANSWERED;
}

static front_verdict answer_privacy(void *self, const route_call *call, front_answer *answer)
{
    api_public *port = self;
    json_t *privacy = describe_privacy(call->experiment, port->service->keep_reports);
    answer_json(&port->answers, 200, privacy, answer);
    answer_add_header(answer, "Cache-Control", "no-cache");
    return FRONT_ANSWERED;
}

static front_verdict answer_health(void *self, const route_call *call, front_answer *answer)
{
    (void)call;
    api_public *port = self;
    static const char body[] = "{\"status\":\"ok\"}";
    answer_bytes(&port->answers, 200, "application/json", body, sizeof body - 1, answer);
    answer_add_header(answer, "Cache-Control", "no-store");
    return FRONT_ANSWERED;
}

/* Over a shared journal it says, too, whether this process folds, and which experiments are stopped. */
static front_verdict answer_is_ready(api_public *port, const route_call *call, front_answer *answer)
{
    const api_service *service = port->service;
    if (!journal_is_shared(service->journal)) return answer_health(port, call, answer);
    bool folds = service->folder != NULL && folder_look(service->folder).holds_lock;
    json_t *ids = json_array();
    api_stopped stopped;
    stopped_list(service, &stopped);
    for (uint32_t i = 0; i < stopped.count; i++) {
        json_array_append_new(ids, json_string(stopped.id[i]));
    }
    answer_json(&port->answers, 200,
                json_pack("{sssbso}", "status", "ok", "folds", (int)folds, "stopped", ids), answer);
    answer_add_header(answer, "Cache-Control", "no-store");
    return FRONT_ANSWERED;
}

static front_verdict answer_ready(void *self, const route_call *call, front_answer *answer)
{
    api_public *port = self;
    const api_service *service = port->service;
    sottod_refusal why;
    char error[sizeof why.error];
    if (!service->stopping && !service->failing) return answer_is_ready(port, call, answer);
    snprintf(error, sizeof error, "The journal's last commit failed%s%s.",
             service->reason == NULL ? "" : ": ", service->reason == NULL ? "" : service->reason);
    refusal_set(&why, 503, service->stopping ? "The service stops." : error, NULL, NULL, NULL);
    answer_refusal(&port->answers, &why, answer);
    return FRONT_ANSWERED;
}

/* ---- reports */

/* "application/octet-stream", perhaps with parameters. */
static bool is_octets(const char *type)
{
    size_t bytes = type != NULL ? strcspn(type, "; \t") : 0;
    return bytes == sizeof octets - 1 && strncasecmp(type, octets, bytes) == 0;
}

static bool is_open(const sottod_experiment *experiment, sottod_refusal *why)
{
    journal_state state = experiment_state(experiment);
    if (state == JOURNAL_OPEN) return true;
    bool paused = state == JOURNAL_PAUSED;
    refusal_set(why, paused ? 409 : 410,
                paused ? "The experiment is paused: send the reports later."
                       : "The experiment takes no more reports.",
                "state", journal_state_name(state), "open");
    return false;
}

static bool admit_reports(const route_call *call, size_t *body_max, sottod_refusal *why)
{
    const char *type = front_request_header(call->request, "Content-Type");
    const char *shown = front_request_header(call->request, REPORT_KEY_HEADER);
    if (!is_open(call->experiment, why)) return false;
    if (!report_key_admits(call->experiment, shown, why)) return false;
    if (!is_octets(type)) {
        refusal_set(why, 415, "The body has a wrong type.", "Content-Type", type, octets);
        return false;
    }
    *body_max = experiment_body_bytes_max(call->experiment);
    return true;
}

/* While a database that others share takes nothing, nobody waits for it. The loop tries it again. */
static bool is_away(const api_service *service, sottod_refusal *why)
{
    if (!service->failing || !journal_is_shared(service->journal)) return false;
    refusal_set_lack(why, LACK_JOURNAL,
                     "The database takes no reports now: send them again later.");
    return true;
}

static front_verdict answer_reports(void *self, const route_call *call, front_answer *answer)
{
    api_public *port = self;
    sottod_refusal why;
    size_t bytes = 0;
    const uint8_t *body = front_request_body(call->request, &bytes);
    if (!is_away(port->service, &why) &&
        intake_offer(port->service->intake, call->experiment, body, bytes, &why)) {
        port->waiting += bytes / sotto_report_bytes(experiment_terms(call->experiment));
        return FRONT_WAITS;
    }
    answer_refusal(&port->answers, &why, answer);
    return FRONT_ANSWERED;
}

front_answer api_public_settled(api_public *port, const sottod_refusal *why)
{
    front_answer answer;
    if (why == NULL) {
        port->service->acknowledged += port->waiting;
        answer_empty(&port->answers, 204, &answer);
    } else {
        answer_refusal(&port->answers, why, &answer);
    }
    port->waiting = 0;
    return answer;
}

/* ---- the door */

static const api_route routes[] = {
    {FRONT_POST, "/v1/experiments/{id}/reports", ROUTE_ANYBODY, false, admit_reports,
     answer_reports},
    {FRONT_GET, "/v1/experiments/{id}/model", ROUTE_ANYBODY, false, NULL, answer_model},
    {FRONT_GET, "/v1/experiments/{id}/terms", ROUTE_ANYBODY, false, NULL, answer_terms},
    {FRONT_GET, "/v1/experiments/{id}/privacy", ROUTE_ANYBODY, false, NULL, answer_privacy},
    {FRONT_GET, "/healthz", ROUTE_ANYBODY, false, NULL, answer_health},
    {FRONT_GET, "/readyz", ROUTE_ANYBODY, false, NULL, answer_ready},
};

route_table api_public_routes(void)
{
    return (route_table){routes, sizeof routes / sizeof routes[0], true};
}

/* A page of another origin asks first whether it may. */
static void answer_preflight(api_public *port, front_answer *answer)
{
    answer_empty(&port->answers, 204, answer);
    answer_add_header(answer, "Access-Control-Allow-Methods", port->allow);
    answer_add_header(answer, "Access-Control-Allow-Headers",
                      "Content-Type, If-None-Match, " REPORT_KEY_HEADER);
    answer_add_header(answer, "Access-Control-Max-Age", "86400");
}

static void refuse_with(api_public *port, const sottod_refusal *why, front_answer *answer)
{
    answer_refusal(&port->answers, why, answer);
    if (why->status == 405) answer_add_header(answer, "Allow", port->allow);
}

/* The route, or NULL with the answer. */
static const api_route *find(api_public *port, const front_request *request, route_call *call,
                             front_answer *answer)
{
    sottod_refusal why;
    const route_table table = api_public_routes();
    const api_route *route =
        route_find(&table, port->service->experiments, request, call, port->allow, &why);
    if (route != NULL) return route;
    if (why.status == 405 && front_request_method(request) == FRONT_OPTIONS) {
        answer_preflight(port, answer);
    } else {
        refuse_with(port, &why, answer);
    }
    return NULL;
}

static bool door_admit(void *self, const front_request *request, size_t *body_max,
                       front_answer *answer)
{
    api_public *port = self;
    route_call call;
    sottod_refusal why;
    *body_max = 0;
    const api_route *route = find(port, request, &call, answer);
    if (route == NULL) return false;
    if (route->admit == NULL || route->admit(&call, body_max, &why)) return true;
    if (why.status == 403) port->service->refused_key++; /* nothing else is forbidden here */
    refuse_with(port, &why, answer);
    return false;
}

static front_verdict door_answer(void *self, const front_request *request, front_answer *answer)
{
    route_call call;
    const api_route *route = find(self, request, &call, answer);
    return route != NULL ? route->answer(self, &call, answer) : FRONT_ANSWERED;
}

static void door_refuse(void *self, uint32_t status, const char *sentence, const char *allowed,
                        front_answer *answer)
{
    api_public *port = self;
    answer_front_refusal(&port->answers, status, sentence, allowed, answer);
}

api_public *api_public_new(api_service *service)
{
    api_public *port = calloc(1, sizeof *port);
    if (port == NULL) return NULL;
    port->service = service;
    answers_init(&port->answers, &style);
    return port;
}

void api_public_free(api_public *port)
{
    if (port == NULL) return;
    answers_end(&port->answers);
    free(port);
}

front_door api_public_door(api_public *port)
{
    return (front_door){
        .admit = door_admit, .answer = door_answer, .refuse = door_refuse, .self = port};
}
