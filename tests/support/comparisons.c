/* A small comparison with results made by hand. */
#include "comparisons.h"
#include "scenes.h"
#include "test.h"

void small_comparison_new(sotto__comparison *out)
{
    assert_ok(sotto__comparison_new(SMALL_MATCHES, out));
    for (uint32_t i = 0; i < SMALL_MATCHES; i++) {
        sotto_player player = i < 2 ? SOTTO_PLAYER_SOTTO : SOTTO_PLAYER_OLS;
        out->match[i] = small_match(player, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                                    SOTTO_LINK_IDENTITY, 400);
        out->epsilon[i] = i % 2 == 0 ? 0.5 : 2;
    }
    out->sweep.matches_count = SMALL_MATCHES;
    out->sweep.first_seed = 7;
    out->sweep.seeds_count = SMALL_SEEDS;
    out->sweep.threads = 1;
    out->sweep.at_count = SMALL_POINTS;
    out->at[0] = 10;
    out->at[1] = 400;
}

void small_take(sotto__results *results, const sotto__comparison *comparison, uint64_t run)
{
    sotto_point point[SMALL_POINTS];
    for (uint32_t i = 0; i < SMALL_POINTS; i++) {
        point[i] = (sotto_point){
            .t = comparison->at[i],
            .regret = (double)((run + 1) * comparison->at[i]),
            .estimation_error = 1 / (double)(run + 1),
        };
    }
    const sotto_run_result result = {.seconds = 2, .repairs = run};
    sotto__results_take(results, run, point, &result);
}
