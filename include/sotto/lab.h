/*
 * The lab is the only part that sees both sides, and the only one that can be seeded. It runs
 * the client and server code that ships. Not for production: a seeded report is not private.
 * The head of core.h says what NULL does.
 *
 * It computes in the floating-point environment of the calling thread: leave that at the default, or results
 * differ. After each call of a listener or another function of the caller, the lab sets the default again.
 *
 *     lab/mechanisms.h    mechanisms by name
 *     lab/environments.h  where people come from
 *     lab/methods.h       methods by name
 *     lab/matches.h       a method in an environment
 *     lab/runs.h          matches played, one or many
 *     lab/comparisons.h   methods compared: rows and a summary
 *     lab/shards.h        a sweep on several machines
 *     lab/plans.h         regret predicted instead of played
 *     lab/floors.h        the regret that epsilon costs any method
 *     lab/audits.h        how much a mechanism reveals
 *     lab/plugins.h       custom methods, environments and mechanisms
 *     lab/datasets.h      people from a file
 *     lab/replays.h       methods on people from a file
 */
#ifndef SOTTO_LAB_H
#define SOTTO_LAB_H

#include <sotto/lab/audits.h>
#include <sotto/lab/comparisons.h>
#include <sotto/lab/datasets.h>
#include <sotto/lab/environments.h>
#include <sotto/lab/floors.h>
#include <sotto/lab/matches.h>
#include <sotto/lab/mechanisms.h>
#include <sotto/lab/methods.h>
#include <sotto/lab/plans.h>
#include <sotto/lab/plugins.h>
#include <sotto/lab/replays.h>
#include <sotto/lab/runs.h>
#include <sotto/lab/shards.h>

#endif
