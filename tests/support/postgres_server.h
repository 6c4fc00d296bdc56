/*
 * A server of PostgreSQL for one test program: a fresh one, in a directory of its own, reached by a socket in that
 * directory alone. It ends, and the directory goes, with the program, however that ends. The cluster is copied from one
 * that is made once and kept in the build tree.
 */
#ifndef SOTTO_POSTGRES_SERVER_H
#define SOTTO_POSTGRES_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct postgres_server {
    char directory[128]; /* of the cluster and of the socket */
    char url[256];       /* of the database `postgres`, as its superuser */
    pid_t pid;           /* 0: it does not run */
    int keeper;          /* a pipe: its end tells a process of its own to clean up */
} postgres_server;

/* False if the programs of the server are not on this machine: then a sentence is printed. */
bool postgres_server_is_there(void);

/* Ends the program with a sentence if it cannot be done. `setting`: one more, "fsync=off", or NULL. */
void postgres_server_start(postgres_server *server, const char *setting);
void postgres_server_stop(postgres_server *server);

/* SIGKILL for all its processes at once. */
void postgres_server_kill(postgres_server *server);
/* After it was killed. */
void postgres_server_again(postgres_server *server, const char *setting);
/* All of its processes stand still, or go on. */
void postgres_server_freeze(const postgres_server *server, bool frozen);

#endif
