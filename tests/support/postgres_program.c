/*
 * A server of PostgreSQL for tests in other languages. Prints the URL of its database, then reads
 * lines: `kill` (SIGKILL for all its processes), `start`, `freeze`, `thaw`, and answers each with
 * `done`. When its input ends, it ends and removes its files. Exit 77: there is no server on this
 * machine.
 */
#include "postgres_server.h"

#include <stdio.h>
#include <string.h>

int main(int count, char **words)
{
    char line[80];
    postgres_server server;
    const char *setting = count > 1 ? words[1] : NULL;
    if (!postgres_server_is_there()) return 77;
    postgres_server_start(&server, setting);
    printf("%s\n", server.url);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strcmp(line, "kill\n") == 0) postgres_server_kill(&server);
        if (strcmp(line, "start\n") == 0) postgres_server_again(&server, setting);
        if (strcmp(line, "freeze\n") == 0) postgres_server_freeze(&server, true);
        if (strcmp(line, "thaw\n") == 0) postgres_server_freeze(&server, false);
        printf("done\n");
        fflush(stdout);
    }
    postgres_server_stop(&server);
    return 0;
}
