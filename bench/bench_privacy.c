/*
 * What privacy costs a device and an auditor: ticks of exact noise compared with a fast normal in
 * floating point, a durable ledger entry with one fsync, SHA-256 by processor instructions with
 * plain C; also trials of the audit, and what shuffling adds. Compare only the ratios; absolute
 * times depend on the machine.
 */
#include "check.h"
#include "client/client.h"
#include "core/inner.h"
#include "lab/random/random.h"
#include "timing.h"

#include <sotto/lab/audits.h>
#include <sotto/server.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TICKS 230u /* a report of ldp-ols with 20 features */

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
    bench_check(sotto__lattice_noise(&b->lattice, b->law, b->rng, b->noise));
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
    printf("nanoseconds per tick, %u ticks at a time; float = a rounded normal by the ziggurat\n\n",
           TICKS);
    printf("%-10s %10s %-8s %8s %8s %7s\n", "law", "scale", "random", "exact", "float", "ratio");
    static const uint32_t scales[] = {1u << 10, 1u << 16, 1u << 24};
    for (int i = 0; i < 12; i++) {
        b.law = i / 6 == 0 ? SOTTO_NOISE_GAUSSIAN : SOTTO_NOISE_LAPLACE;
        b.lattice.scale_ticks = scales[i / 2 % 3];
        b.rng = i % 2 == 0 ? &b.seeded.rng : &system;
        double exact = bench_time_ns(draw_exact, &b) / TICKS,
               plain = bench_time_ns(draw_float, &b) / TICKS;
        printf("%-10s %10u %-8s %8.1f %8.1f %7.1f\n", sotto_noise_law_name(b.law),
               b.lattice.scale_ticks, i % 2 == 0 ? "seeded" : "system", exact, plain,
               exact / plain);
    }
}

/* ---- ledger ---- */

#define ENTRIES 200

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t count)
{
    qsort(x, count, sizeof x[0], by_size);
    return x[count / 2];
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* Alternates a debit in a ledger file with one write and fsync of as many bytes, because the speed
 * of a disk changes from second to second. The files are in the working directory, so that you
 * choose the disk. */
static void measure_ledger(void)
{
    char directory[] = "bench-ledger-XXXXXX", ledger_path[64], plain_path[64];
    uint8_t bytes[80] = {0}, id[SOTTO_SPEC_ID_BYTES] = {0}, nonce[SOTTO_NONCE_BYTES] = {0};
    double debit_ns[ENTRIES], fsync_ns[ENTRIES];
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = INFINITY;
    if (mkdtemp(directory) == NULL) fail(directory);
    snprintf(ledger_path, sizeof ledger_path, "%s/ledger", directory);
    snprintf(plain_path, sizeof plain_path, "%s/plain", directory);
    sotto_ledger *ledger;
    bench_check(sotto_ledger_file_create(ledger_path));
    bench_check(sotto_ledger_file_open(ledger_path, &ledger));
    int plain = open(plain_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (plain < 0) fail(plain_path);
    sotto__debit debit = {.spec_id = id, .nonce = nonce, .epsilon = 1, .policy = &policy};
    for (size_t i = 0; i < ENTRIES; i++) {
        uint64_t entry;
        double start = bench_wall_ns();
        bench_check(ledger->debit(ledger, &debit, &entry));
        debit_ns[i] = bench_wall_ns() - start;
        start = bench_wall_ns();
        ssize_t put = pwrite(plain, bytes, sizeof bytes, (off_t)(i * sizeof bytes));
        if (put != (ssize_t)sizeof bytes || fsync(plain) != 0) fail(plain_path);
        fsync_ns[i] = bench_wall_ns() - start;
    }
    close(plain);
    sotto_ledger_free(ledger);
    unlink(plain_path);
    unlink(ledger_path);
    rmdir(directory);
    double one_debit = median(debit_ns, ENTRIES), one_fsync = median(fsync_ns, ENTRIES);
    printf(
        "\ndurable ledger entry: %.0f us, one write and fsync: %.0f us, ratio %.1f (medians of %d "
        "in turn)\n",
        one_debit / 1e3, one_fsync / 1e3, one_debit / one_fsync, ENTRIES);
}

/* ---- audit ---- */

/* Trials per second of each mechanism with all layers, beside draws per second of the mechanism
 * alone. */
static void measure_audit(uint32_t dim)
{
    const uint64_t trials = 100000;
    for (uint32_t kind = 0; sotto_mechanism_kind_name(kind) != NULL; kind++) {
        sotto_mechanism_settings claim =
            sotto_mechanism_default((sotto_mechanism_kind)kind, dim, 1);
        claim.seeded = true;
        sotto_audit_settings settings = sotto_audit_default(&claim);
        settings.trials = trials;
        sotto_audit_result found;
        bench_check(sotto_audit_run(&settings, NULL, &found));
        sotto_mechanism *mechanism;
        double x[SOTTO_DIM_MAX] = {1}, estimate[SOTTO_DIM_MAX];
        bench_check(sotto_mechanism_new(&claim, &mechanism));
        double start = bench_wall_ns();
        for (uint64_t i = 0; i < trials; i++) {
            bench_check(sotto_mechanism_draw(mechanism, x, estimate));
        }
        double draw_ns = (bench_wall_ns() - start) / (double)trials;
        sotto_mechanism_free(mechanism);
        double total = (double)trials * (found.pairs + 1); /* the pairs, and the law */
        double trial_ns = found.seconds * 1e9 / total;
        printf("%-10s %4u %12.0f %10.0f %10.0f %7.1f\n", sotto_mechanism_kind_name(kind), dim,
               1e9 / trial_ns, trial_ns, draw_ns, trial_ns / draw_ns);
    }
}

/* ---- digests ---- */

#define DIGEST_BLOCKS 64u

typedef struct digest_bench {
    uint32_t state[8];
    uint8_t blocks[64 * DIGEST_BLOCKS];
} digest_bench;

static void digest_plain(void *self)
{
    digest_bench *b = self;
    sotto__digest_rounds(b->state, b->blocks, DIGEST_BLOCKS);
}

static void digest_by_cpu(void *self)
{
    digest_bench *b = self;
    if (!sotto__digest_rounds_by_cpu(b->state, b->blocks, DIGEST_BLOCKS)) digest_plain(self);
}

static void measure_digest(void)
{
    static digest_bench b;
    double plain = bench_time_ns(digest_plain, &b), by_cpu = bench_time_ns(digest_by_cpu, &b);
    printf("\nSHA-256, MB/s: plain C %.0f, this processor %.0f, ratio %.1f\n",
           1e3 * sizeof b.blocks / plain, 1e3 * sizeof b.blocks / by_cpu, plain / by_cpu);
}

/* ---- shuffling ---- */

typedef struct shuffle_bench {
    sotto_terms terms;
    uint64_t reports;
    double epsilon;
} shuffle_bench;

static void find_epsilon(void *self)
{
    shuffle_bench *b = self;
    bench_check(sotto_shuffle_epsilon(&b->terms, b->reports, 1e-6, &b->epsilon));
}

static void find_delta(void *self)
{
    shuffle_bench *b = self;
    double delta;
    bench_check(sotto_shuffle_delta(&b->terms, b->reports, b->epsilon, &delta));
}

static void measure_shuffle(void)
{
    static const double epsilons[] = {1, 4};
    static const uint64_t reports[] = {10000, 100000, 1000000};
    printf("\nepsilon of shuffled reports at delta 1e-6, 20 features, and the one delta of that "
           "epsilon\n\n");
    printf("%7s %9s %12s %12s %8s %7s\n", "epsilon", "reports", "epsilon_c", "epsilon_c, ms",
           "delta, ms", "ratio");
    for (size_t i = 0; i < 6; i++) {
        shuffle_bench b = {.reports = reports[i % 3]};
        sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
        spec.dim = 20, spec.epsilon = epsilons[i / 3];
        bench_check(sotto_spec_resolve(&spec, &b.terms));
        double all = bench_time_ns(find_epsilon, &b) / 1e6,
               one = bench_time_ns(find_delta, &b) / 1e6;
        printf("%7g %9llu %12.3g %12.1f %8.1f %7.1f\n", spec.epsilon, (unsigned long long)b.reports,
               b.epsilon, all, one, all / one);
    }
}

int main(void)
{
    measure_noise();
    measure_ledger();
    measure_digest();
    printf("\naudit, epsilon 1, all layers; draw = the mechanism alone\n\n");
    printf("%-10s %4s %12s %10s %10s %7s\n", "mechanism", "dim", "trials/s", "ns", "draw ns",
           "ratio");
    measure_audit(2);
    measure_audit(20);
    measure_shuffle();
    return 0;
}
