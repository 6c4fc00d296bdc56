/* Lists of methods, epsilons and checkpoints. */
#include "cli/option/option.h"
#include "test.h"
#include "why.h"

#include <stdio.h>
#include <string.h>

typedef struct fields {
    uint64_t before; /* so that a list has an offset */
    player_list players;
    epsilon_list epsilons;
    point_list points;
} fields;

static const option row_of_players = {.field = offsetof(fields, players)};
static const option row_of_epsilons = {.field = offsetof(fields, epsilons), .lo = 0.01, .hi = 8};
static const option row_of_points = {.field = offsetof(fields, points)};

static fields f;

#define assert_refused(parse, row, text, words)                                                    \
    do {                                                                                           \
        assert_non_null(WHY(parse, &(row), text, &f));                                             \
        assert_string_equal(why_fault.sentence, words);                                            \
    } while (0)

TEST(a_wrong_method_is_refused_by_name)
{
    assert_non_null(WHY(player_list_parse, &row_of_players, "sotto,lpd-sgd", &f));
    assert_memory_equal(why_fault.sentence, "lpd-sgd: allowed sotto, sotto-ols, ", 35);
    assert_non_null(strstr(why_fault.sentence, "did you mean ldp-sgd?"));
    assert_refused(player_list_parse, row_of_players, "ols,sotto,ols",
                   "ols: each method may be given only once");
    assert_refused(player_list_parse, row_of_players, "sotto,",
                   "sotto,: a value is missing after the last comma");
    assert_refused(player_list_parse, row_of_players, "", "'': a list needs at least one value");
}

TEST(a_wrong_epsilon_is_refused_by_its_value)
{
    static const char *const bad[] = {"0", "8.1", "nan", "1x", "-1", "inf"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[32], words[64];
        snprintf(text, sizeof text, "1,%s", bad[i]);
        snprintf(words, sizeof words, "%s: allowed 0.01 to 8", bad[i]);
        assert_refused(epsilon_list_parse, row_of_epsilons, text, words);
    }
    assert_refused(epsilon_list_parse, row_of_epsilons, "1,",
                   "1,: a value is missing after the last comma");
    assert_refused(epsilon_list_parse, row_of_epsilons, "1,2,1.0",
                   "1.0: each value may be given only once");
}

TEST(too_many_epsilons_are_refused)
{
    char text[1024] = "";
    for (uint32_t i = 0; i <= EPSILONS_MAX; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%g", i == 0 ? "" : ",", 1 + i / 16.0);
    }
    assert_refused(epsilon_list_parse, row_of_epsilons, text, "5: allowed at most 64 values");
}

TEST(check_points_grow)
{
    assert_refused(point_list_parse, row_of_points, "5,5", "5: rounds must increase");
    assert_refused(point_list_parse, row_of_points, "5,1e3,7", "7: rounds must increase");
    assert_refused(point_list_parse, row_of_points, "0", "0: allowed rounds 1 to the horizon");
    assert_refused(point_list_parse, row_of_points, "1.5", "1.5: allowed rounds 1 to the horizon");
}

TEST(too_many_check_points_are_refused)
{
    static char text[8 * SOTTO_POINTS_MAX];
    size_t length = 0;
    for (uint32_t t = 1; t <= SOTTO_POINTS_MAX; t++) {
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%u", t == 1 ? "" : ",", t);
    }
    assert_refused(point_list_parse, row_of_points, text, "4096: allowed at most 4095 rounds");
}

TEST(a_check_point_behind_the_horizon_is_refused)
{
    assert_null(WHY(point_list_parse, &row_of_points, "10,100,101", &f));
    assert_non_null(WHY(point_list_end, &f.points, 100));
    assert_string_equal(why_fault.sentence, "101: allowed rounds 1 to the horizon");
}

TEST(methods_are_listed_in_their_order)
{
    assert_null(WHY(player_list_parse, &row_of_players, "ols,sotto", &f));
    assert_int_equal(f.players.count, 2);
    assert_int_equal(f.players.player[0], SOTTO_PLAYER_OLS);
    assert_int_equal(f.players.player[1], SOTTO_PLAYER_SOTTO);
    assert_null(WHY(player_list_parse, &row_of_players, "random", &f));
    assert_int_equal(f.players.count, 1); /* the last list counts */
}

TEST(an_epsilon_has_the_digits_that_a_row_prints)
{
    assert_null(WHY(epsilon_list_parse, &row_of_epsilons, "0.01,8,0.12345678901234567", &f));
    assert_int_equal(f.epsilons.count, 3);
    assert_true(f.epsilons.epsilon[0] == 0.01);
    assert_true(f.epsilons.epsilon[1] == 8);
    assert_true(f.epsilons.epsilon[2] == 0.123456789012346);
}

TEST(the_horizon_ends_the_check_points_once)
{
    assert_null(WHY(point_list_parse, &row_of_points, "10,1e2", &f));
    assert_null(WHY(point_list_end, &f.points, 250));
    assert_int_equal(f.points.count, 3);
    assert_int_equal(f.points.at[2], 250);
    assert_null(WHY(point_list_end, &f.points, 250));
    assert_int_equal(f.points.count, 3);
}

TEST(without_check_points_the_usual_ones_are_taken)
{
    f.points.count = 0;
    assert_null(WHY(point_list_end, &f.points, 30));
    const uint64_t wanted[] = {1, 2, 5, 10, 20, 30};
    assert_int_equal(f.points.count, 6);
    assert_memory_equal(f.points.at, wanted, sizeof wanted);
}
