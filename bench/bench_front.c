/* The front alone: a door that takes any body, waits, and is answered with 204 after each turn of
 * the loop. Prints its port, and serves until its input ends. bench/front.py puts load on it. */
#include "service/front/front.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static bool admit(void *self, const front_request *request, size_t *body_max, front_answer *answer)
{
    (void)self, (void)request, (void)answer;
    *body_max = 1u << 20;
    return true;
}

static front_verdict answer_later(void *self, const front_request *request, front_answer *answer)
{
    (void)self, (void)request, (void)answer;
    return FRONT_WAITS;
}

static void refuse(void *self, uint32_t status, const char *sentence, const char *allowed,
                   front_answer *answer)
{
    (void)self, (void)sentence, (void)allowed;
    answer->status = status;
}

int main(void)
{
    const front_settings settings = {.address = "127.0.0.1",
                                     .connections_max = 4096,
                                     .idle_s_max = 60,
                                     .head_s_max = 10,
                                     .rate_min = 1000,
                                     .bodies_bytes_max = 64u << 20};
    const front_door door = {.admit = admit, .answer = answer_later, .refuse = refuse};
    const front_answer taken = {.status = 204};
    sottod_front *front;
    sotto_fault fault;
    if (front_open(&settings, &door, &front, &fault) != SOTTO_OK) {
        fprintf(stderr, "bench_front: %s\n", fault.sentence);
        return 1;
    }
    printf("%u\n", (unsigned)front_port(front));
    fflush(stdout);

    struct pollfd wait[2] = {{.fd = front_fd(front), .events = POLLIN},
                             {.fd = STDIN_FILENO, .events = POLLIN}};
    while (wait[1].revents == 0) {
        poll(wait, 2, front_timeout_ms(front));
        front_run(front);
        front_settle(front, &taken);
    }
    front_close(front);
    return 0;
}
