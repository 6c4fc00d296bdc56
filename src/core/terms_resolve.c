/*
 * From a spec to its terms: the constants that follow from it.
 *
 * They are computed once, where the spec is created, and travel with it, so that all machines use
 * the same; sotto_terms_check computes the ones that privacy rests on again and refuses weaker
 * ones. k, B and M only matter for utility and are taken as given.
 *
 * B and along_weight are rounded to 40 significant bits, in which glibc and wasi-libc agree, so that a
 * spec has one id on both. There are nulls where they make reports vary less.
 */
#include "core.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* M = 64 for eps <= 2, 256 for eps <= 5, 1024 above. M = 2 is the l2-ball of ldp-sgd, and suffices
 * for a reward. */
static uint32_t codebook_size(const sotto_spec *spec)
{
    const sotto__method *method = sotto__method_of(spec);
    if (method->l2ball || method->one_for_all) return 2;
    if (spec->epsilon <= 2) return 64;
    return spec->epsilon <= 5 ? 256 : 1024;
}

static bool may_use_tags(const sotto_spec *spec)
{
    return sotto__method_of(spec)->unit_score && spec->parameters == SOTTO_PARAMETERS_PER_ARM;
}

/* Tags pay once 0.3 (e^eps - 1) >= K. */
static bool uses_tags(const sotto_spec *spec)
{
    return may_use_tags(spec) && 0.3 * expm1(spec->epsilon) >= spec->arms;
}

/* M_G: 256 or 1024, rounded up to a multiple of 2K. */
static uint32_t tagged_size(const sotto_spec *spec)
{
    uint32_t size = spec->epsilon <= 5 ? 256 : 1024;
    uint32_t step = 2 * spec->arms;
    return (size + step - 1) / step * step;
}

/* Coordinates of a codeword: joint ldp-sgd hides the arm in one codebook over all arms' blocks. */
static uint32_t codeword_dim(const sotto_spec *spec, sotto_phase phase)
{
    bool joint = phase == SOTTO_PHASE_MAIN && sotto__method_of(spec)->l2ball &&
                 spec->parameters == SOTTO_PARAMETERS_PER_ARM && spec->split == SOTTO_SPLIT_JOINT;
    return joint ? spec->arms * spec->dim : sotto__statistic_dim(spec);
}

static void resolve_codebooks(const sotto_spec *spec, uint32_t size, sotto_codebook *codebook)
{
    for (int phase = 0; phase < SOTTO_PHASE_MEAN; phase++) {
        bool tagged = phase == SOTTO_PHASE_MAIN && uses_tags(spec);
        uint32_t dim = codeword_dim(spec, (sotto_phase)phase);
        if (phase > 0 && !tagged && dim == codebook[0].dim) {
            codebook[phase] = codebook[0];
            continue;
        }
        codebook[phase] = sotto_codebook_constants(dim, tagged ? tagged_size(spec) : size,
                                                   tagged ? spec->arms : 1, spec->epsilon);
    }
}

double sotto__score_size(const sotto_spec *spec, sotto_phase phase)
{
    if (spec->parameters == SOTTO_PARAMETERS_PER_ARM) {
        return phase == SOTTO_PHASE_WARM_UP ? fmin(1, 2.0 / spec->arms) : 0.3;
    }
    double rate = spec->reward_rate;
    return rate == 0 ? 1 : 2 * rate * (1 - rate) / fmax(rate, 1 - rate);
}

/* A plain codebook, or one with nulls if its reports vary less. Scores of size 1 need no nulls: if
 * such a codebook seems better for them, the reason is its 1024 codewords. */
static sotto_codebook quieter(const sotto_spec *spec, const sotto_codebook *plain, double size)
{
    if (size >= 1) return *plain;
    sotto_codebook with =
        sotto__codebook_with_nulls(plain->dim, plain->groups, spec->epsilon, size);
    double variance = sotto__codebook_variance(&with, spec->epsilon, size);
    return variance < plain->scale * plain->scale ? with : *plain;
}

/* Signs or tags of per-arm scores `self`: tags iff B_G^2 q_G < K B^2 q. */
static sotto_codebook signs_or_tags(const sotto_spec *spec, const sotto_codebook *signs,
                                    double size)
{
    sotto_codebook plain =
        sotto_codebook_constants(signs->dim, tagged_size(spec), spec->arms, spec->epsilon);
    sotto_codebook tags = quieter(spec, &plain, size);
    double tagged = sotto__codebook_variance(&tags, spec->epsilon, size);
    double signed_ = spec->arms * sotto__codebook_variance(signs, spec->epsilon, size);
    return tagged < signed_ ? tags : *signs;
}

/* Half to even. */
static double to_40_bits(double x)
{
    if (x == 0 || !isfinite(x)) return x;
    int lowest = ilogb(x) - 39;
    return scalbn(rint(scalbn(x, -lowest)), lowest);
}

/* Adds to plain codebooks the mean phase, nulls, and rounding to 40 bits. */
static void refine(const sotto_spec *spec, sotto_terms *terms)
{
    sotto_codebook *codebook = terms->codebook;
    if (sotto__phase_exists(spec, SOTTO_PHASE_MEAN)) {
        codebook[SOTTO_PHASE_MEAN] = codebook[SOTTO_PHASE_WARM_UP];
    }
    if (sotto__phase_may_have_nulls(spec, SOTTO_PHASE_MAIN)) {
        double size = sotto__score_size(spec, SOTTO_PHASE_MAIN);
        const sotto_codebook plain = codebook[SOTTO_PHASE_WARM_UP]; /* never with tags */
        codebook[SOTTO_PHASE_MAIN] = quieter(spec, &plain, size);
        if (may_use_tags(spec)) {
            codebook[SOTTO_PHASE_MAIN] = signs_or_tags(spec, &codebook[SOTTO_PHASE_MAIN], size);
        }
    }
    if (sotto__phase_may_have_nulls(spec, SOTTO_PHASE_WARM_UP)) {
        codebook[SOTTO_PHASE_WARM_UP] = quieter(spec, &codebook[SOTTO_PHASE_WARM_UP],
                                                sotto__score_size(spec, SOTTO_PHASE_WARM_UP));
    }
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        codebook[phase].scale = to_40_bits(codebook[phase].scale);
    }
    terms->along_weight = to_40_bits(terms->along_weight);
}

static double reward_max(const sotto_spec *spec)
{
    double bound = sotto__reward_bound(spec);
    /* The GLOC pair carries a residual, which may be twice as long as a reward. */
    return spec->score == SOTTO_SCORE_GLOC_PAIR ? 2 * bound : bound;
}

/* The moments (svec(x x'), lambda r x) of one arm, and what their noise must hide. */
static sotto__lattice_need lattice_need(const sotto_spec *spec)
{
    double bound = spec->context_norm_max, weight = sotto__method_of(spec)->moment_weight;
    double reward = reward_max(spec);
    bool laplace = spec->noise_law == SOTTO_NOISE_LAPLACE;
    return (sotto__lattice_need){
        .law = spec->noise_law,
        .epsilon = spec->epsilon,
        .delta = spec->delta,
        .diameter = laplace ? sotto__moments_diameter_l1(spec->dim, bound, reward, weight)
                            : sotto__moments_diameter(bound, reward, weight),
        .dim = sotto__statistic_dim(spec),
        .coordinate_max = fmax(bound * bound, weight * reward * bound),
    };
}

static uint32_t lattice_dim(const sotto_spec *spec)
{
    uint32_t blocks = spec->parameters == SOTTO_PARAMETERS_PER_ARM ? spec->arms : 1;
    return sotto__statistic_dim(spec) * blocks;
}

static sotto_lattice resolve_lattice(const sotto_spec *spec)
{
    sotto__lattice_need need = lattice_need(spec);
    sotto_lattice lattice = sotto__lattice_constants(&need);
    lattice.dim = lattice_dim(spec);
    return lattice;
}

/* What a score keeps of x along the deciding direction, by measurement: see sotto__score_along. */
static double along_weight(const sotto_spec *spec)
{
    if (!sotto__method_of(spec)->unit_score) return 1;
    if (spec->parameters == SOTTO_PARAMETERS_PER_ARM) return 1;
    return spec->score != SOTTO_SCORE_SELF && spec->dim <= 4 ? 0.3 : 0.5;
}

/* Size 0 means the size of the rule. */
sotto_status sotto__spec_resolve_sized(const sotto_spec *spec, uint32_t size, sotto_terms *out)
{
    if (spec == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    sotto_status status = sotto_spec_fault(spec, NULL);
    if (status != SOTTO_OK) return status;

    sotto_terms terms;
    memset(&terms, 0, sizeof terms);
    terms.spec = *spec;
    terms.along_weight = along_weight(spec);
    if (sotto__method_of(spec)->lattice) {
        terms.lattice = resolve_lattice(spec);
    } else {
        resolve_codebooks(spec, size == 0 ? codebook_size(spec) : size, terms.codebook);
    }
    refine(spec, &terms);
    sotto__terms_name(&terms);
    *out = terms;
    return SOTTO_OK;
}

sotto_status sotto_spec_resolve(const sotto_spec *spec, sotto_terms *out)
{
    return sotto__spec_resolve_sized(spec, 0, out);
}

bool sotto_terms_reports_indices(const sotto_terms *terms)
{
    return terms != NULL && sotto__reports_indices(terms);
}

/* Privacy rests on the ratio of the two weights alone, in both directions. */
static sotto_status weights_check(const sotto_codebook *codebook, const sotto_spec *spec,
                                  sotto_fault *fault)
{
    uint64_t top = codebook->weight_top, rest = codebook->weight_rest;
    uint64_t top_max = sotto__weight_top_max(spec->epsilon);
    if (rest != SOTTO__WEIGHT_REST) {
        sotto__fault_at(fault, "weight_rest", "%" PRIu64 ": must be 2^28", rest);
        return SOTTO_E_WEAK;
    }
    if (top < rest || top > top_max) {
        sotto__fault_at(fault, "weight_top", "%" PRIu64 ": epsilon %.15g allows 2^28 to %" PRIu64,
                        top, spec->epsilon, top_max);
        return SOTTO_E_WEAK;
    }
    return SOTTO_OK;
}

/* Why sotto__phase_may_have_nulls is false. */
static const char *nulls_refused(const sotto_spec *spec, sotto_phase phase)
{
    if (spec->split == SOTTO_SPLIT_PER_ARM) return "split codebooks have none";
    if (phase == SOTTO_PHASE_MEAN) return "the mean phase has none";
    if (sotto__method_averages(spec)) return "the averaged estimator has none";
    if (!sotto__phase_exists(spec, phase)) return "there is no such phase";
    return "only score self of method sotto has some";
}

/* Every number of a codebook within its bounds, whatever its utility. */
static sotto_status codebook_check(const sotto_codebook *codebook, const sotto_spec *spec,
                                   sotto_phase phase, sotto_fault *fault)
{
    uint32_t dim = codeword_dim(spec, phase), size = codebook->size, groups = codebook->groups;
    bool may_tag = phase == SOTTO_PHASE_MAIN && may_use_tags(spec);
    sotto_status status = SOTTO_E_FAULT;
    if (groups != 1 && !(may_tag && groups == spec->arms)) {
        sotto__fault_at(fault, "groups", "%u: allowed 1, or arms with tags", groups);
    } else if (codebook->dim != dim) {
        sotto__fault_at(fault, "dim", "%u: must be %u", codebook->dim, dim);
    } else if (size < 2 || size > SOTTO_CODEBOOK_SIZE_MAX || size % (2 * groups) != 0) {
        sotto__fault_at(fault, "size", "%u: allowed 2 to %u, a multiple of %u", size,
                        SOTTO_CODEBOOK_SIZE_MAX, 2 * groups);
    } else if (sotto__method_of(spec)->one_for_all && size != 2) {
        sotto__fault_at(fault, "size", "%u: must be 2, a reward has two codewords", size);
    } else if (codebook->top < 1 || codebook->top > size / (2 * groups)) {
        sotto__fault_at(fault, "top", "%u: allowed 1 to %u", codebook->top, size / 2 / groups);
    } else if (codebook->nulls != 0 && !sotto__phase_may_have_nulls(spec, (uint32_t)phase)) {
        sotto__fault_at(fault, "nulls", "%u: must be 0, %s", codebook->nulls,
                        nulls_refused(spec, phase));
    } else if (codebook->nulls != 0 && codebook->nulls != codebook->top) {
        sotto__fault_at(fault, "nulls", "%u: allowed 0 or %u (top)", codebook->nulls,
                        codebook->top);
    } else if (!(codebook->scale >= 1 && isfinite(codebook->scale))) {
        sotto__fault_at(fault, "scale", "%.15g: allowed finite, at least 1", codebook->scale);
    } else {
        status = weights_check(codebook, spec, fault);
    }
    if (status != SOTTO_OK) sotto__fault_within(fault, "%s ", sotto_phase_name(phase));
    return status;
}

static sotto_status lattice_check(const sotto_lattice *lattice, const sotto_spec *spec,
                                  sotto_fault *fault)
{
    if (lattice->dim != lattice_dim(spec)) {
        sotto__fault_at(fault, "dim", "%u: must be %u", lattice->dim, lattice_dim(spec));
        return sotto__fault_within(fault, "lattice ");
    }
    sotto__lattice_need need = lattice_need(spec);
    return sotto__lattice_check(lattice, &need, fault);
}

/* Whether the constants of a phase are used. Those of warm-up stand in all terms with codebooks. */
static bool phase_is_used(const sotto_terms *terms, int phase)
{
    if (!sotto_terms_reports_indices(terms)) return false;
    return phase != SOTTO_PHASE_MEAN || sotto__phase_exists(&terms->spec, SOTTO_PHASE_MEAN);
}

/* Compares field by field, because padding may hold anything. -0 has other bytes than 0. */
static bool codebook_is_zero(const sotto_codebook *c)
{
    bool whole = c->dim != 0 || c->size != 0 || c->groups != 0 || c->top != 0 || c->nulls != 0;
    return !whole && c->weight_top == 0 && c->weight_rest == 0 && c->scale == 0 &&
           !signbit(c->scale);
}

static bool lattice_is_zero(const sotto_lattice *l)
{
    return l->dim == 0 && l->grid_log2 == 0 && l->scale_ticks == 0 && l->clip_ticks == 0;
}

/* Constants that this method does not use must be 0. */
static sotto_status unused_fault(const sotto_terms *terms, sotto_fault *fault)
{
    const char *method = sotto_method_name(terms->spec.method);
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        if (phase_is_used(terms, phase) || codebook_is_zero(&terms->codebook[phase])) continue;
        sotto__fault_at(fault, "codebook", ": must be 0, these terms of %s use none", method);
        return sotto__fault_within(fault, "phase %s: ", sotto_phase_name((sotto_phase)phase));
    }
    if (!sotto_terms_reports_indices(terms) || lattice_is_zero(&terms->lattice)) return SOTTO_OK;
    return sotto__fault_at(fault, "lattice", ": must be 0, method %s uses none", method);
}

static sotto_status mechanism_check(const sotto_terms *terms, sotto_fault *fault)
{
    if (!sotto_terms_reports_indices(terms)) {
        return lattice_check(&terms->lattice, &terms->spec, fault);
    }
    sotto_status status = SOTTO_OK;
    for (int phase = 0; phase < SOTTO_PHASES && status == SOTTO_OK; phase++) {
        if (!phase_is_used(terms, phase)) continue;
        status = codebook_check(&terms->codebook[phase], &terms->spec, (sotto_phase)phase, fault);
    }
    return status;
}

static sotto_status examine(const sotto_terms *terms, sotto_fault *fault)
{
    sotto_status status = sotto_spec_fault(&terms->spec, fault);
    if (status != SOTTO_OK) return status;
    if (!(terms->along_weight >= 0 && terms->along_weight <= 1)) {
        return sotto__fault_at(fault, "along_weight", "%.15g: allowed 0 to 1", terms->along_weight);
    }
    status = unused_fault(terms, fault);
    if (status == SOTTO_OK) status = mechanism_check(terms, fault);
    if (status != SOTTO_OK) return status;

    sotto_terms renamed = *terms;
    sotto__terms_name(&renamed);
    if (memcmp(renamed.id, terms->id, sizeof renamed.id) != 0 ||
        memcmp(renamed.stream_key, terms->stream_key, sizeof renamed.stream_key) != 0) {
        sotto__fault_at(fault, "id, stream_key", ": not those of these terms");
        return SOTTO_E_SPEC;
    }
    return SOTTO_OK;
}

sotto_status sotto_terms_check(const sotto_terms *terms)
{
    return sotto_terms_fault(terms, NULL);
}

sotto_status sotto_terms_fault(const sotto_terms *terms, sotto_fault *fault)
{
    if (terms == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    return examine(terms, fault);
}
