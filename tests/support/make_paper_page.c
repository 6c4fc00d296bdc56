/*
 * Writes the page of a whole reproduction into a directory, for the test that looks at it with a
 * browser:
 *     make_paper_page DIRECTORY
 * Every word, figure and table is that of `sotto reproduce`; the regrets are made up. It draws no
 * PNG and no PDF.
 */
#include "methods_made.h"
#include "paper/paper.h"
#include "why.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Linear until a method has learned, then a square root. */
static double regret(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    double random = 0.5 * (double)t;
    if (part->comparison.match[match].player == SOTTO_PLAYER_RANDOM) return random;
    double learned = regret_by_method(part, match, seed % 2, t) * sqrt((double)t);
    return 1 / (1 / random + 1 / fmax(learned, 1));
}

static bool goes_on(void *state)
{
    (void)state;
    return false;
}

static void ignore_sentence(void *state, const char *sentence)
{
    (void)state, (void)sentence;
}

static void ignore_section(void *state, const sotto__html_section *section)
{
    (void)state, (void)section;
}

int main(int argc, char **argv)
{
    static const sotto__reproduction_listener listener = {
        .stops = goes_on, .tell = ignore_sentence, .section = ignore_section};
    if (argc != 2 || setenv("PATH", "/nowhere", 1) != 0) {
        fprintf(stderr, "make_paper_page DIRECTORY\n");
        return 2;
    }
    sotto__reproduction_settings settings = settings_made("shared-d2", 0, 0);
    settings.only = NULL;
    settings.out = argv[1];
    sotto__reproduction *r = reproduction_made(&settings, regret);
    const char *wrong = WHY(sotto__reproduction_page, r, &listener);
    if (wrong != NULL) fprintf(stderr, "make_paper_page: %s\n", wrong);
    sotto__reproduction_free(r);
    return wrong != NULL;
}
