/*
 * An experiment to move or to keep, as a journal that contains nothing else (docs/formats.md, section 3, has its tables).
 *
 * Without reports the nonces of open epochs are lost, and a report that a device sends again would count twice. So all
 * open epochs are ended, unless the experiment is closed: reports still on their way arrive too late and are counted as
 * late. This is refused while an open epoch has reports but fewer than epoch_reports_min, because ending it would
 * publish them. */
#ifndef SERVICE_ARCHIVE_H
#define SERVICE_ARCHIVE_H

#include "service/store/store.h"

/* Adds one experiment of a journal to another one, completely or not at all. */
SOTTO_CHECK sotto_status archive_write(sottod_journal *from, const uint8_t id[SOTTO_SPEC_ID_BYTES],
                                       bool with_reports, sottod_journal *to, sotto_fault *fault);

/* Adds the only experiment of a journal, which anybody may have written, to ours, completely or not at all. Refused:
 * content with which no service could start, and terms that exist already. */
SOTTO_CHECK sotto_status archive_read(sottod_journal *from, sottod_journal *to,
                                      uint8_t id[SOTTO_SPEC_ID_BYTES], sotto_fault *fault);

#endif
