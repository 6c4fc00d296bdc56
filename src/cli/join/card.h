/* The privacy card: made on the device, in plain words. */
#ifndef SOTTO_CLI_JOIN_CARD_H
#define SOTTO_CLI_JOIN_CARD_H

#include "ledger.h"

typedef struct join_card {
    sotto_card card;
    const sotto_terms *terms;
    const join_settings *settings;
    const char *ledger_path;
    uint32_t unsent;                 /* reports of earlier rounds of this experiment */
    char refusal[SOTTO_FAULT_BYTES]; /* of the policy; empty: none */
} join_card;

/* SOTTO_OK, and the numbers. */
sotto_status join_card_make(const sotto_terms *terms, const join_settings *settings,
                            const join_ledger *own, join_card *out);
/* In words, about 15 lines, or as one JSON object. */
void join_card_print(const join_card *card, bool json);

#endif
