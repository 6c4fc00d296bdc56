/*
 * The watch (docs/guarantees.md): honest people of every kind raise alarms no more often than alpha says, and
 * tests that look almost alike and are not valid are caught: one that ignores tags, one that tests nulls, and one
 * that takes the tail of the sphere for that of codewords. Liars are found.
 *
 * Fixed seeds. A test of honest people fails by chance with less than 1e-6: at alpha = 0.01 the number of
 * epochs with an alarm is at most Bin(epochs, 0.01).
 */
#include "core/core.h"
#include "core/inner.h"
#include "populations.h"
#include "server/inner.h"
#include "test.h"

#define ALPHA 0.01
#define FALSE_ALARM 1e-6

static const char *const terms_name[CROWD_TERMS] = {"shared", "plane",   "strong", "line",
                                                    "signs",  "tags",    "nulls",  "split",
                                                    "joint",  "warm-up", "ticks"};
static const char *const people_name[CROWD_PEOPLE] = {"along", "axis", "zero", "anywhere",
                                                      "copying"};

static bool soak(void)
{
    return getenv("SOTTO_SOAK") != NULL;
}

static sotto__watch_verdict verdict_of(const crowd *c)
{
    return sotto__learner_verdict(c->learner, ALPHA, 0);
}

/* Returns the epochs with an alarm; `least` gets the smallest p-value of each test. */
static uint32_t play(crowd *c, crowd_people people, uint32_t epochs, uint32_t reports,
                     double least[SOTTO__WATCH_TESTS])
{
    uint32_t alarms = 0;
    for (uint32_t e = 0; e < epochs; e++) {
        for (uint32_t i = 0; i < reports; i++) {
            crowd_honest(c, people);
        }
        sotto__watch_verdict verdict = verdict_of(c);
        alarms += verdict.alarms != 0;
        for (uint32_t t = 0; t < SOTTO__WATCH_TESTS; t++) {
            least[t] = fmin(least[t], verdict.chance[t]);
        }
        assert_ok(sotto_learner_discard(c->learner));
    }
    return alarms;
}

TEST(honest_people_of_every_kind_raise_no_more_alarms_than_alpha_says)
{
    const uint32_t epochs = soak() ? 2000 : 20, reports = soak() ? 500 : 200;
    uint32_t all = 0, total = 0, most = 0;
    for (int t = 0; t < CROWD_TERMS; t++) {
        for (int p = 0; p < CROWD_PEOPLE; p++) {
            crowd c;
            double least[SOTTO__WATCH_TESTS] = {1, 1, 1, 1, 1};
            crowd_begin(&c, (crowd_terms)t, 1000 + 10 * (uint64_t)t + (uint64_t)p);
            uint32_t alarms = play(&c, (crowd_people)p, epochs, reports, least);
            crowd_end(&c);
            if (soak())
                print_message("%-8s %-9s %u of %u epochs; least: index %.2g tail %.2g roles %.2g "
                              "arms %.2g\n",
                              terms_name[t], people_name[p], alarms, epochs, least[0], least[1],
                              least[2], least[3]);
            all += alarms, total += epochs;
            most = alarms > most ? alarms : most;
            assert_true(sotto__chance_above(alarms, epochs, ALPHA) > FALSE_ALARM / 100);
        }
    }
    print_message(
        "figure: at alpha %g %u alarms in %u honest epochs of %d populations, the most in one: "
        "%u in %u\n",
        ALPHA, all, total, CROWD_TERMS * CROWD_PEOPLE, most, epochs);
    assert_true(sotto__chance_above(all, total, ALPHA) > FALSE_ALARM / 100);
}

/* Small epochs, for which a chi-square table would be wrong, and a few large ones. */
TEST(epochs_of_any_size_raise_no_more_alarms)
{
    static const uint32_t sizes[] = {1, 2, 5, 20, 60};
    const uint32_t times = soak() ? 20 : 1;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        crowd c;
        double least[SOTTO__WATCH_TESTS] = {1, 1, 1, 1, 1};
        crowd_begin(&c, CROWD_SHARED, 7 + i);
        uint32_t epochs = times * 6000 / (20 + sizes[i]);
        uint32_t alarms = play(&c, CROWD_ALONG, epochs, sizes[i], least);
        crowd_end(&c);
        assert_true(sotto__chance_above(alarms, epochs, ALPHA) > FALSE_ALARM / 10);
    }
    crowd c;
    crowd_begin(&c, CROWD_STRONG, 77);
    double least[SOTTO__WATCH_TESTS] = {1, 1, 1, 1, 1};
    uint32_t alarms = play(&c, CROWD_ALONG, 2, soak() ? 200000 : 10000, least);
    crowd_end(&c);
    assert_int_equal(alarms, 0); /* fixed seed */
}

/* ---- codewords beside the sphere */

static int by_size(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* In the plane every codeword can be checked: the fullest of all arcs of a level's width. */
TEST(no_direction_of_the_plane_has_a_fuller_tail_than_the_margin_allows)
{
    const uint32_t half = SOTTO__TABLE_SIZE / 2, quarter = half * half;
    const double right = acos(0);
    FREED_BY(free_memory)
    double *angle = malloc(3 * (size_t)quarter *
                           sizeof angle[0]); /* of the first quarter, and two more turns */
    assert_non_null(angle);
    for (uint32_t i = 0; i < quarter; i++) {
        angle[i] =
            atan2(sotto__normal_table[half + i / half], sotto__normal_table[half + i % half]);
    }
    qsort(angle, quarter, sizeof angle[0], by_size);
    for (uint32_t i = 0; i < 2 * quarter; i++) {
        angle[quarter + i] = angle[i] + right;
    }
    for (uint32_t level = 0; level < 3; level++) {
        double width = sotto__aim_chance(level) * 2 * right;
        uint32_t end = 0, most = 0;
        for (uint32_t i = 0; i < 2 * quarter; i++) {
            while (end < 3 * quarter && angle[end] <= angle[i] + width) {
                end++;
            }
            if (end - i > most) most = end - i;
        }
        double times = most / (2.0 * quarter) / sotto__aim_chance(level);
        if (soak()) print_message("plane, %g: %.4f\n", sotto__aim_chance(level), times);
        /* The third level is not used there, for this reason. */
        assert_int_equal(times < SOTTO__WATCH_MARGIN, level < 2);
    }
}

/* Directions along an axis, between two, and between all, where a table of numbers would show. */
TEST(tails_in_more_dimensions_are_those_of_the_sphere)
{
    const uint64_t draws = soak() ? 20000000 : 200000;
    static const uint32_t dims[] = {3, 4, 20};
    for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++) {
        uint32_t dim = dims[d], levels = dim < 4 ? 3 : 4;
        uint8_t key[SOTTO_SPEC_ID_BYTES] = {(uint8_t)dim}, nonce[SOTTO_NONCE_BYTES] = {0};
        sotto__block_at at = {key, nonce, SOTTO__STREAM_CODEBOOK, 0, 0};
        uint64_t tail[3][4] = {{0}};
        int32_t normal[20];
        double t2[4];
        for (uint32_t l = 0; l < levels; l++) {
            t2[l] = sotto__tail_square(dim, sotto__aim_chance(l));
        }
        for (uint64_t n = 0; n < draws; n++) {
            memcpy(nonce, &n, sizeof n);
            double squares = sotto__codeword_normals(&at, dim, normal), all = 0;
            for (uint32_t j = 0; j < dim; j++) {
                all += normal[j];
            }
            const double along[3] = {normal[0], (normal[0] + normal[1]) / sqrt(2), all / sqrt(dim)};
            for (uint32_t k = 0; k < 3 * levels; k++) {
                double square = along[k / levels] * along[k / levels];
                tail[k / levels][k % levels] += square > t2[k % levels] * squares;
            }
        }
        for (uint32_t k = 0; k < 3 * levels; k++) {
            uint64_t got = tail[k / levels][k % levels];
            double chance = sotto__aim_chance(k % levels);
            if (soak())
                print_message("%u numbers, direction %u, %g: %.4f\n", dim, k / levels, chance,
                              (double)got / ((double)draws * chance));
            assert_true(sotto__chance_above(got, draws, SOTTO__WATCH_MARGIN * chance) >
                        FALSE_ALARM / 100);
        }
    }
}

/* ---- twins that are not valid */

TEST(a_watch_that_ignores_tags_is_caught)
{
    crowd c;
    crowd_begin(&c, CROWD_TAGS, 3);
    for (int i = 0; i < 2000; i++) {
        crowd_honest(&c, CROWD_ANYWHERE); /* everyone got arm 0 */
    }
    const sotto_tally *tally = tally_now(&c);
    uint32_t size = c.terms.codebook[SOTTO_PHASE_MAIN].size;
    uint64_t total = 0;
    double sum = sotto__entropy_of(tally->watch->index, size, 1, &total);
    assert_true(sotto__entropy_chance(sum, size - 1) < 1e-9);
    assert_int_equal(verdict_of(&c).alarms, 0);
    crowd_end(&c);
}

TEST(a_watch_that_tests_nulls_is_caught)
{
    crowd c;
    uint64_t count[SOTTO_CODEBOOK_SIZE_MAX] = {0}, total = 0;
    crowd_begin(&c, CROWD_NULLS, 4);
    const sotto_codebook *codebook = &c.terms.codebook[SOTTO_PHASE_MAIN];
    assert_true(codebook->nulls > 0);
    for (int i = 0; i < 2000; i++) {
        crowd_honest(&c, CROWD_ZERO); /* all scores are 0 */
        count[c.report->value[0]]++;
    }
    uint32_t cells = codebook->size + codebook->nulls;
    double sum = sotto__entropy_of(count, cells, 1, &total);
    assert_true(sotto__entropy_chance(sum, cells - 1) < 1e-9);
    assert_int_equal(verdict_of(&c).alarms, 0);
    crowd_end(&c);
}

TEST(a_watch_that_forgets_what_scores_do_to_tails_is_caught)
{
    crowd c;
    crowd_begin(&c, CROWD_STRONG, 5);
    for (int i = 0; i < 3000; i++) {
        crowd_honest(&c, CROWD_ALONG);
    }
    const sotto__watch *watch = tally_now(&c)->watch;
    double chance = sotto__aim_chance(1);
    assert_true(sotto__chance_above(watch->tail[0][1], watch->aimed[0], chance) < 1e-9);
    assert_int_equal(verdict_of(&c).alarms, 0);
    crowd_end(&c);
}

/* ---- liars */

/* The verdict of the watch on an epoch in which `permille` of a thousand people are liars. */
static sotto__watch_verdict lied(uint64_t seed, crowd_lie lie, uint32_t permille, uint32_t reports,
                                 bool along)
{
    crowd c;
    crowd_begin(&c, CROWD_SHARED, seed);
    crowd_aim(&c, along);
    for (uint32_t i = 0; i < reports; i++) {
        if (i % 1000 < permille) crowd_liar(&c, lie, 100);
        if (i % 1000 >= permille) crowd_honest(&c, CROWD_ANYWHERE);
    }
    sotto__watch_verdict verdict = sotto__learner_verdict(c.learner, SOTTO__WATCH_ALPHA, 0);
    crowd_end(&c);
    return verdict;
}

TEST(liars_that_a_test_can_see_are_found)
{
    assert_int_equal(lied(99, CROWD_LAZY, 50, 8000, true).alarms, 1u << SOTTO__WATCH_INDEX);
    assert_int_equal(lied(99, CROWD_GRINDING, 10, 4000, true).alarms, 1u << SOTTO__WATCH_TAIL);
    assert_int_equal(lied(99, CROWD_RATING, 50, 4000, true).alarms, 1u << SOTTO__WATCH_ROLES);
}

/* docs/guarantees.md states this limit. */
TEST(liars_at_right_angles_to_every_direction_that_is_watched_are_not_found)
{
    assert_int_equal(lied(99, CROWD_PLAIN, 10, 4000, false).alarms, 0);
}

/* Prints the table of docs/guarantees.md, section 8; it asserts nothing. */
TEST(how_often_liars_are_found)
{
    static const char *const name[CROWD_LIES] = {"lazy", "plain", "grinding", "rating"};
    static const uint32_t permille[] = {1, 10, 50}, reports[] = {1000, 10000}, times[] = {20, 6};
    if (!soak()) skip();
    for (int i = 0; i < 2 * CROWD_LIES * 3 * 2; i++) {
        crowd_lie lie = (crowd_lie)(i / 12);
        bool along = i / 6 % 2 == 0, large = i % 2 == 1,
             aims = lie == CROWD_PLAIN || lie == CROWD_GRINDING;
        uint32_t share = permille[i / 2 % 3], found = 0;
        if (!along && !aims) continue;
        for (uint32_t t = 0; t < times[large]; t++) {
            found += lied(500 + t, lie, share, reports[large], along).alarms != 0;
        }
        print_message("%-8s %-12s %4.1f %% of %5u: %u of %u\n", name[lie],
                      along ? "along" : "right angles", share / 10.0, reports[large], found,
                      times[large]);
    }
}
