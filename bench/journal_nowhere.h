/* A journal that keeps nothing and never fails, linked instead of the real one. A NULL is as good as any. */
#ifndef SOTTO_BENCH_JOURNAL_NOWHERE_H
#define SOTTO_BENCH_JOURNAL_NOWHERE_H

#include "service/journal/journal.h"

#endif
