/* A method that people brought, and how a match tells it from ours. */
#ifndef SOTTO_LAB_PLAYER_BROUGHT_H
#define SOTTO_LAB_PLAYER_BROUGHT_H

#include <sotto/lab.h>

/* NULL, or `text`: why the table cannot be used, whatever the match. */
const char *sotto__brought_player_fault(const sotto_player_table *table,
                                        char text[SOTTO_FAULT_BYTES]);

/* The name of its method: that of its player, or of what was brought. */
const char *sotto__match_method(const sotto_match *match);

/* True if the method is one of ours whose reports are private. */
bool sotto__match_is_private(const sotto_match *match);

#endif
