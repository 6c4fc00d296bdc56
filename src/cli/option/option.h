/* What other rooms may use of this one. */
#ifndef SOTTO_CLI_OPTION_ROOM_H
#define SOTTO_CLI_OPTION_ROOM_H

#include "option/option.h"

#include <sotto/lab.h>

/* ---- commands ------------------------------------------------------------------------------- */

/* Each is defined in the room of its name, and cli/completion lists them. The last three need the
 * network. */
extern const command command_audit, command_compare, command_doctor, command_inspect, command_merge,
    command_plan, command_privatise, command_replay, command_reproduce, command_simulate;
extern const command command_fleet, command_join, command_results;

/* ---- lists ---------------------------------------------------------------------------------- */

/* Lists in the values of options: methods, epsilons, checkpoints. */

#define EPSILONS_MAX 64u

typedef struct player_list {
    uint32_t count;
    sotto_player player[SOTTO_PLAYERS];
} player_list;

typedef struct epsilon_list {
    uint32_t count;
    double epsilon[EPSILONS_MAX];
} epsilon_list;

typedef struct point_list {
    uint32_t count;
    uint64_t at[SOTTO_POINTS_MAX];
} point_list;

/* Parsers of options whose fields are these lists. */
option_parser player_list_parse;  /* each method once */
option_parser epsilon_list_parse; /* each value once, within the range of the row */
option_parser point_list_parse;   /* increasing */

/* Adds the horizon to the checkpoints and, if none were given, also the usual ones before it. Fails
 * with a fault if a checkpoint is beyond the horizon. */
SOTTO_CHECK sotto_status point_list_end(point_list *list, uint64_t horizon, sotto_fault *fault);

/* ---- names ---------------------------------------------------------------------------------- */

/* The names that options can choose, in the form that a table of options takes. */

option_names names_of_calibration;
option_names names_of_correction;
option_names names_of_environment;
option_names names_of_link;
option_names names_of_mechanism;
option_names names_of_method;
option_names names_of_noise_law;
option_names names_of_parameters;
option_names names_of_player;
option_names names_of_reward_kind;
option_names names_of_score;
option_names names_of_split;
option_names names_of_step;

/* ---- secret --------------------------------------------------------------------------------- */

/* Secrets are read from files, never from arguments, which other users of the machine can see. */

#define SECRET_BYTES_MAX 128u

/* Reads a file of one line, without its line end, of `least` to SECRET_BYTES_MAX visible
 * characters. False, with a sentence that names the option and the file but shows nothing of the
 * content. */
bool secret_read(const command_line *line, const char *option_name, const char *path, size_t least,
                 char out[SECRET_BYTES_MAX + 1]);

/* ---- shard ---------------------------------------------------------------------------------- */

/* The value I/N of --shard. */

/* If the option was not given, the count is 0. */
typedef struct option_shard {
    uint32_t index, count;
} option_shard;

option_parser shard_parse;

/* ---- world ---------------------------------------------------------------------------------- */

/* Rows of the options of a lab world, for the tables of several commands. */

/* OF_WORLD(member) is the OPTION_FIELD of a member of the command's sotto_environment. */
/* clang-format off */
#define WORLD_ROWS(OF_WORLD, group)                                                                \
    {"noise", OF_WORLD(noise), OPTION_NUMBER("0.1", 0, 1e6), group,                                \
     "standard deviation of continuous rewards; in environment gaussian 1, in published 0, per-arm 0.05"}, \
    {"theta-norm", OF_WORLD(theta_norm), OPTION_NUMBER("1", 1e-6, 1e6), group,                     \
     "length of the true parameter; gaussian: from theory"},                                      \
    {"margin", OF_WORLD(margin), OPTION_NUMBER("1", 0, 1), group, "beta of environment margin"},   \
    {"drift", OF_WORLD(drift), OPTION_NUMBER(NULL, 0, 1), group,                                   \
     "of environment drift: radians per round, default 1/30000"}
/* clang-format on */

#endif
