/* Records what calls return, in order. */
#include "transcript.h"
#include "test.h"

#include <string.h>

void note(transcript *t, const void *bytes, size_t count)
{
    assert_true(count <= sizeof t->bytes - t->count);
    memcpy(t->bytes + t->count, bytes, count);
    t->count += count;
}

void note_text(transcript *t, const char *text)
{
    note(t, text == NULL ? "none" : text, text == NULL ? 4 : strlen(text));
}

void assert_same_everywhere(play_function *play, const void *what)
{
    static transcript wanted, got;
    wanted.count = 0;
    play(&float_modes[0], what, &wanted);
    assert_true(wanted.count > 0);
    for (size_t m = 1; m < float_modes_count; m++) {
        if (!float_mode_exists(&float_modes[m])) continue;
        got.count = 0;
        play(&float_modes[m], what, &got);
        assert_int_equal(got.count, wanted.count);
        for (size_t i = 0; i < got.count; i++) {
            if (got.bytes[i] == wanted.bytes[i]) continue;
            fail_msg("%s: byte %zu of %zu differs", float_modes[m].name, i, got.count);
        }
    }
}
