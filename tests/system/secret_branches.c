/*
 * No branch and no address of the client's door depends on the secret.
 *
 * The score, the arm and the reward are marked as undefined, and valgrind's memcheck reports every
 * jump and every address that depends on them. What has passed the door is private, and is marked as
 * defined again.
 *
 *   secret_branches terms FILE   resolves the terms, which takes long under valgrind, and keeps them for
 *                                the others:
 *   secret_branches door FILE    sotto__privatise for every kind of report, given a score and an arm
 *   secret_branches reward FILE  sotto__privatise_reward, measure rounds, given a reward
 *   secret_branches round FILE   whole rounds, given a context and a reward
 *   secret_branches twin FILE    the door, and before it one branch on the score: must be reported
 *
 * In the door nothing is allowed. A round has branches on the secret before it, in deciding and in
 * scoring: secret_branches.supp lists them, each with its reason, and valgrind reports all others.
 * The arm that is decided on counts as known from then on, since the application shows it: a score
 * reads the row of the arm. The door must not know it all the same, and is given an arm of its own.
 */
#include "client/client.h"
#include "lab/random/random.h"

#include <sotto/client.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

#define DIM 6
#define ARMS 5
#define SCORES_MAX 256

typedef struct kind {
    const char *name;
    sotto_method method;
    sotto_score score;
    sotto_reward_kind reward;
    sotto_parameters parameters;
    sotto_split split;
    sotto_noise_law law;
    double epsilon, reward_rate;
    bool nulls;
} kind;

#define PLAIN SOTTO_SPLIT_JOINT, SOTTO_NOISE_GAUSSIAN
#define OF(method, score, reward, parameters)                                                      \
    SOTTO_METHOD_##method, SOTTO_SCORE_##score, SOTTO_REWARD_##reward, SOTTO_PARAMETERS_##parameters
static const kind kinds[] = {
    {"shared", OF(SOTTO, SIGN, CONTINUOUS, SHARED), PLAIN, 1, 0, false},
    {"shared, nulls", OF(SOTTO, SELF, BINARY, SHARED), PLAIN, 4, 0.02, true},
    {"signs", OF(SOTTO, SIGN, CONTINUOUS, PER_ARM), PLAIN, 1, 0, false},
    {"signs, nulls", OF(SOTTO, SELF, BINARY, PER_ARM), PLAIN, 1, 0, true},
    {"tags", OF(SOTTO, HUBER, CONTINUOUS, PER_ARM), PLAIN, 5, 0, false},
    {"tags, nulls", OF(SOTTO, SELF, BINARY, PER_ARM), PLAIN, 5, 0, true},
    {"counts", OF(SOTTO, CENTRED, COUNT, SHARED), PLAIN, 1, 0, false},
    {"lifted moments", OF(SOTTO_OLS, MOMENTS, CONTINUOUS, SHARED), PLAIN, 1, 0, false},
    {"joint", OF(LDP_SGD, GRADIENT, CONTINUOUS, PER_ARM), PLAIN, 1, 0, false},
    {"split", OF(LDP_SGD, GRADIENT, CONTINUOUS, PER_ARM), SOTTO_SPLIT_PER_ARM, SOTTO_NOISE_GAUSSIAN,
     1, 0, false},
    {"ticks", OF(LDP_OLS, MOMENTS, CONTINUOUS, PER_ARM), PLAIN, 1, 0, false},
    {"ticks, laplace", OF(LDP_OLS, MOMENTS, CONTINUOUS, SHARED), SOTTO_SPLIT_JOINT,
     SOTTO_NOISE_LAPLACE, 1, 0, false},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static void need(bool good, const char *what)
{
    if (good) return;
    printf("%s\n", what);
    exit(2);
}

static sotto_terms kept[KINDS];

static sotto_terms terms_of(const kind *k)
{
    return kept[k - kinds];
}

static sotto_terms resolve(const kind *k)
{
    sotto_spec spec = sotto_spec_default(k->reward);
    bool gaussian = k->method == SOTTO_METHOD_LDP_OLS && k->law == SOTTO_NOISE_GAUSSIAN;
    sotto_terms terms;
    spec.dim = DIM;
    spec.arms = ARMS;
    spec.method = k->method;
    spec.score = k->score;
    spec.parameters = k->parameters;
    spec.split = k->split;
    spec.noise_law = k->law;
    spec.epsilon = k->epsilon;
    spec.delta = gaussian ? 1e-6 : 0;
    spec.reward_rate = k->reward_rate;
    need(sotto_spec_resolve(&spec, &terms) == SOTTO_OK, k->name);
    need((terms.codebook[SOTTO_PHASE_MAIN].nulls > 0) == k->nulls, k->name);
    return terms;
}

/* ---- the door ----------------------------------------------------------------------------- */

/* The broken twin: it branches on the score before the door. */
static volatile double looked_at;
__attribute__((noinline)) static void look_at(const double *v)
{
    if (v[0] > 0) looked_at++;
}

static void through_door(const kind *k, sotto_phase phase, bool twin)
{
    sotto_terms terms = terms_of(k);
    sotto__door door = {.terms = &terms, .phase = phase};
    sotto__door_work work;
    sotto_report *report;
    sotto__seeded random;
    sotto__seeded_begin(&random, 1);
    need(sotto__door_work_new(&terms, &work) == SOTTO_OK, "memory");
    need(sotto_report_new(&terms, &report) == SOTTO_OK, "memory");
    need(random.rng.fill(&random.rng, door.nonce, sizeof door.nonce) == SOTTO_OK, "random");
    need(sotto__door_begin(&terms, sotto__lattice_noise, &random.rng, &work) == SOTTO_OK, "noise");
    double v[SCORES_MAX] = {0.1, -0.2, 0.3};
    uint32_t arm = 2;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(v, sizeof v);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(&arm, sizeof arm);
    if (twin) look_at(v);
    sotto_status status = sotto__privatise(&door, v, arm, &random.rng, &work, report);
    (void)VALGRIND_MAKE_MEM_DEFINED(report->value, report->count * sizeof report->value[0]);
    need(status == SOTTO_OK, k->name);
    sotto_report_free(report);
    sotto__door_work_free(&work);
}

static void run_door(void)
{
    for (size_t i = 0; i < KINDS; i++) {
        through_door(&kinds[i], SOTTO_PHASE_MAIN, false);
        bool per_arm = kinds[i].parameters == SOTTO_PARAMETERS_PER_ARM;
        if (per_arm) through_door(&kinds[i], SOTTO_PHASE_WARM_UP, false);
    }
}

static void run_twin(void)
{
    through_door(&kinds[0], SOTTO_PHASE_MAIN, true);
}

static void run_reward(void)
{
    sotto_terms terms = terms_of(&kinds[1]);
    sotto__door door = {.terms = &terms, .phase = SOTTO_PHASE_MAIN};
    sotto__door_work work;
    sotto_report *report;
    sotto__seeded random;
    sotto__seeded_begin(&random, 1);
    need(sotto__door_work_new(&terms, &work) == SOTTO_OK, "memory");
    need(sotto_report_new(&terms, &report) == SOTTO_OK, "memory");
    double y = 0.3;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(&y, sizeof y);
    sotto_status status = sotto__privatise_reward(&door, y, &random.rng, &work, report);
    (void)VALGRIND_MAKE_MEM_DEFINED(report->value, report->count * sizeof report->value[0]);
    need(status == SOTTO_OK, "measure round");
    sotto_report_free(report);
    sotto__door_work_free(&work);
}

/* ---- whole rounds ------------------------------------------------------------------------- */

/* The linker redirects the client's call here. */
uint32_t __real_sotto__decide(const sotto_terms *terms, const sotto_model *model,
                              const uint8_t *nonce, const double *context, double *scratch);
uint32_t __wrap_sotto__decide(const sotto_terms *terms, const sotto_model *model,
                              const uint8_t *nonce, const double *context, double *scratch);
uint32_t __wrap_sotto__decide(const sotto_terms *terms, const sotto_model *model,
                              const uint8_t *nonce, const double *context, double *scratch)
{
    uint32_t arm = __real_sotto__decide(terms, model, nonce, context, scratch);
    (void)VALGRIND_MAKE_MEM_DEFINED(&arm, sizeof arm);
    return arm;
}

static void play(const kind *k)
{
    sotto_terms terms = terms_of(k);
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = 8;
    sotto__seeded random;
    sotto__seeded_begin(&random, 1);
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_model *model;
    uint8_t frame[4096];
    need(sotto_ledger_memory_new(&ledger) == SOTTO_OK, "ledger");
    need(sotto_client_new(&policy, ledger, &client) == SOTTO_OK, "client");
    client->rng = &random.rng;
    need(sotto_round_new(client, &terms, &round) == SOTTO_OK, "round");
    need(sotto_model_new(&terms, &model) == SOTTO_OK, "model");
    model->phase = SOTTO_PHASE_MAIN;
    model->theta[0] = 0.5;
    if (model->tbar != NULL) model->tbar[0] = 0.5;
    double context[DIM * ARMS], reward = 1;
    for (int i = 0; i < DIM * ARMS; i++) {
        context[i] = 0.1 * (i % 7) - 0.3;
    }
    uint32_t arm, count = k->parameters == SOTTO_PARAMETERS_SHARED ? DIM * ARMS : DIM;
    need(sotto_round_begin(round, model) == SOTTO_OK, "begin");
    (void)VALGRIND_MAKE_MEM_UNDEFINED(context, sizeof context);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(&reward, sizeof reward);
    sotto_status decided = sotto_round_decide(round, context, count, &arm);
    sotto_status finished = sotto_round_finish(round, reward, frame, sizeof frame);
    need(decided == SOTTO_OK && finished == SOTTO_OK, k->name);
    sotto_model_free(model);
    sotto_round_free(round);
    sotto_client_free(client);
    sotto_ledger_free(ledger);
}

static void run_round(void)
{
    for (size_t i = 0; i < KINDS; i++) {
        play(&kinds[i]);
    }
}

static void write_terms(const char *path)
{
    for (size_t i = 0; i < KINDS; i++) {
        kept[i] = resolve(&kinds[i]);
    }
    FILE *file = fopen(path, "wb");
    need(file != NULL && fwrite(kept, sizeof kept, 1, file) == 1 && fclose(file) == 0, path);
}

static void read_terms(const char *path)
{
    FILE *file = fopen(path, "rb");
    need(file != NULL && fread(kept, sizeof kept, 1, file) == 1 && fclose(file) == 0, path);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        {"door", run_door}, {"reward", run_reward}, {"round", run_round}, {"twin", run_twin}};
    need(argc == 3, "which of terms, door, reward, round, twin, and which file?");
    if (strcmp(argv[1], "terms") == 0) {
        write_terms(argv[2]);
        return 0;
    }
    need(RUNNING_ON_VALGRIND != 0, "runs under valgrind only");
    read_terms(argv[2]);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(argv[1], parts[i].name) != 0) continue;
        parts[i].run();
        printf("%s: done\n", parts[i].name);
        return 0;
    }
    need(false, "there is no such part");
}
