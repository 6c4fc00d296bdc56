#include "table.h"

#include <sotto/server.h>

#include <assert.h>
#include <string.h>

#define FIELD(name) offsetof(sottod_config, name)
#define NOT_IN_FILE ((uint32_t)SETTING_VARIABLE | SETTING_FLAG)
#define FLAG_ONLY SETTING_FLAG

/* Groups. */
#define STORED "folder and database"
#define PORTS "ports"
#define REPORTS "reports and log"
#define LIMITS "limits of the public port"
#define ADDRESS "limits of one address"
#define WORK "experiments"
#define OTHER "other options"

const setting config_table[] = {
    {"data", SETTING_PATH, SETTING_ANYWHERE, FIELD(data), NULL, 0, 0, STORED,
     "The folder of the journal and the tokens; made if it is not there."},
    {"journal", SETTING_URL, SETTING_ANYWHERE, FIELD(journal), "", 0, 0, STORED,
     "A database that several machines share; none: the folder."},
    {"fold", SETTING_SWITCH, SETTING_ANYWHERE, FIELD(fold), "yes", 0, 0, STORED,
     "Whether this process may fold and publish for all that share it."},
    {"recover-to", SETTING_U64, FLAG_ONLY, FIELD(recover_to), NULL, 1, INT64_MAX, STORED,
     "After damage: give up all rows of the journal after this one."},
    {"listen", SETTING_PLACE, SETTING_ANYWHERE, FIELD(listen), "127.0.0.1:8787", 0, 0, PORTS,
     "The public port, for devices."},
    {"admin", SETTING_PLACE, SETTING_ANYWHERE, FIELD(admin), "127.0.0.1:8788", 0, 0, PORTS,
     "The admin port, for those who run experiments."},
    {"admin-hosts", SETTING_HOSTS, SETTING_ANYWHERE, FIELD(admin_hosts), "", 0, 0, PORTS,
     "Other names for the admin port, as browsers send them in Host."},
    {"keep-reports", SETTING_SWITCH, SETTING_ANYWHERE, FIELD(keep_reports), "no", 0, 0, REPORTS,
     "Keep all reports for ever, for research."},
    {"log-level", SETTING_LEVEL, SETTING_ANYWHERE, FIELD(log_level), "info", 0, 0, REPORTS,
     "The least important log lines that are written."},
    {"connections-max", SETTING_U32, SETTING_ANYWHERE, FIELD(connections_max), "16000", 1, 1000000,
     LIMITS, "Connections of the public port at a time."},
    {"idle-s-max", SETTING_U32, SETTING_ANYWHERE, FIELD(idle_s_max), "30", 1, 3600, LIMITS,
     "Seconds after which a connection that says nothing is closed."},
    {"bodies-mib-max", SETTING_U32, SETTING_ANYWHERE, FIELD(bodies_mib_max), "256", 4, 1048576,
     LIMITS, "Memory for reports that are being received, in MiB."},
    {"head-s-max", SETTING_U32, SETTING_ANYWHERE, FIELD(head_s_max), "10", 1, 3600, LIMITS,
     "Seconds for the head of a request."},
    {"rate-min", SETTING_U32, SETTING_ANYWHERE, FIELD(rate_min), "1024", 0, 1000000000, LIMITS,
     "Bytes a second of bodies that come and answers that are taken."},
    {"per-address", SETTING_ADDRESSES, SETTING_ANYWHERE, FIELD(per_address), "auto", 0, 0, ADDRESS,
     "Whose addresses have the limits below; auto: all but private ones."},
    {"address-connections-max", SETTING_U32, SETTING_ANYWHERE, FIELD(address_connections_max),
     "1000", 1, 1000000, ADDRESS, "Connections of one address at a time."},
    {"address-requests-max", SETTING_U32, SETTING_ANYWHERE, FIELD(address_requests_max), "1000", 1,
     1000000, ADDRESS, "Requests and new connections of one address a second."},
    {"address-mib-max", SETTING_U32, SETTING_ANYWHERE, FIELD(address_mib_max), "16", 1, 1048576,
     ADDRESS, "Bodies of one address a second, in MiB."},
    {"experiments-max", SETTING_U32, SETTING_ANYWHERE, FIELD(experiments_max), "10000", 1, 100000,
     WORK, "Experiments at a time."},
    {"nonces-max", SETTING_U32, SETTING_ANYWHERE, FIELD(nonces_max), "10000000", 1000,
     SOTTO_NONCES_MAX, WORK, "Reports of one experiment's open epochs; about 40 bytes each."},
    {"threads", SETTING_U32, SETTING_ANYWHERE, FIELD(threads), "0", 0, 256, WORK,
     "Threads that fold reports; 0: one per core."},
    {"config", SETTING_PATH, NOT_IN_FILE, FIELD(config), NULL, 0, 0, OTHER,
     "A file of settings, one NAME = VALUE per line."},
    {NULL, SETTING_SWITCH, 0, 0, NULL, 0, 0, NULL, NULL}};

static_assert(sizeof config_table / sizeof config_table[0] <= SETTINGS_MAX, "a bit per setting");

const setting *setting_find(const char *name, size_t length)
{
    for (const setting *row = config_table; row->name != NULL; row++) {
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0) return row;
    }
    return NULL;
}
