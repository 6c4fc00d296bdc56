/* Answers before experiments are loaded. Two threads: one reads the journal, the other answers. */
#include "inner.h"
#include "service/system/system.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTS 4096u /* by the first bytes of an id, which is a digest */

typedef struct known {
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    char tag[16]; /* the epoch in quotes, as ETag */
    size_t terms_bytes, model_bytes;
    struct known *next; /* in its list; constant once set */
    uint8_t bytes[];    /* terms, then the model */
} known;

/* Each port has its own answers; only the answering thread uses them. */
struct api_starting {
    pthread_mutex_t lock; /* protects `list` */
    known *list[LISTS];
    api_answers answers, admin_answers;
    char tag[SPEC_ID_TEXT_BYTES + 2]; /* of the current answer */
};

static const char octets[] = "application/octet-stream";
static const answer_style admin_style = {
    {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}}};

api_starting *api_starting_new(void)
{
    api_starting *starting = calloc(1, sizeof *starting);
    if (starting == NULL) return NULL;
    if (pthread_mutex_init(&starting->lock, NULL) != 0) {
        free(starting);
        return NULL;
    }
    answers_init(&starting->answers, origins_any());
    answers_init(&starting->admin_answers, &admin_style);
    return starting;
}

void api_starting_free(api_starting *starting)
{
    if (starting == NULL) return;
    for (uint32_t i = 0; i < LISTS; i++) {
        for (known *one = starting->list[i], *next; one != NULL; one = next) {
            next = one->next;
            free(one);
        }
    }
    answers_end(&starting->answers);
    answers_end(&starting->admin_answers);
    pthread_mutex_destroy(&starting->lock);
    free(starting);
}

static uint32_t list_of(const uint8_t *id)
{
    return (id[0] | (uint32_t)id[1] << 8) % LISTS;
}

void api_starting_know(void *self, const sottod_experiment *experiment)
{
    api_starting *starting = self;
    size_t terms_bytes, model_bytes;
    const uint8_t *terms = experiment_terms_bytes(experiment, &terms_bytes);
    const uint8_t *model = experiment_model_bytes(experiment, &model_bytes);
    known *one = model == NULL ? NULL : malloc(sizeof *one + terms_bytes + model_bytes);
    if (one == NULL) return; /* a client will ask again */
    memcpy(one->id, experiment_id(experiment), sizeof one->id);
    snprintf(one->tag, sizeof one->tag, "\"%" PRIu32 "\"", experiment_epoch(experiment));
    one->terms_bytes = terms_bytes;
    one->model_bytes = model_bytes;
    memcpy(one->bytes, terms, terms_bytes);
    memcpy(one->bytes + terms_bytes, model, model_bytes);
    pthread_mutex_lock(&starting->lock);
    known **list = &starting->list[list_of(one->id)];
    one->next = *list;
    *list = one;
    pthread_mutex_unlock(&starting->lock);
}

static const known *find(api_starting *starting, const uint8_t *id)
{
    pthread_mutex_lock(&starting->lock);
    const known *one = starting->list[list_of(id)];
    pthread_mutex_unlock(&starting->lock);
    while (one != NULL && memcmp(one->id, id, sizeof one->id) != 0) {
        one = one->next;
    }
    return one;
}

/* ---- answers */

static void refuse(api_answers *answers, front_answer *answer)
{
    sottod_refusal why;
    refusal_set_lack(&why, LACK_JOURNAL,
                     "The service is starting and still reads its journal. Try again later.");
    answer_refusal(answers, &why, answer);
}

/* The experiment in "/v1/experiments/{id}", and the rest of the path. NULL: unknown. */
static const known *named(api_starting *starting, const char *path, const char **rest)
{
    static const char before[] = "/v1/experiments/";
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    if (strncmp(path, before, sizeof before - 1) != 0) return NULL;
    path += sizeof before - 1;
    size_t bytes = strcspn(path, "/");
    *rest = path + bytes;
    return spec_id_read(path, bytes, id) ? find(starting, id) : NULL;
}

/* As in public.c. */
static void answer_terms(api_starting *starting, const front_request *request, const known *one,
                         front_answer *answer)
{
    char id[SPEC_ID_TEXT_BYTES];
    hex_write(one->id, sizeof one->id, id);
    snprintf(starting->tag, sizeof starting->tag, "\"%s\"", id);
    if (negotiate_has_tag(front_request_header(request, "If-None-Match"), starting->tag)) {
        answer_empty(&starting->answers, 304, answer);
    } else {
        answer_bytes(&starting->answers, 200, octets, one->bytes, one->terms_bytes, answer);
    }
    answer_add_header(answer, "ETag", starting->tag);
    answer_add_header(answer, "Cache-Control", TERMS_CACHE_CONTROL);
}

static void answer_model(api_starting *starting, const front_request *request, const known *one,
                         front_answer *answer)
{
    const char *has = front_request_header(request, "If-None-Match");
    if (has != NULL && strcmp(has, one->tag) == 0) {
        answer_empty(&starting->answers, 304, answer);
    } else {
        answer_bytes(&starting->answers, 200, octets, one->bytes + one->terms_bytes,
                     one->model_bytes, answer);
    }
    answer_add_header(answer, "ETag", one->tag);
    answer_add_header(answer, "Cache-Control", "no-cache");
}

static bool answer_known(api_starting *starting, const front_request *request, front_answer *answer)
{
    const char *rest;
    const known *one = named(starting, front_request_path(request), &rest);
    if (one == NULL) return false;
    if (strcmp(rest, "/terms") == 0) {
        answer_terms(starting, request, one, answer);
    } else if (strcmp(rest, "/model") == 0) {
        answer_model(starting, request, one, answer);
    } else {
        return false;
    }
    return true;
}

static bool answer_health(api_starting *starting, const char *path, front_answer *answer)
{
    static const char body[] = "{\"status\":\"ok\"}";
    if (strcmp(path, "/healthz") != 0) return false;
    answer_bytes(&starting->answers, 200, "application/json", body, sizeof body - 1, answer);
    answer_add_header(answer, "Cache-Control", "no-store");
    return true;
}

static front_verdict door_answer(void *self, const front_request *request, front_answer *answer)
{
    api_starting *starting = self;
    if (!answer_health(starting, front_request_path(request), answer) &&
        !answer_known(starting, request, answer))
        refuse(&starting->answers, answer);
    return FRONT_ANSWERED;
}

/* The port that follows may answer a request admitted here. So only requests that need no token are admitted. */
static bool door_admit(void *self, const front_request *request, size_t *body_max,
                       front_answer *answer)
{
    static const api_route plain = {.path = ""}; /* no path here has arguments */
    const route_table table = api_public_routes();
    api_starting *starting = self;
    sottod_refusal why;
    *body_max = 0;
    if (front_request_method(request) != FRONT_GET) {
        refuse(&starting->answers, answer);
        return false;
    }
    if (route_kind(&table, request) == 0 || route_check_arguments(&plain, request, &why))
        return true;
    answer_refusal(&starting->answers, &why, answer);
    return false;
}

static void door_refuse(void *self, uint32_t status, const char *sentence, const char *allowed,
                        front_answer *answer)
{
    api_starting *starting = self;
    answer_front_refusal(&starting->answers, status, sentence, allowed, answer);
}

front_door api_starting_public(api_starting *starting)
{
    return (front_door){
        .admit = door_admit, .answer = door_answer, .refuse = door_refuse, .self = starting};
}

/* ---- the admin port: only pages, because tokens are not known yet */

static bool admin_admit(void *self, const front_request *request, size_t *body_max,
                        front_answer *answer)
{
    api_starting *starting = self;
    *body_max = 0;
    if (page_asked(request) != NULL) return true;
    refuse(&starting->admin_answers, answer);
    return false;
}

static front_verdict admin_answer(void *self, const front_request *request, front_answer *answer)
{
    api_starting *starting = self;
    const page_file *page = page_asked(request);
    if (page != NULL) {
        page_answer(&starting->admin_answers, request, page, answer);
    } else {
        refuse(&starting->admin_answers, answer);
    }
    return FRONT_ANSWERED;
}

static void admin_refuse(void *self, uint32_t status, const char *sentence, const char *allowed,
                         front_answer *answer)
{
    api_starting *starting = self;
    answer_front_refusal(&starting->admin_answers, status, sentence, allowed, answer);
}

front_door api_starting_admin(api_starting *starting)
{
    return (front_door){
        .admit = admin_admit, .answer = admin_answer, .refuse = admin_refuse, .self = starting};
}
