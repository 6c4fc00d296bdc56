#include "store.h"

#include <stdlib.h>

#define TESTS_BITS 16u
#define TESTS ((UINT32_C(1) << TESTS_BITS) - 1)
#define AGE_PER_EPOCH 256.0

uint32_t journal_alarms(uint32_t tests, double age)
{
    double parts = age > 0 ? age * AGE_PER_EPOCH + 0.5 : 0; /* also turns NaN into 0 */
    return (tests & TESTS) | (uint32_t)(parts < TESTS ? parts : TESTS) << TESTS_BITS;
}

double journal_age(uint32_t alarms)
{
    return (alarms >> TESTS_BITS) / AGE_PER_EPOCH;
}

/* The tests of both, and the greater age. */
static uint32_t join(uint32_t a, uint32_t b)
{
    uint32_t older = a > b ? a : b; /* the age is in the upper bits */
    return ((a | b) & TESTS) | (older & ~TESTS);
}

void journal_history_add(journal_history *sum, const journal_history *row)
{
    sum->epoch = row->epoch;
    if (row->minute > sum->minute) sum->minute = row->minute;
#define ADD(sign, width, type, name) sum->name += row->name;
    JOURNAL_STATISTIC_MAP(ADD)
#undef ADD
    sum->alarms = join(sum->alarms, row->alarms);
}

static bool grow(journal_hours *hours)
{
    size_t room = hours->room == 0 ? 256 : hours->room * 2;
    journal_hour *more = realloc(hours->at, room * sizeof *more);
    hours->no_memory = more == NULL;
    if (more == NULL) return false;
    hours->at = more;
    hours->room = room;
    return true;
}

uint64_t journal_hour_start(uint64_t minute)
{
    return minute - minute % JOURNAL_HOUR_MIN;
}

bool journal_hours_gather(void *self, const journal_history *row)
{
    journal_hours *hours = self;
    journal_hour *last = hours->count > 0 ? &hours->at[hours->count - 1] : NULL;
    if (last != NULL && last->sum.experiment == row->experiment &&
        journal_hour_start(last->sum.minute) == journal_hour_start(row->minute)) {
        journal_history_add(&last->sum, row);
        last->rows++;
        return true;
    }
    if ((hours->at == NULL || hours->count == hours->room) && !grow(hours)) return false;
    hours->at[hours->count++] = (journal_hour){.sum = *row, .first_epoch = row->epoch, .rows = 1};
    return true;
}

void journal_hours_free(journal_hours *hours)
{
    free(hours->at);
    *hours = (journal_hours){.count = 0};
}
