/*
 * What privacy costs a device and an auditor: ticks of exact noise beside a fast normal in floating
 * point, a durable ledger entry beside one fsync, trials of the audit. Compare the ratios; the
 * nanoseconds are this machine's, today.
 */
#include "lattice_noise.h"
#include "timing.h"
#include "ziggurat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TICKS 230u /* a report of ldp-ols with 20 features */

static void check(sotto_status status)
{
    if (status == SOTTO_OK) return;
    fprintf(stderr, "bench: %s\n", sotto_status_text(status));
    exit(1);
}

/* ---- noise ---- */

typedef struct noise_bench {
    sotto_lattice lattice;
    sotto_noise_law law;
    sotto_rng *rng;
    sotto__seeded seeded;
    sotto__ziggurat ziggurat;
    int64_t noise[TICKS];
} noise_bench;

static void draw_exact(void *self)
{
    noise_bench *b = self;
    check(sotto__lattice_noise(&b->lattice, b->law, b->rng, b->noise));
}

static void draw_float(void *self)
{
    noise_bench *b = self;
    for (uint32_t i = 0; i < TICKS; i++) {
        b->noise[i] =
            (int64_t)rint(b->lattice.scale_ticks * sotto__normal(&b->ziggurat, &b->seeded));
    }
}

static void measure_noise(void)
{
    noise_bench b = {.lattice = {.dim = TICKS}};
    sotto_rng system = sotto__system_rng();
    sotto__seeded_begin(&b.seeded, 1);
    sotto__ziggurat_begin(&b.ziggurat);
    printf("nanoseconds a tick, %u ticks at a time; float = a rounded normal by the ziggurat\n\n",
           TICKS);
    printf("%-10s %10s %-8s %8s %8s %7s\n", "law", "scale", "random", "exact", "float", "ratio");
    static const uint32_t scales[] = {1u << 10, 1u << 16, 1u << 24};
    for (int i = 0; i < 12; i++) {
        b.law = i / 6 == 0 ? SOTTO_NOISE_GAUSSIAN : SOTTO_NOISE_LAPLACE;
        b.lattice.scale_ticks = scales[i / 2 % 3];
        b.rng = i % 2 == 0 ? &b.seeded.rng : &system;
        double exact = time_ns(draw_exact, &b) / TICKS, plain = time_ns(draw_float, &b) / TICKS;
        printf("%-10s %10u %-8s %8.1f %8.1f %7.1f\n", sotto_noise_law_name(b.law),
               b.lattice.scale_ticks, i % 2 == 0 ? "seeded" : "system", exact, plain,
               exact / plain);
    }
}

int main(void)
{
    measure_noise();
    return 0;
}
