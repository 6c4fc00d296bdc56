#include "core/core.h"
#include "inner.h"
#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ==== whole file ============================================================================= */

/* Files that are read as a whole, and written completely or not at all. */

bool sotto__path(char path[SOTTO__PATH_BYTES], const char *directory, const char *name,
                 const char *ending)
{
    int length = snprintf(path, SOTTO__PATH_BYTES, "%s/%s%s", directory, name, ending);
    return length >= 0 && (size_t)length < SOTTO__PATH_BYTES - sizeof ".part";
}

static char *read_text(FILE *file)
{
    if (fseek(file, 0, SEEK_END) != 0) return NULL;
    long end = ftell(file);
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0) return NULL;
    size_t count = (size_t)end;
    char *text = malloc(count + 1);
    if (text == NULL) return NULL;
    text[fread(text, 1, count, file)] = '\0';
    if (ferror(file) == 0) return text;
    free(text);
    errno = EIO;
    return NULL;
}

char *sotto__read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *text = read_text(file);
    fclose(file);
    return text;
}

bool sotto__write_whole(const char *path, void (*put)(const void *state, FILE *out),
                        const void *state)
{
    char part[SOTTO__PATH_BYTES + sizeof ".part"];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "wb");
    if (file == NULL) return false;
    errno = 0;
    put(state, file);
    bool good = fflush(file) == 0 && ferror(file) == 0;
    int reason = errno != 0 ? errno : EIO; /* of the first failure */
    if (fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(part, path) == 0) return true;
    if (good) reason = errno;
    unlink(part);
    errno = reason;
    return false;
}

/* ==== figure ================================================================================= */

/* Figures as files: CSV, our SVG drawing, and the PNG and PDF that rsvg-convert makes of it. */

static const struct {
    const char *part, *ending, *format, *width;
} picture_of[] = {{".png.part", ".png", "--format=png", "--width=1600"},
                  {".pdf.part", ".pdf", "--format=pdf", "--width=7in"}};
#define PICTURES (sizeof picture_of / sizeof picture_of[0])

extern char **environ;

static sotto_status name_fault(const sotto__figure *figure, const char *directory,
                               sotto_fault *fault)
{
    char path[SOTTO__PATH_BYTES];
    const char *name = figure->name;
    size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.");
    if (*name == '\0' || *name == '.' || name[good] != '\0') {
        return sotto__refuse(
            fault, "figure %.100s: a name has letters, digits, dashes and inner dots", name);
    }
    if (!sotto__path(path, directory, name, ".svg.part")) { /* no ending is longer */
        return sotto__refuse(fault, "figure %.100s: the path of its directory is too long", name);
    }
    return SOTTO_OK;
}

/* Writes DIRECTORY/NAME with an ending, completely or not at all. */
static sotto_status write_file(const sotto__figure *figure, const char *directory,
                               const char *ending, void (*put)(const void *state, FILE *out),
                               sotto_fault *fault)
{
    char path[SOTTO__PATH_BYTES];
    if (name_fault(figure, directory, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto__path(path, directory, figure->name, ending);
    if (sotto__write_whole(path, put, figure)) return SOTTO_OK;
    return sotto__refuse(fault, "%.300s: %s", path, strerror(errno));
}

/* ---- CSV ---------------------------------------------------------------------------------- */

/* panel,curve,x,y,lo,hi. Numbers have enough digits to be read back unchanged; a number that is not
 * finite is an empty field. Words are quoted if they contain a comma, a quote or a line end. */

static void put_word(FILE *out, const char *word)
{
    if (word[strcspn(word, ",\"\n\r")] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('"', out);
    for (; *word != '\0'; word++) {
        if (*word == '"') fputc('"', out);
        fputc(*word, out);
    }
    fputc('"', out);
}

static void put_number(FILE *out, const double *values, uint32_t i)
{
    fputc(',', out);
    if (values != NULL && isfinite(values[i])) fprintf(out, "%.17g", values[i]);
}

static void put_curve(FILE *out, const char *panel, const sotto__curve *curve)
{
    const char *player = sotto_player_name(curve->player);
    for (uint32_t i = 0; i < curve->count; i++) {
        put_word(out, panel);
        fputc(',', out);
        put_word(out, curve->label != NULL ? curve->label : player);
        put_number(out, curve->x, i);
        put_number(out, curve->y, i);
        put_number(out, curve->lo, i);
        put_number(out, curve->hi, i);
        fputc('\n', out);
    }
}

static void put_csv(const void *state, FILE *out)
{
    const sotto__figure *figure = state;
    fputs("panel,curve,x,y,lo,hi\n", out);
    for (uint32_t p = 0; p < figure->panels_count; p++) {
        const sotto__panel *panel = &figure->panel[p];
        for (uint32_t c = 0; c < panel->curves_count; c++) {
            put_curve(out, panel->title != NULL ? panel->title : "", &panel->curve[c]);
        }
    }
}

sotto_status sotto__figure_csv(const sotto__figure *figure, const char *directory,
                               sotto_fault *fault)
{
    return write_file(figure, directory, ".csv", put_csv, fault);
}

/* ---- SVG ---------------------------------------------------------------------------------- */

static void put_svg(const void *state, FILE *out)
{
    sotto__figure_svg_whole(state, out);
}

sotto_status sotto__figure_svg(const sotto__figure *figure, const char *directory,
                               sotto_fault *fault)
{
    return write_file(figure, directory, ".svg", put_svg, fault);
}

/* ---- PNG and PDF -------------------------------------------------------------------------- */

/* Reports the last line that the program wrote, because it says what was wrong; earlier lines say
 * where. */
static sotto_status complaint_fault(const sotto__figure *figure, FILE *complaint,
                                    sotto_fault *fault)
{
    char line[300], last[300] = "it gave no reason";
    rewind(complaint);
    while (fgets(line, sizeof line, complaint) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] != '\0') memcpy(last, line, sizeof last);
    }
    return sotto__refuse(fault, "figure %.100s: rsvg-convert failed: %s", figure->name, last);
}

/* Runs the program with its messages going to a file. Returns 0 and sets *status as waitpid does,
 * or returns errno. */
static int run(const char *const words[], int complaint, int *status)
{
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, complaint, STDERR_FILENO);
    int wrong = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (wrong == 0 && waitpid(pid, status, 0) < 0) {
        if (errno != EINTR) wrong = errno;
    }
    return wrong;
}

/* Makes one picture of DIRECTORY/NAME.svg, completely or not at all. */
static sotto_status convert(const sotto__figure *figure, const char *directory, size_t picture,
                            FILE *complaint, sotto_fault *fault)
{
    char svg[SOTTO__PATH_BYTES], path[SOTTO__PATH_BYTES], part[SOTTO__PATH_BYTES];
    int status = 0;
    sotto__path(svg, directory, figure->name, ".svg");
    sotto__path(path, directory, figure->name, picture_of[picture].ending);
    sotto__path(part, directory, figure->name, picture_of[picture].part);
    const char *const words[] = {"rsvg-convert",
                                 picture_of[picture].format,
                                 picture_of[picture].width,
                                 "--keep-aspect-ratio",
                                 "--output",
                                 part,
                                 "--",
                                 svg,
                                 NULL};
    int wrong = run(words, fileno(complaint), &status);
    if (wrong == 0 && status == 0 && rename(part, path) == 0) return SOTTO_OK;
    int left = errno;
    unlink(part);
    if (wrong == ENOENT) {
        return sotto__refuse(fault,
                             "rsvg-convert not found: install the Debian package librsvg2-bin");
    }
    if (wrong != 0) return sotto__refuse(fault, "rsvg-convert cannot run: %s", strerror(wrong));
    if (status != 0) return complaint_fault(figure, complaint, fault);
    return sotto__refuse(fault, "%.300s: %s", part, strerror(left));
}

sotto_status sotto__figure_convert(const sotto__figure *figure, const char *directory,
                                   sotto_fault *fault)
{
    sotto_status status = name_fault(figure, directory, fault);
    if (status != SOTTO_OK) return status;
    FILE *complaint = tmpfile();
    if (complaint == NULL) {
        return sotto__refuse(fault, "cannot make a temporary file: %s", strerror(errno));
    }
    for (size_t i = 0; i < PICTURES && status == SOTTO_OK; i++) {
        status = convert(figure, directory, i, complaint, fault);
    }
    fclose(complaint);
    return status;
}
