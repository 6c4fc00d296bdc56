/* Child processes in which plug-ins run. */
#include "plugin.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void sotto__child_begin(void)
{
    const int crash[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof crash / sizeof crash[0]; i++) {
        signal(crash[i], SIG_DFL);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

bool sotto__child_send(int pipe, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t sent = write(pipe, at, bytes);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return false;
        at += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

sotto_status sotto__child_fault(const char *who, int end, sotto_fault *fault)
{
    if (WIFEXITED(end)) {
        return sotto__refuse(fault, "%.300s: ended the process with status %d", who,
                             WEXITSTATUS(end));
    }
    return sotto__refuse(fault, "%.300s: crashed with signal %d (%s)", who, WTERMSIG(end),
                         strsignal(WTERMSIG(end)));
}
