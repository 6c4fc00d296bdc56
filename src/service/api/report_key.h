/*
 * The key that devices show with their reports, if the owner of an experiment wants one: in the header
 * Sotto-Report-Key. It is the same for all devices, since one for each would be a name of its person. The
 * service keeps its SHA-256 alone.
 */
#ifndef SERVICE_REPORT_KEY_H
#define SERVICE_REPORT_KEY_H

#include "service/experiment/experiment.h"

#define REPORT_KEY_HEADER "Sotto-Report-Key"
#define REPORT_KEY_BYTES_MIN 16u
#define REPORT_KEY_BYTES_MAX 128u

/* False unless the text has 16 to 128 visible characters of ASCII, no blanks. */
bool report_key_read(const char *text, size_t bytes, uint8_t digest[JOURNAL_DIGEST_BYTES]);
/* Whether reports may come with what the header says; NULL: there is none. Takes the same time for any key
 * of a length. Otherwise 403, without a word of what was shown. */
bool report_key_admits(const sottod_experiment *experiment, const char *shown, sottod_refusal *why);

#endif
