/* What files of this room share. */
#ifndef SOTTO_SERVICE_PAGES_INNER_H
#define SOTTO_SERVICE_PAGES_INNER_H

#include "pages.h"

/* page_files.c, which table.cmake writes. */
extern const page_file page_files[];
extern const size_t page_files_count;

#endif
