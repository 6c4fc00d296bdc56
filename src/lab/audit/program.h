/* A program outside: started once by the shell, lines in, lines out. */
#ifndef SOTTO_LAB_AUDIT_PROGRAM_H
#define SOTTO_LAB_AUDIT_PROGRAM_H

#include <sotto/core.h>

#include <sys/types.h>

typedef struct sotto__outside {
    pid_t pid; /* also its process group */
    int in;    /* our end of its standard input, -1 once closed */
    int out;   /* our end of its standard output */
} sotto__outside;

/* Starts /bin/sh -c command in a process group of its own. Both ends do not block, are closed on
 * exec, and writing to a program that is gone raises no signal. SOTTO_E_MEMORY if the system has no
 * room. */
SOTTO_CHECK sotto_status sotto__outside_start(const char *command, sotto__outside *out);

/* Sends what fits without waiting; *sent may be 0. False if the program reads no more. */
bool sotto__outside_send(sotto__outside *program, const char *bytes, size_t count, size_t *sent);
/* Ends its input. */
void sotto__outside_close(sotto__outside *program);

/* Reads what is there; *got 0 with true: nothing yet. False at the end of its output. */
bool sotto__outside_receive(sotto__outside *program, char *bytes, size_t capacity, size_t *got);

/* Waits until there is something to read, or (if wanted) room to write. False after timeout_s. */
bool sotto__outside_wait(const sotto__outside *program, bool to_write, double timeout_s);

/* Waits at most timeout_s for its end, then kills the whole group and reaps it. Returns the status
 * of waitpid; SIGKILL of our own counts as one. */
int sotto__outside_end(sotto__outside *program, double timeout_s);

#endif
