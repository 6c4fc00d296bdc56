/* Whether a table that people bring can be used, before any of its functions is called. */
#ifndef SOTTO_LAB_PLUGIN_TABLE_H
#define SOTTO_LAB_PLUGIN_TABLE_H

#include <sotto/lab/plugins.h>

/* NULL, or `text`: which table it is, what is wrong with it, and what is allowed. The names of our own
 * methods and environments are for their rooms to refuse. */
const char *sotto__player_table_fault(const sotto_player_table *table,
                                      char text[SOTTO_FAULT_BYTES]);
const char *sotto__environment_table_fault(const sotto_environment_table *table,
                                           char text[SOTTO_FAULT_BYTES]);
const char *sotto__mechanism_table_fault(const sotto_mechanism_table *table,
                                         char text[SOTTO_FAULT_BYTES]);

/* The beginning of any table. `what` is "method", "environment", "mechanism" or "plug-in". */
const char *sotto__table_abi_fault(const char *what, uint32_t abi, uint32_t struct_bytes,
                                   size_t wanted_bytes, char text[SOTTO_FAULT_BYTES]);

/* The sentence of a failure: "method mine, round 7: " and what was wrong. The plug-in's own words are
 * made harmless for a terminal and for CSV: what cannot be printed becomes '?'. `text` has
 * SOTTO_FAULT_BYTES. */
__attribute__((format(printf, 5, 6))) const char *sotto__table_blame(char *text, const char *what,
                                                                     const char *name,
                                                                     uint64_t round,
                                                                     const char *format, ...);

#endif
