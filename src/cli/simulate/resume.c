/* The resume file. */
#include "resume.h"
#include "cli/option/args.h"
#include "core/digest.h"
#include "core/spec_fields.h"
#include "rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEX_BYTES (2 * SOTTO__DIGEST_BYTES + 1)
#define ABOUT_BYTES 1024u
#define HEADER_BYTES (ABOUT_BYTES + 256u)
static const char header_start[] = "{\"sweep\": \"";
static const char about_start[] = "\"about\": \"";

/* ---- the name of a sweep ------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void add(sotto__digest *digest, const char *pattern,
                                                      ...)
{
    char text[128];
    va_list values;
    va_start(values, pattern);
    int length = vsnprintf(text, sizeof text, pattern, values);
    va_end(values);
    sotto__digest_add(digest, text, (size_t)length);
}

#define ADD_U32(field, lo, hi) add(digest, #field " %" PRIu32 "\n", spec->field);
#define ADD_U64(field, lo, hi) add(digest, #field " %" PRIu64 "\n", spec->field);
#define ADD_F64(field, lo, hi) add(digest, #field " %.17g\n", spec->field);
#define ADD_KIND(field, type) add(digest, #field " %u\n", (unsigned)spec->field);
#define ADD_FLAG(field) add(digest, #field " %d\n", spec->field);

static void add_match(sotto__digest *digest, const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    const sotto_learning *learning = &match->learning;
    const sotto_environment *environment = &match->environment;
    add(digest, "match %u %u %" PRIu64 " %.17g %d %d %.17g\n", (unsigned)match->player,
        (unsigned)match->calibration, match->horizon, match->delta, match->split_paper,
        match->exact_noise, match->growth);
    add(digest, "corrections %" PRIu32 "\n", match->corrections);
    add(digest, "liars %.17g %" PRIu32 "\n", match->liars, match->grind);
    SOTTO__SPEC_FIELDS(ADD_U32, ADD_U64, ADD_F64, ADD_KIND, ADD_FLAG)
    add(digest, "learning %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", learning->horizon,
        learning->warm_up, learning->epoch);
    add(digest, "%.17g %u %.17g %d\n", learning->alpha, (unsigned)learning->step, learning->eta0,
        learning->project);
    add(digest, "%.17g %.17g\n", learning->shift_scale, learning->elimination_scale);
    add(digest, "environment %u %u %.17g\n", (unsigned)environment->kind,
        (unsigned)environment->law, environment->noise);
    add(digest, "%.17g %.17g %.17g\n", environment->theta_norm, environment->margin,
        environment->drift);
    const sotto_population *people = environment->population;
    for (uint32_t i = 0; people != NULL && i < people->dim; i++) {
        add(digest, "loan %" PRIu64 " %.17g\n", people->rows, people->theta[i]);
    }
    for (uint32_t a = 0; match->worth != NULL && a < spec->arms; a++) {
        add(digest, "worth %.17g\n", match->worth[a]);
    }
}

static void name_sweep(const simulate_plan *plan, char hex[HEX_BYTES])
{
    uint8_t bytes[SOTTO__DIGEST_BYTES];
    sotto__digest state, *digest = &state;
    sotto__digest_begin(digest);
    add(digest, "sotto %s first_seed %" PRIu64 "\n", sotto_version(), plan->sweep.first_seed);
    for (uint32_t i = 0; i < plan->sweep.matches_count; i++) {
        add(digest, "epsilon %.17g\n", plan->epsilon[i]);
        add_match(digest, &plan->match[i]);
    }
    for (uint32_t i = 0; i < plan->sweep.at_count; i++) {
        add(digest, "at %" PRIu64 "\n", plan->at[i]);
    }
    sotto__digest_end(digest, bytes);
    for (uint32_t i = 0; i < SOTTO__DIGEST_BYTES; i++) {
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    }
}

/* For people who confuse two files: the main options. */
static void describe_sweep(const simulate_plan *plan, char about[ABOUT_BYTES])
{
    const sotto_match *first = &plan->match[0];
    size_t at = 0;
    for (uint32_t i = 0; i < plan->sweep.matches_count && at < ABOUT_BYTES / 2; i++) {
        at +=
            (size_t)snprintf(about + at, ABOUT_BYTES - at, "%s%s at %.15g", i == 0 ? "" : ", ",
                             sotto_player_name((uint32_t)plan->match[i].player), plan->epsilon[i]);
    }
    snprintf(about + at, ABOUT_BYTES - at,
             "; %s, %s, %s, %s, dim %u, arms %u, horizon %" PRIu64 ", first seed %" PRIu64
             ", liars %g, tries %u, growth %g, version %s",
             sotto_parameters_name((uint32_t)first->spec.parameters),
             sotto_link_name((uint32_t)first->spec.link),
             sotto_environment_kind_name((uint32_t)first->environment.kind),
             sotto_calibration_name((uint32_t)first->calibration), first->spec.dim,
             first->spec.arms, first->horizon, plan->sweep.first_seed, first->liars, first->grind,
             first->growth, sotto_version());
}

static size_t header_text(const simulate_plan *plan, char text[HEADER_BYTES])
{
    char hex[HEX_BYTES], about[ABOUT_BYTES];
    name_sweep(plan, hex);
    describe_sweep(plan, about);
    return (size_t)snprintf(text, HEADER_BYTES, "%s%s\", \"runs\": %" PRIu64 ", %s%s\"}\n",
                            header_start, hex, sotto_sweep_runs(&plan->sweep), about_start, about);
}

/* ---- reading ------------------------------------------------------------------------------ */

static int failed(const simulate_resume *resume, const char *why)
{
    fprintf(stderr, "%s%s: %s\n", resume->who, resume->path, why);
    return EXIT_FAILED;
}

static int damaged(const simulate_resume *resume, uint64_t line, const char *why)
{
    fprintf(stderr, "%s%s: line %" PRIu64 ": %s; nothing was changed\n", resume->who, resume->path,
            line, why);
    return EXIT_FAILED;
}

static void print_about(const char *header)
{
    const char *about = strstr(header, about_start);
    if (about == NULL) return;
    about += strlen(about_start);
    fprintf(stderr, " (%.*s)", (int)strcspn(about, "\""), about);
}

/* Whether the first line names this sweep. */
static int check_header(const simulate_resume *resume, const char *line, const char *ours)
{
    size_t start = strlen(header_start), hex = HEX_BYTES - 1;
    bool ours_too = strncmp(line, header_start, start) == 0 && strlen(line) > start + hex;
    if (!ours_too || strspn(line + start, "0123456789abcdef") != hex) {
        return damaged(resume, 1, "this is not the resume file of a sweep");
    }
    if (strncmp(line + start, ours + start, hex) == 0) return EXIT_OK;
    fprintf(stderr, "%s%s: the file is of sweep %.12s", resume->who, resume->path, line + start);
    print_about(line);
    fprintf(stderr, ", this is sweep %.12s", ours + start);
    print_about(ours);
    fprintf(stderr, ": give another FILE, or the options of that sweep\n");
    return EXIT_USAGE;
}

/* The run whose rows are being read. */
typedef struct reading {
    const simulate_plan *plan;
    simulate_results *results;
    uint32_t match, filled; /* filled: rows read of it */
    uint64_t seed;
    bool wanted; /* its seed is one of this sweep's */
} reading;

/* The match and the seed that a row names. */
static bool find_run(reading *r, const char *line)
{
    for (uint32_t i = 0; i < r->plan->sweep.matches_count; i++) {
        char start[SIMULATE_ROW_BYTES], *end;
        int length =
            snprintf(start, sizeof start, "{\"method\": \"%s\", \"epsilon\": %.15g, \"seed\": ",
                     sotto_player_name((uint32_t)r->plan->match[i].player), r->plan->epsilon[i]);
        if (strncmp(line, start, (size_t)length) != 0) continue;
        r->match = i;
        r->seed = strtoull(line + length, &end, 10);
        return r->seed >= r->plan->sweep.first_seed;
    }
    return false;
}

static double read_real(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    if (found == NULL || strncmp(found + strlen(key), "null", 4) == 0) return NAN;
    return strtod(found + strlen(key), NULL);
}

/* Takes a row. It must be, to the byte, what a sweep would write there: NULL, or what is wrong. */
static const char *take_row(reading *r, const char *line, size_t length)
{
    const sotto_sweep *sweep = &r->plan->sweep;
    if (r->filled == 0 && !find_run(r, line)) return "this is no row of this sweep";
    sotto_point point = {.t = sweep->at[r->filled],
                         .regret = read_real(line, "\"regret\": "),
                         .estimation_error = read_real(line, "\"estimation_error\": ")};
    char text[SIMULATE_ROW_BYTES];
    size_t wanted = simulate_row_text(sotto_player_name((uint32_t)r->plan->match[r->match].player),
                                      r->plan->epsilon[r->match], r->seed, &point, ROWS_JSON, text);
    if (length != wanted || memcmp(line, text, wanted) != 0) return "this is not the row expected";
    uint64_t place = r->seed - sweep->first_seed;
    r->wanted = place < sweep->seeds_count;
    uint64_t run = (uint64_t)r->match * sweep->seeds_count + (r->wanted ? place : 0);
    if (r->wanted && r->results->run[run].done) return "this run is there twice";
    if (r->wanted) simulate_points(r->plan, r->results, run)[r->filled] = point;
    r->filled++;
    if (r->filled < sweep->at_count) return NULL;
    r->filled = 0;
    if (r->wanted) r->results->run[run].done = true;
    if (r->wanted) r->results->done_count++;
    return NULL;
}

/* Reads all lines. resume->length: up to the end of the last whole run; 0: not even a header. */
static int read_lines(simulate_resume *resume, FILE *file, const char *header, reading *r)
{
    char *line = NULL;
    size_t capacity = 0;
    off_t at = 0;
    ssize_t length;
    int code = EXIT_OK;
    for (uint64_t n = 1; code == EXIT_OK && (length = getline(&line, &capacity, file)) > 0; n++) {
        bool cut = line[length - 1] != '\n';
        at += length;
        if (n == 1) {
            /* A header that was cut while it was written is the start of ours. */
            bool start = cut && strncmp(line, header, (size_t)length) == 0;
            if (!start) code = check_header(resume, line, header);
            if (!cut) resume->length = at;
            continue;
        }
        if (cut) break;
        const char *wrong = take_row(r, line, (size_t)length);
        if (wrong != NULL) code = damaged(resume, n, wrong);
        if (r->filled == 0) resume->length = at;
    }
    if (code == EXIT_OK && ferror(file)) code = failed(resume, strerror(errno));
    free(line);
    return code;
}

static int read_file(simulate_resume *resume, const simulate_plan *plan, const char *header,
                     simulate_results *results)
{
    int copy = dup(resume->file);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "r");
    if (file == NULL) {
        if (copy >= 0) close(copy);
        return failed(resume, strerror(errno));
    }
    reading r = {.plan = plan, .results = results};
    int code = read_lines(resume, file, header, &r);
    fclose(file);
    return code;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Adds text at the end of what is good; on failure the file ends where it did. */
static bool append(simulate_resume *resume, const char *text, size_t bytes)
{
    if (lseek(resume->file, resume->length, SEEK_SET) >= 0 &&
        simulate_write(resume->file, text, bytes)) {
        resume->length += (off_t)bytes;
        return true;
    }
    int why = errno;
    bool ended = ftruncate(resume->file, resume->length) == 0;
    (void)ended; /* otherwise the next reader drops what follows the last whole run */
    errno = why;
    return false;
}

bool simulate_resume_add(simulate_resume *resume, const simulate_plan *plan,
                         const simulate_results *results, uint64_t run)
{
    if (resume->file < 0) return true;
    size_t bytes = simulate_rows_text(plan, results, run, ROWS_JSON, resume->text);
    if (!append(resume, resume->text, bytes)) return false;
    resume->kept_count++;
    return true;
}

/* Opened for this process alone. */
static int lock_file(simulate_resume *resume, struct stat *about)
{
    resume->file = open(resume->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (resume->file < 0) return failed(resume, strerror(errno));
    if (fstat(resume->file, about) != 0) return failed(resume, strerror(errno));
    if (!S_ISREG(about->st_mode)) return failed(resume, "this is not a regular file");
    if (flock(resume->file, LOCK_EX | LOCK_NB) != 0) {
        return failed(resume,
                      errno == EWOULDBLOCK ? "another sweep is writing to it" : strerror(errno));
    }
    return fstat(resume->file, about) == 0 ? EXIT_OK : failed(resume, strerror(errno));
}

int simulate_resume_open(simulate_resume *resume, const simulate_plan *plan,
                         simulate_results *results)
{
    char header[HEADER_BYTES];
    struct stat about;
    size_t header_length = header_text(plan, header);
    resume->file = -1;
    resume->length = 0;
    if (resume->path == NULL) return EXIT_OK;
    int code = lock_file(resume, &about);
    if (code == EXIT_OK) code = read_file(resume, plan, header, results);
    if (code != EXIT_OK) return code;
    resume->kept_count = results->done_count;
    if (resume->length < about.st_size) {
        if (ftruncate(resume->file, resume->length) != 0) {
            return failed(resume, strerror(errno));
        }
        fprintf(stderr, "%s%s: the end was cut off; %jd bytes of it are dropped\n", resume->who,
                resume->path, (intmax_t)(about.st_size - resume->length));
    }
    if (resume->length == 0 && !append(resume, header, header_length)) {
        return failed(resume, strerror(errno));
    }
    return EXIT_OK;
}
