/* The broken twin of the journal, to be loaded before SQLite (LD_PRELOAD): where a program asks for
 * synchronous=FULL it gets what the variable SYNCHRONOUS says, OFF or NORMAL. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sqlite3 sqlite3; /* as SQLite has it */
typedef int exec_function(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *,
                          char **);

int sqlite3_exec(sqlite3 *data, const char *sql, int (*row)(void *, int, char **, char **),
                 void *self, char **fault);
__attribute__((visibility("default"))) int sqlite3_exec(sqlite3 *data, const char *sql,
                                                        int (*row)(void *, int, char **, char **),
                                                        void *self, char **fault)
{
    static const char asked[] = "synchronous=FULL";
    char changed[1024];
    const char *level = getenv("SYNCHRONOUS"), *at = sql == NULL ? NULL : strstr(sql, asked);
    void *found = dlsym(RTLD_NEXT, "sqlite3_exec");
    exec_function *next;
    memcpy(&next, &found, sizeof next);
    if (found == NULL || (at != NULL && level == NULL)) abort();
    if (at == NULL) return next(data, sql, row, self, fault);
    snprintf(changed, sizeof changed, "%.*ssynchronous=%s%s", (int)(at - sql), sql, level,
             at + strlen(asked));
    return next(data, changed, row, self, fault);
}
