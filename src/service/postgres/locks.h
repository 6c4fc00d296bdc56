/* Advisory locks of the database: two numbers each. They end with the connection, or the transaction (XACT). */
#ifndef SERVICE_POSTGRES_LOCKS_H
#define SERVICE_POSTGRES_LOCKS_H

/* "SOTT" as a number: the folder (0), and the making of tables (1). */
#define POSTGRES_LOCKS "1397707860"
/* "SOTG": a gateway, by its number. */
#define POSTGRES_GATEWAY_LOCKS "1397707847"

#define POSTGRES_LOCK_TABLES "SELECT pg_advisory_xact_lock(" POSTGRES_LOCKS ", 1)"
#define POSTGRES_TRY_FOLDER "SELECT pg_try_advisory_lock(" POSTGRES_LOCKS ", 0)"

/* On which connections tell each other that experiments, states or models changed. */
#define POSTGRES_CHANNEL "sotto_changed"

#endif
