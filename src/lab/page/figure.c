/*
 * Figures. gnuplot gets its script as a file that has no name, so that there is no pipe to break,
 * no path to quote and no shell to fool; what it complains about goes to another such file.
 */
#include "figure.h"
#include "core/fault.h"
#include "figure_script.h"
#include "figure_svg.h"
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const ending_of[] = {".png.part", ".pdf.part"};
#define ENDINGS (sizeof ending_of / sizeof ending_of[0])

static const char *name_fault(const sotto__figure *figure, const char *folder, char *fault)
{
    char path[SOTTO__PATH_BYTES];
    const char *name = figure->name;
    size_t good = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.");
    if (*name == '\0' || *name == '.' || name[good] != '\0') {
        return sotto__fault(
            fault, "figure %.100s: a name has letters, digits, dashes and inner dots", name);
    }
    if (!sotto__path(path, folder, name, ".svg.part")) { /* as long as any */
        return sotto__fault(fault, "figure %.100s: the path of its folder is too long", name);
    }
    return NULL;
}

/* FOLDER/NAME with an ending, whole or not at all. NULL, or `fault`. */
static const char *write_file(const sotto__figure *figure, const char *folder, const char *ending,
                              void (*put)(const void *state, FILE *out), char *fault)
{
    char path[SOTTO__PATH_BYTES];
    if (name_fault(figure, folder, fault) != NULL) return fault;
    sotto__path(path, folder, figure->name, ending);
    if (sotto__write_whole(path, put, figure)) return NULL;
    return sotto__fault(fault, "%.300s: %s", path, strerror(errno));
}

/* ---- CSV ---------------------------------------------------------------------------------- */

/* panel,curve,x,y,lo,hi: numbers that come back as they are, nothing for one that is not finite,
 * and words in quotes if they have a comma, a quote or the end of a line in them. */

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

const char *sotto__figure_csv(const sotto__figure *figure, const char *folder,
                              char fault[SOTTO_FAULT_BYTES])
{
    return write_file(figure, folder, ".csv", put_csv, fault);
}

/* ---- SVG ---------------------------------------------------------------------------------- */

static void put_svg(const void *state, FILE *out)
{
    sotto__figure_svg_whole(state, out);
}

const char *sotto__figure_svg(const sotto__figure *figure, const char *folder,
                              char fault[SOTTO_FAULT_BYTES])
{
    return write_file(figure, folder, ".svg", put_svg, fault);
}

/* ---- gnuplot ------------------------------------------------------------------------------ */

#define NOT_FOUND 127 /* what the shell says, too */

/* In the child, between fork and exec: only what a signal handler might do. */
static _Noreturn void become_gnuplot(const char *folder, int script, int complaint)
{
    char *const words[] = {"gnuplot", "-d", NULL}; /* -d: nobody's own settings */
    int nothing = open("/dev/null", O_WRONLY);
    bool ready = nothing >= 0 && dup2(script, STDIN_FILENO) >= 0 &&
                 dup2(nothing, STDOUT_FILENO) >= 0 && dup2(complaint, STDERR_FILENO) >= 0 &&
                 chdir(folder) == 0;
    if (ready) execvp(words[0], words);
    _exit(ready && errno == ENOENT ? NOT_FOUND : 126);
}

/* Runs gnuplot in the folder. False with errno; otherwise *status is as by waitpid. */
static bool run_gnuplot(const char *folder, FILE *script, FILE *complaint, int *status)
{
    if (fflush(script) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0) return false;
    pid_t pid = fork();
    if (pid < 0) return false;
    if (pid == 0) become_gnuplot(folder, fileno(script), fileno(complaint));
    while (waitpid(pid, status, 0) < 0) {
        if (errno != EINTR) return false;
    }
    return true;
}

/* The last line that gnuplot wrote: what was wrong comes after where. */
static const char *complaint_fault(const sotto__figure *figure, FILE *complaint, char *fault)
{
    char line[300], last[300] = "it does not say why";
    rewind(complaint);
    while (fgets(line, sizeof line, complaint) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        const char *text = line + strspn(line, " \t^");
        if (*text != '\0') memmove(last, text, strlen(text) + 1);
    }
    return sotto__fault(fault, "figure %.100s: gnuplot failed: %s", figure->name, last);
}

static const char *gnuplot_fault(const sotto__figure *figure, const char *folder, FILE *script,
                                 FILE *complaint, char *fault)
{
    struct stat about;
    int status = 0;
    if (stat(folder, &about) != 0)
        return sotto__fault(fault, "%.300s: %s", folder, strerror(errno));
    sotto__figure_script(figure, script);
    if (ferror(script) != 0)
        return sotto__fault(fault, "figure %.100s: no room for its script", figure->name);
    if (!run_gnuplot(folder, script, complaint, &status)) {
        return sotto__fault(fault, "gnuplot cannot be run: %s", strerror(errno));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
        return sotto__fault(fault, "gnuplot not found: install the Debian package gnuplot-nox");
    }
    if (status != 0) return complaint_fault(figure, complaint, fault);
    return NULL;
}

/* ---- files -------------------------------------------------------------------------------- */

static bool has_content(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_size > 0;
}

/* Gives the files their names once all of them are there. */
static const char *files_fault(char part[][SOTTO__PATH_BYTES], char *fault)
{
    char path[SOTTO__PATH_BYTES];
    for (size_t i = 0; i < ENDINGS; i++) {
        if (!has_content(part[i]))
            return sotto__fault(fault, "%.300s: gnuplot did not write it", part[i]);
    }
    for (size_t i = 0; i < ENDINGS; i++) {
        memcpy(path, part[i], SOTTO__PATH_BYTES);
        path[strlen(path) - strlen(".part")] = '\0';
        if (rename(part[i], path) != 0)
            return sotto__fault(fault, "%.300s: %s", path, strerror(errno));
    }
    return NULL;
}

const char *sotto__figure_draw(const sotto__figure *figure, const char *folder,
                               char fault[SOTTO_FAULT_BYTES])
{
    char part[ENDINGS][SOTTO__PATH_BYTES];
    if (name_fault(figure, folder, fault) != NULL) return fault;
    for (size_t i = 0; i < ENDINGS; i++) {
        sotto__path(part[i], folder, figure->name, ending_of[i]);
    }
    FILE *script = tmpfile(), *complaint = tmpfile();
    const char *wrong = sotto__fault(fault, "no room for temporary files: %s", strerror(errno));
    if (script != NULL && complaint != NULL) {
        wrong = gnuplot_fault(figure, folder, script, complaint, fault);
    }
    if (script != NULL) fclose(script);
    if (complaint != NULL) fclose(complaint);
    if (wrong == NULL) wrong = files_fault(part, fault);
    for (size_t i = 0; i < ENDINGS && wrong != NULL; i++) {
        unlink(part[i]);
    }
    return wrong;
}
