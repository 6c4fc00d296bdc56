/* Finding pages. There are about a dozen: they are tried one after the other. */
#include "pages.h"

#include <string.h>

#include "page_files.inc" /* which table.cmake writes */

const page_file *pages_find(const char *path)
{
    for (size_t i = 0; i < sizeof page_files / sizeof page_files[0]; i++) {
        if (strcmp(page_files[i].path, path) == 0) return &page_files[i];
    }
    return NULL;
}
