/* The file of a shard. */
#include "shard_file.h"
#include "core/fault.h"
#include "rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const mark[] = {[SOTTO__TEXT_CSV] = "# ", [SOTTO__TEXT_JSON] = ""};

/* ---- the first and the last line ---------------------------------------------------------- */

sotto__shard_head sotto__shard_head_of(const sotto__comparison *comparison,
                                       const sotto__shard *shard, sotto__text_format format)
{
    sotto__shard_head head = {
        .format = format,
        .shard = *shard,
        .runs = sotto_sweep_runs(&comparison->sweep),
        .points = comparison->sweep.at_count,
    };
    snprintf(head.version, sizeof head.version, "%s", sotto_version());
    sotto__comparison_id(comparison, head.sweep);
    sotto__comparison_about(comparison, head.about);
    return head;
}

size_t sotto__shard_head_text(const sotto__shard_head *head, char text[SOTTO__SHARD_HEAD_BYTES])
{
    return (size_t)snprintf(
        text, SOTTO__SHARD_HEAD_BYTES,
        "%s{\"shard\": %" PRIu32 ", \"of\": %" PRIu32 ", \"runs\": %" PRIu64 ", \"dealt\": %" PRIu64
        ", \"points\": %" PRIu32 ", \"version\": \"%s\", \"sweep\": \"%s\", \"about\": \"%s\"}\n",
        mark[head->format], head->shard.index, head->shard.count, head->runs, head->shard.dealt,
        head->points, head->version, head->sweep, head->about);
}

static void hex_of(sotto__digest *digest, char hex[SOTTO__COMPARISON_ID_BYTES])
{
    uint8_t bytes[SOTTO__DIGEST_BYTES];
    sotto__digest_end(digest, bytes);
    for (uint32_t i = 0; i < SOTTO__DIGEST_BYTES; i++) {
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    }
}

size_t sotto__shard_end_text(sotto__digest *digest, sotto__text_format format,
                             char text[SOTTO__SHARD_END_BYTES])
{
    char hex[SOTTO__COMPARISON_ID_BYTES];
    hex_of(digest, hex);
    return (size_t)snprintf(text, SOTTO__SHARD_END_BYTES, "%s{\"end\": \"%s\"}\n", mark[format],
                            hex);
}

static bool is_end(const char *line, sotto__text_format format)
{
    char start[32];
    int length = snprintf(start, sizeof start, "%s{\"end\": ", mark[format]);
    return strncmp(line, start, (size_t)length) == 0;
}

/* Takes the values out of a first line, which must be, to the byte, what they make. */
static bool read_head(const char *line, sotto__shard_head *out)
{
    char text[SOTTO__SHARD_HEAD_BYTES];
    sotto__shard *shard = &out->shard;
    *out = (sotto__shard_head){.format = line[0] == '#' ? SOTTO__TEXT_CSV : SOTTO__TEXT_JSON};
    int taken = sscanf(
        line + strlen(mark[out->format]),
        "{\"shard\": %" SCNu32 ", \"of\": %" SCNu32 ", \"runs\": %" SCNu64 ", \"dealt\": %" SCNu64
        ", \"points\": %" SCNu32
        ", \"version\": \"%31[^\"]\", \"sweep\": \"%64[0-9a-f]\", \"about\": \"%1023[^\"]\"}",
        &shard->index, &shard->count, &out->runs, &shard->dealt, &out->points, out->version,
        out->sweep, out->about);
    if (taken != 8 || strlen(out->sweep) != 2 * (size_t)SOTTO__DIGEST_BYTES) return false;
    sotto__shard_head_text(out, text);
    bool sane = sotto_shard_holds(shard->index - 1, shard->index, shard->count) && out->runs > 0 &&
                out->runs <= SOTTO_COMPARISON_ROWS_MAX && shard->dealt <= UINT32_MAX &&
                out->points > 0 && out->points <= SOTTO_POINTS_MAX;
    return sane && strcmp(line, text) == 0;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Why a first line is none of a shard, as far as that can be told. */
static const char *head_fault(const char *line, bool ended, char *fault)
{
    if (line[0] == '\0' && ended) {
        return sotto__fault(fault, "the file is empty: this shard was not played; run it again");
    }
    if (strcmp(line, SOTTO_COMPARISON_HEADER) == 0 || strncmp(line, "{\"method\": ", 11) == 0) {
        return sotto__fault(fault, "these are rows of a whole sweep, not of a shard of one");
    }
    if (strncmp(line, "{\"sweep\": ", 10) == 0) {
        return sotto__fault(fault, "this is a resume file; the file of a shard is that of --out");
    }
    if (ended && strncmp(line, "# {\"shard\": ", 12) == 0) {
        return sotto__fault(fault, "the file is cut off in its first line; run this shard again");
    }
    return sotto__fault(fault, "this is not the file of a shard, as sotto simulate --shard makes");
}

static const char *damaged(char *fault, uint64_t line, const char *why)
{
    return sotto__fault(fault, "damaged at line %" PRIu64 ": %s; run this shard again", line, why);
}

/* Compares the last line with what came before it. */
static const char *end_fault(sotto__shard_file *out, FILE *file, const char *line, uint64_t n,
                             uint64_t rows, sotto__digest *digest, char *fault)
{
    char wanted[SOTTO__SHARD_END_BYTES];
    uint64_t runs = sotto__shard_count(&out->head.shard, out->head.runs);
    sotto__shard_end_text(digest, out->head.format, wanted);
    if (strcmp(line, wanted) != 0) {
        return damaged(fault, n, "the SHA-256 of the file is not the one that it ends with");
    }
    if (rows != runs * out->head.points) return damaged(fault, n, "the number of rows is wrong");
    if (fgetc(file) != EOF) return damaged(fault, n + 1, "there is something after its end");
    out->whole = true;
    return NULL;
}

/* All that follows the first line. A line that was cut off ends a file that is not whole. */
static const char *read_rows(sotto__shard_file *out, FILE *file, sotto__digest *digest, char *fault)
{
    char line[SOTTO__ROW_BYTES];
    const char *wrong = NULL;
    uint64_t n = 2, rows = 0;
    uint64_t rows_max = sotto__shard_count(&out->head.shard, out->head.runs) * out->head.points;
    bool csv = out->head.format == SOTTO__TEXT_CSV;
    for (; wrong == NULL && !out->whole && fgets(line, sizeof line, file) != NULL; n++) {
        size_t length = strlen(line);
        bool cut = length == 0 || line[length - 1] != '\n';
        if (cut && feof(file)) break;
        if (cut) return damaged(fault, n, "this is no row");
        if (is_end(line, out->head.format)) {
            wrong = end_fault(out, file, line, n, rows, digest, fault);
            continue;
        }
        sotto__digest_add(digest, line, length);
        if (csv && n == 2) {
            if (strcmp(line, SOTTO_COMPARISON_HEADER) != 0) {
                return damaged(fault, n, "these are not the names of the columns");
            }
            out->rows_at += (off_t)length;
            continue;
        }
        if (++rows > rows_max) wrong = damaged(fault, n, "there is a row too many");
    }
    if (wrong == NULL && ferror(file)) wrong = sotto__fault(fault, "%s", strerror(errno));
    out->runs_there = rows / out->head.points;
    return wrong;
}

static const char *read_all(sotto__shard_file *out, FILE *file, char *fault)
{
    char line[SOTTO__SHARD_HEAD_BYTES] = "";
    sotto__digest digest;
    bool got = fgets(line, sizeof line, file) != NULL;
    if (!got && ferror(file)) return sotto__fault(fault, "%s", strerror(errno));
    if (!got || !read_head(line, &out->head)) return head_fault(line, feof(file) != 0, fault);
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, line, strlen(line));
    out->rows_at = (off_t)strlen(line);
    return read_rows(out, file, &digest, fault);
}

const char *sotto__shard_file_read(const char *path, sotto__shard_file *out,
                                   char fault[SOTTO_FAULT_BYTES])
{
    struct stat about;
    *out = (sotto__shard_file){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is not waited for */
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        const char *why = sotto__fault(fault, "%s", strerror(errno));
        if (descriptor >= 0) close(descriptor);
        return why;
    }
    FILE *file = S_ISREG(about.st_mode) ? fdopen(descriptor, "rb") : NULL;
    if (file == NULL) {
        close(descriptor);
        return sotto__fault(fault, "this is not a regular file");
    }
    out->device = about.st_dev;
    out->inode = about.st_ino;
    const char *wrong = read_all(out, file, fault);
    fclose(file);
    return wrong;
}
