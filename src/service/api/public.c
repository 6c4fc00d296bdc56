/* The public port, for devices and auditors. It uses neither cookies nor redirects. inner.h says which pages may read
 * an answer. */
#include "inner.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct api_public {
    api_service *service;
    api_answers answers;
    uint64_t waiting; /* reports in bodies that wait for the commit */
    char tag[40];
    char allow[ROUTE_ALLOW_BYTES];
    answer_style page; /* of the current request */
};

static const char octets[] = "application/octet-stream";

/* ---- reading */

static bool answer_terms(void *self, const route_call *call, front_answer *answer)
{
    api_public *port = self;
    size_t bytes = 0;
    const uint8_t *terms = experiment_terms_bytes(call->experiment, &bytes);
    snprintf(port->tag, sizeof port->tag, "\"%s\"", experiment_id_text(call->experiment));
    if (negotiate_has_tag(front_request_header(call->request, "If-None-Match"), port->tag)) {
        answer_empty(&port->answers, 304, answer);
    } else {
        answer_bytes(&port->answers, 200, octets, terms, bytes, answer);
    }
    answer_add_header(answer, "ETag", port->tag);
    answer_add_header(answer, "Cache-Control", TERMS_CACHE_CONTROL);
    return true;
}

/* The validator is the epoch, which is the same for everybody and so identifies nobody. The compressed model needs
 * its own tag, but either tag proves that the client has the model. */
static bool answer_model(void *self, const route_call *call, front_answer *answer)
{
    api_public *port = self;
    size_t bytes = 0, packed_bytes = 0;
    char other[sizeof port->tag];
    const uint32_t epoch = experiment_epoch(call->experiment);
    const char *known = front_request_header(call->request, "If-None-Match");
    const uint8_t *model = experiment_model_bytes(call->experiment, &bytes), *packed = NULL;
    if (negotiate_gzip(front_request_header(call->request, "Accept-Encoding"))) {
        packed = experiment_model_gzip(call->experiment, &packed_bytes);
    }
    snprintf(port->tag, sizeof port->tag, "\"%" PRIu32 "%s\"", epoch,
             packed != NULL ? "-gzip" : "");
    snprintf(other, sizeof other, "\"%" PRIu32 "%s\"", epoch, packed != NULL ? "" : "-gzip");
    if (negotiate_has_tag(known, port->tag) || negotiate_has_tag(known, other)) {
        answer_empty(&port->answers, 304, answer);
    } else if (packed != NULL) {
        answer_bytes(&port->answers, 200, octets, packed, packed_bytes, answer);
        answer_add_header(answer, "Content-Encoding", "gzip");
    } else {
        answer_bytes(&port->answers, 200, octets, model, bytes, answer);
    }
    answer_add_header(answer, "ETag", port->tag);
    answer_add_header(answer, "Cache-Control", "no-cache");
    answer_add_header(answer, "Vary", "Accept-Encoding, Origin");
    const char *refusal =
        origins_refusal(call->experiment, front_request_header(call->request, "Origin"));
    if (refusal != NULL) answer_add_header(answer, ORIGINS_REPORTS_HEADER, refusal);
    return true;
}

static bool answer_privacy(void *self, const route_call *call, front_answer *answer)
{
    api_public *port = self;
    json_t *privacy = describe_privacy(call->experiment, port->service->keep_reports);
    answer_json(&port->answers, 200, privacy, answer);
    answer_add_header(answer, "Cache-Control", "no-cache");
    return true;
}

static bool answer_health(void *self, const route_call *call, front_answer *answer)
{
    (void)call;
    api_public *port = self;
    static const char body[] = "{\"status\":\"ok\"}";
    answer_bytes(&port->answers, 200, "application/json", body, sizeof body - 1, answer);
    answer_add_header(answer, "Cache-Control", "no-store");
    return true;
}

/* With a shared journal the answer also says whether this process is the housekeeper, and which
 * experiments are stopped. */
static bool answer_is_ready(api_public *port, const route_call *call, front_answer *answer)
{
    const api_service *service = port->service;
    if (journal_publishes_here(service->journal)) return answer_health(port, call, answer);
    bool keeps_house = service->publisher != NULL && publisher_look(service->publisher).holds_lock;
    json_t *ids = json_array();
    api_stopped stopped;
    stopped_list(service, &stopped);
    for (uint32_t i = 0; i < stopped.count; i++) {
        json_array_append_new(ids, json_string(stopped.id[i]));
    }
    answer_json(
        &port->answers, 200,
        json_pack("{sssbso}", "status", "ok", "housekeeper", (int)keeps_house, "stopped", ids),
        answer);
    answer_add_header(answer, "Cache-Control", "no-store");
    return true;
}

static bool answer_ready(void *self, const route_call *call, front_answer *answer)
{
    api_public *port = self;
    const api_service *service = port->service;
    char error[sizeof call->why->fault.sentence];
    if (!service->stopping && !service->failing) return answer_is_ready(port, call, answer);
    snprintf(error, sizeof error, "The journal's last commit failed%s%s.",
             service->reason == NULL ? "" : ": ", service->reason == NULL ? "" : service->reason);
    return refusal_set(call->why, 503, service->stopping ? "The service is stopping." : error, NULL,
                       NULL, NULL);
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
    return refusal_set(why, paused ? 409 : 410,
                       paused ? "The experiment is paused. Send the reports again later."
                              : "The experiment is closed: it accepts no more reports.",
                       "state", journal_state_name(state), "open");
}

static bool admit_reports(const route_call *call, size_t *body_max, sottod_refusal *why)
{
    const char *type = front_request_header(call->request, "Content-Type");
    const char *shown = front_request_header(call->request, REPORT_KEY_HEADER);
    if (!origins_admit(call->experiment, front_request_header(call->request, "Origin"), why))
        return false;
    if (!is_open(call->experiment, why)) return false;
    if (!report_key_admits(call->experiment, shown, why)) return false;
    if (!is_octets(type))
        return refusal_set(why, 415, "The body has the wrong Content-Type.", "Content-Type", type,
                           octets);
    *body_max = experiment_body_bytes_max(call->experiment);
    const char *length = front_request_header(call->request, "Content-Length");
    return length == NULL ||
           experiment_admits_body(call->experiment, strtoull(length, NULL, 10), why);
}

/* While a shared database refuses writes, requests do not wait for it. The loop retries. */
static bool is_away(const api_service *service, sottod_refusal *why)
{
    if (!service->failing || journal_publishes_here(service->journal)) return false;
    refusal_set_lack(why, LACK_JOURNAL,
                     "The database accepts no reports now. Send them again later.");
    return true;
}

static bool answer_reports(void *self, const route_call *call, front_answer *answer)
{
    api_public *port = self;
    size_t bytes = 0;
    const uint8_t *body = front_request_body(call->request, &bytes);
    (void)answer; /* api_public_settled makes it */
    if (is_away(port->service, call->why) ||
        !intake_offer(port->service->intake, call->experiment, body, bytes, call->why))
        return false;
    port->waiting += bytes / sotto_report_bytes(experiment_terms(call->experiment));
    return true;
}

front_answer api_public_settled(api_public *port, const sottod_refusal *why)
{
    front_answer answer;
    port->answers.style = origins_none(); /* but see door_dress */
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
    ROUTE(POST, "/v1/experiments/{id}/reports", ANYBODY, .admit = admit_reports,
          .answer = answer_reports),
    ROUTE(GET, "/v1/experiments/{id}/model", ANYBODY, .answer = answer_model),
    ROUTE(GET, "/v1/experiments/{id}/terms", ANYBODY, .answer = answer_terms),
    ROUTE(GET, "/v1/experiments/{id}/privacy", ANYBODY, .answer = answer_privacy),
    ROUTE(GET, "/healthz", ANYBODY, .answer = answer_health),
    ROUTE(GET, "/readyz", ANYBODY, .answer = answer_ready),
};

route_table api_public_routes(void)
{
    return (route_table){routes, sizeof routes / sizeof routes[0], true};
}

/* A page of another origin sends OPTIONS first. */
static void answer_preflight(api_public *port, const front_request *request,
                             const sottod_experiment *experiment, front_answer *answer)
{
    static const api_route plain = {.path = ""}; /* no path here has arguments */
    const char *origin = front_request_header(request, "Origin");
    sottod_refusal why;
    if (!route_check_arguments(&plain, request, &why)) {
        answer_refusal(&port->answers, &why, answer);
        return;
    }
    if (origins_is_for_reports(front_request_path(request)) && experiment != NULL &&
        !origins_admit(experiment, origin, &why)) {
        answer_refusal(&port->answers, &why, answer);
        return;
    }
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
    const char *path = front_request_path(request);
    const sottod_experiment *experiment = call->experiment;
    if (route == NULL && origins_is_for_reports(path))
        experiment = route_experiment(port->service->experiments, path);
    port->answers.style =
        origins_style(path, experiment, front_request_header(request, "Origin"), &port->page);
    if (route != NULL) return route;
    if (why.status == 405 && front_request_method(request) == FRONT_OPTIONS) {
        answer_preflight(port, request, experiment, answer);
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
    if (route_check_arguments(route, request, &why) &&
        (route->admit == NULL || route->admit(&call, body_max, &why)))
        return true;
    if (strcmp(why.fault.field, REPORT_KEY_HEADER) == 0) port->service->refused_key++;
    refuse_with(port, &why, answer);
    return false;
}

static front_verdict door_answer(void *self, const front_request *request, front_answer *answer)
{
    api_public *port = self;
    route_call call;
    const api_route *route = find(port, request, &call, answer);
    return route != NULL ? route_answer(route, port, &port->answers, &call, answer)
                         : FRONT_ANSWERED;
}

/* Only requests with reports have a body here. */
static void door_arrives(void *self, const front_request *request)
{
    api_public *port = self;
    route_call call;
    front_answer answer;
    if (find(port, request, &call, &answer) != NULL) epochs_arrives(call.experiment);
}

static void door_refuse(void *self, uint32_t status, const char *sentence, const char *allowed,
                        front_answer *answer)
{
    api_public *port = self;
    port->answers.style = origins_any();
    answer_front_refusal(&port->answers, status, sentence, allowed, answer);
}

/* A request that waits was admitted, so its page may read the answer. */
static bool door_dress(void *self, const front_request *request, front_answer *answer)
{
    (void)self;
    return origins_dress(front_request_header(request, "Origin"), answer);
}

api_public *api_public_new(api_service *service)
{
    api_public *port = calloc(1, sizeof *port);
    if (port == NULL) return NULL;
    port->service = service;
    answers_init(&port->answers, origins_any());
    return port;
}

void api_public_free(api_public *port)
{
    if (port == NULL) return;
    answers_end(&port->answers);
    free(port);
}

static uint32_t door_kind(void *self, const front_request *request)
{
    static_assert(sizeof routes / sizeof routes[0] < FRONT_KINDS, "each route is timed");
    const route_table table = api_public_routes();
    (void)self;
    return route_kind(&table, request);
}

front_door api_public_door(api_public *port)
{
    return (front_door){.admit = door_admit,
                        .answer = door_answer,
                        .refuse = door_refuse,
                        .kind = door_kind,
                        .dress = door_dress,
                        .arrives = door_arrives,
                        .self = port};
}
