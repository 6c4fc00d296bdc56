/* sotto privatise: reads vectors and prints private reports. A command of the lab only, because it
 * does not limit how many reports one person sends. */
#include "cli/print/print.h"
#include "core/core.h"
#include "inner.h"
#include "text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"
#define ROUNDING 1e-9 /* tolerance for a vector of length 1 that was printed and read back */

typedef struct stream {
    const command_line *line;
    const privatise_options *options;
    sotto_mechanism *mechanism;
    double *x;
    double *estimate;
    uint64_t lines, clipped,
        zeroed; /* vectors so far, those longer than the radius, those with a nan or inf */
} stream;

static bool refuse_word(const stream *s, const char *word, uint64_t number, uint32_t count)
{
    char shown[SOTTO__SHOWN_BYTES];
    return option_say(s->line, "line %" PRIu64 ", number %u: \"%s\" is not a number", number, count,
                      sotto__shown(word, strcspn(word, BLANKS ","), shown));
}

/* Reads the numbers of a line, separated by blanks or by one comma. False, with a sentence, unless
 * there are exactly dim numbers. */
static bool parse_line(const stream *s, const char *text, uint64_t number)
{
    uint32_t count = 0, dim = s->options->dim;
    const char *at = text + strspn(text, BLANKS);
    for (bool comma = false; *at != '\0' || comma;) {
        char *end;
        double value = strtod(at, &end);
        if (end == at || strchr(BLANKS ",", *end) == NULL)
            return refuse_word(s, at, number, count + 1);
        if (count < dim) s->x[count] = value;
        count++;
        at = end + strspn(end, BLANKS);
        comma = *at == ',';
        at += comma ? 1 + strspn(at + 1, BLANKS) : 0;
    }
    return count == dim ||
           option_say(s->line, "line %" PRIu64 ": numbers = %u: --dim is %u", number, count, dim);
}

/* Prints all reports of the vector in s->x and flushes them before the next line is read, because
 * the reader may wait for them. */
static bool answer_line(stream *s)
{
    uint64_t count = s->options->count;
    progress_bar bar = progress_begin("reports", count, s->options->quiet);
    sotto_status status = SOTTO_OK;
    for (uint64_t i = 0; i < count && status == SOTTO_OK && !ferror(stdout); i++) {
        status = sotto_mechanism_draw(s->mechanism, s->x, s->estimate);
        if (status == SOTTO_OK) privatise_print_report(s->mechanism, s->options, s->estimate);
        if (i % 1024 == 0) progress_show(&bar, i);
    }
    progress_end(&bar);
    if (status == SOTTO_OK) return fflush(stdout) == 0;
    return option_say(s->line, "%s", sotto_status_text(status));
}

static bool is_finite(const double *x, uint32_t count)
{
    bool finite = true;
    for (uint32_t i = 0; i < count; i++) {
        finite = finite && isfinite(x[i]);
    }
    return finite;
}

/* Warns of vectors that were changed: reports of a clipped vector are unbiased estimates of its
 * projection, not of the vector. */
static void say_changed(const stream *s)
{
    if (s->clipped > 0 && !s->options->quiet) {
        option_say(s->line,
                   "%" PRIu64 " of %" PRIu64
                   " vectors were longer than --radius %g and were clipped to it",
                   s->clipped, s->lines, s->options->radius);
    }
    if (s->zeroed > 0 && !s->options->quiet) {
        option_say(s->line, "%" PRIu64 " of %" PRIu64 " vectors had nan or inf, which count as 0",
                   s->zeroed, s->lines);
    }
}

static int run_stream(stream *s)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool good = true;
    for (uint64_t n = 1; good && (length = getline(&line, &capacity, stdin)) > 0; n++) {
        if (strlen(line) != (size_t)length) {
            good = option_say(s->line, "line %" PRIu64 " contains a zero byte", n);
            break;
        }
        if (line[strspn(line, BLANKS)] == '\0') continue;
        if (!parse_line(s, line, n)) {
            good = false;
            break;
        }
        s->lines++;
        s->zeroed += !is_finite(s->x, s->options->dim);
        s->clipped += sotto__norm(s->x, s->options->dim) > s->options->radius * (1 + ROUNDING);
        good = answer_line(s);
    }
    free(line);
    say_changed(s);
    if (good && ferror(stdin)) {
        good = option_say(s->line, "cannot read the input: %s", strerror(errno));
    }
    return good ? EXIT_OK : EXIT_FAILED;
}

static int privatise(stream *s, const sotto_mechanism_settings *settings)
{
    int code = EXIT_FAILED;
    s->x = malloc(settings->dim * sizeof(double));
    s->estimate = malloc(settings->dim * sizeof(double));
    sotto_status status = SOTTO_E_MEMORY;
    if (s->x != NULL && s->estimate != NULL) status = sotto_mechanism_new(settings, &s->mechanism);
    if (status == SOTTO_OK) {
        if (s->options->header) privatise_print_header(s->mechanism, s->options->json);
        code = run_stream(s);
    } else {
        option_say(s->line, "%s", sotto_status_text(status));
    }
    sotto_mechanism_free(s->mechanism);
    free(s->x);
    free(s->estimate);
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    privatise_options options = {0};
    sotto_mechanism_settings settings;
    command_line line;
    if (!command_line_parse(&line, self, &options, argc, argv)) return EXIT_USAGE;
    if (!privatise_options_settings(&line, argv, &options, &settings)) return EXIT_USAGE;
    if (settings.seeded && !options.quiet) {
        option_say(&line, "lab only: seeded reports are not private");
    }
    stream s = {.line = &line, .options = &options};
    return privatise(&s, &settings);
}

const command command_privatise = {
    .name = "privatise",
    .summary = "turn vectors into private reports",
    .usage = "sotto privatise --mechanism NAME --dim D --epsilon E [options] < vectors",
    .example = "  echo '0.6 0.8' | sotto privatise --mechanism codebook --dim 2 --epsilon 1\n"
               "  echo '1 0 0' | sotto privatise --mechanism l2ball --dim 3 --epsilon 2 "
               "--count 5 --format raw --header\n",
    .table = privatise_table,
    .run = run,
};
