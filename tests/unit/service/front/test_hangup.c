/* Sockets whose other side has ended. */
#include "service/front/inner.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct line {
    int watch, here, there;
} line;

static line line_new(void *whose)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    line l = {.watch = hangup_new(), .here = ends[0], .there = ends[1]};
    assert_true(l.watch >= 0);
    assert_true(hangup_watch(l.watch, l.here, whose));
    return l;
}

static void line_free(const line *l)
{
    close(l->watch);
    close(l->here);
    close(l->there);
}

TEST(what_is_no_socket_cannot_be_watched)
{
    int watch = hangup_new();
    assert_false(hangup_watch(watch, -1, NULL));
    close(watch);
    void *who[1];
    assert_int_equal(hangup_list(-1, who, 1), 0);
}

TEST(bytes_alone_are_no_end)
{
    HELD(line) l = line_new(&l);
    void *who[4];
    assert_ints(hangup_list(l.watch, who, 4), 0, write(l.there, "ab", 2), 2);
    assert_int_equal(hangup_list(l.watch, who, 4), 0);
}

TEST(an_end_is_told_once_also_when_it_comes_with_bytes)
{
    HELD(line) l = line_new(&l);
    assert_int_equal(write(l.there, "ab", 2), 2);
    shutdown(l.there, SHUT_WR);
    void *who[4] = {NULL};
    assert_int_equal(hangup_list(l.watch, who, 4), 1);
    assert_ptr_equal(who[0], &l);
    assert_int_equal(hangup_list(l.watch, who, 4), 0);
}

TEST(all_is_read_when_the_last_byte_is)
{
    line l = line_new(&l);
    assert_false(hangup_all_read(l.here)); /* more bytes may come */
    assert_int_equal(write(l.there, "ab", 2), 2);
    shutdown(l.there, SHUT_WR);
    char bytes[2];
    assert_false(hangup_all_read(l.here));
    assert_int_equal(read(l.here, bytes, 1), 1);
    assert_false(hangup_all_read(l.here));
    assert_int_equal(read(l.here, bytes, 1), 1);
    assert_true(hangup_all_read(l.here));
    line_free(&l);
    assert_true(hangup_all_read(-1));
}

TEST(many_ends_are_told_in_parts)
{
    enum { COUNT = 100 };
    static int names[COUNT];
    int ends[COUNT][2];
    int watch = hangup_new();
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]), 0);
        assert_true(hangup_watch(watch, ends[i][0], &names[i]));
        close(ends[i][1]);
    }
    void *who[COUNT];
    size_t told = 0;
    for (size_t count; (count = hangup_list(watch, who, COUNT)) > 0; told += count) {
        for (size_t i = 0; i < count; i++) {
            (*(int *)who[i])++;
        }
    }
    assert_int_equal(told, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(names[i], 1);
        close(ends[i][0]);
    }
    close(watch);
}

/* Over TCP, because other sockets do not report it. */
static void tcp_new(int *here, int *there)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    *there = socket(AF_INET, SOCK_STREAM, 0);
    assert_ints(bind(listening, (struct sockaddr *)&at, sizeof at), 0, listen(listening, 1), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&at, &bytes), 0);
    assert_int_equal(connect(*there, (struct sockaddr *)&at, sizeof at), 0);
    *here = accept(listening, NULL, NULL);
    assert_true(*here >= 0);
    close(listening);
}

TEST(it_is_known_whether_anything_was_sent)
{
    int here, there;
    tcp_new(&here, &there);
    assert_int_equal(write(there, "ab", 2), 2);
    assert_false(hangup_has_sent(here));
    assert_true(hangup_has_sent(there));
    assert_int_equal(write(here, "a", 1), 1);
    close(there);
    assert_true(hangup_has_sent(here));
    assert_false(hangup_has_sent(-1));
    close(here);
}

TEST(it_is_known_which_side_ended_first)
{
    for (int we = 0; we < 2; we++) {
        int here, there;
        tcp_new(&here, &there);
        assert_false(hangup_came_first(here));
        shutdown(we ? here : there, SHUT_WR);
        assert_int_equal(hangup_came_first(here), !we);
        close(there);
        assert_int_equal(hangup_came_first(here), !we);
        close(here);
    }
    assert_false(hangup_came_first(-1));
}
