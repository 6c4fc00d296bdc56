/* The admin port, for owners of experiments. Every answer except /healthz needs a token, and pages of other origins
 * get none. */
#include "inner.h"
#include "service/experiment/experiment.h"
#include "service/system/system.h"

#include <assert.h>
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
    changes_wait wait;
};

static const answer_style style = {
    {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}}};

/* ---- reading */

static bool answer_list(void *self, const route_call *call, front_answer *answer)
{
    (void)call;
    api_admin *port = self;
    sottod_experiments *all = port->service->experiments;
    waiting_ask_all(all, clock_steady_ms());
    sottod_list *list = list_open(all);
    if (list == NULL)
        return refusal_set_lack(call->why, LACK_MEMORY,
                                "The server has too little memory for the answer.");
    answer_bytes(&port->answers, 200, "application/json", NULL, 0, answer);
    answer->pieces = (front_pieces){list_more, list_free, list};
    return true;
}

static bool answer_one(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    waiting_ask(port->service->experiments, call->experiment);
    answer_json(&port->answers, 200,
                describe_experiment(call->experiment, port->service->keep_reports), answer);
    return true;
}

static bool answer_results(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    double alpha;
    if (!results_read_alpha(front_request_argument(call->request, "alpha"), &alpha, call->why)) {
        return false;
    }
    answer_json(&port->answers, 200, results_json(call->experiment, alpha), answer);
    return true;
}

static bool answer_history(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    history_query query;
    const history_words words = {
        .since = front_request_argument(call->request, "since"),
        .until = front_request_argument(call->request, "until"),
        .after = front_request_argument(call->request, "after"),
        .limit = front_request_argument(call->request, "limit"),
        .resolution = front_request_argument(call->request, "resolution"),
    };
    if (!history_read(&words, clock_minute(), &query, call->why)) return false;
    sottod_history *history = history_open(port->service->journal, call->experiment, &query);
    if (history == NULL)
        return refusal_set_lack(call->why, LACK_JOURNAL, "The server cannot read the history now.");
    answer_bytes(&port->answers, 200, "application/json", NULL, 0, answer);
    answer->pieces = (front_pieces){history_more, history_free, history};
    return true;
}

static bool answer_changes(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    char stamp[CHANGES_BYTES];
    const char *after = front_request_argument(call->request, "after");
    if (!changes_read(after, call->why)) return false;
    changes_stamp(port->service, stamp);
    if (changes_begin(&port->wait, after, stamp, clock_steady_ms())) return true;
    answer_json(&port->answers, 200, changes_json(port->service, stamp), answer);
    return true;
}

bool api_admin_turn(api_admin *port, uint64_t now_ms, front_answer *answer)
{
    if (!changes_over(&port->wait, port->service, now_ms)) return false;
    answer_json(&port->answers, 200, changes_json(port->service, port->wait.stamp), answer);
    return true;
}

int api_admin_timeout_ms(const api_admin *port, uint64_t now_ms)
{
    return changes_timeout_ms(&port->wait, now_ms);
}

static bool answer_metrics(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    route_call one = {.experiment = NULL};
    const char *id = front_request_argument(call->request, "experiment");
    if (id != NULL &&
        !route_find_experiment(port->service->experiments, NULL, id, strlen(id), &one, call->why)) {
        return false;
    }
    size_t bytes = 0;
    const route_table table = api_admin_routes();
    char *text = metrics_text(port->service, &table, one.experiment, &bytes);
    answer_text(&port->answers, 200, METRICS_TYPE, text, bytes, answer);
    return true;
}

static bool answer_health(void *self, const route_call *call, front_answer *answer)
{
    (void)call;
    api_admin *port = self;
    static const char body[] = "{\"status\":\"ok\"}";
    answer_bytes(&port->answers, 200, "application/json", body, sizeof body - 1, answer);
    return true;
}

/* ---- changing */

static bool admit_json(const route_call *call, size_t *body_max, sottod_refusal *why)
{
    static const char json[] = "application/json";
    const char *type = front_request_header(call->request, "Content-Type");
    size_t bytes = type != NULL ? strcspn(type, "; \t") : 0;
    if (bytes != sizeof json - 1 || strncasecmp(type, json, bytes) != 0)
        return refusal_set(why, 415, "The body has the wrong Content-Type.", "Content-Type", type,
                           json);
    *body_max = JSON_READ_BYTES_MAX;
    return true;
}

/* The settings of epochs stand in {learning}. */
static void name_section(sottod_refusal *why)
{
    char field[sizeof why->fault.field];
    if (strncmp(why->fault.field, "epoch_", 6) != 0) return;
    snprintf(field, sizeof field, "learning.%.40s", why->fault.field);
    memcpy(why->fault.field, field, sizeof field);
}

static bool answer_create(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    create_request *create = &port->create;
    sottod_experiment *made = NULL;
    size_t bytes = 0;
    const uint8_t *body = front_request_body(call->request, &bytes);
    if (!create_read(body, bytes, create, call->why) ||
        !experiments_create(port->service->experiments, &create->request, clock_steady_ms(), &made,
                            call->why)) {
        name_section(call->why);
        return false;
    }
    answer_json(&port->answers, 201, describe_experiment(made, port->service->keep_reports),
                answer);
    snprintf(port->location, sizeof port->location, "/v1/experiments/%s", experiment_id_text(made));
    answer_add_header(answer, "Location", port->location);
    return true;
}

/* Sets the state of the route; answers {id, state}. */
static bool answer_state(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    const journal_state state = call->route->state;
    const char *id = experiment_id_text(call->experiment);
    if (!experiment_set_state(port->service->experiments, call->experiment, state, call->why))
        return false;
    answer_json(&port->answers, 200,
                json_pack("{ssss}", "id", id, "state", journal_state_name(state)), answer);
    return true;
}

/* ---- the watch: answers {id, state, quarantine, held} after the change */

static void answer_watch(api_admin *port, const route_call *call, uint32_t status,
                         front_answer *answer)
{
    answer_json(&port->answers, status,
                json_pack("{sssssbso}", "id", experiment_id_text(call->experiment), "state",
                          journal_state_name(experiment_state(call->experiment)), "quarantine",
                          (int)experiment_watched(call->experiment).quarantine, "held",
                          watch_held(call->experiment)),
                answer);
}

static bool answer_quarantine(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    size_t bytes = 0;
    bool quarantine;
    const uint8_t *body = front_request_body(call->request, &bytes);
    bool done = watch_read_quarantine(body, bytes, &quarantine, call->why) &&
                experiment_set_quarantine(port->service->experiments, call->experiment, quarantine,
                                          call->why);
    if (done) answer_watch(port, call, 200, answer);
    return done;
}

/* With a shared journal the decision is stored and the publisher carries it out, so the answer is
 * 202. */
static uint32_t status_of_decision(const api_admin *port)
{
    return journal_publishes_here(port->service->journal) ? 200 : 202;
}

static bool answer_release(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    if (!experiment_release(port->service->experiments, call->experiment, call->why)) return false;
    answer_watch(port, call, status_of_decision(port), answer);
    return true;
}

static bool answer_discard(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    if (!experiment_discard(port->service->experiments, call->experiment, call->why)) return false;
    answer_watch(port, call, status_of_decision(port), answer);
    return true;
}

/* ---- who may send reports: answers {id, state, report_keys, origins} after the change */

static bool set_access(api_admin *port, const route_call *call, const experiment_access *to,
                       front_answer *answer)
{
    if (!experiment_set_access(port->service->experiments, call->experiment, to, call->why))
        return false;
    const experiment_access now = experiment_access_of(call->experiment);
    answer_json(&port->answers, 200,
                json_pack("{sssssiso}", "id", experiment_id_text(call->experiment), "state",
                          journal_state_name(experiment_state(call->experiment)), "report_keys",
                          (int)now.keys, "origins", origins_json(now.origins)),
                answer);
    return true;
}

static bool answer_origins(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    size_t bytes = 0;
    const uint8_t *body = front_request_body(call->request, &bytes);
    experiment_access access = experiment_access_of(call->experiment);
    access.origins = port->create.origins;
    if (!origins_read_body(body, bytes, port->create.origins, call->why)) return false;
    return set_access(port, call, &access, answer);
}

static bool answer_report_keys(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    size_t bytes = 0;
    const uint8_t *body = front_request_body(call->request, &bytes);
    experiment_access access = {.origins = experiment_access_of(call->experiment).origins};
    if (!report_key_read_body(body, bytes, &access, call->why)) return false;
    return set_access(port, call, &access, answer);
}

/* Answers {id, state, harm} after the change. The fallback is served until the open epoch is published. */
static bool answer_end_fallback(void *self, const route_call *call, front_answer *answer)
{
    api_admin *port = self;
    if (!experiment_end_fallback(port->service->experiments, call->experiment, call->why))
        return false;
    answer_json(&port->answers, 202,
                json_pack("{ssssso}", "id", experiment_id_text(call->experiment), "state",
                          journal_state_name(experiment_state(call->experiment)), "harm",
                          results_harm(call->experiment)),
                answer);
    return true;
}

/* ---- the door */

/* Deleting twice is not an error. */
static const api_route routes[] = {
    ROUTE(POST, "/v1/experiments", ADMIN, .admit = admit_json, .answer = answer_create),
    ROUTE(GET, "/v1/experiments", READER, .answer = answer_list),
    ROUTE(GET, "/v1/experiments/{id}", READER, .answer = answer_one),
    ROUTE(DELETE, "/v1/experiments/{id}", ADMIN, .gone = true, .state = JOURNAL_DELETED,
          .answer = answer_state),
    ROUTE(POST, "/v1/experiments/{id}/open", ADMIN, .state = JOURNAL_OPEN, .answer = answer_state),
    ROUTE(POST, "/v1/experiments/{id}/pause", ADMIN, .state = JOURNAL_PAUSED,
          .answer = answer_state),
    ROUTE(POST, "/v1/experiments/{id}/close", ADMIN, .state = JOURNAL_CLOSED,
          .answer = answer_state),
    ROUTE(POST, "/v1/experiments/{id}/quarantine", ADMIN, .admit = admit_json,
          .answer = answer_quarantine),
    ROUTE(POST, "/v1/experiments/{id}/origins", ADMIN, .admit = admit_json,
          .answer = answer_origins),
    ROUTE(POST, "/v1/experiments/{id}/report-keys", ADMIN, .admit = admit_json,
          .answer = answer_report_keys),
    ROUTE(POST, "/v1/experiments/{id}/release", ADMIN, .answer = answer_release),
    ROUTE(POST, "/v1/experiments/{id}/discard", ADMIN, .answer = answer_discard),
    ROUTE(POST, "/v1/experiments/{id}/end-fallback", ADMIN, .answer = answer_end_fallback),
    ROUTE(GET, "/v1/experiments/{id}/results{?alpha}", READER, .answer = answer_results),
    ROUTE(GET, "/v1/experiments/{id}/history{?since,until,after,limit,resolution}", READER,
          .answer = answer_history),
    ROUTE(GET, "/v1/changes{?after}", READER, .answer = answer_changes),
    ROUTE(GET, "/metrics{?experiment}", READER, .answer = answer_metrics),
    ROUTE(GET, "/healthz", ANYBODY, .answer = answer_health),
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

/* What a request asks for, and its caller. */
typedef struct admin_request {
    const page_file *page;  /* NULL: not a page */
    const api_route *route; /* NULL: no such route */
    route_call call;
    auth_caller who;
} admin_request;

/* False, and *why, if the request is refused. A client without a token learns of no path except /healthz and the
 * pages, and of no id. */
static bool find(api_admin *port, const front_request *request, admin_request *out,
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
    *out = (admin_request){.route = NULL};
    if (!host_allows(&rule, front_request_header(request, "Host"),
                     front_request_header(request, "Origin"), why)) {
        return false;
    }
    out->page = page_asked(request);
    if (out->page != NULL) return true;
    out->route =
        route_find(&table, service->experiments, request, &out->call, port->allow, &missing);
    out->who = auth_who(port->auth, front_request_header(request, "Authorization"), token_today());
    auth_role least = out->route != NULL ? least_role(out->route->access) : AUTH_READER;
    if (!auth_admits(&out->who, least, why)) return false;
    if (out->route == NULL) *why = missing;
    return out->route != NULL;
}

/* With the id of the experiment that was created, or that the path names. */
static void put_on_record(const api_admin *port, const front_request *request,
                          const admin_request *asked, uint32_t status)
{
    if (!audit_is_due(front_request_method(request))) return;
    const char *id = status == 201                    ? port->location + strlen("/v1/experiments/")
                     : asked->call.experiment != NULL ? experiment_id_text(asked->call.experiment)
                                                      : NULL;
    audit_write(port->service->log, &asked->who, asked->route, id, status);
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
    admin_request asked;
    sottod_refusal why;
    *body_max = 0;
    const bool found = find(port, request, &asked, &why);
    if (found && asked.page != NULL) return true;
    if (found && route_check_arguments(asked.route, request, &why) &&
        (asked.route->admit == NULL || asked.route->admit(&asked.call, body_max, &why))) {
        return true;
    }
    refuse_with(port, &why, answer);
    put_on_record(port, request, &asked, why.status);
    return false;
}

static front_verdict door_answer(void *self, const front_request *request, front_answer *answer)
{
    api_admin *port = self;
    admin_request asked;
    sottod_refusal why;
    const bool found = find(port, request, &asked, &why);
    if (found && asked.page != NULL) {
        page_answer(&port->answers, request, asked.page, answer);
        return FRONT_ANSWERED;
    }
    if (found) {
        front_verdict verdict =
            route_answer(asked.route, self, &port->answers, &asked.call, answer);
        put_on_record(port, request, &asked, answer->status);
        return verdict;
    }
    refuse_with(port, &why, answer);
    put_on_record(port, request, &asked, why.status);
    return FRONT_ANSWERED;
}

static void door_refuse(void *self, uint32_t status, const char *sentence, const char *allowed,
                        front_answer *answer)
{
    api_admin *port = self;
    answer_front_refusal(&port->answers, status, sentence, allowed, answer);
}

/* Refusals by the front are attempts, too, and are logged. */
static void door_refused(void *self, const front_request *request, uint32_t status)
{
    admin_request asked;
    sottod_refusal why;
    (void)find(self, request, &asked, &why);
    put_on_record(self, request, &asked, status);
}

sotto_status api_admin_new(api_service *service, api_admin **out, sotto_fault *fault)
{
    *out = NULL;
    api_admin *port = calloc(1, sizeof *port);
    if (port == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    port->service = service;
    answers_init(&port->answers, &style);
    sotto_status status = auth_open(service->data, token_today(), &port->auth, fault);
    if (status == SOTTO_OK) {
        *out = port;
    } else {
        api_admin_free(port);
    }
    return status;
}

void api_admin_free(api_admin *port)
{
    if (port == NULL) return;
    answers_end(&port->answers);
    auth_free(port->auth);
    free(port);
}

static uint32_t door_kind(void *self, const front_request *request)
{
    static_assert(sizeof routes / sizeof routes[0] < FRONT_KINDS, "each route is timed");
    const route_table table = api_admin_routes();
    (void)self;
    return route_kind(&table, request);
}

front_door api_admin_door(api_admin *port)
{
    return (front_door){.admit = door_admit,
                        .answer = door_answer,
                        .refuse = door_refuse,
                        .refused = door_refused,
                        .kind = door_kind,
                        .self = port};
}

sotto_status api_admin_reload(api_admin *port, uint32_t *tokens, sotto_fault *fault)
{
    sotto_status status = auth_reload(port->auth, token_today(), fault);
    *tokens = auth_count(port->auth);
    return status;
}

const char *api_admin_token_file(const api_admin *port)
{
    return auth_token_file(port->auth);
}

bool api_admin_token_is_new(const api_admin *port)
{
    return auth_is_new(port->auth);
}
