/* Files that are read whole, and written whole or not at all. */
#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

bool sotto__path(char path[SOTTO__PATH_BYTES], const char *folder, const char *name,
                 const char *ending)
{
    int length = snprintf(path, SOTTO__PATH_BYTES, "%s/%s%s", folder, name, ending);
    return length >= 0 && (size_t)length < SOTTO__PATH_BYTES - sizeof ".part";
}

static char *read_text(FILE *file)
{
    if (fseek(file, 0, SEEK_END) != 0) return NULL;
    long end = ftell(file);
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0) return NULL;
    size_t count = (size_t)end;
    char *text = malloc(count + 1);
    if (text == NULL) return NULL;
    text[fread(text, 1, count, file)] = '\0';
    if (ferror(file) == 0) return text;
    free(text);
    errno = EIO;
    return NULL;
}

char *sotto__read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *text = read_text(file);
    fclose(file);
    return text;
}

bool sotto__write_whole(const char *path, void (*put)(const void *state, FILE *out),
                        const void *state)
{
    char part[SOTTO__PATH_BYTES + sizeof ".part"];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "wb");
    if (file == NULL) return false;
    put(state, file);
    bool good = fflush(file) == 0 && ferror(file) == 0;
    good = fclose(file) == 0 && good;
    good = good && rename(part, path) == 0;
    if (good) return true;
    int reason = errno;
    unlink(part);
    errno = reason;
    return false;
}
