/*
 * The watch: what reports look like beside what honest people's look like, whoever they are. Five tests, each
 * of the reports since the last publish; docs/watch.md states each, proves it, and says what none of them
 * sees.
 *
 * It is off unless somebody turns it on. Counts stand beside the sums of a tally: integers, the same in any
 * order and on any number of threads. They are in no bytes of a tally or learner; after a restart they are
 * counted again from the reports (sotto__learner_recount).
 */
#ifndef SOTTO_WATCH_H
#define SOTTO_WATCH_H

#include "watch_aim.h"

#define SOTTO__WATCH_MAP(X)                                                                        \
    X(INDEX, "index") X(TAIL, "tail") X(ROLES, "roles") X(ARMS, "arms") X(COUNT, "count")
/* index   codeword indices that are not equally likely, within a tag
 * tail    more codewords near a direction of the model than any scores can cause
 * roles   too many or too few reports of a role
 * arms    assigned arms that are not equally likely
 * count   more reports than SOTTO__WATCH_TIMES as many as the owner expects */
typedef enum sotto__watch_test {
#define SOTTO__WATCH_ENUMERATOR(name, text) SOTTO__WATCH_##name,
    SOTTO__WATCH_MAP(SOTTO__WATCH_ENUMERATOR)
#undef SOTTO__WATCH_ENUMERATOR
        SOTTO__WATCH_TESTS
} sotto__watch_test;
/* NULL for another number. */
const char *sotto__watch_name(sotto__watch_test test);

#define SOTTO__WATCH_ALPHA 1e-6 /* of an epoch: that honest people cause any alarm but count */
#define SOTTO__WATCH_TIMES 2u
/* Codewords are not quite uniform on the sphere: no cap of a level has a chance more than 5 % above
 * the sphere's (docs/watch.md has what was measured). */
#define SOTTO__WATCH_MARGIN 1.05

/* What is counted beside a tally. */
typedef struct sotto__watch {
    const sotto__aim *aim; /* the learner's */
    uint64_t *index;       /* by codeword index, of the largest codebook */
    uint32_t index_count;
    uint64_t aimed[SOTTO__AIM_WAYS]; /* codewords that there was a direction for */
    uint64_t tail[SOTTO__AIM_WAYS][SOTTO__AIM_LEVELS];
    double *mixed; /* scratch: dim */
} sotto__watch;

/* *out is NULL unless SOTTO_OK. Borrows the aim. */
SOTTO_CHECK sotto_status sotto__watch_new(const sotto_terms *terms, const sotto__aim *aim,
                                          sotto__watch **out);
void sotto__watch_free(sotto__watch *watch); /* accepts NULL */
/* The same in memory of others: so many numbers, all 0, and `mixed`, which those of one thread can share. */
uint32_t sotto__watch_numbers(const sotto_terms *terms);
void sotto__watch_lay(sotto__watch *watch, const sotto_terms *terms, const sotto__aim *aim,
                      uint64_t *numbers, double *mixed);
void sotto__watch_empty(sotto__watch *watch);
/* Adds all of `from`, of the same terms and aim. */
void sotto__watch_add(sotto__watch *watch, const sotto__watch *from);
/* A learn report's codeword, as fold expanded it: its phase, index, and the row that it is added to; `sign`
 * are the nonce's where the shape of the aim wants them, otherwise they are not read. `times` is 1, or -1 to take it out again. */
void sotto__watch_codeword(sotto__watch *watch, sotto_phase phase, uint32_t index,
                           const int32_t *codeword, uint32_t row, const int8_t *sign,
                           int32_t times);

/* Watches the tally from now on, like the learner whose aim it is. A tally that is merged into a learner's must be
 * watched before it folds, otherwise the tests index and tail do not see its reports. */
SOTTO_CHECK sotto_status sotto__tally_watch(sotto_tally *tally, const sotto__aim *aim);

/* Watches all open epochs from now on. */
SOTTO_CHECK sotto_status sotto__learner_watch(sotto_learner *learner);
/* NULL if nobody watches. */
const sotto__aim *sotto__learner_aim(const sotto_learner *learner);
/* After a restart, for reports that are in the open tallies already: counts them again, those of epochs that
 * are not open left out. `frames` as in sotto_learner_take_frames. */
SOTTO_CHECK sotto_status sotto__learner_recount(sotto_learner *learner, const uint8_t *frames,
                                                size_t frames_bytes);
/* Forgets what was counted, for reports that turn out to be in an earlier publish. */
void sotto__learner_uncount(sotto_learner *learner);

/* What the tests say of the reports since the last publish. */
typedef struct sotto__verdict {
    uint64_t reports; /* of all roles */
    uint32_t alarms;  /* bit t: test t */
    double chance
        [SOTTO__WATCH_TESTS]; /* that honest reports look like this or worse, at most; 1: there was
                                          nothing to look at, or the test has no chance (count) */
} sotto__verdict;

/* `alpha` is shared by the four tests that have a chance; `reports_expected` is the owner's, 0: not said. */
sotto__verdict sotto__learner_verdict(const sotto_learner *learner, double alpha,
                                      uint64_t reports_expected);

#endif
