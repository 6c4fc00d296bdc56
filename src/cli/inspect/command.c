/* sotto inspect: a spec, a report, a model, a codeword or a ledger in words. */
#include "command.h"
#include "cli/option/args.h"
#include "cli/option/spec.h"
#include "cli/option/words.h"
#include "cli/print/facts.h"
#include "inspect.h"
#include "spec_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything a user can say to any of the five. */
typedef struct request {
    const char *file; /* the word after the kind, or NULL */
    spec_options spec;
    const char *spec_file, *out_file, *spec_id, *nonce;
    uint32_t size, index, arm;
    bool json;
    const args_option *options;
} request;

static int inspect_spec(const command *self, const request *r)
{
    static const char *const with_file[] = {"out", "json", "quiet", NULL};
    static const char *const without[] = {SPEC_OPTION_NAMES, "out", "json", "quiet", NULL};
    sotto_resolved resolved;
    if (r->file != NULL) {
        if (!args_only(self, r->options, "a spec from a file", with_file)) return EXIT_USAGE;
        if (!spec_file_read(r->file, &resolved)) return EXIT_FAILED;
    } else {
        char text[SOTTO_FAULT_BYTES];
        if (!args_only(self, r->options, "a spec", without)) return EXIT_USAGE;
        sotto_spec spec = spec_of_options(&r->spec, r->options);
        if (sotto_spec_fault(&spec, text) != NULL) {
            fprintf(stderr, "sotto inspect: %s\n", text);
            return EXIT_USAGE;
        }
        sotto_status status = sotto_spec_resolve(&spec, &resolved);
        if (status != SOTTO_OK) return failed("spec", sotto_status_text(status)), EXIT_FAILED;
    }
    if (r->out_file != NULL && !spec_file_write(r->out_file, &resolved)) return EXIT_FAILED;
    facts list = facts_begin(r->json);
    inspect_spec_facts(&list, &resolved);
    facts_end(&list);
    return EXIT_OK;
}

/* A report or model: both need the spec to be understood. */
static int inspect_frame(const command *self, const request *r, bool is_model)
{
    static const char *const allowed[] = {"spec", "json", "quiet", NULL};
    const char *what = is_model ? "a model" : "a report";
    if (!args_only(self, r->options, what, allowed)) return EXIT_USAGE;
    if (r->file == NULL || r->spec_file == NULL) {
        failed(what, "needs a FILE and --spec FILE");
        return EXIT_USAGE;
    }
    sotto_resolved resolved;
    if (!spec_file_read(r->spec_file, &resolved)) return EXIT_FAILED;
    sotto_report *report = NULL;
    sotto_model *model = NULL;
    size_t frame = is_model ? sotto_model_bytes(&resolved) : sotto_report_bytes(&resolved);
    size_t count = 0;
    bool good = false;
    uint8_t *bytes = malloc(frame + 1);
    sotto_status status = bytes == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
    if (status == SOTTO_OK) status = sotto_report_new(&resolved, &report);
    if (status == SOTTO_OK) status = sotto_model_new(&resolved, &model);
    if (status == SOTTO_OK && !file_read(r->file, bytes, frame + 1, &count)) goto cleanup;
    if (status == SOTTO_OK) {
        status = is_model ? sotto_model_decode(&resolved, bytes, count, model)
                          : sotto_report_decode(&resolved, bytes, count, report);
    }
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
    static const char *const allowed[] = {
        "spec-id", "nonce", "dim", "codebook-size", "index", "arm", "json", "quiet", NULL};
    if (!args_only(self, r->options, "a codeword", allowed)) return EXIT_USAGE;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!args_need(self, r->options, needed[i])) return EXIT_USAGE;
    }
    uint8_t id[SOTTO_SPEC_ID_BYTES], nonce[SOTTO_NONCE_BYTES], key[SOTTO_SPEC_ID_BYTES];
    if (!word_hex(r->spec_id, id, sizeof id) || !word_hex(r->nonce, nonce, sizeof nonce)) {
        failed("--spec-id, --nonce", "each is 32 hexadecimal digits");
        return EXIT_USAGE;
    }
    if (r->size % 2 != 0 || r->index >= r->size) {
        fprintf(stderr,
                "sotto inspect: --codebook-size = %u, --index = %u: allowed an even size and an "
                "index below it\n",
                r->size, r->index);
        return EXIT_USAGE;
    }
    sotto_codebook codebook = {.dim = r->spec.dim, .size = r->size, .groups = 1};
    int32_t codeword[SOTTO_DIM_MAX];
    sotto_stream_key(id, key);
    sotto_status status = sotto_codeword(&codebook, key, nonce, r->index, r->arm, codeword);
    if (status != SOTTO_OK) {
        failed("codeword", sotto_status_text(status));
        return EXIT_FAILED;
    }
    printf("%s%d", r->json ? "[" : "", codeword[0]);
    for (uint32_t j = 1; j < codebook.dim; j++) {
        printf("%s%d", r->json ? ", " : " ", codeword[j]);
    }
    printf("%s\n", r->json ? "]" : "");
    return EXIT_OK;
}

static int inspect_ledger(const command *self, const request *r)
{
    static const char *const allowed[] = {"delta", "json", "quiet", NULL};
    const double delta_default = 1e-5;
    char text[SOTTO_FAULT_BYTES];
    if (!args_only(self, r->options, "a ledger", allowed)) return EXIT_USAGE;
    if (r->file == NULL) return failed("a ledger", "needs a FILE"), EXIT_USAGE;
    double delta = args_given(r->options, "delta") ? r->spec.delta : delta_default;
    facts list = facts_begin(r->json);
    if (!inspect_ledger_facts(&list, r->file, delta, text))
        return failed(r->file, text), EXIT_FAILED;
    facts_end(&list);
    return EXIT_OK;
}

/* One combination of what was given, and a grid of what was not. */
static int inspect_constants(const command *self, const request *r)
{
    static const char *const allowed[] = {"epsilon", "delta", "context-norm-max",
                                          "json",    "quiet", NULL};
    if (!args_only(self, r->options, "the calibration", allowed)) return EXIT_USAGE;
    bool given = args_given(r->options, "delta");
    if (r->file != NULL || (given && !(r->spec.delta >= 1e-12))) {
        failed("calibration", "takes no FILE, and --delta from 1e-12");
        return EXIT_USAGE;
    }
    inspect_calibration(
        args_given(r->options, "epsilon") ? &r->spec.epsilon : NULL, given ? &r->spec.delta : NULL,
        args_given(r->options, "context-norm-max") ? &r->spec.context_norm_max : NULL, r->json);
    return EXIT_OK;
}

typedef enum thing {
    THING_SPEC,
    THING_REPORT,
    THING_MODEL,
    THING_CODEWORD,
    THING_LEDGER,
    THING_CALIBRATION
} thing;

static const char *thing_name(uint32_t value)
{
    static const char *const name[] = {"spec",     "report", "model",
                                       "codeword", "ledger", "calibration"};
    return value < 6 ? name[value] : NULL;
}

static int run(const command *self, int argc, char **argv)
{
    request r = {0};
    bool quiet;
    args_option options[] = {
        SPEC_OPTIONS(r.spec),
        {"out", ARGS_TEXT, &r.out_file, .meaning = "spec: FILE to write its bytes to"},
        {"spec", ARGS_TEXT, &r.spec_file, .meaning = "report, model: FILE of their spec"},
        {"spec-id", ARGS_TEXT, &r.spec_id, .meaning = "codeword: 32 hexadecimal digits"},
        {"nonce", ARGS_TEXT, &r.nonce, .meaning = "codeword: 32 hexadecimal digits"},
        {"codebook-size", ARGS_U32, &r.size, 2, SOTTO_CODEBOOK_SIZE_MAX,
         .meaning = "codeword: even"},
        {"index", ARGS_U32, &r.index, 0, SOTTO_CODEBOOK_SIZE_MAX - 1, .meaning = "codeword"},
        {"arm", ARGS_U32, &r.arm, 0, SOTTO_ARMS_MAX - 1, .meaning = "codeword under split per-arm"},
        {"json", ARGS_FLAG, &r.json, .meaning = "one JSON object"},
        {"quiet", ARGS_FLAG, &quiet, .meaning = "accepted; inspect prints facts only"},
        {.meaning = NULL},
    };
    int words;
    uint32_t what;
    if (!args_parse(self, options, argc, argv, &words)) return EXIT_USAGE;
    if (words < 1 || words > 2) {
        fprintf(stderr,
                "sotto inspect: which of spec, report, model, codeword, ledger, calibration, "
                "and which file?\n");
        return EXIT_USAGE;
    }
    if (!args_name("sotto inspect", "what", argv[0], thing_name, &what)) return EXIT_USAGE;
    r.options = options;
    r.file = words == 2 ? argv[1] : NULL;
    switch ((thing)what) {
    case THING_SPEC: return inspect_spec(self, &r);
    case THING_REPORT: return inspect_frame(self, &r, false);
    case THING_MODEL: return inspect_frame(self, &r, true);
    case THING_CODEWORD: return inspect_codeword(self, &r);
    case THING_LEDGER: return inspect_ledger(self, &r);
    case THING_CALIBRATION: return inspect_constants(self, &r);
    }
    return EXIT_USAGE;
}

const command command_inspect = {
    .name = "inspect",
    .summary = "a spec, model, report, codeword or ledger in words",
    .usage = "sotto inspect spec [FILE | options] | report FILE | model FILE | codeword | "
             "ledger FILE | calibration",
    .example =
        "  sotto inspect spec --dim 20 --arms 5 --epsilon 1 --out experiment.spec\n"
        "  sotto inspect report one.report --spec experiment.spec\n"
        "  sotto inspect codeword --spec-id 000102030405060708090a0b0c0d0e0f \\\n"
        "      --nonce 101112131415161718191a1b1c1d1e1f --dim 4 --codebook-size 64 --index 3\n"
        "  sotto inspect ledger person.ledger --delta 1e-6\n",
    .run = run,
};
