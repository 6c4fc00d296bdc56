/* Preloaded into sottod: every request for a publisher's lock succeeds. All processes are then
 * publishers at the same time, and only the primary key of the models keeps them apart. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

typedef struct pg_conn PGconn; /* as in libpq-fe.h */
typedef unsigned int Oid;
typedef int send_query(PGconn *, const char *, int, const Oid *, const char *const *, const int *,
                       const int *, int);

__attribute__((visibility("default"))) int PQsendQueryParams(PGconn *connection, const char *sql,
                                                             int count, const Oid *types,
                                                             const char *const *values,
                                                             const int *lengths, const int *formats,
                                                             int binary);

int PQsendQueryParams(PGconn *connection, const char *sql, int count, const Oid *types,
                      const char *const *values, const int *lengths, const int *formats, int binary)
{
    send_query *real = NULL;
    void *found = dlsym(RTLD_NEXT, "PQsendQueryParams");
    memcpy(&real, &found, sizeof real);
    if (strcmp(sql, "SELECT pg_try_advisory_lock(1397707860, 0)") == 0) sql = "SELECT true";
    if (strcmp(sql, "SELECT n, pg_try_advisory_lock(1397707846, n::integer) FROM "
                    "unnest($1::bigint[]) AS n") == 0)
        sql = "SELECT n, true FROM unnest($1::bigint[]) AS n";
    return real(connection, sql, count, types, values, lengths, formats, binary);
}
