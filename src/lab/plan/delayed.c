/*
 * What delay costs. With R people per second, and all times in people who come meanwhile, w = R reward_window_s,
 * s = R send_spread_s: when p people came, these reports have arrived in the mean,
 *
 *     A(p) = 0                      p <= w
 *            (p - w)^2/(2 s)        to w + s
 *            p - w - s/2            from there on.
 *
 * The first model that knows anything, and each one after it, is published as a service does it (player/shipped.c):
 * after a model at p the next one comes at
 *
 *     p' = max(p + R epoch_seconds_min, A^-1(A(p) + n)),   n what the schedule wants after A(p) reports, at least 20,
 *
 * and everybody between p and p' loses what course.c says of A(p) reports. So the first w people and more get
 * random arms, and later ones have a model that is as old as reports are on their way, and half an epoch. Many short
 * epochs are taken together, as long as they are at most 1 part in 200 of all people: over such a stretch people lose
 * what those in its middle do.
 *
 * Steps are taken to be as good as without delay; those that are bounded by reports in flight are a little worse.
 */
#include "delayed.h"
#include "server/schedule.h"

#include <math.h>

#define TOGETHER 200.0

/* A(p). */
static double arrived(const sotto__delayed *d, double people)
{
    double past = people - d->window;
    if (past <= 0) return 0;
    return past < d->spread ? past * past / (2 * d->spread) : past - d->spread / 2;
}

/* The least p with A(p) = reports. */
static double until(const sotto__delayed *d, double reports)
{
    bool early = reports < d->spread / 2;
    return d->window + (early ? sqrt(2 * d->spread * reports) : reports + d->spread / 2);
}

static double wanted(const sotto__delayed *d, double reports)
{
    uint64_t end = sotto__course_phase_end(&d->course, UINT64_MAX);
    uint64_t phase_end = end == UINT64_MAX ? 0 : end;
    return (double)sotto__epoch_reports(&d->course.plan->terms, &d->learning, (uint64_t)reports,
                                        phase_end);
}

/* A model is published now: how long it lasts, and what the people until then know. */
static void publish(sotto__delayed *d)
{
    double reports = arrived(d, d->people), least = d->pause > 0 ? SOTTO__EPOCH_REPORTS_MIN : 1;
    double need = fmax(least, wanted(d, reports));
    d->epoch = fmax(d->pause, until(d, reports + need) - d->people);
    double stretch = fmax(d->epoch, d->people / TOGETHER);
    d->next = d->people + stretch;
    double known = arrived(d, d->people + (stretch - d->epoch) / 2);
    sotto__course_advance(&d->course, (uint64_t)known);
}

sotto__delayed sotto__delayed_begin(const sotto_plan *plan, uint64_t horizon, bool private)
{
    const sotto_match *match = &plan->match;
    double rate = match->people_per_second;
    sotto__delayed d = {
        .course = sotto__course_begin(plan, horizon, private),
        .learning = sotto_learning_default(&plan->terms, horizon),
        .window = rate * match->spec.reward_window_s,
        .spread = rate * match->spec.send_spread_s,
        .pause = rate * match->epoch_seconds_min,
        .clocked = rate > 0,
    };
    d.learning.epoch = 0;
    if (d.clocked) publish(&d);
    return d;
}

void sotto__delayed_advance(sotto__delayed *d, uint64_t to)
{
    if (!d->clocked) {
        sotto__course_advance(&d->course, to);
        d->people = (double)to;
        d->regret = d->course.regret;
        return;
    }
    while (d->people < (double)to) {
        double end = fmin(d->next, (double)to);
        d->regret += (end - d->people) * sotto__course_next(&d->course);
        d->people = end;
        if (d->people >= d->next) publish(d);
    }
}

double sotto__delayed_next(const sotto__delayed *d)
{
    return sotto__course_next(&d->course);
}

uint64_t sotto__delayed_behind(const sotto__delayed *d)
{
    if (!d->clocked) return 0;
    return (uint64_t)fmin(d->people, d->people - arrived(d, d->people) + d->epoch / 2);
}

uint64_t sotto__delayed_epoch(const sotto__delayed *d)
{
    return (uint64_t)(d->clocked ? ceil(d->epoch) : wanted(d, d->people));
}
