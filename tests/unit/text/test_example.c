/* Examples: a command that is continued is the same command, other lines are text. */
#include "test.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

static char *printed(const char *text, uint32_t columns)
{
    char *found = NULL;
    size_t bytes;
    FILE *file = open_memstream(&found, &bytes);
    assert_non_null(file);
    examples_print(file, text, columns);
    assert_int_equal(fclose(file), 0);
    return found;
}

TEST(a_command_is_continued_before_an_option_a_pipe_or_a_file)
{
    char *text = printed("  sottod --data /var/lib/sotto --listen 0.0.0.0:8787\n"
                         "  echo 'a --b | c' | sotto plan > plan.txt\n",
                         40);
    assert_string_equal(text, "\nexamples:\n"
                              "  sottod --data /var/lib/sotto \\\n"
                              "      --listen 0.0.0.0:8787\n"
                              "  echo 'a --b | c' | sotto plan \\\n"
                              "      > plan.txt\n");
    free(text);
}

TEST(other_lines_are_text)
{
    char *text = printed("  sottod\n\nexit status: 0 done, 1 failed, 2 wrong usage\n", 40);
    assert_string_equal(text, "\nexamples:\n  sottod\n\n"
                              "exit status: 0 done, 1 failed, 2 wrong\n    usage\n");
    free(text);
}

/* Whoever copies it gets the command. */
TEST(a_command_is_the_same_in_any_width)
{
    const char command[] = "  sotto test --dim 3 --paint dark-blue --out 'a b' | wc > here";
    for (uint32_t columns = 10; columns <= 100; columns++) {
        char *text = printed(command, columns), joined[128] = "";
        const char *at = text + strlen("\nexamples:\n");
        for (size_t n = 0; *at != '\n' && n + 1 < sizeof joined; n++) {
            if (strncmp(at, "\\\n      ", 8) == 0) at += 8;
            joined[n] = *at++;
        }
        assert_string_equal(joined, command);
        free(text);
    }
}
