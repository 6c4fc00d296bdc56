#include "cli/option/option.h"
#include "cli/print/print.h"
#include "inner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== file =================================================================================== */

/* Specs and frames in files. Each function returns false, with a sentence, on failure. */

static bool failed(const command_line *line, const char *path, const char *why)
{
    return option_say(line, "%s: %s", path, why);
}

/* Reads at most `capacity` bytes. To detect a file that is too long, pass one byte more than a
 * frame has. */
static bool read_file(const command_line *line, const char *path, uint8_t *bytes, size_t capacity,
                      size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return failed(line, path, strerror(errno));
    *count = fread(bytes, 1, capacity, file);
    bool broken = ferror(file) != 0;
    fclose(file);
    return !broken || failed(line, path, "cannot be read");
}

static bool read_spec(const command_line *line, const char *path, sotto_terms *terms)
{
    uint8_t bytes[SOTTO_TERMS_BYTES + 1];
    sotto_fault fault;
    size_t count = 0;
    if (!read_file(line, path, bytes, sizeof bytes, &count)) return false;
    if (sotto_terms_bytes_fault(bytes, count, &fault) != SOTTO_OK)
        return failed(line, path, fault.sentence);
    sotto_status status = sotto_terms_decode(bytes, count, terms);
    return status == SOTTO_OK || failed(line, path, sotto_status_text(status));
}

static bool write_spec(const command_line *line, const char *path, const sotto_terms *terms)
{
    uint8_t bytes[SOTTO_TERMS_BYTES];
    size_t count = sotto_terms_encode(terms, bytes);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return failed(line, path, strerror(errno));
    bool written = fwrite(bytes, 1, count, file) == count;
    written = fclose(file) == 0 && written;
    return written || failed(line, path, "cannot be written");
}

/* ==== command ================================================================================ */

/* sotto inspect: a spec, a report, a model, a tally, a codeword or a ledger in words. */

#define GIVEN(r, member) OPTION_GIVEN(&(r)->line, inspect_options, member)

/* What the command line asks for. */
typedef struct request {
    command_line line;
    inspect_options options;
    const char *file; /* the word after the subject; NULL if there is none */
} request;

/* ---- specs -------------------------------------------------------------------------------- */

/* EXIT_OK with the spec in `terms`: from the file, or from the options. */
static int find_spec(const request *r, sotto_terms *terms)
{
    sotto_fault fault;
    if (r->file != NULL) {
        if (!command_line_applies(&r->line, INSPECT_SPEC_FILE, "a spec from a file")) {
            return EXIT_USAGE;
        }
        return read_spec(&r->line, r->file, terms) ? EXIT_OK : EXIT_FAILED;
    }
    if (!command_line_applies(&r->line, INSPECT_SPEC, "a spec")) return EXIT_USAGE;
    sotto_spec spec = inspect_options_spec(&r->line, &r->options);
    if (r->options.shuffle > 0) { /* --delta is for shuffling, unless the noise needs one */
        sotto_spec plain = spec;
        plain.delta = sotto_spec_default(spec.reward_kind).delta;
        if (sotto_spec_fault(&plain, &fault) == SOTTO_OK) spec = plain;
    }
    if (sotto_spec_fault(&spec, &fault) != SOTTO_OK) {
        option_refuse(&r->line, "", &fault);
        return EXIT_USAGE;
    }
    sotto_status status = sotto_spec_resolve(&spec, terms);
    if (status == SOTTO_OK) return EXIT_OK;
    option_say(&r->line, "spec: %s", sotto_status_text(status));
    return EXIT_FAILED;
}

static double shuffle_delta(const request *r)
{
    return GIVEN(r, spec.delta) ? r->options.spec.delta : 1e-6;
}

static bool can_shuffle(const request *r, const sotto_terms *terms)
{
    if (r->options.shuffle == 0) {
        return r->file == NULL || !GIVEN(r, spec.delta) ||
               option_say(&r->line, "--delta: with a spec from a file only beside --shuffle");
    }
    if (!sotto_shuffle_applies(terms)) {
        return option_say(&r->line, "--shuffle: %s", sotto_shuffle_text(terms));
    }
    double delta = shuffle_delta(r);
    return delta >= SOTTO_SHUFFLE_DELTA_MIN ||
           option_say(&r->line, "--delta = %g: allowed %g to 0.5 with --shuffle", delta,
                      SOTTO_SHUFFLE_DELTA_MIN);
}

static int show_spec(const request *r)
{
    sotto_terms terms;
    const char *out = r->options.out_file;
    int code = find_spec(r, &terms);
    if (code != EXIT_OK) return code;
    if (!can_shuffle(r, &terms)) return EXIT_USAGE;
    if (out != NULL && !write_spec(&r->line, out, &terms)) return EXIT_FAILED;
    facts list = facts_begin(r->options.json);
    inspect_spec_facts(&list, &terms);
    sotto_status status =
        r->options.shuffle == 0
            ? SOTTO_OK
            : inspect_shuffle_facts(&list, &terms, r->options.shuffle, shuffle_delta(r));
    facts_end(&list);
    return status == SOTTO_OK ? EXIT_OK : EXIT_FAILED;
}

/* ---- reports and models ------------------------------------------------------------------- */

/* Prints a report or a model. Decoding either needs the spec. */
static int show_frame(const request *r, bool is_model)
{
    const char *what = is_model ? "a model" : "a report", *spec_file = r->options.spec_file;
    if (!command_line_applies(&r->line, INSPECT_FRAME, what)) return EXIT_USAGE;
    if (r->file == NULL || spec_file == NULL) {
        option_say(&r->line, "%s: needs a FILE and --spec FILE", what);
        return EXIT_USAGE;
    }
    sotto_terms terms;
    if (!read_spec(&r->line, spec_file, &terms)) return EXIT_FAILED;
    sotto_report *report = NULL;
    sotto_model *model = NULL;
    size_t frame = is_model ? sotto_model_bytes(&terms) : sotto_report_bytes(&terms);
    size_t count = 0;
    bool good = false;
    uint8_t *bytes = malloc(frame + 1);
    sotto_status status = bytes == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
    if (status == SOTTO_OK) status = sotto_report_new(&terms, &report);
    if (status == SOTTO_OK) status = sotto_model_new(&terms, &model);
    if (status == SOTTO_OK) {
        if (!read_file(&r->line, r->file, bytes, frame + 1, &count)) goto cleanup;
        status = is_model ? sotto_model_decode(&terms, bytes, count, model)
                          : sotto_report_decode(&terms, bytes, count, report);
    }
    if (status != SOTTO_OK) {
        option_say(&r->line, "%s: %s", r->file, sotto_status_text(status));
        goto cleanup;
    }
    facts list = facts_begin(r->options.json);
    if (is_model) {
        inspect_model_facts(&list, &terms, model);
    } else {
        inspect_report_facts(&list, &terms, report);
    }
    facts_end(&list);
    good = true;
cleanup:
    sotto_model_free(model);
    sotto_report_free(report);
    free(bytes);
    return good ? EXIT_OK : EXIT_FAILED;
}

static int show_report(const request *r)
{
    return show_frame(r, false);
}

static int show_model(const request *r)
{
    return show_frame(r, true);
}

/* ---- tallies ------------------------------------------------------------------------------ */

/* The greatest size of a tally of these terms. */
static size_t tally_bytes_max(const sotto_terms *terms)
{
    size_t arms = terms->spec.arms;
    size_t sums = arms * terms->spec.dim + terms->lattice.dim;
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        sums += terms->codebook[phase].dim;
    }
    return 64 + 24 * (arms + 1) + 8 * sums;
}

static int show_tally(const request *r)
{
    if (!command_line_applies(&r->line, INSPECT_FRAME, "a tally")) return EXIT_USAGE;
    if (r->file == NULL || r->options.spec_file == NULL) {
        option_say(&r->line, "a tally: needs a FILE and --spec FILE");
        return EXIT_USAGE;
    }
    sotto_terms terms;
    sotto_tally *tally = NULL;
    size_t count = 0;
    if (!read_spec(&r->line, r->options.spec_file, &terms)) return EXIT_FAILED;
    size_t capacity = tally_bytes_max(&terms) + 1;
    uint8_t *bytes = malloc(capacity);
    sotto_status status = bytes == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
    if (status == SOTTO_OK && !read_file(&r->line, r->file, bytes, capacity, &count)) {
        free(bytes);
        return EXIT_FAILED;
    }
    if (status == SOTTO_OK) status = sotto_tally_decode(&terms, bytes, count, &tally);
    free(bytes);
    if (status != SOTTO_OK) {
        option_say(&r->line, "%s: %s", r->file, sotto_status_text(status));
        return EXIT_FAILED;
    }
    facts list = facts_begin(r->options.json);
    inspect_tally_facts(&list, tally);
    facts_end(&list);
    sotto_tally_free(tally);
    return EXIT_OK;
}

/* ---- codewords ---------------------------------------------------------------------------- */

static int show_codeword(const request *r)
{
    static const size_t needed[] = {
        offsetof(inspect_options, spec_id),  offsetof(inspect_options, nonce),
        offsetof(inspect_options, spec.dim), offsetof(inspect_options, codebook_size),
        offsetof(inspect_options, index),
    };
    const inspect_options *options = &r->options;
    if (!command_line_applies(&r->line, INSPECT_CODEWORD, "a codeword")) return EXIT_USAGE;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!option_is_there(&r->line, needed[i])) return EXIT_USAGE;
    }
    uint8_t id[SOTTO_SPEC_ID_BYTES], nonce[SOTTO_NONCE_BYTES], key[SOTTO_SPEC_ID_BYTES];
    if (!word_hex(options->spec_id, id, sizeof id) ||
        !word_hex(options->nonce, nonce, sizeof nonce)) {
        option_say(&r->line, "--spec-id, --nonce: each is 32 hexadecimal digits");
        return EXIT_USAGE;
    }
    sotto_codebook codebook = {
        .dim = options->spec.dim, .size = options->codebook_size, .groups = 1};
    if (codebook.size % 2 != 0 || options->index >= codebook.size) {
        option_say(&r->line,
                   "--codebook-size = %u, --index = %u: allowed an even size and an index below it",
                   codebook.size, options->index);
        return EXIT_USAGE;
    }
    int32_t codeword[SOTTO_DIM_MAX];
    sotto_stream_key_derive(id, key);
    sotto_status status =
        sotto_codebook_expand(&codebook, key, nonce, options->index, options->arm, codeword);
    if (status != SOTTO_OK) {
        option_say(&r->line, "codeword: %s", sotto_status_text(status));
        return EXIT_FAILED;
    }
    line_wholes(stdout, codeword, codebook.dim, options->json);
    return EXIT_OK;
}

/* ---- ledgers ------------------------------------------------------------------------------ */

static int show_ledger(const request *r)
{
    const double delta_default = 1e-5;
    sotto_fault fault;
    if (!command_line_applies(&r->line, INSPECT_LEDGER, "a ledger")) return EXIT_USAGE;
    if (r->file == NULL) {
        option_say(&r->line, "a ledger: needs a FILE");
        return EXIT_USAGE;
    }
    double delta = GIVEN(r, spec.delta) ? r->options.spec.delta : delta_default;
    if (inspect_ledger_print(r->file, delta, r->options.json, &fault) == SOTTO_OK) return EXIT_OK;
    option_say(&r->line, "%s: %s", r->file, fault.sentence);
    return EXIT_FAILED;
}

/* ---- the calibration ---------------------------------------------------------------------- */

static int show_calibration(const request *r)
{
    const sotto_spec *claim = &r->options.spec;
    bool given = GIVEN(r, spec.delta);
    if (!command_line_applies(&r->line, INSPECT_CALIBRATION, "the calibration")) return EXIT_USAGE;
    if (r->file != NULL || (given && !(claim->delta >= 1e-12))) {
        option_say(&r->line, "calibration: takes no FILE, and --delta from 1e-12");
        return EXIT_USAGE;
    }
    inspect_calibration(
        GIVEN(r, spec.epsilon) ? &claim->epsilon : NULL, given ? &claim->delta : NULL,
        GIVEN(r, spec.context_norm_max) ? &claim->context_norm_max : NULL, r->options.json);
    return EXIT_OK;
}

/* ---- the command -------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*show)(const request *r);
} subject[] = {
    {"spec", show_spec},
    {"report", show_report},
    {"model", show_model},
    {"tally", show_tally},
    {"codeword", show_codeword},
    {"ledger", show_ledger},
    {"calibration", show_calibration},
};

static const char *subject_name(uint32_t value)
{
    return value < sizeof subject / sizeof subject[0] ? subject[value].name : NULL;
}

static int run(const command *self, int argc, char **argv)
{
    request r = {0};
    sotto_fault fault;
    uint32_t which;
    if (!command_line_parse(&r.line, self, &r.options, argc, argv)) return EXIT_USAGE;
    if (r.line.words_count < 1 || r.line.words_count > 2) {
        option_say(
            &r.line,
            "name what to inspect: spec, report, model, tally, codeword, ledger or calibration");
        return EXIT_USAGE;
    }
    if (name_find(argv[0], subject_name, &which, &fault) != SOTTO_OK) {
        option_say(&r.line, "what = %s", fault.sentence);
        return EXIT_USAGE;
    }
    r.file = r.line.words_count == 2 ? argv[1] : NULL;
    return subject[which].show(&r);
}

const command command_inspect = {
    .name = "inspect",
    .summary = "explain a spec, model, report, tally, codeword or ledger",
    .usage =
        "sotto inspect spec [FILE | options] | report FILE | model FILE | tally FILE | codeword | "
        "ledger FILE | calibration",
    .example = "  sotto inspect spec --dim 20 --arms 5 --epsilon 1 --out experiment.spec\n"
               "  sotto inspect report one.report --spec experiment.spec\n"
               "  sotto inspect codeword --spec-id 000102030405060708090a0b0c0d0e0f "
               "--nonce 101112131415161718191a1b1c1d1e1f --dim 4 --codebook-size 64 --index 3\n"
               "  sotto inspect ledger person.ledger --delta 1e-6\n",
    .table = inspect_table,
    .words = subject_name,
    .files = true,
    .run = run,
};
