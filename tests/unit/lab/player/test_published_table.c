/* The table of the methods of the authors' code. */
#include "lab/player/player_rows.h"
#include "published_twin.h"

static void other_methods_are_refused(void **state)
{
    (void)state;
    const sotto_player kinds[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_SOTTO_OLS, SOTTO_PLAYER_OLS,
                                  SOTTO_PLAYER_ORACLE};
    for (int i = 0; i < 4; i++) {
        sotto_match match = published_match(kinds[i], true, false);
        sotto__player *player;
        assert_status(sotto__player_published_new(&match, 0, NULL, &player), SOTTO_E_FAULT);
        assert_null(player);
    }
}

/* 64 x 65 = 4160 numbers would take a matrix too large to be of use. */
static void spaces_too_large_are_refused(void **state)
{
    (void)state;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, false, false);
    sotto__player *player;
    match.spec.dim = 64;
    match.spec.arms = 65;
    assert_status(sotto__player_published_new(&match, 0, NULL, &player), SOTTO_E_LENGTH);
    assert_null(player);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_methods_are_refused),
        cmocka_unit_test(spaces_too_large_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
