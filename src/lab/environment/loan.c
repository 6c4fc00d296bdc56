/*
 * The auto-loan study: each person is a customer of the data, drawn uniformly, and each arm a price;
 * its context is (x, p x), and theta* the demand that the customers' answers show (loan.c). The
 * same customers come at every price, so no answer in the data is replayed: it is drawn from the
 * demand.
 *
 * Demand falls as the price grows: where acceptance is the reward the cheapest arm is the best for
 * nearly everybody. Worths, see sotto__loan_worth, make it a matter of revenue.
 */
#include "lab/loan/loan.h"
#include "core/fault.h"
#include "core/linalg.h"
#include "environment.h"

static const char *fault(const sotto_match *match, char *text)
{
    const sotto_spec *spec = &match->spec;
    if (match->environment.loan == NULL || match->environment.loan->rows == 0) {
        return sotto__fault(text, "loan: environment loan needs customers, a file or the stand-in");
    }
    if (!match->environment.loan->fit.converged) {
        return sotto__fault(text, "loan: the demand of these customers was not found");
    }
    if (spec->dim != SOTTO__LOAN_DIM) {
        return sotto__fault(text, "dim = %u: environment loan has %u", spec->dim, SOTTO__LOAN_DIM);
    }
    if (spec->arms != SOTTO__LOAN_ARMS) {
        return sotto__fault(text, "arms = %u: environment loan has %u prices", spec->arms,
                            SOTTO__LOAN_ARMS);
    }
    if (spec->link != SOTTO_LINK_LOGIT) {
        return sotto__fault(text, "link = %s: the demand of environment loan is logit",
                            sotto_link_name((uint32_t)spec->link));
    }
    return NULL;
}

static double context_norm_max(const sotto_spec *spec)
{
    (void)spec;
    return 1;
}

/* theta* of the data, at the length that the match says. */
static void begin(sotto__world *world)
{
    const double *theta = world->match->environment.loan->theta;
    double scale = world->match->environment.theta_norm / sotto__norm(theta, SOTTO__LOAN_DIM);
    for (uint32_t i = 0; i < SOTTO__LOAN_DIM; i++) {
        world->theta[i] = scale * theta[i];
    }
}

static void draw_person(const sotto__loan *loan, sotto__seeded *stream, double *context)
{
    uint64_t row = (uint64_t)(sotto__uniform(sotto__seeded_next(stream)) * (double)loan->rows);
    const double *x = loan->x + row * SOTTO__LOAN_FEATURES;
    for (uint32_t a = 0; a < SOTTO__LOAN_ARMS; a++) {
        sotto__loan_context(x, sotto__loan_price(a), context + (size_t)a * SOTTO__LOAN_DIM);
    }
}

static void draw(sotto__world *world, uint32_t people, double *context)
{
    for (uint32_t p = 0; p < people; p++) {
        draw_person(world->match->environment.loan, &world->contexts,
                    context + (size_t)p * world->context_count);
    }
}

const sotto__environment sotto__environment_loan = {
    .shared = true,
    .fault = fault,
    .context_norm_max = context_norm_max,
    .begin = begin,
    .draw = draw,
};
