/* What other rooms may use of this one. */
#ifndef SOTTO_LAB_RUN_ROOM_H
#define SOTTO_LAB_RUN_ROOM_H

#include "core/core.h"
#include "text/text.h"

#include <sotto/lab.h>
#include <sotto/lab/comparisons.h>
#include <sotto/lab/matches.h>
#include <sotto/lab/runs.h>
#include <sotto/lab/shards.h>

#include <stdio.h>
#include <sys/types.h>

/* ---- subprocesses --------------------------------------------------------------------------- */

/* Plays each run of a sweep in its own process, so that custom code that crashes, exits or never
 * ends does not affect the other runs. */

/*
 * As sotto_sweep_run, with the same results, but every run is played in a child process, `threads`
 * at a time. listener->failed must be set; it reports a child that ends without a result. What a
 * child prints goes to stderr. If the sweep ends early, its children are killed. Call it only
 * while the process has one thread.
 */
SOTTO_CHECK sotto_status sotto__sweep_subprocesses(const sotto_sweep *sweep,
                                                   const sotto_sweep_listener *listener);

/* ---- comparison ----------------------------------------------------------------------------- */

/* A comparison: matches played with the same seeds, and their checkpoints. */

typedef struct sotto__comparison {
    sotto_sweep sweep; /* borrows the arrays */
    sotto_match *match;
    double *epsilon; /* of each match, as requested */
    uint64_t *at;    /* room for SOTTO_POINTS_MAX checkpoints */
} sotto__comparison;

/* Makes room for matches_max matches, at least 1. On failure `out` is empty. */
SOTTO_CHECK sotto_status sotto__comparison_new(uint32_t matches_max, sotto__comparison *out);
void sotto__comparison_free(sotto__comparison *comparison);

/* The match that a run of the sweep plays. */
static inline const sotto_match *sotto__comparison_match(const sotto__comparison *comparison,
                                                         uint64_t run)
{
    return &comparison->match[run / comparison->sweep.seeds_count];
}

/* Writes the usual checkpoints, 1, 2, 5, 10, ... below the horizon, to `at`; returns how many. */
uint32_t sotto__usual_points(uint64_t horizon, uint64_t *at);

/* ---- comparison_id -------------------------------------------------------------------------- */

/* What identifies a comparison, as a hash and in words, so that two are not confused. */

#define SOTTO__COMPARISON_ID_BYTES (2 * SOTTO__DIGEST_BYTES + 1)
#define SOTTO__COMPARISON_ABOUT_BYTES 1024u

/* SHA-256, in hexadecimal, over everything that determines results, except the number of seeds, so
 * that a sweep can be extended. */
void sotto__comparison_id(const sotto__comparison *comparison,
                          char hex[SOTTO__COMPARISON_ID_BYTES]);

/* The main options. */
void sotto__comparison_about(const sotto__comparison *comparison,
                             char about[SOTTO__COMPARISON_ABOUT_BYTES]);

/* ---- match ---------------------------------------------------------------------------------- */

/* Matches without a world: their people come from a file. */

/* As sotto_match_fault, for everything except the environment. A horizon of 0 means unknown. */
SOTTO_CHECK sotto_status sotto__match_terms_fault(const sotto_match *match, sotto_fault *fault);

/* ---- results -------------------------------------------------------------------------------- */

/* The results of the runs of a comparison. */

/* The record of one run. */
typedef struct sotto__run_record {
    bool done;
    bool played; /* in this sweep; otherwise it comes from a resume file, without its result */
    uint64_t learn_reports, null_reports; /* as in sotto_run_result */
    double seconds;                       /* likewise */
    uint64_t repairs;                     /* likewise */
    sotto_run_delay delay;                /* likewise */
} sotto__run_record;

typedef struct sotto__results {
    uint32_t at_count; /* points of each run */
    sotto__run_record *run;
    sotto_point *point;              /* those of run r start at point[r x at_count] */
    sotto_run_measurement *measured; /* one per run; NULL: no match has measure rounds */
    uint64_t done_count;
} sotto__results;

/* The comparison's sweep must be filled. On failure `out` is empty. */
SOTTO_CHECK sotto_status sotto__results_new(const sotto__comparison *comparison,
                                            sotto__results *out);
void sotto__results_free(sotto__results *results);

static inline sotto_point *sotto__results_points(const sotto__results *results, uint64_t run)
{
    return results->point + run * results->at_count;
}

/* Records a run that was just played. */
void sotto__results_take(sotto__results *results, uint64_t run, const sotto_point *point,
                         const sotto_run_result *result);

/* ---- measured ------------------------------------------------------------------------------- */

/* Results of the measure rounds of a match, over its runs. */

typedef struct sotto__measured_line {
    uint32_t runs;        /* that were played now and have reports of both roles */
    uint64_t first;       /* the first of them */
    uint32_t held;        /* of these: the true uplift is within its interval */
    uint32_t above;       /* the interval of the uplift lies above 0 */
    uint32_t harm;        /* of these: the alarm fired */
    uint32_t served;      /* and a fallback was served */
    double uplift, truth; /* means over these runs; NAN: there are none */
} sotto__measured_line;

/* The largest share of measure rounds that the default policy of a device allows. */
double sotto__measure_share_usual(void);

/* Of match number `match`. */
sotto__measured_line sotto__measured_of(const sotto__comparison *comparison,
                                        const sotto__results *results, uint32_t match);

/* ---- shard ---------------------------------------------------------------------------------- */

/*
 * A shard: the runs of a sweep that one of several machines plays.
 *
 * Runs are dealt out like cards: run r goes to shard r mod N + 1. A sweep has its runs method by method,
 * seed by seed, so each shard gets about the same number of runs of every method; blocks of runs
 * that follow each other would give one machine the slow methods and another the quick ones. Which
 * shard a run belongs to depends only on r and N, so machines need no scheduler and no contact.
 */

#define SOTTO__SHARD_LIST_BYTES 128u

typedef struct sotto__shard {
    uint32_t index, count; /* index 1 to count; count 0: no shard, all runs */
    uint64_t dealt;        /* runs of other sweeps that were dealt out before those of this one */
} sotto__shard;

bool sotto__shard_has(const sotto__shard *shard, uint64_t run);
/* How many of `runs` belong to the shard. */
uint64_t sotto__shard_count(const sotto__shard *shard, uint64_t runs);

/* Shard numbers for a sentence, as schedulers take them: "2,5,9". Numbers that do not
 * fit are only counted. */
typedef struct sotto__shard_list {
    uint32_t count, left_out;
    size_t length;
    char text[SOTTO__SHARD_LIST_BYTES];
} sotto__shard_list;

void sotto__shard_list_add(sotto__shard_list *list, uint32_t index);
const char *sotto__shard_list_text(sotto__shard_list *list); /* call it once, after all are added */

/* ---- rows ----------------------------------------------------------------------------------- */

/*
 * Rows of a comparison: one per checkpoint of each run.
 *
 *   CSV    method,epsilon,seed,t,regret,estimation_error
 *   JSON   the same as {"method": ..., "epsilon": ..., ...}, one object per line
 *
 * Rows are written in the order of the sweep, each as soon as all rows before it are there.
 */

#define SOTTO__ROW_BYTES 256u /* no row is longer */

/* Writes one row and returns its length. `text` has SOTTO__ROW_BYTES. */
size_t sotto__row_text(const char *method, double epsilon, uint64_t seed, const sotto_point *point,
                       sotto__text_format format, char *text);
/* All rows of a finished run; `text` has SOTTO__ROW_BYTES for each. */
size_t sotto__run_text(const sotto__comparison *comparison, const sotto__results *results,
                       uint64_t run, sotto__text_format format, char *text);

/* The values of a row. */
#define SOTTO__ROW_METHOD_BYTES 48u
typedef struct sotto__row {
    char method[SOTTO__ROW_METHOD_BYTES];
    double epsilon;
    uint64_t seed;
    sotto_point point;
} sotto__row;

/* Writes all bytes, or returns false with errno set. */
bool sotto__write_all(int file, const char *text, size_t bytes);

typedef struct sotto__rows {
    int file; /* descriptor; -1: rows are not written */
    sotto__text_format format;
    char *text;           /* room for the rows of a run */
    uint64_t next;        /* the first run that is not written */
    sotto__shard shard;   /* whose rows; count 0: only rows; otherwise a rows file */
    sotto__digest digest; /* of a rows file: over what was written */
} sotto__rows;

/* The functions below set errno when they return false, as on a full disk. */
/* Writes the header. If there is none, still checks that the file can be written. */
bool sotto__rows_begin(sotto__rows *rows, const sotto__comparison *comparison);
/* Writes the finished runs up to the first unfinished one. */
bool sotto__rows_advance(sotto__rows *rows, const sotto__comparison *comparison,
                         const sotto__results *results);
/* Writes the other finished runs, once no more will come. If all are there, also writes the last
 * line of a rows file. */
bool sotto__rows_end(sotto__rows *rows, const sotto__comparison *comparison,
                     const sotto__results *results);
/* Does all of the above with a file, which is overwritten. */
bool sotto__rows_save(const char *path, sotto__text_format format, const sotto__shard *shard,
                      const sotto__comparison *comparison, const sotto__results *results);

/* ---- rows_file ------------------------------------------------------------------------------ */

/*
 * The rows file: runs of a sweep, all or those of a shard, for a command that continues them (--resume) or joins
 * them (sotto merge). Rows stand between a first line that names the sweep and a last line that proves that
 * nothing is missing.
 *
 *   # {"shard": 2, "of": 3, "runs": 20, "dealt": 0, "points": 13, "version": "V",
 *      "sweep": "SHA-256 in hexadecimal", "about": "the main options in words"}       on one line
 *   method,epsilon,seed,t,regret,estimation_error
 *   rows of finished runs, `points` of each, one after the other
 *   # {"end": "SHA-256 of all bytes before this line, in hexadecimal"}
 *
 * JSON lines are the same without the `# ` and without the names of the columns. `runs` are those of
 * the whole sweep, and the hash is sotto__comparison_id. A sweep without shards is shard 1 of 1.
 *
 * A file with a last line has the runs of its shard in the order of the sweep. A file without one
 * is not finished: its runs are in any order, and what follows the last whole run was cut off by a
 * crash.
 */

#define SOTTO__ROWS_HEAD_BYTES (SOTTO__COMPARISON_ABOUT_BYTES + 512u) /* no first line is longer */
#define SOTTO__ROWS_END_BYTES 128u                                    /* no last line is longer */

/* What the first line says. */
typedef struct sotto__rows_head {
    sotto__text_format format;
    sotto__shard shard;
    uint64_t runs;
    uint32_t points;
    char version[32];
    char sweep[SOTTO__COMPARISON_ID_BYTES];
    char about[SOTTO__COMPARISON_ABOUT_BYTES];
} sotto__rows_head;

sotto__rows_head sotto__rows_head_of(const sotto__comparison *comparison, const sotto__shard *shard,
                                     sotto__text_format format);
/* Each returns the length of its line. */
size_t sotto__rows_head_text(const sotto__rows_head *head, char text[SOTTO__ROWS_HEAD_BYTES]);
/* `digest` must have taken all bytes before this line, and cannot be used after it. */
size_t sotto__rows_end_text(sotto__digest *digest, sotto__text_format format,
                            char text[SOTTO__ROWS_END_BYTES]);

/* Reads such a file from its first byte to its last. */
typedef struct sotto__rows_reader {
    FILE *file;
    sotto__rows_head head;
    uint64_t line; /* the last one that was read */
    uint64_t rows; /* that were read */
    off_t rows_at; /* where rows start */
    off_t at;      /* bytes of all lines that were read */
    bool is_cut;   /* the last line has no end: no more will come */
    bool is_whole; /* the format's last line was read and is correct */
    sotto__digest digest;
    char text[SOTTO__ROWS_HEAD_BYTES];
} sotto__rows_reader;

/* Takes over the descriptor and reads what is before the rows. The fault does not name the file.
 * Close the reader in both cases. */
SOTTO_CHECK sotto_status sotto__rows_reader_open(sotto__rows_reader *reader, int descriptor,
                                                 sotto_fault *fault);
void sotto__rows_reader_close(sotto__rows_reader *reader);
/* Reads the next row. *more is false at the end of the file; is_whole then says
 * whether it is finished. */
SOTTO_CHECK sotto_status sotto__rows_reader_next(sotto__rows_reader *reader, sotto__row *row,
                                                 bool *more, sotto_fault *fault);
/* Reports why the line read last is wrong. SOTTO_E_FAULT. */
sotto_status sotto__rows_damaged(const sotto__rows_reader *reader, const char *why,
                                 sotto_fault *fault);

/* What is in such a file. */
typedef struct sotto__rows_file {
    sotto__rows_head head;
    off_t rows_at;       /* where rows start */
    uint64_t runs_there; /* whose rows are there */
    bool whole;          /* all of them, and the last line */
    dev_t device;        /* which file it is */
    ino_t inode;
} sotto__rows_file;

/* Reads a whole file. The fault does not name it. An unfinished file is not a fault. */
SOTTO_CHECK sotto_status sotto__rows_file_read(const char *path, sotto__rows_file *out,
                                               sotto_fault *fault);

/* ---- merge ---------------------------------------------------------------------------------- */

/* Joins the files of all shards of a sweep into the file that one machine would write. */

/* The file of one shard. */
typedef struct sotto__merge_file {
    const char *path; /* borrowed; NULL: there is none */
    off_t next;       /* the first byte that was not taken */
    uint64_t runs_there;
    bool whole;
    dev_t device; /* which file it is */
    ino_t inode;
} sotto__merge_file;

typedef struct sotto__merge {
    sotto__rows_head head;   /* of the first file; all agree except in shard.index */
    sotto__merge_file *file; /* that of shard i + 1 is file[i] */
} sotto__merge;

/* Reads all files. SOTTO_OK if they are all shards of a sweep, each once and whole; otherwise the
 * fault names the files. Free `merge` in both cases. */
SOTTO_CHECK sotto_status sotto__merge_read(sotto__merge *merge, const char *const *path,
                                           uint32_t paths_count, sotto_fault *fault);
void sotto__merge_free(sotto__merge *merge);

/* What to write. */
typedef enum sotto__merge_form {
    SOTTO__MERGE_ROWS, /* the rows, as one machine writes them */
    SOTTO__MERGE_FILE, /* a rows file with all runs */
} sotto__merge_form;

/* Call it once, after sotto__merge_read. */
SOTTO_CHECK sotto_status sotto__merge_write(sotto__merge *merge, sotto__merge_form form,
                                            int descriptor, sotto_fault *fault);
/* The same to a file, which is written completely or not at all. A path of one of
 * the shards is refused. */
SOTTO_CHECK sotto_status sotto__merge_save(sotto__merge *merge, sotto__merge_form form,
                                           const char *path, sotto_fault *fault);

/* ---- request -------------------------------------------------------------------------------- */

/* From the request of a comparison to its matches. */

/* Sets of methods, one bit each. */
#define SOTTO__PLAYERS_PRIVATE ((1u << (SOTTO_PLAYER_BEST_ARM + 1)) - 1)

/* The methods that use a field of sotto_match. */
uint32_t sotto__request_users(size_t field);

/* Makes the comparison. If a match cannot be played, `fault` says why, *culprit is the number of
 * its method, and `out` is empty. */
SOTTO_CHECK sotto_status sotto__comparison_of(const sotto_comparison_request *request,
                                              sotto__comparison *out, uint32_t *culprit,
                                              sotto_fault *fault);

/* What the request of a replay has, too. `custom` is NULL, or has NULL for each method that is not
 * custom. */
typedef struct sotto__request_lists {
    const sotto_player *player;
    const sotto_player_table *const *custom;
    uint32_t players_count;
    const double *epsilon;
    uint32_t epsilons_count;
    const uint64_t *at; /* NULL: the usual checkpoints */
    uint32_t at_count;
} sotto__request_lists;

/* The name of a method; NULL if its player is unknown. */
const char *sotto__request_method(const sotto__request_lists *lists, uint32_t i);
/* Checks that custom methods can be used, each method and each epsilon is given once, and
 * checkpoints increase. */
SOTTO_CHECK sotto_status sotto__request_lists_fault(const sotto__request_lists *lists,
                                                    sotto_fault *fault);

/* A field of a request and the whole numbers that it may have. */
typedef struct sotto__request_count {
    const char *field;
    uint64_t value, lo, hi;
} sotto__request_count;

SOTTO_CHECK sotto_status sotto__request_counts_fault(const sotto__request_count *count,
                                                     size_t counts_count, sotto_fault *fault);

/* ---- resume --------------------------------------------------------------------------------- */

/* A rows file that grows: what is finished of a sweep is kept, and the next call continues from there. */

#define SOTTO__RESUME_SWEEP_BYTES 1100u

typedef struct sotto__resume {
    int file;           /* descriptor, locked; -1: none is open */
    char *path;         /* of the file, not of a link to it */
    sotto__shard shard; /* whose runs are played */
    sotto__text_format format;
    off_t length;           /* bytes up to the end of the last whole run */
    bool is_whole;          /* and what follows is the last line */
    bool has_others;        /* it has runs of seeds that this sweep does not have */
    char *text;             /* room for the rows of a run */
    uint64_t kept_count;    /* runs of this sweep in it */
    uint64_t dropped_bytes; /* of its end, which was cut off */
    bool foreign;           /* the file belongs to another sweep; the texts below name both */
    char sweep_there[SOTTO__RESUME_SWEEP_BYTES];
    char sweep_here[SOTTO__RESUME_SWEEP_BYTES];
} sotto__resume;

/* No file: nothing is kept. */
#define SOTTO__RESUME_NONE ((sotto__resume){.file = -1})

/* Opens or creates the file and takes its runs into `results`, also those of other shards. A file
 * that is refused is not changed. Close `resume` in both cases. */
SOTTO_CHECK sotto_status sotto__resume_open(sotto__resume *resume, const char *path,
                                            const sotto__comparison *comparison,
                                            const sotto__shard *shard, sotto__results *results,
                                            sotto_fault *fault);
void sotto__resume_close(sotto__resume *resume);

/* Adds a finished run. On failure returns false with errno set, and the file ends where it did. */
bool sotto__resume_add(sotto__resume *resume, const sotto__comparison *comparison,
                       const sotto__results *results, uint64_t run);
/* Call it when no more runs will come. If all runs of the shard are there, and no others, it
 * replaces the file by a whole one, atomically. On failure returns false with errno set, and the
 * file is as before. */
bool sotto__resume_end(const sotto__resume *resume, const sotto__comparison *comparison,
                       const sotto__results *results);

/* ---- summary -------------------------------------------------------------------------------- */

/*
 * The results of a comparison at its last round, one line per match.
 *
 * A method without privacy has no epsilon: it plays the same runs at each, so the first line has
 * the result and the others are marked as repeated. If its runs differ, because the world itself
 * depends on epsilon (environment gaussian), each line keeps the epsilon of its world.
 */

/* Writes one line per match to `out`. SOTTO_E_MEMORY if there is no memory for sorting. */
SOTTO_CHECK sotto_status sotto__summary_of(const sotto__comparison *comparison,
                                           const sotto__results *results,
                                           sotto_comparison_line *out);

/* ---- true_privacy --------------------------------------------------------------------------- */

/* The privacy that a match actually gives each person, whatever it claims. */

typedef struct sotto__true_privacy {
    double epsilon;  /* the smallest that can be proved at `delta`; infinity: none */
    double delta;    /* 0 for pure epsilon */
    const char *why; /* in a few words */
} sotto__true_privacy;

/* Calibration paper, Gaussian noise: the largest distance between two secrets, in
 * units of the noise's sd. */
double sotto__paper_whitened(const sotto_match *match);

/* Of a match without corrections. */
sotto__true_privacy sotto__true_privacy_of(const sotto_match *match);

#endif
