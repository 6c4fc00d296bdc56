/* HTTP over real sockets: what goes well. */
#include "front_scene.h"
#include "test.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define POST(length) "POST /v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: " length "\r\n\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\nHost: h\r\n\r\n"

static int start(void **state)
{
    front_scene *scene = scene_new();
    scene_open(scene);
    *state = scene;
    return 0;
}

static int end(void **state)
{
    scene_free(*state);
    return 0;
}

static void a_taken_port_is_refused_with_a_sentence(void **state)
{
    front_scene *scene = *state;
    front_settings settings = scene->settings;
    settings.port = front_port(scene->front);
    const front_door door = {0};
    char fault[FRONT_FAULT_BYTES] = "";
    assert_null(front_open(&settings, &door, fault));
    assert_non_null(strstr(fault, "cannot be had"));
    front_close(NULL);
}

static void a_request_comes_with_all_its_parts(void **state)
{
    front_scene *scene = *state;
    client_heard heard;
    assert_int_equal(client_ask(scene,
                                "POST /v1/a%20b?name=v%31 HTTP/1.1\r\nHost: h\r\nX-Name: one\r\n"
                                "Content-Length: 5\r\n\r\nhello",
                                &heard),
                     204);
    assert_int_equal(scene->method, FRONT_POST);
    assert_string_equal(scene->path, "/v1/a%20b");
    assert_string_equal(scene->argument, "v1");
    assert_string_equal(scene->header, "one");
    assert_int_equal(scene->body_bytes, 5);
    assert_memory_equal(scene->body, "hello", 5);
    assert_int_equal(scene->admitted, 1);
    assert_int_equal(scene->answered, 1);
}

static void an_answer_leaves_with_all_its_parts_and_no_others(void **state)
{
    front_scene *scene = *state;
    scene->content = "content";
    client_heard heard;
    assert_int_equal(client_ask(scene, GET("/v1/y"), &heard), 200);
    assert_non_null(strstr(heard.text, "\r\nContent-Type: text/plain\r\n"));
    assert_non_null(strstr(heard.text, "\r\nX-Path: /v1/y\r\n"));
    assert_non_null(strstr(heard.text, "\r\nContent-Length: 7\r\n"));
    assert_non_null(strstr(heard.text, "\r\n\r\ncontent"));
    assert_null(strstr(heard.text, "Server:"));
    assert_null(strstr(heard.text, "Cookie"));
    assert_null(strstr(heard.text, "Location"));
}

static void a_request_that_waits_is_answered_when_it_is_settled(void **state)
{
    front_scene *scene = *state;
    scene->waits = true;
    int client = client_new(scene);
    client_say(scene, client, POST("5") "hello");
    scene_drain(scene);
    assert_int_equal(scene->answered, 1);
    assert_int_equal(front_begun(scene->front), 1);
    char byte;
    assert_int_equal(recv(client, &byte, 1, MSG_DONTWAIT), -1);

    for (int i = 0; i < 5; i++) { /* long enough to be suspended */
        scene_run(scene, 1);
    }
    assert_int_equal(front_begun(scene->front), 1);
    front_settle(scene->front, &(front_answer){.status = 204});
    assert_int_equal(front_begun(scene->front), 0);
    client_heard heard;
    client_hear(scene, client, 1, &heard);
    assert_int_equal(heard_status(&heard), 204);

    /* And the connection goes on. */
    client_say(scene, client, POST("5") "again");
    scene_drain(scene);
    front_settle(scene->front, &(front_answer){.status = 503});
    client_hear(scene, client, 1, &heard);
    assert_int_equal(heard_status(&heard), 503);
    assert_int_equal(scene->answered, 2);
    assert_int_equal(front_count(scene->front).connections, 1);
    close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_taken_port_is_refused_with_a_sentence, start, end),
        cmocka_unit_test_setup_teardown(a_request_comes_with_all_its_parts, start, end),
        cmocka_unit_test_setup_teardown(an_answer_leaves_with_all_its_parts_and_no_others, start,
                                        end),
        cmocka_unit_test_setup_teardown(a_request_that_waits_is_answered_when_it_is_settled, start,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
