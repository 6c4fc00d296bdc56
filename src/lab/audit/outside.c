/* A program under audit: its process, the spelling of its answers, and the conversation. */
#include "inner.h"
#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ==== program ================================================================================ */

/*
 * An outside program. Its standard input is a socket rather than a pipe, because MSG_NOSIGNAL then
 * prevents SIGPIPE when the program has exited, without changing how this process handles signals.
 */

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

/* ==== spelling =============================================================================== */

/*
 * Spelling. 1.5, +1.5, 1.50, 15e-1 and "1.5 " are one number and five messages. The program chooses
 * every byte, so the bytes of a program that keeps its claim may not depend on its input more than
 * the claim allows. Which digits it prints is mostly a matter of its number, which other scores
 * judge.
 *
 * Looks differ in how much they leave out. The shape of a long answer hardly ever comes again, but
 * its form, its length and its last bytes do.
 */

#define START 0x811c9dc5u /* FNV-1a */
#define STEP 0x01000193u

static int is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

sotto__spelling sotto__spelling_of(const char *line, size_t bytes)
{
    uint32_t shape = START, form = START, tail = 0;
    int in_row = 0;
    for (size_t i = 0; i < bytes; i++) {
        uint8_t byte = (uint8_t)line[i];
        int digit = is_digit(byte);
        tail = (tail << 8 | byte) & 0xffff;
        if (digit) byte = '0';
        shape = (shape ^ byte) * STEP;
        if (!(digit && in_row) && byte != '-') form = (form ^ byte) * STEP;
        in_row = digit;
    }
    return (sotto__spelling){{shape, form, (uint32_t)bytes + 1, tail}};
}

/* ==== conversation =========================================================================== */

/*
 * Runs a script against an outside program. Questions are written while there is room, and answers
 * are read as they come, so a program may hold back its answers until its input ends. Only the
 * current line is kept.
 */

#define BUFFER_BYTES 65536u
#define LINE_BYTES_MAX (1u << 21)
#define WIDTH_MAX 65536u /* numbers of an answer */
#define WAIT_S 0.1       /* between checks whether the audit should go on */
#define NUMBER_BYTES 26u /* " -1.7976931348623157e+308" */

typedef struct conversation {
    sotto__subject *subject;
    const sotto__script *script;
    sotto__taker *taker;
    sotto__outside program;
    uint64_t total, asked, answered;
    char **question; /* pairs x 2 lines, as they are sent */
    size_t *question_bytes;
    char *out; /* questions being sent */
    size_t out_at, out_bytes;
    char *in; /* the start of an answer that is not complete yet */
    size_t in_bytes;
    sotto__subject_answer answer;
    double moved_s; /* when bytes were last sent or an answer last came */
} conversation;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool misbehaved(const conversation *c)
{
    return c->subject->fault.sentence[0] != '\0';
}

/* ---- questions ------------------------------------------------------------------------------ */

static sotto_status write_questions(conversation *c)
{
    const sotto__script *script = c->script;
    uint32_t count = 2 * script->pairs;
    c->question = calloc(count, sizeof c->question[0]);
    c->question_bytes = calloc(count, sizeof c->question_bytes[0]);
    if (c->question == NULL || c->question_bytes == NULL) return SOTTO_E_MEMORY;
    for (uint32_t q = 0; q < count; q++) {
        size_t room = (size_t)script->dim * NUMBER_BYTES + 2, at = 0;
        char *line = c->question[q] = malloc(room);
        if (line == NULL) return SOTTO_E_MEMORY;
        for (uint32_t i = 0; i < script->dim; i++) {
            double x = script->input[(size_t)q * script->dim + i];
            at += (size_t)snprintf(line + at, room - at, i == 0 ? "%.17g" : " %.17g", x);
        }
        line[at] = '\n';
        c->question_bytes[q] = at + 1;
    }
    return SOTTO_OK;
}

/* Fills the buffer with whole questions. */
static void queue_questions(conversation *c)
{
    c->out_at = c->out_bytes = 0;
    while (c->asked < c->total) {
        uint64_t q = 2 * (c->asked / c->script->trials) + sotto__script_coin(c->script, c->asked);
        size_t bytes = c->question_bytes[q];
        if (c->out_bytes + bytes > BUFFER_BYTES + (size_t)c->script->dim * NUMBER_BYTES) return;
        memcpy(c->out + c->out_bytes, c->question[q], bytes);
        c->out_bytes += bytes;
        c->asked++;
    }
}

static void send_questions(conversation *c)
{
    if (c->program.in < 0) return;
    if (c->out_at == c->out_bytes) queue_questions(c);
    size_t sent;
    if (!sotto__outside_send(&c->program, c->out + c->out_at, c->out_bytes - c->out_at, &sent)) {
        sotto__outside_close(&c->program); /* the program reads no more, but may still answer */
        return;
    }
    c->out_at += sent;
    if (sent > 0) c->moved_s = now_s();
    if (c->out_at == c->out_bytes && c->asked == c->total) sotto__outside_close(&c->program);
}

/* ---- answers -------------------------------------------------------------------------------- */

static const char *word_shown(const char *word, char shown[SOTTO__SHOWN_BYTES])
{
    return sotto__shown(word, strcspn(word, " \t\r,"), shown);
}

/* The numbers of a line, separated by blanks or commas. */
static bool parse_answer(conversation *c, const char *line)
{
    uint32_t count = 0;
    const char *at = line + strspn(line, " \t\r,");
    while (*at != '\0') {
        char *end, shown[SOTTO__SHOWN_BYTES];
        double value = strtod(at, &end);
        if (end == at || strchr(" \t\r,", *end) == NULL) {
            sotto__refuse(&c->subject->fault,
                          "answer %" PRIu64 " contains \"%s\", which is not a number",
                          c->answered + 1, word_shown(at, shown));
            return false;
        }
        if (!isfinite(value)) {
            sotto__refuse(&c->subject->fault,
                          "answer %" PRIu64 " contains %s: only finite numbers can be audited",
                          c->answered + 1, word_shown(at, shown));
            return false;
        }
        if (count == WIDTH_MAX) break;
        c->answer.value[count++] = value;
        at = end + strspn(end, " \t\r,");
    }
    uint32_t wanted = c->answered == 0 ? count : c->subject->claim.answer_count;
    if (count == 0 || count != wanted || count == WIDTH_MAX) {
        sotto__refuse(
            &c->subject->fault, "answer %" PRIu64 " has %u numbers; %s", c->answered + 1, count,
            c->answered > 0 ? "the first had another count" : "1 to 65535 can be audited");
        return false;
    }
    c->answer.count = count;
    c->subject->claim.answer_count = count;
    return true;
}

static sotto_status take_line(conversation *c, char *line, size_t bytes)
{
    line[bytes] = '\0';
    if (c->answered == c->asked) {
        sotto__refuse(&c->subject->fault, "it printed more lines than it received (%" PRIu64 ")",
                      c->asked);
        return SOTTO_OK;
    }
    if (strlen(line) != bytes) {
        sotto__refuse(&c->subject->fault, "answer %" PRIu64 " contains a zero byte",
                      c->answered + 1);
        return SOTTO_OK;
    }
    if (!parse_answer(c, line)) return SOTTO_OK;
    c->answer.spelling = sotto__spelling_of(line, bytes);
    sotto_status status = c->taker->take(c->taker, c->answered, &c->answer);
    if (!sotto__script_progress(c->script, c->answered))
        sotto__refuse(&c->subject->fault, "%s", SOTTO__AUDIT_STOPPED);
    c->answered++;
    return status;
}

/* Takes every complete line and keeps the rest. */
static sotto_status take_lines(conversation *c)
{
    size_t start = 0;
    sotto_status status = SOTTO_OK;
    while (status == SOTTO_OK && !misbehaved(c)) {
        char *end = memchr(c->in + start, '\n', c->in_bytes - start);
        if (end == NULL) break;
        size_t bytes = (size_t)(end - (c->in + start));
        status = take_line(c, c->in + start, bytes);
        start += bytes + 1;
    }
    memmove(c->in, c->in + start, c->in_bytes - start);
    c->in_bytes -= start;
    if (c->in_bytes == LINE_BYTES_MAX) {
        sotto__refuse(&c->subject->fault, "answer %" PRIu64 " is longer than %u bytes",
                      c->answered + 1, LINE_BYTES_MAX);
    }
    return status;
}

/* Sets *ended at the end of the output. */
static sotto_status receive_answers(conversation *c, bool *ended)
{
    size_t got;
    *ended = !sotto__outside_receive(&c->program, c->in + c->in_bytes, LINE_BYTES_MAX - c->in_bytes,
                                     &got);
    if (got == 0) return SOTTO_OK;
    uint64_t answered = c->answered;
    c->in_bytes += got;
    sotto_status status = take_lines(c);
    if (c->answered > answered) c->moved_s = now_s(); /* part of a line does not count */
    return status;
}

/* ---- the conversation ----------------------------------------------------------------------- */

static sotto_status converse(conversation *c, bool *ended)
{
    sotto_status status = SOTTO_OK;
    double timeout_s = c->subject->timeout_s;
    *ended = false;
    c->moved_s = now_s();
    while (status == SOTTO_OK && !misbehaved(c) && !*ended) {
        double left_s = c->moved_s + timeout_s - now_s();
        bool ready = sotto__outside_wait(&c->program, c->program.in >= 0, fmin(left_s, WAIT_S));
        if (!ready && !sotto__script_tell(c->script, c->answered)) {
            sotto__refuse(&c->subject->fault, "%s", SOTTO__AUDIT_STOPPED);
            return SOTTO_OK;
        }
        if (!ready && now_s() - c->moved_s >= timeout_s) {
            if (c->answered == c->total) return SOTTO_OK; /* it answered everything */
            sotto__refuse(&c->subject->fault,
                          "it gave no answer for %g seconds (%" PRIu64 " of %" PRIu64
                          " answers came)",
                          timeout_s, c->answered, c->total);
            return SOTTO_OK;
        }
        send_questions(c);
        status = receive_answers(c, ended);
    }
    if (*ended && !misbehaved(c) && c->in_bytes > 0) { /* a last line without a line end */
        status = take_line(c, c->in, c->in_bytes);
    }
    return status;
}

static void explain_end(conversation *c, int end)
{
    uint64_t got = c->answered, total = c->total;
    bool exited = WIFEXITED(end);
    int code = exited ? WEXITSTATUS(end) : WTERMSIG(end);
    if (exited && got == 0 && (code == 126 || code == 127)) {
        sotto__refuse(&c->subject->fault, "it could not be started: the shell ended with status %d",
                      code);
        return;
    }
    sotto__refuse(&c->subject->fault,
                  "it ended early, %s %d, after %" PRIu64 " of %" PRIu64 " answers",
                  exited ? "with status" : "by signal", code, got, total);
}

static sotto_status hold(conversation *c)
{
    c->out = malloc(BUFFER_BYTES + (size_t)c->script->dim * NUMBER_BYTES);
    c->in = malloc(LINE_BYTES_MAX + 1);
    c->answer.value = malloc(WIDTH_MAX * sizeof(double));
    if (c->out == NULL || c->in == NULL || c->answer.value == NULL) return SOTTO_E_MEMORY;
    sotto_status status = write_questions(c);
    if (status != SOTTO_OK) return status;
    status = sotto__outside_start(c->subject->command, &c->program);
    if (status != SOTTO_OK) return status;
    bool ended;
    status = converse(c, &ended);
    bool early = ended && c->answered < c->total && !misbehaved(c);
    int end = sotto__outside_end(&c->program, ended && !misbehaved(c) ? c->subject->timeout_s : 0);
    if (status == SOTTO_OK && early) explain_end(c, end);
    return status;
}

sotto_status sotto__ask_outside(sotto__subject *subject, const sotto__script *script,
                                sotto__taker *taker)
{
    conversation c = {
        .subject = subject,
        .script = script,
        .taker = taker,
        .total = script->pairs * script->trials,
    };
    sotto_status status = hold(&c);
    for (uint32_t q = 0; q < 2 * script->pairs && c.question != NULL; q++) {
        free(c.question[q]);
    }
    free(c.question);
    free(c.question_bytes);
    free(c.out);
    free(c.in);
    free(c.answer.value);
    return status;
}
