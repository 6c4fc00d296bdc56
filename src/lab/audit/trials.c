/*
 * Layers 2 and 3. The trials of a pair:
 *
 *   a tenth    train a witness (outside programs; at most 100,000 trials)
 *   a tenth    choose the event: witness, side, threshold; and when a guess is sure
 *   the rest   are fresh: count the event under either secret, and sure guesses
 *
 * The roles are drawn for every pair (script.c), so answers are kept until all trials that train
 * and choose have come, up to KEPT_NUMBERS_MAX numbers. Later trials are fresh.
 *
 * If the claim determines the best witness, both tenths choose the event, and every trial counts
 * for layer 2, because its guess by the sign of that witness is fixed beforehand. For an outside
 * program, layer 2 counts only if the noise of the fresh trials looks normal along the direction.
 * Sure guesses assume nothing about the noise; they are added up over the pairs of a pool. Guesses
 * at earlier inputs (memory.c) are added up over all pairs. Each stretch of answers (memory.c) is
 * judged by itself.
 */
#include "inner.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEARNING_MAX 100000u
#define LEARNING_NUMBERS_MAX (1u << 22)
#define KEPT_NUMBERS_MAX (1u << 24)
#define RECALLED_MAX 4096u /* trials that set the thresholds of guesses at earlier inputs */
static_assert(KEPT_NUMBERS_MAX >= 4 * LEARNING_NUMBERS_MAX, "no more than half of them learn");

static const char *const pair_name[SOTTO__AUDIT_PAIRS] = {
    "R e_1, its opposite", "R 1/sqrt d, its opposite", "R u, its opposite", "10 R w and -1.2 R w",
    "R e_d/2 and 0",
};

/* With nulls, the last pair is 0 and an input of the largest length. */
static const char *name_of(const sotto__privacy_claim *claim, uint32_t pair)
{
    bool last = pair == SOTTO__AUDIT_PAIRS - 1;
    return last && sotto__claim_has_nulls(claim) ? "R e_d and 0" : pair_name[pair];
}

/* The pairs whose sure guesses are added up. The inputs of the last pair are nearer to each other
 * than those of the others, so adding them would weaken the evidence. */
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
    sotto_rng *rng;
    sotto_audit_result *result;
    sotto__roles roles;
    uint64_t learning; /* L: 2 L trials are not fresh */
    /* The first trials of the pair: L that train, L that choose, and fresh ones. */
    uint64_t kept, next[SOTTO__TRIAL_ROLES]; /* where the next one of each role stands */
    uint32_t width;                          /* numbers that are kept of each */
    double *value;                           /* kept x width: the answer, or the known witness */
    uint8_t *secret;
    sotto__past *past;
    sotto__spelling *spelling;         /* outside programs */
    sotto__witnessed_trial *witnessed; /* 2 L */
    sotto__witness *witness;
    sotto__audit_event event;
    sotto__hits hits;
    uint32_t pool, sure_count;
    sotto__sure sure[SOTTO__SURE_WITNESSES_MAX]; /* of this pool */
    sotto__memory memory;                        /* of all pairs */
    sotto__stretch stretch;
    /* layer 2: */
    uint64_t guessed, right;
    sotto__shape shape; /* of an outside program's noise along the direction */
    /* outside programs: */
    double *middle; /* 3 x width: of each secret, and how far answers lie from it */
    double *first;  /* width: the first answer of all */
    bool all_same;
    sotto__dependence *dependence;
} trials;

sotto__trial_shares sotto__trial_shares_of(const sotto__privacy_claim *claim, uint64_t count,
                                           double alpha)
{
    bool gaussian = claim->delta >= 1e-12;
    double share = (alpha - SOTTO__LAW_ALPHA) / (SOTTO__AUDIT_PAIRS + POOLS + 2);
    return (sotto__trial_shares){
        .trials = count,
        .alpha_event = gaussian ? share / 2 : share,
        .alpha_gaussian = gaussian ? share / 2 : 0,
        .alpha_sure = share,
        .alpha_memory = share,
        .alpha_stretch = share,
    };
}

uint64_t sotto__trials_learning(uint64_t count, uint32_t width)
{
    uint64_t learning = count / 10, room = LEARNING_NUMBERS_MAX / width;
    if (learning > LEARNING_MAX) learning = LEARNING_MAX;
    return learning > room ? room : learning;
}

bool sotto__trials_suffice(const sotto__privacy_claim *claim, const sotto__trial_shares *shares)
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

/* True if layer 2 applies. */
static bool guesses(const trials *self)
{
    return self->shares->alpha_gaussian > 0;
}

/* ---- beginning ---------------------------------------------------------------------------- */

/* Makes room for what is kept. The width of an outside program's answers is known only from its
 * first answer. */
static sotto_status make_room(trials *self, uint32_t answer_count)
{
    bool outside = is_outside(self);
    uint32_t width = self->width = outside ? answer_count : 1;
    uint64_t count = self->script->trials, room = KEPT_NUMBERS_MAX / width;
    uint64_t kept = self->kept = count < room ? count : room;
    sotto_status status =
        sotto__roles_new(kept, sotto__trials_learning(count, answer_count), &self->roles);
    if (status != SOTTO_OK) return status;
    self->learning = sotto__roles_learning(&self->roles);
    self->witnessed = calloc(2 * self->learning, sizeof self->witnessed[0]);
    self->value = malloc(kept * width * sizeof self->value[0]);
    self->secret = malloc(kept);
    self->past = malloc(kept * sizeof self->past[0]);
    if (self->witnessed == NULL || self->value == NULL) return SOTTO_E_MEMORY;
    if (self->secret == NULL || self->past == NULL) return SOTTO_E_MEMORY;
    if (!outside) return SOTTO_OK;
    self->spelling = malloc(kept * sizeof self->spelling[0]);
    self->middle = calloc(3 * (size_t)width, sizeof self->middle[0]);
    self->first = calloc(width, sizeof self->first[0]);
    if (self->spelling == NULL || self->middle == NULL || self->first == NULL) {
        return SOTTO_E_MEMORY;
    }
    return sotto__dependence_new(width, &self->dependence);
}

static void restart_places(trials *self)
{
    self->next[SOTTO__TRAIN] = 0;
    self->next[SOTTO__CHOOSE] = self->learning;
    self->next[SOTTO__FRESH] = 2 * self->learning;
}

static sotto_status begin_pair(trials *self, uint32_t pair)
{
    const sotto__privacy_claim *claim = &self->subject->claim;
    const double *x = self->script->input + (size_t)2 * pair * claim->dim;
    self->hits = (sotto__hits){{0, 0}, {0, 0}};
    self->guessed = self->right = 0;
    self->shape = (sotto__shape){{0, 0}, {{0}}};
    sotto__witness_free(self->witness);
    self->witness = NULL;
    restart_places(self);
    sotto_status status = sotto__roles_draw(&self->roles, self->rng);
    if (status != SOTTO_OK || is_outside(self)) return status;
    return sotto__witness_known(claim, x, x + claim->dim, &self->witness);
}

/* ---- learning ----------------------------------------------------------------------------- */

/* The secrets before trial i of the pair, which is trial t of all. Only trials of the same role and
 * pair count. */
static sotto__past past_of(const trials *self, uint64_t i, uint64_t t)
{
    uint32_t known = sotto__roles_alike(&self->roles, i, SOTTO__RECALL);
    uint32_t past = known << SOTTO__RECALL;
    if (sotto__script_coin(self->script, t) == 1) past |= SOTTO__PAST_OWN;
    for (uint32_t k = 1; k <= SOTTO__RECALL; k++) {
        if ((known >> (k - 1) & 1) == 0) continue;
        past |= sotto__script_coin(self->script, t - k) << (k - 1);
    }
    return (sotto__past)past;
}

static double witness_of(const trials *self, const sotto__subject_answer *answer)
{
    double witness = self->witness->of(self->witness, answer);
    return isnan(witness) ? 0 : witness;
}

static void keep(trials *self, uint64_t i, uint64_t t, double witness,
                 const sotto__subject_answer *answer)
{
    uint64_t at = self->next[sotto__role_at(&self->roles, i)]++;
    self->secret[at] = (uint8_t)sotto__script_coin(self->script, t);
    self->past[at] = past_of(self, i, t);
    if (!is_outside(self)) {
        self->value[at] = witness;
        return;
    }
    memcpy(self->value + at * self->width, answer->value, self->width * sizeof(double));
    self->spelling[at] = answer->spelling;
}

/* The mean answer to each secret, and the mean distance from it. */
static void begin_dependence(trials *self, const sotto__sample *train)
{
    uint32_t width = train->width;
    double *middle = self->middle, *spread = middle + 2 * (size_t)width, count[2] = {0, 0};
    memset(middle, 0, 3 * (size_t)width * sizeof middle[0]);
    for (uint64_t n = 0; n < train->count; n++) {
        uint32_t s = train->secret[n];
        count[s]++;
        for (uint32_t i = 0; i < width; i++) {
            double *mean = &middle[(size_t)s * width + i];
            *mean += (train->value[n * width + i] - *mean) / count[s];
        }
    }
    for (uint64_t n = 0; n < train->count; n++) {
        const double *mean = middle + (size_t)train->secret[n] * width;
        for (uint32_t i = 0; i < width; i++) {
            spread[i] += fabs(train->value[n * width + i] - mean[i]) / (double)train->count;
        }
    }
    sotto__dependence_begin(self->dependence, middle, spread);
}

/* Sets the thresholds of a learned witness's sure guesses, from the trials that choose. */
static sotto_status aim_learned(trials *self, const sotto__sample *choose)
{
    uint64_t count = choose->count, step = count / RECALLED_MAX + 1, scores = self->sure_count;
    sotto_status status = SOTTO_E_MEMORY;
    sotto__heard *some = malloc((count / step + 1) * sizeof *some);
    double *sure = malloc(count * scores * sizeof *sure);
    if (some == NULL || sure == NULL) goto cleanup;
    for (uint64_t i = 0; i < count; i++) {
        sotto__subject_answer answer = sotto__sample_answer(choose, i);
        sotto__heard *heard = &some[i / step]; /* the last one of each step is kept */
        self->witness->hear(self->witness, &answer, heard);
        memcpy(sure + i * scores, heard->sure, scores * sizeof *sure);
    }
    for (uint64_t k = 0; k < scores; k++) {
        for (uint64_t i = 0; i < count; i++) {
            self->witnessed[i] = (sotto__witnessed_trial){sure[i * scores + k], choose->secret[i]};
        }
        sotto__sure_aim(&self->sure[k], self->witnessed, count);
    }
    sotto__memory_aim(&self->memory, self->witness->recall_count, some, count / step,
                      self->witnessed);
    status = SOTTO_OK;
cleanup:
    free(some);
    free(sure);
    return status;
}

/* Sets the thresholds of sure guesses, from the witnesses of the trials that choose. */
static sotto_status aim(trials *self, const sotto__sample *choose)
{
    self->sure_count = self->witness->sure_count;
    if (is_outside(self)) return aim_learned(self, choose);
    sotto__sure_aim(&self->sure[0], self->witnessed, 2 * self->learning);
    sotto__memory_aim_known(&self->memory, &self->sure[0], self->value, self->past,
                            2 * self->learning);
    return SOTTO_OK;
}

static sotto__sample sample_at(const trials *self, uint64_t start)
{
    bool spelled = self->spelling[0].look[SOTTO__SPELLING_BYTES] > 0;
    return (sotto__sample){.width = self->width,
                           .count = self->learning,
                           .value = self->value + start * self->width,
                           .secret = self->secret + start,
                           .past = self->past + start,
                           .spelling = spelled ? self->spelling + start : NULL};
}

static sotto_status learn(trials *self)
{
    double alpha = self->shares->alpha_event, delta = self->subject->claim.delta;
    uint64_t fresh = self->script->trials - 2 * self->learning;
    for (uint64_t i = 0; i < 2 * self->learning && !is_outside(self); i++) {
        self->witnessed[i] = (sotto__witnessed_trial){self->value[i], self->secret[i]};
    }
    if (!is_outside(self)) {
        self->event = sotto__choose_event(self->witnessed, 2 * self->learning, fresh, delta, alpha);
        return aim(self, NULL);
    }
    sotto__sample train = sample_at(self, 0), choose = sample_at(self, self->learning);
    sotto_status status = sotto__witness_learn(&train, &choose, fresh, delta, alpha,
                                               self->witnessed, &self->event, &self->witness);
    if (status == SOTTO_OK) status = aim(self, &choose);
    if (status == SOTTO_OK) begin_dependence(self, &train);
    return status;
}

/* ---- judging ------------------------------------------------------------------------------ */

static void guess(trials *self, uint32_t secret, double witness)
{
    self->guessed++;
    self->right += (witness > 0) == (secret == 0);
}

/* Judges trial i of the pair. */
static void judge_known(trials *self, uint64_t i, uint32_t secret, sotto__past past, double witness)
{
    self->hits.trials[secret]++;
    self->hits.hits[secret] += sotto__event_holds(&self->event, witness);
    sotto__sure_take(&self->sure[0], secret, witness);
    sotto__memory_take_known(&self->memory, past, witness);
    sotto__stretch_take(&self->stretch, &self->subject->claim, secret, i,
                        &(sotto__stretch_look){witness, self->sure[0].threshold, NULL});
}

static void judge(trials *self, uint64_t i, uint32_t secret, sotto__past past,
                  const sotto__subject_answer *answer)
{
    sotto__heard heard;
    self->witness->hear(self->witness, answer, &heard);
    self->hits.trials[secret]++;
    self->hits.hits[secret] += sotto__event_holds(&self->event, heard.of);
    for (uint32_t k = 0; k < self->sure_count; k++) {
        sotto__sure_take(&self->sure[k], secret, heard.sure[k]);
    }
    sotto__memory_take(&self->memory, past, &heard);
    double along = heard.sure[SOTTO__SURE_DIRECTION];
    sotto__stretch_take(&self->stretch, &self->subject->claim, secret, i,
                        &(sotto__stretch_look){along, self->sure[SOTTO__SURE_DIRECTION].threshold,
                                               &answer->spelling});
    if (!guesses(self)) return;
    guess(self, secret, along);
    sotto__shape_add(&self->shape, secret, along);
}

/* Judges the trials that were kept, in order. */
static void judge_kept(trials *self)
{
    restart_places(self);
    for (uint64_t i = 0; i < self->kept; i++) {
        sotto__trial_role role = sotto__role_at(&self->roles, i);
        uint64_t at = self->next[role]++;
        uint32_t secret = self->secret[at];
        double *value = self->value + at * self->width;
        if (!is_outside(self)) {
            if (role == SOTTO__FRESH) judge_known(self, i, secret, self->past[at], *value);
            continue;
        }
        sotto__dependence_take(self->dependence, secret, value);
        if (role != SOTTO__FRESH) continue;
        sotto__subject_answer answer = {
            .count = self->width, .value = value, .spelling = self->spelling[at]};
        judge(self, i, secret, self->past[at], &answer);
    }
}

/* Judges a fresh trial after those that are kept. `witness` is the known one. */
static void judge_next(trials *self, uint64_t i, uint64_t t, double witness,
                       const sotto__subject_answer *answer)
{
    uint32_t secret = sotto__script_coin(self->script, t);
    sotto__past past = past_of(self, i, t);
    if (!is_outside(self)) {
        judge_known(self, i, secret, past, witness);
        return;
    }
    sotto__dependence_take(self->dependence, secret, answer->value);
    judge(self, i, secret, past, answer);
}

static void gaussian_row(trials *self, uint32_t pair)
{
    const sotto__privacy_claim *claim = &self->subject->claim;
    char name[SOTTO_AUDIT_NAME_BYTES];
    double alpha = self->shares->alpha_gaussian;
    double allowed = sotto__gaussian_allowed(claim->epsilon, claim->delta);
    double ratio = sotto__gaussian_lower(self->right, self->guessed, alpha);
    if (is_outside(self) && !sotto__shape_normal(&self->shape, ratio)) {
        snprintf(name, sizeof name, "skipped: the noise does not look normal (%s)",
                 pair_name[pair]);
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
    const sotto__privacy_claim *claim = &self->subject->claim;
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
    const sotto__privacy_claim *claim = &self->subject->claim;
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

static void watch_for_sameness(trials *self, uint64_t t, const sotto__subject_answer *answer)
{
    size_t bytes = answer->count * sizeof(double);
    if (t == 0) memcpy(self->first, answer->value, bytes);
    self->all_same = self->all_same && memcmp(self->first, answer->value, bytes) == 0;
}

static sotto_status take(sotto__taker *taker, uint64_t t, const sotto__subject_answer *answer)
{
    trials *self = (trials *)taker;
    uint64_t count = self->script->trials, i = t % count;
    uint32_t pair = (uint32_t)(t / count);
    sotto_status status = SOTTO_OK;
    if (t == 0) status = make_room(self, answer->count);
    if (i == 0 && status == SOTTO_OK) status = begin_pair(self, pair);
    if (status != SOTTO_OK) return status;
    if (is_outside(self)) watch_for_sameness(self, t, answer);
    double witness = is_outside(self) ? 0 : witness_of(self, answer);
    if (guesses(self) && !is_outside(self)) {
        guess(self, sotto__script_coin(self->script, t), witness);
    }
    if (i < self->kept) {
        keep(self, i, t, witness, answer);
    } else {
        judge_next(self, i, t, witness, answer);
    }
    if (i + 1 == self->kept) {
        status = learn(self);
        if (status == SOTTO_OK) judge_kept(self);
    }
    if (i + 1 == count && status == SOTTO_OK) end_pair(self, pair);
    return status;
}

static void release(trials *self)
{
    sotto__witness_free(self->witness);
    sotto__dependence_free(self->dependence);
    sotto__roles_free(&self->roles);
    free(self->witnessed);
    free(self->value);
    free(self->secret);
    free(self->past);
    free(self->spelling);
    free(self->middle);
    free(self->first);
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
        .rng = rng,
        .result = result,
        .all_same = subject->claim.family == SOTTO__OUTSIDE,
    };
    result->epsilon_lower = 0;
    sotto_status status = sotto__ask(subject, script, rng, &self.taker);
    bool heard_all = status == SOTTO_OK && subject->fault.sentence[0] == '\0';
    if (heard_all && self.dependence != NULL) sotto__dependence_rows(self.dependence, result);
    if (heard_all) {
        double lower = sotto__memory_rows(&self.memory, shares->alpha_memory, result);
        result->epsilon_lower = fmax(result->epsilon_lower, lower);
        sotto__stretch_row(&self.stretch, &subject->claim, shares->alpha_stretch, result);
    }
    if (heard_all && self.all_same) {
        sotto__refuse(&subject->fault,
                      "it answers the same to every input: nothing can be learned");
    }
    release(&self);
    return status;
}
