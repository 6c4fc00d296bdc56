/* Tables that cannot be used are refused by a sentence that names the table, the field and what is allowed. */
#include "guests.h"
#include "lab/plugin/table.h"
#include "test.h"

#include <math.h>
#include <string.h>

static char text[SOTTO_FAULT_BYTES];
static guest user;

#define assert_says(fault, words)                                                                  \
    do {                                                                                           \
        const char *got_ = (fault);                                                                \
        if (got_ == NULL || strstr(got_, words) == NULL) {                                         \
            fail_msg("\"%s\" does not say \"%s\"", got_ == NULL ? "(nothing)" : got_, words);      \
        }                                                                                          \
    } while (0)

static void tables_that_can_be_used_have_no_fault(void **state)
{
    (void)state;
    sotto_player_table player = guest_player(&user);
    sotto_environment_table environment = guest_environment(&user);
    sotto_mechanism_table mechanism = guest_mechanism(&user);
    player.estimate = NULL;
    player.free = NULL;
    player.version = NULL;
    environment.reward = NULL;
    environment.theta = NULL;
    assert_null(sotto__player_table_fault(&player, text));
    assert_null(sotto__environment_table_fault(&environment, text));
    assert_null(sotto__mechanism_table_fault(&mechanism, text));
}

static void another_abi_version_is_refused(void **state)
{
    (void)state;
    sotto_player_table player = guest_player(&user);
    player.abi = 2;
    assert_says(sotto__player_table_fault(&player, text),
                "method: its ABI version is 2, this is version 1");
    sotto_environment_table environment = guest_environment(&user);
    environment.struct_bytes += 8;
    assert_says(sotto__environment_table_fault(&environment, text), "environment: its table has ");
    sotto_mechanism_table mechanism = guest_mechanism(&user);
    mechanism.abi = 0;
    assert_says(sotto__mechanism_table_fault(&mechanism, text),
                "mechanism: its ABI version is 0, this is version 1");
}

static void names_that_would_break_a_row_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",      "a,b",
                                      "a b",   "a\"b",
                                      "a\nb",  "caf\xc3\xa9",
                                      "x\xff", "x\xc2\x9bm",
                                      "x/y",   "a2345678901234567890123456789012"};
    sotto_player_table player = guest_player(&user);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        player.name = bad[i];
        assert_says(sotto__player_table_fault(&player, text), "allowed 1 to 31 letters");
        assert_null(strpbrk(text, "\n\xff\x9b"));
    }
    player.name = "a23456789012345678901234567890\xc3\xa9"; /* 32 bytes */
    assert_says(sotto__player_table_fault(&player, text),
                "is \"a23456789012345678901234567890\xc3\xa9\": allowed");
    player.name = "a234567890123456789012345678901\xc3\xa9"; /* the 32nd is half a letter */
    assert_says(sotto__player_table_fault(&player, text),
                "is \"a234567890123456789012345678901\": allowed");
    player.name = NULL;
    assert_says(sotto__player_table_fault(&player, text), "method: its name is missing");
    player.name = "a234567890123456789012345678901";
    assert_null(sotto__player_table_fault(&player, text));
}

static void functions_that_are_needed_are_named(void **state)
{
    (void)state;
    sotto_player_table player;
    sotto_environment_table environment;
    sotto_mechanism_table mechanism;
#define WITHOUT(kind, function)                                                                    \
    kind = guest_##kind(&user);                                                                    \
    kind.function = NULL;                                                                          \
    assert_says(sotto__##kind##_table_fault(&kind, text),                                          \
                ": its function " #function " is missing");
    WITHOUT(player, make)
    WITHOUT(player, report_bytes_max)
    WITHOUT(player, decide)
    WITHOUT(player, report)
    WITHOUT(player, learn)
    WITHOUT(environment, make)
    WITHOUT(environment, context)
    WITHOUT(environment, means)
    WITHOUT(mechanism, make)
    WITHOUT(mechanism, draw)
}

static void bounds_of_an_environment_are_checked(void **state)
{
    (void)state;
    sotto_environment_table table;
#define BAD(field, value, words)                                                                   \
    table = guest_environment(&user);                                                              \
    table.field = value;                                                                           \
    assert_says(sotto__environment_table_fault(&table, text), words);
    BAD(context_norm_max, NAN, "environment garden: context_norm_max = nan: allowed")
    BAD(context_norm_max, 0, "context_norm_max = 0: allowed")
    BAD(theta_norm_max, INFINITY, "theta_norm_max = inf: allowed")
    BAD(reward_lo, 2, "reward_lo, reward_hi = 2, 2: allowed")
    BAD(reward_hi, NAN, "reward_lo, reward_hi = -2, nan: allowed")
    BAD(reward_hi, 1e7, "reward_lo, reward_hi = -2, 10000000: allowed")
    BAD(shared, false, "neither shared nor per_arm")
}

static void blame_names_the_guest_and_makes_its_words_harmless(void **state)
{
    (void)state;
    sotto__table_blame(text, "method", "mine", 7, "%s", "no\x1b[2Jgood\n");
    assert_string_equal(text, "method mine, round 7: no?[2Jgood");
    sotto__table_blame(text, "method", "mine", 7, "%s",
                       "no\xC2\x9B"
                       "2J\xE2\x80\xAE\xFF gut\xC3\xA4");
    assert_string_equal(text, "method mine, round 7: no?2J?? gut\xC3\xA4");
    sotto__table_blame(text, "method", "mine", 7, "%s", "no\x1b[2Jgood\n");
    sotto__table_blame(text, "method", "mine", 0, "%s", text);
    assert_string_equal(text, "method mine: method mine, round 7: no?[2Jgood");
    sotto__table_blame(text, "method", "mine", 7, "%s", "\n");
    assert_string_equal(text, "method mine, round 7: it failed without saying why");
    char longest[2 * SOTTO_FAULT_BYTES];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    sotto__table_blame(text, "method", "mine", 7, "%s", longest);
    assert_int_equal(strlen(text), SOTTO_FAULT_BYTES - 1);
    for (size_t at = 0; at + 2 < sizeof longest; at += 2) {
        memcpy(longest + at, "\xC3\xA4", 2);
    }
    sotto__table_blame(text, "method", "m", 0, "%s",
                       longest); /* one byte is left, a letter has two */
    assert_int_equal(strlen(text), SOTTO_FAULT_BYTES - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_abi_version_is_refused),
        cmocka_unit_test(names_that_would_break_a_row_are_refused),
        cmocka_unit_test(functions_that_are_needed_are_named),
        cmocka_unit_test(bounds_of_an_environment_are_checked),
        cmocka_unit_test(blame_names_the_guest_and_makes_its_words_harmless),
        cmocka_unit_test(tables_that_can_be_used_have_no_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
