/*
 * What one round costs: nanoseconds of every step, compared with only drawing the random numbers
 * and codeword coordinates that the step needs, in the same run. Compare only the ratios; absolute
 * times depend on the machine.
 */
#include "check.h"
#include "client/client.h"
#include "codewords.h"
#include "core/core.h"
#include "server/server.h"
#include "timing.h"

#include <sotto/client.h>
#include <sotto/server.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Everything one round needs, built once. */
typedef struct bench {
    sotto_terms terms;
    sotto_model *model;
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_report *report;
    sotto_tally *tally;
    double *context;
    uint32_t context_count;
    uint8_t frame[64];
    int32_t *normal;
    volatile double sink;
} bench;

static void bench_begin(bench *b, uint32_t dim, uint32_t arms, uint32_t size, double epsilon)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = dim;
    spec.arms = arms;
    spec.epsilon = epsilon;
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = 8;
    policy.epsilon_lifetime = INFINITY;
    bench_check(sotto__spec_resolve_sized(&spec, size, &b->terms));
    bench_check(sotto_model_new(&b->terms, &b->model));
    bench_check(sotto_ledger_memory_new(&b->ledger));
    bench_check(sotto_client_new(&policy, b->ledger, &b->client));
    bench_check(sotto_round_new(b->client, &b->terms, &b->round));
    bench_check(sotto_report_new(&b->terms, &b->report));
    bench_check(sotto__tally_new(&b->terms, 0, SOTTO_PHASE_MAIN, false, &b->tally));
    b->context_count = dim * arms;
    b->context = malloc(b->context_count * sizeof(double));
    b->normal = malloc(8 * dim * sizeof(int32_t));
    if (b->context == NULL || b->normal == NULL) bench_check(SOTTO_E_MEMORY);
    for (uint32_t i = 0; i < b->context_count; i++) {
        b->context[i] = cos(i * 0.7) / sqrt(dim);
    }
    for (uint32_t i = 0; i < dim; i++) {
        b->model->theta[i] = b->model->tbar[i] = sin(i) / sqrt(dim);
    }
}

static void bench_end(bench *b)
{
    free(b->normal);
    free(b->context);
    sotto_tally_free(b->tally);
    sotto_report_free(b->report);
    sotto_round_free(b->round);
    sotto_client_free(b->client);
    sotto_ledger_free(b->ledger);
    sotto_model_free(b->model);
}

/* ---- the steps ---- */

static void step_begin(void *self)
{
    bench *b = self;
    bench_check(sotto_round_begin(b->round, b->model));
}

static void step_begin_decide(void *self)
{
    bench *b = self;
    uint32_t arm;
    step_begin(b);
    bench_check(sotto_round_decide(b->round, b->context, b->context_count, &arm));
}

static void step_round(void *self)
{
    bench *b = self;
    step_begin_decide(b);
    bench_check(sotto_round_finish(b->round, 0.3, b->frame, sizeof b->frame));
}

static void step_encode(void *self)
{
    bench *b = self;
    bench_check(sotto_report_encode(&b->terms, b->report, b->frame, sizeof b->frame));
}

static void step_decode(void *self)
{
    bench *b = self;
    bench_check(sotto_report_decode(&b->terms, b->frame, sotto_report_bytes(&b->terms), b->report));
}

static void step_fold(void *self)
{
    bench *b = self;
    bench_check(sotto_tally_fold(b->tally, b->report));
}

/* ---- what they cannot do without ---- */

static void draw_nonce(void *self)
{
    bench *b = self;
    uint8_t nonce[SOTTO_NONCE_BYTES];
    bench_check(b->client->rng->fill(b->client->rng, nonce, sizeof nonce));
}

static void draw_choice(void *self)
{
    bench *b = self;
    sotto__coins coins;
    bench_check(sotto__draw_coins(&b->terms.codebook[SOTTO_PHASE_MAIN], b->client->rng, &coins));
    b->sink = bench_expand_codewords(&b->terms, b->report->nonce,
                                     b->terms.codebook[SOTTO_PHASE_MAIN].size / 2,
                                     b->terms.spec.dim, b->normal);
}

static void draw_one_codeword(void *self)
{
    bench *b = self;
    b->sink = bench_expand_codewords(&b->terms, b->report->nonce, 1, b->terms.spec.dim, b->normal);
}

static void row(const char *step, const bench *b, double ns, double random_ns)
{
    printf("%-16s %4u %4u %5u %10.0f", step, b->terms.spec.dim, b->terms.spec.arms,
           b->terms.codebook[SOTTO_PHASE_MAIN].size, ns);
    if (random_ns > 0) printf(" %10.0f %7.2f", random_ns, ns / random_ns);
    printf("\n");
}

typedef struct plain_steps {
    double decide, fold; /* ns */
} plain_steps;

/* The steps whose cost does not depend on the codebook's size. */
static plain_steps measure_plain_steps(uint32_t dim, uint32_t arms)
{
    bench b;
    bench_begin(&b, dim, arms, 64, 1);
    double begin = bench_time_ns(step_begin, &b);
    double decide = bench_time_ns(step_begin_decide, &b) - begin;
    step_round(&b); /* a frame to decode */
    row("begin", &b, begin, bench_time_ns(draw_nonce, &b));
    row("decide", &b, decide, 0);
    row("decode", &b, bench_time_ns(step_decode, &b), 0);
    row("encode", &b, bench_time_ns(step_encode, &b), 0);
    double fold = bench_time_ns(step_fold, &b);
    row("fold", &b, fold, bench_time_ns(draw_one_codeword, &b));
    bench_end(&b);
    return (plain_steps){decide, fold};
}

static double measure_privatise(uint32_t dim, uint32_t arms, uint32_t size, double epsilon)
{
    bench b;
    bench_begin(&b, dim, arms, size, epsilon);
    double decide = bench_time_ns(step_begin_decide, &b);
    double privatise = bench_time_ns(step_round, &b) - decide;
    row("score+privatise", &b, privatise, bench_time_ns(draw_choice, &b));
    bench_end(&b);
    return privatise;
}

int main(void)
{
    static const struct {
        uint32_t size;
        double epsilon;
    } codebooks[] = {{2, 1}, {64, 1}, {256, 5}, {1024, 8}};
    static const uint32_t dims[] = {2, 10, 20, 50};
    printf(
        "nanoseconds per call; random = drawing the bytes and codeword coordinates it needs\n\n");
    printf("%-16s %4s %4s %5s %10s %10s %7s\n", "step", "dim", "arms", "M", "ns", "random",
           "ratio");
    plain_steps plain = {0, 0};
    double privatise = 0; /* at dim 20, M 64 */
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
        plain_steps steps = measure_plain_steps(dims[i], 20);
        if (dims[i] == 20) plain = steps;
        for (size_t j = 0; j < sizeof codebooks / sizeof codebooks[0]; j++) {
            double ns = measure_privatise(dims[i], 20, codebooks[j].size, codebooks[j].epsilon);
            if (dims[i] == 20 && codebooks[j].size == 64) privatise = ns;
        }
    }
    printf("\nat dim 20, 20 arms, M 64: decide + score + privatise %.1f us (aim: below 50), "
           "%.1f million folds/s (aim: above 1)\n",
           (plain.decide + privatise) / 1e3, 1e3 / plain.fold);
    return 0;
}
