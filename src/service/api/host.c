/* Host and Origin. */
#include "inner.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The parts of "name", "name:port" or "[::1]:port". */
typedef struct host_parts {
    char name[256];
    char port[8]; /* empty: none */
} host_parts;

static bool split(const char *host, host_parts *out)
{
    size_t bytes = strlen(host);
    const char *colon = host[0] == '[' ? strchr(host, ']') : strchr(host, ':');
    if (host[0] == '[') {
        if (colon == NULL || (colon[1] != '\0' && colon[1] != ':')) return false;
        colon = colon[1] == ':' ? colon + 1 : NULL;
    }
    size_t name_bytes = colon != NULL ? (size_t)(colon - host) : bytes;
    if (name_bytes == 0 || name_bytes >= sizeof out->name) return false;
    memcpy(out->name, host, name_bytes);
    out->name[name_bytes] = '\0';
    out->port[0] = '\0';
    if (colon == NULL) return true;
    size_t port_bytes = strlen(colon + 1);
    if (port_bytes == 0 || port_bytes > 5 || strspn(colon + 1, "0123456789") != port_bytes) {
        return false;
    }
    memcpy(out->port, colon + 1, port_bytes + 1);
    return true;
}

/* True for an address, not a name: "10.0.0.1", "[::1]". */
static bool is_address(const char *name)
{
    unsigned char bytes[16];
    char inner[64];
    size_t length = strlen(name);
    if (name[0] != '[') return inet_pton(AF_INET, name, bytes) == 1;
    if (length < 3 || length - 2 >= sizeof inner) return false;
    memcpy(inner, name + 1, length - 2);
    inner[length - 2] = '\0';
    return inet_pton(AF_INET6, inner, bytes) == 1;
}

static bool is_own(const host_rule *rule, const host_parts *host)
{
    char port[8], bracketed[80];
    const char *address = rule->address != NULL ? rule->address : "127.0.0.1";
    snprintf(port, sizeof port, "%u", rule->port);
    if (strcmp(host->port[0] != '\0' ? host->port : "80", port) != 0) return false;
    if (strcasecmp(host->name, "localhost") == 0) return true;
    if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0) {
        return is_address(host->name);
    }
    snprintf(bracketed, sizeof bracketed, "[%s]", address);
    return strcasecmp(host->name, address) == 0 || strcasecmp(host->name, bracketed) == 0;
}

/* Whether this is one of the other names. */
static bool is_named(const host_rule *rule, const char *host, const host_parts *parts)
{
    static const char between[] = ", \t";
    const char *at = rule->names != NULL ? rule->names : "";
    for (at += strspn(at, between); *at != '\0'; at += strspn(at, between)) {
        size_t bytes = strcspn(at, between);
        if (bytes == strlen(parts->name) && strncasecmp(at, parts->name, bytes) == 0) return true;
        if (bytes == strlen(host) && strncasecmp(at, host, bytes) == 0) return true;
        at += bytes;
    }
    return false;
}

/* http or https followed by the value of Host: the page came from here. */
static bool is_same_place(const char *origin, const char *host)
{
    size_t scheme = strncmp(origin, "https://", 8) == 0  ? 8
                    : strncmp(origin, "http://", 7) == 0 ? 7
                                                         : 0;
    return scheme > 0 && strcasecmp(origin + scheme, host) == 0;
}

bool host_allows(const host_rule *rule, const char *host, const char *origin, sottod_refusal *why)
{
    static const char allowed[] =
        "the address and port that the admin port listens on, localhost, or a name of admin_hosts";
    host_parts parts;
    if (host == NULL)
        return refusal_set(why, 400, "The request has no Host header.", "Host", NULL, allowed);
    if (!split(host, &parts) || (!is_own(rule, &parts) && !is_named(rule, host, &parts)))
        return refusal_set(why, 403, "The admin port does not answer for this host.", "Host", host,
                           allowed);
    if (origin != NULL && !is_same_place(origin, host))
        return refusal_set(why, 403, "The request comes from a page of another origin.", "Origin",
                           origin, "none, or http:// or https:// and the value of Host");
    return true;
}
