#include "postgres_server.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define START_MS_MAX 60000
#define AGAIN_MAX 50

static void __attribute__((noreturn, format(printf, 1, 2))) give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

/* ---- the programs ------------------------------------------------------------------------- */

/* Debian installs them outside PATH, in one directory per version. The newest version is taken. */
static bool find_program(const char *name, char path[256])
{
    glob_t found;
    char pattern[256];
    snprintf(pattern, sizeof pattern, "/usr/lib/postgresql/*/bin/%s", name);
    bool there = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0;
    if (there) snprintf(path, 256, "%s", found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
    if (there) return true;
    snprintf(path, 256, "/usr/bin/%s", name);
    return access(path, X_OK) == 0;
}

bool postgres_server_is_there(void)
{
    char path[256];
    bool there = find_program("initdb", path) && find_program("postgres", path);
    if (!there) printf("skipped: there is no server of PostgreSQL here (postgresql-15)\n");
    return there;
}

/* The server refuses to run as root. */
static const struct passwd *server_user(void)
{
    if (getuid() != 0) return NULL;
    const struct passwd *user = getpwnam("postgres");
    if (user == NULL) give_up("the server does not run as root, and there is no user postgres");
    return user;
}

/* Becomes the user of the server, and ends when the program that started it ends. */
static void become_server(const struct passwd *user, pid_t parent, int signal_number)
{
    if (user != NULL && (setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)) _exit(126);
    prctl(PR_SET_PDEATHSIG, signal_number);
    if (getppid() != parent) _exit(125);
}

/* Runs a program to its end; shows its output only if it fails. */
static void run(const struct passwd *user, char *const words[])
{
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        become_server(user, parent, SIGKILL);
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        execv(words[0], words);
        _exit(127);
    }
    int status = 1;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        give_up("%s failed with %d", words[0], status);
}

/* ---- the cluster -------------------------------------------------------------------------- */

static void make_directory(char path[128], const struct passwd *user)
{
    const char *base = getenv("TMPDIR");
    if (base == NULL) base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, 128, "%s/sotto-pg-XXXXXX", base);
    if (mkdtemp(path) == NULL) give_up("%s: no directory can be made", path);
    if (user != NULL && chown(path, user->pw_uid, user->pw_gid) != 0)
        give_up("%s cannot be given away", path);
}

static void copy(const char *from, const char *to)
{
    char source[300], target[300];
    char *words[] = {"/bin/cp", "-rp", source, target, NULL};
    snprintf(source, sizeof source, "%s", from);
    snprintf(target, sizeof target, "%s", to);
    run(NULL, words);
}

static void remove_tree(const char *path)
{
    char target[300];
    char *words[] = {"/bin/rm", "-rf", target, NULL};
    snprintf(target, sizeof target, "%s", path);
    run(NULL, words);
}

/* A small cluster with small segments of log. If two programs make one at the same time, the first
 * one's is kept. */
static void make_template(const struct passwd *user)
{
    char directory[128], data[160], initdb[256], made[300];
    make_directory(directory, user);
    snprintf(data, sizeof data, "%s/data", directory);
    find_program("initdb", initdb);
    char *words[] = {initdb, "-D",    data, "-U",   "postgres",    "--wal-segsize=1",
                     "-A",   "trust", "-E", "UTF8", "--no-locale", "--no-sync",
                     NULL};
    run(user, words);
    snprintf(made, sizeof made, "%s.%ld", POSTGRES_TEMPLATE, (long)getpid());
    copy(data, made);
    if (rename(made, POSTGRES_TEMPLATE) != 0) remove_tree(made);
    remove_tree(directory);
}

/* Waits for the end of the program, then removes what is left. */
static int start_keeper(const char *directory)
{
    int ends[2];
    if (pipe(ends) != 0) give_up("no pipe");
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    if (pid < 0) give_up("no process for cleaning up");
    if (pid == 0) {
        char byte;
        close(ends[1]);
        setsid();
        signal(SIGINT, SIG_IGN);
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, 0);
        dup2(nowhere, 1); /* or readers of our output would wait for this */
        dup2(nowhere, 2);
        while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {
        }
        execl("/bin/sh", "sh", "-c",
              "p=$(head -n 1 \"$0/data/postmaster.pid\" 2>/dev/null) && kill -QUIT \"$p\" "
              "2>/dev/null; "
              "i=0; while [ -e \"$0/data/postmaster.pid\" ] && kill -0 \"$p\" 2>/dev/null && [ $i "
              "-lt 100 ]; "
              "do sleep 0.05; i=$((i + 1)); done; rm -rf \"$0\"",
              directory, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    return ends[1];
}

/* ---- the server --------------------------------------------------------------------------- */

/* False if the server ended instead. */
static bool await_server(const postgres_server *server, int *status)
{
    for (int waited_ms = 0; waited_ms < START_MS_MAX; waited_ms += 10) {
        if (PQping(server->url) == PQPING_OK) return true;
        if (waitpid(server->pid, status, WNOHANG) == server->pid) return false;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    give_up("the server of PostgreSQL does not start");
}

static bool launch(postgres_server *server, const char *setting, int *status)
{
    char program[256], data[160], sockets[180], more[200], log[180];
    const struct passwd *user = server_user();
    find_program("postgres", program);
    snprintf(data, sizeof data, "%s/data", server->directory);
    snprintf(log, sizeof log, "%s/log", server->directory);
    snprintf(sockets, sizeof sockets, "unix_socket_directories=%s", server->directory);
    snprintf(more, sizeof more, "%s", setting == NULL ? "log_min_messages=warning" : setting);
    char *words[] = {program,
                     "-D",
                     data,
                     "-c",
                     "listen_addresses=",
                     "-c",
                     sockets,
                     "-c",
                     "shared_buffers=16MB",
                     "-c",
                     "max_connections=40",
                     "-c",
                     "superuser_reserved_connections=3",
                     "-c",
                     "autovacuum=off",
                     "-c",
                     "max_wal_size=64MB",
                     "-c",
                     more,
                     NULL};
    pid_t parent = getpid();
    server->pid = fork();
    if (server->pid < 0) give_up("no process for the server");
    if (server->pid == 0) {
        become_server(user, parent, SIGQUIT);
        int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
        dup2(out, 1);
        dup2(out, 2);
        execv(program, words);
        _exit(127);
    }
    return await_server(server, status);
}

void postgres_server_start(postgres_server *server, const char *setting)
{
    int status = 0;
    char data[160];
    const struct passwd *user = server_user();
    if (access(POSTGRES_TEMPLATE, F_OK) != 0) make_template(user);
    make_directory(server->directory, user);
    server->keeper = start_keeper(server->directory);
    snprintf(data, sizeof data, "%s/data", server->directory);
    copy(POSTGRES_TEMPLATE, data);
    snprintf(server->url, sizeof server->url, "postgresql:///postgres?host=%s&user=postgres",
             server->directory);
    if (!launch(server, setting, &status))
        give_up("the server of PostgreSQL ended with %d", status);
}

/* Killed processes may need a moment to end, and until then the server refuses to start. */
void postgres_server_again(postgres_server *server, const char *setting)
{
    int status = 0;
    for (int tries = 0; tries < AGAIN_MAX; tries++) {
        if (launch(server, setting, &status)) return;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    give_up("the server of PostgreSQL ended with %d, %d times", status, AGAIN_MAX);
}

/* The children first, then the server: so none can notice that another one is gone. */
static void tell_all(const postgres_server *server, int signal_number)
{
    char path[80];
    long child;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)server->pid,
             (long)server->pid);
    kill(server->pid, SIGSTOP); /* so that it starts no new children */
    FILE *children = fopen(path, "r");
    while (children != NULL && fscanf(children, "%ld", &child) == 1) {
        kill((pid_t)child, signal_number);
    }
    if (children != NULL) fclose(children);
    kill(server->pid, signal_number);
}

void postgres_server_kill(postgres_server *server)
{
    tell_all(server, SIGKILL);
    waitpid(server->pid, NULL, 0);
    server->pid = 0;
}

void postgres_server_freeze(const postgres_server *server, bool frozen)
{
    tell_all(server, frozen ? SIGSTOP : SIGCONT);
}

void postgres_server_stop(postgres_server *server)
{
    if (server->pid > 0) {
        kill(server->pid, SIGQUIT);
        waitpid(server->pid, NULL, 0);
    }
    server->pid = 0;
    remove_tree(server->directory);
    close(server->keeper);
}
