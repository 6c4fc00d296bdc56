/* Whether a sanitizer checks every load: then a few settings go the ways of many, and numbers are for the
 * plain build. */
#ifndef SOTTO_TEST_CHECKED_H
#define SOTTO_TEST_CHECKED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOADS_ARE_CHECKED 1
#else
#define LOADS_ARE_CHECKED 0
#endif

#endif
