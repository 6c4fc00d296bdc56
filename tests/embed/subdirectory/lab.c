/* Plays a small comparison in the lab. C99, and C++. */
#include <sotto/lab.h>
#include <stdio.h>

static const sotto_player player[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_OLS};

int main(void)
{
    static sotto_scene scene;
    scene.dim = 2, scene.arms = 3, scene.horizon = 100;
    sotto_comparison_request request = sotto_comparison_request_default(&scene);
    request.player = player, request.players_count = 2, request.seeds = 1;
    if (!SOTTO_COMPARISON_CHANGE(&request, environment.noise, 0.2)) return 1;
    sotto_comparison *comparison = NULL;
    sotto_comparison_line line[2];
    sotto_status status = sotto_comparison_new(&request, &comparison);
    if (status == SOTTO_OK) status = sotto_comparison_play(comparison, NULL);
    if (status == SOTTO_OK) status = sotto_comparison_summarise(comparison, line, 2);
    if (status == SOTTO_OK)
        printf("%s %.17g, %s %.17g\n", line[0].method, line[0].regret_mean, line[1].method,
               line[1].regret_mean);
    sotto_comparison_free(comparison);
    return status == SOTTO_OK ? 0 : 1;
}
