/* The installation and the machine. */
#include "inner.h"
#include "threads/threads.h"

#include <sotto/core.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define TEXT_BYTES 512u

static double now_us(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* ---- installed ------------------------------------------------------------------------------ */

/* Prints the version of a shared library, or "none" if the linker finds none of this series. */
static bool library(facts *list, const char *name)
{
    char file[64];
    unsigned major = 0, minor = 0;
    const char *(*version)(void) = NULL;
    if (sscanf(sotto_version(), "%u.%u", &major, &minor) != 2) return false;
    snprintf(file, sizeof file, "libsotto-%s.so.%u.%u", name, major, minor);
    void *handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (handle != NULL) *(void **)&version = dlsym(handle, "sotto_version");
    const char *said = version == NULL ? "none" : version();
    bool fine = version == NULL || strcmp(said, sotto_version()) == 0;
    snprintf(file, sizeof file, "library_%s", name);
    fact_text(list, file, said, fine ? "" : "not the version of this program");
    if (handle != NULL) dlclose(handle);
    return fine;
}

/* Prints the first executable of that name on PATH, or "none". */
static void program(facts *list, const char *key, const char *name, const char *meaning)
{
    char found[TEXT_BYTES] = "none";
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        int length = (int)strcspn(path, ":");
        char file[TEXT_BYTES];
        snprintf(file, sizeof file, "%.*s/%s", length, path, name);
        if (access(file, X_OK) == 0) {
            snprintf(found, sizeof found, "%s", file);
            break;
        }
        path += length + (path[length] == ':');
    }
    fact_text(list, key, found, meaning);
}

bool doctor_installed(facts *list)
{
    static const char *const side[] = {"client", "server", "transport", "lab"};
    bool fine = true;
    for (size_t i = 0; i < sizeof side / sizeof side[0]; i++) {
        fine = library(list, side[i]) && fine;
    }
    program(list, "sottod", "sottod", "the service");
    program(list, "rsvg_convert", "rsvg-convert", "draws figures as PNG and PDF");
    return fine;
}

/* ---- machine -------------------------------------------------------------------------------- */

/* The first line of a file, or "unknown". */
static void first_line(const char *path, char text[TEXT_BYTES])
{
    snprintf(text, TEXT_BYTES, "unknown");
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    if (fgets(text, TEXT_BYTES, file) != NULL) text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

/* The processor features that this program uses or could use, from what Linux lists for the first
 * core. */
static void features(facts *list)
{
    static const char *const known[] = {"sha_ni", "ssse3", "sse4_1", "avx2",
                                        "fma",    "sha2",  "asimd"};
    char line[8192], found[TEXT_BYTES] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool there = false;
    while (file != NULL && !there && fgets(line, sizeof line, file) != NULL) {
        there = strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0;
    }
    if (file != NULL) fclose(file);
    char *rest = NULL;
    for (char *word = there ? strtok_r(line, " \t\n", &rest) : NULL; word != NULL;
         word = strtok_r(NULL, " \t\n", &rest)) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            size_t length = strlen(found);
            if (strcmp(word, known[i]) != 0) continue;
            snprintf(found + length, sizeof found - length, "%s%s", length > 0 ? " " : "", word);
        }
    }
    fact_text(list, "processor", found[0] == '\0' ? "unknown" : found,
              "features of the first core");
}

static bool entropy(facts *list)
{
    enum { DRAWS = 1000 };
    uint8_t drawn[32];
    double began_us = now_us(CLOCK_MONOTONIC);
    for (int i = 0; i < DRAWS; i++) {
        if (getrandom(drawn, sizeof drawn, GRND_NONBLOCK) == (ssize_t)sizeof drawn) continue;
        fact_text(list, "entropy", strerror(errno), "no private round can begin");
        return false;
    }
    fact_real(list, "entropy_us", (now_us(CLOCK_MONOTONIC) - began_us) / DRAWS,
              "microseconds per draw of 32 bytes");
    return true;
}

static void clocks(facts *list)
{
    enum { READS = 10000 };
    char source[TEXT_BYTES];
    first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", source);
    fact_text(list, "clock_source", source, "");
    double began_us = now_us(CLOCK_MONOTONIC), ended_us = began_us;
    for (int i = 0; i < READS; i++) {
        ended_us = now_us(CLOCK_MONOTONIC);
    }
    fact_real(list, "clock_ns", 1e3 * (ended_us - began_us) / READS, "nanoseconds per reading");
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Measures fsync by appending to a temporary file, which is unlinked as soon as it is open. */
static bool disk(facts *list, const char *directory)
{
    enum { WRITES = 21 };
    char path[TEXT_BYTES], why[TEXT_BYTES + 64];
    const uint8_t page[4096] = {0};
    double took_us[WRITES];
    int written = 0, length = snprintf(path, sizeof path, "%s/.sotto-doctor-XXXXXX", directory);
    errno = ENAMETOOLONG;
    int fd = length < (int)sizeof path ? mkstemp(path) : -1;
    bool fine = fd >= 0 && unlink(path) == 0;
    while (fine && written < WRITES) {
        double began_us = now_us(CLOCK_MONOTONIC);
        fine = write(fd, page, sizeof page) == (ssize_t)sizeof page && fsync(fd) == 0;
        took_us[written++] = now_us(CLOCK_MONOTONIC) - began_us;
    }
    if (!fine) {
        snprintf(why, sizeof why, "%s: %s", directory, strerror(errno));
        fact_text(list, "fsync", why, "no data can be kept there");
    } else {
        qsort(took_us, WRITES, sizeof took_us[0], by_size);
        fact_real(list, "fsync_us", took_us[WRITES / 2], "microseconds, median of 21");
        fact_real(list, "fsync_us_max", took_us[WRITES - 1], "microseconds, the slowest");
    }
    if (fd >= 0) close(fd);
    return fine;
}

bool doctor_machine(facts *list, const char *directory)
{
    features(list);
    fact_natural(list, "cores", cores_count(UINT32_MAX), "that this process may use");
    bool fine = entropy(list);
    clocks(list);
    return disk(list, directory) && fine;
}
