/* Text files made by a test, and what a sentence must contain. */
#ifndef SOTTO_TEXTS_H
#define SOTTO_TEXTS_H

#include "directory.h"
#include "test.h"

#include <string.h>

/* Writes the text to the directory's file; returns its path. */
static inline const char *text_file(const directory *f, const char *text)
{
    file_write(f->file, (const uint8_t *)text, strlen(text));
    return f->file;
}

/* A fault that names the words. */
#define assert_says(call, fault, words)                                                            \
    do {                                                                                           \
        const char *said_ = (call);                                                                \
        if (said_ == NULL) fail_msg("%s: nothing said, wanted \"%s\"", #call, words);              \
        assert_ptr_equal(said_, fault);                                                            \
        if (strstr(said_, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", said_, words);    \
    } while (0)

#define assert_silent(call)                                                                        \
    do {                                                                                           \
        const char *said_ = (call);                                                                \
        if (said_ != NULL) fail_msg("%s: %s", #call, said_);                                       \
    } while (0)

#endif
