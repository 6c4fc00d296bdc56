/* What other rooms may use from this one. */
#ifndef SOTTO_SERVICE_CONFIG_ROOM_H
#define SOTTO_SERVICE_CONFIG_ROOM_H

#include "option/option.h"
#include "service/system/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- config --------------------------------------------------------------------------------- */

/* The settings of sottod: one table; values come from a file, the environment and the flags, in this order. */

#define CONFIG_TEXT_BYTES OPTION_TEXT_BYTES

/* An address and a port: "127.0.0.1:8080", "[::1]:8080"; port 0: the system chooses. */
typedef struct config_place {
    char address[64];
    uint16_t port;
} config_place;

/* Which addresses are limited; `auto`: all but those of this machine and of private networks. */
typedef enum config_addresses {
    CONFIG_ADDRESSES_AUTO,
    CONFIG_ADDRESSES_ON,
    CONFIG_ADDRESSES_OFF
} config_addresses;

typedef struct sottod_config {
    char data[CONFIG_TEXT_BYTES]; /* the directory; default: under the user's state directory */
    /* a PostgreSQL URL, possibly with a password; "": use the directory */
    char journal[CONFIG_TEXT_BYTES];
    bool publish;        /* this process may publish for a shared journal */
    config_place listen; /* public: 127.0.0.1:8787 */
    config_place admin;  /* 127.0.0.1:8788 */
    bool admin_exposed;  /* `admin` may be an address other than loopback */
    /* what Host may contain besides the admin address: names, with or without a port, separated by commas */
    char admin_hosts[CONFIG_TEXT_BYTES];
    bool keep_reports;
    log_level log_level;
    uint32_t connections_max; /* of the public port */
    uint32_t idle_s_max;
    uint32_t bodies_mib_max; /* memory for bodies being read */
    uint32_t head_s_max;     /* for the head of a request */
    uint32_t rate_min;       /* of bodies and answers, in bytes per second; 0: none */
    config_addresses per_address;
    uint32_t address_connections_max;
    uint32_t address_requests_max; /* per second */
    uint32_t address_mib_max;      /* of bodies, per second */
    uint32_t experiments_max;
    uint32_t nonces_max; /* per experiment */
    uint32_t threads;    /* to fold reports; 0: one per core */
    /* the file that was read; "" if none. Only by flag or variable */
    char config[CONFIG_TEXT_BYTES];
    uint64_t recover_to; /* only by flag; 0: not given */
} sottod_config;

/* Fills *out from the table's defaults, then --config FILE (or SOTTOD_CONFIG), then SOTTOD_… variables, then flags;
 * `argument`: the words after the name of the program. The fault names the setting, its source (file and line,
 * variable, flag), its value and what is allowed. Words that are not flags are counted in *words and moved to the
 * front of `argument`; so is everything after the word `--`. */
SOTTO_CHECK sotto_status config_read(sottod_config *out, int arguments, char **argument, int *words,
                                     sotto_fault *fault);
/* Their table, for help, completion and --print-config. */
extern const option_settings config_settings;

/* A URL without its password. */
void config_hide_password(const char *url, char out[CONFIG_TEXT_BYTES]);

#endif
