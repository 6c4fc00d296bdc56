/* The customers of the auto-loan study: a file, or the synthetic stand-in. */
#include "customers.h"
#include "core/fault.h"
#include "lab/loan/file.h"
#include "lab/loan/standin.h"
#include "lab/text/grouped.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *sotto__customers_open(const char *path, sotto__customers *out,
                                  char fault[SOTTO_FAULT_BYTES])
{
    *out = (sotto__customers){0};
    if (sotto__loan_open(path, &out->loan, fault) != NULL) return fault;
    out->population = &out->loan->population;
    out->rows = out->loan->rows;
    out->synthetic = sotto__loan_origin_of(&out->loan->signs) != SOTTO__LOAN_UNKNOWN;
    return NULL;
}

void sotto__customers_close(sotto__customers *customers)
{
    sotto__loan_free(customers->loan);
    *customers = (sotto__customers){0};
}

/* A file that shows the marks of a stand-in is one, whatever it is called. */
const char *sotto__customers_notice(const sotto__customers *customers, const char *path,
                                    sotto__pool *pool)
{
    if (customers->loan == NULL) return NULL;
    char rows[SOTTO__GROUPED_BYTES];
    sotto__grouped((double)customers->rows, rows);
    const char *file = path == NULL ? "the stand-in that comes with sotto" : path;
    if (!customers->synthetic) {
        return sotto__pool_print(pool,
                                 "Auto loans: %s customers of %s, taken as given: nothing "
                                 "in a file can prove where it comes from.",
                                 rows, file);
    }
    sotto__loan_origin origin = sotto__loan_origin_of(&customers->loan->signs);
    return sotto__pool_print(pool,
                             "Auto loans: SYNTHETIC customers (%s). The %s rows of %s are "
                             "not the data of the study, and nothing below about auto loans is a "
                             "result on that data.",
                             sotto__loan_origin_name(origin), rows, file);
}

/* Never over a file that is there: it might be the data. */
const char *sotto__customers_write(const char *path, uint64_t seed, uint32_t *rows,
                                   char fault[SOTTO_FAULT_BYTES])
{
    FILE *file = fopen(path, "wx");
    if (file == NULL) return sotto__fault(fault, "%s", strerror(errno));
    *rows = SOTTO__LOAN_STANDIN_ROWS;
    sotto_status status = sotto__loan_standin_write(file, *rows, seed);
    bool written = !ferror(file);
    if (fclose(file) != 0) written = false;
    if (status != SOTTO_OK) return sotto__fault(fault, "%s", sotto_status_text(status));
    return written ? NULL : sotto__fault(fault, "%s", strerror(errno));
}
