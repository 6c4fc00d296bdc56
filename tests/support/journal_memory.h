/* A journal in memory that fails on demand, for tests of code that uses a journal. It is a kind of
 * journal (store.h) and replaces journal_open. It asserts that callers use transactions as store.h
 * says, and that rows are valid. */
#ifndef SOTTO_JOURNAL_MEMORY_H
#define SOTTO_JOURNAL_MEMORY_H

#include "service/store/store.h"

/* ---- also over the real journal, in journal_on_disk.c */

/* An empty one. */
sottod_journal *journal_memory_new(void);
/* The same, closed and opened again. */
sottod_journal *journal_memory_again(sottod_journal *journal);
void journal_memory_free(sottod_journal *journal);
/* After `calls` more calls that begin, change, commit or scrub, the next one fails, once. */
void journal_memory_fail_after(sottod_journal *journal, uint32_t calls);
/* True once it has. */
bool journal_memory_has_failed(const sottod_journal *journal);

/* ---- in memory only */

/* Rows of an experiment that are there; the first of them in *oldest, 0 if there is none. */
uint32_t journal_memory_rows(const sottod_journal *journal, uint32_t experiment, uint64_t *oldest);
uint32_t journal_memory_scrubs(const sottod_journal *journal);
uint32_t journal_memory_thinned(const sottod_journal *journal);
/* The row, for tests that damage it. */
journal_row *journal_memory_row(sottod_journal *journal, uint64_t seq);
journal_experiment *journal_memory_experiment(sottod_journal *journal, uint32_t number);
journal_snapshot *journal_memory_snapshot(sottod_journal *journal, uint32_t number);

#endif
