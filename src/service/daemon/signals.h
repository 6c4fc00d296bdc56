/* The signals that end the service, as something that can be polled. */
#ifndef SERVICE_SIGNALS_H
#define SERVICE_SIGNALS_H

#include <stdbool.h>

/* A descriptor that becomes readable when SIGTERM or SIGINT came; -1: it could not be made. From here on
 * they no longer end the process, and SIGPIPE and SIGXFSZ do nothing. */
int signals_open(void);
/* True if one came; takes it. Does not wait. */
bool signals_take(int fd);

#endif
