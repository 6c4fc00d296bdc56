/* What happens to a round, as it happens. */
#ifndef SOTTO_CLI_JOIN_PRINT_H
#define SOTTO_CLI_JOIN_PRINT_H

#include "options.h"

/* A round that was played now. */
typedef struct join_round {
    uint64_t number; /* the ledger's */
    uint32_t place;  /* 1 for the first that is played now; 0: of an earlier start */
    uint64_t send_at_ms;
    uint32_t arm;
    sotto_role role;
    bool decides; /* the model did; otherwise the nonce assigned the arm */
    bool context_made_up, reward_made_up;
    bool came;   /* a reward did */
    bool served; /* a fallback was: there is no report */
    uint32_t arms;
} join_round;

/* bytes as 2 x count hexadecimal digits; `text` has room for one more byte. */
const char *join_hex(const uint8_t *bytes, size_t count, char *text);

void join_print_round(const join_round *round, bool json);

/* What left, field by field; that it arrived; or why not. `round` is the event's. */
void join_print_event(const sotto_device_event *event, const sotto_terms *terms,
                      const join_round *round, bool json);

#endif
