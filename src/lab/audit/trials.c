/*
 * Layers 2 and 3. The trials of a pair, in order:
 *
 *   first tenth    train a witness (outside programs; at most 100,000 trials)
 *   second tenth   choose the event: witness, side, threshold; and when a guess is sure
 *   the rest       fresh: count the event under either secret, and sure guesses
 *
 * Where the claim says which witness is best, both tenths choose the event, and every trial counts
 * for layer 2, whose guess by the sign of that witness is fixed beforehand. For an outside program
 * layer 2 counts only if the noise of the fresh trials is seen to be normal along the direction.
 * Sure guesses assume nothing of the noise; they are added up over the pairs of a pool.
 */
#include "trials.h"
#include "ask.h"
#include "dependence.h"
#include "gaussian.h"
#include "law.h"
#include "row.h"
#include "sure.h"
#include "witness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEARNING_MAX 100000u
#define LEARNING_NUMBERS_MAX (1u << 22)

static const char *const pair_name[SOTTO__AUDIT_PAIRS] = {
    "R e_1, its opposite", "R 1/sqrt d, its opposite", "R u, its opposite", "10 R w and -1.2 R w",
    "R e_d/2 and 0",
};

/* With nulls the last pair is as far apart as 0 and an input can be. */
static const char *name_of(const sotto__claim *claim, uint32_t pair)
{
    bool last = pair == SOTTO__AUDIT_PAIRS - 1;
    return last && sotto__claim_has_nulls(claim) ? "R e_d and 0" : pair_name[pair];
}

/* The pairs whose sure guesses are added up: the last pair is nearer to each other than the others,
 * and would dilute what they show. */
#define POOLS 2u
static const struct {
    uint32_t last;    /* pair; it begins where the one before ends */
    const char *name; /* NULL: that of the pair */
} pool[POOLS] = {
    {SOTTO__AUDIT_PAIRS - 2, "pairs a diameter apart"},
    {SOTTO__AUDIT_PAIRS - 1, NULL},
};

typedef struct trials {
    sotto__taker taker; /* first, so that a pointer to it is a pointer to the whole */
    sotto__subject *subject;
    const sotto__script *script;
    const sotto__trial_shares *shares;
    sotto_audit_result *result;
    uint64_t learning;                 /* L: 2 L trials are not fresh */
    sotto__witnessed_trial *witnessed; /* 2 L */
    sotto__witness *witness;
    sotto__event event;
    sotto__hits hits;
    uint32_t pool, sure_count;
    sotto__sure sure[SOTTO__SURE_WITNESSES_MAX]; /* of this pool */
    /* layer 2: */
    uint64_t guessed, right;
    sotto__shape shape; /* of an outside program's noise along the direction */
    /* outside programs: */
    double *value;   /* 2 L x width */
    uint8_t *secret; /* 2 L */
    double *first;   /* width: the first answer of all */
    bool all_same;
    sotto__dependence *dependence;
} trials;

sotto__trial_shares sotto__trial_shares_of(const sotto__claim *claim, uint64_t count, double alpha)
{
    bool gaussian = claim->delta >= 1e-12;
    double share = (alpha - SOTTO__LAW_ALPHA) / (SOTTO__AUDIT_PAIRS + POOLS);
    return (sotto__trial_shares){
        .trials = count,
        .alpha_event = gaussian ? share / 2 : share,
        .alpha_gaussian = gaussian ? share / 2 : 0,
        .alpha_sure = share,
    };
}

uint64_t sotto__trials_learning(uint64_t count, uint32_t width)
{
    uint64_t learning = count / 10, room = LEARNING_NUMBERS_MAX / width;
    if (learning > LEARNING_MAX) learning = LEARNING_MAX;
    return learning > room ? room : learning;
}

bool sotto__trials_suffice(const sotto__claim *claim, const sotto__trial_shares *shares)
{
    uint64_t fresh = shares->trials - 2 * sotto__trials_learning(shares->trials, 1);
    double reach = sotto__epsilon_reach(fresh / 2, claim->delta, shares->alpha_event);
    if (reach > claim->epsilon) return true;
    if (shares->alpha_gaussian == 0) return false;
    return sotto__gaussian_lower(fresh, fresh, shares->alpha_gaussian) >
           sotto__gaussian_allowed(claim->epsilon, claim->delta);
}

static bool is_outside(const trials *self)
{
    return self->subject->claim.family == SOTTO__OUTSIDE;
}

/* Layer 2 has something to say. */
static bool guesses(const trials *self)
{
    return self->shares->alpha_gaussian > 0;
}

/* ---- beginning ---------------------------------------------------------------------------- */

/* Room for learning; an outside program's width is known from its first answer on. */
static sotto_status make_room(trials *self, uint32_t width)
{
    self->learning = sotto__trials_learning(self->script->trials, width);
    self->witnessed = calloc(2 * self->learning + 1, sizeof self->witnessed[0]);
    if (self->witnessed == NULL) return SOTTO_E_MEMORY;
    if (!is_outside(self)) return SOTTO_OK;
    self->value = calloc(2 * self->learning * width + 1, sizeof self->value[0]);
    self->secret = calloc(2 * self->learning + 1, 1);
    self->first = calloc(width, sizeof self->first[0]);
    if (self->value == NULL || self->secret == NULL || self->first == NULL) return SOTTO_E_MEMORY;
    return sotto__dependence_new(width, &self->dependence);
}

static sotto_status begin_pair(trials *self, uint32_t pair)
{
    const sotto__claim *claim = &self->subject->claim;
    const double *x = self->script->input + (size_t)2 * pair * claim->dim;
    self->hits = (sotto__hits){{0, 0}, {0, 0}};
    self->guessed = self->right = 0;
    self->shape = (sotto__shape){{0, 0}, {{0}}};
    sotto__witness_free(self->witness);
    self->witness = NULL;
    if (is_outside(self)) return SOTTO_OK;
    return sotto__witness_known(claim, x, x + claim->dim, &self->witness);
}

/* ---- learning ----------------------------------------------------------------------------- */

static void keep(trials *self, uint64_t i, uint32_t secret, const sotto__answer *answer)
{
    if (is_outside(self)) {
        self->secret[i] = (uint8_t)secret;
        memcpy(self->value + i * answer->count, answer->value, answer->count * sizeof(double));
        return;
    }
    double witness = self->witness->of(self->witness, answer);
    self->witnessed[i] = (sotto__witnessed_trial){isnan(witness) ? 0 : witness, secret};
}

static void begin_dependence(trials *self, const sotto__sample *train)
{
    uint32_t width = train->width;
    double *middle = self->value + self->learning * width; /* done with after this */
    double count[2] = {0, 0};
    memset(middle, 0, 2 * (size_t)width * sizeof middle[0]);
    for (uint64_t n = 0; n < train->count; n++) {
        uint32_t s = train->secret[n];
        count[s]++;
        for (uint32_t i = 0; i < width; i++) {
            double *mean = &middle[(size_t)s * width + i];
            *mean += (train->value[n * width + i] - *mean) / count[s];
        }
    }
    sotto__dependence_begin(self->dependence, middle);
}

/* When a guess is sure, by the witnesses of the trials that choose. */
static void aim(trials *self)
{
    uint32_t width = self->subject->claim.answer_count;
    self->sure_count = self->witness->sure_count;
    for (uint32_t k = 0; k < self->sure_count; k++) {
        uint64_t count = is_outside(self) ? self->learning : 2 * self->learning;
        for (uint64_t i = 0; i < count && is_outside(self); i++) {
            uint64_t at = self->learning + i;
            sotto__answer answer = {.count = width, .value = self->value + at * width};
            double witness = self->witness->sure(self->witness, k, &answer);
            self->witnessed[i] = (sotto__witnessed_trial){witness, self->secret[at]};
        }
        sotto__sure_aim(&self->sure[k], self->witnessed, count);
    }
}

static sotto_status learn(trials *self)
{
    double alpha = self->shares->alpha_event, delta = self->subject->claim.delta;
    uint64_t fresh = self->script->trials - 2 * self->learning;
    if (!is_outside(self)) {
        self->event = sotto__choose_event(self->witnessed, 2 * self->learning, fresh, delta, alpha);
        aim(self);
        return SOTTO_OK;
    }
    uint32_t width = self->subject->claim.answer_count;
    sotto__sample train = {width, self->learning, self->value, self->secret};
    sotto__sample choose = {width, self->learning, self->value + self->learning * width,
                            self->secret + self->learning};
    sotto_status status = sotto__witness_learn(&train, &choose, fresh, delta, alpha,
                                               self->witnessed, &self->event, &self->witness);
    if (status != SOTTO_OK) return status;
    aim(self);
    begin_dependence(self, &train);
    return SOTTO_OK;
}

/* ---- judging ------------------------------------------------------------------------------ */

static void guess(trials *self, uint32_t secret, double witness)
{
    self->guessed++;
    self->right += (witness > 0) == (secret == 0);
}

static void judge(trials *self, uint32_t secret, const sotto__answer *answer)
{
    double witness = self->witness->of(self->witness, answer);
    self->hits.trials[secret]++;
    self->hits.hits[secret] += sotto__event_holds(&self->event, isnan(witness) ? 0 : witness);
    double sure[SOTTO__SURE_WITNESSES_MAX] = {witness};
    for (uint32_t k = 0; k < self->sure_count; k++) {
        if (is_outside(self)) sure[k] = self->witness->sure(self->witness, k, answer);
        sotto__sure_take(&self->sure[k], secret, sure[k]);
    }
    if (guesses(self)) guess(self, secret, sure[SOTTO__SURE_DIRECTION]);
    if (!is_outside(self)) return;
    if (guesses(self)) sotto__shape_add(&self->shape, secret, sure[SOTTO__SURE_DIRECTION]);
    sotto__dependence_take(self->dependence, secret, answer->value);
}

static void gaussian_row(trials *self, uint32_t pair)
{
    const sotto__claim *claim = &self->subject->claim;
    char name[SOTTO_AUDIT_NAME_BYTES];
    double alpha = self->shares->alpha_gaussian;
    double allowed = sotto__gaussian_allowed(claim->epsilon, claim->delta);
    double ratio = sotto__gaussian_lower(self->right, self->guessed, alpha);
    if (is_outside(self) && !sotto__shape_normal(&self->shape, ratio)) {
        snprintf(name, sizeof name, "skipped, noise not seen to be normal (%s)", pair_name[pair]);
        sotto__audit_row(self->result, 2, name, NAN, allowed, NAN, true);
        return;
    }
    snprintf(name, sizeof name, "diameter over sigma, at least (%s)", pair_name[pair]);
    sotto__audit_row(self->result, 2, name, ratio, allowed,
                     sotto__gaussian_p(self->right, self->guessed, allowed), ratio <= allowed);
    self->result->epsilon_lower =
        fmax(self->result->epsilon_lower, sotto__audit_gaussian_epsilon(ratio, claim->delta));
}

/* Ends the pool if this was its last pair. */
static void end_pool(trials *self, uint32_t pair)
{
    const sotto__claim *claim = &self->subject->claim;
    if (pair != pool[self->pool].last) return;
    double lower =
        sotto__sure_lower(self->sure, self->sure_count, claim->delta, self->shares->alpha_sure);
    double p = sotto__sure_p(self->sure, self->sure_count, claim->epsilon, claim->delta);
    const char *own = pool[self->pool].name;
    char name[SOTTO_AUDIT_NAME_BYTES];
    snprintf(name, sizeof name, "epsilon, at least (sure guesses, %s)",
             own != NULL ? own : name_of(claim, pair));
    sotto__audit_row(self->result, 3, name, lower, claim->epsilon, p, lower <= claim->epsilon);
    self->result->epsilon_lower = fmax(self->result->epsilon_lower, lower);
    memset(self->sure, 0, sizeof self->sure);
    self->pool++;
}

static void end_pair(trials *self, uint32_t pair)
{
    const sotto__claim *claim = &self->subject->claim;
    char name[SOTTO_AUDIT_NAME_BYTES];
    if (guesses(self)) gaussian_row(self, pair);
    uint32_t secret = self->event.secret;
    double lower =
        sotto__epsilon_lower(&self->hits, secret, claim->delta, self->shares->alpha_event);
    snprintf(name, sizeof name, "epsilon, at least (%s)", name_of(claim, pair));
    sotto__audit_row(self->result, 3, name, lower, claim->epsilon,
                     sotto__epsilon_p(&self->hits, secret, claim->epsilon, claim->delta),
                     lower <= claim->epsilon);
    self->result->epsilon_lower = fmax(self->result->epsilon_lower, lower);
    if (is_outside(self)) sotto__dependence_end(self->dependence);
    end_pool(self, pair);
}

static void watch_for_sameness(trials *self, uint64_t t, const sotto__answer *answer)
{
    size_t bytes = answer->count * sizeof(double);
    if (t == 0) memcpy(self->first, answer->value, bytes);
    self->all_same = self->all_same && memcmp(self->first, answer->value, bytes) == 0;
}

static sotto_status take(sotto__taker *taker, uint64_t t, const sotto__answer *answer)
{
    trials *self = (trials *)taker;
    uint64_t count = self->script->trials, i = t % count;
    uint32_t pair = (uint32_t)(t / count), secret = sotto__script_coin(self->script, t);
    sotto_status status = SOTTO_OK;
    if (t == 0) status = make_room(self, answer->count);
    if (i == 0 && status == SOTTO_OK) status = begin_pair(self, pair);
    if (status != SOTTO_OK) return status;
    if (is_outside(self)) watch_for_sameness(self, t, answer);
    if (i < 2 * self->learning) {
        keep(self, i, secret, answer);
        if (guesses(self) && !is_outside(self)) guess(self, secret, self->witnessed[i].witness);
    } else {
        judge(self, secret, answer);
    }
    if (i + 1 == 2 * self->learning) status = learn(self);
    if (i + 1 == count) end_pair(self, pair);
    return status;
}

sotto_status sotto__audit_trials(sotto__subject *subject, const sotto__script *script,
                                 const sotto__trial_shares *shares, sotto_rng *rng,
                                 sotto_audit_result *result)
{
    trials self = {
        .taker = {take},
        .subject = subject,
        .script = script,
        .shares = shares,
        .result = result,
        .all_same = subject->claim.family == SOTTO__OUTSIDE,
    };
    result->epsilon_lower = 0;
    sotto_status status = sotto__ask(subject, script, rng, &self.taker);
    bool heard_all = status == SOTTO_OK && subject->reason[0] == '\0';
    if (heard_all && self.dependence != NULL) sotto__dependence_rows(self.dependence, result);
    if (heard_all && self.all_same) {
        snprintf(subject->reason, sizeof subject->reason,
                 "it answers the same to every input: nothing can be learned");
    }
    sotto__witness_free(self.witness);
    sotto__dependence_free(self.dependence);
    free(self.witnessed);
    free(self.value);
    free(self.secret);
    free(self.first);
    return status;
}
