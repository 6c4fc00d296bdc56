/* Experiments whose row in a shared journal is damaged: nobody uses them, the others go on. They are read again and
 * again: a row that was repaired is used from then on. */
#ifndef SERVICE_DAMAGED_H
#define SERVICE_DAMAGED_H

#include "service/journal/journal.h"
#include "service/system/log.h"
#include "service/system/spec_id.h"

typedef struct damaged_one {
    uint32_t number;
    uint8_t id[SOTTO_SPEC_ID_BYTES]; /* as far as it can be read */
    char id_text[SPEC_ID_TEXT_BYTES];
    bool seen; /* in the present reading */
} damaged_one;

typedef struct damaged_list {
    damaged_one *one;
    uint32_t count, capacity;
} damaged_list;

/* A reading of all experiments: it begins, finds damaged rows, and ends. The log has what is new, and what is
 * whole again. Without memory for one, the log has it at each reading. */
void damaged_begin(damaged_list *list);
void damaged_note(damaged_list *list, const journal_experiment *row, sottod_log *log);
void damaged_end(damaged_list *list, sottod_log *log);
void damaged_free(damaged_list *list);

bool damaged_has_number(const damaged_list *list, uint32_t number);
bool damaged_has_id(const damaged_list *list, const uint8_t id[SOTTO_SPEC_ID_BYTES]);

#endif
