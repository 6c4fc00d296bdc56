/* Everything is made here, lowest first, and taken apart in the other order. */
#include "serve.h"
#include "loop.h"
#include "open_journal.h"
#include "service/folder/folder.h"
#include "service/system/clock.h"
#include "service/system/parents.h"
#include "signals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define GROUP_MIB_MAX 1024u /* frames of one commit */
#define ADMIN_CONNECTIONS_MAX 64u
#define FILES_BESIDE                                                                               \
    (256u + FRONT_CONNECTIONS_BESIDE) /* of the admin port, the journal and the libraries */
#define ADMIN_BODIES_BYTES_MAX ((size_t)4 << 20)

typedef struct parts {
    sottod_journal *journal;
    sottod_experiments *experiments;
    sottod_intake *intake;
    sottod_folder *folder;
    api_public *public_port;
    api_admin *admin_port;
    sottod_front *public_front, *admin_front;
    sottod_log *log;
    api_service service;
} parts;

static void put_sentence(const char *sentence)
{
    fprintf(stderr, "sottod: %s\n", sentence);
}

static bool open_data(parts *server, const sottod_config *config)
{
    char fault[JOURNAL_FAULT_BYTES];
    const experiments_settings settings = {.keep_reports = config->keep_reports,
                                           .nonces_max = config->nonces_max,
                                           .experiments_max = config->experiments_max,
                                           .threads = config->threads};
    if (!parents_make(config->data)) {
        fprintf(stderr, "sottod: the folders above %s cannot be made: %s\n", config->data,
                strerror(errno));
        return false;
    }
    if (!daemon_open_journal(config, false, &server->journal, fault) ||
        !experiments_open(server->journal, &settings, server->log, clock_steady_ms(),
                          &server->experiments, fault)) {
        put_sentence(fault);
        return false;
    }
    /* All bodies that can be read at once fit into one commit. */
    uint32_t mib = config->bodies_mib_max < GROUP_MIB_MAX ? config->bodies_mib_max : GROUP_MIB_MAX;
    server->intake = intake_new(server->experiments, (size_t)mib << 20);
    if (server->intake == NULL) put_sentence("out of memory");
    return server->intake != NULL;
}

/* In a shared journal, if it may. */
static bool open_folder(parts *server, const sottod_config *config)
{
    const folder_settings settings = {.postgres = daemon_postgres(config),
                                      .nonces_max = config->nonces_max,
                                      .keep_reports = config->keep_reports,
                                      .threads = config->threads};
    if (!config->fold || !journal_is_shared(server->journal)) return true;
    server->folder = folder_start(&settings, server->log);
    server->service.folder = server->folder;
    if (server->folder == NULL) put_sentence("no memory, or no thread, for the folder");
    return server->folder != NULL;
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

static bool open_ports(parts *server, const sottod_config *config)
{
    char fault[FRONT_FAULT_BYTES];
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
    server->admin_port = api_admin_new(&server->service, fault);
    if (server->public_port == NULL || server->admin_port == NULL) {
        put_sentence(server->public_port == NULL ? "out of memory" : fault);
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
    const front_door public_door = api_public_door(server->public_port);
    const front_door admin_door = api_admin_door(server->admin_port);
    server->public_front = front_open(&public_settings, &public_door, fault);
    if (server->public_front != NULL)
        server->admin_front = front_open(&admin_settings, &admin_door, fault);
    if (server->admin_front == NULL) put_sentence(fault);
    server->service.public_front = server->public_front;
    server->service.admin_front = server->admin_front;
    return server->admin_front != NULL;
}

static void print_place(const char *name, const config_place *place, const sottod_front *front)
{
    bool six = strchr(place->address, ':') != NULL;
    printf("%-6s http://%s%s%s:%u\n", name, six ? "[" : "", place->address, six ? "]" : "",
           (unsigned)front_port(front));
}

/* A new token is shown once, and to a person only: what is not a terminal may be a log. */
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

static void run(parts *server, const sottod_config *config, int signals)
{
    print_place("public", &config->listen, server->public_front);
    print_place("admin", &config->admin, server->admin_front);
    print_token(server->admin_port);
    fflush(stdout);
    const log_value values[] = {{"experiments", NULL, experiments_count(server->experiments)},
                                {"last_row", NULL, journal_last(server->journal)},
                                {NULL, NULL, 0}};
    log_write(server->log, LOG_INFO, "started", values);
    sottod_loop loop = {.service = &server->service,
                        .public_port = server->public_port,
                        .public_front = server->public_front,
                        .admin_front = server->admin_front,
                        .signals = signals};
    loop_run(&loop);
}

/* What is durable stays so whether or not this works: it makes the next start quicker. */
static bool keep(parts *server)
{
    if (epochs_keep(server->experiments)) return true;
    put_sentence(journal_fault(server->journal));
    return false;
}

static void close_all(parts *server)
{
    folder_stop(server->folder);
    front_close(server->admin_front);
    front_close(server->public_front);
    api_admin_free(server->admin_port);
    api_public_free(server->public_port);
    intake_free(server->intake);
    experiments_free(server->experiments);
    journal_close(server->journal);
    log_free(server->log);
}

/* As many files as the system lets us have: each connection is one. With fewer than connections-max wants, fewer
 * connections are taken: the last files would go to clients that say nothing, and the admin port and the journal would
 * have none. */
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
                 "the system lets this process have %llu files (ulimit -n): at least %u are needed",
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

int serve(const sottod_config *wanted)
{
    sottod_config own = *wanted, *config = &own;
    parts server = {.log = log_new(STDERR_FILENO, config->log_level)};
    int signals = signals_open();
    bool fine = signals >= 0 && fit_files(server.log, config) && open_data(&server, config) &&
                open_ports(&server, config) && open_folder(&server, config);
    if (fine) {
        run(&server, config, signals);
        fine = keep(&server);
        log_write(server.log, LOG_INFO, "stopped", NULL);
    }
    close_all(&server);
    if (signals >= 0) close(signals);
    return fine ? 0 : 1;
}
