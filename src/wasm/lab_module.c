/*
 * The lab for web pages: what `sotto simulate`, `sotto plan` and `sotto audit` compute, on one
 * thread. Arguments are numbers, and pointers into this module's memory. Functions return 0 on
 * success; otherwise fault() has the sentence.
 */
#include "lab/run/run.h"

#include <sotto/lab/audits.h>
#include <sotto/lab/comparisons.h>
#include <sotto/lab/plans.h>
#include <sotto/server.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("alloc") void *lab_alloc(uint32_t bytes);
EXPORT("release") void lab_release(void *memory);
EXPORT("version") const char *lab_version(void);
EXPORT("fault") const char *lab_fault(void);
EXPORT("play")
int32_t lab_play(uint32_t which, uint32_t dim, uint32_t arms, double epsilon, double people,
                 double seed, uint32_t delay_s, double rate, double liars, double *point,
                 uint32_t points_count);
EXPORT("plan")
int32_t lab_plan(const uint8_t *terms, uint32_t bytes, double people, double per_day,
                 double measure_share, double *out);
EXPORT("plan_new")
int32_t lab_plan_new(const char *kind, const char *parameters, uint32_t dim, uint32_t arms,
                     double epsilon, double lo, double hi, double people, double per_day,
                     double measure_share, double *out);
EXPORT("shuffle")
int32_t lab_shuffle(const uint8_t *terms, uint32_t bytes, double reports, double delta,
                    double *out);
EXPORT("report") int32_t lab_report(double epsilon, double angle, double *out, uint32_t rows);
EXPORT("audit")
int32_t lab_audit(double true_epsilon, double epsilon, uint32_t trials, double *out);

/* Tells the page how many rounds were played since the last call. If it returns false, the run
 * ends. */
__attribute__((import_module("sotto"), import_name("played"))) bool lab_played(uint32_t rounds);

static sotto_fault fault;

void *lab_alloc(uint32_t bytes)
{
    return malloc(bytes);
}

void lab_release(void *memory)
{
    free(memory);
}

const char *lab_version(void)
{
    return sotto_version();
}

const char *lab_fault(void)
{
    return fault.sentence;
}

static int32_t end(sotto_status status)
{
    if (status != SOTTO_OK && fault.sentence[0] == '\0') {
        snprintf(fault.sentence, sizeof fault.sentence, "%s", sotto_status_text(status));
    }
    return (int32_t)status;
}

/* ---- curves --------------------------------------------------------------------------------- */

static bool go_on(void *state, uint64_t rounds)
{
    (void)state;
    return lab_played((uint32_t)rounds);
}

static sotto_scene scene_of(uint32_t dim, uint32_t arms, double people)
{
    return (sotto_scene){.dim = dim,
                         .arms = arms,
                         .parameters = SOTTO_PARAMETERS_SHARED,
                         .link = SOTTO_LINK_IDENTITY,
                         .reward_kind = SOTTO_REWARD_CONTINUOUS,
                         .environment = SOTTO_ENVIRONMENT_SPHERE,
                         .horizon = people >= 1 && people <= 1e9 ? (uint64_t)people : 0};
}

/* Plays a match. `point` has pairs (t, regret): t is given, regret is filled. */
static sotto_status play(const sotto_match *match, uint64_t seed, double *point, uint32_t count)
{
    sotto_point *at = calloc(count, sizeof *at);
    sotto_run_result *result = calloc(1, sizeof *result);
    sotto_run_watch watch = {.go_on = go_on};
    bool finished = false;
    sotto_status status = SOTTO_E_MEMORY;
    if (at == NULL || result == NULL) goto cleanup;
    for (uint32_t i = 0; i < count; i++) {
        at[i].t = (uint64_t)point[2 * i];
    }
    status = sotto_match_play(match, seed, at, count, &watch, result, &finished);
    for (uint32_t i = 0; i < count && status == SOTTO_OK; i++) {
        point[2 * i + 1] = at[i].regret;
    }
cleanup:
    free(at);
    free(result);
    return status;
}

/*
 * Match `which` (0 sotto, 1 ldp-sgd, 2 linucb, 3 best-arm) of
 *
 *     sotto simulate --method sotto,ldp-sgd,linucb --dim .. --arms .. --epsilon .. --horizon .. --seeds 1 --first-seed ..
 *
 * with --delay DELAY,0,RATE if `delay_s` is above 0, and --liars if `liars` is. `point` has pairs (t, regret), t
 * increasing to the horizon.
 */
int32_t lab_play(uint32_t which, uint32_t dim, uint32_t arms, double epsilon, double people,
                 double seed, uint32_t delay_s, double rate, double liars, double *point,
                 uint32_t points_count)
{
    static const sotto_player players[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_LDP_SGD,
                                           SOTTO_PLAYER_LINUCB};
    sotto_scene scene = scene_of(dim, arms, people);
    sotto_comparison_request request = sotto_comparison_request_default(&scene);
    sotto__comparison comparison;
    uint32_t culprit;
    fault.sentence[0] = '\0';
    request.player = players;
    request.players_count = 3;
    request.epsilon = &epsilon;
    request.best_arm = true;
    request.seeds = 1;
    if (delay_s > 0) {
        request.wanted.spec.reward_window_s = delay_s;
        request.wanted.spec.send_spread_s = 0;
        SOTTO_COMPARISON_CHANGE(&request, people_per_second, rate);
    }
    if (liars > 0) SOTTO_COMPARISON_CHANGE(&request, liars, liars);
    if (sotto_comparison_request_fault(&request, &fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (sotto__comparison_of(&request, &comparison, &culprit, &fault) != SOTTO_OK)
        return SOTTO_E_FAULT;
    sotto_status status = which >= comparison.sweep.matches_count ? SOTTO_E_ARGUMENT : SOTTO_OK;
    if (status == SOTTO_OK) {
        status = play(&comparison.match[which], (uint64_t)seed, point, points_count);
    }
    sotto__comparison_free(&comparison);
    return end(status);
}

/* ---- a prediction --------------------------------------------------------------------------- */

/*
 * The match that `sotto plan` would predict with the options of this spec: always method sotto, and
 * reports without delay. The score is that of the spec if the spec's method is sotto.
 */
static sotto_match match_of(const sotto_spec *spec, double people)
{
    sotto_scene scene = scene_of(spec->dim, spec->arms, people);
    scene.parameters = spec->parameters;
    scene.link = spec->link;
    scene.reward_kind = spec->reward_kind;
    sotto_match match = sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene,
                                            spec->epsilon, 1e-6);
    sotto_spec *own = &match.spec;
    if (spec->method == SOTTO_METHOD_SOTTO) own->score = spec->score;
    own->reward_lo = spec->reward_lo;
    own->reward_hi = spec->reward_hi;
    own->reward_default = spec->reward_default;
    own->reward_rate = spec->reward_rate;
    own->context_norm_max = spec->context_norm_max;
    own->theta_norm_max = match.environment.theta_norm = spec->theta_norm_max;
    own->window_reports = spec->window_reports;
    own->epoch_reports_max = spec->epoch_reports_max;
    return match;
}

static int32_t predict(const sotto_spec *spec, double people, double per_day, double measure_share,
                       double *out)
{
    sotto_plan_answers *answers = calloc(1, sizeof *answers);
    if (answers == NULL) return end(SOTTO_E_MEMORY);
    sotto_match match = match_of(spec, people);
    sotto_plan_question question = sotto_plan_question_default(&match);
    question.epsilons_count = 1;
    question.epsilon[0] = spec->epsilon;
    question.per_day = per_day >= 1 && per_day <= 1e12 ? (uint64_t)per_day : 0;
    question.measure_share = measure_share;
    sotto_status status = SOTTO_E_FAULT;
    if (sotto_plan_question_fault(&question, &fault) == SOTTO_OK) {
        status = sotto_plan_question_answer(&question, answers);
    }
    const sotto_plan_answer *answer = &answers->of[0];
    const double numbers[] = {
        answer->share,
        (double)answer->target_people,
        (double)answer->target_days,
        (double)answer->within_people,
        answer->best_arm_lead,
        answer->floor_times,
        (double)answer->measuring.people,
        (double)answer->measuring.harm_people,
        (double)answer->measuring.below_people,
        (double)answer->plan.reports_per_person,
    };
    if (status == SOTTO_OK) memcpy(out, numbers, sizeof numbers);
    free(answers);
    return end(status);
}

/*
 * `sotto plan --horizon .. --per-day .. --measure ..`, with the other options from the bytes of a
 * spec. Fills 10 numbers: regret as a share of the best reward; people and days until it is 5 %;
 * people until within 5 % of no privacy; the lead of the best arm that best-arm needs; regret over
 * the floor; people until the uplift is distinguished from 0, until harm, until below-best-arm;
 * reports in a person's life. 0 people means more than the limit, NAN that there is no such number.
 */
int32_t lab_plan(const uint8_t *terms, uint32_t bytes, double people, double per_day,
                 double measure_share, double *out)
{
    sotto_terms decoded;
    fault.sentence[0] = '\0';
    sotto_status status = sotto_terms_decode(terms, bytes, &decoded);
    if (status != SOTTO_OK) return end(status);
    return predict(&decoded.spec, people, per_day, measure_share, out);
}

/* Like lab_plan, but before there are terms. `kind` and `parameters` are names; a range of NAN
 * means the default. */
int32_t lab_plan_new(const char *kind, const char *parameters, uint32_t dim, uint32_t arms,
                     double epsilon, double lo, double hi, double people, double per_day,
                     double measure_share, double *out)
{
    uint32_t i = 0, p = 0;
    fault.sentence[0] = '\0';
    while (sotto_reward_kind_name((sotto_reward_kind)i) != NULL &&
           strcmp(sotto_reward_kind_name((sotto_reward_kind)i), kind) != 0) {
        i++;
    }
    while (sotto_parameters_name((sotto_parameters)p) != NULL &&
           strcmp(sotto_parameters_name((sotto_parameters)p), parameters) != 0) {
        p++;
    }
    sotto_spec spec = sotto_spec_default((sotto_reward_kind)i);
    spec.parameters = (sotto_parameters)p;
    spec.dim = dim;
    spec.arms = arms;
    spec.epsilon = epsilon;
    if (!isnan(lo)) spec.reward_lo = spec.reward_default = lo;
    if (!isnan(hi)) spec.reward_hi = hi;
    return predict(&spec, people, per_day, measure_share, out);
}

/* ---- what a crowd adds ---------------------------------------------------------------------- */

/* sotto_shuffle_epsilon for the bytes of a spec; NAN if it does not apply. fault() has the
 * conditions, or says that it does not apply. */
int32_t lab_shuffle(const uint8_t *terms, uint32_t bytes, double reports, double delta, double *out)
{
    sotto_terms decoded;
    fault.sentence[0] = '\0';
    sotto_status status = sotto_terms_decode(terms, bytes, &decoded);
    if (status != SOTTO_OK) return end(status);
    uint64_t crowd = reports >= 1 && reports <= 1e9 ? (uint64_t)reports : 0;
    *out = NAN;
    if (sotto_shuffle_applies(&decoded)) {
        status = sotto_shuffle_epsilon(&decoded, crowd, delta, out);
    }
    if (status == SOTTO_OK)
        snprintf(fault.sentence, sizeof fault.sentence, "%s", sotto_shuffle_text(&decoded));
    return end(status);
}

/* ---- one report ----------------------------------------------------------------------------- */

/* Marks the codewords nearest to x, or to -x: TOP of docs/privacy.md, section 2. Rows are (x, y, near). */
static void mark_top(const sotto_codebook *codebook, const double *x, double *row)
{
    for (uint32_t marked = 0; marked < codebook->top; marked++) {
        uint32_t best = 0;
        double most = -1;
        for (uint32_t i = 0; i < codebook->size; i++) {
            double along = row[3 * i] * x[0] + row[3 * i + 1] * x[1];
            if (row[3 * i + 2] != 0 || along <= most) continue;
            best = i;
            most = along;
        }
        row[3 * best + 2] = 1;
    }
}

/*
 * Draws one report of a secret direction in the plane, as the shipping client does. `out` gets the
 * index, M, k, w_top, w_rest, and M rows (x, y, 1 if the codeword is likelier); it has room for 5 +
 * 3 rows numbers.
 */
int32_t lab_report(double epsilon, double angle, double *out, uint32_t rows)
{
    sotto_mechanism_settings settings =
        sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 2, epsilon);
    sotto_mechanism *mechanism = NULL;
    const double x[2] = {cos(angle), sin(angle)};
    double estimate[2];
    fault.sentence[0] = '\0';
    if (sotto_mechanism_fault(&settings, &fault) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_status status = sotto_mechanism_new(&settings, &mechanism);
    if (status != SOTTO_OK) return end(status);
    const sotto_terms *terms = sotto_mechanism_terms(mechanism);
    const sotto_codebook *codebook = &terms->codebook[SOTTO_PHASE_MAIN];
    status = codebook->size > rows ? SOTTO_E_LENGTH : sotto_mechanism_draw(mechanism, x, estimate);
    const sotto_report *report = sotto_mechanism_report(mechanism);
    for (uint32_t i = 0; i < codebook->size && status == SOTTO_OK; i++) {
        int32_t z[2];
        status = sotto_codebook_expand(codebook, terms->stream_key, report->nonce, i, 0, z);
        out[5 + 3 * i] = ldexp(z[0], -30);
        out[6 + 3 * i] = ldexp(z[1], -30);
        out[7 + 3 * i] = 0;
    }
    if (status == SOTTO_OK) {
        out[0] = report->value[0];
        out[1] = codebook->size;
        out[2] = codebook->top;
        out[3] = (double)codebook->weight_top;
        out[4] = (double)codebook->weight_rest;
        mark_top(codebook, x, out + 5);
    }
    sotto_mechanism_free(mechanism);
    return end(status);
}

/* ---- the audit ------------------------------------------------------------------------------ */

/* Makes a mechanism that uses the epsilon in `user`, whatever epsilon it claims. */
static const char *make(void *user, uint32_t dim, double epsilon, double delta, double radius,
                        uint32_t *answer_count, void **state, char why[SOTTO_FAULT_BYTES])
{
    (void)epsilon;
    (void)delta;
    sotto_mechanism_settings settings =
        sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, dim, *(const double *)user);
    settings.radius = radius;
    *answer_count = dim;
    sotto_fault wrong;
    if (sotto_mechanism_fault(&settings, &wrong) != SOTTO_OK)
        return memcpy(why, wrong.sentence, sizeof wrong.sentence);
    sotto_status status = sotto_mechanism_new(&settings, (sotto_mechanism **)state);
    return status == SOTTO_OK ? NULL : sotto_status_text(status);
}

static const char *draw(void *state, sotto_stream *stream, const double *x, double *answer,
                        char why[SOTTO_FAULT_BYTES])
{
    (void)stream;
    (void)why;
    sotto_status status = sotto_mechanism_draw(state, x, answer);
    return status == SOTTO_OK ? NULL : sotto_status_text(status);
}

static void forget(void *state)
{
    sotto_mechanism_free(state);
}

/*
 * Audits a codebook in dimension 2 that claims `epsilon` and has `true_epsilon`. `out` gets the verdict (0 no violation
 * found, 1 violation, 2 inconclusive) and the measured lower bound on epsilon.
 */
int32_t lab_audit(double true_epsilon, double epsilon, uint32_t trials, double *out)
{
    const sotto_mechanism_table table = {.abi = SOTTO_PLUGIN_ABI,
                                         .struct_bytes = sizeof table,
                                         .name = "codebook",
                                         .version = sotto_version(),
                                         .user = &true_epsilon,
                                         .make = make,
                                         .draw = draw,
                                         .free = forget};
    sotto_mechanism_settings claim = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 2, epsilon);
    sotto_audit_settings settings = sotto_audit_default(&claim);
    sotto_audit_result *result = calloc(1, sizeof *result);
    fault.sentence[0] = '\0';
    if (result == NULL) return end(SOTTO_E_MEMORY);
    settings.custom = &table;
    settings.trials = trials;
    sotto_status status = SOTTO_E_FAULT;
    if (sotto_audit_fault(&settings, &fault) == SOTTO_OK) {
        status = sotto_audit_run(&settings, NULL, result);
    }
    out[0] = result->verdict;
    out[1] = result->epsilon_lower;
    free(result);
    return end(status);
}
