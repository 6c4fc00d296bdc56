#include "inner.h"

#include <stdio.h>
#include <string.h>

/* A publisher that hangs while its machine runs would keep the lock from all others. So the server ends its session
 * after a minute without a query; a working publisher sends one at least every ten seconds. A gateway may have
 * nothing to send. */
#define PUBLISHER_IDLE_MS 60000u

/* If a machine loses power, its locks remain until the server notices: after 5 + 3 * 2 seconds. */
static const char *const sets[] = {
    "SET default_transaction_isolation = 'read committed'",
    "SET search_path = sotto",
    "SET client_min_messages = error",
    "SET idle_in_transaction_session_timeout = '10s'",
    "SET jit = off", /* on tables without statistics, compiling took longer than our queries */
    "SET tcp_keepalives_idle = 5",
    "SET tcp_keepalives_interval = 2",
    "SET tcp_keepalives_count = 3",
    "SET tcp_user_timeout = 11000",
    /* The current value: an administrator's change applies to later connections. */
    "SELECT set_config('synchronous_commit', current_setting('synchronous_commit'), false)",
};

#define ASK_SETTINGS                                                                               \
    "SELECT current_setting('fsync'), current_setting('full_page_writes'), "                       \
    "current_setting('synchronous_commit'), current_setting('transaction_read_only'), "            \
    "current_setting('server_encoding')"

static bool take_settings(void *self, int question, const PGresult *result)
{
    static const char *const names[] = {"fsync", "full_page_writes", "synchronous_commit"};
    const char *text;
    (void)question;
    for (int i = 0; i < 3; i++) {
        if (!postgres__column_text(result, 0, i, &text) || strcmp(text, "off") != 0) continue;
        return postgres__refuse(
            self, "the server has %s = off and could lose acknowledged reports: set it to on",
            names[i]);
    }
    if (postgres__column_text(result, 0, 3, &text) && strcmp(text, "on") == 0)
        return postgres__refuse(
            self,
            "the server is read-only (a standby, or read-only transactions): use the primary");
    if (!postgres__column_text(result, 0, 4, &text) || strcmp(text, "UTF8") == 0 ||
        strcmp(text, "SQL_ASCII") == 0)
        return true;
    return postgres__refuse(self,
                            "the database has encoding %s, which cannot store all labels: make one "
                            "with ENCODING 'UTF8'",
                            text);
}

bool postgres__keeps(postgres_connection *connection)
{
    return postgres__ask(connection, ASK_SETTINGS, NULL, 0, take_settings, connection);
}

/* If a connection gives up a statement, the server continues it, and its session counts towards max_connections until
 * it ends. So for a gateway the server cancels the statement as well. A publisher's reading may take long, but the
 * server cancels its wait for a lock soon after the connection gave up; otherwise each attempt would leave a waiting
 * session behind. */
static bool set_up(postgres_connection *connection, bool is_gateway)
{
    char statement_timeout[64], lock_timeout[64], idle_timeout[64];
    snprintf(statement_timeout, sizeof statement_timeout, "SET statement_timeout = %u",
             is_gateway ? connection->timeout_ms : 0);
    snprintf(lock_timeout, sizeof lock_timeout, "SET lock_timeout = %u",
             is_gateway ? 0 : 2 * connection->timeout_ms);
    snprintf(idle_timeout, sizeof idle_timeout, "SET idle_session_timeout = %u",
             is_gateway ? 0 : PUBLISHER_IDLE_MS);
    if (!postgres__keeps(connection)) return false;
    bool queued = postgres__queue(connection, statement_timeout, NULL, 0) &&
                  postgres__queue(connection, lock_timeout, NULL, 0) &&
                  postgres__queue(connection, idle_timeout, NULL, 0);
    for (size_t i = 0; queued && i < sizeof sets / sizeof sets[0]; i++) {
        queued = postgres__queue(connection, sets[i], NULL, 0);
    }
    return queued && postgres__run(connection, NULL, NULL) && postgres__tables(connection) &&
           postgres__ask(connection, "LISTEN " POSTGRES_CHANNEL, NULL, 0, NULL, NULL);
}

bool postgres__session(postgres_connection *connection, bool is_gateway, bool *is_new)
{
    *is_new = connection->pg == NULL;
    if (!postgres__connect(connection)) return false;
    if (!*is_new || set_up(connection, is_gateway)) return true;
    postgres__drop(connection);
    return false;
}

static bool take_bytes(void *self, int question, const PGresult *result)
{
    (void)question;
    return postgres__column_u64(result, 0, 0, self);
}

bool postgres__database_bytes(postgres_connection *connection, uint32_t limit_ms, uint64_t *bytes)
{
    char limit[64];
    snprintf(limit, sizeof limit, "SET LOCAL statement_timeout = %u", limit_ms);
    return postgres__queue(connection, "BEGIN", NULL, 0) &&
           postgres__queue(connection, limit, NULL, 0) &&
           postgres__queue(connection, "SELECT pg_database_size(current_database())", NULL, 0) &&
           postgres__ask(connection, "COMMIT", NULL, 0, take_bytes, bytes);
}
