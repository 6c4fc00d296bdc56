/* Names that a person may have meant. */
#include "nearest.h"
#include "lab/text/printable.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What it costs to write b for a: 0, 1 where only the case differs, else 2. */
static uint32_t letter_cost(char a, char b)
{
    if (a == b) return 0;
    return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : 2;
}

uint32_t name_distance(const char *word, const char *name)
{
    enum { LONGEST = 31 };
    size_t m = strlen(word), n = strlen(name);
    if (m > LONGEST || n > LONGEST) return 2 * LONGEST;
    if (m >= 3 && m < n && strstr(name, word) != NULL) return 1;
    uint32_t row[LONGEST + 1];
    for (uint32_t j = 0; j <= n; j++) {
        row[j] = 2 * j;
    }
    for (uint32_t i = 1; i <= m; i++) {
        uint32_t diagonal = row[0];
        row[0] = 2 * i;
        for (uint32_t j = 1; j <= n; j++) {
            uint32_t change = diagonal + letter_cost(word[i - 1], name[j - 1]);
            uint32_t drop = row[j] + 2, insert = row[j - 1] + 2;
            diagonal = row[j];
            row[j] = change < drop ? change : drop;
            if (insert < row[j]) row[j] = insert;
        }
    }
    return row[n];
}

/* Adds to the text as much as fits. */
static void add(char fault[SOTTO_FAULT_BYTES], const char *before, const char *word,
                const char *after)
{
    size_t length = strlen(fault);
    snprintf(fault + length, SOTTO_FAULT_BYTES - length, "%s%s%s", before, word, after);
}

/* A shared object where a name belongs. Only two commands take them. */
static bool is_plugin(const char *word)
{
    size_t length = strlen(word);
    return strchr(word, '/') != NULL || (length > 3 && strcmp(word + length - 3, ".so") == 0);
}

const char *name_find(const char *word, option_names *names, uint32_t *value,
                      char fault[SOTTO_FAULT_BYTES])
{
    uint32_t nearest = 0, nearest_distance = UINT32_MAX;
    for (uint32_t i = 0; names(i) != NULL; i++) {
        uint32_t distance = name_distance(word, names(i));
        if (distance < nearest_distance) {
            nearest = i;
            nearest_distance = distance;
        }
    }
    if (nearest_distance == 0) {
        *value = nearest;
        return NULL;
    }
    char shown[SOTTO__SHOWN_BYTES];
    fault[0] = '\0';
    add(fault, "", sotto__shown(word, strlen(word), shown),
        is_plugin(word) ? ": plug-ins are for sotto simulate and sotto audit; allowed"
                        : ": allowed");
    for (uint32_t i = 0; names(i) != NULL; i++) {
        add(fault, i == 0 ? " " : ", ", names(i), "");
    }
    if (nearest_distance <= strlen(word)) add(fault, "; did you mean ", names(nearest), "?");
    return fault;
}
