/*
 * How an experiment goes: what is known of theta* after each report, and what the next person loses.
 *
 * The estimate of theta* has a variance P for every coordinate, as the tracked estimator keeps it: P = D^2/d before
 * the first report. With shared parameters, c the largest of K projections of a context on a direction, M = E c, w
 * what the score keeps of x along the deciding direction, and B the length of an unbiased report,
 *
 *     H    = d/(d - 1) E[(1 - c^2)/sqrt(1 - (1 - w^2) c^2)]
 *     h    = 1 - (1 - d P/D^2)(1 - H)
 *     S    = 0.8/sqrt(sd^2 + P)                                  score sign
 *            mu'/max(mu - lo, hi - mu) at M D                    score self
 *            m (p(q - 1) + p(q) - c (p(q - 1) - p(q))), m = e^(M D)  score centred, with p the chances
 *                of Poisson(m), q its median, c = (P(> q) - P(< q))/p(q) the score of q
 *     1/P += (S h)^2/(d B^2)                                     for every report
 *
 * On a line with one parameter people lose only while its sign is not known. So S is that of the estimate 0, and of
 * rewards as far from there as they are, at x . theta* = +-D:
 *
 *     S    = (mu(D) - mu(-D))/(2 D)/max(mu(0) - lo, hi - mu(0))  score self
 *            (s(e^D) - s(e^-D))/(2 D)                            score centred, s(m) = 1 - e^-m (2 + (e - 2) m) its
 *                mean over Poisson(m), where the estimate 0 says Poisson(1), whose median is 1
 *
 * With nulls B^2 q stands for B^2. With u = d P/D^2 the part of theta* that is not known, v = 1 - sqrt(1 - u), the
 * estimate's cosine to theta* is 1 - m,
 *
 *     m = ((d - 1) v + v^4)/d,                                   on a line and per-arm v,
 *
 * and loss.c says what that costs. Errors of d - 1 of the d coordinates turn the estimate. v^4,
 * which matters only while hardly anything is known, is for the last one: an estimate of pure
 * noise points anywhere, m = 1. The power is by measurement. H = 1 on a line and per-arm.
 *
 * Per-arm parameters have a P for each arm, the same for all in expectation:
 *
 *                1/P +=
 *     warm-up    S^2/(K d B^2)       people get random arms
 *     signs      S^2/(K^2 d B^2)
 *     tags       S^2/(K d B^2)
 *
 * self and centred have S at 0 in warm-up, where arms are random (half of it for 0/1 rewards under the identity link:
 * a mean below 0 is a chance of 0).
 *
 * Per-arm scores `self` are learned from more slowly than they could be (server/estimator_least_squares.c), for
 * real data's sake: P of the server is not what it knows. Its estimate is (1 - b) theta* + noise of
 * variance n for every coordinate, with b = 1, n = 0 at first. With I what stands above in the column
 * 1/P +=, but with S and h of the server, r = S/(S h of the server), and P of the server, a report makes
 *
 *     b *= 1 - P I r,   n = n (1 - P I r)^2 + P^2 I,   1/P += I/(1 + R^2 (1/P - 1/P_0)/6),
 *
 * and (1 - b)/sqrt((1 - b)^2 + d n/D^2) stands for the cosine. The people of a mean phase get random
 * arms, and nothing is learned of theta*.
 *
 * 0/1 rewards under the identity link, shared parameters. Their chance is x . theta*, cut at 0: of an arm that is no
 * better than a random one half tells nothing, and S h is 1/2. The better the estimate is, the more arms have a chance
 * above 0, in proportion to the cosine a:
 *
 *     S h = (1 - a)/2 + a H_1,   H_1 = d/(d - 1) E[(1 - c^2)/sqrt(1 - (1 - w^2) c^2)/max(c D, 1 - c D); c > 0].
 *
 * The tracked estimator's own S h is 1.6 * 0.7 all the time, so that it overestimates what it knows: b and n are
 * followed as above, 1/P += I, with (d - 1) n for d n.
 *
 * A report moves the estimate unless it is null, and long scores are seldom null. Terms expect the lengths
 * of scores of labels, and q_0 of them; the server counts reports, and takes qhat = min(q_0, q). A score of a
 * 0/1 reward of chance m has the length 2 min(m, 1 - m) in the mean: with a the mean of that over best arms
 * (in warm-up over all), q = q(a). I has qhat for q, and n grows by P^2 I q/qhat.
 *
 * In few dimensions an arm may hide behind others: the server thinks it shorter than it is, nobody gets it,
 * and no report corrects that. With u = 1 - cos^2 of the angle between the server's estimate and theta* at
 * the end of warm-up, by b and n, every person after it loses
 *
 *     0.08 D mu' u^0.8 g more,   g = 1.2 y/(2 + y), y = (K/(d^2 + 3 d - 5))^2.2,
 *
 * fitted to a small simulation: estimates have that error, those of arms that somebody gets become exact, and the
 * others stay as they are. With K <= d arms none can hide: some context is good for it and for no other.
 *
 * Without privacy the same method has B = 1, and the server knows the arm: S^2/(K d) in both
 * phases.
 */
#include "core/core.h"
#include "inner.h"
#include "lab/environment/environment.h"
#include "lab/math/math.h"
#include "server/server.h"

#include <math.h>

/* ==== course ============================================================================== */

#define WARM_UP_STEPS 2000.0 /* in which a long warm-up is taken */

/* d/D^2: 1/P of an estimate that knows nothing. */
static double nothing_known(const sotto_spec *spec)
{
    return spec->dim / (spec->theta_norm_max * spec->theta_norm_max);
}

/* With B^2 qhat for private reports. */
static double information_of(const sotto_terms *terms, sotto_phase phase, double size, bool private)
{
    const sotto_spec *spec = &terms->spec;
    const sotto_codebook *codebook = &terms->codebook[phase];
    if (phase == SOTTO_PHASE_MEAN) return 0;
    size = fmin(size, sotto__score_size(spec, phase));
    double variance = private ? sotto__codebook_variance(codebook, spec->epsilon, size) : 1;
    double each = 1 / (spec->dim * variance);
    bool signs = private && phase == SOTTO_PHASE_MAIN && codebook->groups == 1;
    if (spec->parameters == SOTTO_PARAMETERS_SHARED) return each;
    return signs ? each / ((double)spec->arms * spec->arms) : each / spec->arms;
}

/* q/qhat, 1 without privacy. */
static double unexpected_of(const sotto_terms *terms, sotto_phase phase, double size, bool private)
{
    const sotto_codebook *codebook = &terms->codebook[phase];
    double expected = sotto__score_size(&terms->spec, phase), epsilon = terms->spec.epsilon;
    if (!private || phase == SOTTO_PHASE_MEAN || size <= expected) return 1;
    return sotto__codebook_heard(codebook, epsilon, size) /
           sotto__codebook_heard(codebook, epsilon, expected);
}

sotto__course sotto__course_begin(const sotto_plan *plan, uint64_t horizon, bool private)
{
    sotto_terms terms = plan->terms;
    for (int phase = 0; phase < SOTTO_PHASES && !private; phase++) {
        terms.codebook[phase].scale = 1;
    }
    sotto_learning learning = sotto_learning_default(&terms, horizon);
    double prior = learning.prior_variance;
    sotto__course c = {
        .plan = plan,
        .mean_phase = private ? learning.mean_phase : 0,
        .warm_up = learning.warm_up,
        .first = prior > 0 ? 1 / prior : nothing_known(&terms.spec),
    };
    c.now = (sotto__known){.precision = c.first, .bias = 1};
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        double size = plan->score_size[phase];
        c.information[phase] = information_of(&terms, (sotto_phase)phase, size, private);
        c.unexpected[phase] = unexpected_of(&terms, (sotto_phase)phase, size, private);
    }
    return c;
}

static sotto_phase phase_of(const sotto__course *c)
{
    if (c->t < c->mean_phase) return SOTTO_PHASE_MEAN;
    return c->t < c->mean_phase + c->warm_up ? SOTTO_PHASE_WARM_UP : SOTTO_PHASE_MAIN;
}

uint64_t sotto__course_phase_end(const sotto__course *c, uint64_t to)
{
    const uint64_t ends[] = {c->mean_phase, c->mean_phase + c->warm_up};
    for (int i = 0; i < 2; i++) {
        if (c->t < ends[i] && ends[i] < to) return ends[i];
    }
    return to;
}

/* d P/D^2: the part of theta* that is not known yet, 1 to 0. */
static double unknown(const sotto__course *c, const sotto__known *e)
{
    return nothing_known(&c->plan->match.spec) / e->precision;
}

/* Whether the server's P differs from what it knows: with per-arm scores `self`, and with 0/1
 * rewards under the identity link, from which it first learns less than it assumes. */
static bool follows_server(const sotto_spec *spec)
{
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    bool cut = shared && sotto__chance_is_cut(spec) && !sotto__method_averages(spec);
    return cut || sotto__for_real_data(spec);
}

/* 1 - cos of the angle between the estimate and theta*. */
static double missed(const sotto__course *c, const sotto__known *e)
{
    const sotto_spec *spec = &c->plan->match.spec;
    double d = spec->dim;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED && spec->dim > 1;
    if (follows_server(spec)) {
        double part = nothing_known(spec) * e->noise * (shared ? (d - 1) / d : 1);
        double along = 1 - e->bias;
        return along > 0 ? 1 - along / sqrt(along * along + part) : 1;
    }
    double part = unknown(c, e), all = part / (1 + sqrt(1 - part)); /* 1 - sqrt(1 - part) */
    return shared ? ((d - 1) * all + pow(all, 4)) / d : all;
}

/* S of score self, of rewards around the mean at x . theta = v. */
static double self_slope(const sotto_spec *spec, double v)
{
    double mean = sotto__mean_reward(spec, v);
    double slope =
        sotto__mean_slope(spec, v) / fmax(mean - spec->reward_lo, spec->reward_hi - mean);
    return v == 0 && sotto__chance_is_cut(spec) ? slope / 2 : slope;
}

/* S of score centred: how its mean falls as the true mean grows from m by a part of itself. */
static double centred_slope(double m)
{
    double before = 0, at = exp(-m), below = 0; /* p(q - 1), p(q), P(< q) */
    for (double q = 0; below + at < 0.5;) {
        below += at;
        before = at;
        at *= m / ++q;
    }
    double middle = (1 - below - at - below) / at;
    return m * (before + at - middle * (before - at));
}

/* S of score self on a line. */
static double line_self_slope(const sotto_spec *spec)
{
    double D = spec->theta_norm_max, middle = sotto__mean_reward(spec, 0);
    double score = sotto__mean_reward(spec, D) - sotto__mean_reward(spec, -D);
    return score / (2 * D) / fmax(middle - spec->reward_lo, spec->reward_hi - middle);
}

/* The mean of score centred at the estimate 0, of counts with mean m. */
static double line_centred_score(double m)
{
    return 1 - exp(-m) * (2 + (exp(1) - 2) * m);
}

/* S of score centred on a line. */
static double line_centred_slope(double D)
{
    return (line_centred_score(exp(D)) - line_centred_score(exp(-D))) / (2 * D);
}

static double slope(const sotto__course *c, const sotto__known *e)
{
    const sotto_match *match = &c->plan->match;
    const sotto_spec *spec = &match->spec;
    bool line = spec->dim == 1 && spec->parameters == SOTTO_PARAMETERS_SHARED;
    bool gaussian = match->environment.law == SOTTO_LAW_GAUSSIAN;
    double noise = gaussian ? match->environment.noise : 0;
    double at = phase_of(c) == SOTTO_PHASE_MAIN ? c->plan->level * spec->theta_norm_max : 0;
    if (spec->score == SOTTO_SCORE_SELF) return line ? line_self_slope(spec) : self_slope(spec, at);
    if (spec->score == SOTTO_SCORE_CENTRED) {
        return line ? line_centred_slope(spec->theta_norm_max) : centred_slope(exp(at));
    }
    return 0.8 / sqrt(noise * noise + 1 / e->precision);
}

/* S h. */
static double steepness(const sotto__course *c, const sotto__known *e)
{
    const sotto_plan *plan = c->plan;
    if (plan->chosen_slope > 0) {
        double part = missed(c, e);
        return part * self_slope(&plan->match.spec, 0) + (1 - part) * plan->chosen_slope;
    }
    return slope(c, e) * (1 - (1 - unknown(c, e)) * (1 - plan->across));
}

/* What the next report adds to 1/P. */
static double added(const sotto__course *c, const sotto__known *e)
{
    double steep = steepness(c, e);
    return c->information[phase_of(c)] * steep * steep;
}

/* A limit for 1/P, which grows exponentially without noise. Regret is 0 long
 * before it is reached. */
static double last_precision(const sotto__course *c)
{
    return 1e30 * c->first;
}

/* After n more reports, with the server's P kept as it is in `middle`. */
static sotto__known by_server(const sotto__course *c, const sotto__known *e,
                              const sotto__known *middle, double n)
{
    const sotto_spec *spec = &c->plan->match.spec;
    bool damped = sotto__for_real_data(spec);
    double range = spec->reward_hi - spec->reward_lo, ignored = c->first;
    double server = sotto__run_precision(spec, c->first, 0, 1, &ignored); /* S, then S h */
    if (phase_of(c) == SOTTO_PHASE_MAIN) server *= SOTTO__CHOSEN_SLOPE;
    double information = c->information[phase_of(c)] * server * server;
    double known = damped ? range * range * (middle->precision - c->first) : 0;
    double steep = damped ? slope(c, e) : steepness(c, middle);
    double pull = fmin(0.9, information * steep / server / middle->precision); /* P I r */
    double each = c->unexpected[phase_of(c)] * information / middle->precision / middle->precision;
    double kept = exp(n * sotto__log1p(-pull));
    double noise = pull > 0 ? each * (1 - kept * kept) / (pull * (2 - pull)) : n * each;
    return (sotto__known){
        .precision = e->precision + n * information / (1 + known / 6),
        .bias = e->bias * kept,
        .noise = e->noise * kept * kept + noise,
    };
}

/* After n more reports, each of which adds what it would add in `middle`. */
static sotto__known after(const sotto__course *c, const sotto__known *e, const sotto__known *middle,
                          double n)
{
    if (follows_server(&c->plan->match.spec)) return by_server(c, e, middle, n);
    double precision = e->precision + n * added(c, middle);
    return (sotto__known){.precision = fmin(last_precision(c), precision)};
}

/* b and n of other scores after the warm-up of an arm. The server guesses the noise, so its P
 * differs from what it knows here too; this matters less later, when all arms are well known. Long
 * warm-ups are taken in fewer, larger reports. */
static sotto__known after_warm_up(const sotto__course *c)
{
    const sotto_spec *spec = &c->plan->match.spec;
    double reports = (double)(c->warm_up / spec->arms), steps = fmin(reports, WARM_UP_STEPS);
    double each = c->information[SOTTO_PHASE_WARM_UP] * spec->arms * reports / steps;
    sotto__known e = {.bias = 1};
    double server = c->first;
    for (double i = 0; i < steps; i++) {
        double guessed = sotto__run_precision(spec, c->first, each, 1, &server);
        e.precision = 1 / (e.bias * e.bias / nothing_known(spec) + e.noise);
        double pull = fmin(0.9, each * guessed * slope(c, &e) / server);
        e.bias *= 1 - pull;
        e.noise = e.noise * (1 - pull) * (1 - pull) + each * guessed * guessed / server / server;
    }
    return e;
}

/* 1 - cos^2 at the end of warm-up. */
static double unknown_after_warm_up(const sotto__course *c)
{
    const sotto_spec *spec = &c->plan->match.spec;
    sotto__known e = sotto__for_real_data(spec) ? c->now : after_warm_up(c);
    double along = 1 - e.bias, across = nothing_known(spec) * e.noise;
    return across > 0 ? across / (along * along + across) : 1;
}

static double lost_to_hidden_arms(const sotto__course *c)
{
    const sotto_spec *spec = &c->plan->match.spec;
    double d = spec->dim, room = fmax(1, d * d + 3 * d - 5);
    if (spec->parameters == SOTTO_PARAMETERS_SHARED || spec->arms <= spec->dim) return 0;
    if (spec->dim == 1) return 0; /* an arm that hides behind another is no better than it */
    double crowd = pow(spec->arms / room, 2.2);
    double loss = 0.08 * spec->theta_norm_max * pow(unknown_after_warm_up(c), 0.8);
    return loss * 1.2 * crowd / (2 + crowd) *
           sotto__mean_slope(spec, c->plan->level * spec->theta_norm_max);
}

static double next_regret(const sotto__course *c, const sotto__known *e)
{
    const sotto_plan *plan = c->plan;
    double most = plan->best_reward - plan->chance_reward;
    if (phase_of(c) != SOTTO_PHASE_MAIN) return most;
    return fmin(sotto__plan_loss(plan, missed(c, e)) + c->hidden, most);
}

double sotto__course_next(const sotto__course *course)
{
    return next_regret(course, &course->now);
}

/* How many reports may be taken as one step: in it t and 1/P grow by at most about 1 %, and the
 * phase does not change. */
static uint64_t stride(const sotto__course *c, uint64_t to)
{
    uint64_t end = sotto__course_phase_end(c, to);
    if (c->now.precision >= last_precision(c)) return end - c->t;
    double grown = after(c, &c->now, &c->now, 1).precision - c->now.precision;
    double most = fmin((double)c->t / 100, 0.01 * c->now.precision / grown);
    uint64_t reports = most < 1 ? 1 : (uint64_t)fmin(most, (double)SOTTO_HORIZON_MAX);
    return reports < end - c->t ? reports : end - c->t;
}

/* Advances to report `to`. A stride counts its middle report n times; strides of one report are
 * the exact recursion. */
void sotto__course_advance(sotto__course *c, uint64_t to)
{
    while (c->t < to) {
        uint64_t n = stride(c, to);
        sotto__known middle = after(c, &c->now, &c->now, (double)(n - 1) / 2);
        c->regret += (double)n * next_regret(c, &middle);
        c->now = after(c, &c->now, &middle, (double)n);
        c->t += n;
        if (c->t == c->mean_phase + c->warm_up) c->hidden = lost_to_hidden_arms(c);
    }
}

/* ==== delayed ================================================================================ */

/*
 * What delay costs. Times are counted in people who come meanwhile: with R people per second, w =
 * R reward_window_s and s = R send_spread_s. When p people have come, the mean number of reports
 * that have arrived is
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
 * and everybody between p and p' loses what the course above says of A(p) reports. So at least the
 * first w people get random arms. Later people get a model that is as old as the time that reports
 * are in flight plus half an epoch. Short epochs are taken together up to 1/200 of the people so
 * far: over such a stretch everybody loses what people in its middle do.
 *
 * Steps are assumed to be as good as without delay; those bounded by reports in flight are a
 * little worse.
 */

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

/* Publishes a model: sets how long it lasts, and what the people until then know. */
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
