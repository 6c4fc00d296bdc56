/* Captures the output of the code under test. */
#include "capture.h"
#include "test.h"

#include <unistd.h>

capture capture_begin(FILE *stream)
{
    capture c = {.stream = stream, .file = tmpfile(), .saved = dup(fileno(stream))};
    assert_non_null(c.file);
    assert_true(c.saved >= 0);
    assert_int_equal(fflush(stream), 0);
    assert_true(dup2(fileno(c.file), fileno(stream)) >= 0);
    return c;
}

const char *capture_end(const capture *c, char text[CAPTURE_BYTES])
{
    fflush(c->stream);
    dup2(c->saved, fileno(c->stream));
    close(c->saved);
    rewind(c->file);
    size_t count = fread(text, 1, CAPTURE_BYTES - 1, c->file);
    text[count] = '\0';
    fclose(c->file);
    return text;
}
