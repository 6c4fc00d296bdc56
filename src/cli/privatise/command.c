/* sotto privatise: vectors in, private reports out. A lab command: one person may send any number.
 */
#include "command.h"
#include "cli/option/args.h"
#include "cli/print/progress.h"

#include <sotto/lab.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

typedef enum report_format { FORMAT_VECTOR, FORMAT_RAW } report_format;

static const char *format_name(uint32_t value)
{
    static const char *const name[] = {"vector", "raw"};
    return value < 2 ? name[value] : NULL;
}

static void print_hex(const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        printf("%02x", bytes[i]);
    }
}

/* The constants of the mechanism, "-" (null in JSON) where it has none. */
static void print_header(const sotto_mechanism *mechanism, bool json)
{
    const sotto_resolved *spec = sotto_mechanism_spec(mechanism);
    const char *none = json ? "null" : "-", *quote = json && spec != NULL ? "\"" : "";
    const char *const name[] = {"M", "k", "w_top", "w_rest"};
    printf(json ? "{\"spec_id\": %s" : "# spec_id=%s", quote);
    if (spec == NULL) printf("%s", none);
    if (spec != NULL) print_hex(spec->id, SOTTO_SPEC_ID_BYTES);
    printf("%s", quote);
    for (int i = 0; i < 4; i++) {
        printf(json ? ", \"%s\": " : " %s=", name[i]);
        if (spec == NULL) {
            printf("%s", none);
            continue;
        }
        const sotto_codebook *codebook = &spec->codebook[SOTTO_PHASE_MAIN];
        const uint64_t value[] = {codebook->size, codebook->top, codebook->weight_top,
                                  codebook->weight_rest};
        printf("%" PRIu64, value[i]);
    }
    printf(json ? ", \"B\": %.17g" : " B=%.17g", sotto_mechanism_scale(mechanism));
    const sotto_lattice *lattice = sotto_mechanism_lattice(mechanism);
    const char *const noise[] = {"sigma", "step"};
    for (int i = 0; i < 2; i++) {
        printf(json ? ", \"%s\": " : " %s=", noise[i]);
        double ticks = lattice == NULL ? 0 : i == 0 ? lattice->scale_ticks : 1;
        if (lattice == NULL) printf("%s", none);
        if (lattice != NULL) printf("%.17g", ldexp(ticks, lattice->grid_log2));
    }
    printf(json ? "}\n" : "\n");
}

typedef struct stream {
    sotto_mechanism *mechanism;
    uint32_t dim;
    uint64_t count; /* reports a line */
    report_format format;
    bool json, quiet;
    double *x;
    double *estimate;
} stream;

static void print_report(const stream *s)
{
    const sotto_report *report = sotto_mechanism_report(s->mechanism);
    if (s->format == FORMAT_RAW && sotto_mechanism_lattice(s->mechanism) != NULL) {
        printf("%s%d", s->json ? "[" : "", report->value[0]);
        for (uint32_t i = 1; i < s->dim; i++) {
            printf("%s%d", s->json ? ", " : " ", report->value[i]);
        }
        printf(s->json ? "]\n" : "\n");
        return;
    }
    if (s->format == FORMAT_RAW) {
        printf(s->json ? "{\"nonce\": \"" : "");
        print_hex(report->nonce, SOTTO_NONCE_BYTES);
        printf(s->json ? "\", \"index\": %d}\n" : " %d\n", report->value[0]);
        return;
    }
    printf("%s%.17g", s->json ? "[" : "", s->estimate[0]);
    for (uint32_t i = 1; i < s->dim; i++) {
        printf("%s%.17g", s->json ? ", " : " ", s->estimate[i]);
    }
    printf(s->json ? "]\n" : "\n");
}

/* The numbers of a line, separated by blanks or by one comma. False, with a sentence, unless there
 * are exactly dim. */
static bool parse_line(const char *line, uint64_t line_number, uint32_t dim, double *x)
{
    uint32_t count = 0;
    const char *at = line + strspn(line, BLANKS);
    for (bool comma = false; *at != '\0' || comma;) {
        char *end;
        double value = strtod(at, &end);
        if (end == at || strchr(BLANKS ",", *end) == NULL) {
            fprintf(stderr, "sotto privatise: line %" PRIu64 ", number %u: \"%.*s\" is no number\n",
                    line_number, count + 1, (int)strcspn(at, BLANKS ","), at);
            return false;
        }
        if (count < dim) x[count] = value;
        count++;
        at = end + strspn(end, BLANKS);
        comma = *at == ',';
        at += comma ? 1 + strspn(at + 1, BLANKS) : 0;
    }
    if (count == dim) return true;
    fprintf(stderr, "sotto privatise: line %" PRIu64 ": numbers = %u: --dim is %u\n", line_number,
            count, dim);
    return false;
}

/* All reports of the vector in s->x, out before the next line is read: someone may be waiting. */
static bool answer_line(stream *s)
{
    progress bar = progress_begin("reports", s->count, s->quiet);
    sotto_status status = SOTTO_OK;
    for (uint64_t i = 0; i < s->count && status == SOTTO_OK && !ferror(stdout); i++) {
        status = sotto_mechanism_draw(s->mechanism, s->x, s->estimate);
        if (status == SOTTO_OK) print_report(s);
        if (i % 1024 == 0) progress_show(&bar, i);
    }
    progress_end(&bar);
    if (status == SOTTO_OK) return fflush(stdout) == 0;
    fprintf(stderr, "sotto privatise: %s\n", sotto_status_text(status));
    return false;
}

static int run_stream(stream *s)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool good = true;
    for (uint64_t n = 1; good && (length = getline(&line, &capacity, stdin)) > 0; n++) {
        if (strlen(line) != (size_t)length) {
            fprintf(stderr, "sotto privatise: line %" PRIu64 " holds a zero byte\n", n);
            good = false;
            break;
        }
        if (line[strspn(line, BLANKS)] == '\0') continue;
        good = parse_line(line, n, s->dim, s->x) && answer_line(s);
    }
    free(line);
    if (good && ferror(stdin)) {
        fprintf(stderr, "sotto privatise: cannot read the input: %s\n", strerror(errno));
        good = false;
    }
    return good ? EXIT_OK : EXIT_FAILED;
}

static int privatise(stream *s, const sotto_mechanism_settings *settings, bool header)
{
    int code = EXIT_FAILED;
    s->dim = settings->dim;
    s->x = malloc(settings->dim * sizeof(double));
    s->estimate = malloc(settings->dim * sizeof(double));
    sotto_status status = SOTTO_E_MEMORY;
    if (s->x != NULL && s->estimate != NULL) status = sotto_mechanism_new(settings, &s->mechanism);
    if (status == SOTTO_OK) {
        if (header) print_header(s->mechanism, s->json);
        code = run_stream(s);
    } else {
        fprintf(stderr, "sotto privatise: %s\n", sotto_status_text(status));
    }
    sotto_mechanism_free(s->mechanism);
    free(s->x);
    free(s->estimate);
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    stream s = {.count = 1};
    uint32_t kind = 0, dim = 0, size = 0, format = FORMAT_VECTOR;
    double epsilon = 0, delta = 0, radius = 1;
    uint64_t seed = 0;
    bool header = false, weak = false;
    args_option options[] = {
        {"mechanism", ARGS_NAME, &kind, .list = sotto_mechanism_kind_name, .meaning = "needed"},
        {"dim", ARGS_U32, &dim, 1, SOTTO_DIM_MAX, .meaning = "numbers in a line, needed"},
        {"epsilon", ARGS_F64, &epsilon, 0.01, 50,
         .meaning = "of each report, needed; gaussian, laplace: to 50, others: to 8"},
        {"count", ARGS_U64, &s.count, 1, 1e15, .meaning = "reports for each line, default 1"},
        {"radius", ARGS_F64, &radius, 1e-6, 1e6,
         .meaning = "longer vectors are clipped to it, default 1"},
        {"codebook-size", ARGS_U32, &size, 2, SOTTO_CODEBOOK_SIZE_MAX,
         .meaning = "M of codebook, even, default by epsilon"},
        {"format", ARGS_NAME, &format, .list = format_name,
         .meaning = "the unbiased estimate (default), or what is sent: nonce and index, ticks"},
        {"header", ARGS_FLAG, &header, .meaning = "first print the constants in a # line"},
        {"seed", ARGS_U64, &seed, 0, 9007199254740992,
         .meaning = "lab only: reproducible, protects nobody"},
        {"delta", ARGS_F64, &delta, 0, 0.5,
         .meaning = "of gaussian, default 1e-6; pure mechanisms meet any"},
        {"allow-weak-delta", ARGS_FLAG, &weak, .meaning = "consent to delta above 1e-6"},
        {"json", ARGS_FLAG, &s.json, .meaning = "a JSON array or object for each report"},
        {"quiet", ARGS_FLAG, &s.quiet, .meaning = "no progress, no warning"},
        {.meaning = NULL},
    };
    int words;
    if (!args_parse(self, options, argc, argv, &words)) return EXIT_USAGE;
    if (words > 0) {
        fprintf(stderr, "sotto privatise: %s: vectors come on the standard input\n", argv[0]);
        return EXIT_USAGE;
    }
    if (!args_need(self, options, "mechanism") || !args_need(self, options, "dim") ||
        !args_need(self, options, "epsilon")) {
        return EXIT_USAGE;
    }
    if (format == FORMAT_RAW && kind == SOTTO_MECHANISM_PRIVUNIT) {
        fprintf(stderr, "sotto privatise: --format = raw: privunit has no report, use vector\n");
        return EXIT_USAGE;
    }
    s.format = (report_format)format;
    sotto_mechanism_settings settings =
        sotto_mechanism_default((sotto_mechanism_kind)kind, dim, epsilon);
    settings.radius = radius;
    if (args_given(options, "delta")) settings.delta = delta;
    settings.allow_weak_delta = weak;
    settings.seeded = args_given(options, "seed");
    settings.seed = seed;
    if (args_given(options, "codebook-size")) settings.codebook_size = size;
    char text[SOTTO_FAULT_BYTES];
    if (sotto_mechanism_fault(&settings, text) != NULL) {
        fprintf(stderr, "sotto privatise: %s\n", text);
        return EXIT_USAGE;
    }
    if (settings.seeded && !s.quiet) {
        fprintf(stderr, "sotto privatise: lab only: seeded reports protect nobody\n");
    }
    return privatise(&s, &settings, header);
}

const command command_privatise = {
    .name = "privatise",
    .summary = "vectors in, private reports out",
    .usage = "sotto privatise --mechanism NAME --dim D --epsilon E [options] < vectors",
    .example = "  echo '0.6 0.8' | sotto privatise --mechanism codebook --dim 2 --epsilon 1\n"
               "  echo '1 0 0' | sotto privatise --mechanism l2ball --dim 3 --epsilon 2 \\\n"
               "      --count 5 --format raw --header\n",
    .run = run,
};
