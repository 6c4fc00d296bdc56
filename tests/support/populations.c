/* Honest people and liars. */
#include "populations.h"
#include "client/client.h"
#include "core/core.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sotto_spec spec_of(crowd_terms terms)
{
    bool binary = terms == CROWD_NULLS;
    sotto_spec spec = sotto_spec_default(binary ? SOTTO_REWARD_BINARY : SOTTO_REWARD_CONTINUOUS);
    spec.dim = 5, spec.arms = 4;
    spec.epoch_lag_max = 1;
    spec.measure = 429496729; /* a tenth of the rounds */
    if (terms == CROWD_SHARED) spec.dim = 20;
    if (terms == CROWD_PLANE) spec.dim = 2;
    if (terms == CROWD_LINE) spec.dim = 1;
    if (terms == CROWD_STRONG || terms == CROWD_TAGS) spec.epsilon = 5;
    if (terms == CROWD_NULLS) spec.epsilon = 4;
    if (terms >= CROWD_SIGNS) spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    if (terms == CROWD_SPLIT || terms == CROWD_JOINT) {
        spec.method = SOTTO_METHOD_LDP_SGD;
        spec.score = SOTTO_SCORE_GRADIENT;
    }
    if (terms == CROWD_SPLIT) spec.split = SOTTO_SPLIT_PER_ARM;
    if (terms == CROWD_TICKS) {
        spec.method = SOTTO_METHOD_LDP_OLS;
        spec.score = SOTTO_SCORE_MOMENTS;
        spec.delta = 1e-6;
        spec.measure = 0;
    }
    return spec;
}

static double uniform(crowd *c)
{
    return sotto__uniform(sotto__seeded_next(&c->random));
}

void crowd_begin(crowd *c, crowd_terms terms, uint64_t seed)
{
    sotto_spec spec = spec_of(terms);
    memset(c, 0, sizeof *c);
    sotto__seeded_begin(&c->random, seed);
    assert_ok(sotto_spec_resolve(&spec, &c->terms));
    sotto_learning learning = sotto_learning_default(&c->terms, 1000000);
    bool warms_up = terms == CROWD_WARM_UP || terms == CROWD_TICKS;
    learning.mean_phase = 0;
    if (!warms_up) learning.warm_up = 0;
    assert_ok(sotto_learner_new(&c->terms, &learning, &c->learner));
    assert_ok(sotto__learner_watch(c->learner));
    assert_ok(sotto_report_new(&c->terms, &c->report));
    assert_ok(sotto__door_work_new(&c->terms, &c->work));
    c->dim = sotto__statistic_dim(&spec);
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        if (c->terms.codebook[phase].dim > c->dim) c->dim = c->terms.codebook[phase].dim;
    }
    c->score = calloc(c->dim, sizeof c->score[0]);
    c->codeword = calloc(c->dim, sizeof c->codeword[0]);
    c->goal = calloc(sotto__parameter_count(&spec), sizeof c->goal[0]);
    assert_true(c->score != NULL && c->codeword != NULL && c->goal != NULL);
    for (uint32_t i = 0; !warms_up && i < 100; i++) { /* until a model decides */
        crowd_honest(c, CROWD_ANYWHERE);
        if (i % 50 == 49) assert_ok(sotto_learner_publish(c->learner));
    }
}

void crowd_end(crowd *c)
{
    free(c->score);
    free(c->codeword);
    free(c->goal);
    sotto__door_work_free(&c->work);
    sotto_report_free(c->report);
    sotto_learner_free(c->learner);
}

sotto_tally *tally_now(const crowd *c)
{
    return sotto__learner_epoch(c->learner, c->learner->model->epoch)->tally;
}

sotto_tally *tally_before(const crowd *c)
{
    return c->learner->open[(c->learner->model->epoch + 1) % 2].tally; /* epoch_lag_max is 1 */
}

static void draw_nonce(crowd *c, uint8_t nonce[SOTTO_NONCE_BYTES])
{
    for (int i = 0; i < 2; i++) {
        uint64_t word = sotto__seeded_next(&c->random);
        memcpy(nonce + 8 * i, &word, sizeof word);
    }
}

static void normalise(double *v, uint32_t dim, double length)
{
    double square = 0;
    for (uint32_t j = 0; j < dim; j++) {
        square += v[j] * v[j];
    }
    for (uint32_t j = 0; square > 0 && j < dim; j++) {
        v[j] *= length / sqrt(square);
    }
}

static sotto_role role_of(const crowd *c, const uint8_t *nonce)
{
    const sotto_model *model = c->learner->model;
    return sotto__role_of(&c->terms, nonce, sotto__model_is_followed(&c->terms.spec, model));
}

/* ---- honest */

static void think(crowd *c, crowd_people people, uint32_t arm)
{
    uint32_t dim = sotto__statistic_dim(&c->terms.spec);
    const sotto__aim_way *way = &c->learner->aim->way[0];
    const double *row = way->at + (c->learner->aim->rows > 1 ? (size_t)arm * c->terms.spec.dim : 0);
    for (uint32_t j = 0; j < dim; j++) {
        switch (people) {
        case CROWD_ALONG: c->score[j] = j < c->terms.spec.dim ? row[j] : 0; break;
        case CROWD_AXIS: c->score[j] = j == 0; break;
        case CROWD_ZERO: c->score[j] = 0; break;
        case CROWD_ANYWHERE: c->score[j] = uniform(c) - 0.5; break;
        case CROWD_COPYING: c->score[j] = j < c->terms.spec.dim ? c->codeword[j] : 0; break;
        case CROWD_PEOPLE: break;
        }
    }
    normalise(c->score, dim, people == CROWD_ANYWHERE ? uniform(c) : 1);
}

static void remember(crowd *c)
{
    const sotto_codebook *codebook = &c->terms.codebook[c->learner->model->phase];
    if (codebook->dim == 0 || (uint32_t)c->report->value[0] >= codebook->size) return;
    assert_ok(sotto_codebook_expand(codebook, c->terms.stream_key, c->report->nonce,
                                    (uint32_t)c->report->value[0], 0, c->codeword));
}

void crowd_honest(crowd *c, crowd_people people)
{
    const sotto_model *model = c->learner->model;
    sotto__door door = {&c->terms, model->phase, model->epoch, {0}};
    draw_nonce(c, door.nonce);
    uint32_t arm =
        model->phase == SOTTO_PHASE_MAIN ? 0 : sotto__assigned_arm(&c->terms, door.nonce);
    if (role_of(c, door.nonce) == SOTTO_ROLE_LEARN) {
        think(c, people, arm);
        assert_ok(sotto__door_begin(&c->terms, sotto__lattice_noise, &c->random.rng, &c->work));
        assert_ok(sotto__privatise(&door, c->score, arm, &c->random.rng, &c->work, c->report));
        remember(c);
    } else {
        double y = people == CROWD_ZERO ? -1 : 1; /* everybody has the same reward */
        assert_ok(sotto__privatise_reward(&door, y, &c->random.rng, &c->work, c->report));
    }
    assert_ok(sotto_learner_take(c->learner, c->report));
}

/* ---- liars */

void crowd_aim(crowd *c, bool along)
{
    uint32_t count = sotto__parameter_count(&c->terms.spec);
    const double *way = c->learner->aim->way[0].at;
    double product = 0, square = 0;
    for (uint32_t i = 0; i < count; i++) {
        c->goal[i] = along ? way[i] : uniform(c) - 0.5;
        product += c->goal[i] * way[i];
        square += way[i] * way[i];
    }
    for (uint32_t i = 0; !along && i < count; i++) {
        c->goal[i] -= product / square * way[i];
    }
}

/* The index of a nonce with the largest |<z, goal>|, and that product; shared parameters, main phase. */
static double best_of(crowd *c, const uint8_t *nonce, int32_t *index)
{
    const sotto_codebook *codebook = &c->terms.codebook[SOTTO_PHASE_MAIN];
    double best = -1;
    for (uint32_t i = 0; i < codebook->size / 2; i++) {
        double product = 0;
        assert_ok(sotto_codebook_expand(codebook, c->terms.stream_key, nonce, i, 0, c->codeword));
        for (uint32_t j = 0; j < codebook->dim; j++) {
            product += c->codeword[j] * c->goal[j];
        }
        if (fabs(product) <= best) continue;
        best = fabs(product);
        *index = (int32_t)(product < 0 ? i + codebook->size / 2 : i);
    }
    return best;
}

static void grind(crowd *c, uint32_t tries)
{
    double best = -1;
    for (uint32_t n = 0; n < tries; n++) {
        uint8_t nonce[SOTTO_NONCE_BYTES];
        int32_t index;
        draw_nonce(c, nonce);
        if (role_of(c, nonce) != SOTTO_ROLE_LEARN) continue;
        double moved = best_of(c, nonce, &index);
        if (moved <= best) continue;
        best = moved;
        memcpy(c->report->nonce, nonce, sizeof nonce);
        c->report->value[0] = index;
    }
}

void crowd_liar(crowd *c, crowd_lie lie, uint32_t tries)
{
    memcpy(c->report->spec_id, c->terms.id, SOTTO_SPEC_ID_BYTES);
    c->report->epoch = c->learner->model->epoch;
    memset(c->report->value, 0, c->report->count * sizeof c->report->value[0]);
    draw_nonce(c, c->report->nonce);
    bool learns = role_of(c, c->report->nonce) == SOTTO_ROLE_LEARN;
    switch (lie) {
    case CROWD_LAZY: break;
    case CROWD_PLAIN:
        if (learns) best_of(c, c->report->nonce, &c->report->value[0]);
        break;
    case CROWD_GRINDING: grind(c, tries); break;
    case CROWD_RATING:
        for (uint32_t n = 1; n < tries && role_of(c, c->report->nonce) != SOTTO_ROLE_FOLLOW; n++) {
            draw_nonce(c, c->report->nonce);
        }
        break;
    case CROWD_LIES: break;
    }
    assert_ok(sotto_learner_take(c->learner, c->report));
}
