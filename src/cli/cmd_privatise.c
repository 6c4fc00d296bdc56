/* sotto privatise: vectors in, private reports out. A lab command: one person may send any number.
 */
#include "args.h"
#include "cmd.h"
#include "progress.h"

#include <sotto/lab.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void print_header(const sotto_mechanism *mechanism)
{
    const sotto_resolved *spec = sotto_mechanism_spec(mechanism);
    printf("# spec_id=");
    if (spec == NULL) {
        printf("- M=- k=- w_top=- w_rest=-");
    } else {
        const sotto_codebook *codebook = &spec->codebook[SOTTO_PHASE_MAIN];
        print_hex(spec->id, SOTTO_SPEC_ID_BYTES);
        printf(" M=%u k=%u w_top=%" PRIu64 " w_rest=%" PRIu64, codebook->size, codebook->top,
               codebook->weight_top, codebook->weight_rest);
    }
    printf(" B=%.17g sigma=- step=-\n", sotto_mechanism_scale(mechanism));
}

static void print_report(const sotto_mechanism *mechanism, const double *estimate, uint32_t dim,
                         report_format format)
{
    if (format == FORMAT_RAW) {
        const sotto_report *report = sotto_mechanism_report(mechanism);
        print_hex(report->nonce, SOTTO_NONCE_BYTES);
        printf(" %d\n", report->value[0]);
        return;
    }
    for (uint32_t i = 0; i < dim; i++) {
        printf(i == 0 ? "%.17g" : " %.17g", estimate[i]);
    }
    printf("\n");
}

/* The numbers of a line, separated by blanks or commas. False, with a sentence, unless exactly dim.
 */
static bool parse_line(const char *line, uint64_t line_number, uint32_t dim, double *x)
{
    uint32_t count = 0;
    const char *at = line + strspn(line, " ,\t\r\n");
    while (*at != '\0') {
        char *end;
        double value = strtod(at, &end);
        if (end == at || strchr(" ,\t\r\n", *end) == NULL) {
            fprintf(stderr, "sotto privatise: line %" PRIu64 ", number %u: \"%.*s\" is no number\n",
                    line_number, count + 1, (int)strcspn(at, " ,\t\r\n"), at);
            return false;
        }
        if (count < dim) x[count] = value;
        count++;
        at = end + strspn(end, " ,\t\r\n");
    }
    if (count == dim) return true;
    fprintf(stderr, "sotto privatise: line %" PRIu64 " has %u numbers, --dim is %u\n", line_number,
            count, dim);
    return false;
}

typedef struct stream {
    sotto_mechanism *mechanism;
    uint32_t dim;
    uint64_t count; /* reports a line */
    report_format format;
    double *x;
    double *estimate;
    progress bar;
    uint64_t done;
} stream;

static bool answer_line(stream *s)
{
    for (uint64_t i = 0; i < s->count; i++) {
        sotto_status status = sotto_mechanism_draw(s->mechanism, s->x, s->estimate);
        if (status != SOTTO_OK) {
            fprintf(stderr, "sotto privatise: %s\n", sotto_status_text(status));
            return false;
        }
        print_report(s->mechanism, s->estimate, s->dim, s->format);
        if (++s->done % 1024 == 0) progress_show(&s->bar, s->done);
    }
    return true;
}

static int run_stream(stream *s)
{
    char *line = NULL;
    size_t capacity = 0;
    bool good = true;
    for (uint64_t n = 1; good && getline(&line, &capacity, stdin) > 0; n++) {
        if (line[strspn(line, " ,\t\r\n")] == '\0') continue;
        good = parse_line(line, n, s->dim, s->x) && answer_line(s) && !ferror(stdout);
    }
    free(line);
    progress_end(&s->bar);
    if (good && ferror(stdin)) {
        fprintf(stderr, "sotto privatise: cannot read the input: %s\n", strerror(errno));
        good = false;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "sotto privatise: cannot write the output: %s\n", strerror(errno));
        good = false;
    }
    return good ? EXIT_OK : EXIT_FAILED;
}

static int privatise(const sotto_mechanism_settings *settings, uint64_t count, report_format format,
                     bool header, bool quiet)
{
    stream s = {.dim = settings->dim, .count = count, .format = format};
    int code = EXIT_FAILED;
    s.x = malloc(settings->dim * sizeof(double));
    s.estimate = malloc(settings->dim * sizeof(double));
    sotto_status status = SOTTO_E_MEMORY;
    if (s.x != NULL && s.estimate != NULL) status = sotto_mechanism_new(settings, &s.mechanism);
    if (status == SOTTO_OK) {
        s.bar = progress_begin("reports", 0, quiet);
        if (header) print_header(s.mechanism);
        code = run_stream(&s);
    } else {
        fprintf(stderr, "sotto privatise: %s\n", sotto_status_text(status));
    }
    sotto_mechanism_free(s.mechanism);
    free(s.x);
    free(s.estimate);
    return code;
}

int cmd_privatise(const command *self, int argc, char **argv)
{
    uint32_t kind = 0, dim = 0, size = 0, format = FORMAT_VECTOR;
    double epsilon = 0, delta = 0, radius = 1;
    uint64_t count = 1, seed = 0;
    bool header = false, quiet = false, weak = false;
    option options[] = {
        {"mechanism", OPTION_NAME, &kind, .list = sotto_mechanism_kind_name, .meaning = "needed"},
        {"dim", OPTION_U32, &dim, 1, SOTTO_DIM_MAX, .meaning = "numbers in a line; needed"},
        {"epsilon", OPTION_F64, &epsilon, 0.01, 8, .meaning = "of each report; needed"},
        {"count", OPTION_U64, &count, 1, 1e15, .meaning = "reports for each line (1)"},
        {"radius", OPTION_F64, &radius, 1e-6, 1e6, .meaning = "longer vectors are clipped (1)"},
        {"codebook-size", OPTION_U32, &size, 2, SOTTO_CODEBOOK_SIZE_MAX,
         .meaning = "M of codebook, even; by epsilon if not given"},
        {"format", OPTION_NAME, &format, .list = format_name,
         .meaning = "vector: the unbiased estimate; raw: nonce and index"},
        {"header", OPTION_FLAG, &header, .meaning = "first print the constants in a # line"},
        {"seed", OPTION_U64, &seed, 0, 18446744073709551615.0,
         .meaning = "lab only: reproducible, protects nobody"},
        {"delta", OPTION_F64, &delta, 0, 0.5, .meaning = "pure mechanisms meet every delta"},
        {"allow-weak-delta", OPTION_FLAG, &weak, .meaning = "consent to delta above 1e-6"},
        {"quiet", OPTION_FLAG, &quiet, .meaning = "no progress, no warning"},
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
    sotto_mechanism_settings settings =
        sotto_mechanism_default((sotto_mechanism_kind)kind, dim, epsilon);
    settings.radius = radius;
    settings.seeded = args_given(options, "seed");
    settings.seed = seed;
    if (args_given(options, "codebook-size")) settings.codebook_size = size;
    char text[SOTTO_FAULT_BYTES];
    if (sotto_mechanism_fault(&settings, text) != NULL) {
        fprintf(stderr, "sotto privatise: %s\n", text);
        return EXIT_USAGE;
    }
    if (settings.seeded && !quiet) {
        fprintf(stderr, "sotto privatise: lab only: seeded reports protect nobody\n");
    }
    return privatise(&settings, count, (report_format)format, header, quiet);
}
