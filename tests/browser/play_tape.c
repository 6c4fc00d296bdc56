/* play_tape TERMS [MODEL] ROUNDS: rounds of an app that holds these terms, with random numbers from a tape. Prints terms
 * and model in hexadecimal, then each arm and each report. tape.mjs plays the same in WebAssembly. */
#include "phone.h"

#include <sotto/core.h>
#include <sotto/flat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(bool well, const char *what)
{
    if (well) return;
    fprintf(stderr, "play_tape: %s\n", what);
    exit(1);
}

static void print(const char *name, const uint8_t *bytes, size_t count)
{
    printf("%s ", name);
    for (size_t i = 0; i < count; i++) {
        printf("%02x", bytes[i]);
    }
    printf("\n");
}

static size_t read_file(const char *path, uint8_t *out, size_t most)
{
    FILE *file = fopen(path, "rb");
    need(file != NULL, path);
    size_t count = fread(out, 1, most, file);
    fclose(file);
    return count;
}

/* The model of a file, or the first one. */
static size_t model_bytes(const sotto_terms *terms, const char *path, uint8_t *out, size_t most)
{
    sotto_model *model;
    if (path != NULL) return read_file(path, out, most);
    need(sotto_model_new(terms, &model) == SOTTO_OK, "memory");
    need(sotto_model_encode(terms, model, out, most) == SOTTO_OK, "the model");
    sotto_model_free(model);
    return sotto_model_bytes(terms);
}

static void answer(int32_t status, const uint8_t *body, size_t bytes)
{
    phone_request request = phone_take();
    if (request.body != NULL) print("frame", request.body, request.body_bytes);
    sotto_flat_answer(request.handle, status, body, (uint32_t)bytes, 0, NULL);
    phone_request_free(&request);
}

static void play(sotto_part *part, int rounds)
{
    double fact[SOTTO_FLAT_TERMS], *context;
    need(sotto_part_terms(part, fact) == 1, "terms");
    uint32_t numbers = (uint32_t)fact[2];
    context = malloc(numbers * sizeof *context);
    need(context != NULL, "memory");
    for (int i = 0; i < rounds; i++) {
        double round;
        uint32_t arm;
        for (uint32_t k = 0; k < numbers; k++) {
            context[k] = (((uint32_t)i * 37 + k * 11) % 19 - 9.) / 16;
        }
        need(sotto_part_decide(part, context, numbers, &round, &arm) == SOTTO_OK, "decide");
        printf("arm %u\n", arm);
        if (i % 2 != 0)
            need(sotto_part_reward(part, round, (i * 13 % 17) / 16.) == SOTTO_OK, "reward");
    }
    the_phone.day_ms += 1000 * (fact[5] + fact[6]);
    the_phone.steady_ms += 1000 * (fact[5] + fact[6]);
    need(sotto_part_send(part, 1) == SOTTO_OK, "send");
    while (sotto_part_waiting(part) > 0) {
        need(sotto_part_turn(part) == SOTTO_OK, "turn");
        while (the_phone.requests > 0)
            answer(204, NULL, 0);
    }
    free(context);
}

int main(int count, char **word)
{
    static uint8_t terms_bytes[SOTTO_TERMS_BYTES], model[10000000];
    const double limit[SOTTO_FLAT_LIMITS] = {50, 1e9, .5, .5, 1024, 1024, .5};
    char url[200];
    sotto_terms terms;
    need(count >= 3, "play_tape TERMS [MODEL] ROUNDS");
    need(read_file(word[1], terms_bytes, sizeof terms_bytes) == sizeof terms_bytes, "terms");
    need(sotto_terms_decode(terms_bytes, sizeof terms_bytes, &terms) == SOTTO_OK, "terms");
    size_t bytes = model_bytes(&terms, count > 3 ? word[2] : NULL, model, sizeof model);
    print("terms", terms_bytes, sizeof terms_bytes);
    print("model", model, bytes);
    int at = snprintf(url, sizeof url, "https://phone.example/v1/experiments/");
    for (size_t i = 0; i < SOTTO_SPEC_ID_BYTES; i++) {
        at += snprintf(url + at, sizeof url - (size_t)at, "%02x", terms.id[i]);
    }
    phone_reset(12345);
    sotto_person *person = sotto_person_new(limit);
    need(person != NULL && sotto_person_open(person, 1) == SOTTO_OK, "open");
    sotto_part *part = sotto_part_new(person, url, NULL, NULL, 86400000);
    need(part != NULL, sotto_person_sentence(person));
    need(sotto_part_turn(part) == SOTTO_OK, "turn");
    answer(200, terms_bytes, sizeof terms_bytes);
    need(sotto_part_turn(part) == SOTTO_OK, "turn");
    answer(200, model, bytes);
    need(sotto_part_state(part) == 1, "the site");
    need(sotto_part_enter(part, 1024) == SOTTO_OK, sotto_person_sentence(person));
    play(part, atoi(word[count - 1]));
    sotto_part_free(part);
    sotto_person_free(person);
    phone_reset(0);
    return 0;
}
