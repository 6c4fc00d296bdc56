/*
 * The laboratory: the only part that sees both sides, and the only one that can be seeded. It runs
 * the client and server code that ships. Not for production: a seeded report protects nobody.
 * What NULL does is said at the head of core.h.
 *
 *     lab/mechanism.h     mechanisms by name
 *     lab/environment.h   where people come from
 *     lab/method.h        methods by name
 *     lab/match.h         a method in an environment
 *     lab/run.h           matches played, one or many
 *     lab/comparison.h    methods compared: rows and a summary
 *     lab/plan.h          regret predicted, not played
 *     lab/audit.h         what a mechanism gives away
 *     lab/dataset.h       people from a file
 *     lab/replay.h        methods on people from a file
 */
#ifndef SOTTO_LAB_H
#define SOTTO_LAB_H

#include <sotto/lab/audit.h>
#include <sotto/lab/comparison.h>
#include <sotto/lab/dataset.h>
#include <sotto/lab/environment.h>
#include <sotto/lab/match.h>
#include <sotto/lab/mechanism.h>
#include <sotto/lab/method.h>
#include <sotto/lab/plan.h>
#include <sotto/lab/replay.h>
#include <sotto/lab/run.h>

#endif
