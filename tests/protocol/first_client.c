/*
 * The C client on a tape of randomness, for comparison with the second client.
 *
 *     first_client make DIRECTORY COUNT SEED        writes COUNT cases: N.terms N.model N.people N.tape
 *     first_client play TERMS MODEL PEOPLE TAPE  prints a line per person: arm, frame, bytes drawn
 *
 * People are lines of numbers: the context, and then the reward, or - for a reward that never came.
 */
#include "client/client.h"
#include "random_spec.h"
#include "tape.h"

#include <sotto/client.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEOPLE 6
#define TAPE_BYTES 65536
#define FILE_BYTES_MAX 1048576
#define FRAME_BYTES_MAX 4096
#define LINE_CHARS_MAX 65536

static void require(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "first_client: %s\n", what);
    exit(1);
}

/* ---- making cases ------------------------------------------------------------------------- */

static FILE *open_part(const char *directory, uint32_t number, const char *part)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%" PRIu32 ".%s", directory, number, part);
    FILE *file = fopen(path, "wb");
    require(file != NULL, path);
    return file;
}

static void write_part(const char *directory, uint32_t number, const char *part, const void *bytes,
                       size_t count)
{
    FILE *file = open_part(directory, number, part);
    require(fwrite(bytes, 1, count, file) == count && fclose(file) == 0, part);
}

/* Estimates are 0 in one model of four. */
static void write_model(const char *directory, uint32_t number, const sotto_terms *terms, draws *d)
{
    sotto_model *model;
    require(sotto_model_new(terms, &model) == SOTTO_OK, "no model");
    bool per_arm = terms->spec.parameters == SOTTO_PARAMETERS_PER_ARM;
    bool warms_up = model->phase == SOTTO_PHASE_WARM_UP;
    model->phase = warms_up && draw_below(d, 3) == 0 ? SOTTO_PHASE_WARM_UP : SOTTO_PHASE_MAIN;
    model->epoch = draw_below(d, 1000);
    uint32_t count = terms->spec.dim * (per_arm ? terms->spec.arms : 1);
    bool known = draw_below(d, 4) != 0;
    double *const estimates[] = {model->theta, model->tbar, model->frozen};
    for (size_t e = 0; e < sizeof estimates / sizeof estimates[0]; e++) {
        for (uint32_t i = 0; known && estimates[e] != NULL && i < count; i++) {
            estimates[e][i] = draw_between(d, -1, 1);
        }
    }
    /* A g: none, as servers make it, or too long. In the mean phase it does not count. */
    double longest = model->g == NULL ? 0 : draw_below(d, 3) / sqrt(terms->spec.dim);
    for (uint32_t i = 0; longest > 0 && i < terms->spec.dim; i++) {
        model->g[i] = draw_between(d, -longest, longest);
    }
    if (model->g != NULL && draw_below(d, 3) == 0) model->phase = SOTTO_PHASE_MEAN;
    if (model->frozen != NULL) model->elimination = draw_below(d, 2) == 0 ? INFINITY : 0.5;
    for (uint32_t k = 1; known && model->shares != NULL && k < terms->spec.arms; k++) {
        uint32_t moved = draw_below(d, model->shares[0]); /* some of the first one's */
        model->shares[0] -= moved;
        model->shares[k] += moved;
    }
    static uint8_t bytes[FILE_BYTES_MAX];
    size_t size = sotto_model_bytes(terms);
    require(size <= sizeof bytes && sotto_model_encode(terms, model, bytes, size) == SOTTO_OK,
            "no model bytes");
    write_part(directory, number, "model", bytes, size);
    sotto_model_free(model);
}

/* Contexts of usual length, now and then 0, along an axis, or far too long; one reward of five never
 * came. */
static void write_people(const char *directory, uint32_t number, const sotto_terms *terms, draws *d)
{
    const sotto_spec *spec = &terms->spec;
    FILE *file = open_part(directory, number, "people");
    uint32_t rows = spec->parameters == SOTTO_PARAMETERS_SHARED ? spec->arms : 1;
    for (uint32_t person = 0; person < PEOPLE; person++) {
        double length = draw_below(d, 6) == 0 ? draw_below(d, 2) * 1e200 : 1 / sqrt(spec->dim);
        for (uint32_t i = 0; i < rows * spec->dim; i++) {
            fprintf(file, "%a ", draw_between(d, -length, length));
        }
        if (draw_below(d, 5) == 0) {
            fprintf(file, "-\n");
        } else if (spec->reward_kind == SOTTO_REWARD_CONTINUOUS) {
            fprintf(file, "%a\n", draw_between(d, spec->reward_lo - 0.5, spec->reward_hi + 0.5));
        } else {
            fprintf(file, "%" PRIu32 "\n",
                    draw_below(d, spec->reward_kind == SOTTO_REWARD_BINARY ? 2 : 6));
        }
    }
    require(fclose(file) == 0, "people not written");
}

static int make(const char *directory, uint32_t count, uint64_t seed)
{
    static uint8_t bytes[TAPE_BYTES];
    draws d = {seed};
    for (uint32_t number = 0; number < count;) {
        sotto_spec spec = random_spec(&d);
        sotto_terms terms;
        if (sotto_spec_resolve(&spec, &terms) != SOTTO_OK) continue;
        if (!sotto_terms_reports_indices(&terms)) continue; /* noise is the device's own affair */
        size_t size = sotto_terms_encode(&terms, bytes);
        write_part(directory, number, "terms", bytes, size);
        write_model(directory, number, &terms, &d);
        write_people(directory, number, &terms, &d);
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)draw_below(&d, 256);
        }
        write_part(directory, number, "tape", bytes, sizeof bytes);
        number++;
    }
    return 0;
}

/* ---- playing ------------------------------------------------------------------------------ */

static size_t read_file(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");
    require(file != NULL, path);
    size_t count = fread(bytes, 1, FILE_BYTES_MAX, file);
    fclose(file);
    return count;
}

static sotto_client *client_on(tape *t)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = 8;
    policy.epsilon_lifetime = 1e6;
    policy.measure_share_max = 0.5;
    sotto_ledger *ledger;
    sotto_client *client;
    require(sotto_ledger_memory_new(&ledger) == SOTTO_OK, "no ledger");
    require(sotto_client_new(&policy, ledger, &client) == SOTTO_OK, "no client");
    client->rng = &t->rng;
    return client;
}

/* The numbers of a line into `context`, the last one into `reward`. */
static uint32_t read_person(char *line, double *context, uint32_t count_max, double *reward)
{
    uint32_t count = 0;
    *reward = NAN;
    for (char *word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n")) {
        double number = strcmp(word, "-") == 0 ? NAN : strtod(word, NULL);
        if (count < count_max) {
            context[count++] = number;
        } else {
            *reward = number;
        }
    }
    return count;
}

static int play(char *const path[4])
{
    static uint8_t bytes[FILE_BYTES_MAX], taped[FILE_BYTES_MAX];
    static double context[SOTTO_CELLS_MAX];
    static char line[LINE_CHARS_MAX];
    sotto_terms terms;
    sotto_model *model;
    require(sotto_terms_decode(bytes, read_file(path[0], bytes), &terms) == SOTTO_OK, "terms");
    require(sotto_model_new(&terms, &model) == SOTTO_OK, "no model");
    require(sotto_model_decode(&terms, bytes, read_file(path[1], bytes), model) == SOTTO_OK,
            "model");
    size_t taped_count = read_file(path[3], taped);
    tape t = tape_of(taped, taped_count);
    sotto_round *round;
    require(sotto_round_new(client_on(&t), &terms, &round) == SOTTO_OK, "terms refused");
    uint32_t numbers = terms.spec.dim;
    if (terms.spec.parameters == SOTTO_PARAMETERS_SHARED) numbers *= terms.spec.arms;
    FILE *people = fopen(path[2], "r");
    require(people != NULL, path[2]);
    while (fgets(line, sizeof line, people) != NULL) {
        size_t before = t.drawn_bytes, frame_bytes = sotto_report_bytes(&terms);
        uint8_t frame[FRAME_BYTES_MAX];
        double reward;
        uint32_t count = read_person(line, context, numbers, &reward), arm = 0;
        require(sotto_round_begin(round, model) == SOTTO_OK &&
                    sotto_round_decide(round, context, count, &arm) == SOTTO_OK &&
                    sotto_round_finish(round, reward, frame, sizeof frame) == SOTTO_OK,
                "a round failed");
        printf("%" PRIu32 " ", arm);
        for (size_t i = 0; i < frame_bytes; i++) {
            printf("%02x", frame[i]);
        }
        printf(" %zu\n", t.drawn_bytes - before);
    }
    fclose(people);
    return 0;
}

int main(int count, char **word)
{
    if (count == 5 && strcmp(word[1], "make") == 0) {
        return make(word[2], (uint32_t)strtoul(word[3], NULL, 10), strtoull(word[4], NULL, 10));
    }
    if (count == 6 && strcmp(word[1], "play") == 0) return play(word + 2);
    fprintf(stderr, "usage: first_client make DIRECTORY COUNT SEED\n"
                    "       first_client play TERMS MODEL PEOPLE TAPE\n");
    return 2;
}
