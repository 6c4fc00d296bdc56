/* Tables that cannot be used are refused with a sentence that names the table, the field and what
 * is allowed. */
#include "guests.h"
#include "lab/plugin/plugin.h"
#include "test.h"
#include "why.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static guest user;

#define assert_says(fault, words)                                                                  \
    do {                                                                                           \
        const char *got_ = (fault);                                                                \
        if (got_ == NULL || strstr(got_, words) == NULL) {                                         \
            fail_msg("\"%s\" does not say \"%s\"", got_ == NULL ? "(nothing)" : got_, words);      \
        }                                                                                          \
    } while (0)

TEST(tables_that_can_be_used_have_no_fault)
{
    sotto_player_table player = guest_player(&user);
    sotto_environment_table environment = guest_environment(&user);
    sotto_mechanism_table mechanism = guest_mechanism(&user);
    player.estimate = NULL;
    player.free = NULL;
    player.version = NULL;
    environment.reward = NULL;
    environment.theta = NULL;
    assert_null(WHY(sotto__player_table_fault, &player));
    assert_null(WHY(sotto__environment_table_fault, &environment));
    assert_null(WHY(sotto__mechanism_table_fault, &mechanism));
}

TEST(another_abi_version_is_refused)
{
    sotto_player_table player = guest_player(&user);
    player.abi = 2;
    assert_says(WHY(sotto__player_table_fault, &player), "method: its ABI version is 2; allowed 1");
    sotto_environment_table environment = guest_environment(&user);
    environment.struct_bytes += 8;
    assert_says(WHY(sotto__environment_table_fault, &environment), "environment: its table has ");
    sotto_mechanism_table mechanism = guest_mechanism(&user);
    mechanism.abi = 0;
    assert_says(WHY(sotto__mechanism_table_fault, &mechanism),
                "mechanism: its ABI version is 0; allowed 1");
}

TEST(names_that_would_break_a_row_are_refused)
{
    static const char *const bad[] = {"",      "a,b",
                                      "a b",   "a\"b",
                                      "a\nb",  "caf\xc3\xa9",
                                      "x\xff", "x\xc2\x9bm",
                                      "x/y",   "a2345678901234567890123456789012"};
    sotto_player_table player = guest_player(&user);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        player.name = bad[i];
        assert_says(WHY(sotto__player_table_fault, &player), "allowed 1 to 31 letters");
        assert_null(strpbrk(why_fault.sentence, "\n\xff\x9b"));
    }
    player.name = "a23456789012345678901234567890\xc3\xa9"; /* 32 bytes */
    assert_says(WHY(sotto__player_table_fault, &player),
                "is \"a23456789012345678901234567890\xc3\xa9\": allowed");
    player.name = "a234567890123456789012345678901\xc3\xa9"; /* the 32nd is half a letter */
    assert_says(WHY(sotto__player_table_fault, &player),
                "is \"a234567890123456789012345678901\": allowed");
    player.name = NULL;
    assert_says(WHY(sotto__player_table_fault, &player), "method: its name is missing");
    player.name = "a234567890123456789012345678901";
    assert_null(WHY(sotto__player_table_fault, &player));
}

TEST(functions_that_are_needed_are_named)
{
    sotto_player_table player;
    sotto_environment_table environment;
    sotto_mechanism_table mechanism;
#define WITHOUT(kind, function)                                                                    \
    kind = guest_##kind(&user);                                                                    \
    kind.function = NULL;                                                                          \
    assert_says(WHY(sotto__##kind##_table_fault, &kind), ": its function " #function " is "        \
                                                         "missing");
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

TEST(bounds_of_an_environment_are_checked)
{
    sotto_environment_table table;
#define BAD(field, value, words)                                                                   \
    table = guest_environment(&user);                                                              \
    table.field = value;                                                                           \
    assert_says(WHY(sotto__environment_table_fault, &table), words);
    BAD(context_norm_max, NAN, "environment garden: context_norm_max = nan: allowed")
    BAD(context_norm_max, 0, "context_norm_max = 0: allowed")
    BAD(theta_norm_max, INFINITY, "theta_norm_max = inf: allowed")
    BAD(reward_lo, 2, "reward_lo, reward_hi = 2, 2: allowed")
    BAD(reward_hi, NAN, "reward_lo, reward_hi = -2, nan: allowed")
    BAD(reward_hi, 1e7, "reward_lo, reward_hi = -2, 10000000: allowed")
    BAD(shared, false, "neither shared nor per_arm")
#undef BAD
    table = guest_environment(&user);
    table.reward_lo = -1e6, table.reward_hi = 1e6;
    assert_null(WHY(sotto__environment_table_fault, &table));
}

TEST(blame_names_the_guest_and_makes_its_words_harmless)
{
    sotto__table_blame(&why_fault, "method", "mine", 7, "%s", "no\x1b[2Jgood\n");
    assert_string_equal(why_fault.sentence, "method mine, round 7: no?[2Jgood");
    sotto__table_blame(&why_fault, "method", "mine", 7, "%s",
                       "no\xC2\x9B"
                       "2J\xE2\x80\xAE\xFF gut\xC3\xA4");
    assert_string_equal(why_fault.sentence, "method mine, round 7: no?2J?? gut\xC3\xA4");
    sotto__table_blame(&why_fault, "method", "mine", 7, "%s", "no\x1b[2Jgood\n");
    sotto__table_blame(&why_fault, "method", "mine", 0, "%s", why_fault.sentence);
    assert_string_equal(why_fault.sentence, "method mine: method mine, round 7: no?[2Jgood");
    sotto__table_blame(&why_fault, "method", "mine", 7, "%s", "\n");
    assert_string_equal(why_fault.sentence, "method mine, round 7: it failed without saying why");
    char longest[2 * SOTTO_FAULT_BYTES];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    sotto__table_blame(&why_fault, "method", "mine", 7, "%s", longest);
    assert_int_equal(strlen(why_fault.sentence), SOTTO_FAULT_BYTES - 1);
    for (size_t at = 0; at + 2 < sizeof longest; at += 2) {
        memcpy(longest + at, "\xC3\xA4", 2);
    }
    sotto__table_blame(&why_fault, "method", "m", 0, "%s",
                       longest); /* one byte is left, a letter has two */
    assert_int_equal(strlen(why_fault.sentence), SOTTO_FAULT_BYTES - 2);
}

/* Child processes: a crash ends them although this program has handlers, and the way they end is
 * reported. */

static void survive(int number)
{
    (void)number;
    _exit(9);
}

/* How a child that runs this function ends. */
static const char *end_of(int number, int status)
{
    int end;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, survive);
        signal(SIGABRT, survive);
        sotto__child_begin();
        if (number != 0) raise(number);
        _exit(status);
    }
    assert_int_equal(waitpid(child, &end, 0), child);
    (void)sotto__child_fault("it", end, &why_fault);
    return why_fault.sentence;
}

TEST(a_crash_is_a_crash_whatever_the_parent_does_with_signals)
{
    assert_string_equal(end_of(SIGSEGV, 0), "it: crashed with signal 11 (Segmentation fault)");
    assert_string_equal(end_of(SIGABRT, 0), "it: crashed with signal 6 (Aborted)");
    assert_string_equal(end_of(SIGKILL, 0), "it: crashed with signal 9 (Killed)");
}

TEST(an_exit_is_told_with_its_status)
{
    assert_string_equal(end_of(0, 0), "it: ended the process with status 0");
    assert_string_equal(end_of(0, 3), "it: ended the process with status 3");
}

/* More than a pipe holds at once. */
TEST(what_is_sent_arrives_whole)
{
    static uint8_t sent[300000], got[sizeof sent];
    int ends[2], end;
    size_t count = 0;
    for (size_t i = 0; i < sizeof sent; i++) {
        sent[i] = (uint8_t)(i * 7 + i / 1000);
    }
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) _exit(sotto__child_send(ends[1], sent, sizeof sent) ? 0 : 1);
    close(ends[1]);
    for (ssize_t n = 1; n > 0; count += (size_t)n) {
        n = read(ends[0], got + count, sizeof got - count);
        assert_true(n >= 0);
    }
    close(ends[0]);
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_int_equal(end, 0);
    assert_int_equal(count, sizeof sent);
    assert_memory_equal(got, sent, sizeof sent);
}

TEST(nobody_who_reads_is_told)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    assert_false(sotto__child_send(ends[1], "x", 1));
    signal(SIGPIPE, before);
    close(ends[1]);
}

/* The grandchild holds the pipe open until it ends. */
TEST(a_child_dies_with_its_parent)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            sotto__child_begin();
            (void)!write(ends[1], "x", 1);
            for (;;) {
                pause();
            }
        }
        (void)!read(ends[0], &byte, 1); /* the grandchild has begun */
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ends[1]);
    alarm(20); /* instead of waiting forever */
    assert_int_equal(read(ends[0], &byte, 1), 0);
    alarm(0);
    close(ends[0]);
}

/* Streams lent to plug-ins give the lab's own numbers, and one person's draws do not affect the
 * next person's. */

TEST(the_stream_of_a_purpose_is_the_lab_s_own)
{
    sotto__ziggurat ziggurat;
    sotto__seeded own;
    sotto__lent lent;
    sotto__ziggurat_begin(&ziggurat);
    sotto__stream_begin(&own, 7, SOTTO__PURPOSE_PRIVACY);
    sotto__lent_begin(&lent, 7, SOTTO__PURPOSE_PRIVACY, &ziggurat);
    for (int i = 0; i < 1000; i++) {
        assert_true(sotto_stream_bits(&lent.stream) == sotto__seeded_next(&own));
        assert_near(sotto_stream_uniform(&lent.stream), sotto__uniform(sotto__seeded_next(&own)),
                    0);
        assert_near(sotto_stream_normal(&lent.stream), sotto__normal(&ziggurat, &own), 0);
    }
}

TEST(the_same_person_has_the_same_numbers_and_another_has_others)
{
    sotto__ziggurat ziggurat;
    sotto__lent lent;
    sotto__ziggurat_begin(&ziggurat);
    sotto__lent_person(&lent, 11, &ziggurat);
    uint64_t first = sotto_stream_bits(&lent.stream);
    (void)sotto_stream_normal(&lent.stream);
    sotto__lent_person(&lent, 12, &ziggurat);
    assert_true(sotto_stream_bits(&lent.stream) != first);
    sotto__lent_person(&lent, 11, &ziggurat);
    assert_true(sotto_stream_bits(&lent.stream) == first);
}

/* Both sides of a run get what the spec says. */

TEST(a_problem_is_that_of_the_spec)
{
    const double worth[3] = {1, 2, 3};
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_COUNT);
    spec.dim = 5;
    spec.arms = 3;
    spec.link = SOTTO_LINK_LOG;
    spec.reward_hi = 9;
    spec.context_norm_max = 0.5;
    spec.theta_norm_max = 2;
    sotto_problem problem = sotto__problem_of(&spec, 77, worth);
    assert_ints(problem.dim, 5, problem.arms, 3, problem.parameters, SOTTO_PARAMETERS_SHARED);
    assert_ints(problem.link, SOTTO_LINK_LOG, problem.reward_kind, SOTTO_REWARD_COUNT);
    assert_ints(problem.context_count, 15, problem.theta_count, 5);
    assert_nears(0, problem.reward_lo, spec.reward_lo, problem.reward_hi, 9);
    assert_nears(0, problem.context_norm_max, 0.5, problem.theta_norm_max, 2);
    assert_int_equal(problem.horizon, 77);
    assert_ptr_equal(problem.worth, worth);
}

TEST(per_arm_parameters_have_one_context_and_many_parameters)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 5;
    spec.arms = 3;
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    sotto_problem problem = sotto__problem_of(&spec, 0, NULL);
    assert_ints(problem.context_count, 5, problem.theta_count, 15, problem.horizon, 0);
    assert_null(problem.worth);
}
