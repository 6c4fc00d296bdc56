/* What files of this room share. */
#ifndef SOTTO_CLI_JOIN_INNER_H
#define SOTTO_CLI_JOIN_INNER_H

#include "cli/option/option.h"
#include "lab/random/random.h"

#include <sotto/transport.h>

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- options -------------------------------------------------------------------------------- */

/* The options of `sotto join`. */

#define JOIN_ROUNDS_MAX 1000
#define JOIN_KEY_BYTES_MIN 16u /* of a report key */

typedef struct join_options {
    uint32_t rounds;
    const char *context_file; /* NULL: made-up contexts; "-": the standard input */
    bool with_reward;
    const char *ledger_file; /* NULL: the user's default ledger */
    double epsilon_max, epsilon_lifetime, measure_max;
    const char *proxy, *relay, *ca_file, *report_key_file;
    double timeout_s;
    bool yes, json, quiet;
} join_options;

extern const option join_table[];

/* What the options set in the libraries. */
typedef struct join_settings {
    const char *url;
    char report_key[SECRET_BYTES_MAX + 1]; /* `site` points to it if a key was given */
    sotto_policy policy;
    sotto_wire_options wire;
    sotto_site_options site;
} join_settings;

/* False, with a sentence, if the options cannot be used. */
bool join_options_settings(const command_line *line, char **argv, const join_options *options,
                           join_settings *out);

/* ---- ledger --------------------------------------------------------------------------------- */

/* The ledger of the user who runs the command. */

typedef struct join_ledger {
    char path[PATH_MAX];
    bool usual;           /* the path is the default one, whose directory is also made */
    bool there;           /* the file exists, and `ledger` is read from it */
    sotto_ledger *ledger; /* empty and in memory until the file exists */
} join_ledger;

/* Opens the ledger but makes no file. False, with a sentence, if the ledger is refused. */
bool join_ledger_open(const command_line *line, const join_options *options, join_ledger *out);
/* Makes the file if there is none. False, with a sentence, on failure. */
bool join_ledger_make(const command_line *line, join_ledger *own);
void join_ledger_close(join_ledger *own);

/* The reports of this experiment that must still be sent. */
typedef struct join_unsent {
    uint32_t count;
    uint64_t first_ms, last_ms; /* when the first and the last one leave */
} join_unsent;
bool join_ledger_unsent(const command_line *line, const join_ledger *own, const sotto_terms *terms,
                        join_unsent *out);

/* ---- card ----------------------------------------------------------------------------------- */

/* The privacy card, made on the device. */

typedef struct join_card {
    sotto_card card;
    const sotto_terms *terms;
    const join_settings *settings;
    const char *ledger_path;
    uint32_t unsent; /* reports of earlier rounds of this experiment */
    bool refused;    /* the policy refuses the terms: see `refusal` */
    sotto_fault refusal;
} join_card;

/* Computes the numbers of the card. */
sotto_status join_card_make(const sotto_terms *terms, const join_settings *settings,
                            const join_ledger *own, join_card *out);
/* Prints about 15 lines of text, or one JSON object. */
void join_card_print(const join_card *card, bool json);

/* ---- clock_text ----------------------------------------------------------------------------- */

/* Times and durations in words. */

#define CLOCK_TEXT_BYTES 64u

/* Milliseconds since 1970. */
uint64_t clock_now_ms(void);

/* "14:03:22" in local time, after the date if it is not today. */
const char *clock_text(uint64_t at_ms, char text[CLOCK_TEXT_BYTES]);

/* "1 hour", "90 seconds", "2 days": exact, in the largest unit that divides the duration. */
const char *clock_exact(uint64_t seconds, char text[CLOCK_TEXT_BYTES]);

/* "2 h 5 min", "3 min 10 s", "4 s": rounded up, for a remaining time. */
const char *clock_left(uint64_t ms, char text[CLOCK_TEXT_BYTES]);

/* ---- inputs --------------------------------------------------------------------------------- */

/* The contexts and rewards of the rounds: made up, or read from a file. */

typedef struct join_inputs {
    const sotto_spec *spec;
    uint32_t cells; /* numbers of a context */
    bool read, with_reward;
    uint32_t rounds; /* how many were read */
    uint32_t stride; /* numbers per round */
    double *number;  /* rounds x stride */
    double *context; /* room for one made-up context */
    sotto__seeded random;
} join_inputs;

/* Reads all lines, so that a bad one is found before a round is booked. False, with a sentence, on
 * failure. */
bool join_inputs_open(const command_line *line, const join_options *options,
                      const sotto_terms *terms, join_inputs *out);
void join_inputs_close(join_inputs *inputs);

/* The context of round i, with i < rounds if contexts were read. Valid until the next call. */
const double *join_inputs_context(join_inputs *inputs, uint32_t i);
/* The reward of round i; NaN if none came. */
double join_inputs_reward(join_inputs *inputs, uint32_t i);

/* ---- print ---------------------------------------------------------------------------------- */

/* Prints the events of rounds when they happen. */

/* A round that was played now. */
typedef struct join_round {
    uint64_t number; /* in the ledger */
    uint32_t place;  /* 1 for the first round of this run; 0: a round of an earlier run */
    uint64_t send_at_ms;
    uint32_t arm;
    sotto_role role;
    bool decides; /* true: by the model; false: the nonce assigned the arm */
    bool context_made_up, reward_made_up;
    bool came;   /* a reward came */
    bool served; /* a fallback was served: there is no report */
    uint32_t arms;
} join_round;

/* The bytes as 2 x count hexadecimal digits; `text` has room for these and a NUL. Returns
 * `text`. */
const char *join_hex(const uint8_t *bytes, size_t count, char *text);

void join_print_round(const join_round *round, bool json);

/* Prints an event of `round`: what left, field by field, that it arrived, or why it did not. */
void join_print_event(const sotto_device_event *event, const sotto_terms *terms,
                      const join_round *round, bool json);

/* ---- wait ----------------------------------------------------------------------------------- */

/* The remaining time on stderr: on a terminal one line that is overwritten, elsewhere a new line
 * every minute. */

typedef struct wait_line {
    bool quiet, terminal;
    bool shown;        /* the terminal's last line is in use */
    uint64_t shown_ms; /* when it was last written; 0: never */
} wait_line;

wait_line wait_begin(bool quiet);
void wait_show(wait_line *line, const char *text);
/* Clears the line. Call it before printing anything else. */
void wait_clear(wait_line *line);

/* ---- play ----------------------------------------------------------------------------------- */

/* Plays rounds and waits until their reports are acknowledged. */

typedef struct join_scene {
    const command_line *line;
    const join_options *options;
    const join_settings *settings;
    join_ledger own;
    join_inputs inputs;
    sotto_wire *wire;
    sotto_site *site;
    sotto_terms terms;
    sotto_device *device;
    sigset_t held; /* signals such as Ctrl-C, held from the first round on */
    wait_line wait;
    join_round *played; /* played_count of them */
    uint32_t played_count;
    join_unsent unsent; /* the reports that must still be sent, as of the last event */
    bool changed;       /* there was an event after that */
} join_scene;

/* Takes part, plays `rounds` rounds and sends all reports. Returns the exit status. */
int join_play(join_scene *s, uint32_t rounds);

#endif
