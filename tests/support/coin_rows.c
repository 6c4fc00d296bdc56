/* The method of examples/plugin_coin.c in the lab by callbacks, on two threads: the rows that `sotto
 * simulate --method sotto,./coin.so --dim 4 --arms 3 --horizon 2000 --epsilon 2 --seeds 3` gives. */
#include "lab/run/rows.h"

#include <stdio.h>
#include <stdlib.h>

enum { HORIZON = 2000, SEEDS = 3, MATCHES = 2 };

static bool take(void *state, uint64_t run, const sotto_point *point,
                 const sotto_run_result *result)
{
    (void)result;
    sotto_point *all = state;
    all[run] = *point;
    return true;
}

int main(void)
{
    const sotto_scene scene = {.dim = 4, .arms = 3, .horizon = HORIZON};
    const uint64_t at[1] = {HORIZON};
    sotto_point point[MATCHES * SEEDS];
    sotto_match match[MATCHES];
    match[0] = sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 2, 1e-6);
    if (sotto_match_set_learning(&match[0]) != SOTTO_OK) return EXIT_FAILURE;
    match[0].learning.epoch = 1;
    match[1] = sotto_match_default(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT, &scene, 2, 1e-6);
    match[1].brought = sotto_plugin_get()->player;
    const sotto_sweep sweep = {match, MATCHES, 1, SEEDS, at, 1, 2};
    const sotto_sweep_listener listener = {.finished = take, .state = point};
    if (sotto_sweep_run(&sweep, &listener) != SOTTO_OK) return EXIT_FAILURE;
    for (uint32_t run = 0; run < MATCHES * SEEDS; run++) {
        char text[SOTTO__ROW_BYTES];
        sotto__row_text(run < SEEDS ? "sotto" : "coin", 2, 1 + run % SEEDS, &point[run],
                        SOTTO__TEXT_CSV, text);
        fputs(text, stdout);
    }
    return EXIT_SUCCESS;
}
