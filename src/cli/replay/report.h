/* What a replay found: rows, a summary, a description of the file. */
#ifndef SOTTO_CLI_REPLAY_REPORT_H
#define SOTTO_CLI_REPLAY_REPORT_H

#include "options.h"

#include <stdio.h>

typedef enum replay_format { REPLAY_TABLE, REPLAY_CSV, REPLAY_JSON } replay_format;

/* A replay that was played, and where it comes from. */
typedef struct replay_report {
    const replay_options *options;
    const replay_plan *plan;
    const sotto__schema *schema;
    const sotto__replay *replay;
    const sotto__dataset_counts *counted;
} replay_report;

/* Whether ranges and levels are public, or taken from people's rows: no output leaves it open. */
const char *replay_ranges(const sotto__schema *schema);

/* A number; one that is not finite is nan or inf in CSV, null in JSON. */
void replay_number(FILE *file, double value, replay_format format);

/* A row for each check-point of each run; not REPLAY_TABLE. */
void replay_rows_print(FILE *file, const replay_report *report, replay_format format);

#define REPLAY_SEEDS_TELL 5u /* with fewer, 3 standard errors are too often too short */

/* One line of a summary: a method at an epsilon, or a yardstick. */
#define REPLAY_VALUES_MAX 9u
typedef struct replay_line {
    const char *method;
    double epsilon;  /* INFINITY: not private */
    uint64_t people; /* or events that its numbers are of */
    double value[REPLAY_VALUES_MAX];
    double ahead_lo, ahead_hi; /* of labels: how far above the majority arm, 3 standard errors to
                                * both sides; NAN: not judged */
    char verdict[64];          /* "": none */
} replay_line;

typedef struct replay_summary {
    bool log;
    bool sorted; /* labels of the last people are other ones, so nothing is judged */
    uint32_t seeds;
    uint64_t people;
    uint32_t lines_count; /* of the matches, in their order, then two yardsticks */
    replay_line *line;
} replay_summary;

/* The numbers of a line, and where those of a classification and of a log stand. */
enum { REWARD_MEAN, REWARD_SE, LAST_MEAN, LAST_SE, REWARD_VALUES };
enum {
    LEARNT,
    REPLAY_VALUE,
    REPLAY_LO,
    REPLAY_HI,
    IPS_VALUE,
    IPS_LO,
    IPS_HI,
    SELF_NORMALISED,
    EFFECTIVE_SIZE,
    LOG_VALUES
};

/* False if there is no memory. */
bool replay_summary_of(const replay_report *report, replay_summary *out);
void replay_summary_free(replay_summary *summary);
void replay_summary_print(FILE *file, const replay_report *report, const replay_summary *summary,
                          replay_format format);

#endif
