/* A front on a loopback port, a door that the test controls, and clients on real sockets, all in
 * one thread: a client that waits for an answer runs the front. */
#ifndef SOTTO_FRONT_SCENE_H
#define SOTTO_FRONT_SCENE_H

#include "service/front/front.h"

#define SCENE_HANGS_MS 60000 /* no test takes this long unless it hangs */
#define SCENE_BODY_MAX 1000u

typedef struct front_scene {
    sottod_front *front;
    front_settings settings;
    /* What the door does. */
    size_t body_max;
    bool waits;          /* requests wait, and are settled only by the test */
    bool settles;        /* they are settled after every front_run */
    uint32_t refuses;    /* admit refuses with this status; 0: it does not */
    const char *content; /* of answers that do not wait; NULL: 204 */
    bool closes;
    front_pieces pieces; /* of answers that do not wait */
    /* What it saw. */
    uint32_t admitted, answered, refused;
    uint32_t refused_status;
    char refused_allowed[64];
    front_method method;
    char path[256], argument[64], header[64];
    char arguments[256]; /* all of them: "name=value;" */
    char body[2048];
    size_t body_bytes;
    uint64_t body_bytes_sum;
} front_scene;

/* 100 connections, 60 s, 1 MiB of bodies; bodies of SCENE_BODY_MAX; answers 204 at once. */
front_scene *scene_new(void);
/* Opens it with other settings, which the test has written into the scene. */
void scene_open(front_scene *scene);
void scene_free(front_scene *scene);

/* Waits up to this long for something to do, and runs the front once. Returns front_run's
 * result. */
bool scene_run(front_scene *scene, int wait_ms);
/* Runs the front until it has nothing to do. */
void scene_drain(front_scene *scene);

/* Runs the front until no connection is left; fails if one stays. */
void scene_empty(front_scene *scene);

int client_new(const front_scene *scene);
void client_send(front_scene *scene, int client, const void *bytes, size_t count);
void client_say(front_scene *scene, int client, const char *text);
/* Runs the front until `text` has come, and returns how often it has; fails if it hangs. */
typedef struct client_heard {
    char text[16384];
    size_t bytes;
    bool ended; /* the server closed the connection */
} client_heard;
/* Reads until as many bytes as the heads announce have come for this many answers, or the end. */
void client_hear(front_scene *scene, int client, uint32_t answers, client_heard *out);
/* Reads until the server closes the connection. */
void client_hear_all(front_scene *scene, int client, client_heard *out);
/* Sends `text` on a new connection, reads one answer, and hangs up. Returns the status; 0: none. */
uint32_t client_ask(front_scene *scene, const char *text, client_heard *out);
/* The status of the first answer; 0: none. */
uint32_t heard_status(const client_heard *heard);
/* How many answers have come whole; those of HEAD have no body. */
uint32_t heard_answers(const client_heard *heard);

/* Runs before and after each test: opens a scene as its state, and afterwards checks that the next
 * request is answered and nothing of the test remains. */
int scene_start(void **state);
int scene_end_served(void **state);
/* The text is refused with this status, the connection is closed, and the door gets no body. */
void scene_refuses(front_scene *scene, const char *text, uint32_t status);

#endif
