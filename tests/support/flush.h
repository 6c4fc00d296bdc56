/* Flush to zero: results and operands too small for a normal double count as 0. Each kind of
 * processor has its own file; the build picks it by its name. */
#ifndef SOTTO_FLUSH_H
#define SOTTO_FLUSH_H

#include <stdbool.h>

void flush_to_zero(bool on);
bool flushes_to_zero(void);

#endif
