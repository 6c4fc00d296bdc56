/* The tables: made if there are none, refused if they are not those that this program knows. */
#ifndef SERVICE_POSTGRES_TABLES_H
#define SERVICE_POSTGRES_TABLES_H

#include "connection.h"

#define POSTGRES_FORMAT 1u

/* In the schema `sotto` of the database. Several programs may do so at once. */
bool postgres__tables(postgres_connection *connection);

#endif
