/*
 * An experiment as one file, to move it or to keep it.
 *
 *   "STX1", version u32 = 2, then records: kind u32, bytes u64, that many bytes. Little-endian.
 *
 *   1 experiment  state u32, created minute u64, epoch_seconds_min u32, epoch_reports_min u64, lengths of
 *                 terms u32, start u64, labels u32, epoch_reports_expected u64, quarantine u32 (0 or 1),
 *                 length of report_key u32 (0 or 32); terms, start, labels, report_key
 *   2 learner     folded, late, duplicate, conflicting u64; the learner after all rows
 *   3 history     epoch u32, minute u64, publishes u32, learn, control, follow u64, control_sum,
 *                 follow_sum i64, late, duplicate, conflicting u64, alarms u32; any number
 *   4 row         kind u32, epoch u32, minute u64, late, duplicate, conflicting u32; frames; only with
 *                 reports, any number
 *   5 end         SHA-256 of all bytes before this record
 *
 * Version 1 is read, too: its experiment ends with its labels and has no fields after their length, its history
 * has no alarms, and no row of it is a discard.
 *
 * Without reports the nonces of open epochs are lost, and a report that a device sends again would count
 * twice. So the import ends all open epochs, unless the experiment is closed: what is still on its way
 * comes too late, and is counted so. The export is refused while an open epoch has reports but fewer than
 * epoch_reports_min, because ending it would publish them.
 */
#ifndef SERVICE_ARCHIVE_H
#define SERVICE_ARCHIVE_H

#include "service/journal/journal.h"

#include <stdio.h>

#define ARCHIVE_MAGIC "STX1"
#define ARCHIVE_VERSION 2u
typedef enum archive_kind {
    ARCHIVE_EXPERIMENT = 1,
    ARCHIVE_LEARNER,
    ARCHIVE_HISTORY,
    ARCHIVE_ROW,
    ARCHIVE_END
} archive_kind;
#define ARCHIVE_EXPERIMENT_BYTES 56u /* before terms, start, labels and report_key */
#define ARCHIVE_LEARNER_BYTES 32u    /* before the learner */
#define ARCHIVE_HISTORY_BYTES 84u
#define ARCHIVE_ROW_BYTES 28u /* before the frames */
/* In version 1. */
#define ARCHIVE_EXPERIMENT_BYTES_1 40u
#define ARCHIVE_HISTORY_BYTES_1 80u

/* Writes one experiment of a journal. False: `fault` says why; the file is of no use. */
bool archive_write(sottod_journal *journal, const uint8_t id[SOTTO_SPEC_ID_BYTES],
                   bool with_reports, FILE *file, char fault[JOURNAL_FAULT_BYTES]);

/* Adds the experiment of a file to a journal, all of it or nothing. `file` can be read twice. False:
 * `fault` says why: a damaged file, content that no service could start with, terms that are there
 * already. */
bool archive_read(FILE *file, sottod_journal *journal, uint8_t id[SOTTO_SPEC_ID_BYTES],
                  char fault[JOURNAL_FAULT_BYTES]);

#endif
