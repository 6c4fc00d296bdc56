/* The model of the open epoch, compressed when somebody first asks for it so. */
#include "inner.h"

#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* 32 KiB, with the head and tail of gzip */
#define GZIP_MEMORY 8

/* How long it is; 0: it cannot be had, or is no shorter. */
static size_t pack(const uint8_t *model, size_t bytes, uint8_t *out)
{
    z_stream stream = {.zalloc = Z_NULL};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    stream.next_in = model;
    stream.avail_in = (uInt)bytes;
    stream.next_out = out;
    stream.avail_out = (uInt)(bytes - 1);
    bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    size_t packed = whole ? (size_t)stream.total_out : 0;
    deflateEnd(&stream);
    return packed;
}

const uint8_t *experiment_model_gzip(sottod_experiment *experiment, size_t *bytes)
{
    experiment_packed *packed = &experiment->packed;
    const uint32_t epoch = experiment_epoch(experiment);
    size_t plain = 0;
    const uint8_t *model = experiment_model_bytes(experiment, &plain);
    *bytes = 0;
    if (model == NULL || plain < 2) return NULL;
    if (!packed->tried || packed->epoch != epoch) {
        if (packed->at == NULL) packed->at = malloc(plain); /* all models of it are as long */
        if (packed->at == NULL) return NULL;
        packed->tried = true;
        packed->epoch = epoch;
        packed->bytes = pack(model, plain, packed->at);
    }
    *bytes = packed->bytes;
    return packed->bytes > 0 ? packed->at : NULL;
}
