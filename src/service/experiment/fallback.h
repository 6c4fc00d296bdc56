/* Harm and the fallback of an experiment, in the log. */
#ifndef SERVICE_FALLBACK_H
#define SERVICE_FALLBACK_H

#include "server/harm.h"
#include "service/system/log.h"

/* What a publish changed, each once: harm was seen, the fallback is served, it has ended. `epoch` is the one that
 * opened. */
void fallback_say(sottod_log *log, const char *id_text, uint32_t epoch, const sotto__harm *before,
                  const sotto__harm *after);

#endif
