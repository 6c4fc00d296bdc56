/* Text of strangers in sentences for people. */
#include "printable.h"
#include "core/utf8.h"

#include <assert.h>
#include <string.h>

bool sotto__is_obeyed(uint32_t character)
{
    static const struct {
        uint32_t from, to;
    } obeyed[] = {
        {0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C},
        {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069},
    };
    for (size_t i = 0; i < sizeof obeyed / sizeof obeyed[0]; i++) {
        if (character >= obeyed[i].from && character <= obeyed[i].to) return true;
    }
    return character == SOTTO__NO_CHARACTER;
}

/* As many whole characters as fit; returns their bytes, which never get ahead of those that were
 * taken: `out` may be `text`. */
static size_t copy(const char *text, size_t bytes, char *out, size_t room, size_t *taken)
{
    size_t end = 0;
    for (*taken = 0; *taken < bytes;) {
        size_t length;
        bool obeyed = sotto__is_obeyed(sotto__character(text + *taken, bytes - *taken, &length));
        size_t written = obeyed ? 1 : length;
        if (end + written > room) break;
        memmove(out + end, obeyed ? "?" : text + *taken, written);
        end += written;
        *taken += length;
    }
    return end;
}

char *sotto__printable(char *text)
{
    size_t bytes = strlen(text), taken;
    text[copy(text, bytes, text, bytes, &taken)] = '\0';
    return text;
}

const char *sotto__shown_in(const char *text, size_t bytes, char *shown, size_t shown_bytes)
{
    size_t taken;
    assert(shown_bytes >= sizeof "...");
    size_t end = copy(text, bytes, shown, shown_bytes - sizeof "...", &taken);
    bool cut = taken < bytes;
    memcpy(shown + end, cut ? "..." : "", cut ? sizeof "..." : 1);
    return shown;
}

const char *sotto__shown(const char *text, size_t bytes, char shown[SOTTO__SHOWN_BYTES])
{
    return sotto__shown_in(text, bytes, shown, SOTTO__SHOWN_BYTES);
}
