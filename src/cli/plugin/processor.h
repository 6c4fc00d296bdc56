/* Which processor a shared object is for. */
#ifndef SOTTO_CLI_PLUGIN_PROCESSOR_H
#define SOTTO_CLI_PLUGIN_PROCESSOR_H

#include <sotto/core.h>

/* NULL, or `fault`: the file is for another processor than this program, and for which. NULL as well for
 * a file that does not say: the loader knows what is wrong with it. */
const char *plugin_processor_fault(const char *path, char fault[SOTTO_FAULT_BYTES]);

#endif
