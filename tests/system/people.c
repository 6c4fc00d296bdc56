/*
 * Many people who take part in an experiment, as quickly as they can.
 *
 *     people TERMS MODEL COUNT [SEED [TASTE]]
 *
 * TERMS and MODEL are the bytes that a service gives. Writes COUNT report frames of different rounds to
 * the standard output. Without SEED people draw from the system; with one the frames are always the same.
 * TASTE is what they like: `context`, as their features have it, `first`, the first arm and no other, or
 * `all`, every arm.
 */
#include "client/client.h"
#include "tape.h"

#include <sotto/client.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (16u << 20)

static void require(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "people: %s\n", what);
    exit(1);
}

static uint8_t *read_file(const char *path, size_t *bytes)
{
    uint8_t *all = malloc(FILE_BYTES_MAX);
    FILE *file = fopen(path, "rb");
    require(all != NULL && file != NULL, path);
    *bytes = fread(all, 1, FILE_BYTES_MAX, file);
    fclose(file);
    return all;
}

/* A device that refuses no valid terms. */
static sotto_client *client_new(sotto_ledger *ledger)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = 50;
    policy.epsilon_lifetime = INFINITY;
    policy.delta_max = policy.delta_lifetime = 0.5;
    policy.measure_share_max = 0.5;
    sotto_client *client;
    require(sotto_client_new(&policy, ledger, &client) == SOTTO_OK, "no client");
    return client;
}

static double uniform(sotto__seeded *law)
{
    return sotto__uniform(sotto__seeded_next(law));
}

/* Contexts are uniform in a cube. By the taste `context`, rewards are better for arms whose first coordinate
 * is large (shared) or whose number is that of its sign (per-arm), with luck. */
static double draw_reward(const sotto_spec *spec, const double *context, uint32_t arm,
                          const char *taste, sotto__seeded *law)
{
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    double x = shared ? context[(size_t)arm * spec->dim] : context[0] * (arm % 2 == 0 ? 1 : -1);
    double chance = 0.5 + 0.4 * fmax(-1, fmin(1, x / spec->context_norm_max * sqrt(spec->dim)));
    bool good = uniform(law) < chance;
    if (strcmp(taste, "context") != 0) good = arm == 0 || strcmp(taste, "all") == 0;
    if (spec->reward_kind == SOTTO_REWARD_CONTINUOUS)
        return good ? spec->reward_hi : spec->reward_lo;
    return good ? 1 : 0;
}

static void play(sotto_round *round, const sotto_terms *terms, const sotto_model *model,
                 uint64_t count, const char *taste, sotto__seeded *law)
{
    const sotto_spec *spec = &terms->spec;
    uint32_t numbers = spec->dim;
    if (spec->parameters == SOTTO_PARAMETERS_SHARED) numbers *= spec->arms;
    size_t frame_bytes = sotto_report_bytes(terms);
    double *context = malloc(numbers * sizeof *context),
           side = spec->context_norm_max / sqrt(spec->dim);
    uint8_t *frame = malloc(frame_bytes);
    require(context != NULL && frame != NULL, "no memory");
    for (uint64_t person = 0; person < count; person++) {
        uint32_t arm;
        for (uint32_t i = 0; i < numbers; i++) {
            context[i] = (2 * uniform(law) - 1) * side;
        }
        require(sotto_round_begin(round, model) == SOTTO_OK, "a round did not begin");
        bool reports = sotto_round_reports(round);
        require(sotto_round_decide(round, context, numbers, &arm) == SOTTO_OK, "no arm");
        double reward = draw_reward(spec, context, arm, taste, law);
        if (!reports) { /* got a fallback: the next person */
            person--;
            continue;
        }
        require(sotto_round_finish(round, reward, frame, frame_bytes) == SOTTO_OK, "no report");
        require(fwrite(frame, 1, frame_bytes, stdout) == frame_bytes, "the output is closed");
    }
    free(context);
    free(frame);
}

int main(int words, char **word)
{
    if (words < 4 || words > 6) {
        fprintf(stderr, "usage: people TERMS MODEL COUNT [SEED [TASTE]]\n");
        return 2;
    }
    size_t terms_bytes, model_bytes;
    uint8_t *terms_at = read_file(word[1], &terms_bytes),
            *model_at = read_file(word[2], &model_bytes);
    uint64_t count = strtoull(word[3], NULL, 10),
             seed = words >= 5 ? strtoull(word[4], NULL, 10) : 1;
    const char *taste = words == 6 ? word[5] : "context";

    sotto_terms terms;
    sotto_model *model;
    sotto_ledger *ledger;
    sotto_round *round;
    require(sotto_terms_decode(terms_at, terms_bytes, &terms) == SOTTO_OK, "no terms");
    require(sotto_model_new(&terms, &model) == SOTTO_OK, "no memory");
    require(sotto_model_decode(&terms, model_at, model_bytes, model) == SOTTO_OK, "no model");
    require(sotto_ledger_memory_new(&ledger) == SOTTO_OK, "no ledger");
    sotto_client *client = client_new(ledger);
    tape seeded = tape_seeded(seed);
    if (words >= 5) client->rng = &seeded.rng;
    require(sotto_round_new(client, &terms, &round) == SOTTO_OK, "the terms are refused");

    sotto__seeded law;
    sotto__seeded_begin(&law, seed + 1);
    play(round, &terms, model, count, taste, &law);
    require(fflush(stdout) == 0, "the output is closed");
    sotto_round_free(round), sotto_client_free(client), sotto_ledger_free(ledger);
    sotto_model_free(model), free(terms_at), free(model_at);
    return 0;
}
