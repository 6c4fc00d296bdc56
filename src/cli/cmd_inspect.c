/* sotto inspect: a spec, a report, a model or a codeword in words. */
#include "args.h"
#include "cmd.h"
#include "facts.h"
#include "inspect.h"

#include <sotto/core.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything a user can say to any of the four. */
typedef struct request {
    const char *file; /* the word after the kind, or NULL */
    const char *spec_file, *out_file, *spec_id, *nonce;
    uint32_t dim, arms, size, index, arm;
    uint32_t parameters, link, reward_kind, method, score, split, noise_law;
    double epsilon, delta;
    bool allow_weak_delta, json;
    const option *options;
} request;

static bool failed(const char *what, const char *why)
{
    fprintf(stderr, "sotto inspect: %s: %s\n", what, why);
    return false;
}

/* A whole file of at most `capacity` bytes. False, with a sentence, on any failure. */
static bool read_file(const char *path, uint8_t *bytes, size_t capacity, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return failed(path, strerror(errno));
    *count = fread(bytes, 1, capacity, file);
    bool broken = ferror(file) != 0, longer = !broken && fgetc(file) != EOF;
    fclose(file);
    if (broken) return failed(path, "cannot be read");
    if (longer) return failed(path, "longer than any frame of this kind");
    return true;
}

static bool read_spec(const char *path, sotto_resolved *resolved)
{
    uint8_t bytes[SOTTO_SPEC_BYTES];
    size_t count;
    if (!read_file(path, bytes, sizeof bytes, &count)) return false;
    sotto_status status = sotto_spec_decode(bytes, count, resolved);
    if (status != SOTTO_OK) return failed(path, sotto_status_text(status));
    return true;
}

static bool write_spec(const char *path, const sotto_resolved *resolved)
{
    uint8_t bytes[SOTTO_SPEC_BYTES];
    sotto_spec_encode(resolved, bytes);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return failed(path, strerror(errno));
    bool written = fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes;
    written = fclose(file) == 0 && written;
    return written || failed(path, "cannot be written");
}

/* The spec that the options describe: the defaults of the kind of reward, and what was given. */
static sotto_spec spec_of_options(const request *r)
{
    sotto_spec spec = sotto_spec_default((sotto_reward_kind)r->reward_kind);
    if (args_given(r->options, "dim")) spec.dim = r->dim;
    if (args_given(r->options, "arms")) spec.arms = r->arms;
    if (args_given(r->options, "parameters")) spec.parameters = (sotto_parameters)r->parameters;
    if (args_given(r->options, "link")) spec.link = (sotto_link)r->link;
    if (args_given(r->options, "method")) spec.method = (sotto_method)r->method;
    if (args_given(r->options, "score")) spec.score = (sotto_score)r->score;
    if (args_given(r->options, "split")) spec.split = (sotto_split)r->split;
    if (args_given(r->options, "noise-law")) spec.noise_law = (sotto_noise_law)r->noise_law;
    if (args_given(r->options, "epsilon")) spec.epsilon = r->epsilon;
    spec.delta = r->delta;
    spec.allow_weak_delta = r->allow_weak_delta;
    return spec;
}

static int inspect_spec(const request *r)
{
    sotto_resolved resolved;
    if (r->file != NULL) {
        if (!read_spec(r->file, &resolved)) return EXIT_FAILED;
    } else {
        char text[SOTTO_FAULT_BYTES];
        sotto_spec spec = spec_of_options(r);
        if (sotto_spec_fault(&spec, text) != NULL) {
            fprintf(stderr, "sotto inspect: %s\n", text);
            return EXIT_USAGE;
        }
        sotto_status status = sotto_spec_resolve(&spec, &resolved);
        if (status != SOTTO_OK) {
            failed("spec", sotto_status_text(status));
            return EXIT_FAILED;
        }
    }
    if (r->out_file != NULL && !write_spec(r->out_file, &resolved)) return EXIT_FAILED;
    facts list = facts_begin(r->json);
    inspect_spec_facts(&list, &resolved);
    facts_end(&list);
    return EXIT_OK;
}

/* A report or model: both need the spec to be understood. */
static int inspect_frame(const request *r, bool is_model)
{
    sotto_resolved resolved;
    if (r->file == NULL || r->spec_file == NULL) {
        failed(is_model ? "model" : "report", "needs a FILE and --spec FILE");
        return EXIT_USAGE;
    }
    if (!read_spec(r->spec_file, &resolved)) return EXIT_FAILED;
    sotto_report *report = NULL;
    sotto_model *model = NULL;
    size_t capacity = is_model ? sotto_model_bytes(&resolved) : sotto_report_bytes(&resolved);
    size_t count = 0;
    bool good = false;
    uint8_t *bytes = malloc(capacity);
    sotto_status status = bytes == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
    if (status == SOTTO_OK) status = sotto_report_new(&resolved, &report);
    if (status == SOTTO_OK) status = sotto_model_new(&resolved, &model);
    if (status != SOTTO_OK) {
        failed(r->file, sotto_status_text(status));
        goto cleanup;
    }
    if (!read_file(r->file, bytes, capacity, &count)) goto cleanup;
    status = is_model ? sotto_model_decode(&resolved, bytes, count, model)
                      : sotto_report_decode(&resolved, bytes, count, report);
    if (status != SOTTO_OK) {
        failed(r->file, sotto_status_text(status));
        goto cleanup;
    }
    facts list = facts_begin(r->json);
    if (is_model) {
        inspect_model_facts(&list, &resolved, model);
    } else {
        inspect_report_facts(&list, &resolved, report);
    }
    facts_end(&list);
    good = true;
cleanup:
    sotto_model_free(model);
    sotto_report_free(report);
    free(bytes);
    return good ? EXIT_OK : EXIT_FAILED;
}

static int inspect_codeword(const command *self, const request *r)
{
    static const char *const needed[] = {"spec-id", "nonce", "dim", "codebook-size", "index"};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!args_need(self, r->options, needed[i])) return EXIT_USAGE;
    }
    uint8_t id[SOTTO_SPEC_ID_BYTES], nonce[SOTTO_NONCE_BYTES], key[SOTTO_SPEC_ID_BYTES];
    if (!args_hex(r->spec_id, id, sizeof id) || !args_hex(r->nonce, nonce, sizeof nonce)) {
        failed("--spec-id, --nonce", "each is 32 hexadecimal digits");
        return EXIT_USAGE;
    }
    if (r->size % 2 != 0 || r->index >= r->size) {
        fprintf(stderr,
                "sotto inspect: --codebook-size = %u, --index = %u: allowed an even size "
                "and an index below it\n",
                r->size, r->index);
        return EXIT_USAGE;
    }
    sotto_codebook codebook = {.dim = r->dim, .size = r->size, .groups = 1};
    int32_t *codeword = malloc(r->dim * sizeof codeword[0]);
    sotto_status status = SOTTO_E_MEMORY;
    if (codeword != NULL) {
        sotto_stream_key(id, key);
        status = sotto_codeword(&codebook, key, nonce, r->index, r->arm, codeword);
    }
    if (status != SOTTO_OK) failed("codeword", sotto_status_text(status));
    if (status == SOTTO_OK && r->json) printf("[");
    for (uint32_t j = 0; status == SOTTO_OK && j < r->dim; j++) {
        printf("%s%d", j == 0 ? "" : r->json ? ", " : " ", codeword[j]);
    }
    if (status == SOTTO_OK) printf(r->json ? "]\n" : "\n");
    free(codeword);
    return status == SOTTO_OK ? EXIT_OK : EXIT_FAILED;
}

typedef enum thing { THING_SPEC, THING_REPORT, THING_MODEL, THING_CODEWORD } thing;

static const char *thing_name(uint32_t value)
{
    static const char *const name[] = {"spec", "report", "model", "codeword"};
    return value < 4 ? name[value] : NULL;
}

int cmd_inspect(const command *self, int argc, char **argv)
{
    request r = {0};
    bool quiet;
    option options[] = {
        {"spec", OPTION_TEXT, &r.spec_file, .meaning = "FILE: the spec of a report or model"},
        {"out", OPTION_TEXT, &r.out_file, .meaning = "FILE: also write the spec's bytes there"},
        {"dim", OPTION_U32, &r.dim, 1, SOTTO_DIM_MAX, .meaning = "of a spec or codeword"},
        {"arms", OPTION_U32, &r.arms, 2, SOTTO_ARMS_MAX, .meaning = "of a spec"},
        {"epsilon", OPTION_F64, &r.epsilon, 0.01, 50, .meaning = "of a spec"},
        {"delta", OPTION_F64, &r.delta, 0, 0.5, .meaning = "of a spec"},
        {"allow-weak-delta", OPTION_FLAG, &r.allow_weak_delta, .meaning = "delta above 1e-6"},
        {"parameters", OPTION_NAME, &r.parameters, .list = sotto_parameters_name,
         .meaning = "of a spec"},
        {"link", OPTION_NAME, &r.link, .list = sotto_link_name, .meaning = "of a spec"},
        {"reward-kind", OPTION_NAME, &r.reward_kind, .list = sotto_reward_kind_name,
         .meaning = "of a spec; sets range, score and link"},
        {"method", OPTION_NAME, &r.method, .list = sotto_method_name, .meaning = "of a spec"},
        {"score", OPTION_NAME, &r.score, .list = sotto_score_name, .meaning = "of a spec"},
        {"split", OPTION_NAME, &r.split, .list = sotto_split_name, .meaning = "of a spec"},
        {"noise-law", OPTION_NAME, &r.noise_law, .list = sotto_noise_law_name,
         .meaning = "of a spec"},
        {"spec-id", OPTION_TEXT, &r.spec_id, .meaning = "of a codeword, 32 hexadecimal digits"},
        {"nonce", OPTION_TEXT, &r.nonce, .meaning = "of a codeword, 32 hexadecimal digits"},
        {"codebook-size", OPTION_U32, &r.size, 2, SOTTO_CODEBOOK_SIZE_MAX,
         .meaning = "of a codeword, even"},
        {"index", OPTION_U32, &r.index, 0, SOTTO_CODEBOOK_SIZE_MAX - 1, .meaning = "of a codeword"},
        {"arm", OPTION_U32, &r.arm, 0, SOTTO_ARMS_MAX - 1,
         .meaning = "of a codeword under split per-arm"},
        {"json", OPTION_FLAG, &r.json, .meaning = "one JSON object"},
        {"quiet", OPTION_FLAG, &quiet, .meaning = "accepted; inspect prints facts only"},
        {.meaning = NULL},
    };
    int words;
    uint32_t what;
    if (!args_parse(self, options, argc, argv, &words)) return EXIT_USAGE;
    if (words < 1 || words > 2) {
        fprintf(stderr, "sotto inspect: which of spec, report, model, codeword, and which file?\n");
        return EXIT_USAGE;
    }
    if (!args_name("sotto inspect", "what", argv[0], thing_name, &what)) return EXIT_USAGE;
    r.options = options;
    r.file = words == 2 ? argv[1] : NULL;
    switch ((thing)what) {
    case THING_SPEC: return inspect_spec(&r);
    case THING_REPORT: return inspect_frame(&r, false);
    case THING_MODEL: return inspect_frame(&r, true);
    case THING_CODEWORD: return inspect_codeword(self, &r);
    }
    return EXIT_USAGE;
}
