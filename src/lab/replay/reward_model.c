#include "core/core.h"
#include "lab/dataset/dataset.h"
#include "replay.h"

#include <assert.h>
#include <stdlib.h>

/* ==== learn rewards ========================================================================== */

/* Two passes over a log, for the model of its rewards. */

typedef void look_function(sotto__reward_model *model, const sotto_people *people);

/* One pass over all rows, then back to the first one. *bytes counts those of earlier passes; this
 * pass is added. */
static sotto_status look(look_function *take, sotto__reward_model *model, sotto_dataset *dataset,
                         sotto_people *people, uint64_t people_max, uint64_t *bytes,
                         const sotto_replay_listener *listener, sotto_fault *fault)
{
    uint64_t rows = 0, before = *bytes;
    do {
        sotto_status wrong = sotto_dataset_next(dataset, people, fault);
        if (wrong != SOTTO_OK) return wrong;
        take(model, people);
        rows += people->rows;
        *bytes = before + sotto_dataset_counted(dataset)->bytes;
        if (listener != NULL && !SOTTO__ASK(listener->progress(listener->state, *bytes))) {
            return sotto__refuse(fault, "%s", SOTTO_REPLAY_STOPPED);
        }
    } while (people->rows > 0 && rows < people_max);
    return sotto_dataset_rewind(dataset, fault);
}

static sotto_status learn(sotto_dataset *dataset, sotto_people *people, uint64_t people_max,
                          const sotto_replay_listener *listener, sotto__rewards *out,
                          sotto_fault *fault)
{
    uint64_t bytes = 0;
    sotto_status wrong = look(sotto__reward_model_add, out->model, dataset, people, people_max,
                              &bytes, listener, fault);
    if (wrong != SOTTO_OK) return wrong;
    if (!sotto__reward_model_solve(out->model)) {
        sotto__reward_model_free(out->model);
        *out = (sotto__rewards){NULL, SOTTO_UNAVAILABLE_FEW_EVENTS};
        return SOTTO_OK;
    }
    return look(sotto__reward_model_score, out->model, dataset, people, people_max, &bytes,
                listener, fault);
}

sotto_status sotto__learn_rewards(const sotto_schema *schema, sotto_dataset *dataset,
                                  uint64_t people_max, const sotto_replay_listener *listener,
                                  sotto__rewards *out, sotto_fault *fault)
{
    uint32_t arms = sotto_schema_arms(schema), dim = sotto_schema_dim(schema);
    sotto_people *people = NULL;
    *out = (sotto__rewards){NULL, SOTTO_UNAVAILABLE_NONE};
    if (!sotto_schema_is_log(schema)) return SOTTO_OK;
    if (sotto__reward_model_bytes(arms, dim) > SOTTO__REWARD_MODEL_BYTES_MAX) {
        out->unavailable = SOTTO_UNAVAILABLE_LARGE;
        return SOTTO_OK;
    }
    sotto_status status = sotto__reward_model_new(arms, dim, &out->model);
    if (status == SOTTO_OK) status = sotto_people_new(dim, &people);
    sotto_status wrong = status == SOTTO_OK
                             ? learn(dataset, people, people_max, listener, out, fault)
                             : sotto__fault_status(fault, status);
    sotto_people_free(people);
    if (wrong != SOTTO_OK) sotto__rewards_free(out);
    return wrong;
}

void sotto__rewards_free(sotto__rewards *rewards)
{
    sotto__reward_model_free(rewards->model);
    *rewards = (sotto__rewards){0};
}

/* ==== reward model =========================================================================== */

/* Ridge regressions per arm, cross-fitted. */

#define RIDGE 0.1 /* in units of x x' */

/* ---- made and freed ----------------------------------------------------------------------- */

typedef struct sizes {
    size_t packed, vectors, gram, score; /* of all arms; gram, vectors: of all folds too */
} sizes;

static sizes sizes_of(uint32_t arms, uint32_t dim)
{
    size_t packed = (size_t)arms * sotto__tri_count(dim), vector = (size_t)arms * dim;
    return (sizes){packed, SOTTO__FOLDS * vector, SOTTO__FOLDS * packed, SOTTO__GROUPS * vector};
}

uint64_t sotto__reward_model_bytes(uint32_t arms, uint32_t dim)
{
    sizes s = sizes_of(arms, dim);
    return sizeof(double) * ((uint64_t)s.packed + s.gram + 3 * s.vectors + s.score);
}

sotto_status sotto__reward_model_new(uint32_t arms, uint32_t dim, sotto__reward_model **out)
{
    *out = NULL;
    sotto__reward_model *model = calloc(1, sizeof *model);
    if (model == NULL) return SOTTO_E_MEMORY;
    sizes s = sizes_of(arms, dim);
    model->arms = arms;
    model->dim = dim;
    model->gram = calloc(s.gram, sizeof(double));
    model->context = calloc(s.vectors, sizeof(double));
    model->product = calloc(s.vectors, sizeof(double));
    model->theta = calloc(s.vectors, sizeof(double));
    model->factor = calloc(s.packed, sizeof(double));
    model->score = calloc(s.score, sizeof(double));
    bool all = model->gram != NULL && model->context != NULL && model->product != NULL &&
               model->theta != NULL && model->factor != NULL && model->score != NULL;
    if (!all) {
        sotto__reward_model_free(model);
        return SOTTO_E_MEMORY;
    }
    *out = model;
    return SOTTO_OK;
}

void sotto__reward_model_free(sotto__reward_model *model)
{
    if (model == NULL) return;
    free(model->gram);
    free(model->context);
    free(model->product);
    free(model->theta);
    free(model->factor);
    free(model->score);
    free(model);
}

/* ---- the first look ----------------------------------------------------------------------- */

static size_t cell_of(const sotto__reward_model *model, uint32_t fold, uint32_t arm)
{
    return (size_t)fold * model->arms + arm;
}

static double *gram_of(const sotto__reward_model *model, uint32_t fold, uint32_t arm)
{
    return model->gram + cell_of(model, fold, arm) * sotto__tri_count(model->dim);
}

static void add_row(sotto__reward_model *model, uint32_t fold, uint32_t arm, const double *x,
                    double reward)
{
    uint32_t d = model->dim;
    double *gram = gram_of(model, fold, arm);
    double *context = model->context + cell_of(model, fold, arm) * d;
    double *product = model->product + cell_of(model, fold, arm) * d;
    for (uint32_t i = 0; i < d; i++) {
        context[i] += x[i];
        product[i] += x[i] * reward;
        for (uint32_t j = 0; j <= i; j++) {
            *gram++ += x[i] * x[j];
        }
    }
}

void sotto__reward_model_add(sotto__reward_model *model, const sotto_people *people)
{
    for (uint32_t i = 0; i < people->rows; i++) {
        uint32_t fold = sotto__fold_of(model->rows + i);
        model->fold_rows[fold]++;
        model->fold_reward[fold] += people->reward[i];
        add_row(model, fold, people->arm[i], people->context + (size_t)i * model->dim,
                people->reward[i]);
    }
    model->rows += people->rows;
}

/* ---- the model ---------------------------------------------------------------------------- */

static void add_all(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] += from[i];
    }
}

/* Factors A = sum x x' + 0.1 I over all folds but `fold`, in the place of arm a's factor. */
static double *factor_without(sotto__reward_model *model, uint32_t fold, uint32_t arm)
{
    uint32_t packed = sotto__tri_count(model->dim);
    double *a = model->factor + (size_t)arm * packed;
    memset(a, 0, packed * sizeof *a);
    for (uint32_t i = 0; i < model->dim; i++) {
        a[sotto__tri_count(i) + i] = RIDGE;
    }
    for (uint32_t k = 0; k < SOTTO__FOLDS; k++) {
        if (k != fold) add_all(a, gram_of(model, k, arm), packed);
    }
    bool definite = sotto__cholesky(a, model->dim); /* no eigenvalue is below the ridge */
    assert(definite);
    (void)definite;
    return a;
}

static void solve_arm(sotto__reward_model *model, uint32_t fold, uint32_t arm)
{
    uint32_t d = model->dim;
    double *theta = model->theta + cell_of(model, fold, arm) * d;
    memset(theta, 0, d * sizeof *theta);
    for (uint32_t k = 0; k < SOTTO__FOLDS; k++) {
        const double *context = model->context + cell_of(model, k, arm) * d;
        const double *product = model->product + cell_of(model, k, arm) * d;
        for (uint32_t i = 0; k != fold && i < d; i++) {
            theta[i] += product[i] - model->mean[fold] * context[i];
        }
    }
    const double *factor = factor_without(model, fold, arm);
    sotto__cholesky_solve(factor, theta, theta, d);
}

static double mean_without(const sotto__reward_model *model, uint32_t fold)
{
    double rows = 0, reward = 0;
    for (uint32_t k = 0; k < SOTTO__FOLDS; k++) {
        if (k == fold) continue;
        rows += model->fold_rows[k];
        reward += model->fold_reward[k];
    }
    return reward / rows;
}

bool sotto__reward_model_solve(sotto__reward_model *model)
{
    if (model->rows < SOTTO__REWARD_MODEL_ROWS_MIN) return false;
    for (uint32_t k = 0; k < SOTTO__FOLDS; k++) {
        model->mean[k] = mean_without(model, k);
        for (uint32_t a = 0; a < model->arms; a++) {
            solve_arm(model, k, a);
        }
    }
    for (uint32_t a = 0; a < model->arms; a++) {
        (void)factor_without(model, SOTTO__FOLDS, a); /* no fold is left out */
    }
    return true;
}

double sotto__reward_model_predict(const sotto__reward_model *model, uint64_t row, const double *x,
                                   uint32_t arm)
{
    uint32_t fold = sotto__fold_of(row);
    const double *theta = model->theta + cell_of(model, fold, arm) * model->dim;
    return model->mean[fold] + sotto__dot(x, theta, model->dim);
}

/* ---- the second look ---------------------------------------------------------------------- */

void sotto__reward_model_score(sotto__reward_model *model, const sotto_people *people)
{
    uint32_t d = model->dim;
    for (uint32_t i = 0; i < people->rows; i++) {
        uint64_t row = model->scored + i;
        uint32_t arm = people->arm[i];
        const double *x = people->context + (size_t)i * d;
        double left = people->reward[i] - sotto__reward_model_predict(model, row, x, arm);
        double *score = model->score + ((size_t)sotto__group_of(row) * model->arms + arm) * d;
        for (uint32_t j = 0; j < d; j++) {
            score[j] += x[j] * left;
        }
    }
    model->scored += people->rows;
}

sotto_status sotto__reward_model_pull(const sotto__reward_model *model, const double *given,
                                      double pull[SOTTO__GROUPS])
{
    uint32_t d = model->dim, packed = sotto__tri_count(d), vector = model->arms * d;
    double *h = calloc(vector, sizeof *h); /* A_a^-1 given_a, arm by arm */
    if (h == NULL) return SOTTO_E_MEMORY;
    for (uint32_t a = 0; a < model->arms; a++) {
        sotto__cholesky_solve(model->factor + (size_t)a * packed, given + (size_t)a * d,
                              h + (size_t)a * d, d);
    }
    sotto__rows_dot(model->score, h, SOTTO__GROUPS, vector, pull);
    free(h);
    return SOTTO_OK;
}
