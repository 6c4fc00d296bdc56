/* erfc: off by less than 4 units in the last place, and the same bits on every machine. */
#include "core/core.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

TEST(nan_comes_out_as_nan_and_infinities_as_the_limits)
{
    assert_true(isnan(sotto__erfc(NAN)));
    assert_true(sotto__erfc(INFINITY) == 0);
    assert_true(sotto__erfc(-INFINITY) == 2);
    assert_true(sotto__erfc(DBL_MAX) == 0);
    assert_true(sotto__erfc(-DBL_MAX) == 2);
    assert_true(sotto__erfc(28) == 0);
    assert_true(sotto__erfc(nextafter(28, 29)) == 0);
    assert_true(sotto__erfc(0) == 1);
    assert_true(sotto__erfc(-0.0) == 1);
}

/* The distance in units of the last place of `wanted`. */
static double ulps(double value, long double wanted)
{
    int exponent;
    frexp((double)wanted, &exponent);
    double unit = ldexp(1, exponent - 53 > -1074 ? exponent - 53 : -1074);
    return (double)fabsl((long double)value - wanted) / unit;
}

/* Wanted: 25 digits by mpmath. Among the points are the 24 worst of 150,000 random ones, where erfc
 * is off by 3.3 to 3.5 units. */
TEST(erfc_agrees_with_mpmath_to_four_units_in_the_last_place)
{
    static const struct {
        double x;
        long double wanted;
    } known[] = {
        {-30.0, 2.0L},
        {-5.9, 1.999999999999999928095902L},
        {-3.0, 1.999977909503001414558627L},
        {-1.0, 1.842700792949714869341221L},
        {-0.75, 1.711155633653515131598938L},
        {-0.5, 1.520499877813046537682747L},
        {-0.49999999999999994, 1.520499877813046488900514L},
        {-0.1, 1.112462916018284898404712L},
        {-1e-10, 1.000000000112837916709551L},
        {0.0, 1.0L},
        {5e-324, 1.0L},
        {1e-300, 1.0L},
        {1e-10, 0.9999999998871620832904487L},
        {0.1, 0.8875370839817151015952877L},
        {0.25, 0.7236736098317630670149317L},
        {0.49999999999999994, 0.479500122186953511099486L},
        {0.5, 0.4795001221869534623172533L},
        {0.5000000000000001, 0.4795001221869533647527881L},
        {0.5146626380192355, 0.4667097706058600317581554L},
        {0.5397392440288075, 0.4452805913047880049892932L},
        {0.600927595881935, 0.3954140718679121937844449L},
        {0.75, 0.2888443663464848684010622L},
        {0.8142790709402915, 0.2495000739404632547757501L},
        {0.8156657431153903, 0.248694734138139870527225L},
        {0.8208436898726891, 0.2457036054227493144430057L},
        {0.8574306528891985, 0.2252865918319602723207594L},
        {1.0, 0.1572992070502851306587794L},
        {1.25, 0.07709987174354176986347652L},
        {1.5, 0.03389485352468927293302374L},
        {1.5241671596028292, 0.03112289524841679346170637L},
        {1.5242984146261433, 0.03110838813909731949424193L},
        {1.5247181061336053, 0.03106204020169316655969492L},
        {1.551514254908452, 0.02822301065705167120996401L},
        {1.5702011448840933, 0.0263780824404169655261624L},
        {1.5867674786453796, 0.02483059415194944875727445L},
        {1.7125466799979099, 0.01543931218953675903978082L},
        {1.7286143356748946, 0.01450008783378211024165608L},
        {1.7301434113019314, 0.01441338811964518427353256L},
        {1.8816856444197854, 0.007788458203829559268596169L},
        {1.8935894717053563, 0.007407650598210066511986217L},
        {2.0, 0.004677734981047265837930744L},
        {2.5, 0.0004069520174449589395642157L},
        {3.0, 0.00002209049699858544137277613L},
        {4.0, 1.541725790028001885215967e-8L},
        {5.0, 1.537459794428034850188343e-12L},
        {6.0, 2.151973671249891311659335e-17L},
        {8.0, 1.122429717298292707996789e-29L},
        {10.0, 2.088487583762544757000786e-45L},
        {10.057544201503749, 6.547921322480995237436242e-46L},
        {13.0, 1.739557315466724521804199e-75L},
        {15.738827586566126, 9.423083163614246503914192e-110L},
        {15.892025254398748, 7.336862565141199861926084e-112L},
        {16.0, 2.328485751571530693364873e-113L},
        {16.57042121447457, 1.919644626704790143845786e-121L},
        {19.576673371551024, 1.040968202323607856709649e-168L},
        {20.0, 5.395865611607900928934999e-176L},
        {22.9028222423355, 3.860237384509341654693325e-230L},
        {24.0, 1.648982583151933514218512e-252L},
        {26.0, 5.663192408856142846475728e-296L},
        {26.5, 2.210907664263734275929239e-307L},
    };
    double worst = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double off = ulps(sotto__erfc(known[i].x), known[i].wanted);
        if (!(off < 4)) fail_msg("erfc(%.17g) is off by %g units", known[i].x, off);
        worst = fmax(worst, off);
    }
    assert_true(worst > 3); /* the points are still the bad ones */
}

TEST(erfc_agrees_where_it_is_denormal)
{
    static const struct {
        double x;
        long double wanted;
    } known[] = {
        {26.55, 1.555202694113550649772974e-308L},  {26.6, 1.088512588544226533171756e-309L},
        {27, 5.237048923789255685016068e-319L},     {27.2, 1.018904914270315539514234e-323L},
        {27.226, 2.472632543446046364599387e-324L},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_true(ulps(sotto__erfc(known[i].x), known[i].wanted) < 1);
    }
}

/* x = -6, ..., 27 in steps of 2^-11 and a little: against the C library in the longest type. */
TEST(erfc_agrees_with_a_longer_type_on_a_fine_scan)
{
    for (int i = 0; i < 33 * 2048; i++) {
        double x = -6 + i / 2048.0 + 1e-4 * (i % 7);
        double off = ulps(sotto__erfc(x), erfcl((long double)x));
        if (!(off < 4)) fail_msg("erfc(%.17g) is off by %g units", x, off);
    }
}

/* Falling, but for the errors of the last place. */
TEST(erfc_does_not_jump_where_its_formula_changes)
{
    for (int side = -1; side <= 1; side += 2) {
        double before = sotto__erfc(nextafter(0.5 * side, 0)), at = sotto__erfc(0.5 * side);
        assert_near(before, at, 4 * DBL_EPSILON);
    }
}

/* FNV-1a over the bytes of 60,000 values. The number was computed on 64-bit ARM. */
TEST(erfc_has_the_same_bits_on_every_machine)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int i = 0; i < 60000; i++) {
        double value = sotto__erfc(-7 + i * (35.0 / 60000));
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        for (int shift = 0; shift < 64; shift += 8) {
            hash = (hash ^ (bits >> shift & 0xff)) * UINT64_C(1099511628211);
        }
    }
    assert_int_equal(hash, UINT64_C(0x45127c9fbc6fe1e7));
}

/* e^x - 1 and ln(1 + x) keep their digits where the result is small; cubes have their roots. */

TEST(arguments_at_the_ends_give_the_limits)
{
    assert_true(isnan(sotto__expm1(NAN)));
    assert_true(sotto__expm1(INFINITY) == INFINITY);
    assert_true(sotto__expm1(1e308) == INFINITY);
    assert_true(sotto__expm1(-INFINITY) == -1);
    assert_true(sotto__expm1(-1e308) == -1);
    assert_true(sotto__expm1(0) == 0);
    assert_true(sotto__expm1(5e-324) == 5e-324);
    assert_true(isnan(sotto__log1p(NAN)));
    assert_true(isnan(sotto__log1p(-2)));
    assert_true(sotto__log1p(-1) == -INFINITY);
    assert_true(sotto__log1p(INFINITY) == INFINITY);
    assert_true(sotto__log1p(0) == 0);
    assert_true(sotto__log1p(5e-324) == 5e-324);
    assert_true(isnan(sotto__cbrt(NAN)));
    assert_true(isnan(sotto__cbrt(-1)));
    assert_true(sotto__cbrt(0) == 0);
    assert_true(sotto__cbrt(INFINITY) == INFINITY);
}

/* Sizes from 2^-60 to 2^5, both signs; the steps are irregular so that no bits are always 0. */
TEST(both_agree_with_a_longer_type_on_a_scan)
{
    for (int i = 0; i < 65 * 200; i++) {
        double size = ldexp(1 + (i % 200) / 200.0 + 1e-9 * i, i / 200 - 60);
        for (int side = -1; side <= 1; side += 2) {
            double x = side * size;
            double off = ulps(sotto__expm1(x), expm1l((long double)x));
            if (!(off < 3)) fail_msg("expm1(%.17g) is off by %g units", x, off);
            if (x <= -1) continue;
            off = ulps(sotto__log1p(x), log1pl((long double)x));
            if (!(off < 2)) fail_msg("log1p(%.17g) is off by %g units", x, off);
        }
    }
}

TEST(cube_roots_agree_with_a_longer_type_on_a_scan)
{
    for (int i = 0; i < 200 * 100; i++) {
        double x = ldexp(1 + (i % 100) / 100.0 + 1e-9 * i, i / 100 - 100);
        double off = ulps(sotto__cbrt(x), cbrtl((long double)x));
        if (!(off < 2)) fail_msg("cbrt(%.17g) is off by %g units", x, off);
    }
    assert_true(sotto__cbrt(1) == 1);
}
