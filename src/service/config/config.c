/* The settings of sottod. Every value is printed as one line that reads back as the same value. */
#include "config.h"
#include "core/core.h"
#include "text/text.h"

#include <sotto/server.h>

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

/* ==== values ================================================================================= */

/* ---- texts -------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Whether a line of a file can hold the text: there, # begins a comment, and blanks at both ends are ignored. */
static bool fits_line(const char *text)
{
    size_t length = strlen(text);
    if (length == 0 || length >= CONFIG_TEXT_BYTES) return false;
    if (is_blank(text[0]) || is_blank(text[length - 1])) return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '#' && (i == 0 || is_blank(text[i - 1]))) return false;
    }
    return sotto__is_printable(text);
}

static bool read_path(const char *text, void *field)
{
    if (!fits_line(text)) return false;
    memcpy(field, text, strlen(text) + 1);
    return true;
}

/* Accepts nothing, or a URL as libpq reads it. */
static bool read_url(const char *text, void *field)
{
    static const char *const scheme[] = {"postgresql://", "postgres://"};
    bool ours = text[0] == '\0';
    for (int i = 0; i < 2; i++) {
        ours = ours || strncmp(text, scheme[i], strlen(scheme[i])) == 0;
    }
    if (!ours || (text[0] != '\0' && !fits_line(text))) return false;
    memcpy(field, text, strlen(text) + 1);
    return true;
}

static char *last_of(char *text, size_t length, char c)
{
    while (length > 0) {
        if (text[--length] == c) return text + length;
    }
    return NULL;
}

/* postgresql://user:password@host/name?password=password: removes what follows the first colon in the user's part,
 * and the value of each parameter whose name ends in `password`. */
void config_hide_password(const char *url, char out[CONFIG_TEXT_BYTES])
{
    static const char word[] = "password=";
    snprintf(out, CONFIG_TEXT_BYTES, "%s", url);
    char *authority = strstr(out, "://");
    if (authority == NULL) return;
    authority += 3;
    size_t before = strcspn(authority, "?");
    char *at = last_of(authority, before, '@');
    char *colon = at == NULL ? NULL : memchr(authority, ':', (size_t)(at - authority));
    if (colon != NULL) memmove(colon, at, strlen(at) + 1);
    char *query = strchr(authority, '?');
    while (query != NULL && (query = strstr(query, word)) != NULL) {
        query += sizeof word - 1;
        memmove(query, query + strcspn(query, "&"), strlen(query + strcspn(query, "&")) + 1);
    }
}

static void print_url(const void *field, char out[CONFIG_TEXT_BYTES])
{
    config_hide_password(field, out);
}

/* Accepts names separated by commas, none of them empty; or nothing at all. */
static bool read_hosts(const char *text, void *field)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  ".-_:[],";
    size_t length = strlen(text);
    if (length >= CONFIG_TEXT_BYTES || strspn(text, letters) != length) return false;
    if (text[0] == ',' || strstr(text, ",,") != NULL) return false;
    if (length > 0 && text[length - 1] == ',') return false;
    memcpy(field, text, length + 1);
    return true;
}

static void print_text(const void *field, char out[CONFIG_TEXT_BYTES])
{
    snprintf(out, CONFIG_TEXT_BYTES, "%s", (const char *)field);
}

/* ---- places ------------------------------------------------------------------------------- */

/* Accepts "127.0.0.1:8787" or "[::1]:8787"; stores the address in the system's spelling, so that each has one. */
static bool read_place(const char *text, void *field)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL) return false;
    size_t length = (size_t)(colon - text);
    bool six = length >= 2 && text[0] == '[' && colon[-1] == ']';
    if (six) {
        text++;
        length -= 2;
    }
    config_place place = {.port = 0};
    char address[sizeof place.address];
    if (length >= sizeof address) return false;
    memcpy(address, text, length);
    address[length] = '\0';

    unsigned char binary[16];
    uint64_t port;
    int family = six ? AF_INET6 : AF_INET;
    if (inet_pton(family, address, binary) != 1) return false;
    if (inet_ntop(family, binary, place.address, sizeof place.address) == NULL) return false;
    if (colon[1 + strspn(colon + 1, "0123456789")] != '\0') return false;
    if (!word_whole(colon + 1, &port) || port > UINT16_MAX) return false;
    place.port = (uint16_t)port; /* at most UINT16_MAX */
    *(config_place *)field = place;
    return true;
}

static void print_place(const void *field, char out[CONFIG_TEXT_BYTES])
{
    const config_place *place = field;
    bool six = strchr(place->address, ':') != NULL;
    snprintf(out, CONFIG_TEXT_BYTES, six ? "[%s]:%u" : "%s:%u", place->address, place->port);
}

/* ---- kinds -------------------------------------------------------------------------------- */

#define PATH_ALLOWED "at most 1023 bytes, no control characters, no ' #'"

static const option_value path_value = {
    .word = "PATH", .allowed = PATH_ALLOWED, .read = read_path, .print = print_text};
static const option_value directory_value = {
    .word = "PATH",
    .allowed = PATH_ALLOWED,
    .usual = "$XDG_STATE_HOME/sotto, or $HOME/.local/state/sotto",
    .read = read_path,
    .print = print_text};
static const option_value url_value = {.word = "URL",
                                       .allowed = "postgresql://USER@HOST:PORT/NAME, or nothing",
                                       .hidden = true,
                                       .read = read_url,
                                       .print = print_url};
static const option_value hosts_value = {
    .word = "NAMES",
    .allowed = "names with commas between, such as sotto.example,[::1]:8788",
    .read = read_hosts,
    .print = print_text};
static const option_value place_value = {
    .word = "ADDR:PORT",
    .allowed = "IP:PORT, such as 127.0.0.1:8787 or [::1]:8787; port 0: any",
    .read = read_place,
    .print = print_place};

static const char *level_name(uint32_t value)
{
    return log_level_name((log_level)value);
}

static const char *addresses_name(uint32_t value)
{
    static const char *const name[] = {[CONFIG_ADDRESSES_AUTO] = "auto",
                                       [CONFIG_ADDRESSES_ON] = "on",
                                       [CONFIG_ADDRESSES_OFF] = "off"};
    return value < sizeof name / sizeof *name ? name[value] : NULL;
}

/* ==== table ================================================================================== */

#define FIELD(member) FIELD_FROM(member, OPTION_ANYWHERE)
#define FIELD_FROM(member, sources) OPTION_SETTING(sottod_config, member, sources)
#define NOT_IN_FILE ((uint32_t)OPTION_FROM_VARIABLE | OPTION_FROM_LINE)
#define FLAG_ONLY OPTION_FROM_LINE
#define TEXT(usual, value) OPTION_VALUE(usual, &value, OPTION_TAKES_TEXT)
#define PATH(value) OPTION_VALUE(NULL, &value, OPTION_TAKES_FILE)
#define SWITCH(usual) OPTION_TEXT(usual)
#define NUMBER OPTION_NUMBER
#define NAME OPTION_NAME

/* Groups of settings. */
#define STORED "data directory and database"
#define PORTS "ports"
#define REPORTS "reports and log"
#define LIMITS "limits of the public port"
#define ADDRESS "limits of one address"
#define WORK "experiments"
#define OTHER "other options"

const option config_table[] = {
    {"data", FIELD(data), PATH(directory_value), STORED,
     "Directory of the journal and the tokens; created if missing."},
    {"journal", FIELD(journal), TEXT("", url_value), STORED,
     "Database shared by several machines; none: the data directory."},
    {"publish", FIELD(publish), SWITCH("yes"), STORED,
     "Whether this process may publish for all that share the database."},
    {"recover-to", FIELD_FROM(recover_to, FLAG_ONLY), NUMBER(NULL, 1, 0x1p53), STORED,
     "After damage: discard all rows of the journal after this one."},
    {"listen", FIELD(listen), TEXT("127.0.0.1:8787", place_value), PORTS,
     "Public port, for devices."},
    {"admin", FIELD(admin), TEXT("127.0.0.1:8788", place_value), PORTS,
     "Admin port, for owners of experiments."},
    {"admin-exposed", FIELD(admin_exposed), SWITCH("no"), PORTS,
     "Allow an --admin address that other machines can reach."},
    {"admin-hosts", FIELD(admin_hosts), TEXT("", hosts_value), PORTS,
     "Other names of the admin port, as browsers send them in Host."},
    {"keep-reports", FIELD(keep_reports), SWITCH("no"), REPORTS,
     "Keep all reports forever, for research."},
    {"log-level", FIELD(log_level), NAME("info", level_name), REPORTS,
     "Least severe level that is logged."},
    {"connections-max", FIELD(connections_max), NUMBER("16000", 1, 1000000), LIMITS,
     "Concurrent connections of the public port."},
    {"idle-s-max", FIELD(idle_s_max), NUMBER("30", 1, 3600), LIMITS,
     "Seconds after which a silent connection is closed."},
    {"bodies-mib-max", FIELD(bodies_mib_max), NUMBER("256", 4, 1048576), LIMITS,
     "Memory for request bodies, in MiB."},
    {"head-s-max", FIELD(head_s_max), NUMBER("10", 1, 3600), LIMITS,
     "Seconds for the head of a request."},
    {"rate-min", FIELD(rate_min), NUMBER("1024", 0, 1000000000), LIMITS,
     "Bytes per second of bodies sent and answers read; 0: any."},
    {"per-address", FIELD(per_address), NAME("auto", addresses_name), ADDRESS,
     "Addresses that have the limits below; auto: all but private ones."},
    {"address-connections-max", FIELD(address_connections_max), NUMBER("1000", 1, 1000000), ADDRESS,
     "Concurrent connections per address."},
    {"address-requests-max", FIELD(address_requests_max), NUMBER("1000", 1, 1000000), ADDRESS,
     "Requests and new connections per second and address."},
    {"address-mib-max", FIELD(address_mib_max), NUMBER("16", 1, 1048576), ADDRESS,
     "MiB of bodies per second and address."},
    {"experiments-max", FIELD(experiments_max), NUMBER("10000", 1, 100000), WORK,
     "Number of experiments."},
    {"nonces-max", FIELD(nonces_max), NUMBER("10000000", 1000, SOTTO_NONCES_MAX), WORK,
     "Reports of one experiment's open epochs; up to 32 bytes each."},
    {"threads", FIELD(threads), NUMBER("0", 0, 256), WORK,
     "Threads that fold reports; 0: one per core."},
    {"config", FIELD_FROM(config, NOT_IN_FILE), PATH(path_value), OTHER,
     "File of settings, one NAME = VALUE per line."},
    OPTION_END,
};

/* In a Kubernetes cluster with a service called sottod, every container has variables SOTTOD_PORT,
 * SOTTOD_SERVICE_HOST, SOTTOD_PORT_8787_TCP, … No setting begins like these. */
static bool is_of_cluster(const char *name)
{
    return strcmp(name, "port") == 0 || strncmp(name, "port-", 5) == 0 ||
           strncmp(name, "service-", 8) == 0;
}

const option_settings config_settings = {
    .program = "sottod", .prefix = "SOTTOD_", .table = config_table, .is_of_others = is_of_cluster};

/* ==== reading ================================================================================ */

/* Stays empty if the variables give no path; this is a fault only if no directory is set elsewhere. */
static void fill_directory(sottod_config *out)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char path[2 * CONFIG_TEXT_BYTES] = "/var/lib/sotto";
    /* the XDG standard says to ignore a relative path */
    if (state != NULL && state[0] == '/') {
        snprintf(path, sizeof path, "%s/sotto", state);
    } else if (home != NULL && home[0] == '/') {
        snprintf(path, sizeof path, "%s/.local/state/sotto", home);
    }
    (void)read_path(path, out->data);
}

/* 127.0.0.0/8 and ::1, also as ::ffff:127.0.0.1. */
static bool is_loopback(const char *address)
{
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, address, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
    if (inet_pton(AF_INET6, address, &six) != 1) return false;
    return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
}

/* Checks that concern several settings. */
static sotto_status check(const sottod_config *out, sotto_fault *fault)
{
    char place[CONFIG_TEXT_BYTES];
    if (out->data[0] == '\0') {
        return sotto__refuse(
            fault, "data: neither XDG_STATE_HOME nor HOME gives a usable path; set --data PATH");
    }
    bool same = strcmp(out->listen.address, out->admin.address) == 0;
    print_place(&out->admin, place);
    if (same && out->listen.port == out->admin.port && out->admin.port != 0) {
        return sotto__refuse(
            fault, "admin = %.80s: the same as listen; allowed two different addresses", place);
    }
    if (out->admin_exposed || is_loopback(out->admin.address)) return SOTTO_OK;
    return sotto__refuse(
        fault,
        "admin = %.80s: other machines could reach the port that can delete experiments, and "
        "tokens would travel unencrypted; allowed a loopback address, such as "
        "127.0.0.1:8788, or --admin-exposed where only a proxy with TLS reaches it",
        place);
}

sotto_status config_read(sottod_config *out, int arguments, char **argument, int *words,
                         sotto_fault *fault)
{
    const option_settings *self = &config_settings;
    sotto_status status;
    *words = 0;
    *out = (sottod_config){.recover_to = 0};
    settings_defaults(self, out);
    fill_directory(out);

    /* The file has the lowest priority, but flags may name it, so flags are read once beforehand. */
    sottod_config named = *out;
    status = settings_variables(self, &named, fault);
    if (status == SOTTO_OK) status = settings_line(self, &named, arguments, argument, NULL, fault);
    if (status == SOTTO_OK && named.config[0] != '\0')
        status = settings_file(self, out, named.config, fault);
    if (status == SOTTO_OK) status = settings_variables(self, out, fault);
    if (status == SOTTO_OK) status = settings_line(self, out, arguments, argument, words, fault);
    return status == SOTTO_OK ? check(out, fault) : status;
}
