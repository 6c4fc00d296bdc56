/*
 * How often the audit is right, over many audits: broken twins caught, correct mechanisms accused.
 * Prints the tables of research/audit_twins.csv and research/audit_false_alarms.csv.
 * Not part of the tests: make soak runs it.
 *
 *   audit_power [audits per row = 300 [threads = 2 [most seconds per row [only the row of this name]]]]
 *   audit_power --names
 */
#include "broken.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS_MAX 64
#define LAYERS 4

/* The audits of one row, divided among threads: thread i does audits i, i + threads, ... */
typedef struct share {
    const broken *which;
    uint64_t first, step, audits;
    double until_s; /* no audit begins later than this */
    uint64_t done, caught, in_layer[LAYERS];
    double epsilon_lower; /* sum */
} share;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *run_share(void *argument)
{
    share *s = argument;
    for (uint64_t i = s->first; i < s->audits && now_s() < s->until_s; i += s->step) {
        sotto_audit_result result;
        uint64_t seed = 1000003 * i + 17;
        if (broken_audit(s->which, s->which->trials, seed, &result) != SOTTO_OK) exit(1);
        s->done++;
        s->caught += result.verdict == SOTTO_AUDIT_VIOLATION;
        s->epsilon_lower += result.epsilon_lower;
        for (uint32_t layer = 0; layer < LAYERS; layer++) {
            s->in_layer[layer] += broken_caught(&result, layer);
        }
    }
    return NULL;
}

static void run_row(const broken *which, uint64_t audits, uint64_t threads, double most_s)
{
    static share shares[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    share all = {.which = which};
    double start_s = now_s();
    for (uint64_t i = 0; i < threads; i++) {
        shares[i] = (share){.which = which,
                            .first = i,
                            .step = threads,
                            .audits = audits,
                            .until_s = start_s + most_s};
        if (pthread_create(&thread[i], NULL, run_share, &shares[i]) != 0) exit(1);
    }
    for (uint64_t i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        all.caught += shares[i].caught;
        all.done += shares[i].done;
        all.epsilon_lower += shares[i].epsilon_lower;
        for (uint32_t layer = 0; layer < LAYERS; layer++) {
            all.in_layer[layer] += shares[i].in_layer[layer];
        }
    }
    printf("| %s | %u | %g | %" PRIu64 " | %" PRIu64 " of %" PRIu64, which->name, which->dim,
           which->epsilon, which->trials, all.caught, all.done);
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        printf(" | %" PRIu64, all.in_layer[layer]);
    }
    printf(" | %.3f | %.1f |\n", all.epsilon_lower / (double)all.done, now_s() - start_s);
    fflush(stdout);
}

#define NAME_BYTES 160

/* A row's name, among all rows of both tables. */
static const char *name_row(const char *title, const broken *which, char text[NAME_BYTES])
{
    snprintf(text, NAME_BYTES, "%s %s, dim %u, epsilon %g", title, which->name, which->dim,
             which->epsilon);
    return text;
}

static void run_table(const char *title, uint32_t rows, const broken *(*at)(uint32_t),
                      uint64_t audits, uint64_t threads, double most_s, const char *only)
{
    printf("\n| %s | dim | epsilon | trials a pair | caught | layer 0 | 1 | 2 | 3 | mean "
           "epsilon_lower "
           "| seconds |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
           title);
    char name[NAME_BYTES];
    for (uint32_t i = 0; i < rows; i++) {
        if (only != NULL && strcmp(name_row(title, at(i), name), only) != 0) continue;
        run_row(at(i), audits, threads, most_s);
    }
}

static void print_names(const char *title, uint32_t rows, const broken *(*at)(uint32_t))
{
    char name[NAME_BYTES];
    for (uint32_t i = 0; i < rows; i++) {
        puts(name_row(title, at(i), name));
    }
}

int main(int argc, char **argv)
{
    uint64_t audits = argc > 1 ? strtoull(argv[1], NULL, 10) : 300;
    uint64_t threads = argc > 2 ? strtoull(argv[2], NULL, 10) : 2;
    double most_s = argc > 3 ? strtod(argv[3], NULL) : 1e9;
    const char *only = argc > 4 ? argv[4] : NULL;
    if (argc == 2 && strcmp(argv[1], "--names") == 0) {
        print_names("correct", correct_count(), correct_at);
        print_names("twin", broken_count(), broken_at);
        return 0;
    }
    if (audits < 1 || threads < 1 || threads > THREADS_MAX) {
        fprintf(stderr,
                "usage: audit_power [audits per row [threads, 1 to %d [most seconds per row "
                "[name]]]]\n",
                THREADS_MAX);
        return 2;
    }
    run_table("correct", correct_count(), correct_at, audits, threads, most_s, only);
    run_table("twin", broken_count(), broken_at, audits, threads, most_s, only);
    return 0;
}
