/* Tables with bars at both ends of every line, as Markdown has them. */
#ifndef SOTTO_LAB_DATASET_BARS_H
#define SOTTO_LAB_DATASET_BARS_H

#include "record.h"

/* The first and the last field of three or more are empty. */
bool sotto__bars_around(const sotto__record *record);

/* Every field is a row of three or more dashes, with or without a colon at either end; `around`: apart
 * from the first and the last field, which are empty. */
bool sotto__bars_rule(const sotto__record *record, bool around);

/* Takes the first and the last field off. NULL, or `fault`: one of them has something in it. */
const char *sotto__bars_strip(const sotto__source *source, sotto__record *record, char *fault);

/* The record that was read is the header: if bars are around it, it loses them, and sotto__csv_next
 * takes them off all others. A rule behind it is no record. */
void sotto__bars_header(sotto__source *source, char separator, sotto__record *header);

#endif
