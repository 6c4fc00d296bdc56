/* From options to the settings of an audit. */
#include "cli/option/option.h"
#include "inner.h"

#include <stdlib.h>
#include <string.h>

/* The kinds of subject that an audit can have. */
enum { OF_MECHANISM = 1, OF_PROGRAM = 2, OF_PLUGIN = 4 };

#define FIELD(member) OPTION_FIELD(audit_options, member)
#define FIELD_OF(member, subjects) OPTION_FIELD_OF(audit_options, member, subjects)
#define GIVEN(member) OPTION_GIVEN(line, audit_options, member)
#define NEED(member) OPTION_NEED(line, audit_options, member)

/* A name, or the path of a plug-in. */
static sotto_status parse_mechanism(const option *row, const char *text, void *fields,
                                    sotto_fault *fault)
{
    audit_options *options = fields;
    uint32_t kind;
    free(options->custom);
    options->custom = NULL;
    if (plugin_is_path(text, strlen(text))) {
        return plugin_load(text, strlen(text), PLUGIN_MECHANISM, &options->custom, fault);
    }
    if (name_find(text, row->names, &kind, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    options->mechanism = (sotto_mechanism_kind)kind;
    return SOTTO_OK;
}

const option audit_table[] = {
    {"mechanism", FIELD_OF(mechanism, OF_MECHANISM | OF_PLUGIN),
     OPTION_NAME_OR_PLUGIN(NULL, names_of_mechanism, parse_mechanism), "what is audited",
     "a plug-in ./FILE.so, or a mechanism of the library"},
    {"exec", FIELD_OF(exec, OF_PROGRAM), OPTION_TEXT(NULL), "what is audited",
     "a shell command instead: one line of D numbers in, one line of numbers out"},
    {"dim", FIELD(dim), OPTION_NUMBER(NULL, 1, SOTTO_DIM_MAX), "what is audited",
     "numbers per line, needed"},
    {"radius", FIELD(radius), OPTION_NUMBER("1", 1e-6, 1e6), "what is audited",
     "longer vectors must be clipped to it"},
    {"codebook-size", FIELD_OF(codebook_size, OF_MECHANISM),
     OPTION_NUMBER(NULL, 2, SOTTO_CODEBOOK_SIZE_MAX), "what is audited",
     "M of codebook, even, default: chosen by epsilon"},
    {"epsilon", FIELD(epsilon), OPTION_NUMBER(NULL, 0.01, 50), "what it claims", "needed"},
    {"delta", FIELD(delta), OPTION_NUMBER(NULL, 0, 0.5), "what it claims",
     "default 0, for gaussian 1e-6; above 0 means a claim of Gaussian noise"},
    {"allow-weak-delta", FIELD(allow_weak_delta), OPTION_FLAG, "what it claims",
     "allow delta above 1e-6"},
    {"trials", FIELD(trials), OPTION_NUMBER("1000000", 1, 1e9), "how it is audited",
     "of each of 5 pairs of inputs"},
    {"alpha", FIELD(alpha), OPTION_NUMBER("0.01", 1e-5, 0.5), "how it is audited",
     "chance of a false alarm"},
    {"seed", FIELD(seed), OPTION_NUMBER(NULL, 0, 9007199254740992), "how it is audited",
     "makes the audit repeatable; default: the system's randomness"},
    {"timeout", FIELD_OF(timeout_s, OF_PROGRAM), OPTION_NUMBER("10", 0.01, 86400),
     "how it is audited", "seconds that CMD may spend without reading or printing"},
    {"json", FIELD(json), OPTION_FLAG, "output", "one JSON object"},
    {"quiet", FIELD(quiet), OPTION_FLAG, "output", "no progress"},
    OPTION_END,
};

static bool usable(const command_line *line, char **argv, bool custom)
{
    bool program = GIVEN(exec);
    if (line->words_count > 0) {
        return option_say(line, "%s: put the command to audit after --exec, in quotes", argv[0]);
    }
    if (!program && !GIVEN(mechanism)) {
        return option_say(line,
                          "--mechanism is needed: codebook, l2ball, privunit, gaussian, laplace "
                          "or ./FILE.so (--exec CMD audits a program instead)");
    }
    if (!NEED(dim) || !NEED(epsilon)) return false;
    if (custom && !program) return command_line_applies(line, OF_PLUGIN, "a plug-in");
    return command_line_applies(line, program ? OF_PROGRAM : OF_MECHANISM,
                                program ? "--exec" : "--mechanism");
}

bool audit_options_settings(const command_line *line, char **argv, const audit_options *options,
                            sotto_audit_settings *out)
{
    sotto_fault fault;
    if (!usable(line, argv, options->custom != NULL)) return false;
    sotto_mechanism_settings mechanism =
        sotto_mechanism_default(options->mechanism, options->dim, options->epsilon);
    mechanism.radius = options->radius;
    mechanism.allow_weak_delta = options->allow_weak_delta;
    mechanism.seeded = GIVEN(seed);
    mechanism.seed = options->seed;
    if (GIVEN(delta)) mechanism.delta = options->delta;
    if (GIVEN(codebook_size)) mechanism.codebook_size = options->codebook_size;
    *out = sotto_audit_default(&mechanism);
    out->command = options->exec;
    if (options->custom != NULL) out->custom = &options->custom->mechanism;
    out->trials = options->trials;
    out->alpha = options->alpha;
    out->timeout_s = options->timeout_s;
    return sotto_audit_fault(out, &fault) == SOTTO_OK || option_refuse(line, "", &fault);
}
