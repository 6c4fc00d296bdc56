/*
 * The device for languages that cannot build C structs: only numbers, strings and handles. JavaScript in a
 * page calls it, and apps on phones call it from Swift or Kotlin (docs/browser.md).
 *
 *     person_new -> open -> part_new -> [turns] -> enter -> decide -> [reward] -> turns
 *
 * A person has limits and one ledger. A part is an experiment that the person takes part in. Functions that
 * return int32_t return a sotto_status; sotto_person_sentence then says why in words. The host program defines
 * the functions of sotto/host.h. One thread at a time uses a person and its parts.
 */
#ifndef SOTTO_FLAT_H
#define SOTTO_FLAT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __wasm__
#define SOTTO_FLAT_GIVES(name) __attribute__((export_name(#name)))
#else
#define SOTTO_FLAT_GIVES(name)
#endif

typedef struct sotto_person sotto_person;
typedef struct sotto_part sotto_part;

/* limit[] = epsilon_per_report_max, epsilon_lifetime, delta_max, delta_lifetime, dim_max, arms_max,
 * measure_share_max; NaN: the default. NULL: no memory. */
#define SOTTO_FLAT_LIMITS 7u
SOTTO_FLAT_GIVES(person_new) sotto_person *sotto_person_new(const double *limit);
/* Free its parts first. */
SOTTO_FLAT_GIVES(person_free) void sotto_person_free(sotto_person *person);
/* Opens the ledger that the host program keeps (sotto_host_ledger_load and the others); with
 * `creates` makes one if there is none. E_ORDER if one is open. */
SOTTO_FLAT_GIVES(person_open) int32_t sotto_person_open(sotto_person *person, int32_t creates);
#ifndef __wasm__
/* The same for a ledger in a file. Keep it out of backups. */
int32_t sotto_person_open_file(sotto_person *person, const char *path, int32_t creates);
#endif
/* Why the last call on this person or one of its parts failed. sotto_flat_code is the short name of a
 * status, such as "budget". */
SOTTO_FLAT_GIVES(person_sentence) const char *sotto_person_sentence(const sotto_person *person);
SOTTO_FLAT_GIVES(status_code) const char *sotto_flat_code(int32_t status);
SOTTO_FLAT_GIVES(version) const char *sotto_flat_version(void);
/* out[] = rounds, reports, epsilon, delta, dropped: the totals of the ledger. */
#define SOTTO_FLAT_SPENT 5u
SOTTO_FLAT_GIVES(person_spent) void sotto_person_spent(const sotto_person *person, double *out);

/* NULL if the URL or another option is not valid. relay and report_key may be NULL. The next turns
 * request terms and model. */
SOTTO_FLAT_GIVES(part_new)
sotto_part *sotto_part_new(sotto_person *person, const char *url, const char *relay,
                           const char *report_key, uint32_t refresh_ms);
SOTTO_FLAT_GIVES(part_free) void sotto_part_free(sotto_part *part);
/* sotto_site_state: 0 asking, 1 ready, 2 refused, 3 gone; and why, or NULL. */
SOTTO_FLAT_GIVES(part_state) int32_t sotto_part_state(const sotto_part *part);
SOTTO_FLAT_GIVES(part_sentence) const char *sotto_part_sentence(sotto_part *part);
/* out[] = dim, arms, numbers of a context, epsilon, delta, reward_window_s, send_spread_s, report bytes,
 * reward_lo, reward_hi, reward_default. False while there are no terms. */
#define SOTTO_FLAT_TERMS 11u
SOTTO_FLAT_GIVES(part_terms) int32_t sotto_part_terms(const sotto_part *part, double *out);
/* Of the newest model; -1: there is none. */
SOTTO_FLAT_GIVES(part_epoch) double sotto_part_epoch(const sotto_part *part);
/* Takes part, if the limits admit the terms. Sends nothing until sotto_part_send. E_ORDER the second time. */
SOTTO_FLAT_GIVES(part_enter) int32_t sotto_part_enter(sotto_part *part, uint32_t rounds_max);
/* out[] = the fields of sotto_card in their order. */
#define SOTTO_FLAT_CARD 16u
SOTTO_FLAT_GIVES(part_card) int32_t sotto_part_card(sotto_part *part, double *out);

/* Begins and decides a round. A wrong context is refused before anything is booked. The context
 * is wiped. */
SOTTO_FLAT_GIVES(part_decide)
int32_t sotto_part_decide(sotto_part *part, double *context, uint32_t context_count, double *round,
                          uint32_t *arm);
SOTTO_FLAT_GIVES(part_reward)
int32_t sotto_part_reward(sotto_part *part, double round, double reward);

/* Whether this process sends reports, including those that other processes left. Exactly one of several
 * processes at one ledger must send. */
SOTTO_FLAT_GIVES(part_send) int32_t sotto_part_send(sotto_part *part, int32_t on);
/* Reads the waiting reports from the ledger again. Call it after another process used the ledger, and
 * do not turn then: late reports would leave when the person acts. */
SOTTO_FLAT_GIVES(part_adopt) int32_t sotto_part_adopt(sotto_part *part);
SOTTO_FLAT_GIVES(part_turn) int32_t sotto_part_turn(sotto_part *part);
/* Milliseconds until the next turn is due; 4,294,967,295: nothing is due. */
SOTTO_FLAT_GIVES(part_due_ms) double sotto_part_due_ms(const sotto_part *part);
SOTTO_FLAT_GIVES(part_waiting) uint32_t sotto_part_waiting(const sotto_part *part);
/* Why the last report that this process tried to send was put off or dropped; NULL once one has arrived. */
SOTTO_FLAT_GIVES(part_trouble) const char *sotto_part_trouble(const sotto_part *part);
/* out[] = the fields of sotto_device_counts in their order. */
#define SOTTO_FLAT_COUNTS 8u
SOTTO_FLAT_GIVES(part_counts) void sotto_part_counts(const sotto_part *part, double *out);

/* Answers a request that sotto_host_request began; status 0: no answer came. */
SOTTO_FLAT_GIVES(request_answer)
void sotto_flat_answer(void *request, int32_t status, const uint8_t *body, uint32_t body_bytes,
                       double retry_after_s, const char *why);

#ifdef __cplusplus
}
#endif
#endif
