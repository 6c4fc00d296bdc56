/*
 * How a CSV file writes fields and numbers, guessed from its first bytes.
 *
 * The separator is the one that the first line has most of, quotes aside; blanks only if it has no
 * other. Where a line such as 1,5;2,5;yes has semicolons, and commas only inside of numbers between
 * them, the commas are decimal marks, and the semicolon separates.
 *
 * The decimal mark is the one in most of the words that have one mark; words stand between
 * separators, quotes and line ends. If undecided it is a point. 1,234 does not count, because the
 * comma may separate thousands.
 */
#include "inner.h"

#include <string.h>

typedef struct text_span {
    const char *text;
    size_t bytes;
} text_span;

/* The next word from *p on, without blanks around it; *p ends at what ends the word. */
static text_span next_word(const char **p, const char *end, const char *stops)
{
    const char *from = *p;
    while (*p < end && strchr(stops, **p) == NULL) { /* which finds the byte 0, too */
        (*p)++;
    }
    const char *to = *p;
    while (from < to && *from == ' ') {
        from++;
    }
    while (to > from && to[-1] == ' ') {
        to--;
    }
    return (text_span){from, (size_t)(to - from)};
}

/* Whether a word is a number with that mark in it. */
static bool has_mark(text_span w, char mark)
{
    double x;
    return memchr(w.text, mark, w.bytes) != NULL && sotto__marked_number(w.text, w.bytes, mark, &x);
}

/* Whether a word is like 1,234 or -12,345: one to three digits, the first not 0, and
 * three after the comma. */
static bool may_be_thousands(text_span w)
{
    bool sign = w.bytes > 0 && (w.text[0] == '-' || w.text[0] == '+');
    const char *digits = w.text + sign, *comma = memchr(w.text, ',', w.bytes);
    return comma != NULL && digits[0] != '0' && comma > digits && comma - digits <= 3 &&
           w.text + w.bytes - comma == 4;
}

/* Whether each comma of the first line is a decimal mark, if semicolons separate. */
static bool commas_are_marks(const char *p, const char *end)
{
    const char *line_end = memchr(p, '\n', (size_t)(end - p));
    if (line_end != NULL) end = line_end;
    for (; p <= end; p++) {
        text_span w = next_word(&p, end, ";\"\r\n");
        if (w.bytes > 0 && memchr(w.text, ',', w.bytes) != NULL && !has_mark(w, ',')) return false;
    }
    return true;
}

char sotto__guess_separator(const sotto__source *source)
{
    static const char separators[] = SOTTO__SEPARATORS;
    const size_t blank = strlen(separators) - 1;
    const char *start = source->buffer + source->from, *end = source->buffer + source->to;
    uint32_t count[sizeof separators] = {0};
    bool quoted = false;
    for (const char *p = start; quoted || *p != '\n'; p++) {
        if (p == end) break;
        if (*p == '"') quoted = !quoted;
        const char *found = quoted || *p == '\0' ? NULL : strchr(separators, *p);
        if (found != NULL) count[found - separators]++;
    }
    size_t best = 0;
    for (size_t i = 1; i < blank; i++) {
        if (count[i] > count[best]) best = i;
    }
    char guess = separators[count[best] == 0 && count[blank] > 0 ? blank : best];
    bool semicolons = count[strchr(separators, ';') - separators] > 0;
    return guess == ',' && semicolons && commas_are_marks(start, end) ? ';' : guess;
}

char sotto__guess_decimal(const sotto__source *source, char separator)
{
    const char stops[] = {separator, '"', '\n', '\r', '\0'};
    const char *end = source->buffer + source->to;
    uint64_t points = 0, commas = 0;
    if (separator == ',') return '.';
    for (const char *p = source->buffer + source->from; p < end; p++) {
        text_span w = next_word(&p, end, stops);
        points += has_mark(w, '.');
        commas += has_mark(w, ',') && !may_be_thousands(w);
    }
    return commas > points ? ',' : '.';
}
