/* What `sotto privatise` prints. */
#include "cli/print/print.h"
#include "inner.h"

#include <math.h>

static const char *hex_text(const uint8_t *bytes, uint32_t count, char *text)
{
    for (uint32_t i = 0; i < count; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    return text;
}

enum { CONSTANTS = 8 };
static const print_column constant[CONSTANTS] = {
    {"spec_id", "spec_id", 0, 0, 0}, {"M", "M", 0, 0, 0},           {"k", "k", 0, 0, 0},
    {"w_top", "w_top", 0, 0, 0},     {"w_rest", "w_rest", 0, 0, 0}, {"B", "B", 0, 17, 0},
    {"sigma", "sigma", 0, 17, 0},    {"step", "step", 0, 17, 0},
};

void privatise_print_header(const sotto_mechanism *mechanism, bool json)
{
    const sotto_terms *spec = sotto_mechanism_terms(mechanism);
    const sotto_lattice *lattice = sotto_mechanism_lattice(mechanism);
    print_value value[CONSTANTS];
    char id[2 * SOTTO_SPEC_ID_BYTES + 1];
    for (uint32_t i = 0; i < CONSTANTS; i++) {
        value[i] = print_none();
    }
    if (spec != NULL) {
        const sotto_codebook *codebook = &spec->codebook[SOTTO_PHASE_MAIN];
        value[0] = print_text(hex_text(spec->id, SOTTO_SPEC_ID_BYTES, id));
        value[1] = print_natural(codebook->size);
        value[2] = print_natural(codebook->top);
        value[3] = print_natural(codebook->weight_top);
        value[4] = print_natural(codebook->weight_rest);
    }
    value[5] = print_real(sotto_mechanism_scale(mechanism));
    if (lattice != NULL) {
        value[6] = print_real(ldexp(lattice->scale_ticks, lattice->grid_log2));
        value[7] = print_real(ldexp(1, lattice->grid_log2));
    }
    if (json) {
        json_row(stdout, constant, value, CONSTANTS);
        return;
    }
    for (uint32_t i = 0; i < CONSTANTS; i++) {
        printf("%s %s=", i == 0 ? "#" : "", constant[i].key);
        table_cell(stdout, &constant[i], &value[i]);
    }
    printf("\n");
}

static void print_index(const sotto_report *report, bool json)
{
    static const print_column column[] = {{"nonce", NULL, 0, 0, 0}, {"index", NULL, 0, 0, 0}};
    char nonce[2 * SOTTO_NONCE_BYTES + 1];
    hex_text(report->nonce, SOTTO_NONCE_BYTES, nonce);
    if (!json) {
        printf("%s %d\n", nonce, report->value[0]);
        return;
    }
    const print_value value[] = {print_text(nonce), print_natural((uint64_t)report->value[0])};
    json_row(stdout, column, value, 2);
}

void privatise_print_report(const sotto_mechanism *mechanism, const privatise_options *options,
                            const double *estimate)
{
    const sotto_report *report = sotto_mechanism_report(mechanism);
    if (options->format == PRIVATISE_VECTOR) {
        line_reals(stdout, estimate, options->dim, options->json);
    } else if (sotto_mechanism_lattice(mechanism) != NULL) {
        line_wholes(stdout, report->value, options->dim, options->json);
    } else {
        print_index(report, options->json);
    }
}
