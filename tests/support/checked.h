/* True if a sanitizer checks every load. Then tests of many settings run only a few of them, and
 * limits that fit only the plain build do not apply. */
#ifndef SOTTO_TEST_CHECKED_H
#define SOTTO_TEST_CHECKED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOADS_ARE_CHECKED 1
#else
#define LOADS_ARE_CHECKED 0
#endif

#endif
