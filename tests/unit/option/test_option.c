/* Options from a table: what is refused and how it is said, then what is read. */
#include "capture.h"
#include "option/option.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a command with an option of every kind ------------------------------------------------ */

typedef enum colour { RED, GREEN, BLUE } colour;

static const char *colour_name(uint32_t value)
{
    static const char *const name[] = {"red", "green", "dark-blue"};
    return value < 3 ? name[value] : NULL;
}

typedef struct inner {
    uint32_t count;
    double size;
    bool loud;
} inner;

typedef struct fields {
    uint32_t dim;
    colour paint;
    inner in;
    uint64_t trials;
    double epsilon, range[2];
    const char *out;
    bool json;
} fields;

enum { CAT = 1, DOG = 2 };

#define FIELD(member) OPTION_FIELD(fields, member)
static const option table[] = {
    {"dim", FIELD(dim), OPTION_NUMBER(NULL, 1, 1024), "subject", "numbers of a vector, needed"},
    {"epsilon", FIELD(epsilon), OPTION_NUMBER("1", 0.01, 8), "subject", "of each report"},
    {"paint", OPTION_FIELD_OF(fields, paint, CAT), OPTION_NAME("green", colour_name), "subject",
     "its colour"},
    {"count", FIELD(in.count), OPTION_NUMBER("3", 0, 4294967295), "inside", "of them"},
    {"size", OPTION_FIELD_OF(fields, in.size, CAT | DOG), OPTION_NUMBER("0.5", -1, 1), "inside",
     "of each"},
    {"loud", OPTION_FIELD_OF(fields, in.loud, DOG), OPTION_FLAG, "inside", "barks"},
    {"trials", FIELD(trials), OPTION_NUMBER("1e6", 1, 1e15), "inside", "how often"},
    {"range", FIELD(range), OPTION_NUMBER("-1,1", -5, 5), "output", "LO,HI: from and to"},
    {"out", FIELD(out), OPTION_TEXT(NULL), "output", "FILE to write to"},
    {"json", FIELD(json), OPTION_FLAG, "output", "one JSON object"},
    OPTION_END,
};
static const command self = {
    .name = "test",
    .summary = "for tests",
    .usage = "sotto test [options]",
    .example = "  sotto test --dim 3\n",
    .table = table,
};

#define WORDS_MAX 12

/* Parses words, which end with NULL; what it says goes to `said`. */
static bool parse(const char *const *words, command_line *line, fields *f, char **argv,
                  char said[CAPTURE_BYTES])
{
    int argc = 0;
    for (; words[argc] != NULL; argc++) {
        assert_true(argc < WORDS_MAX);
        argv[argc] = (char *)(uintptr_t)words[argc];
    }
    *f = (fields){0};
    capture c = capture_begin(stderr);
    bool good = command_line_parse(line, &self, f, argc, argv);
    capture_end(&c, said);
    return good;
}

#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static void assert_refused(const char *const *words, const char *sentence)
{
    char said[CAPTURE_BYTES], *argv[WORDS_MAX];
    command_line line;
    fields f;
    bool good = parse(words, &line, &f, argv, said);
    assert_string_equal(said, sentence);
    assert_false(good);
}

static command_line good(const char *const *words, fields *f, char **argv)
{
    char said[CAPTURE_BYTES];
    command_line line;
    if (!parse(words, &line, f, argv, said)) fail_msg("refused: %s", said);
    assert_string_equal(said, "");
    return line;
}

/* ---- what is refused ---------------------------------------------------------------------- */

TEST(unknown_options_are_refused_and_the_nearest_is_named)
{
    assert_refused(WORDS("--dimm", "3"), "sotto test: unknown option --dimm; did you mean --dim? "
                                         "sotto test --help lists them\n");
    assert_refused(WORDS("--JSON"), "sotto test: unknown option --JSON; did you mean --json? sotto "
                                    "test --help lists them\n");
    assert_refused(WORDS("--eps", "3"), "sotto test: unknown option --eps; did you mean --epsilon? "
                                        "sotto test --help lists them\n");
    assert_refused(WORDS("--lout"), /* as near to --out, which comes later */
                   "sotto test: unknown option --lout; did you mean --loud? sotto test --help "
                   "lists them\n");
    assert_refused(WORDS("--epsiabcd"), /* four letters away */
                   "sotto test: unknown option --epsiabcd; sotto test --help lists them\n");
    assert_refused(WORDS("--qqqqqqqq"),
                   "sotto test: unknown option --qqqqqqqq; sotto test --help lists them\n");
    assert_refused(WORDS("--qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"),
                   "sotto test: unknown option --qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq; sotto "
                   "test --help lists them\n");
}

TEST(what_a_terminal_obeys_is_not_said)
{
    char said[CAPTURE_BYTES], *argv[WORDS_MAX], longest[9000];
    fields f;
    assert_refused(WORDS("--qqq\xC2\x9B"
                         "31mqqqqq"),
                   "sotto test: unknown option --qqq?31mqqqqq; sotto test --help lists them\n");
    assert_refused(WORDS("--dim", "3\xC2\x9B\xFF\xE2\x80\xAE\xC3\xA4"),
                   "sotto test: --dim = 3???\xC3\xA4: allowed whole numbers 1 to 1024\n");
    command_line line = good(WORDS("--json"), &f, argv);
    for (size_t i = 0; i + 2 < sizeof longest; i += 2) {
        memcpy(longest + i, "\xC3\xA4", 2);
    }
    longest[sizeof longest - 2] = '\0';
    capture c = capture_begin(stderr);
    option_say(&line, "at the end \xC3");
    capture_end(&c, said);
    assert_string_equal(said, "sotto test: at the end ?\n");
    c = capture_begin(stderr);
    option_say(&line, "%s", longest);
    capture_end(&c, said);
    assert_null(strchr(said, '?')); /* cut, and not within a letter */
    assert_int_equal(strlen(said), strlen("sotto test: \n") + 8190);
}

TEST(flags_take_no_value_and_the_others_need_one)
{
    assert_refused(WORDS("--json=yes"), "sotto test: --json takes no value\n");
    assert_refused(WORDS("--dim"), "sotto test: --dim needs a value\n");
    assert_refused(WORDS("--dim="), "sotto test: --dim = : allowed whole numbers 1 to 1024\n");
}

TEST(numbers_out_of_range_are_refused)
{
    assert_refused(WORDS("--dim", "0"), "sotto test: --dim = 0: allowed whole numbers 1 to 1024\n");
    assert_refused(WORDS("--dim", "1025"),
                   "sotto test: --dim = 1025: allowed whole numbers 1 to 1024\n");
    assert_refused(WORDS("--dim", "1.5"),
                   "sotto test: --dim = 1.5: allowed whole numbers 1 to 1024\n");
    assert_refused(WORDS("--dim", "-3"),
                   "sotto test: --dim = -3: allowed whole numbers 1 to 1024\n");
    assert_refused(WORDS("--count", "4294967296"),
                   "sotto test: --count = 4294967296: allowed whole numbers 0 to 4294967295\n");
    assert_refused(WORDS("--trials", "1e16"),
                   "sotto test: --trials = 1e16: allowed whole numbers 1 to 1e15\n");
    assert_refused(WORDS("--epsilon", "nan"), "sotto test: --epsilon = nan: allowed 0.01 to 8\n");
    assert_refused(WORDS("--epsilon", "8.01"), "sotto test: --epsilon = 8.01: allowed 0.01 to 8\n");
    assert_refused(WORDS("--epsilon", "1x"), "sotto test: --epsilon = 1x: allowed 0.01 to 8\n");
}

TEST(pairs_need_two_numbers_in_the_range)
{
    static const char *const bad[] = {"",    "1",   "1,",   ",1",    "1,2,3",
                                      "1;2", "1,6", "-6,1", "nan,1", "1,x"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char sentence[100];
        snprintf(sentence, sizeof sentence,
                 "sotto test: --range = %s: allowed LO,HI, each -5 to 5\n", bad[i]);
        assert_refused(WORDS("--range", bad[i]), sentence);
    }
}

TEST(names_that_are_not_in_the_list_are_refused)
{
    assert_refused(WORDS("--paint", "gren"),
                   "sotto test: --paint = gren: allowed red, green, dark-blue; did you mean "
                   "green?\n");
    assert_refused(WORDS("--paint", "blue"), "sotto test: --paint = blue: allowed red, green, "
                                             "dark-blue; did you mean dark-blue?\n");
    assert_refused(WORDS("--paint", "zz"),
                   "sotto test: --paint = zz: allowed red, green, dark-blue\n");
    assert_refused(WORDS("--paint", ""), "sotto test: --paint = : allowed red, green, dark-blue\n");
}

TEST(words_without_an_option_can_be_refused)
{
    char said[CAPTURE_BYTES], *argv[WORDS_MAX];
    fields f;
    command_line line = good(WORDS("one", "--dim", "3", "-x", "two"), &f, argv);
    assert_int_equal(line.words_count, 3);
    assert_strings(argv[0], "one", argv[1], "-x", argv[2], "two");
    capture c = capture_begin(stderr);
    bool none = command_line_no_words(&line, argv);
    capture_end(&c, said);
    assert_false(none);
    assert_string_equal(said,
                        "sotto test: one: unexpected word; sotto test --help lists options\n");
    line = good(WORDS("--dim", "3"), &f, argv);
    assert_true(command_line_no_words(&line, argv));
}

TEST(a_needed_option_that_is_missing_is_named)
{
    char said[CAPTURE_BYTES], *argv[WORDS_MAX];
    fields f;
    command_line line = good(WORDS("--epsilon", "1"), &f, argv);
    capture c = capture_begin(stderr);
    bool there = OPTION_NEED(&line, fields, dim);
    capture_end(&c, said);
    assert_false(there);
    assert_string_equal(said, "sotto test: --dim is needed; sotto test --help shows an example\n");
    assert_true(OPTION_NEED(&line, fields, epsilon));
}

TEST(options_of_another_subject_are_refused)
{
    char said[CAPTURE_BYTES], *argv[WORDS_MAX];
    fields f;
    command_line line = good(WORDS("--dim=1", "--size", "1", "--loud", "--paint", "red"), &f, argv);
    capture c = capture_begin(stderr);
    bool cat = command_line_applies(&line, CAT, "a cat");
    bool dog = command_line_applies(&line, DOG, "a dog");
    capture_end(&c, said);
    assert_false(cat);
    assert_false(dog);
    assert_string_equal(said, "sotto test: --loud does not apply to a cat\n"
                              "sotto test: --paint does not apply to a dog\n");
    line = good(WORDS("--dim=1", "--size", "1", "--loud"), &f, argv);
    assert_true(command_line_applies(&line, DOG, "a dog"));
}

TEST(sentences_begin_with_the_command)
{
    char said[CAPTURE_BYTES], *argv[WORDS_MAX];
    fields f;
    command_line line = good(WORDS("--json"), &f, argv);
    capture c = capture_begin(stderr);
    bool a = option_say(&line, "%d of %s", 3, "four");
    capture_end(&c, said);
    assert_false(a);
    assert_string_equal(said, "sotto test: 3 of four\n");
}

TEST(faults_of_the_library_name_options_as_they_are_typed)
{
    static const option rows[] = {
        {"allow-weak-delta", FIELD(json), OPTION_FLAG, "subject", "consent"},
        {"theta-norm", FIELD(epsilon), OPTION_NUMBER("1", 0, 1), "subject", "length"},
        {"area", FIELD(in.size), OPTION_NUMBER("0", 0, 1), "subject", "of each report"},
        OPTION_END,
    };
    static const command of_rows = {.name = "test", .table = rows};
    const command_line line = {.self = &of_rows};
    static const struct {
        sotto_fault fault;
        const char *said;
    } cases[] = {
        {{.sentence = "theta_norm is said"}, "of it: theta_norm is said"},
        {{"size", "3", "only with `allow_weak_delta` or `other_field`",
          "size = 3: only with allow_weak_delta or other_field"},
         "of it: --area = 3: only with --allow-weak-delta or other_field"},
        {{"theta_norm", "3", "at most 1", "world: theta_norm = 3: at most 1"},
         "of it: world: --theta-norm = 3: at most 1"},
        {{"size, other", "1, 2", "2, 1", "size, other = 1, 2: 2, 1"}, "of it: --area = 1, 2: 2, 1"},
        {{"other", "", "must be 0", "other: must be 0"}, "of it: other: must be 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char said[CAPTURE_BYTES], wanted[CAPTURE_BYTES];
        capture c = capture_begin(stderr);
        bool good = option_refuse(&line, "of it: ", &cases[i].fault);
        capture_end(&c, said);
        assert_false(good);
        snprintf(wanted, sizeof wanted, "sotto test: %s\n", cases[i].said);
        assert_string_equal(said, wanted);
    }
}

/* ---- what is read ------------------------------------------------------------------------- */

TEST(defaults_are_those_of_the_rows)
{
    char *argv[WORDS_MAX];
    fields f;
    command_line line = good(&WORDS("x")[1], &f, argv);
    assert_ints(f.dim, 0, f.paint, GREEN, f.in.count, 3);
    assert_true(f.in.size == 0.5 && !f.in.loud);
    assert_int_equal(f.trials, 1000000);
    assert_true(f.epsilon == 1 && f.range[0] == -1 && f.range[1] == 1);
    assert_null(f.out);
    assert_false(f.json);
    assert_int_equal(line.given, 0);
}

TEST(values_follow_their_option_or_its_equals_sign)
{
    char *argv[WORDS_MAX];
    fields f;
    good(WORDS("--dim=1024", "--paint", "dark-blue", "--count=4294967295", "--size=-1", "--loud",
               "--trials", "1e15", "--range=-5,5"),
         &f, argv);
    assert_ints(f.dim, 1024, f.paint, BLUE);
    assert_true(f.in.count == UINT32_MAX && f.in.size == -1 && f.in.loud);
    assert_true(f.trials == 1000000000000000);
    assert_true(f.range[0] == -5 && f.range[1] == 5);
    good(WORDS("--out", "--json", "--epsilon=0.01", "--epsilon", "8"), &f, argv);
    assert_string_equal(f.out, "--json"); /* the next word, whatever it looks like */
    assert_false(f.json);
    assert_true(f.epsilon == 8); /* the last one counts */
    good(WORDS("--out=a=b"), &f, argv);
    assert_string_equal(f.out, "a=b");
}

TEST(what_was_given_is_known_by_its_field)
{
    char *argv[WORDS_MAX];
    fields f;
    command_line line = good(WORDS("--epsilon", "1", "--json"), &f, argv);
    assert_true(OPTION_GIVEN(&line, fields, epsilon));
    assert_true(OPTION_GIVEN(&line, fields, json));
    assert_false(OPTION_GIVEN(&line, fields, dim));
    assert_false(OPTION_GIVEN(&line, fields, trials));
    assert_string_equal(option_name(&line, offsetof(fields, in.count)), "count");
}

TEST(a_field_is_given_by_any_of_its_options)
{
    static const option rows[] = {
        {"dim", FIELD(dim), OPTION_NUMBER(NULL, 1, 1024), "subject", "numbers of a vector"},
        {"d", FIELD(dim), OPTION_NUMBER(NULL, 1, 1024), "subject", "the same"},
        OPTION_END,
    };
    static const command twice = {.name = "test", .table = rows};
    fields f = {0};
    command_line line;
    char first[] = "--dim=3", second[] = "--d=4", *argv[] = {first, second};
    assert_true(command_line_parse(&line, &twice, &f, 1, argv));
    assert_true(OPTION_GIVEN(&line, fields, dim));
    assert_true(command_line_parse(&line, &twice, &f, 1, argv + 1));
    assert_true(OPTION_GIVEN(&line, fields, dim));
    assert_int_equal(f.dim, 4);
}

TEST(only_what_was_given_is_copied)
{
    char *argv[WORDS_MAX];
    fields f;
    command_line line = good(WORDS("--dim=9", "--size", "1", "--loud", "--trials", "7"), &f, argv);
    struct {
        inner in;
        uint64_t after;
    } to = {{.count = 42, .size = 43, .loud = false}, 44};
    command_line_copy_given(&line, offsetof(fields, in), sizeof(inner), &to);
    assert_true(to.in.count == 42 && to.in.size == 1 && to.in.loud && to.after == 44);
    line = good(WORDS("--count=5", "--range=-2,3"), &f, argv);
    command_line_copy_given(&line, offsetof(fields, in), sizeof(inner), &to);
    assert_int_equal(to.in.count, 5); /* the first of the part */
    double range[2] = {0, 0};
    command_line_copy_given(&line, offsetof(fields, range), sizeof range, range);
    assert_true(range[0] == -2 && range[1] == 3);
}

TEST(help_shows_each_row_under_its_group_and_ends)
{
    static const char *const asked[] = {"--help", "-h"};
    assert_int_equal(unsetenv("COLUMNS"), 0);
    for (size_t i = 0; i < 2; i++) {
        char text[CAPTURE_BYTES];
        int status;
        capture c = capture_begin(stdout);
        pid_t child = fork();
        if (child == 0) {
            command_line line;
            fields f = {0};
            char bad[] = "--nonsense", word[8], *argv[] = {bad, word};
            snprintf(word, sizeof word, "%s", asked[i]);
            command_line_parse(&line, &self, &f, 2, argv);
            _exit(77); /* it was to end the program */
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        capture_end(&c, text);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK);
        assert_string_equal(
            text, "sotto test - for tests\n\nusage: sotto test [options]\n\n"
                  "subject:\n"
                  "  --dim                numbers of a vector, needed; 1 to 1024\n"
                  "  --epsilon            of each report; 0.01 to 8; default 1\n"
                  "  --paint              its colour; red, green, dark-blue; default green\n\n"
                  "inside:\n"
                  "  --count              of them; 0 to 4294967295; default 3\n"
                  "  --size               of each; -1 to 1; default 0.5\n"
                  "  --loud               barks\n"
                  "  --trials             how often; 1 to 1e15; default 1e6\n\n"
                  "output:\n"
                  "  --range              LO,HI: from and to; default -1,1\n"
                  "  --out                FILE to write to\n"
                  "  --json               one JSON object\n\n"
                  "  --help               this text\n\nexamples:\n  sotto test --dim 3\n");
    }
}
