#include "inner.h"
#include "service/api/api.h"
#include "service/publisher/publisher.h"
#include "service/store/sqlite/sqlite.h"
#include "service/system/system.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== open journal =========================================================================== */

#define TIMEOUT_MS 3000u /* for one answer of the database */

static postgres_settings postgres_of(const sottod_config *config)
{
    return (postgres_settings){.url = config->journal, .timeout_ms = TIMEOUT_MS};
}

/* Tokens of the admin port are stored there in any case. */
static sotto_status make_directory(const char *path, sotto_fault *fault)
{
    if (mkdir(path, 0700) == 0 || errno == EEXIST) return SOTTO_OK;
    return sotto__refuse(fault, "cannot make %.400s: %s", path, strerror(errno));
}

sotto_status daemon_open_journal(const sottod_config *config, bool read_only, sottod_journal **out,
                                 sotto_fault *fault)
{
    const journal_settings kept = {
        .directory = config->data,
        .read_only = read_only,
        .recover_to = read_only ? 0 : config->recover_to,
    };
    const postgres_settings shared = postgres_of(config);
    *out = NULL;
    if (config->journal[0] == '\0') return journal_open(&kept, out, fault);
    if (config->recover_to > 0)
        return sotto__refuse(fault, "--recover-to: works only for a journal in a directory. "
                                    "Restore the database from a copy");
    sotto_status status = read_only ? SOTTO_OK : make_directory(config->data, fault);
    return status == SOTTO_OK ? postgres_journal_open(&shared, out, fault) : status;
}

/* ==== serve ================================================================================== */

/* All parts are made here, in order, and freed in reverse order. */

#define GROUP_MIB_MAX 1024u /* frames of one commit */
#define ADMIN_CONNECTIONS_MAX 64u
#define FILES_BESIDE                                                                               \
    (256u + FRONT_CONNECTIONS_BESIDE) /* for the admin port, the journal and the libraries */
#define ADMIN_BODIES_BYTES_MAX ((size_t)4 << 20)

typedef struct parts {
    const sottod_config *config;
    api_starting *starting; /* answers until the rest is ready */
    bool said;              /* the ports' addresses were printed */
    sottod_journal *journal;
    sottod_experiments *experiments;
    sottod_intake *intake;
    sottod_publisher *publisher;
    api_public *public_port;
    api_admin *admin_port;
    sottod_front *public_front, *admin_front;
    sottod_log *log;
    api_service service;
    int arguments; /* as given to config_read */
    char **argument;
} parts;

static void put_sentence(const char *sentence)
{
    fprintf(stderr, "sottod: %s\n", sentence);
}

/* Runs in its own thread. */
static bool open_data(void *self)
{
    parts *server = self;
    const sottod_config *config = server->config;
    sotto_fault fault;
    char pace_file[PATH_MAX];
    snprintf(pace_file, sizeof pace_file, "%s/epoch-times", config->data);
    const experiments_settings settings = {.keep_reports = config->keep_reports,
                                           .nonces_max = config->nonces_max,
                                           .experiments_max = config->experiments_max,
                                           .threads = config->threads,
                                           .pace_file =
                                               config->journal[0] == '\0' ? pace_file : NULL,
                                           .knows = api_starting_know,
                                           .knows_self = server->starting};
    if (!parents_make(config->data)) {
        fprintf(stderr, "sottod: cannot make the directories above %s: %s\n", config->data,
                strerror(errno));
        return false;
    }
    if (daemon_open_journal(config, false, &server->journal, &fault) != SOTTO_OK ||
        experiments_open(server->journal, &settings, server->log, clock_steady_ms(),
                         &server->experiments, &fault) != SOTTO_OK) {
        put_sentence(fault.sentence);
        return false;
    }
    /* So that all bodies being read fit into one commit. */
    uint32_t mib = config->bodies_mib_max < GROUP_MIB_MAX ? config->bodies_mib_max : GROUP_MIB_MAX;
    server->intake = intake_new(server->experiments, (size_t)mib << 20);
    if (server->intake == NULL) put_sentence("out of memory");
    return server->intake != NULL;
}

/* For all processes that append to the journal, if the settings allow it. */
static bool open_publisher(parts *server, const sottod_config *config)
{
    const publisher_settings settings = {.postgres = postgres_of(config),
                                         .nonces_max = config->nonces_max,
                                         .keep_reports = config->keep_reports,
                                         .threads = config->threads,
                                         .totals = experiments_totals(server->experiments)};
    if (!config->publish || journal_publishes_here(server->journal)) return true;
    server->publisher = publisher_start(&settings, server->log);
    server->service.publisher = server->publisher;
    if (server->publisher == NULL)
        put_sentence("the publisher cannot start: not enough memory, or no thread");
    return server->publisher != NULL;
}

static front_addresses whose(config_addresses said)
{
    switch (said) {
    case CONFIG_ADDRESSES_AUTO: return FRONT_ADDRESSES_FAR;
    case CONFIG_ADDRESSES_ON: return FRONT_ADDRESSES_ALL;
    case CONFIG_ADDRESSES_OFF: return FRONT_ADDRESSES_NONE;
    }
    return FRONT_ADDRESSES_NONE;
}

static bool open_fronts(parts *server, const sottod_config *config)
{
    sotto_fault fault;
    server->starting = api_starting_new();
    if (server->starting == NULL) {
        put_sentence("out of memory");
        return false;
    }
    const front_settings public_settings = {
        .address = config->listen.address,
        .port = config->listen.port,
        .connections_max = config->connections_max,
        .idle_s_max = config->idle_s_max,
        .head_s_max = config->head_s_max,
        .rate_min = config->rate_min,
        .bodies_bytes_max = (size_t)config->bodies_mib_max << 20,
        .addresses = whose(config->per_address),
        .address_connections_max = config->address_connections_max,
        .address_requests_max = config->address_requests_max,
        .address_bytes_max = (uint64_t)config->address_mib_max << 20,
    };
    const front_settings admin_settings = {
        .address = config->admin.address,
        .port = config->admin.port,
        .connections_max = ADMIN_CONNECTIONS_MAX,
        .idle_s_max = config->idle_s_max,
        .head_s_max = config->head_s_max,
        .rate_min = config->rate_min,
        .bodies_bytes_max = ADMIN_BODIES_BYTES_MAX,
        .addresses = FRONT_ADDRESSES_NONE,
    };
    const front_door public_door = api_starting_public(server->starting);
    const front_door admin_door = api_starting_admin(server->starting);
    sotto_status status = front_open(&public_settings, &public_door, &server->public_front, &fault);
    if (status == SOTTO_OK)
        status = front_open(&admin_settings, &admin_door, &server->admin_front, &fault);
    if (status != SOTTO_OK) put_sentence(fault.sentence);
    return status == SOTTO_OK;
}

/* Makes the doors that answer once the journal is read. */
static bool open_doors(parts *server, const sottod_config *config)
{
    sotto_fault fault;
    server->service = (api_service){.experiments = server->experiments,
                                    .intake = server->intake,
                                    .journal = server->journal,
                                    .log = server->log,
                                    .admin_address = config->admin.address,
                                    .admin_hosts = config->admin_hosts,
                                    .data = config->data,
                                    .started_ms = clock_steady_ms(),
                                    .keep_reports = config->keep_reports};
    server->public_port = api_public_new(&server->service);
    sotto_status status = api_admin_new(&server->service, &server->admin_port, &fault);
    if (server->public_port == NULL || status != SOTTO_OK) {
        put_sentence(server->public_port == NULL ? "out of memory" : fault.sentence);
        return false;
    }
    const front_door public_door = api_public_door(server->public_port);
    const front_door admin_door = api_admin_door(server->admin_port);
    front_turn(server->public_front, &public_door);
    front_turn(server->admin_front, &admin_door);
    server->service.public_front = server->public_front;
    server->service.admin_front = server->admin_front;
    return true;
}

static void print_place(const char *name, const config_place *place, const sottod_front *front)
{
    bool six = strchr(place->address, ':') != NULL;
    printf("%-6s http://%s%s%s:%u\n", name, six ? "[" : "", place->address, six ? "]" : "",
           (unsigned)front_port(front));
}

static void print_places(void *self)
{
    parts *server = self;
    if (server->said) return;
    server->said = true;
    print_place("public", &server->config->listen, server->public_front);
    print_place("admin", &server->config->admin, server->admin_front);
    fflush(stdout);
}

/* The thread that reads the journal may take long. Nothing was acknowledged; the directory is left as after kill -9. */
static void end_early(void *self)
{
    const parts *server = self;
    log_write(server->log, LOG_INFO, "stopped", NULL);
    _exit(0);
}

/* A new token is shown once, and only on a terminal: anything else may be a log. */
static void print_token(const api_admin *port)
{
    char token[128];
    const char *path = api_admin_token_file(port);
    printf("token  %s\n", path);
    if (!api_admin_token_is_new(port) || !isatty(STDOUT_FILENO)) return;
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    if (fgets(token, sizeof token, file) != NULL) printf("       %s\n", token);
    fclose(file);
}

/* If one file is invalid, its old values stay in force; the other file takes effect nevertheless, so that a removed
 * token stops working. */
static void reload(void *self)
{
    parts *server = self;
    sottod_config next;
    int words;
    sotto_fault fault;
    bool read = config_read(&next, server->arguments, server->argument, &words, &fault) == SOTTO_OK;
    if (!read) log_why(server->log, LOG_ERROR, "reload_failed", fault.sentence);
    if (read) log_set_level(server->log, next.log_level);
    uint32_t tokens = 0;
    bool renewed = api_admin_reload(server->admin_port, &tokens, &fault) == SOTTO_OK;
    if (!renewed) log_why(server->log, LOG_ERROR, "reload_failed", fault.sentence);
    if (!read || !renewed) return;
    const log_value values[] = {{"tokens", NULL, tokens},
                                {"log_level", log_level_name(next.log_level), 0},
                                {NULL, NULL, 0}};
    log_record(server->log, LOG_INFO, "reloaded", values);
}

static void run(parts *server, int signals)
{
    print_places(server);
    print_token(server->admin_port);
    fflush(stdout);
    const log_value values[] = {{"experiments", NULL, experiments_count(server->experiments)},
                                {"last_row", NULL, journal_last(server->journal)},
                                {NULL, NULL, 0}};
    log_write(server->log, LOG_INFO, "started", values);
    if (!supervisor_tell("READY=1"))
        log_why(server->log, LOG_WARNING, "supervisor_not_told", strerror(errno));
    sottod_loop loop = {.service = &server->service,
                        .public_port = server->public_port,
                        .admin_port = server->admin_port,
                        .public_front = server->public_front,
                        .admin_front = server->admin_front,
                        .signals = signals,
                        .reload = reload,
                        .self = server};
    loop_run(&loop);
    (void)supervisor_tell("STOPPING=1"); /* shutdown continues even if this fails */
}

/* Nothing is lost if this fails; it makes the next start faster. */
static bool keep(parts *server)
{
    if (epochs_keep(server->experiments)) return true;
    put_sentence(journal_fault(server->journal)->sentence);
    return false;
}

static void close_all(parts *server)
{
    publisher_stop(server->publisher);
    front_close(server->admin_front);
    front_close(server->public_front);
    api_admin_free(server->admin_port);
    api_public_free(server->public_port);
    api_starting_free(server->starting);
    intake_free(server->intake);
    experiments_free(server->experiments);
    journal_close(server->journal);
    log_free(server->log);
}

/* Raises the limit of open files as far as the system allows, because each connection needs one. If it is still too
 * low for connections-max, fewer connections are accepted: otherwise idle clients could take the last files, and none
 * would be left for the admin port and the journal. */
static bool fit_files(sottod_log *log, sottod_config *config)
{
    struct rlimit files;
    char sentence[200];
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return true;
    const rlim_t usual = files.rlim_cur;
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) files.rlim_cur = usual;
    if (files.rlim_cur >= config->connections_max + FILES_BESIDE) return true;
    if (files.rlim_cur <= FILES_BESIDE) {
        snprintf(sentence, sizeof sentence,
                 "this process may open only %llu files (ulimit -n); sottod needs at least %u",
                 (unsigned long long)files.rlim_cur, FILES_BESIDE + 1);
        put_sentence(sentence);
        return false;
    }
    const log_value values[] = {
        {"connections_max", NULL, files.rlim_cur - FILES_BESIDE},
        {"wanted", NULL, config->connections_max},
        {"files_max", NULL, files.rlim_cur},
        {NULL, NULL, 0},
    };
    log_write(log, LOG_WARNING, "few_files", values);
    config->connections_max = (uint32_t)(files.rlim_cur - FILES_BESIDE);
    return true;
}

int serve(const sottod_config *wanted, int arguments, char **argument)
{
    sottod_config own = *wanted, *config = &own;
    parts server = {.config = config,
                    .log = log_new(STDERR_FILENO, config->log_level),
                    .arguments = arguments,
                    .argument = argument};
    int signals = signals_open();
    bool fine = signals >= 0 && fit_files(server.log, config) && open_fronts(&server, config) &&
                start_beside(server.public_front, server.admin_front, signals, open_data,
                             print_places, end_early, &server) &&
                open_doors(&server, config) && open_publisher(&server, config);
    if (fine) {
        run(&server, signals);
        fine = keep(&server);
        log_write(server.log, LOG_INFO, "stopped", NULL);
    }
    close_all(&server);
    if (signals >= 0) close(signals);
    return fine ? 0 : 1;
}
