/* The best of the paper's methods that keep their claim. */
#include "lab/paper/papers_best.h"
#include "methods_made.h"
#include "test.h"

#include <math.h>

static void what_was_not_played_has_no_best(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    const sotto__papers_best none[] = {
        sotto__papers_best_of(r, settings.only, 7),
        sotto__papers_best_of(r, experiment_named("shared-d20"), 1),
    };
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(isnan(none[i].mean));
        assert_int_equal(none[i].player, SOTTO_PLAYERS);
        assert_null(none[i].stage);
    }
    sotto__reproduction_free(r);
}

static void only_the_papers_methods_count(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        bool papers = p == SOTTO_PLAYER_LDP_SGD || p == SOTTO_PLAYER_LDP_OLS ||
                      p == SOTTO_PLAYER_LDP_UCB || p == SOTTO_PLAYER_LDP_GLOC;
        assert_true(sotto__player_is_papers((sotto_player)p) == papers);
    }
}

/* The authors' ldp-gloc has 10, and promises nothing; sotto is not theirs. */
static void the_best_keeps_its_claim(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__papers_best best = sotto__papers_best_of(r, settings.only, 1);
    assert_near(best.mean, 30, 1e-12);
    assert_int_equal(best.player, SOTTO_PLAYER_LDP_OLS);
    assert_ptr_equal(best.stage, &settings.only->stage[1]);
    sotto__reproduction_free(r);
}

static double published_is_best(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    double regret = regret_by_method(part, match, seed, t);
    bool published = part->stage->calibration == SOTTO_CALIBRATION_PUBLISHED;
    return published && part->comparison.match[match].player == SOTTO_PLAYER_LDP_SGD ? regret / 2
                                                                                     : regret;
}

static void it_may_be_one_as_published(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, published_is_best);
    sotto__papers_best best = sotto__papers_best_of(r, settings.only, 5);
    assert_near(best.mean, 25, 1e-12);
    assert_int_equal(best.player, SOTTO_PLAYER_LDP_SGD);
    assert_ptr_equal(best.stage, &settings.only->stage[0]);
    sotto__reproduction_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_played_has_no_best),
        cmocka_unit_test(only_the_papers_methods_count),
        cmocka_unit_test(the_best_keeps_its_claim),
        cmocka_unit_test(it_may_be_one_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
