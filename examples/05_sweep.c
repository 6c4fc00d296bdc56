/* A sweep by libsotto-lab alone: the rows of `sotto simulate` as CSV, then what each method cost. */
#include <sotto/lab.h>
#include <stdio.h>

enum { METHODS = 3, EPSILONS = 2, MATCHES = (METHODS + 1) * EPSILONS }; /* and best-arm */
static const sotto_player player[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_LDP_SGD, SOTTO_PLAYER_OLS};
static const double epsilon[EPSILONS] = {1, 4};

static void print(const sotto_comparison *comparison, const sotto_comparison_line *line)
{
    sotto_comparison_row row;
    char text[SOTTO_ROW_BYTES];
    printf(SOTTO_COMPARISON_HEADER);
    for (uint64_t i = 0; sotto_comparison_row_at(comparison, i, &row); i++) {
        if (sotto_comparison_row_csv(&row, text) > 0) fputs(text, stdout);
    }
    for (const sotto_comparison_line *l = line; l < line + MATCHES; l++) {
        if (l->repeated) continue; /* epsilon does not apply to a method without privacy */
        printf("# %s", l->method);
        if (l->epsilon <= epsilon[EPSILONS - 1]) printf(" %g", l->epsilon);
        printf(": regret %.0f, cost %.1f\n", l->regret_mean, l->cost);
    }
}

int main(void)
{
    const sotto_scene scene = {.dim = 5, .arms = 4, .horizon = 2000}; /* people on a sphere */
    sotto_comparison_request request = sotto_comparison_request_default(&scene);
    request.player = player, request.players_count = METHODS;
    request.best_arm = true; /* also play best-arm, as `sotto simulate` does */
    request.epsilon = epsilon, request.epsilons_count = EPSILONS;
    SOTTO_COMPARISON_CHANGE(&request, environment.noise, 0.2);
    sotto_comparison *comparison;
    sotto_comparison_line line[MATCHES];
    sotto_status status = sotto_comparison_new(&request, &comparison);
    if (status == SOTTO_OK) status = sotto_comparison_play(comparison, NULL);
    if (status == SOTTO_OK) status = sotto_comparison_summarise(comparison, line, MATCHES);
    if (status == SOTTO_OK) print(comparison, line);
    sotto_comparison_free(comparison);
    return status == SOTTO_OK ? 0 : 1;
}
