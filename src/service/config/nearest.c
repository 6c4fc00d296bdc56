#include "nearest.h"

#include <string.h>

#define WORD_CHARS_MAX 31

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* How many letters must be changed, left out or put in to make b of a: Levenshtein's distance, one row
 * of its table at a time. Both have at most WORD_CHARS_MAX letters. */
static uint32_t distance(const char *a, const char *b)
{
    uint32_t m = (uint32_t)strlen(a), n = (uint32_t)strlen(b), row[WORD_CHARS_MAX + 1];
    for (uint32_t j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (uint32_t i = 1; i <= m; i++) {
        uint32_t diagonal = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= n; j++) {
            uint32_t changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(changed, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[n];
}

const setting *nearest_setting(const char *word, setting_source source)
{
    size_t length = strlen(word);
    if (length < 3 || length > WORD_CHARS_MAX) return NULL;
    const setting *nearest = NULL;
    uint32_t nearest_distance = (uint32_t)length / 3 + 2; /* a word of 3 letters: 2, one of 6: 3 */
    for (const setting *row = config_table; row->name != NULL; row++) {
        if ((row->sources & source) == 0) continue;
        uint32_t d = strstr(row->name, word) != NULL ? 1 : distance(word, row->name);
        if (d < nearest_distance) {
            nearest = row;
            nearest_distance = d;
        }
    }
    return nearest;
}
