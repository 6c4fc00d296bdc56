/* A refusal as the body of an answer: {"error":…,"field":…,"value":…,"allowed":…}. */
#ifndef SERVICE_ERROR_JSON_H
#define SERVICE_ERROR_JSON_H

#include "service/system/refusal.h"

#include <stddef.h>

/* Room for the longest refusal with every byte escaped. */
#define ERROR_JSON_BYTES (6u * sizeof(sottod_refusal) + 64u)

/* Writes the body and returns how many bytes it has. Texts that are empty become null; bytes that are no
 * UTF-8, as when a text was cut in the middle of a letter, become question marks. Allocates nothing. */
size_t error_json(const sottod_refusal *why, char out[ERROR_JSON_BYTES]);

#endif
