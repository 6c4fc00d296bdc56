/* What other rooms may use of this one. */
#ifndef SOTTO_SERVICE_CONFIG_ROOM_H
#define SOTTO_SERVICE_CONFIG_ROOM_H

#include "option/option.h"
#include "service/system/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- config --------------------------------------------------------------------------------- */

/* The settings of sottod: one table, read from a file, the environment and the flags, in that order. */

#define CONFIG_TEXT_BYTES OPTION_TEXT_BYTES

/* An address and a port: "127.0.0.1:8080", "[::1]:8080"; port 0: the system chooses. */
typedef struct config_place {
    char address[64];
    uint16_t port;
} config_place;

/* Whose addresses have limits: in `auto`, all but those of this machine and of private networks. */
typedef enum config_addresses {
    CONFIG_ADDRESSES_AUTO,
    CONFIG_ADDRESSES_ON,
    CONFIG_ADDRESSES_OFF
} config_addresses;

typedef struct sottod_config {
    char data[CONFIG_TEXT_BYTES]; /* the directory; default: under the user's state directory */
    char journal
        [CONFIG_TEXT_BYTES]; /* a URL of PostgreSQL; "": the directory. It may have a password */
    bool publish;            /* whether this process may publish for a shared journal */
    config_place listen;     /* public: 127.0.0.1:8787 */
    config_place admin;      /* 127.0.0.1:8788 */
    bool admin_exposed;      /* `admin` may be an address that is not loopback */
    char admin_hosts[CONFIG_TEXT_BYTES]; /* what else Host may be, apart from the admin address:
                                            names, with or without a port, separated by commas */
    bool keep_reports;
    log_level log_level;
    uint32_t connections_max; /* of the public port */
    uint32_t idle_s_max;
    uint32_t bodies_mib_max; /* memory for bodies being read */
    uint32_t head_s_max;     /* for the head of a request */
    uint32_t rate_min;       /* of bodies and answers, in bytes a second; 0: none */
    config_addresses per_address;
    uint32_t address_connections_max;
    uint32_t address_requests_max; /* a second */
    uint32_t address_mib_max;      /* of bodies, a second */
    uint32_t experiments_max;
    uint32_t nonces_max;            /* per experiment */
    uint32_t threads;               /* that fold reports; 0: as many as there are cores */
    char config[CONFIG_TEXT_BYTES]; /* the file that was read; "" if none. Flag or variable only */
    uint64_t recover_to;            /* flag only; 0: not said */
} sottod_config;

/* Fills *out from the table's defaults, then --config FILE (or SOTTOD_CONFIG), then SOTTOD_… variables, then
 * flags: `argument` are the words after the name of the program. The fault names the setting, where it was
 * said (file and line, variable, flag), its value and what is allowed. Words that are not flags are counted in
 * *words and moved to the front of `argument`; so is all that follows the word `--`. */
SOTTO_CHECK sotto_status config_read(sottod_config *out, int arguments, char **argument, int *words,
                                     sotto_fault *fault);
/* Their table, for help, completion and --print-config. */
extern const option_settings config_settings;

/* A URL without its password. */
void config_hide_password(const char *url, char out[CONFIG_TEXT_BYTES]);

#endif
