#include "secret.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_visible(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] < '!' || text[i] > '~') return false;
    }
    return true;
}

bool secret_read(const command_line *line, const char *option_name, const char *path, size_t least,
                 char out[SECRET_BYTES_MAX + 1])
{
    char text[SECRET_BYTES_MAX + 3]; /* and \r\n, and one more */
    FILE *file = fopen(path, "rb");
    if (file == NULL) return option_say(line, "--%s %s: %s", option_name, path, strerror(errno));
    size_t bytes = fread(text, 1, sizeof text, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (bytes > 0 && text[bytes - 1] == '\n') bytes--;
    if (bytes > 0 && text[bytes - 1] == '\r') bytes--;
    if (failed || bytes < least || bytes > SECRET_BYTES_MAX || !is_visible(text, bytes)) {
        return option_say(line, "--%s %s: allowed one line of %zu to %u visible characters",
                          option_name, path, least, SECRET_BYTES_MAX);
    }
    memcpy(out, text, bytes);
    out[bytes] = '\0';
    return true;
}
