/*
 * JSON on one line, written as it comes: {"key": value, "list": [1, 2]}.
 *
 *     json_writer j = json_begin(stdout);
 *     json_open(&j, NULL, '{');
 *     json_real(&j, "epsilon", 1);
 *     json_open(&j, "layers", '[');
 *     json_natural(&j, NULL, 3);
 *     json_close(&j);
 *     json_close(&j);
 *     json_end(&j);
 *
 * A key is NULL inside a list. Keys are ours: letters, digits and underscores.
 */
#ifndef SOTTO_CLI_PRINT_JSON_H
#define SOTTO_CLI_PRINT_JSON_H

#include "value.h"

#include <stdio.h>

#define JSON_DEPTH_MAX 8u

typedef struct json_writer {
    FILE *file;
    uint32_t depth;
    bool lines;                       /* what the outermost list holds stands on its own lines */
    char closing[JSON_DEPTH_MAX + 1]; /* of what is open */
    bool filled[JSON_DEPTH_MAX + 1];  /* something stands there already */
} json_writer;

json_writer json_begin(FILE *file);
/* An object '{' or a list '['. */
void json_open(json_writer *j, const char *key, char bracket);
void json_close(json_writer *j);
/* Ends the line. Everything that was opened is closed. */
void json_end(json_writer *j);

void json_text(json_writer *j, const char *key, const char *text);
void json_natural(json_writer *j, const char *key, uint64_t value);
void json_whole(json_writer *j, const char *key, int64_t value);
void json_real(json_writer *j, const char *key, double value); /* null if it is not finite */
void json_flag(json_writer *j, const char *key, bool value);
void json_null(json_writer *j, const char *key);
/* A real with so many significant digits. */
void json_digits(json_writer *j, const char *key, double value, int digits);

/* One row as an object. */
void json_object(json_writer *j, const char *key, const print_column *column,
                 const print_value *value, uint32_t count);
/* One row as an object on its own line. */
void json_row(FILE *file, const print_column *column, const print_value *value, uint32_t count);

#endif
