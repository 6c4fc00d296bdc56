/* Mechanisms of the lab: faults by name, repeatable seeds, lengths, and unbiased estimates. */
#include "client/client.h"
#include "lab/random/random.h"
#include "stats.h"
#include "test.h"

#include <sotto/lab/mechanisms.h>

OWNED(sotto_mechanism, sotto_mechanism_free)

#define KINDS 5
#define UNIT_KINDS 3 /* the kinds before it make estimates of length R B */

static sotto_mechanism *new_mechanism(sotto_mechanism_settings settings)
{
    sotto_mechanism *mechanism;
    assert_ok(sotto_mechanism_new(&settings, &mechanism));
    return mechanism;
}

static double norm_of(const double *z, uint32_t dim)
{
    double norm = 0;
    for (uint32_t i = 0; i < dim; i++) {
        norm = hypot(norm, z[i]);
    }
    return norm;
}

TEST(settings_at_fault_are_named_and_make_no_mechanism)
{
    const struct {
        sotto_mechanism_settings settings;
        const char *says;
    } rows[] = {
        {{(sotto_mechanism_kind)5, 2, 1, 0, false, 1, 64, false, 0},
         "kind = 5: not a known mechanism"},
#define BAD(kind, dim, epsilon, delta, weak, radius, size, says)                                   \
    {{SOTTO_MECHANISM_##kind, dim, epsilon, delta, weak, radius, size, false, 0}, says}
        BAD(CODEBOOK, 2, 1, 0, false, 1, 0, "codebook_size = 0: allowed even, 2 to 4096"),
        BAD(CODEBOOK, 2, 1, 0, false, 1, 63, "codebook_size = 63: allowed even, 2 to 4096"),
        BAD(CODEBOOK, 2, 1, 0, false, 1, 4098, "codebook_size = 4098: allowed even, 2 to 4096"),
        BAD(L2BALL, 2, 1, 0, false, 1, 64,
            "codebook_size = 64: the l2ball is the codebook of size 2"),
        BAD(CODEBOOK, 2, 1, 0, false, 0, 64, "radius = 0: allowed 1e-06 to 1000000"),
        BAD(PRIVUNIT, 2, 1, 0, false, INFINITY, 64, "radius = inf: allowed 1e-06 to 1000000"),
        BAD(CODEBOOK, 0, 1, 0, false, 1, 64, "dim = 0: allowed 1 to 1024"),
        BAD(PRIVUNIT, 1025, 1, 0, false, 1, 64, "dim = 1025: allowed 1 to 1024"),
        BAD(CODEBOOK, 2, 0, 0, false, 1, 64, "epsilon = 0: allowed 0.01 to 8"),
        BAD(CODEBOOK, 2, 8.5, 0, false, 1, 64, "epsilon = 8.5: allowed 0.01 to 8"),
        BAD(GAUSSIAN, 0, 1, 1e-6, false, 1, 64, "dim = 0: allowed 1 to 1024"),
        BAD(GAUSSIAN, 2, 1e-4, 1e-6, false, 1, 64, "epsilon = 0.0001: allowed 0.01 to 50"),
        BAD(GAUSSIAN, 2, 51, 1e-6, false, 1, 64, "epsilon = 51: allowed 0.01 to 50"),
        BAD(LAPLACE, 2, NAN, 0, false, 1, 64, "epsilon = nan: allowed 0.01 to 50"),
        BAD(GAUSSIAN, 2, 1, 0, false, 1, 64, "delta = 0: allowed 1e-12 to 0.5 for gaussian noise"),
        BAD(GAUSSIAN, 2, 1, 0, true, 1, 64, "delta = 0: allowed 1e-12 to 0.5 for gaussian noise"),
        BAD(GAUSSIAN, 2, 1, 1.1e-6, false, 1, 64,
            "delta = 1.1e-06: above 1e-6 only with allow_weak_delta"),
        BAD(GAUSSIAN, 2, 1, 0.6, true, 1, 64, "delta = 0.6: allowed 0 to 0.5"),
#undef BAD
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_fault fault;
        sotto_mechanism *mechanism = (sotto_mechanism *)fault.sentence; /* anything but NULL */
        assert_status(sotto_mechanism_fault(&rows[i].settings, &fault), SOTTO_E_FAULT);
        assert_string_equal(fault.sentence, rows[i].says);
        assert_status(sotto_mechanism_new(&rows[i].settings, &mechanism), SOTTO_E_FAULT);
        assert_null(mechanism);
    }
    sotto_fault fault;
    sotto_mechanism_settings nan = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 2, NAN);
    assert_status(sotto_mechanism_fault(&nan, &fault), SOTTO_E_FAULT);
    nan = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 2, 1);
    nan.radius = NAN;
    assert_status(sotto_mechanism_fault(&nan, &fault), SOTTO_E_FAULT);
}

TEST(missing_pointers_are_refused)
{
    sotto_mechanism_settings settings = sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 1, 1);
    OWN(sotto_mechanism) mechanism = new_mechanism(settings);
    sotto_mechanism *none = mechanism;
    double x = 0.5;
    assert_status(sotto_mechanism_new(NULL, &none), SOTTO_E_ARGUMENT);
    assert_null(none);
    assert_status(sotto_mechanism_new(&settings, NULL), SOTTO_E_ARGUMENT);
    assert_status(sotto_mechanism_draw(NULL, &x, &x), SOTTO_E_ARGUMENT);
    assert_status(sotto_mechanism_draw(mechanism, NULL, &x), SOTTO_E_ARGUMENT);
    assert_status(sotto_mechanism_draw(mechanism, &x, NULL), SOTTO_E_ARGUMENT);
    sotto_mechanism_free(NULL);
}

TEST(names_and_default_sizes_are_the_spec_s)
{
    const struct {
        double epsilon;
        uint32_t size;
    } rows[] = {{0.01, 64}, {2, 64}, {2.01, 256}, {5, 256}, {5.01, 1024}, {8, 1024}};
    for (size_t i = 0; i < 6; i++) {
        sotto_mechanism_settings codebook =
            sotto_mechanism_default(SOTTO_MECHANISM_CODEBOOK, 5, rows[i].epsilon);
        assert_int_equal(codebook.codebook_size, rows[i].size);
        assert_false(codebook.seeded);
        assert_true(codebook.radius == 1);
        sotto_mechanism_settings l2ball =
            sotto_mechanism_default(SOTTO_MECHANISM_L2BALL, 5, rows[i].epsilon);
        assert_int_equal(l2ball.codebook_size, 2);
    }
    assert_string_equal(sotto_mechanism_kind_name(0), "codebook");
    assert_string_equal(sotto_mechanism_kind_name(1), "l2ball");
    assert_string_equal(sotto_mechanism_kind_name(2), "privunit");
    assert_string_equal(sotto_mechanism_kind_name(3), "gaussian");
    assert_string_equal(sotto_mechanism_kind_name(4), "laplace");
    assert_null(sotto_mechanism_kind_name(5));
    sotto_mechanism_kind found;
    assert_true(sotto_mechanism_kind_from_name("laplace", &found));
    assert_int_equal(found, SOTTO_MECHANISM_LAPLACE);
    assert_false(sotto_mechanism_kind_from_name("none", &found));
    assert_true(sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN, 5, 1).delta == 1e-6);
    assert_true(sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE, 5, 1).delta == 0);
}

TEST(every_input_gives_an_estimate_of_length_r_times_b)
{
    const double odd[] = {NAN,     INFINITY, -INFINITY, 1e308, -1e308, 5e-324,
                          -1e-310, 0,        -0.0,      1,     1e-6,   1e6};
    const double radii[] = {1e-6, 1, 1e6};
    for (int at = 0; at < UNIT_KINDS * 3; at++) {
        sotto_mechanism_settings settings =
            sotto_mechanism_default((sotto_mechanism_kind)(at % UNIT_KINDS), 2, 1);
        settings.seeded = true;
        settings.radius = radii[at / UNIT_KINDS];
        OWN(sotto_mechanism) mechanism = new_mechanism(settings);
        double length = settings.radius * sotto_mechanism_scale(mechanism);
        for (size_t i = 0; i < 144; i++) {
            const double x[] = {odd[i % 12], odd[i / 12]};
            double z[2];
            assert_ok(sotto_mechanism_draw(mechanism, x, z));
            assert_near(norm_of(z, 2) / length, 1, 3e-9); /* codewords are whole 2^-30ths */
        }
    }
}

TEST(seeds_repeat_and_the_system_does_not)
{
    const double x[] = {0.5, -0.25, 0.125};
    for (int k = 0; k < KINDS; k++) {
        sotto_mechanism_settings settings = sotto_mechanism_default((sotto_mechanism_kind)k, 3, 1);
        OWN(sotto_mechanism) system = new_mechanism(settings), *other = new_mechanism(settings);
        settings.seeded = true;
        settings.seed = 5;
        OWN(sotto_mechanism) first = new_mechanism(settings), *again = new_mechanism(settings);
        settings.seed = 6;
        OWN(sotto_mechanism) different = new_mechanism(settings);
        double z[5][3];
        for (int draw = 0; draw < 20; draw++) {
            assert_ok(sotto_mechanism_draw(first, x, z[0]));
            assert_ok(sotto_mechanism_draw(again, x, z[1]));
            assert_ok(sotto_mechanism_draw(different, x, z[2]));
            assert_ok(sotto_mechanism_draw(system, x, z[3]));
            assert_ok(sotto_mechanism_draw(other, x, z[4]));
            assert_memory_equal(z[0], z[1], sizeof z[0]);
            assert_memory_not_equal(z[0], z[2], sizeof z[0]);
            assert_memory_not_equal(z[0], z[3], sizeof z[0]);
            assert_memory_not_equal(z[3], z[4], sizeof z[0]);
        }
    }
}

TEST(estimates_are_unbiased_and_longer_vectors_clipped)
{
    const double inputs[][2] = {{1.2, -1.6}, {0.3, 0.4}, {30, 0}},
                 means[][2] = {{1.2, -1.6}, {0.3, 0.4}, {2, 0}};
    for (int at = 0; at < KINDS * 3; at++) {
        sotto_mechanism_settings settings =
            sotto_mechanism_default((sotto_mechanism_kind)(at % KINDS), 2, 2);
        settings.seeded = true;
        settings.seed = (uint64_t)(100 + at);
        settings.radius = 2;
        OWN(sotto_mechanism) mechanism = new_mechanism(settings);
        running mean[2] = {{0, 0, 0}};
        for (int i = 0; i < 30000; i++) {
            double z[2];
            assert_ok(sotto_mechanism_draw(mechanism, inputs[at / KINDS], z));
            running_add(&mean[0], z[0]);
            running_add(&mean[1], z[1]);
        }
        for (int j = 0; j < 2; j++) {
            assert_near(mean[j].mean, means[at / KINDS][j],
                        Z_FALSE_ALARM * running_standard_error(&mean[j]));
        }
    }
}

TEST(the_report_behind_an_estimate_is_shown_where_there_is_one)
{
    const double x[] = {0.6, 0.8};
    double z[2];
    for (int k = 0; k < 2; k++) {
        OWN(sotto_mechanism)
        mechanism = new_mechanism(sotto_mechanism_default((sotto_mechanism_kind)k, 2, 1));
        assert_ok(sotto_mechanism_draw(mechanism, x, z));
        const sotto_report *report = sotto_mechanism_report(mechanism);
        const sotto_terms *terms = sotto_mechanism_terms(mechanism);
        assert_ok(sotto_terms_check(terms));
        const sotto_codebook *codebook = &terms->codebook[SOTTO_PHASE_MAIN];
        int32_t codeword[2];
        assert_ok(sotto_codebook_expand(codebook, terms->stream_key, report->nonce,
                                        (uint32_t)report->value[0], 0, codeword));
        assert_near(z[0], codebook->scale * codeword[0] * 0x1p-30, 1e-12);
        assert_near(z[1], codebook->scale * codeword[1] * 0x1p-30, 1e-12);
        assert_true(sotto_mechanism_scale(mechanism) == codebook->scale);
        assert_null(sotto_mechanism_lattice(mechanism));
    }
    OWN(sotto_mechanism)
    privunit = new_mechanism(sotto_mechanism_default(SOTTO_MECHANISM_PRIVUNIT, 2, 1));
    assert_ok(sotto_mechanism_draw(privunit, x, z));
    assert_null(sotto_mechanism_report(privunit));
    assert_null(sotto_mechanism_terms(privunit));
    assert_null(sotto_mechanism_lattice(privunit));
    assert_true(sotto_mechanism_scale(privunit) == sotto_privunit_constants(2, 1).scale);
}

/* ---- gaussian and laplace ------------------------------------------------------------------ */

static sotto_mechanism_settings noise_settings(int at, uint32_t dim, double radius)
{
    sotto_mechanism_settings settings = sotto_mechanism_default(
        at % 2 == 0 ? SOTTO_MECHANISM_GAUSSIAN : SOTTO_MECHANISM_LAPLACE, dim, 2);
    settings.radius = radius;
    settings.seeded = true;
    settings.seed = (uint64_t)at;
    return settings;
}

/* sigma of the diameter 2 R, b of the L1 diameter 2 R sqrt d, each with that of rounding; one tick
 * to spare. The clip is R. */
TEST(the_constants_of_noise_are_those_of_the_ball)
{
    const uint32_t dims[] = {1, 2, 50, 1024};
    const double radii[] = {1e-6, 1, 3, 1e6}, epsilons[] = {0.01, 1, 50};
    for (int at = 0; at < 2 * 4 * 4 * 3; at++) {
        sotto_mechanism_settings settings = noise_settings(at, dims[at / 2 % 4], radii[at / 8 % 4]);
        settings.epsilon = epsilons[at / 32];
        OWN(sotto_mechanism) mechanism = new_mechanism(settings);
        const sotto_lattice *lattice = sotto_mechanism_lattice(mechanism);
        double grid = ldexp(1, lattice->grid_log2), d = settings.dim, r = settings.radius;
        double scale = at % 2 == 0
                           ? sotto_gaussian_sigma(settings.epsilon, 1e-6, 2 * r + grid * sqrt(d))
                           : (2 * r * sqrt(d) + grid * d) / settings.epsilon;
        assert_int_equal(lattice->dim, settings.dim);
        assert_near(lattice->scale_ticks, scale / grid + 1.5, 0.51);
        assert_near(lattice->clip_ticks, r / grid + 0.5, 0.51);
        assert_true(lattice->scale_ticks >= 1u << 10 && lattice->scale_ticks <= 1u << 24);
        assert_true(sotto_mechanism_scale(mechanism) == 1);
        assert_null(sotto_mechanism_terms(mechanism));
    }
}

/* Replays the seed's own tape: ticks are round(x/grid) + noise, the estimate is ticks x grid. Long
 * inputs are clipped, invalid ones count as 0. */
TEST(ticks_are_the_clipped_vector_and_the_seed_s_noise)
{
    const double inputs[][2] = {{0.3, -1.1}, {30, -40}, {NAN, 1}, {1e308, 0}, {0, 0}, {5e-324, -2}};
    const double clipped[][2] = {{0.3, -1.1}, {1.2, -1.6}, {0, 1}, {2, 0}, {0, 0}, {0, -2}};
    for (int at = 0; at < 2 * 6; at++) {
        sotto_mechanism_settings settings = noise_settings(at, 2, 2);
        OWN(sotto_mechanism) mechanism = new_mechanism(settings);
        const sotto_lattice *lattice = sotto_mechanism_lattice(mechanism);
        sotto__seeded same;
        sotto__seeded_begin(&same, settings.seed);
        for (int draw = 0; draw < 5; draw++) {
            int64_t noise[2];
            double z[2];
            assert_ok(sotto__lattice_noise(lattice, (sotto_noise_law)(at % 2), &same.rng, noise));
            assert_ok(sotto_mechanism_draw(mechanism, inputs[at / 2], z));
            const sotto_report *report = sotto_mechanism_report(mechanism);
            assert_int_equal(report->count, 2);
            for (int j = 0; j < 2; j++) {
                double ticks = rint(ldexp(clipped[at / 2][j], -lattice->grid_log2));
                assert_int_equal(report->value[j], noise[j] + (int64_t)ticks);
                assert_true(z[j] == ldexp(report->value[j], lattice->grid_log2));
            }
        }
    }
}

TEST(a_weak_delta_with_consent_gives_less_noise)
{
    sotto_mechanism_settings settings = noise_settings(0, 2, 1);
    OWN(sotto_mechanism) strong = new_mechanism(settings);
    settings.delta = 0.5;
    settings.allow_weak_delta = true;
    OWN(sotto_mechanism) weak = new_mechanism(settings);
    const sotto_lattice *wide = sotto_mechanism_lattice(strong);
    const sotto_lattice *narrow = sotto_mechanism_lattice(weak);
    assert_true(ldexp(narrow->scale_ticks, narrow->grid_log2) <
                ldexp(wide->scale_ticks, wide->grid_log2) / 2);
    settings = noise_settings(1, 2, 1); /* laplace meets any delta */
    settings.delta = 0.5;
    sotto_mechanism_free(new_mechanism(settings));
}
