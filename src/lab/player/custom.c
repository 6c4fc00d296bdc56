/*
 * A custom method as a player. All its results are checked.
 *
 * What the method learns passes through a buffer: `learn` gets a copy of the bytes that `report`
 * wrote, and the buffer of `report` is zeroed for the next person. Contexts and rewards are clipped
 * as on a device.
 */
#include "client/client.h"
#include "core/core.h"
#include "lab/plugin/plugin.h"
#include "player.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD_BYTES 64u /* after a report, to detect writes past its end */
#define GUARD_VALUE 0xa5

typedef struct custom_player {
    sotto__player player; /* first, so that a pointer to it is a pointer to the whole */
    const sotto_match *match;
    const sotto_player_table *table;
    sotto_problem problem;
    sotto__ziggurat ziggurat;
    sotto__lent stream;
    uint64_t t; /* rounds begun */
    bool made;
    void *state;
    uint32_t arm;
    double *context; /* clipped */
    size_t report_bytes_max;
    uint8_t *sent, *received; /* a report, as the device wrote it and as the server gets it */
    sotto_fault fault;
} custom_player;

const char *sotto__match_method(const sotto_match *match)
{
    return match->custom != NULL ? match->custom->name : sotto_player_name(match->player);
}

bool sotto__match_is_private(const sotto_match *match)
{
    return match->custom == NULL && sotto_player_is_private(match->player);
}

sotto_status sotto__custom_player_fault(const sotto_player_table *table, sotto_fault *fault)
{
    if (sotto__player_table_fault(table, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        if (strcmp(table->name, sotto_player_name((sotto_player)p)) != 0) continue;
        return sotto__refuse(fault, "method: its name \"%s\" is that of a built-in one",
                             table->name);
    }
    return SOTTO_OK;
}

static sotto_status blame(custom_player *self, const char *why)
{
    return sotto__table_blame(&self->fault, "method", self->table->name, self->t, "%s", why);
}

/* ---- a round ------------------------------------------------------------------------------ */

static sotto_status decide(sotto__player *player, const double *context, uint32_t *arm)
{
    custom_player *self = (custom_player *)player;
    const sotto_problem *problem = &self->problem;
    if (self->fault.sentence[0] != '\0') return SOTTO_E_PLUGIN; /* the player could not be made */
    char text[SOTTO_FAULT_BYTES] = "";
    self->t++;
    sotto__clip_rows(context, problem->context_count / problem->dim, problem->dim,
                     problem->context_norm_max, self->context);
    self->arm = UINT32_MAX; /* detects an arm that the method does not set */
    const char *why = sotto__back(
        self->table->decide(self->state, &self->stream.stream, self->context, &self->arm, text));
    if (why != NULL) return blame(self, why);
    *arm = self->arm;
    if (self->arm < problem->arms) return SOTTO_OK;
    if (self->arm == UINT32_MAX) return blame(self, "decide chose no arm");
    return sotto__table_blame(&self->fault, "method", self->table->name, self->t,
                              "decide chose arm %" PRIu32 ": allowed 0 to %" PRIu32, self->arm,
                              problem->arms - 1);
}

static bool guard_is_whole(const custom_player *self)
{
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (self->sent[self->report_bytes_max + i] != GUARD_VALUE) return false;
    }
    return true;
}

/* The device's report into `sent`, and its length. */
static sotto_status report(custom_player *self, double reward, size_t *bytes)
{
    char text[SOTTO_FAULT_BYTES] = "";
    *bytes = SIZE_MAX; /* detects a length that the method does not set */
    memset(self->sent, 0, self->report_bytes_max);
    const char *why = sotto__back(self->table->report(
        self->state, &self->stream.stream, self->context, self->arm,
        sotto__clip_reward(&self->match->spec, reward), self->sent, bytes, text));
    if (why != NULL) return blame(self, why);
    if (*bytes == SIZE_MAX) return blame(self, "report did not set the number of its bytes");
    if (*bytes <= self->report_bytes_max && guard_is_whole(self)) return SOTTO_OK;
    char written[32] = "more";
    if (*bytes > self->report_bytes_max) snprintf(written, sizeof written, "%zu", *bytes);
    return sotto__table_blame(&self->fault, "method", self->table->name, self->t,
                              "report wrote %s bytes: allowed 0 to its own report_bytes_max = %zu",
                              written, self->report_bytes_max);
}

static sotto_status take(custom_player *self, const void *bytes, size_t count)
{
    char text[SOTTO_FAULT_BYTES] = "";
    if (count > 0) memcpy(self->received, bytes, count);
    const char *why = sotto__back(self->table->learn(self->state, self->received, count, text));
    return why == NULL ? SOTTO_OK : blame(self, why);
}

static sotto_status learn(sotto__player *player, double reward)
{
    custom_player *self = (custom_player *)player;
    size_t bytes;
    sotto_status status = report(self, reward, &bytes);
    return status == SOTTO_OK ? take(self, self->sent, bytes) : status;
}

/* What is sent: the length, then the bytes. */
static sotto_status send(sotto__player *player, double reward, void *sent)
{
    custom_player *self = (custom_player *)player;
    size_t *bytes = sent;
    sotto_status status = report(self, reward, bytes);
    if (status == SOTTO_OK) memcpy(bytes + 1, self->sent, *bytes);
    return status;
}

static sotto_status receive(sotto__player *player, const void *sent, double now_ms)
{
    (void)now_ms;
    const size_t *bytes = sent;
    return take((custom_player *)player, bytes + 1, *bytes);
}

static const double *estimate(const sotto__player *player)
{
    const custom_player *self = (const custom_player *)player;
    return self->table->estimate == NULL ? NULL : sotto__back(self->table->estimate(self->state));
}

static const sotto_fault *fault(const sotto__player *player)
{
    return &((const custom_player *)player)->fault;
}

/* ---- made and freed ----------------------------------------------------------------------- */

static void release(sotto__player *player)
{
    custom_player *self = (custom_player *)player;
    if (self->made && self->table->free != NULL) self->table->free(self->state);
    sotto__back(NULL);
    free(self->context);
    free(self->sent);
    free(self->received);
    free(self);
}

static sotto_status make_room(custom_player *self)
{
    self->report_bytes_max = self->table->report_bytes_max(self->state);
    sotto__back(NULL);
    if (self->report_bytes_max > SOTTO_PLAYER_REPORT_BYTES_MAX) {
        sotto__table_blame(&self->fault, "method", self->table->name, 0,
                           "report_bytes_max = %zu: allowed 0 to %u", self->report_bytes_max,
                           SOTTO_PLAYER_REPORT_BYTES_MAX);
        self->report_bytes_max = 0;
    }
    self->sent = malloc(self->report_bytes_max + GUARD_BYTES);
    self->received = calloc(1, self->report_bytes_max + 1);
    self->context = calloc(self->problem.context_count, sizeof self->context[0]);
    if (self->sent != NULL) memset(self->sent + self->report_bytes_max, GUARD_VALUE, GUARD_BYTES);
    self->player.sent_bytes = sizeof(size_t) + self->report_bytes_max;
    bool made = self->sent != NULL && self->received != NULL && self->context != NULL;
    return made ? SOTTO_OK : SOTTO_E_MEMORY;
}

/* A failure of `make` is reported with the first decision, because it cannot be reported
 * earlier. */
sotto_status sotto__player_custom_new(const sotto_match *match, uint64_t seed,
                                      const sotto__world *world, sotto__player **out)
{
    (void)world;
    *out = NULL;
    custom_player *self = calloc(1, sizeof *self);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->player = (sotto__player){
        .decide = decide,
        .learn = learn,
        .estimate = estimate,
        .repairs = sotto__player_no_repairs,
        .free = release,
        .fault = fault,
        .send = send,
        .receive = receive,
    };
    self->match = match;
    self->table = match->custom;
    bool known = match->learning.horizon != 0;
    self->problem = sotto__problem_of(&match->spec, known ? match->horizon : 0, match->worth);
    sotto__ziggurat_begin(&self->ziggurat);
    sotto__lent_begin(&self->stream, seed, SOTTO__PURPOSE_PRIVACY, &self->ziggurat);
    char text[SOTTO_FAULT_BYTES] = "";
    const char *why =
        sotto__back(self->table->make(self->table->user, &self->problem, match->spec.epsilon,
                                      match->delta, &self->stream.stream, &self->state, text));
    self->made = why == NULL;
    sotto_status status = SOTTO_OK;
    if (why != NULL) {
        blame(self, why);
    } else {
        status = make_room(self);
    }
    if (status != SOTTO_OK) {
        release(&self->player);
        return status;
    }
    *out = &self->player;
    return SOTTO_OK;
}
