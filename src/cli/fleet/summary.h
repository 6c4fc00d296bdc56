/* What came of it. */
#ifndef SOTTO_CLI_FLEET_SUMMARY_H
#define SOTTO_CLI_FLEET_SUMMARY_H

#include "fleet/fleet.h"

/* On the standard output: lines for people, or one JSON object. */
void fleet_summary_print(const char *url, const sotto_match *match, const sotto__sight *sight,
                         const sotto__check *check, bool json);

#endif
