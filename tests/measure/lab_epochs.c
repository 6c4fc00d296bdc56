/*
 * The lab beside the network: people of an environment play under epochs as they were at a service.
 *
 *     lab_epochs TERMS START SEED PEOPLE < PACE
 *
 * TERMS and START are files: the terms, and the learner before its first report. A line of PACE is `E N`: the next N people
 * decide under the model of epoch E, and their reports are folded; or `P`: the server publishes. Prints the regret of all
 * of them, and that of random arms. Devices draw from the system, as at the service; the seed is that of the people.
 */
#include "fleet/fleet.h"
#include "lab/environment/environment.h"

#include <sotto/client.h>
#include <sotto/server.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS (2u * 16u) /* more than epochs can be open */

static void require(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "lab_epochs: %s\n", what);
    exit(1);
}

static void require_ok(sotto_status status, const char *what)
{
    if (status == SOTTO_OK) return;
    fprintf(stderr, "lab_epochs: %s: %s\n", what, sotto_status_text(status));
    exit(1);
}

static uint8_t *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *out = malloc(1u << 24);
    require(file != NULL && out != NULL, path);
    *bytes = fread(out, 1, 1u << 24, file);
    require(feof(file) && !ferror(file), path);
    fclose(file);
    return out;
}

typedef struct scene {
    sotto_terms terms;
    sotto_learner *learner;
    sotto_model *model[MODELS]; /* of the last epochs, each in the place of its number */
    sotto__world *world;
    double regret, random;
} scene;

static void keep_model(scene *s)
{
    const sotto_model *model = sotto_learner_model(s->learner);
    sotto_model **kept = &s->model[model->epoch % MODELS];
    if (*kept == NULL) require_ok(sotto_model_new(&s->terms, kept), "a model");
    require_ok(sotto_model_copy(&s->terms, model, *kept), "a model");
}

/* A person who is there for one round. */
static uint32_t play(const scene *s, const sotto_model *model, uint8_t *frame)
{
    uint32_t arm;
    sotto_policy policy = sotto_policy_default();
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    policy.epsilon_per_report_max = policy.epsilon_lifetime = 50;
    require_ok(sotto_ledger_memory_new(&ledger), "a ledger");
    require_ok(sotto_client_new(&policy, ledger, &client), "a client");
    require_ok(sotto_round_new(client, &s->terms, &round), "a round");
    require_ok(sotto_round_begin(round, model), "begin");
    require_ok(sotto_round_decide(round, s->world->context, s->world->context_count, &arm),
               "decide");
    require_ok(sotto_round_finish(round, sotto__world_reward(s->world, arm), frame,
                                  sotto_report_bytes(&s->terms)),
               "finish");
    sotto_round_free(round);
    sotto_client_free(client);
    sotto_ledger_free(ledger);
    return arm;
}

static void play_people(scene *s, uint32_t epoch, uint64_t count)
{
    const sotto_model *model = s->model[epoch % MODELS];
    size_t bytes = sotto_report_bytes(&s->terms);
    uint8_t *frame = malloc(bytes);
    require(frame != NULL && model != NULL && model->epoch == epoch, "no such model");
    for (uint64_t i = 0; i < count; i++) {
        sotto__world_next(s->world);
        uint32_t arm = play(s, model, frame);
        require_ok(sotto_learner_take_frames(s->learner, frame, bytes, NULL), "take");
        double sum = 0;
        for (uint32_t a = 0; a < s->terms.spec.arms; a++) {
            sum += s->world->value[a];
        }
        s->regret += s->world->value_best - s->world->value[arm];
        s->random += s->world->value_best - sum / s->terms.spec.arms;
    }
    free(frame);
}

int main(int count, char **word)
{
    static scene s;
    size_t bytes;
    require(count == 5, "usage: lab_epochs TERMS START SEED PEOPLE < PACE");
    uint8_t *terms = read_file(word[1], &bytes);
    require_ok(sotto_terms_decode(terms, bytes, &s.terms), "terms");
    uint8_t *start = read_file(word[2], &bytes);
    require_ok(sotto_learner_decode(&s.terms, start, bytes, &s.learner), "start");
    sotto_match match =
        sotto__fleet_match(&s.terms, SOTTO_ENVIRONMENT_SPHERE, NULL, strtoull(word[4], NULL, 10));
    require_ok(sotto__world_new(&match, strtoull(word[3], NULL, 10), &s.world), "a world");
    keep_model(&s);
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        unsigned epoch;
        unsigned long long people;
        if (strcmp(line, "P\n") == 0) {
            require_ok(sotto_learner_publish(s.learner), "publish");
            keep_model(&s);
        } else {
            require(sscanf(line, "%u %llu\n", &epoch, &people) == 2, line);
            play_people(&s, epoch, people);
        }
    }
    printf("%.17g %.17g\n", s.regret, s.random);
    for (uint32_t i = 0; i < MODELS; i++) {
        sotto_model_free(s.model[i]);
    }
    sotto__world_free(s.world);
    sotto_learner_free(s.learner);
    free(start);
    free(terms);
    return 0;
}
