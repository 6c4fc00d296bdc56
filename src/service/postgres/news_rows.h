/* What gateways ask often: what became of every experiment. */
#ifndef SERVICE_POSTGRES_NEWS_ROWS_H
#define SERVICE_POSTGRES_NEWS_ROWS_H

#include "connection.h"

bool postgres__read_news(postgres_connection *connection,
                         bool (*take)(void *self, const journal_news *), void *self);

#endif
