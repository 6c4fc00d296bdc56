/* Matches without a world: their people come from a file. */
#ifndef SOTTO_LAB_RUN_MATCH_H
#define SOTTO_LAB_RUN_MATCH_H

#include <sotto/lab/matches.h>

/* As sotto_match_fault, for everything except the environment. A horizon of 0 stands for
 * one that nobody knows. */
const char *sotto__match_terms_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES]);

#endif
