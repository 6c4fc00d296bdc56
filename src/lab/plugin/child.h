/* Processes in which what people bring runs. */
#ifndef SOTTO_LAB_PLUGIN_CHILD_H
#define SOTTO_LAB_PLUGIN_CHILD_H

#include <sotto/core.h>

/* In a new child: it dies with its parent, and a crash ends it, whatever handlers the parent has. */
void sotto__child_begin(void);

/* Into a pipe, all of it; false if nobody reads it any more. */
bool sotto__child_send(int pipe, const void *data, size_t bytes);

/* How a child ended, from waitpid: "crashed with signal 11 (Segmentation fault)", or "ended the process with
 * status 3". `text` has SOTTO_FAULT_BYTES. */
const char *sotto__child_end_text(int end, char *text);

#endif
