/* A journal that keeps nothing and never fails. */
#ifndef SOTTO_BENCH_JOURNAL_NOWHERE_H
#define SOTTO_BENCH_JOURNAL_NOWHERE_H

#include "service/store/store.h"

/* The only instance. */
sottod_journal *journal_nowhere(void);

#endif
