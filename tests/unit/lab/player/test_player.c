/* Players: names, and who is private. */
#include "lab/player/player.h"
#include "test.h"

static void names_end(void **state)
{
    (void)state;
    assert_string_equal(sotto_player_name(SOTTO_PLAYER_LDP_SGD), "ldp-sgd");
    assert_string_equal(sotto_player_name(SOTTO_PLAYER_ORACLE), "oracle");
    assert_null(sotto_player_name(SOTTO_PLAYERS));
    assert_string_equal(sotto_calibration_name(SOTTO_CALIBRATION_PUBLISHED), "published");
    assert_null(sotto_calibration_name(3));
}

static void names_are_found_and_others_are_not(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        sotto_player found = SOTTO_PLAYERS;
        assert_true(sotto_player_from_name(sotto_player_name(p), &found));
        assert_int_equal(found, p);
    }
    sotto_player player = SOTTO_PLAYER_SGD;
    assert_false(sotto_player_from_name("Sotto", &player));
    assert_false(sotto_player_from_name("", &player));
    assert_int_equal(player, SOTTO_PLAYER_SGD);
    sotto_calibration calibration;
    assert_true(sotto_calibration_from_name("paper", &calibration));
    assert_int_equal(calibration, SOTTO_CALIBRATION_PAPER);
    assert_false(sotto_calibration_from_name("papers", &calibration));
}

static void methods_that_ship_come_first_and_are_private(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        const char *method = sotto_method_name(p);
        assert_int_equal(sotto_player_is_private((sotto_player)p), method != NULL);
        if (method != NULL) assert_string_equal(method, sotto_player_name(p));
    }
}

static void freeing_nothing_is_harmless(void **state)
{
    (void)state;
    sotto__player_free(NULL);
}

static void a_player_that_repairs_nothing_says_so(void **state)
{
    (void)state;
    assert_int_equal(sotto__player_no_repairs(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_end),
        cmocka_unit_test(names_are_found_and_others_are_not),
        cmocka_unit_test(methods_that_ship_come_first_and_are_private),
        cmocka_unit_test(freeing_nothing_is_harmless),
        cmocka_unit_test(a_player_that_repairs_nothing_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
