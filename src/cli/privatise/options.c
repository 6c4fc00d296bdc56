/* From options to the settings of a mechanism. */
#include "cli/option/option.h"
#include "inner.h"

#define FIELD(member) OPTION_FIELD(privatise_options, member)
#define GIVEN(member) OPTION_GIVEN(line, privatise_options, member)
#define NEED(member) OPTION_NEED(line, privatise_options, member)

static const char *format_name(uint32_t value)
{
    static const char *const name[] = {"vector", "raw"};
    return value < 2 ? name[value] : NULL;
}

const option privatise_table[] = {
    {"mechanism", FIELD(mechanism), OPTION_NAME(NULL, names_of_mechanism), "mechanism", "needed"},
    {"dim", FIELD(dim), OPTION_NUMBER(NULL, 1, SOTTO_DIM_MAX), "mechanism",
     "numbers per line, needed"},
    {"epsilon", FIELD(epsilon), OPTION_NUMBER(NULL, 0.01, 50), "mechanism",
     "of each report, needed; gaussian, laplace: to 50, others: to 8"},
    {"delta", FIELD(delta), OPTION_NUMBER(NULL, 0, 0.5), "mechanism",
     "of gaussian, default 1e-6; pure mechanisms meet every delta"},
    {"allow-weak-delta", FIELD(allow_weak_delta), OPTION_FLAG, "mechanism",
     "allow delta above 1e-6"},
    {"radius", FIELD(radius), OPTION_NUMBER("1", 1e-6, 1e6), "mechanism",
     "longer vectors are clipped to it"},
    {"codebook-size", FIELD(codebook_size), OPTION_NUMBER(NULL, 2, SOTTO_CODEBOOK_SIZE_MAX),
     "mechanism", "M of codebook, even, default: chosen by epsilon"},
    {"seed", FIELD(seed), OPTION_NUMBER(NULL, 0, 9007199254740992), "mechanism",
     "lab only: reproducible, not private"},
    {"count", FIELD(count), OPTION_NUMBER("1", 1, 1e15), "output", "reports per line"},
    {"format", FIELD(format), OPTION_NAME("vector", format_name), "output",
     "the unbiased estimate, or what is sent: nonce and index, or ticks"},
    {"header", FIELD(header), OPTION_FLAG, "output", "first print the constants in a # line"},
    {"json", FIELD(json), OPTION_FLAG, "output", "one JSON array or object per report"},
    {"quiet", FIELD(quiet), OPTION_FLAG, "output", "no progress, no warning"},
    OPTION_END,
};

bool privatise_options_settings(const command_line *line, char **argv,
                                const privatise_options *options, sotto_mechanism_settings *out)
{
    sotto_fault fault;
    if (line->words_count > 0) {
        return option_say(line, "%s: unexpected word; vectors are read from the standard input",
                          argv[0]);
    }
    if (!NEED(mechanism) || !NEED(dim) || !NEED(epsilon)) return false;
    if (options->format == PRIVATISE_RAW && options->mechanism == SOTTO_MECHANISM_PRIVUNIT) {
        return option_say(line, "--format = raw: privunit has no report, use vector");
    }
    *out = sotto_mechanism_default(options->mechanism, options->dim, options->epsilon);
    out->radius = options->radius;
    out->allow_weak_delta = options->allow_weak_delta;
    out->seeded = GIVEN(seed);
    out->seed = options->seed;
    if (GIVEN(delta)) out->delta = options->delta;
    if (GIVEN(codebook_size)) out->codebook_size = options->codebook_size;
    return sotto_mechanism_fault(out, &fault) == SOTTO_OK || option_refuse(line, "", &fault);
}
