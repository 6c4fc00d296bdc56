/* What a match truly promises each person, whatever it claims. */
#ifndef SOTTO_LAB_RUN_TRUE_PRIVACY_H
#define SOTTO_LAB_RUN_TRUE_PRIVACY_H

#include <sotto/lab/matches.h>

typedef struct sotto__true_privacy {
    double epsilon;  /* the smallest that can be proved at `delta`; infinity: none */
    double delta;    /* 0 for pure epsilon */
    const char *why; /* in a few words */
} sotto__true_privacy;

/* Calibration paper, gaussian noise: the largest distance of two secrets in units of its sd. */
double sotto__paper_whitened(const sotto_match *match);

/* Of a match without corrections. */
sotto__true_privacy sotto__true_privacy_of(const sotto_match *match);

#endif
