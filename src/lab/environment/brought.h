/* An environment that people brought. */
#ifndef SOTTO_LAB_ENVIRONMENT_BROUGHT_H
#define SOTTO_LAB_ENVIRONMENT_BROUGHT_H

#include <sotto/lab.h>

/* NULL, or `text`: why the table cannot be used, whatever the match. */
const char *sotto__brought_fault(const sotto_environment_table *table,
                                 char text[SOTTO_FAULT_BYTES]);

/* The name as people know it: that of its kind, or of what was brought. */
const char *sotto__environment_name(const sotto_environment *environment);

#endif
