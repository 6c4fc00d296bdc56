/*
 * An experiment to move or to keep, as a journal that has nothing else (docs/formats.md, section 3, has its tables).
 *
 * Without reports the nonces of open epochs are lost, and a report that a device sends again would count
 * twice. So all open epochs are ended, unless the experiment is closed: what is still on its way comes too
 * late, and is counted so. That is refused while an open epoch has reports but fewer than epoch_reports_min,
 * because ending it would publish them.
 */
#ifndef SERVICE_ARCHIVE_H
#define SERVICE_ARCHIVE_H

#include "service/store/store.h"

/* Adds one experiment of a journal to another one, all of it or nothing. */
SOTTO_CHECK sotto_status archive_write(sottod_journal *from, const uint8_t id[SOTTO_SPEC_ID_BYTES],
                                       bool with_reports, sottod_journal *to, sotto_fault *fault);

/* Adds the only experiment of a journal, which anybody may have written, to ours, all of it or nothing.
 * A fault: content that no service could start with, terms that are there already. */
SOTTO_CHECK sotto_status archive_read(sottod_journal *from, sottod_journal *to,
                                      uint8_t id[SOTTO_SPEC_ID_BYTES], sotto_fault *fault);

#endif
