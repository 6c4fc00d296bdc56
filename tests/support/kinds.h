/* Every kind of experiment that a report can belong to, small: 3 numbers, 3 arms. */
#ifndef SOTTO_KINDS_H
#define SOTTO_KINDS_H

#include <sotto/core.h>

#define DIM 3
#define ARMS 3

typedef enum kind { SHARED, SIGNS, TAGS, JOINT, SPLIT, TICKS, PER_ARM_TICKS, KINDS } kind;
#define INDEX_KINDS TICKS /* the kinds before it report indices */

sotto_terms resolved_of(kind k);

#endif
