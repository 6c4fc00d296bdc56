/* The bytes of a file. */
#ifndef SOTTO_LAB_DATASET_SOURCE_H
#define SOTTO_LAB_DATASET_SOURCE_H

#include "gunzip.h"

#include <sotto/core.h>

#define SOTTO__RECORD_BYTES_MAX 1048576u

typedef struct sotto__source {
    const char *path; /* borrowed, for faults */
    int fd;
    bool end;              /* nothing is left to read(2) */
    bool returns;          /* its lines end with carriage returns, which become line feeds */
    bool bars;             /* of CSV: bars stand around every record (bars.c) */
    bool rule;             /* of CSV: the next record may be the rule behind a header */
    sotto__gunzip *gunzip; /* NULL: the bytes are the file's own */
    char *buffer;
    size_t from, to; /* the bytes of the buffer that nobody has taken yet */
    uint64_t line;   /* of buffer[from], from 1 */
    uint64_t bytes;  /* of the text since the beginning, unpacked */
} sotto__source;

/* A regular file, a pipe, or "-"; gzip, which its first two bytes tell, is unpacked. The path is borrowed until the close. */
const char *sotto__source_open(sotto__source *source, const char *path, char *fault);
/* Moves the bytes that are left, at most SOTTO__RECORD_BYTES_MAX, to the front and reads a chunk
 * more, or what is left of the file. A line feed and some bytes more stand behind the last
 * byte; a byte-order mark in front of the first counts as taken. If the first chunk has carriage
 * returns and no line feed, they are line ends, and are line feeds in the buffer. */
const char *sotto__source_fill(sotto__source *source, char *fault);
const char *sotto__source_rewind(sotto__source *source, char *fault);
void sotto__source_close(sotto__source *source);

#endif
