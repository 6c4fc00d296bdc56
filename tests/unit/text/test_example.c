/* Examples: a command that is continued is the same command, other lines are text. */
#include "memory_file.h"
#include "text/text.h"

#include <string.h>

static void assert_examples(const char *text, uint32_t columns, const char *wanted)
{
    memory_file m;
    examples_print(memory_file_open(&m), text, columns);
    assert_written(&m, wanted);
}

TEST(a_command_is_continued_before_an_option_a_pipe_or_a_file)
{
    assert_examples("  sottod --data /var/lib/sotto --listen 0.0.0.0:8787\n"
                    "  echo 'a --b | c' | sotto plan > plan.txt\n",
                    40,
                    "\nexamples:\n"
                    "  sottod --data /var/lib/sotto \\\n"
                    "      --listen 0.0.0.0:8787\n"
                    "  echo 'a --b | c' | sotto plan \\\n"
                    "      > plan.txt\n");
}

TEST(other_lines_are_text)
{
    assert_examples("  sottod\n\nexit status: 0 done, 1 failed, 2 wrong usage\n", 40,
                    "\nexamples:\n  sottod\n\n"
                    "exit status: 0 done, 1 failed, 2 wrong\n    usage\n");
}

/* Whoever copies it gets the command. */
TEST(a_command_is_the_same_in_any_width)
{
    const char command[] = "  sotto test --dim 3 --paint dark-blue --out 'a b' | wc > here";
    for (uint32_t columns = 10; columns <= 100; columns++) {
        memory_file m;
        examples_print(memory_file_open(&m), command, columns);
        assert_int_equal(fclose(m.file), 0);
        char joined[128] = "";
        const char *at = m.text + strlen("\nexamples:\n");
        for (size_t n = 0; *at != '\n' && n + 1 < sizeof joined; n++) {
            if (strncmp(at, "\\\n      ", 8) == 0) at += 8;
            joined[n] = *at++;
        }
        assert_string_equal(joined, command);
        free(m.text);
    }
}
