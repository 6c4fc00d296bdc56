/* Constants that follow from a spec, and constants that protect less than it promises. */
#include "test.h"

#include "core/core.h"

#include <math.h>
#include <string.h>

static sotto_spec of(sotto_method method, sotto_parameters parameters)
{
    static const sotto_score score[] = {SOTTO_SCORE_SIGN,     SOTTO_SCORE_MOMENTS,
                                        SOTTO_SCORE_GRADIENT, SOTTO_SCORE_MOMENTS,
                                        SOTTO_SCORE_MOMENTS,  SOTTO_SCORE_GLOC_PAIR};
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = method, spec.score = score[method], spec.parameters = parameters;
    spec.delta = method >= SOTTO_METHOD_LDP_OLS ? 1e-6 : 0;
    return spec;
}

static sotto_terms resolved_of(sotto_spec spec)
{
    return resolved(&spec);
}

static sotto_terms tagged(void)
{
    sotto_spec spec = of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_PER_ARM);
    spec.epsilon = 5, spec.arms = 3;
    return resolved_of(spec);
}

TEST(a_spec_with_a_fault_is_not_resolved)
{
    sotto_spec faulty[4];
    for (int i = 0; i < 4; i++) {
        faulty[i] = of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_SHARED);
    }
    faulty[0].dim = 0;
    faulty[1].epsilon = NAN;
    faulty[2].epsilon = 8.1;
    faulty[3].method = (sotto_method)99;
    sotto_terms out, before;
    assert_status(sotto__spec_resolve_sized(NULL, 64, &out), SOTTO_E_ARGUMENT);
    for (int i = 0; i < 4; i++) {
        memset(&out, 0xab, sizeof out);
        memcpy(&before, &out, sizeof out);
        assert_status(sotto_spec_resolve(&faulty[i], &out), SOTTO_E_FAULT);
        assert_memory_equal(&out, &before, sizeof out);
        sotto_terms terms = resolved_of(of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_SHARED));
        terms.spec = faulty[i];
        assert_status(sotto_terms_check(&terms), SOTTO_E_FAULT);
    }
}

/* One field changed and the spec named anew, so that only the constant itself can be at fault. */
#define ASSERT_CHECK(base, field, value, status)                                                   \
    do {                                                                                           \
        sotto_terms changed_ = (base);                                                             \
        changed_.field = (value);                                                                  \
        sotto__terms_name(&changed_);                                                              \
        assert_status(sotto_terms_check(&changed_), (status));                                     \
    } while (0)

/* The same, and the sentence that tells. */
#define ASSERT_TOLD(base, field, value, sentence)                                                  \
    do {                                                                                           \
        sotto_terms changed_ = (base);                                                             \
        sotto_fault fault_;                                                                        \
        changed_.field = (value);                                                                  \
        sotto__terms_name(&changed_);                                                              \
        assert_fault_says(sotto_terms_fault(&changed_, &fault_), fault_, sentence);                \
    } while (0)

TEST(each_constant_at_fault_is_named_with_value_and_range)
{
    const sotto_terms r = resolved_of(of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_SHARED));
    ASSERT_TOLD(r, spec.dim, 0, "dim = 0: allowed 1 to 1024");
    ASSERT_TOLD(r, along_weight, 2, "along_weight = 2: allowed 0 to 1");
    ASSERT_TOLD(r, lattice.dim, 3, "lattice: must be 0, method sotto uses none");
    ASSERT_TOLD(r, lattice.grid_log2, -3, "lattice: must be 0, method sotto uses none");
    ASSERT_TOLD(r, codebook[SOTTO_PHASE_MEAN].scale, 1,
                "phase mean: codebook: must be 0, these terms of sotto use none");
    ASSERT_TOLD(r, codebook[1].groups, 2, "main groups = 2: allowed 1, or arms with tags");
    ASSERT_TOLD(r, codebook[1].dim, 11, "main dim = 11: must be 10");
    ASSERT_TOLD(r, codebook[0].size, 63, "warm-up size = 63: allowed 2 to 4096, a multiple of 2");
    ASSERT_TOLD(r, codebook[1].top, 33, "main top = 33: allowed 1 to 32");
    ASSERT_TOLD(r, codebook[1].scale, 0.5, "main scale = 0.5: allowed finite, at least 1");
    ASSERT_TOLD(r, codebook[1].weight_rest, 7, "main weight_rest = 7: must be 2^28");
    ASSERT_TOLD(r, codebook[1].weight_top, 729683223,
                "main weight_top = 729683223: epsilon 1 allows 2^28 to 729683222");
    const sotto_terms l = resolved_of(of(SOTTO_METHOD_LDP_OLS, SOTTO_PARAMETERS_SHARED));
    ASSERT_TOLD(l, lattice.grid_log2, 61, "lattice grid_log2 = 61: allowed -60 to 60");
    ASSERT_TOLD(l, lattice.scale_ticks, 1, "lattice scale_ticks = 1: allowed 2^10 to 2^24");
    ASSERT_TOLD(l, lattice.dim, 1, "lattice dim = 1: must be 65");
    sotto_terms renamed = r;
    sotto_fault fault;
    renamed.id[0] ^= 1;
    assert_fault_says(sotto_terms_fault(&renamed, &fault), fault,
                      "id, stream_key: not those of these terms");
    assert_ok(sotto_terms_fault(&r, &fault));
}

TEST(weights_that_protect_less_are_weak)
{
    const uint64_t rest = SOTTO__WEIGHT_REST;
    const sotto_terms all[] = {resolved_of(of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_SHARED)),
                               resolved_of(of(SOTTO_METHOD_LDP_SGD, SOTTO_PARAMETERS_PER_ARM)),
                               tagged()};
    for (size_t i = 0; i < 3 * SOTTO_PHASE_MEAN; i++) {
        const sotto_terms r = all[i / SOTTO_PHASE_MEAN];
        const int p = (int)(i % SOTTO_PHASE_MEAN);
        const uint64_t most = sotto__weight_top_max(r.spec.epsilon);
        ASSERT_CHECK(r, codebook[p].weight_top, most, SOTTO_OK);
        ASSERT_CHECK(r, codebook[p].weight_top, most + 1, SOTTO_E_WEAK);
        ASSERT_CHECK(r, codebook[p].weight_top, UINT64_MAX, SOTTO_E_WEAK);
        ASSERT_CHECK(r, codebook[p].weight_top, rest, SOTTO_OK);
        ASSERT_CHECK(r, codebook[p].weight_top, rest - 1, SOTTO_E_WEAK);
        ASSERT_CHECK(r, codebook[p].weight_top, 0, SOTTO_E_WEAK);
        ASSERT_CHECK(r, codebook[p].weight_rest, rest + 1, SOTTO_E_WEAK);
        ASSERT_CHECK(r, codebook[p].weight_rest, rest - 1, SOTTO_E_WEAK);
        ASSERT_CHECK(r, codebook[p].weight_rest, 0, SOTTO_E_WEAK);
    }
    ASSERT_CHECK(all[0], spec.epsilon, 0.999, SOTTO_E_WEAK);
    ASSERT_CHECK(all[0], spec.epsilon, 1.001, SOTTO_OK);
}

TEST(codebooks_of_a_wrong_shape_are_faults)
{
    const sotto_terms r = resolved_of(of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_SHARED));
    static const uint32_t sizes[] = {0, 1, 45, 63, 65, 4098, UINT32_MAX};
    static const uint32_t groups[] = {0, 2, 10, 1u << 31, UINT32_MAX};
    static const double scales[] = {0, -0.0, 0.999, -8, NAN, INFINITY, 5e-324};
    for (int p = 0; p < SOTTO_PHASE_MEAN; p++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            ASSERT_CHECK(r, codebook[p].size, sizes[i], SOTTO_E_FAULT);
        }
        for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
            ASSERT_CHECK(r, codebook[p].groups, groups[i], SOTTO_E_FAULT);
        }
        for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
            ASSERT_CHECK(r, codebook[p].scale, scales[i], SOTTO_E_FAULT);
        }
        ASSERT_CHECK(r, codebook[p].dim, 11, SOTTO_E_FAULT);
        ASSERT_CHECK(r, codebook[p].top, 0, SOTTO_E_FAULT);
        ASSERT_CHECK(r, codebook[p].top, 32, SOTTO_OK);
        ASSERT_CHECK(r, codebook[p].top, 33, SOTTO_E_FAULT);
        ASSERT_CHECK(r, codebook[p].top, UINT32_MAX, SOTTO_E_FAULT);
    }
    const sotto_terms t = tagged();
    ASSERT_CHECK(t, codebook[SOTTO_PHASE_MAIN].top, 43, SOTTO_OK);
    ASSERT_CHECK(t, codebook[SOTTO_PHASE_MAIN].top, 44, SOTTO_E_FAULT);
    ASSERT_CHECK(t, codebook[SOTTO_PHASE_MAIN].groups, 2, SOTTO_E_FAULT);
    ASSERT_CHECK(t, codebook[SOTTO_PHASE_MAIN].size, 256, SOTTO_E_FAULT);
    ASSERT_CHECK(t, codebook[SOTTO_PHASE_WARM_UP].groups, 3, SOTTO_E_FAULT);
}

TEST(lattices_that_protect_less_are_weak_or_faults)
{
    const sotto_terms r = resolved_of(of(SOTTO_METHOD_LDP_OLS, SOTTO_PARAMETERS_SHARED));
    const uint32_t ticks = r.lattice.scale_ticks;
    ASSERT_CHECK(r, lattice.scale_ticks, ticks - 1, SOTTO_OK); /* made one larger than needed */
    ASSERT_CHECK(r, lattice.scale_ticks, ticks - 2, SOTTO_E_WEAK);
    ASSERT_CHECK(r, lattice.scale_ticks, 1u << 10, SOTTO_E_WEAK);
    ASSERT_CHECK(r, lattice.scale_ticks, (1u << 10) - 1, SOTTO_E_FAULT);
    ASSERT_CHECK(r, lattice.scale_ticks, 0, SOTTO_E_FAULT);
    ASSERT_CHECK(r, lattice.scale_ticks, 1u << 24, SOTTO_OK);
    ASSERT_CHECK(r, lattice.scale_ticks, (1u << 24) + 1, SOTTO_E_FAULT);
    ASSERT_CHECK(r, lattice.clip_ticks, r.lattice.clip_ticks + 1, SOTTO_E_FAULT);
    ASSERT_CHECK(r, lattice.clip_ticks, r.lattice.clip_ticks - 1, SOTTO_E_FAULT);
    ASSERT_CHECK(r, lattice.dim, r.lattice.dim - 1, SOTTO_E_FAULT);
    ASSERT_CHECK(r, lattice.dim, r.lattice.dim + 1, SOTTO_E_FAULT);
    static const int32_t grids[] = {-61, 61, INT32_MIN, INT32_MAX, 0};
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
        ASSERT_CHECK(r, lattice.grid_log2, grids[i], SOTTO_E_FAULT);
    }
    ASSERT_CHECK(r, spec.epsilon, 0.99, SOTTO_E_WEAK);
    ASSERT_CHECK(r, spec.delta, 1e-7, SOTTO_E_WEAK);
    ASSERT_CHECK(r, spec.reward_hi, 2, SOTTO_E_FAULT); /* clips otherwise */

    sotto_terms finer = r; /* the same ticks on a grid of half the size: half the noise */
    finer.lattice.grid_log2--;
    finer.lattice.clip_ticks *= 2;
    sotto__terms_name(&finer);
    assert_status(sotto_terms_check(&finer), SOTTO_E_WEAK);
}

TEST(constants_of_the_other_mechanism_must_be_zero)
{
    const sotto_terms c = resolved_of(of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_SHARED));
    const sotto_terms l = resolved_of(of(SOTTO_METHOD_LDP_UCB, SOTTO_PARAMETERS_SHARED));
    ASSERT_CHECK(c, lattice.dim, 1, SOTTO_E_FAULT);
    ASSERT_CHECK(c, lattice.clip_ticks, 1, SOTTO_E_FAULT);
    ASSERT_CHECK(l, codebook[0].size, 2, SOTTO_E_FAULT);
    ASSERT_CHECK(l, codebook[1].scale, 1, SOTTO_E_FAULT);
    ASSERT_CHECK(c, along_weight, NAN, SOTTO_E_FAULT);
    ASSERT_CHECK(c, along_weight, -0.1, SOTTO_E_FAULT);
    ASSERT_CHECK(c, along_weight, 1.1, SOTTO_E_FAULT);
    ASSERT_CHECK(c, along_weight, 0, SOTTO_OK);
}

TEST(a_name_that_is_not_its_own_is_of_another_spec)
{
    const sotto_terms r = resolved_of(of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_SHARED));
    for (size_t i = 0; i < SOTTO_SPEC_ID_BYTES; i++) {
        sotto_terms id = r, key = r;
        id.id[i] ^= 1;
        key.stream_key[i] ^= 0x80;
        assert_status(sotto_terms_check(&id), SOTTO_E_SPEC);
        assert_status(sotto_terms_check(&key), SOTTO_E_SPEC);
    }
    sotto_terms renamed = r; /* a field that no constant depends on, with the old name */
    renamed.spec.theta_norm_max = 2;
    assert_status(sotto_terms_check(&renamed), SOTTO_E_SPEC);
}

TEST(the_codebook_grows_with_epsilon)
{
    static const struct {
        double epsilon;
        uint32_t size;
    } wanted[] = {{0.01, 64}, {2, 64}, {2.0001, 256}, {5, 256}, {5.0001, 1024}, {8, 1024}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto_spec spec = of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_SHARED);
        spec.epsilon = wanted[i].epsilon;
        assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MAIN].size, wanted[i].size);
        assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_WARM_UP].size, wanted[i].size);
        spec = of(SOTTO_METHOD_LDP_SGD, SOTTO_PARAMETERS_SHARED);
        spec.epsilon = wanted[i].epsilon;
        assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MAIN].size, 2);
    }
    sotto_spec spec = of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_SHARED);
    sotto_terms sized;
    assert_ok(sotto__spec_resolve_sized(&spec, SOTTO_CODEBOOK_SIZE_MAX, &sized));
    assert_int_equal(sized.codebook[SOTTO_PHASE_MAIN].size, SOTTO_CODEBOOK_SIZE_MAX);
    assert_ok(sotto_terms_check(&sized));
}

/* Tags: G = K if 0.3 (e^eps - 1) >= K; M_G = 256 or 1024 rounded up to a multiple of 2K. */
TEST(tags_are_used_where_they_pay)
{
    static const uint32_t arms[] = {2, 3, 7, 44, 45, 300, 894, 895};
    for (size_t i = 0; i < 8 * 32; i++) {
        sotto_spec spec = of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_PER_ARM);
        spec.arms = arms[i / 32], spec.epsilon = 0.25 * (double)(i % 32 + 1);
        const uint32_t base = spec.epsilon <= 5 ? 256 : 1024, step = 2 * spec.arms;
        const bool pays = 0.3 * (exp(spec.epsilon) - 1) >= spec.arms;
        const sotto_terms r = resolved_of(spec);
        const sotto_codebook *main = &r.codebook[SOTTO_PHASE_MAIN];
        assert_ints(main->groups, pays ? spec.arms : 1, r.codebook[SOTTO_PHASE_WARM_UP].groups, 1);
        if (!pays) continue;
        assert_int_equal(main->size % step, 0);
        assert_true(main->size >= base && main->size < base + step);
        sotto_codebook wanted =
            sotto_codebook_constants(spec.dim, main->size, spec.arms, spec.epsilon);
        assert_ints(main->dim, wanted.dim, main->top, wanted.top, main->nulls, wanted.nulls,
                    main->weight_top, wanted.weight_top, main->weight_rest, wanted.weight_rest);
        assert_near(main->scale, wanted.scale, wanted.scale * 0x1p-40);
    }
}

TEST(codewords_have_the_dimension_of_what_they_hide)
{
    sotto_spec spec = of(SOTTO_METHOD_LDP_SGD, SOTTO_PARAMETERS_PER_ARM);
    spec.dim = 6, spec.arms = 5;
    assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_WARM_UP].dim, 6);
    assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MAIN].dim, 30); /* joint */
    spec.split = SOTTO_SPLIT_PER_ARM;
    assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MAIN].dim, 6);
    spec = of(SOTTO_METHOD_LDP_SGD, SOTTO_PARAMETERS_SHARED);
    assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MAIN].dim, 10);
    spec = of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_PER_ARM);
    assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MAIN].dim, 10);
    spec = of(SOTTO_METHOD_SOTTO_OLS, SOTTO_PARAMETERS_SHARED);
    assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MAIN].dim, 66);
}

TEST(the_weight_along_the_deciding_direction_follows_the_spec)
{
    sotto_spec sign = of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_SHARED);
    sign.dim = 4;
    sotto_spec huber = sign, self = sotto_spec_default(SOTTO_REWARD_BINARY);
    huber.score = SOTTO_SCORE_HUBER;
    assert_near(resolved_of(sign).along_weight, 0.3, 1e-12); /* to 40 bits */
    assert_near(resolved_of(huber).along_weight, 0.3, 1e-12);
    assert_true(resolved_of(self).along_weight == 0.5);
    sign.dim = huber.dim = 5;
    self.dim = 2;
    assert_true(resolved_of(self).along_weight == 0.5);
    assert_true(resolved_of(sign).along_weight == 0.5);
    assert_true(resolved_of(huber).along_weight == 0.5);
    sotto_spec centred = sotto_spec_default(SOTTO_REWARD_COUNT);
    centred.dim = 4;
    assert_near(resolved_of(centred).along_weight, 0.3, 1e-12);
    centred.dim = 5;
    assert_true(resolved_of(centred).along_weight == 0.5);
    sign.parameters = self.parameters = SOTTO_PARAMETERS_PER_ARM;
    sign.dim = 2;
    assert_true(resolved_of(sign).along_weight == 1);
    assert_true(resolved_of(self).along_weight == 1);
    sotto_spec sgd = of(SOTTO_METHOD_LDP_SGD, SOTTO_PARAMETERS_SHARED);
    sgd.dim = 2;
    assert_true(resolved_of(sgd).along_weight == 1);
}

/* The diameters written out once more for C_B = 2, rewards in [-1, 2], dim 4:
 * l is 1 for the moments and 2 for the GLOC pair, one on each side of sqrt 2. */
TEST(lattice_noise_is_what_the_rounded_statistic_needs)
{
    for (int i = 0; i < 3 * 2 * 2 * 3; i++) {
        sotto_spec spec =
            of((sotto_method)(SOTTO_METHOD_LDP_OLS + i % 3), (sotto_parameters)(i / 3 % 2));
        spec.noise_law = (sotto_noise_law)(i / 6 % 2);
        spec.delta = spec.noise_law == SOTTO_NOISE_LAPLACE ? 0 : 1e-7;
        spec.epsilon = (const double[]){0.1, 1, 20}[i / 12];
        spec.context_norm_max = 2, spec.reward_hi = 2, spec.dim = 4;
        const sotto_lattice lattice = resolved_of(spec).lattice;
        const double c = spec.method == SOTTO_METHOD_LDP_GLOC ? 4 : 2;
        const double grid = ldexp(1, lattice.grid_log2);
        bool laplace = spec.noise_law == SOTTO_NOISE_LAPLACE;
        double l2 = c == 2 ? 4 * (1 + 2) / sqrt(2) : 2 * c * 2, l1 = 4 * 5 + 2 * c * 2 * 2;
        double rounding = grid * (laplace ? 14 : sqrt(14));
        double scale = laplace ? (l1 + rounding) / spec.epsilon * (1 + 1e-9)
                               : sotto_gaussian_sigma(spec.epsilon, 1e-7, l2 + rounding);
        assert_true(lattice.scale_ticks == ceil(scale / grid) + 1);
        assert_true(lattice.scale_ticks >= 1u << 16);
        assert_true(rounding <= 0.001 * (laplace ? l1 : l2));
        assert_true(lattice.clip_ticks == ceil(2 * c / grid));
        assert_int_equal(lattice.dim, spec.parameters == SOTTO_PARAMETERS_SHARED ? 14 : 140);
    }
}

/* c_r is the larger of both ends in size. */
TEST(a_reward_far_below_zero_needs_as_much_noise_as_one_far_above)
{
    for (int i = 0; i < 3; i++) {
        sotto_spec above = of((sotto_method)(SOTTO_METHOD_LDP_OLS + i), SOTTO_PARAMETERS_SHARED);
        sotto_spec below = above;
        above.reward_lo = -1, above.reward_hi = 3;
        below.reward_lo = -3, below.reward_hi = 1;
        const sotto_lattice a = resolved_of(above).lattice, b = resolved_of(below).lattice;
        assert_memory_equal(&a, &b, sizeof a);
    }
}

static void assert_passes_its_own_check(sotto_spec spec)
{
    sotto_terms terms = resolved(&spec);
    assert_ok(sotto_terms_check(&terms));
    assert_int_equal(sotto_terms_reports_indices(&terms), spec.method < SOTTO_METHOD_LDP_OLS);
}

TEST(what_is_resolved_passes_the_check)
{
    static const uint32_t dims[] = {1, 2, 60, 360};
    static const double epsilon[] = {0.01, 1, 8}, bound[] = {1e-6, 1, 1e6};
    for (int i = 0; i < 6 * 4 * 3 * 9; i++) {
        sotto_spec spec = of((sotto_method)(i % 6), (sotto_parameters)(i % 6 != 1 && i / 6 % 2));
        spec.dim = dims[i / 6 % 4], spec.arms = 2, spec.epsilon = epsilon[i / 24 % 3];
        spec.context_norm_max = bound[i / 72 % 3], spec.reward_hi = fmin(1e6, 2 * bound[i / 216]);
        spec.reward_lo = spec.reward_hi / 2, spec.reward_default = spec.reward_hi;
        assert_passes_its_own_check(spec);
    }
}

/* The most ticks that a report can have, with the least epsilon that each noise law allows. */
TEST(the_longest_reports_with_the_most_noise_pass_the_check_too)
{
    sotto_spec spec = of(SOTTO_METHOD_LDP_OLS, SOTTO_PARAMETERS_SHARED);
    sotto_terms terms;
    spec.dim = SOTTO_DIM_MAX, spec.epsilon = 0.01;
    assert_passes_its_own_check(spec);
    spec.noise_law = SOTTO_NOISE_LAPLACE, spec.delta = 0;
    assert_status(sotto_spec_resolve(&spec, &terms), SOTTO_E_FAULT); /* past 2^24 ticks */
    spec.epsilon = 525824 / (0x1p23 - 2);
    assert_passes_its_own_check(spec);
    /* C^2 (d + 1) + 2 C sqrt d just below a power of two: b before rounding is 2^23 ticks. */
    for (int n = -8; n < 20; n++) {
        double diameter = ldexp(spec.epsilon, n) * (1 - 1e-9);
        spec.context_norm_max = (sqrt(32 * 32 + 1025 * diameter) - 32) / 1025;
        assert_passes_its_own_check(spec);
    }
}

static sotto_spec self_of(sotto_parameters parameters, uint32_t arms, double epsilon)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.parameters = parameters, spec.arms = arms, spec.epsilon = epsilon;
    return spec;
}

TEST(terms_have_nulls_where_scores_are_small)
{
    sotto_spec spec = self_of(SOTTO_PARAMETERS_PER_ARM, 26, 4);
    sotto_terms r = resolved_of(spec);
    for (int p = 0; p < SOTTO_PHASE_MEAN; p++) {
        assert_true(r.codebook[p].nulls == r.codebook[p].top && r.codebook[p].nulls > 0);
    }
    assert_int_equal(r.codebook[SOTTO_PHASE_MEAN].nulls, 0);
    spec = self_of(SOTTO_PARAMETERS_PER_ARM, 2, 1); /* a = 1 in warm-up */
    r = resolved_of(spec);
    assert_int_equal(r.codebook[SOTTO_PHASE_WARM_UP].nulls, 0);
    assert_true(r.codebook[SOTTO_PHASE_MAIN].nulls > 0);
    spec = self_of(SOTTO_PARAMETERS_SHARED, 5, 4);
    assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MAIN].nulls, 0);
    spec.reward_rate = 0.01; /* 2 p (1 - p)/max = 0.02 */
    assert_true(resolved_of(spec).codebook[SOTTO_PHASE_MAIN].nulls > 0);
    spec.dim = 4; /* the averaged estimator has none */
    assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MAIN].nulls, 0);
}

TEST(nulls_that_do_not_belong_are_faults)
{
    const sotto_terms r = resolved_of(self_of(SOTTO_PARAMETERS_PER_ARM, 26, 4));
    uint32_t k = r.codebook[SOTTO_PHASE_MAIN].top;
    ASSERT_CHECK(r, codebook[SOTTO_PHASE_MAIN].nulls, 0, SOTTO_OK);
    ASSERT_CHECK(r, codebook[SOTTO_PHASE_MAIN].nulls, k - 1, SOTTO_E_FAULT);
    ASSERT_CHECK(r, codebook[SOTTO_PHASE_MAIN].nulls, k + 1, SOTTO_E_FAULT);
    ASSERT_CHECK(r, codebook[SOTTO_PHASE_MAIN].nulls, UINT32_MAX, SOTTO_E_FAULT);
    ASSERT_CHECK(r, codebook[SOTTO_PHASE_MEAN].nulls, r.codebook[SOTTO_PHASE_MEAN].top,
                 SOTTO_E_FAULT);
    sotto_spec other = of(SOTTO_METHOD_LDP_SGD, SOTTO_PARAMETERS_PER_ARM);
    other.split = SOTTO_SPLIT_PER_ARM;
    const sotto_terms split = resolved_of(other);
    ASSERT_CHECK(split, codebook[SOTTO_PHASE_MAIN].nulls, split.codebook[1].top, SOTTO_E_FAULT);
    const sotto_terms sign = resolved_of(of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_SHARED));
    ASSERT_CHECK(sign, codebook[SOTTO_PHASE_MAIN].nulls, sign.codebook[1].top, SOTTO_E_FAULT);
    ASSERT_CHECK(sign, codebook[SOTTO_PHASE_MEAN].dim, 1, SOTTO_E_FAULT);
}

/* A caller may make the struct anew, field by field: bytes between the fields are then anything. */
TEST(bytes_between_fields_do_not_matter)
{
    const sotto_terms r = resolved_of(sotto_spec_default(SOTTO_REWARD_CONTINUOUS));
    sotto_terms copy = r;
    sotto_codebook *c = &copy.codebook[SOTTO_PHASE_MEAN];
    memset(c, 0xff, sizeof *c);
    c->dim = c->size = c->groups = c->top = c->nulls = 0;
    c->weight_top = c->weight_rest = 0;
    c->scale = 0;
    assert_ok(sotto_terms_check(&copy));
}

TEST(constants_have_40_bits)
{
    for (uint32_t arms = 2; arms < 40; arms += 9) {
        sotto_spec spec = self_of(SOTTO_PARAMETERS_PER_ARM, arms, 0.1 * arms);
        sotto_terms terms = resolved_of(spec);
        for (int p = 0; p < SOTTO_PHASES; p++) {
            double scale = terms.codebook[p].scale, unit = ldexp(1, ilogb(scale) - 39);
            assert_true(fmod(scale, unit) == 0);
        }
        const sotto_codebook *mean = &terms.codebook[SOTTO_PHASE_MEAN];
        double scale =
            sotto_codebook_constants(mean->dim, mean->size, mean->groups, spec.epsilon).scale;
        assert_near(mean->scale / scale, 1, 0x1p-40);
    }
    sotto_spec shared = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    shared.dim = 2;
    assert_true(resolved_of(shared).along_weight == ldexp(rint(ldexp(0.3, 41)), -41));
}

TEST(only_per_arm_self_has_a_mean_phase)
{
    sotto_spec spec = self_of(SOTTO_PARAMETERS_PER_ARM, 3, 1);
    assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MEAN].dim, spec.dim);
    spec.parameters = SOTTO_PARAMETERS_SHARED;
    assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MEAN].dim, 0);
    spec = of(SOTTO_METHOD_SOTTO, SOTTO_PARAMETERS_PER_ARM);
    assert_int_equal(resolved_of(spec).codebook[SOTTO_PHASE_MEAN].dim, 0);
}
