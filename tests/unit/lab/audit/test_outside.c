/* Questions to an external program: answers come in order, and each misbehaviour has its
 * sentence. */
#include "lab/audit/inner.h"
#include "lab/random/random.h"
#include "subjects.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIALS 3000u

typedef struct listener {
    sotto__taker taker;
    uint64_t taken;
    double sum;
} listener;

static sotto_status listen_to(sotto__taker *taker, uint64_t t, const sotto__subject_answer *answer)
{
    listener *l = (listener *)taker;
    assert_int_equal(t, l->taken);
    l->taken++;
    l->sum += answer->value[0];
    return SOTTO_OK;
}

/* Sends 2 x TRIALS questions, 1, 2, 3, 4 in turn, to a command; returns its listener and the
 * reason. */
static listener ask(const char *command, double timeout_s, char *reason)
{
    static const double input[] = {1, 10, 2, 20, 3, 30, 4, 40};
    static uint8_t coins[2 * TRIALS / 8 + 1];
    memset(coins, 0x55, sizeof coins);
    sotto__subject subject = {
        .claim = {.family = SOTTO__OUTSIDE, .dim = 2}, .command = command, .timeout_s = timeout_s};
    sotto__script script = {.dim = 2, .pairs = 2, .trials = TRIALS, .input = input, .coins = coins};
    listener l = {{listen_to}, 0, 0};
    assert_ok(sotto__ask_outside(&subject, &script, &l.taker));
    strcpy(reason, subject.fault.sentence);
    return l;
}

TEST(misbehaviour_has_its_sentence)
{
    static const struct {
        const char *command, *part;
    } cases[] = {
        {"sleep 1000", "gave no answer for 0.3 seconds"},
        {"cat > /dev/null; sleep 1000", "gave no answer for 0.3 seconds"},
        {"cat > /dev/null", "ended early, with status 0, after 0 of 6000"},
        {"head -n 7; exit 5", "ended early, with status"},
        {"kill -9 $$", "by signal 9"},
        {"/no/such/program 2>/dev/null", "could not be started"},
        {"sed 's/.*/hello world/'", "answer 1 contains \"hello\", which is not a number"},
        {"sed 's/.*/1x/'", "contains \"1x\""},
        {"while read line; do printf 'a\\302\\233\\033\\377\\303\\244\\n'; done",
         "contains \"a???\xC3\xA4\""},
        {"sed 's/.*/nan/'", "answer 1 contains nan: only finite"},
        {"sed 's/.*/1 -inf/'", "contains -inf"},
        {"sed 's/.*/1e999/'", "contains 1e999"},
        {"sed 's/.*//'", "answer 1 has 0 numbers"},
        {"sed '9s/.*/1 2 3/'", "answer 9 has 3 numbers; the first had another count"},
        {"sed p", "more lines than it received"},
        {"yes 1", "more lines than it received"},
        {"cat; echo 1", "more lines than it received (6000)"},
        {"tr '\\n' ' '", "after 1 of 6000 answers"},
        {"printf '1\\0002\\n'; cat", "zero byte"},
        {"head -c 3000000 /dev/zero | tr '\\0' 1", "longer than"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char reason[SOTTO_FAULT_BYTES];
        bool is_silent = strstr(cases[i].part, "gave no answer") != NULL;
        ask(cases[i].command, is_silent ? 0.3 : 100, reason);
        if (strstr(reason, cases[i].part) == NULL) {
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].command, reason, cases[i].part);
        }
    }
}

TEST(answers_come_in_order_however_they_are_buffered)
{
    static const char *const commands[] = {
        "cat",                                /* at once */
        "sed 's/ /, /'",                      /* commas */
        "cat > /dev/null & cat",              /* another process in its group */
        "sort -s -k 3",                       /* all at the end, in order */
        "sed '$s/$/\\r/'",                    /* a carriage return */
        "sed '1s/^/  /'",                     /* blanks */
        "tail -c +1 | head -c 1000000; true", /* blocks */
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char reason[SOTTO_FAULT_BYTES];
        listener l = ask(commands[i], 100, reason);
        assert_string_equal(reason, "");
        assert_int_equal(l.taken, 2 * TRIALS);
        assert_near(l.sum, 2.5 * 2 * TRIALS, 0);
    }
}

TEST(a_last_line_without_its_end_counts)
{
    char reason[SOTTO_FAULT_BYTES];
    listener l = ask("head -c -1", 100, reason);
    assert_string_equal(reason, "");
    assert_int_equal(l.taken, 2 * TRIALS);
}

/* It has answered everything but does not exit: it is killed, which is no fault. */
TEST(a_program_that_stays_is_sent_away)
{
    char reason[SOTTO_FAULT_BYTES];
    listener l = ask("cat; sleep 1000", 2, reason);
    assert_string_equal(reason, "");
    assert_int_equal(l.taken, 2 * TRIALS);
}

static bool stop_after(void *state, uint64_t done, uint64_t total)
{
    (void)total;
    return done < *(const uint64_t *)state;
}

/* Both while answers come and while the program keeps the audit waiting. */
TEST(whoever_hears_of_it_can_stop_it)
{
    static const double input[] = {1, 10};
    static const uint8_t coins[TRIALS / 8 + 1];
    static const char *const command[] = {"cat", "sleep 1000"};
    uint64_t most[] = {512, 0};
    for (uint32_t i = 0; i < 2; i++) {
        sotto_audit_progress progress = {stop_after, &most[i]};
        sotto__subject subject = {.claim = {.family = SOTTO__OUTSIDE, .dim = 1},
                                  .command = command[i],
                                  .timeout_s = 1000};
        sotto__script script = {.dim = 1,
                                .pairs = 1,
                                .trials = TRIALS,
                                .input = input,
                                .coins = coins,
                                .progress = &progress,
                                .progress_total = TRIALS};
        listener l = {{listen_to}, 0, 0};
        assert_ok(sotto__ask_outside(&subject, &script, &l.taker));
        assert_string_equal(subject.fault.sentence, "it was stopped");
        assert_int_equal(l.taken, most[i] == 0 ? 0 : most[i] + 1);
    }
}

/* An external program: started, used, ended; no process or file of it remains. */

static int open_files(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    if (directory == NULL) return -1;
    while (readdir(directory) != NULL) {
        count++;
    }
    closedir(directory);
    return count;
}

static void no_child_is_left(void)
{
    assert_ints(waitpid(-1, NULL, WNOHANG), -1, errno, ECHILD);
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

TEST(a_program_answers_and_is_gone)
{
    int before = open_files();
    sotto__outside program;
    char answer[100];
    assert_ok(sotto__outside_start("tr a-z A-Z", &program));
    talk(&program, "quiet\n", answer, sizeof answer);
    assert_string_equal(answer, "QUIET\n");
    int status = sotto__outside_end(&program, 10);
    assert_true(WIFEXITED(status));
    assert_ints(WEXITSTATUS(status), 0, open_files(), before);
    no_child_is_left();
}

TEST(a_program_that_is_gone_raises_no_signal)
{
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
TEST(the_whole_group_is_killed)
{
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

TEST(waiting_ends_in_time)
{
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

TEST(what_cannot_start_says_so)
{
    sotto__outside program;
    assert_ok(sotto__outside_start("exec /no/such/program 2>/dev/null", &program));
    int status = sotto__outside_end(&program, 10);
    assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
    no_child_is_left();
}
