/*
 * The auto-loan study. Each person is a customer of the data, drawn uniformly, and each arm is a
 * price. theta* is the demand that the customers' answers show. The match brings all of this as a
 * population. The same customers come at every price, so answers in the data are not replayed but
 * drawn from the demand.
 *
 * Demand falls as the price grows. If acceptance is the reward, the cheapest arm is the best for
 * nearly everybody. The population's worths make revenue the reward instead.
 */
#include "core/core.h"
#include "inner.h"

static sotto_status match_fault(const sotto_match *match, sotto_fault *fault)
{
    const sotto_spec *spec = &match->spec;
    const sotto_population *people = match->environment.population;
    if (people == NULL || people->rows == 0) {
        return sotto__fault_at(fault, "loan",
                               ": environment loan needs customers, a file or the stand-in");
    }
    if (people->theta == NULL) {
        return sotto__fault_at(fault, "loan", ": the demand of these customers was not found");
    }
    if (spec->dim != people->dim) {
        return sotto__fault_at(fault, "dim", "%u: environment loan has %u", spec->dim, people->dim);
    }
    if (spec->arms != people->arms) {
        return sotto__fault_at(fault, "arms", "%u: environment loan has %u prices", spec->arms,
                               people->arms);
    }
    if (spec->link != people->link) {
        return sotto__fault_at(fault, "link", "%s: the demand of environment loan is %s",
                               sotto_link_name(spec->link), sotto_link_name(people->link));
    }
    return SOTTO_OK;
}

static double context_norm_max(const sotto_spec *spec)
{
    (void)spec;
    return 1;
}

/* Sets theta* to that of the population, scaled to the length that the match says. */
static void begin(sotto__world *world)
{
    const sotto_population *people = world->match->environment.population;
    double scale = world->match->environment.theta_norm / sotto__norm(people->theta, people->dim);
    for (uint32_t i = 0; i < people->dim; i++) {
        world->theta[i] = scale * people->theta[i];
    }
}

static void draw(sotto__world *world, uint32_t count, double *context)
{
    const sotto_population *people = world->match->environment.population;
    for (uint32_t p = 0; p < count; p++) {
        double u = sotto__uniform(sotto__seeded_next(&world->contexts));
        people->contexts(people->data, (uint64_t)(u * (double)people->rows),
                         context + (size_t)p * world->context_count);
        sotto__floats_again();
    }
}

const sotto__environment sotto__environment_loan = {
    .shared = true,
    .fault = match_fault,
    .context_norm_max = context_norm_max,
    .begin = begin,
    .draw = draw,
};
