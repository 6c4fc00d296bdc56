/* Rivals: what the players of methods published since 2021 have in common. */
#include "client/client.h"
#include "core/core.h"
#include "inner.h"

#include <stdlib.h>
#include <string.h>

static sotto_status rival_decide(sotto__player *player, const double *context, uint32_t *arm)
{
    sotto__rival *self = (sotto__rival *)player;
    sotto__clip_rows(context, self->shared ? self->arms : 1, self->dim,
                     self->match->spec.context_norm_max, self->context);
    self->arm = self->method->choose(self);
    *arm = self->arm;
    return SOTTO_OK;
}

static sotto_status rival_send(sotto__player *player, double reward, void *sent)
{
    sotto__rival *self = (sotto__rival *)player;
    self->method->report(self, sotto__clip_reward(&self->match->spec, reward), sent);
    return SOTTO_OK;
}

static sotto_status rival_receive(sotto__player *player, const void *sent, double now_ms)
{
    (void)now_ms;
    sotto__rival *self = (sotto__rival *)player;
    return self->method->take(self, sent);
}

static sotto_status rival_learn(sotto__player *player, double reward)
{
    sotto__rival *self = (sotto__rival *)player;
    sotto_status status = rival_send(player, reward, self->report);
    return status == SOTTO_OK ? self->method->take(self, self->report) : status;
}

static const double *rival_estimate(const sotto__player *player)
{
    const sotto__rival *self = (const sotto__rival *)player;
    return self->method->estimate(self);
}

static void rival_free(sotto__player *player)
{
    sotto__rival *self = (sotto__rival *)player;
    if (self->method->free != NULL) self->method->free(self);
    free(self->context);
    free(self->report);
    free(self);
}

static const sotto__player functions = {
    .decide = rival_decide,
    .learn = rival_learn,
    .estimate = rival_estimate,
    .repairs = sotto__player_no_repairs,
    .free = rival_free,
    .send = rival_send,
    .receive = rival_receive,
};

static const sotto__rival_method *const method_of[SOTTO_PLAYERS] = {
    [SOTTO_PLAYER_MERINO] = &sotto__rival_merino,
    [SOTTO_PLAYER_SHUFFLE_UCB] = &sotto__rival_shuffle,
    [SOTTO_PLAYER_JOINT_GLM] = &sotto__rival_joint,
};

sotto_status sotto__player_rival_new(const sotto_match *match, uint64_t seed,
                                     const sotto__world *world, sotto__player **out)
{
    (void)world;
    *out = NULL;
    const sotto_spec *spec = &match->spec;
    const sotto__rival_method *method = method_of[match->player];
    if (method == NULL) return SOTTO_E_FAULT;
    sotto__rival *self = calloc(1, method->struct_bytes);
    if (self == NULL) return SOTTO_E_MEMORY;
    self->player = functions;
    self->method = method;
    self->match = match;
    self->dim = spec->dim;
    self->arms = spec->arms;
    self->shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    sotto__ziggurat_begin(&self->ziggurat);
    sotto__stream_begin(&self->noise, seed, SOTTO__PURPOSE_PRIVACY);
    size_t context_count = (size_t)spec->dim * (self->shared ? spec->arms : 1);
    self->context = calloc(context_count + spec->arms, sizeof self->context[0]);
    sotto_status status = self->context == NULL ? SOTTO_E_MEMORY : method->begin(self);
    if (status == SOTTO_OK) self->report = malloc(self->report_bytes);
    if (status == SOTTO_OK && self->report == NULL) status = SOTTO_E_MEMORY;
    if (status != SOTTO_OK) {
        rival_free(&self->player);
        return status;
    }
    self->score = self->context + context_count;
    self->player.sent_bytes = self->report_bytes;
    *out = &self->player;
    return SOTTO_OK;
}
