/* A server of one experiment, in a thread of this process, for tests of its clients. It serves
 * terms and a model, takes reports without storing them on disk, and answers other paths as the
 * test sets. */
#ifndef SOTTO_SITE_SERVER_H
#define SOTTO_SITE_SERVER_H

#include <sotto/core.h>

typedef struct site_server site_server;

/* On a port of 127.0.0.1 that the system chooses. It serves the model of a learner that has learned
 * nothing. */
site_server *site_server_start(const sotto_terms *terms);
void site_server_stop(site_server *server);

const char *site_server_root(const site_server *server); /* http://127.0.0.1:PORT */
const char *site_server_url(const site_server *server);  /* of the experiment */

/* The model it serves from now on. */
void site_server_set_model(site_server *server, const sotto_model *model);
/* The status of its answers to reports from now on: 204 takes them. */
void site_server_set_posts(site_server *server, int status);
/* How it answers other paths, such as /v1/experiments: `body` is borrowed. */
void site_server_set_page(site_server *server, const char *path, int status, const char *body);

/* The number of reports taken, and a copy of one of them. */
uint64_t site_server_reports(site_server *server);
void site_server_report(site_server *server, uint64_t i, uint8_t *frame);
/* The value of the header Authorization of the last request for such another path. */
void site_server_token(site_server *server, char token[100]);

#endif
