/* The admin port: what the owner of experiments asks for. Every answer but /healthz needs a token, and
 * none goes to a page of another place. */
#include "answer.h"
#include "api.h"
#include "auth.h"
#include "create.h"
#include "describe.h"
#include "history.h"
#include "host.h"
#include "metrics.h"
#include "results.h"
#include "route.h"
#include "service/experiment/waiting.h"
#include "service/system/clock.h"
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct api_admin {
    api_service *service;
    sottod_auth *auth;
    api_answers answers;
    char allow[ROUTE_ALLOW_BYTES];
    char location[80];
    create_request create; /* too large for the stack */
};

static const answer_style style = {
    {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}}};

static front_verdict refuse(api_admin *port, const sottod_refusal *why, front_answer *answer)
{
    answer_refusal(&port->answers, why, answer);
    return FRONT_ANSWERED;
}

/* ---- reading */

static front_verdict answer_list(void *self, const route_call *call, front_answer *answer)
{
    (void)call;
    api_admin *port = self;
    sottod_experiments *all = port->service->experiments;
    json_t *rows = json_array();
    waiting_ask_all(all, clock_steady_ms());
    for (uint32_t i = 0; i < experiments_count(all); i++) {
        json_array_append_new(rows, describe_row(experiments_at(all, i)));
    }
    answer_json(&port->answers, 200, json_pack("{so}", "experiments", rows), answer);
    return FRONT_ANSWERED;
}

static front_verdict answer_one(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    waiting_ask(port->service->experiments, call->experiment);
    answer_json(&port->answers, 200,
                describe_experiment(call->experiment, port->service->keep_reports), answer);
    return FRONT_ANSWERED;
}

static front_verdict answer_results(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    sottod_refusal why;
    double alpha;
    if (!results_read_alpha(front_request_argument(call->request, "alpha"), &alpha, &why)) {
        return refuse(port, &why, answer);
    }
    answer_json(&port->answers, 200, results_json(call->experiment, alpha), answer);
    return FRONT_ANSWERED;
}

static front_verdict answer_history(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    sottod_refusal why;
    json_t *history = history_json(port->service->journal, call->experiment);
    if (history == NULL) {
        refusal_set_lack(&why, LACK_JOURNAL, "The history cannot be read now.");
        return refuse(port, &why, answer);
    }
    answer_json(&port->answers, 200, history, answer);
    return FRONT_ANSWERED;
}

static front_verdict answer_metrics(void *self, const route_call *call, front_answer *answer)
{
    (void)call;
    api_admin *port = self;
    size_t bytes = 0;
    char *text = metrics_text(port->service, &bytes);
    answer_text(&port->answers, 200, METRICS_TYPE, text, bytes, answer);
    return FRONT_ANSWERED;
}

static front_verdict answer_health(void *self, const route_call *call, front_answer *answer)
{
    (void)call;
    api_admin *port = self;
    static const char body[] = "{\"status\":\"ok\"}";
    answer_bytes(&port->answers, 200, "application/json", body, sizeof body - 1, answer);
    return FRONT_ANSWERED;
}

/* ---- changing */

static bool admit_json(const route_call *call, size_t *body_max, sottod_refusal *why)
{
    static const char json[] = "application/json";
    const char *type = front_request_header(call->request, "Content-Type");
    size_t bytes = type != NULL ? strcspn(type, "; \t") : 0;
    if (bytes != sizeof json - 1 || strncasecmp(type, json, bytes) != 0) {
        refusal_set(why, 415, "The body has a wrong type.", "Content-Type", type, json);
        return false;
    }
    *body_max = JSON_READ_BYTES_MAX;
    return true;
}

/* The settings of epochs stand in {learning}. */
static void name_section(sottod_refusal *why)
{
    char field[sizeof why->field];
    if (strncmp(why->field, "epoch_", 6) != 0) return;
    snprintf(field, sizeof field, "learning.%.40s", why->field);
    memcpy(why->field, field, sizeof field);
}

static front_verdict answer_create(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    create_request *create = &port->create;
    sottod_experiment *made = NULL;
    sottod_refusal why;
    size_t bytes = 0;
    const uint8_t *body = front_request_body(call->request, &bytes);
    if (!create_read(body, bytes, create, &why) ||
        !experiments_create(port->service->experiments, &create->request, clock_steady_ms(), &made,
                            &why)) {
        name_section(&why);
        return refuse(port, &why, answer);
    }
    answer_json(&port->answers, 201, describe_experiment(made, port->service->keep_reports),
                answer);
    snprintf(port->location, sizeof port->location, "/v1/experiments/%s", experiment_id_text(made));
    answer_add_header(answer, "Location", port->location);
    return FRONT_ANSWERED;
}

/* {id, state} after the change. */
static front_verdict set_state(api_admin *port, const route_call *call, journal_state state,
                               front_answer *answer)
{
    sottod_refusal why;
    const char *id = experiment_id_text(call->experiment);
    if (!experiment_set_state(port->service->experiments, call->experiment, state, &why)) {
        return refuse(port, &why, answer);
    }
    answer_json(&port->answers, 200,
                json_pack("{ssss}", "id", id, "state", journal_state_name(state)), answer);
    return FRONT_ANSWERED;
}

static front_verdict answer_open(void *self, const route_call *call, front_answer *answer)
{
    return set_state(self, call, JOURNAL_OPEN, answer);
}

static front_verdict answer_pause(void *self, const route_call *call, front_answer *answer)
{
    return set_state(self, call, JOURNAL_PAUSED, answer);
}

static front_verdict answer_close(void *self, const route_call *call, front_answer *answer)
{
    return set_state(self, call, JOURNAL_CLOSED, answer);
}

static front_verdict answer_delete(void *self, const route_call *call, front_answer *answer)
{
    return set_state(self, call, JOURNAL_DELETED, answer);
}

/* ---- the watch: {id, state, quarantine, held} after the change */

static front_verdict answer_watch(api_admin *port, const route_call *call, uint32_t status,
                                  front_answer *answer)
{
    answer_json(&port->answers, status,
                json_pack("{sssssbso}", "id", experiment_id_text(call->experiment), "state",
                          journal_state_name(experiment_state(call->experiment)), "quarantine",
                          (int)experiment_watched(call->experiment).quarantine, "held",
                          watch_held(call->experiment)),
                answer);
    return FRONT_ANSWERED;
}

static front_verdict answer_quarantine(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    sottod_refusal why;
    size_t bytes = 0;
    bool quarantine;
    const uint8_t *body = front_request_body(call->request, &bytes);
    bool done =
        watch_read_quarantine(body, bytes, &quarantine, &why) &&
        experiment_set_quarantine(port->service->experiments, call->experiment, quarantine, &why);
    return done ? answer_watch(port, call, 200, answer) : refuse(port, &why, answer);
}

/* Over a shared journal it is written down, and done by whoever folds: accepted. */
static uint32_t status_of_decision(const api_admin *port)
{
    return journal_is_shared(port->service->journal) ? 202 : 200;
}

static front_verdict answer_release(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    sottod_refusal why;
    if (!experiment_release(port->service->experiments, call->experiment, &why))
        return refuse(port, &why, answer);
    return answer_watch(port, call, status_of_decision(port), answer);
}

static front_verdict answer_discard(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    sottod_refusal why;
    if (!experiment_discard(port->service->experiments, call->experiment, &why))
        return refuse(port, &why, answer);
    return answer_watch(port, call, status_of_decision(port), answer);
}

/* {id, state, harm} after it. The fallback is served until the open epoch is published. */
static front_verdict answer_end_fallback(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    sottod_refusal why;
    if (!experiment_end_fallback(port->service->experiments, call->experiment, &why))
        return refuse(port, &why, answer);
    answer_json(&port->answers, 202,
                json_pack("{ssssso}", "id", experiment_id_text(call->experiment), "state",
                          journal_state_name(experiment_state(call->experiment)), "harm",
                          results_harm(call->experiment)),
                answer);
    return FRONT_ANSWERED;
}

/* ---- the door */

/* Deleting again is no error. */
static const api_route routes[] = {
    {FRONT_POST, "/v1/experiments", ROUTE_ADMIN, false, admit_json, answer_create},
    {FRONT_GET, "/v1/experiments", ROUTE_READER, false, NULL, answer_list},
    {FRONT_GET, "/v1/experiments/{id}", ROUTE_READER, false, NULL, answer_one},
    {FRONT_DELETE, "/v1/experiments/{id}", ROUTE_ADMIN, true, NULL, answer_delete},
    {FRONT_POST, "/v1/experiments/{id}/open", ROUTE_ADMIN, false, NULL, answer_open},
    {FRONT_POST, "/v1/experiments/{id}/pause", ROUTE_ADMIN, false, NULL, answer_pause},
    {FRONT_POST, "/v1/experiments/{id}/close", ROUTE_ADMIN, false, NULL, answer_close},
    {FRONT_POST, "/v1/experiments/{id}/quarantine", ROUTE_ADMIN, false, admit_json,
     answer_quarantine},
    {FRONT_POST, "/v1/experiments/{id}/release", ROUTE_ADMIN, false, NULL, answer_release},
    {FRONT_POST, "/v1/experiments/{id}/discard", ROUTE_ADMIN, false, NULL, answer_discard},
    {FRONT_POST, "/v1/experiments/{id}/end-fallback", ROUTE_ADMIN, false, NULL,
     answer_end_fallback},
    {FRONT_GET, "/v1/experiments/{id}/results", ROUTE_READER, false, NULL, answer_results},
    {FRONT_GET, "/v1/experiments/{id}/history", ROUTE_READER, false, NULL, answer_history},
    {FRONT_GET, "/metrics", ROUTE_READER, false, NULL, answer_metrics},
    {FRONT_GET, "/healthz", ROUTE_ANYBODY, false, NULL, answer_health},
};

route_table api_admin_routes(void)
{
    return (route_table){routes, sizeof routes / sizeof routes[0], false};
}

static auth_role least_role(route_access access)
{
    switch (access) {
    case ROUTE_ANYBODY: return AUTH_NOBODY;
    case ROUTE_READER: return AUTH_READER;
    case ROUTE_ADMIN: return AUTH_ADMIN;
    }
    return AUTH_ADMIN;
}

/* The route, or NULL with *why. Whoever has no token learns of no path but /healthz, and of no id. */
static const api_route *find(api_admin *port, const front_request *request, route_call *call,
                             sottod_refusal *why)
{
    const api_service *service = port->service;
    const route_table table = api_admin_routes();
    const host_rule rule = {
        .address = service->admin_address,
        .port = service->admin_front != NULL ? front_port(service->admin_front) : 0,
        .names = service->admin_hosts,
    };
    sottod_refusal missing;
    if (!host_allows(&rule, front_request_header(request, "Host"),
                     front_request_header(request, "Origin"), why)) {
        return NULL;
    }
    const api_route *route =
        route_find(&table, service->experiments, request, call, port->allow, &missing);
    auth_role who = auth_who(port->auth, front_request_header(request, "Authorization"));
    auth_role least = route != NULL ? least_role(route->access) : AUTH_READER;
    if (!auth_admits(who, least, why)) return NULL;
    if (route == NULL) *why = missing;
    return route;
}

static void refuse_with(api_admin *port, const sottod_refusal *why, front_answer *answer)
{
    answer_refusal(&port->answers, why, answer);
    if (why->status == 405) answer_add_header(answer, "Allow", port->allow);
}

static bool door_admit(void *self, const front_request *request, size_t *body_max,
                       front_answer *answer)
{
    api_admin *port = self;
    route_call call;
    sottod_refusal why;
    *body_max = 0;
    const api_route *route = find(port, request, &call, &why);
    if (route != NULL && (route->admit == NULL || route->admit(&call, body_max, &why))) {
        return true;
    }
    refuse_with(port, &why, answer);
    return false;
}

static front_verdict door_answer(void *self, const front_request *request, front_answer *answer)
{
    api_admin *port = self;
    route_call call;
    sottod_refusal why;
    const api_route *route = find(port, request, &call, &why);
    if (route != NULL) return route->answer(self, &call, answer);
    refuse_with(port, &why, answer);
    return FRONT_ANSWERED;
}

static void door_refuse(void *self, uint32_t status, const char *sentence, const char *allowed,
                        front_answer *answer)
{
    api_admin *port = self;
    answer_front_refusal(&port->answers, status, sentence, allowed, answer);
}

api_admin *api_admin_new(api_service *service, char fault[FRONT_FAULT_BYTES])
{
    api_admin *port = calloc(1, sizeof *port);
    if (port == NULL) {
        snprintf(fault, FRONT_FAULT_BYTES, "out of memory");
        return NULL;
    }
    port->service = service;
    answers_init(&port->answers, &style);
    port->auth = auth_open(service->data, fault);
    if (port->auth != NULL) return port;
    api_admin_free(port);
    return NULL;
}

void api_admin_free(api_admin *port)
{
    if (port == NULL) return;
    answers_end(&port->answers);
    auth_free(port->auth);
    free(port);
}

front_door api_admin_door(api_admin *port)
{
    return (front_door){
        .admit = door_admit, .answer = door_answer, .refuse = door_refuse, .self = port};
}

const char *api_admin_token_file(const api_admin *port)
{
    return auth_token_file(port->auth);
}

bool api_admin_token_is_new(const api_admin *port)
{
    return auth_is_new(port->auth);
}
