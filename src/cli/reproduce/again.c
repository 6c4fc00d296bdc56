/* The command that makes the same page: what determines it, and nothing else. */
#include "again.h"

#include <inttypes.h>
#include <string.h>

/* A word as a shell takes it. */
static const char *quoted(sotto__pool *pool, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:=+,@%";
    if (*word != '\0' && strspn(word, plain) == strlen(word)) return word;
    const char *text = "'";
    for (size_t at = 0; word[at] != '\0';) {
        size_t length = strcspn(word + at, "'");
        text = sotto__pool_print(pool, "%s%.*s", text, (int)length, word + at);
        at += length;
        if (word[at] == '\'') text = sotto__pool_print(pool, "%s'\\''", text);
        at += word[at] == '\'';
    }
    return sotto__pool_print(pool, "%s'", text);
}

const char *reproduce_again(const sotto__reproduction_settings *settings, sotto__pool *pool)
{
    const char *text =
        sotto__pool_print(pool, "sotto reproduce --%s", sotto__scale_name(settings->scale));
    if (settings->only != NULL) {
        text = sotto__pool_print(pool, "%s --only %s", text, settings->only->name);
    }
    if (settings->data != NULL) {
        text = sotto__pool_print(pool, "%s --data %s", text, quoted(pool, settings->data));
    }
    if (settings->seeds > 0) text = sotto__pool_print(pool, "%s --seeds %u", text, settings->seeds);
    if (settings->horizon > 0) {
        text = sotto__pool_print(pool, "%s --horizon %" PRIu64, text, settings->horizon);
    }
    return sotto__pool_print(pool, "%s --first-seed %" PRIu64 " --out %s", text,
                             settings->first_seed, quoted(pool, settings->out));
}
