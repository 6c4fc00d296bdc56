/* One sentence for people about what cannot be used. */
#ifndef SOTTO_FAULT_H
#define SOTTO_FAULT_H

#include <sotto/core.h>

/* Formats the sentence into `text`, of SOTTO_FAULT_BYTES, and returns it. A longer one is cut behind a
 * whole character. */
__attribute__((format(printf, 2, 3))) const char *sotto__fault(char *text, const char *format, ...);

#endif
