/*
 * An outside program. Its standard input is a socket rather than a pipe, because MSG_NOSIGNAL then
 * prevents SIGPIPE when the program has exited, without changing how this process handles signals.
 */
#include "inner.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0) close(pair[i]);
    }
}

/* Makes `fd` the program's standard input or output. */
static void place(int fd, int target)
{
    if (fd == target) {
        fcntl(fd, F_SETFD, 0);
    } else {
        dup2(fd, target);
    }
}

/* Runs in the child between fork and exec, so it may only call what a signal handler may. */
static _Noreturn void become(const char *command, int in, int out)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* its group gets no Ctrl-C meant for the audit */
    place(in, STDIN_FILENO);
    place(out, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static bool set_up(const int in[2], const int out[2])
{
    const int ends[] = {in[0], in[1], out[0], out[1]};
    for (int i = 0; i < 4; i++) {
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0) return false;
    }
    return fcntl(in[1], F_SETFL, O_NONBLOCK) == 0 && fcntl(out[0], F_SETFL, O_NONBLOCK) == 0;
}

sotto_status sotto__outside_start(const char *command, sotto__outside *out)
{
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    *out = (sotto__outside){.pid = -1, .in = -1, .out = -1};
    bool ready = socketpair(AF_UNIX, SOCK_STREAM, 0, to) == 0 && pipe(from) == 0;
    ready = ready && set_up(to, from);
    pid_t pid = ready ? fork() : -1;
    if (pid < 0) {
        close_pair(to);
        close_pair(from);
        return SOTTO_E_MEMORY;
    }
    if (pid == 0) become(command, to[0], from[1]);
    setpgid(pid, pid); /* parent and child both set it, because either may run first */
    close(to[0]);
    close(from[1]);
    *out = (sotto__outside){.pid = pid, .in = to[1], .out = from[0]};
    return SOTTO_OK;
}

bool sotto__outside_send(sotto__outside *program, const char *bytes, size_t count, size_t *sent)
{
    *sent = 0;
    ssize_t got = send(program->in, bytes, count, MSG_NOSIGNAL);
    if (got >= 0) *sent = (size_t)got;
    return got >= 0 || errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

void sotto__outside_close(sotto__outside *program)
{
    if (program->in >= 0) close(program->in);
    program->in = -1;
}

bool sotto__outside_receive(sotto__outside *program, char *bytes, size_t capacity, size_t *got)
{
    *got = 0;
    ssize_t count = read(program->out, bytes, capacity);
    if (count > 0) *got = (size_t)count;
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

bool sotto__outside_wait(const sotto__outside *program, bool to_write, double timeout_s)
{
    struct pollfd ends[2] = {{.fd = program->out, .events = POLLIN},
                             {.fd = program->in, .events = POLLOUT}};
    int wait_ms = timeout_s > 0 ? (int)ceil(fmin(timeout_s, 1e6) * 1000) : 0;
    int ready = poll(ends, to_write ? 2 : 1, wait_ms);
    return ready > 0 || (ready < 0 && errno == EINTR);
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

int sotto__outside_end(sotto__outside *program, double timeout_s)
{
    const struct timespec pause = {.tv_sec = 0, .tv_nsec = 5000000};
    int status = 0;
    for (double waited_s = 0; waited_s < timeout_s && !has_ended(program->pid); waited_s += 0.005) {
        nanosleep(&pause, NULL);
    }
    /* The program is not reaped yet, so its process group number cannot have been reused. */
    kill(-program->pid, SIGKILL);
    kill(program->pid, SIGKILL);
    while (waitpid(program->pid, &status, 0) < 0 && errno == EINTR) {
    }
    sotto__outside_close(program);
    close(program->out);
    return status;
}
