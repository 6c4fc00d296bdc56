/*
 * Custom code for the lab: a method (a player), an environment, a mechanism to audit. Each is a table of
 * functions. A program puts a pointer to the table into sotto_match, sotto_scene or
 * sotto_audit_settings; a shared object hands its tables over by sotto_plugin_get:
 *
 *     sotto simulate --method sotto,./mine.so --environment ./world.so --dim 5 --arms 3 --horizon 1e5
 *     sotto audit --mechanism ./mine.so --dim 5 --epsilon 1
 *
 * A plug-in needs this header and links nothing of Sotto. docs/lab.md says how to build and try one.
 *
 * Rules for all functions of all tables:
 *
 *   Failing    A function returns NULL when it is done, or a sentence that says why it could not. `text`
 *              is room for that sentence; a constant string will do as well. The run ends, and the
 *              sentence is reported with the table's name. Runs without the table continue.
 *   Checking   The lab checks all results: an arm out of range, a NaN, a context that is too long or a
 *              reward out of its range ends the run like a failure.
 *   Threads    A state is used by one thread at a time. Several runs at once have a state each, and
 *              share `user`.
 *   Chance     Take all randomness from the sotto_stream argument, which is valid during the call. Then
 *              a run gives the same numbers every time, and all methods meet the same people.
 *   NULL       Functions marked "may be NULL" may be left out. The others must be there. No function is
 *              called with a NULL pointer, except `user` and `state`, which are the table's own.
 *
 * The lab does not copy a table: it must stay unchanged while it is used.
 */
#ifndef SOTTO_LAB_PLUGINS_H
#define SOTTO_LAB_PLUGINS_H

#include <sotto/core.h>

#if defined(SOTTO_SIDE_CLIENT) || defined(SOTTO_SIDE_SERVER) || defined(SOTTO_SIDE_CORE)
#error "sotto/lab can be seeded: code that ships may not use it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these structs. A table of another version is refused. */
#define SOTTO_PLUGIN_ABI 1u

/* How every table begins: SOTTO_TABLE(sotto_player_table) fills `abi` and `struct_bytes`. */
#define SOTTO_TABLE(type) SOTTO_PLUGIN_ABI, sizeof(type)

#define SOTTO_TABLE_NAME_BYTES 32u /* a name and its final zero */

/* ---- chance ------------------------------------------------------------------------------- */

/* Seeded randomness of the lab. Never use it for a report that leaves a real device. */
typedef struct sotto_stream sotto_stream;
struct sotto_stream {
    uint64_t (*bits)(sotto_stream *self);  /* 64 random bits */
    double (*uniform)(sotto_stream *self); /* in (0, 1), ends excluded */
    double (*normal)(sotto_stream *self);  /* standard normal */
};

static inline uint64_t sotto_stream_bits(sotto_stream *stream)
{
    return stream == NULL ? 0 : stream->bits(stream);
}

static inline double sotto_stream_uniform(sotto_stream *stream)
{
    return stream == NULL ? 0 : stream->uniform(stream);
}

static inline double sotto_stream_normal(sotto_stream *stream)
{
    return stream == NULL ? 0 : stream->normal(stream);
}

/* ---- what both sides of a run know -------------------------------------------------------- */

/* The problem of a run. Valid as long as the state that was made for it. */
typedef struct sotto_problem {
    uint32_t dim, arms;
    sotto_parameters parameters;
    sotto_link link;               /* from x . theta to the mean reward, as methods know it */
    sotto_reward_kind reward_kind; /* continuous, binary or count */
    uint32_t context_count;        /* numbers of a context: arms x dim, row by row; per-arm: dim */
    uint32_t theta_count;          /* numbers of a parameter: dim; per-arm: arms x dim */
    double reward_lo, reward_hi;   /* the range of rewards */
    double context_norm_max;       /* bound on the length of a context's row */
    double theta_norm_max;         /* bound on the length of the true parameter */
    uint64_t horizon;              /* rounds; 0: unknown */
    const double *worth;           /* what a unit of reward is worth, one per arm; NULL: the same */
} sotto_problem;

/* ---- a method ----------------------------------------------------------------------------- */

/*
 * A player. One round is
 *
 *     decide (context) -> arm       on the person's device
 *     report (context, arm, reward) -> bytes       on the person's device
 *     learn (bytes)       on the server
 *
 * Only the bytes that `report` writes cross from the person to the server. `decide` and `report` cannot
 * change the state: a device changes it only by its report. A method must not keep a secret elsewhere,
 * for example in a global variable; the lab cannot detect that.
 */
typedef struct sotto_player_table {
    uint32_t abi;
    uint32_t struct_bytes;
    /* In the column `method`. 1 to 31 letters, digits, '-', '_', '.'; not the name of a built-in
     * method. */
    const char *name;
    const char *version; /* of this code; a resumed sweep requires the same. May be NULL */
    void *user;          /* handed to `make`; the lab does not use it */
    /* Its reports claim to be private at the run's epsilon and delta. The lab does not check this claim;
     * only an audit can refute it: see sotto_mechanism_table. */
    bool claims_privacy;

    /* Makes *state, what the server has learnt, at the start of a run. */
    const char *(*make)(void *user, const sotto_problem *problem, double epsilon, double delta,
                        sotto_stream *stream, void **state, char text[SOTTO_FAULT_BYTES]);
    /* The largest size of a report, 0 to SOTTO_PLAYER_REPORT_BYTES_MAX. Called once. */
    size_t (*report_bytes_max)(const void *state);
    /* Chooses *arm, 0 to arms - 1. `context` has problem->context_count numbers, its rows no longer than
     * context_norm_max. */
    const char *(*decide)(const void *state, sotto_stream *stream, const double *context,
                          uint32_t *arm, char text[SOTTO_FAULT_BYTES]);
    /* Writes what leaves the device into `report`, which has report_bytes_max zeros, and its size into
     * *report_bytes. The reward is within its range. */
    const char *(*report)(const void *state, sotto_stream *stream, const double *context,
                          uint32_t arm, double reward, uint8_t *report, size_t *report_bytes,
                          char text[SOTTO_FAULT_BYTES]);
    /* The server learns from the report. */
    const char *(*learn)(void *state, const uint8_t *report, size_t report_bytes,
                         char text[SOTTO_FAULT_BYTES]);
    /* The estimate that decides, problem->theta_count numbers. The column estimation_error is its
     * distance to the truth. May be NULL; the column is then nan. */
    const double *(*estimate)(const void *state);
    /* May be NULL. Called after a failure too, but not if `make` failed. */
    void (*free)(void *state);
} sotto_player_table;

#define SOTTO_PLAYER_REPORT_BYTES_MAX 16777216u

/* ---- an environment ----------------------------------------------------------------------- */

/*
 * Where people come from. One person is
 *
 *     context -> means of all arms -> (a method chooses) -> reward of that arm
 *
 * Each person has their own stream for the context and another for the reward, which depend on the seed
 * and the person's number only: the same people come whatever the method does and however many numbers
 * are drawn. For this to hold, contexts and rewards must not depend on arms chosen earlier.
 */
typedef struct sotto_environment_table {
    uint32_t abi;
    uint32_t struct_bytes;
    const char *name;            /* like a player's; not the name of a built-in environment */
    const char *version;         /* like a player's */
    void *user;                  /* like a player's */
    uint32_t dim, arms;          /* the only ones that it supports; 0: any */
    bool shared, per_arm;        /* which parameters it supports, at least one */
    double context_norm_max;     /* C_B, 1e-6 to 1e6: bound on the length of a context's row */
    double theta_norm_max;       /* bound on the true parameter that methods know, 1e-6 to 1e6 */
    double reward_lo, reward_hi; /* bounds of all means and rewards; binary: 0 and 1 */

    /* Makes *state, what stays for the whole run, from the stream of parameters. */
    const char *(*make)(void *user, const sotto_problem *problem, sotto_stream *stream,
                        void **state, char text[SOTTO_FAULT_BYTES]);
    /* The context of the next person: problem->context_count numbers. Called once per person, in order.
     * An environment that drifts changes its state here. */
    const char *(*context)(void *state, sotto_stream *stream, double *context,
                           char text[SOTTO_FAULT_BYTES]);
    /* The mean reward of this person, one number per arm. It need not follow the link. */
    const char *(*means)(void *state, const double *context, double *mean,
                         char text[SOTTO_FAULT_BYTES]);
    /* The person's reward for this arm. May be NULL: the reward is then drawn around the mean by the run's
     * reward kind, with gaussian noise, as 0 or 1, or as a count. */
    const char *(*reward)(void *state, sotto_stream *stream, const double *context, uint32_t arm,
                          double mean, double *reward, char text[SOTTO_FAULT_BYTES]);
    /* The present true parameter, problem->theta_count numbers. May be NULL or return NULL; the column
     * estimation_error is then nan. */
    const double *(*theta)(const void *state);
    /* May be NULL. Like a player's. */
    void (*free)(void *state);
} sotto_environment_table;

/* ---- a mechanism to audit ----------------------------------------------------------------- */

/* What turns a vector into a private answer. The `report` of a player is audited by a mechanism whose
 * `draw` calls it: see docs/lab.md. */
typedef struct sotto_mechanism_table {
    uint32_t abi;
    uint32_t struct_bytes;
    const char *name;
    const char *version;
    void *user;

    /* Makes *state for vectors of `dim` numbers, clipped to length `radius`, and answers that claim epsilon
     * and delta. *answer_count is the count of numbers in an answer, 1 to SOTTO_ANSWER_COUNT_MAX. */
    const char *(*make)(void *user, uint32_t dim, double epsilon, double delta, double radius,
                        uint32_t *answer_count, void **state, char text[SOTTO_FAULT_BYTES]);
    /* One answer to x: answer_count finite numbers. */
    const char *(*draw)(void *state, sotto_stream *stream, const double *x, double *answer,
                        char text[SOTTO_FAULT_BYTES]);
    /* May be NULL. Like a player's. */
    void (*free)(void *state);
} sotto_mechanism_table;

#define SOTTO_ANSWER_COUNT_MAX 65535u

/* ---- a shared object ---------------------------------------------------------------------- */

/* The tables of a shared object; NULL for those that it does not have. */
typedef struct sotto_plugin {
    uint32_t abi;
    uint32_t struct_bytes;
    const sotto_player_table *player;
    const sotto_environment_table *environment;
    const sotto_mechanism_table *mechanism;
} sotto_plugin;

/* A plug-in defines this function; the lab does not. Its result must stay valid and unchanged. */
#define SOTTO_PLUGIN_SYMBOL "sotto_plugin_get"
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const sotto_plugin *
sotto_plugin_get(void);

#ifdef __cplusplus
}
#endif
#endif
