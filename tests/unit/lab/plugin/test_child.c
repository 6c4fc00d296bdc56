/* Children: a crash ends them although this program has handlers, and how they end is told. */
#include "lab/plugin/child.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void survive(int number)
{
    (void)number;
    _exit(9);
}

/* How a child ends that does this. */
static const char *end_of(int number, int status)
{
    static char text[SOTTO_FAULT_BYTES];
    int end;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, survive);
        signal(SIGABRT, survive);
        sotto__child_begin();
        if (number != 0) raise(number);
        _exit(status);
    }
    assert_int_equal(waitpid(child, &end, 0), child);
    return sotto__child_end_text(end, text);
}

static void a_crash_is_a_crash_whatever_the_parent_does_with_signals(void **state)
{
    (void)state;
    assert_string_equal(end_of(SIGSEGV, 0), "crashed with signal 11 (Segmentation fault)");
    assert_string_equal(end_of(SIGABRT, 0), "crashed with signal 6 (Aborted)");
    assert_string_equal(end_of(SIGKILL, 0), "crashed with signal 9 (Killed)");
}

static void an_exit_is_told_with_its_status(void **state)
{
    (void)state;
    assert_string_equal(end_of(0, 0), "ended the process with status 0");
    assert_string_equal(end_of(0, 3), "ended the process with status 3");
}

/* More than a pipe holds at once. */
static void what_is_sent_arrives_whole(void **state)
{
    (void)state;
    static uint8_t sent[300000], got[sizeof sent];
    int ends[2], end;
    size_t count = 0;
    for (size_t i = 0; i < sizeof sent; i++) {
        sent[i] = (uint8_t)(i * 7 + i / 1000);
    }
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) _exit(sotto__child_send(ends[1], sent, sizeof sent) ? 0 : 1);
    close(ends[1]);
    for (ssize_t n = 1; n > 0; count += (size_t)n) {
        n = read(ends[0], got + count, sizeof got - count);
        assert_true(n >= 0);
    }
    close(ends[0]);
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_string_equal(sotto__child_end_text(end, (char[SOTTO_FAULT_BYTES]){0}),
                        "ended the process with status 0");
    assert_int_equal(count, sizeof sent);
    assert_memory_equal(got, sent, sizeof sent);
}

static void nobody_who_reads_is_told(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    assert_false(sotto__child_send(ends[1], "x", 1));
    signal(SIGPIPE, before);
    close(ends[1]);
}

/* The grandchild holds the pipe: it ends when the grandchild is gone. */
static void a_child_dies_with_its_parent(void **state)
{
    (void)state;
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            sotto__child_begin();
            (void)!write(ends[1], "x", 1);
            for (;;) {
                pause();
            }
        }
        (void)!read(ends[0], &byte, 1); /* the grandchild has begun */
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ends[1]);
    alarm(20); /* instead of waiting for ever */
    assert_int_equal(read(ends[0], &byte, 1), 0);
    alarm(0);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_is_a_crash_whatever_the_parent_does_with_signals),
        cmocka_unit_test(an_exit_is_told_with_its_status),
        cmocka_unit_test(what_is_sent_arrives_whole),
        cmocka_unit_test(nobody_who_reads_is_told),
        cmocka_unit_test(a_child_dies_with_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
