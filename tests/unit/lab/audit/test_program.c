/* A program outside: started, spoken to, ended; nothing of it is left. */
#include "lab/audit/program.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) return -1;
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

static void no_child_is_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void talk(sotto__outside *program, const char *words, char *answer, size_t capacity)
{
    size_t sent, got, have = 0;
    assert_true(sotto__outside_send(program, words, strlen(words), &sent));
    assert_int_equal(sent, strlen(words));
    sotto__outside_close(program);
    while (sotto__outside_wait(program, false, 20) &&
           sotto__outside_receive(program, answer + have, capacity - 1 - have, &got)) {
        have += got;
    }
    answer[have] = '\0';
}

static void a_program_answers_and_is_gone(void **state)
{
    (void)state;
    int before = open_files();
    sotto__outside program;
    char answer[100];
    assert_ok(sotto__outside_start("tr a-z A-Z", &program));
    talk(&program, "quiet\n", answer, sizeof answer);
    assert_string_equal(answer, "QUIET\n");
    int status = sotto__outside_end(&program, 10);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(open_files(), before);
    no_child_is_left();
}

static void a_program_that_is_gone_raises_no_signal(void **state)
{
    (void)state;
    sotto__outside program;
    size_t sent, got;
    char byte;
    assert_ok(sotto__outside_start("exec <&-; exit 3", &program));
    while (sotto__outside_wait(&program, false, 20) &&
           sotto__outside_receive(&program, &byte, 1, &got)) {
    }
    assert_false(sotto__outside_send(&program, "x\n", 2, &sent));
    int status = sotto__outside_end(&program, 10);
    assert_int_equal(WEXITSTATUS(status), 3);
    no_child_is_left();
}

/* The grandchild that the shell leaves behind is killed with its group. */
static void the_whole_group_is_killed(void **state)
{
    (void)state;
    sotto__outside program;
    char answer[32] = "";
    size_t got;
    assert_ok(sotto__outside_start("sleep 1000 & echo $!; wait", &program));
    assert_true(sotto__outside_wait(&program, false, 20));
    assert_true(sotto__outside_receive(&program, answer, sizeof answer - 1, &got));
    pid_t grandchild = (pid_t)strtol(answer, NULL, 10);
    assert_true(grandchild > 1);
    int status = sotto__outside_end(&program, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
    no_child_is_left();
    /* It dies at once; whoever adopted it may take a moment to reap it. */
    bool gone = false;
    for (int i = 0; i < 200 && !gone; i++) {
        char path[64], line[256] = "";
        snprintf(path, sizeof path, "/proc/%d/stat", (int)grandchild);
        FILE *file = fopen(path, "r");
        gone =
            file == NULL || fgets(line, sizeof line, file) == NULL || strstr(line, ") Z") != NULL;
        if (file != NULL) fclose(file);
        if (!gone) usleep(10000);
    }
    assert_true(gone);
}

static void waiting_ends_in_time(void **state)
{
    (void)state;
    sotto__outside program;
    char byte;
    size_t got;
    assert_ok(sotto__outside_start("sleep 1000", &program));
    assert_false(sotto__outside_wait(&program, false, 0.02));
    assert_true(sotto__outside_receive(&program, &byte, 1, &got));
    assert_int_equal(got, 0);
    assert_true(WIFSIGNALED(sotto__outside_end(&program, 0.02)));
    no_child_is_left();
}

static void what_cannot_start_says_so(void **state)
{
    (void)state;
    sotto__outside program;
    assert_ok(sotto__outside_start("exec /no/such/program 2>/dev/null", &program));
    int status = sotto__outside_end(&program, 10);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126);
    no_child_is_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_start_says_so),
        cmocka_unit_test(a_program_that_is_gone_raises_no_signal),
        cmocka_unit_test(waiting_ends_in_time),
        cmocka_unit_test(the_whole_group_is_killed),
        cmocka_unit_test(a_program_answers_and_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
