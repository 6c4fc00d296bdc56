/* Finding pages. There are about a dozen: they are tried one after the other. */
#include "inner.h"

#include <string.h>

const page_file *pages_find(const char *path)
{
    for (size_t i = 0; i < page_files_count; i++) {
        if (strcmp(page_files[i].path, path) == 0) return &page_files[i];
    }
    return NULL;
}
