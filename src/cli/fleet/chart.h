/* The learning curve, for people who look before they read. */
#ifndef SOTTO_CLI_FLEET_CHART_H
#define SOTTO_CLI_FLEET_CHART_H

#include "fleet/curve.h"

/* One line per step: a bar, which is full where people lose as much as with random arms. Nothing if nobody came. */
void fleet_chart_print(const sotto__curve *curve);

#endif
