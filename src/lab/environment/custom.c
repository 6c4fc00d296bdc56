/*
 * A custom environment, as a row of the table. All its results are checked.
 *
 * Each person has two streams, one for the context and one for the reward. Both are seeded by words
 * drawn from the run's streams of contexts and of rewards, one word per person each. So a seed
 * gives the same people whichever arms they get, and however many numbers the environment draws for
 * them.
 */
#include "core/core.h"
#include "inner.h"
#include "lab/plugin/plugin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 8u   /* zeros after its output, to detect writes past the end */
#define SLACK 1e-9 /* relative: how much rounding may add to a length or a mean */

/* What the world keeps for a custom environment. */
typedef struct custom_environment {
    const sotto_environment_table *table;
    sotto_problem problem;
    sotto__lent person; /* the stream of the current call */
    uint64_t draw;      /* seed of the current person's stream of rewards */
    double *room;       /* a context, and GUARD zeros */
    double *mean;       /* behind it: one per arm, and GUARD zeros */
    sotto_fault *fault; /* that of the world */
    bool made;
    void *state;
} custom_environment;

static void blame(const sotto__world *world, const char *why)
{
    custom_environment *b = world->custom;
    sotto__table_blame(b->fault, "environment", b->table->name, world->t, "%s", why);
}

/* ---- before a run ------------------------------------------------------------------------- */

const char *sotto__environment_name(const sotto_environment *environment)
{
    if (environment->custom != NULL) return environment->custom->name;
    return sotto_environment_kind_name(environment->kind);
}

sotto_status sotto__custom_environment_fault(const sotto_environment_table *table,
                                             sotto_fault *fault)
{
    if (sotto__environment_table_fault(table, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    for (uint32_t i = 0; sotto_environment_kind_name((sotto_environment_kind)i) != NULL; i++) {
        if (strcmp(table->name, sotto_environment_kind_name((sotto_environment_kind)i)) != 0) {
            continue;
        }
        return sotto__refuse(fault, "environment: its name \"%s\" is that of a built-in one",
                             table->name);
    }
    return SOTTO_OK;
}

static sotto_status match_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_environment_table *table = match->environment.custom;
    const sotto_spec *spec = &match->spec;
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    if (table->dim != 0 && spec->dim != table->dim) {
        return sotto__fault_at(fault, "dim", "%u: environment %s has %u", spec->dim, table->name,
                               table->dim);
    }
    if (table->arms != 0 && spec->arms != table->arms) {
        return sotto__fault_at(fault, "arms", "%u: environment %s has %u", spec->arms, table->name,
                               table->arms);
    }
    if (per_arm ? !table->per_arm : !table->shared) {
        return sotto__fault_at(fault, "parameters", "%s: environment %s has %s parameters only",
                               sotto_parameters_name(spec->parameters), table->name,
                               sotto_parameters_name(!spec->parameters));
    }
    return SOTTO_OK;
}

/* ---- a run -------------------------------------------------------------------------------- */

/* A failure is reported at the first person, because it cannot be reported earlier. */
static void begin(sotto__world *world)
{
    const sotto_match *match = world->match;
    custom_environment *b = calloc(1, sizeof *b);
    world->custom = b;
    world->theta_unknown = true;
    if (b == NULL) {
        sotto__fault_status(&world->fault, SOTTO_E_MEMORY);
        return;
    }
    b->table = match->environment.custom;
    b->problem = sotto__problem_of(&match->spec, match->horizon, match->worth);
    /* The environment gets its own bounds. Those that methods get may be narrower, and devices
     * clip. */
    b->problem.context_norm_max = b->table->context_norm_max;
    b->problem.theta_norm_max = b->table->theta_norm_max;
    b->problem.reward_lo = b->table->reward_lo;
    b->problem.reward_hi = b->table->reward_hi;
    b->fault = &world->fault;
    size_t context_room = (size_t)b->problem.context_count + GUARD;
    b->room = calloc(context_room + b->problem.arms + GUARD, sizeof b->room[0]);
    if (b->room == NULL) {
        sotto__fault_status(&world->fault, SOTTO_E_MEMORY);
        return;
    }
    b->mean = b->room + context_room;
    char text[SOTTO_FAULT_BYTES] = "";
    sotto__lent_person(&b->person, sotto__seeded_next(&world->parameters), &world->ziggurat);
    const char *why = sotto__back(
        b->table->make(b->table->user, &b->problem, &b->person.stream, &b->state, text));
    b->made = why == NULL;
    if (why != NULL) blame(world, why);
}

static void end(sotto__world *world)
{
    custom_environment *b = world->custom;
    if (b != NULL && b->made && b->table->free != NULL) b->table->free(b->state);
    sotto__back(NULL);
    if (b != NULL) free(b->room);
    free(b);
    world->custom = NULL;
}

/* True if the GUARD zeros are unchanged. */
static bool guarded(const double *guard)
{
    for (uint32_t i = 0; i < GUARD; i++) {
        if (guard[i] != 0) return false;
    }
    return true;
}

static void check_context(const sotto__world *world, const double *context)
{
    const custom_environment *b = world->custom;
    double longest = b->table->context_norm_max;
    uint32_t dim = b->problem.dim;
    if (!guarded(b->room + b->problem.context_count)) {
        sotto__table_blame(b->fault, "environment", b->table->name, world->t,
                           "the context has more than %u numbers", b->problem.context_count);
        return;
    }
    for (uint32_t i = 0; i < b->problem.context_count; i++) {
        if (isfinite(context[i])) continue;
        sotto__table_blame(b->fault, "environment", b->table->name, world->t,
                           "number %u of the context is %g: only finite ones can be used", i,
                           context[i]);
        return;
    }
    for (uint32_t row = 0; row < b->problem.context_count / dim; row++) {
        double norm = sotto__norm(context + (size_t)row * dim, dim);
        if (norm <= longest * (1 + SLACK)) continue;
        sotto__table_blame(b->fault, "environment", b->table->name, world->t,
                           "row %u of the context has length %.15g: at most its own "
                           "context_norm_max = %.15g",
                           row, norm, longest);
        return;
    }
}

/* `people` is 1. The context starts as NaN, to detect numbers that the environment does not
 * write. */
static void draw(sotto__world *world, uint32_t people, double *context)
{
    custom_environment *b = world->custom;
    (void)people;
    if (world->fault.sentence[0] != '\0') return;
    char text[SOTTO_FAULT_BYTES] = "";
    for (uint32_t i = 0; i < b->problem.context_count; i++) {
        b->room[i] = NAN;
    }
    sotto__lent_person(&b->person, sotto__seeded_next(&world->contexts), &world->ziggurat);
    b->draw = sotto__seeded_next(&world->rewards);
    const char *why = sotto__back(b->table->context(b->state, &b->person.stream, b->room, text));
    if (why != NULL) {
        blame(world, why);
        return;
    }
    check_context(world, b->room);
    memcpy(context, b->room, b->problem.context_count * sizeof context[0]);
}

/* Gets theta* for the current person. */
static void turn(sotto__world *world)
{
    custom_environment *b = world->custom;
    if (world->fault.sentence[0] != '\0' || b->table->theta == NULL) return;
    const double *theta = sotto__back(b->table->theta(b->state));
    world->theta_unknown = theta == NULL;
    for (uint32_t i = 0; theta != NULL && i < world->theta_count; i++) {
        world->theta[i] = theta[i];
        if (isfinite(theta[i])) continue;
        sotto__table_blame(b->fault, "environment", b->table->name, world->t,
                           "number %u of theta is %g: only finite ones can be used", i, theta[i]);
        return;
    }
}

static bool within(const custom_environment *b, double value)
{
    double lo = b->problem.reward_lo, hi = b->problem.reward_hi, slack = SLACK * (1 + hi - lo);
    return value >= lo - slack && value <= hi + slack;
}

static void check_means(const sotto__world *world)
{
    const custom_environment *b = world->custom;
    if (!guarded(b->mean + b->problem.arms)) {
        sotto__table_blame(b->fault, "environment", b->table->name, world->t,
                           "means wrote more than %u numbers, one per arm", b->problem.arms);
        return;
    }
    for (uint32_t a = 0; a < b->problem.arms; a++) {
        if (within(b, b->mean[a])) continue;
        sotto__table_blame(b->fault, "environment", b->table->name, world->t,
                           "the mean of arm %u is %.15g: allowed %.15g to %.15g", a, b->mean[a],
                           b->problem.reward_lo, b->problem.reward_hi);
        return;
    }
}

static void means(sotto__world *world)
{
    custom_environment *b = world->custom;
    if (world->fault.sentence[0] != '\0') return;
    char text[SOTTO_FAULT_BYTES] = "";
    for (uint32_t a = 0; a < b->problem.arms; a++) {
        b->mean[a] = NAN;
    }
    const char *why = sotto__back(b->table->means(b->state, world->context, b->mean, text));
    if (why != NULL) {
        blame(world, why);
        return;
    }
    check_means(world);
    if (world->fault.sentence[0] == '\0')
        memcpy(world->mean, b->mean, b->problem.arms * sizeof b->mean[0]);
}

static double reward(const sotto__world *world, uint32_t arm)
{
    custom_environment *b = world->custom;
    const sotto_environment *environment = &world->match->environment;
    if (b->table->reward == NULL) {
        return sotto__reward(environment->law, world->mean[arm], environment->noise, world->draw);
    }
    char text[SOTTO_FAULT_BYTES] = "";
    double out = NAN;
    sotto__lent_person(&b->person, b->draw, &world->ziggurat);
    const char *why = sotto__back(b->table->reward(b->state, &b->person.stream, world->context, arm,
                                                   world->mean[arm], &out, text));
    if (why != NULL) {
        blame(world, why);
    } else if (!within(b, out)) {
        sotto__table_blame(b->fault, "environment", b->table->name, world->t,
                           "the reward of arm %u is %.15g: allowed %.15g to %.15g", arm, out,
                           b->problem.reward_lo, b->problem.reward_hi);
    }
    return out;
}

const sotto__environment sotto__environment_custom = {
    .shared = true,
    .per_arm = true,
    .fault = match_fault,
    .begin = begin,
    .draw = draw,
    .turn = turn,
    .means = means,
    .reward = reward,
    .end = end,
};
