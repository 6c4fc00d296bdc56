/* Broken twins of mechanisms. Rounds have theirs in broken_round.c, programs in broken_program.c. */
#include "broken.h"
#include "broken_program.h"
#include "broken_round.h"
#include "client/client.h"
#include "core/core.h"
#include "lab/audit/inner.h"
#include "lab/mechanism/mechanism.h"
#include "lab/random/random.h"
#include "twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NONE,
    /* lattice: */
    SMALL_NOISE_071, /* sigma / sqrt 2 */
    SMALL_NOISE_095,
    SMALL_NOISE_050, /* the scale for R instead of 2 R; laplace with b/2 */
    CLIPS_AT_120,    /* accepts inputs of norm up to 1.2 */
    CLIPS_NOTHING,
    BARE_COORDINATE, /* the last tick has no noise */
    OFF_LATTICE,     /* adds the low bits that rounding should have removed */
    ONE_SIDED,       /* |noise| */
    REUSED_NOISE,    /* each noise vector is used for two reports */
    SHARED_NOISE,    /* one noise for all ticks */
    NAN_THROUGH,
    MORE_BYTES,    /* draws more for inputs of length 0 */
    NO_TAIL,       /* noise beyond 3.9 sigma is cut off */
    SHORT_NOISE,   /* less noise for short inputs */
    RARE_INPUT,    /* no noise in one of 4,000 reports */
    LAST_INPUT,    /* answers with the previous input */
    TURNED_INPUT,  /* subtracts a third of the input before the last one */
    NEGATED_NOISE, /* every second pair of reports has the noise of the previous pair, negated */
    SIZED_NOISE,   /* likewise, negated or not at random */
    /* codebook: */
    HEAVY_TOP, /* w_top 2 % too large */
    SIGNED_RANK,
    BIASED_INDEX,
    REUSED_COINS,
    FIXED_NONCE, /* each nonce is used for two reports */
    LAST_CHOICE, /* answers with the previous choice's input */
    /* any: */
    LARGE_EPSILON, /* privunit calibrated for an epsilon 5 % larger */
    /* rounds: */
    ROUND_FAULTS,
    /* programs outside: */
    PROGRAMS = ROUND_FAULTS + 100,
};
#define ROUND(fault) (ROUND_FAULTS + BROKEN_ROUND_##fault)
#define PROGRAM(which) (PROGRAMS + PROGRAM_##which)

#define M(kind) SOTTO_MECHANISM_##kind
static const broken twins[] = {
    {"gaussian, sigma/sqrt 2", M(GAUSSIAN), 3, 1, 20000, 2, SMALL_NOISE_071},
    {"gaussian, sigma/sqrt 2, by its law", M(GAUSSIAN), 3, 1, 5000, 1, SMALL_NOISE_071},
    {"gaussian, 0.95 sigma", M(GAUSSIAN), 1, 1, 1000000, 2, SMALL_NOISE_095},
    {"gaussian, 0.95 sigma, by its law", M(GAUSSIAN), 3, 1, 30000, 1, SMALL_NOISE_095},
    {"gaussian, noise for R instead of 2R", M(GAUSSIAN), 3, 1, 20000, 2, SMALL_NOISE_050},
    {"gaussian, clips at 1.2 R", M(GAUSSIAN), 3, 1, 1000, 0, CLIPS_AT_120},
    {"gaussian, clips nothing", M(GAUSSIAN), 3, 1, 1000, 2, CLIPS_NOTHING},
    {"gaussian, one tick without noise", M(GAUSSIAN), 3, 1, 1000, 0, BARE_COORDINATE},
    {"gaussian, leaks low bits", M(GAUSSIAN), 3, 1, 1000, 0, OFF_LATTICE},
    {"gaussian, noise only upwards", M(GAUSSIAN), 3, 1, 1000, 1, ONE_SIDED},
    {"gaussian, noise used twice", M(GAUSSIAN), 3, 1, 1000, 1, REUSED_NOISE},
    {"gaussian, one noise for all ticks", M(GAUSSIAN), 3, 1, 1000, 1, SHARED_NOISE},
    {"gaussian, lets NaN through", M(GAUSSIAN), 3, 1, 1000, 0, NAN_THROUGH},
    {"gaussian, randomness by input", M(GAUSSIAN), 3, 1, 1000, 0, MORE_BYTES},
    {"gaussian, no tail", M(GAUSSIAN), 3, 1, 500000, 1, NO_TAIL},
    {"gaussian, less noise for short inputs", M(GAUSSIAN), 3, 1, 1000, 0, SHORT_NOISE},
    {"gaussian, its input once in 4,000", M(GAUSSIAN), 3, 1, 100000, 1, RARE_INPUT},
    {"gaussian, answers the input before", M(GAUSSIAN), 3, 1, 5000, 3, LAST_INPUT},
    {"gaussian, less a third of the input two before", M(GAUSSIAN), 3, 1, 100000, 3, TURNED_INPUT},
    {"gaussian, the noise of two before, negated", M(GAUSSIAN), 3, 1, 1000, 1, NEGATED_NOISE},
    {"gaussian, the size of the noise of two before", M(GAUSSIAN), 3, 1, 1000, 1, SIZED_NOISE},
    {"laplace, b/2", M(LAPLACE), 1, 1, 20000, 3, SMALL_NOISE_050},
    {"laplace, 0.95 b", M(LAPLACE), 1, 1, 1000000, 3, SMALL_NOISE_095},
    {"laplace, 0.95 b, by its law", M(LAPLACE), 3, 1, 30000, 1, SMALL_NOISE_095},
    {"codebook, w_top 2 % too large", M(CODEBOOK), 2, 1, 1000000, 1, HEAVY_TOP},
    {"l2ball, w_top 2 % too large", M(L2BALL), 2, 1, 1000000, 1, HEAVY_TOP},
    {"l2ball, w_top 2 % too large, epsilon 2", M(L2BALL), 2, 2, 1000000, 1, HEAVY_TOP},
    {"codebook, TOP by signed rank", M(CODEBOOK), 3, 1, 10000, 1, SIGNED_RANK},
    {"codebook, biased index", M(CODEBOOK), 3, 1, 10000, 1, BIASED_INDEX},
    {"codebook, coins used twice", M(CODEBOOK), 3, 1, 1000, 1, REUSED_COINS},
    {"codebook, nonce used twice", M(CODEBOOK), 3, 1, 1000, 1, FIXED_NONCE},
    {"codebook, answers the input before", M(CODEBOOK), 3, 1, 1000, 3, LAST_CHOICE},
    {"privunit, epsilon 5 % too large", M(PRIVUNIT), 3, 1, 20000, 1, LARGE_EPSILON},
    {"round, ledger skipped", M(CODEBOOK), 3, 1, 100, 0, ROUND(NO_LEDGER)},
    {"round, begins after the context", M(CODEBOOK), 3, 1, 100, 0, ROUND(LATE_BEGIN)},
    {"round, nonce drawn after the context", M(L2BALL), 3, 1, 100, 0, ROUND(LATE_NONCE)},
    {"round, no room in the ledger ignored", M(CODEBOOK), 3, 1, 100, 0, ROUND(NO_REFUSAL)},
    {"round, resend draws again", M(GAUSSIAN), 3, 1, 100, 0, ROUND(NEW_RESEND)},
    {"round, report longer for some rewards", M(CODEBOOK), 3, 1, 100, 0, ROUND(LONG_REPORT)},
    {"round, silent without a reward", M(L2BALL), 3, 1, 100, 0, ROUND(SILENT)},
    {"round, randomness by secret", M(GAUSSIAN), 3, 1, 100, 0, ROUND(MORE_BYTES)},
    {"round, half the noise", M(GAUSSIAN), 3, 1, 100, 1, ROUND(HALF_NOISE)},
    {"round, a tick without noise", M(LAPLACE), 3, 1, 100, 0, ROUND(BARE_TICK)},
    {"round, ledger skipped in warm-up", M(CODEBOOK), 3, 1, 100, 0, ROUND(WARM_UP)},
    {"round, ledger skipped after warm-up", M(CODEBOOK), 3, 1, 100, 0, ROUND(MAIN)},
    {"round, other bytes than recorded", M(LAPLACE), 3, 1, 100, 0, ROUND(OTHER_BYTES)},
    {"round, reports too far apart", M(GAUSSIAN), 3, 1, 100, 0, ROUND(FAR)},
    {"program, laplace, its input once in 4,000", M(LAPLACE), 1, 1, 400000, 3,
     PROGRAM(LAPLACE_RELEASE)},
    {"program, laplace, nearly its input once in 4,000", M(LAPLACE), 1, 1, 1000000, 3,
     PROGRAM(NEAR_RELEASE)},
    {"program, gaussian, its input once in 4,000", M(GAUSSIAN), 3, 1, 400000, 3,
     PROGRAM(GAUSSIAN_RELEASE)},
    {"program, 0.65 sigma, 5 % at 0.1 sigma", M(GAUSSIAN), 1, 1, 1000000, 3, PROGRAM(MIXTURE)},
    {"program, laplace of 4,096 values, disjoint", M(LAPLACE), 1, 1, 20000, 3, PROGRAM(DISJOINT)},
    {"program, prints the input before", M(LAPLACE), 1, 1, 1000, 3, PROGRAM(PREVIOUS)},
    {"program, laplace, a tenth of the input four before", M(LAPLACE), 1, 1, 200000, 3,
     PROGRAM(LONG_MEMORY)},
    {"program, laplace, the noise of two before, negated", M(LAPLACE), 1, 1, 1000, 1,
     PROGRAM(NEGATED)},
    {"program, laplace, the size of the noise of two before", M(LAPLACE), 1, 1, 1000, 1,
     PROGRAM(SIZED)},
    {"program, laplace, its first 1,000 inputs", M(LAPLACE), 1, 1, 1000000, 3,
     PROGRAM(FIRST_CLEAR)},
    {"program, randomised response, its first 1,000 inputs", M(LAPLACE), 1, 1, 400000, 3,
     PROGRAM(FIRST_TRUE)},
    {"program, laplace, a blank tells its input", M(LAPLACE), 1, 1, 1000, 3, PROGRAM(BLANK)},
    {"program, laplace, a plus tells the input before", M(LAPLACE), 1, 1, 1000, 3,
     PROGRAM(PLUS_OF_LAST)},
    {"program, whether its input is the one before", M(LAPLACE), 1, 1, 1000, 3, PROGRAM(SAME)},
    {"program, laplace, a plus if the two before are the same", M(LAPLACE), 1, 1, 1000, 3,
     PROGRAM(SAME_BEFORE)},
    {"program, laplace, its first 1,000 inputs turned", M(LAPLACE), 1, 1, 100000, 3,
     PROGRAM(FIRST_TURNED)},
    {"program, laplace, its first 1,000 inputs turned in turn", M(LAPLACE), 1, 1, 100000, 3,
     PROGRAM(FIRST_TURNS)},
    {"program, laplace, its first 1,000 inputs by a blank", M(LAPLACE), 1, 1, 100000, 3,
     PROGRAM(FIRST_BLANK)},
    {"round, ledger skipped in the mean phase", M(CODEBOOK), 3, 1, 100, 0, ROUND(MEAN)},
    {"round, arm by context in the mean phase", M(CODEBOOK), 3, 1, 100, 0, ROUND(MEAN_ARM)},
    {"round, reward in the mean phase", M(CODEBOOK), 3, 1, 100, 0, ROUND(MEAN_REWARD)},
};
static const broken correct[] = {
    {"codebook", M(CODEBOOK), 3, 1, 5000, 0, NONE},
    {"codebook", M(CODEBOOK), 1, 2, 5000, 0, NONE},
    {"l2ball", M(L2BALL), 2, 1, 20000, 0, NONE},
    {"l2ball", M(L2BALL), 5, 2, 20000, 0, NONE},
    {"privunit", M(PRIVUNIT), 3, 1, 20000, 0, NONE},
    {"privunit", M(PRIVUNIT), 1, 0.5, 20000, 0, NONE},
    {"gaussian", M(GAUSSIAN), 3, 1, 20000, 0, NONE},
    {"gaussian", M(GAUSSIAN), 1, 8, 20000, 0, NONE},
    {"laplace", M(LAPLACE), 1, 1, 20000, 0, NONE},
    {"laplace", M(LAPLACE), 3, 2, 20000, 0, NONE},
    {"program, laplace", M(LAPLACE), 1, 1, 20000, 0, PROGRAM(LAPLACE)},
    {"program, gaussian", M(GAUSSIAN), 3, 1, 50000, 0, PROGRAM(GAUSSIAN)},
    {"program, gaussian, 5 % at 10 sigma", M(GAUSSIAN), 1, 1, 50000, 0, PROGRAM(HEAVY_TAIL)},
    {"program, randomised response", M(LAPLACE), 1, 1, 20000, 0, PROGRAM(RESPONSE)},
    {"program, randomised response, delta 1e-6", M(GAUSSIAN), 1, 1, 20000, 0, PROGRAM(RESPONSE)},
};
#undef M

uint32_t broken_count(void)
{
    return sizeof twins / sizeof twins[0];
}

const broken *broken_at(uint32_t i)
{
    return &twins[i];
}

uint32_t correct_count(void)
{
    return sizeof correct / sizeof correct[0];
}

const broken *correct_at(uint32_t i)
{
    return &correct[i];
}

/* A subject whose draw has a fault. */
typedef struct broken_subject {
    sotto__subject base; /* must be first: a pointer to it is a pointer to the whole */
    uint32_t fault;
    bool second; /* this draw reuses what the last one drew */
    int64_t noise[8], old_noise[4][8];
    uint64_t draws;
    double past[2][8]; /* the inputs of the last two draws */
    uint8_t nonce[SOTTO_NONCE_BYTES];
    sotto__coins coins;
    sotto__door_work work;
    broken_program program;
} broken_subject;

static double noise_share(uint32_t fault)
{
    static const double share[] = {1, 0.70710678118654752440, 0.95, 0.5};
    return fault <= SMALL_NOISE_050 ? share[fault] : 1;
}

static void statistic(const broken_subject *self, const double *x, double *f)
{
    sotto__privacy_claim claim = self->base.claim;
    if (self->fault == CLIPS_AT_120) claim.radius *= 1.2;
    if (self->fault == CLIPS_NOTHING) claim.radius *= 1000;
    sotto__lattice_statistic(&claim, x, f);
    for (uint32_t i = 0; i < claim.dim; i++) {
        if (self->fault == NAN_THROUGH && isnan(x[i])) f[i] = NAN;
    }
}

/* Remembers x and returns the input to answer instead of it; `room` holds one. */
static const double *remember(broken_subject *self, const double *x, double room[8])
{
    uint32_t dim = self->base.claim.dim;
    double *last = self->past[(self->draws + 1) % 2], *oldest = self->past[self->draws % 2];
    bool forgets = self->draws < 2; /* no earlier inputs yet */
    for (uint32_t i = 0; i < dim; i++) {
        room[i] = x[i];
        if (forgets) continue;
        if (self->fault == LAST_INPUT || self->fault == LAST_CHOICE) room[i] = last[i];
        if (self->fault == TURNED_INPUT) room[i] = x[i] - oldest[i] / 3;
    }
    memcpy(oldest, x, dim * sizeof x[0]);
    self->draws++;
    return room;
}

/* Stores the noise of this draw, or replaces it by that of two draws ago. */
static void negate_noise(broken_subject *self)
{
    int64_t *now = self->old_noise[self->draws % 4], *then = self->old_noise[(self->draws + 2) % 4];
    for (uint32_t i = 0; i < self->base.claim.dim; i++) {
        bool keeps_sign = self->fault == SIZED_NOISE && self->noise[i] % 2 == 0;
        if (self->draws / 2 % 2 == 1) self->noise[i] = keeps_sign ? then[i] : -then[i];
        now[i] = self->noise[i];
    }
}

static sotto_status draw_lattice(sotto__subject *subject, const double *x, sotto_rng *rng,
                                 sotto__subject_answer *out)
{
    broken_subject *self = (broken_subject *)subject;
    const sotto__privacy_claim *claim = &subject->claim;
    sotto_lattice lattice = claim->lattice;
    double f[8], clipped[8];
    double third[8];
    x = remember(self, x, third);
    sotto__clip_vector(x, claim->dim, claim->radius, clipped);
    double norm = sotto__norm(clipped, claim->dim) / claim->radius;
    lattice.scale_ticks = (uint32_t)(lattice.scale_ticks * noise_share(self->fault));
    statistic(self, x, f);
    bool again = self->fault == REUSED_NOISE && self->second;
    if (!again) {
        sotto_status status = sotto__lattice_noise(&lattice, claim->law, rng, self->noise);
        if (status != SOTTO_OK) return status;
    }
    if (self->fault == NEGATED_NOISE || self->fault == SIZED_NOISE) negate_noise(self);
    self->second = !self->second;
    uint64_t extra = 1;
    if (self->fault == RARE_INPUT) {
        sotto_status status = sotto__draw_below(rng, 4000, &extra);
        if (status != SOTTO_OK) return status;
    }
    out->count = claim->dim;
    for (uint32_t i = 0; i < claim->dim; i++) {
        double noise = (double)self->noise[self->fault == SHARED_NOISE ? 0 : i];
        double cut = 3.9 * lattice.scale_ticks;
        if (self->fault == ONE_SIDED) noise = fabs(noise);
        if (self->fault == NO_TAIL) noise = fmax(-cut, fmin(cut, noise));
        if (self->fault == SHORT_NOISE) noise = rint(noise * (0.5 + norm / 2));
        if (self->fault == BARE_COORDINATE && i + 1 == claim->dim) noise = 0;
        if (extra == 0) noise = 0;
        if (self->fault == OFF_LATTICE)
            noise += ldexp(clipped[i], -claim->lattice.grid_log2) - f[i];
        out->value[i] = f[i] + noise;
    }
    if (self->fault == MORE_BYTES && x[0] == 0) return sotto__draw_u64(rng, &extra);
    return SOTTO_OK;
}

static uint32_t choose(broken_subject *self, const sotto_codebook *codebook, const double *v)
{
    const uint8_t *key = self->base.claim.stream_key;
    if (self->fault == SIGNED_RANK || self->fault == BIASED_INDEX) {
        double codeword[64 * 8];
        twin_expand(codebook, key, self->nonce, codeword);
        return twin_choose(codebook, codeword, v, &self->coins,
                           self->fault == SIGNED_RANK ? TWIN_SIGNED_RANK : TWIN_BIASED_INDEX);
    }
    sotto__choice choice = {codebook, key, self->nonce, 0};
    return sotto__choose_codeword(&choice, v, 0, &self->coins, &self->work.choice);
}

static sotto_status draw_codebook(sotto__subject *subject, const double *x, sotto_rng *rng,
                                  sotto__subject_answer *out)
{
    broken_subject *self = (broken_subject *)subject;
    sotto_codebook codebook = subject->claim.codebook;
    double v[8], room[8];
    x = remember(self, x, room);
    if (self->fault == HEAVY_TOP) codebook.weight_top += codebook.weight_top / 50;
    sotto__clip_vector(x, subject->claim.dim, subject->claim.radius, v);
    sotto_status status = SOTTO_OK;
    if (!(self->fault == FIXED_NONCE && self->second)) {
        status = rng->fill(rng, self->nonce, sizeof self->nonce);
    }
    if (status == SOTTO_OK && !(self->fault == REUSED_COINS && self->second)) {
        status = sotto__draw_coins(&codebook, rng, &self->coins);
    }
    if (status != SOTTO_OK) return status;
    self->second = !self->second;
    out->count = 1;
    out->value[0] = choose(self, &codebook, v);
    memcpy(out->nonce, self->nonce, sizeof out->nonce);
    return SOTTO_OK;
}

static sotto_status draw_program(sotto__subject *subject, const double *x, sotto_rng *rng,
                                 sotto__subject_answer *out)
{
    broken_subject *self = (broken_subject *)subject;
    return broken_program_draw(&self->program, &subject->claim, x, rng, out);
}

static sotto_audit_settings settings_of(const broken *which, uint64_t trials)
{
    sotto_mechanism_settings mechanism =
        sotto_mechanism_default(which->kind, which->dim, which->epsilon);
    sotto_audit_settings settings = sotto_audit_default(&mechanism);
    settings.trials = trials;
    settings.alpha = BROKEN_ALPHA;
    return settings;
}

static sotto_status plant(broken_subject *self, const broken *which)
{
    sotto__subject *subject = &self->base;
    self->fault = which->fault;
    if (which->fault >= PROGRAMS) {
        broken_program_claim(subject, which->fault - PROGRAMS, &self->program);
        subject->draw = draw_program;
        return SOTTO_OK;
    }
    if (which->fault >= ROUND_FAULTS) {
        subject->rounds = broken_rounds(which->fault - ROUND_FAULTS);
        return SOTTO_OK;
    }
    if (which->fault == LARGE_EPSILON) {
        sotto_mechanism_settings weaker =
            sotto_mechanism_default(which->kind, which->dim, 1.05 * which->epsilon);
        sotto_mechanism_free(subject->mechanism);
        return sotto_mechanism_new(&weaker, &subject->mechanism);
    }
    if (which->fault == NONE) return SOTTO_OK;
    if (subject->claim.family == SOTTO__LATTICE) {
        subject->draw = draw_lattice;
        return SOTTO_OK;
    }
    subject->draw = draw_codebook;
    return sotto__door_work_new(sotto_mechanism_terms(subject->mechanism), &self->work);
}

sotto_status broken_audit(const broken *which, uint64_t trials, uint64_t seed,
                          sotto_audit_result *result)
{
    sotto_audit_settings settings = settings_of(which, trials);
    broken_subject self = {.fault = NONE};
    sotto__seeded random;
    sotto__seeded_begin(&random, seed);
    sotto_status status = sotto__subject_new(&settings, &self.base);
    if (status != SOTTO_OK) return status;
    status = plant(&self, which);
    if (status == SOTTO_OK) {
        status = sotto__audit_subject(&settings, &self.base, &random.rng, NULL, result);
    }
    sotto__door_work_free(&self.work);
    sotto__subject_free(&self.base);
    return status;
}

bool broken_caught(const sotto_audit_result *result, uint32_t layer)
{
    for (uint32_t i = 0; i < result->rows_count; i++) {
        if (result->row[i].layer == layer && !result->row[i].passed) return true;
    }
    return false;
}
