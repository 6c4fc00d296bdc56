/* VW text as records: names become the columns of a schema. */
#ifndef SOTTO_LAB_DATASET_VW_H
#define SOTTO_LAB_DATASET_VW_H

#include "record.h"
#include "schema.h"

typedef struct sotto__vw sotto__vw;

/* The schema is borrowed; its format is vw or vw-adf, and it fits. */
SOTTO_CHECK sotto_status sotto__vw_new(const sotto_schema *schema, sotto__vw **out);
void sotto__vw_free(sotto__vw *vw); /* accepts NULL */

/* The next person. The columns of its fields are those of the schema, each at most once; the first field
 * is the label, empty where there is none. NULL, or `fault`. */
const char *sotto__vw_next(sotto__vw *vw, sotto__source *source, sotto__record *record,
                           char *fault);

/* The bucket of a name, below `buckets`, and the sign with which it counts there. */
uint32_t sotto__vw_bucket(const char *name, size_t bytes, uint32_t buckets, double *sign);

#endif
