/* A secret is one line of visible characters, and what is wrong with it does not quote it. */
#include "cli/option/option.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const command_line line = {.self = &(const command){.name = "join"}};
static char path[] = "secret_XXXXXX", out[SECRET_BYTES_MAX + 1];

static bool read_file(const char *text, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    return secret_read(&line, "report-key", path, 16, out);
}

TEST(what_is_no_line_of_visible_characters_is_refused)
{
    char longest[SECRET_BYTES_MAX + 2];
    memset(longest, 'k', sizeof longest);
    assert_false(read_file("", 0));
    assert_false(read_file("0123456789abcde\n", 16));
    assert_false(read_file("0123456789 abcdef", 17));
    assert_false(read_file("0123456789abcdef\nmore\n", 22));
    assert_false(read_file("0123456789abcdef\0", 17));
    assert_false(read_file("0123456789abcde\xc3\xa4", 17));
    assert_false(read_file(longest, sizeof longest - 1));
    assert_false(read_file(longest, sizeof longest));
    assert_false(secret_read(&line, "report-key", "/nowhere/at/all", 16, out));
}

TEST(the_end_of_the_line_does_not_count)
{
    char longest[SECRET_BYTES_MAX + 3];
    memset(longest, 'k', sizeof longest);
    memcpy(longest + SECRET_BYTES_MAX, "\r\n", 2);
    static const char *const same[] = {"0123456789abcdef", "0123456789abcdef\n",
                                       "0123456789abcdef\r\n"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(read_file(same[i], strlen(same[i])));
        assert_string_equal(out, "0123456789abcdef");
    }
    assert_true(read_file(longest, SECRET_BYTES_MAX + 2));
    assert_int_equal(strlen(out), SECRET_BYTES_MAX);
}

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

GROUP(set_up, tear_down)
