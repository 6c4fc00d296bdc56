/* A program outside the project that passes the method of examples/plugin_coin.c and the
 * environment of examples/plugin_tastes.c as callbacks, with public headers only. It prints the
 * rows of
 *
 *     sotto simulate --method sotto,./coin.so --environment ./tastes.so --dim 4 --arms 3 --horizon 2000
 *         --epsilon 2,8 --seeds 3
 *
 * plugin_tastes.c is compiled with sotto_plugin_get renamed to tastes_get. */
#include <sotto/lab.h>

#include <stdio.h>
#include <stdlib.h>

const sotto_plugin *tastes_get(void);

static bool hear_failed(void *state, uint64_t run, const char *fault)
{
    (void)state;
    (void)run;
    fprintf(stderr, "%s\n", fault);
    return true;
}

int main(void)
{
    const sotto_scene scene = {
        .dim = 4, .arms = 3, .horizon = 2000, .custom = tastes_get()->environment};
    const sotto_player player[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_RANDOM};
    const sotto_player_table *const custom[] = {NULL, sotto_plugin_get()->player};
    const double epsilon[] = {2, 8};
    sotto_comparison_request request = sotto_comparison_request_default(&scene);
    request.player = player;
    request.custom = custom;
    request.players_count = 2;
    request.epsilon = epsilon;
    request.epsilons_count = 2;
    request.best_arm = true;
    request.seeds = 3;
    request.threads = 2;
    sotto_fault fault;
    if (sotto_comparison_request_fault(&request, &fault) != SOTTO_OK) {
        fprintf(stderr, "%s\n", fault.sentence);
        return EXIT_FAILURE;
    }
    sotto_comparison *comparison;
    const sotto_sweep_listener listener = {.failed = hear_failed};
    if (sotto_comparison_new(&request, &comparison) != SOTTO_OK) return EXIT_FAILURE;
    if (sotto_comparison_play(comparison, &listener) != SOTTO_OK) return EXIT_FAILURE;
    fputs(SOTTO_COMPARISON_HEADER, stdout);
    for (uint64_t i = 0; i < sotto_comparison_rows(comparison); i++) {
        sotto_comparison_row row;
        char line[SOTTO_ROW_BYTES];
        if (!sotto_comparison_row_at(comparison, i, &row)) continue;
        if (sotto_comparison_row_csv(&row, line) > 0) fputs(line, stdout);
    }
    sotto_comparison_free(comparison);
    return EXIT_SUCCESS;
}
