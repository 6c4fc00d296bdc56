/*
 * Calls that fail. FAILING_CALLS is KIND:N:ERROR, and says which:
 *
 *     KIND    open, write, sync, sync_directory, truncate, rename, unlink, mkdir
 *     N       the N-th call of this kind fails, from 1; with a + (as in "3+") all from there on, as long
 *             as the file that FAILING_WHILE names is there (without that variable: for good)
 *     ERROR   EIO, ENOSPC; of writes also "short" (half is written, and the call says so), "half" (half is
 *             written, and the call fails with ENOSPC)
 *
 * Only calls on files of the directory count (calls.h). The report has a line for each that failed, with the name of its
 * file, and one at the end with the number of calls of each kind.
 */
#define _GNU_SOURCE
#include "calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    bool is_set, goes_on;
    faults_kind kind;
    uint64_t number, count[FAULTS_KINDS];
    int error;
    bool writes_half;
    const char *name, *while_file;
} failing;

static void refuse(const char *text)
{
    fprintf(stderr, "failing_calls: FAILING_CALLS = %s: KIND:N:ERROR is allowed\n", text);
    abort();
}

void failing_begin(void)
{
    char kind[16] = "", error[16] = "", number[32] = "";
    const char *text = faults_setting("FAILING_CALLS");
    if (text[0] == '\0') return;
    if (sscanf(text, "%15[a-z_]:%31[0-9+]:%15[A-Za-z]", kind, number, error) != 3) refuse(text);
    while (failing.kind < FAULTS_KINDS && strcmp(kind, faults_kind_name(failing.kind)) != 0) {
        failing.kind++;
    }
    if (failing.kind == FAULTS_KINDS) refuse(text);
    failing.number = strtoull(number, NULL, 10);
    failing.goes_on = strchr(number, '+') != NULL;
    failing.writes_half = strcmp(error, "short") == 0 || strcmp(error, "half") == 0;
    if (strcmp(error, "ENOSPC") == 0 || strcmp(error, "half") == 0) failing.error = ENOSPC;
    if (strcmp(error, "EIO") == 0) failing.error = EIO;
    if (failing.error == 0 && !failing.writes_half) refuse(text);
    failing.while_file = faults_setting("FAILING_WHILE");
    failing.is_set = true;
}

/* As it is called in the directory; "." is the directory itself. */
static void name_of(const faults_call *call, char *name, size_t bytes)
{
    char link[64], path[FAULTS_PATH_BYTES] = "?";
    if (call->path != NULL) {
        snprintf(path, sizeof path, "%s", call->path);
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", faults_at(call->file)->own);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length >= 0) path[length] = '\0';
    }
    const char *last = strrchr(path, '/');
    bool is_directory = strcmp(path, faults_directory()) == 0;
    snprintf(name, bytes, "%s", is_directory ? "." : last == NULL ? path : last + 1);
}

bool failing_now(const faults_call *call, size_t *count, int *error)
{
    uint64_t number = ++failing.count[call->kind];
    if (!failing.is_set || call->kind != failing.kind || number < failing.number) return false;
    if (number > failing.number && !failing.goes_on) return false;
    if (failing.while_file[0] != '\0' && access(failing.while_file, F_OK) != 0) return false;
    *count = failing.writes_half ? *count / 2 : 0;
    *error = *count == 0 && failing.error == 0 ? ENOSPC : failing.error;
    char name[FAULTS_PATH_BYTES];
    name_of(call, name, sizeof name);
    const char *kind = faults_kind_name(call->kind);
    faults_say("failed %s %llu error %d by %s of %s at event %llu", kind,
               (unsigned long long)number, *error, call->way == NULL ? kind : call->way, name,
               (unsigned long long)call->number);
    return true;
}

void failing_end(void)
{
    for (int kind = 0; kind < FAULTS_KINDS; kind++) {
        faults_say("calls %s %llu", faults_kind_name((faults_kind)kind),
                   (unsigned long long)failing.count[kind]);
    }
}
