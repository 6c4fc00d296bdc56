/*
 * A line of VW text: the input format of Vowpal Wabbit.
 *
 *   line       words |namespace features |namespace features ...
 *   words      the label, and perhaps a tag, which is left out: the last word if it begins with ' or
 *              touches the bar
 *   namespace  NAME or NAME:WEIGHT, where it touches the bar; otherwise it is the default one
 *   feature    NAME, NAME:VALUE; names have no blank, bar or colon
 *
 * Blanks are spaces, tabs and carriage returns.
 */
#include "core/core.h"
#include "inner.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p)) {
        p++;
    }
    return p;
}

/* Up to a blank, a bar or the end. */
static sotto__vw_word word_at(const char *p, const char *end)
{
    const char *from = p;
    while (p < end && !is_blank(*p) && *p != '|') {
        p++;
    }
    return (sotto__vw_word){from, (uint32_t)(p - from)};
}

/* Splits name and value. An empty value still has a text. */
static void split(sotto__vw_word whole, sotto__vw_word *name, sotto__vw_word *value)
{
    const char *colon = whole.bytes == 0 ? NULL : memchr(whole.text, ':', whole.bytes);
    *name = whole;
    *value = (sotto__vw_word){NULL, 0};
    if (colon == NULL) return;
    name->bytes = (uint32_t)(colon - whole.text);
    *value = (sotto__vw_word){colon + 1, whole.bytes - name->bytes - 1};
}

sotto_status sotto__vw_line_begin(sotto__vw_line *line, const char *text, uint32_t bytes,
                                  sotto_fault *fault)
{
    const char *end = text + bytes, *bar = bytes == 0 ? NULL : memchr(text, '|', bytes);
    *line = (sotto__vw_line){
        .text = text, .end = end, .at = bar, .weight = 1, .wrong = word_at(text, end)};
    if (bar == NULL) return sotto__refuse(fault, "is not followed by |, which begins the features");
    for (const char *p = skip_blanks(text, bar); p < bar;) {
        sotto__vw_word word = word_at(p, bar);
        line->wrong = word;
        p = word.text + word.bytes;
        if (word.text[0] == '\'' || p == bar) {
            p = skip_blanks(p, bar);
            if (p < bar) return sotto__refuse(fault, "is a tag, and other words follow it");
            break;
        }
        if (line->words_count == SOTTO__VW_WORDS_MAX)
            return sotto__refuse(fault, "is one word too many");
        line->word[line->words_count++] = word;
        p = skip_blanks(p, bar);
    }
    return SOTTO_OK;
}

/* At a bar: its namespace, if one touches it. */
static sotto_status take_space(sotto__vw_line *line, sotto_fault *fault)
{
    sotto__vw_word value;
    line->wrong = word_at(++line->at, line->end);
    line->at += line->wrong.bytes;
    split(line->wrong, &line->space, &value);
    line->weight = 1;
    if (value.text == NULL) return SOTTO_OK;
    if (line->space.bytes == 0) return sotto__refuse(fault, "has no name");
    bool number = sotto__number(value.text, value.bytes, &line->weight);
    return number ? SOTTO_OK : sotto__refuse(fault, "has a weight that is not a finite number");
}

sotto_status sotto__vw_line_next(sotto__vw_line *line, sotto__vw_feature *feature,
                                 sotto_fault *fault)
{
    *feature = (sotto__vw_feature){{line->end, 0}, {line->end, 0}, {NULL, 0}};
    line->at = skip_blanks(line->at, line->end);
    while (line->at < line->end && *line->at == '|') {
        if (take_space(line, fault) != SOTTO_OK) return SOTTO_E_FAULT;
        line->at = skip_blanks(line->at, line->end);
    }
    feature->whole = word_at(line->at, line->end);
    line->wrong = feature->whole;
    line->at += feature->whole.bytes;
    split(feature->whole, &feature->name, &feature->value);
    if (feature->whole.bytes == 0) return SOTTO_OK;
    if (feature->name.bytes == 0) return sotto__refuse(fault, "has no name");
    if (feature->value.text != NULL && feature->value.bytes == 0)
        return sotto__refuse(fault, "has no value");
    return SOTTO_OK;
}
