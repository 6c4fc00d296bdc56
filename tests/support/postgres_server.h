/*
 * A server of PostgreSQL for one test program: in a temporary directory, reached only by a socket
 * in that directory. The server ends and the directory is removed when the program ends, for
 * whatever reason. The cluster is copied from one that is made once and kept in the build tree.
 */
#ifndef SOTTO_POSTGRES_SERVER_H
#define SOTTO_POSTGRES_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct postgres_server {
    char directory[128]; /* of the cluster and of the socket */
    char url[256];       /* of the database `postgres`, as its superuser */
    pid_t pid;           /* 0: it does not run */
    int keeper;          /* a pipe; when it closes, a separate process cleans up */
} postgres_server;

/* False, and prints a sentence, if the programs of the server are not on this machine. */
bool postgres_server_is_there(void);

/* Ends the program with a sentence on failure. `setting`: one more, such as "fsync=off", or
 * NULL. */
void postgres_server_start(postgres_server *server, const char *setting);
void postgres_server_stop(postgres_server *server);

/* SIGKILL for all its processes at once. */
void postgres_server_kill(postgres_server *server);
/* Starts it again after it was killed. */
void postgres_server_again(postgres_server *server, const char *setting);
/* Stops all of its processes, or continues them. */
void postgres_server_freeze(const postgres_server *server, bool frozen);

#endif
