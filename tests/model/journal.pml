/*
 * The journal as a model: devices, gateways, publishers and retention over one database, with kills, lost answers and
 * reports that are sent again. Each atomic block is one transaction of the service, or one step of one process's
 * memory; README.md names the function of each.
 *
 * What holds in every state (checked by Spin over all interleavings):
 *   1. no report counts twice; an acknowledged one counts, or waits in a row, or was late: its epoch was closed when
 *      a publisher saw it;
 *   2. an epoch has one model: whoever sees it sees the same.
 *
 * A gateway keeps nothing that counts, so it is an atomic step of the request: append a row, then answer. A killed
 * gateway is an answer that never comes. A publisher has memory: a learner (`times`), how far it read (`cut`) and the
 * nonces of open epochs. A killed publisher loses them and loads them again.
 *
 * With -DMUTANT one rule is broken, and Spin must find the error.
 */
#ifndef REPORTS
#define REPORTS 2
#endif
#ifndef GATEWAYS
#define GATEWAYS 2
#endif
#ifndef PUBLISHERS
#define PUBLISHERS 2
#endif
#ifndef EPOCHS
#define EPOCHS 2   /* models 0 to 2 */
#define LAG 0      /* a report may be so many epochs late */
#endif
#ifndef SENDS
#define SENDS(r) (r == 0 -> 2 : 1) /* report 0 may be sent again, after an answer or without */
#define ROWS 3
#endif
#ifndef KILLS
#define KILLS 1    /* of publishers */
#endif
#define NONE 255

/* ---- what is durable ---- */
byte row[GATEWAYS * ROWS];        /* the report of each row of each gateway */
bool removed[GATEWAYS * ROWS];    /* by retention */
byte rows[GATEWAYS];
typedef Model {
    byte times[REPORTS];          /* how often its learner has counted each report */
    byte cut[GATEWAYS];           /* the rows that it has seen */
    bool late[REPORTS]
};
Model model[EPOCHS + 1];
byte newest;

/* ---- what devices and observers know ---- */
byte epoch_of[REPORTS];           /* the model that a device decided with */
bool acknowledged[REPORTS];
byte kills;
byte seen[EPOCHS + 1];            /* the content of each model when it was first seen */

#define CONTENT(e) (model[e].times[0] + 3 * model[e].times[1] + 9 * model[e].late[0] + 18 * model[e].late[1])
#define IS_CLOSED(r, e) (epoch_of[r] + LAG < (e))
#ifdef LATE_TOO_EARLY
#define IS_LATE(r, e) (epoch_of[r] + LAG <= (e))
#else
#define IS_LATE(r, e) IS_CLOSED(r, e)
#endif

#define IS_OLD_END (!removed[g * ROWS + i] && (i == 0 || removed[g * ROWS + i - 1]))
#ifdef REMOVE_OPEN_EPOCHS
#define MAY_GO(r) true
#else
#define MAY_GO(r) IS_CLOSED(r, newest)
#endif

/* An acknowledged report is counted once, or late, or waits in a row that the newest model has not seen. */
inline check()
{
    for (i : 0 .. REPORTS - 1) {
        waits = false;
        for (g : 0 .. GATEWAYS - 1) {
            for (k : 0 .. ROWS - 1) {
                waits = waits || (k >= model[newest].cut[g] && k < rows[g] && !removed[g * ROWS + k] && row[g * ROWS + k] == i)
            }
        }
        assert(!acknowledged[i] || waits || model[newest].times[i] == 1 || model[newest].late[i])
    }
    i = 0; g = 0; k = 0; waits = false
}

inline see(e)
{
    if
    :: seen[e] == NONE -> seen[e] = CONTENT(e)
    :: else -> assert(seen[e] == CONTENT(e)) /* one model per epoch */
    fi
}

proctype Device(byte r)
{
    byte sends = 0, gateway, i, g, k;
    bool waits;
    d_step { epoch_of[r] = newest; see(newest) }
    do
    :: sends < SENDS(r) -> atomic {
            sends++;
            if
            :: gateway = 0
            :: gateway = GATEWAYS - 1
            fi;
#ifdef ACKNOWLEDGE_BEFORE_COMMIT
            acknowledged[r] = true
        }
        if
        :: gateway = 0 /* the gateway is killed here */
        :: atomic { row[gateway * ROWS + rows[gateway]] = r; rows[gateway]++; gateway = 0 }
        fi
#else
            row[gateway * ROWS + rows[gateway]] = r; rows[gateway]++; gateway = 0;
            if
            :: skip /* the answer is lost, or the gateway killed; the device may send again */
            :: acknowledged[r] = true
            fi
        }
        d_step { check() }
#endif
    :: break
    od;
    sends = 0
}

/* A publisher's memory of row i of gateway g: count it, or not. */
inline fold(r)
{
    if
#ifndef NO_LATE_CHECK
    :: IS_LATE(r, base) -> late[r] = true; assert(base >= epoch_of[r] + LAG + 1) /* only if its epoch is closed */
#endif
#ifndef NO_NONCE_CHECK
    :: nonce[r] && !IS_LATE(r, base) -> skip
#endif
    :: else -> times[r]++; nonce[r] = true; assert(times[r] <= 1) /* none counts twice */
    fi
}

inline forget()
{
    loaded = false; base = 0;
    for (i : 0 .. REPORTS - 1) { times[i] = 0; late[i] = false; nonce[i] = false }
    for (g : 0 .. GATEWAYS - 1) { cut[g] = 0 }
    i = 0; g = 0
}

proctype Publisher()
{
    byte base, i, g, k;
    bool waits;
    byte times[REPORTS], cut[GATEWAYS];
    bool late[REPORTS], nonce[REPORTS], loaded = false;
    do
    :: newest == EPOCHS -> break
    :: kills < KILLS && loaded -> d_step { kills++; forget() } /* killed: its memory is gone */
    :: !loaded && newest < EPOCHS -> d_step { /* load: the newest model, and the nonces of rows up to its cut */
            base = newest;
            for (i : 0 .. REPORTS - 1) {
                times[i] = model[base].times[i]; late[i] = model[base].late[i]; nonce[i] = false
            }
            for (g : 0 .. GATEWAYS - 1) { cut[g] = model[base].cut[g] }
#ifndef NONCES_NOT_LOADED
            for (g : 0 .. GATEWAYS - 1) {
                for (i : 0 .. ROWS - 1) {
                    if
                    :: i < cut[g] && !removed[g * ROWS + i] -> nonce[row[g * ROWS + i]] = true
                    :: else -> skip
                    fi
                }
            }
#endif
            loaded = true; i = 0; g = 0
        }
    :: loaded && base < EPOCHS -> d_step { /* read the rows after the cut, and fold them in memory */
            for (g : 0 .. GATEWAYS - 1) {
                for (i : 0 .. ROWS - 1) {
                    if
                    :: i >= cut[g] && i < rows[g] && !removed[g * ROWS + i] -> fold(row[g * ROWS + i])
#ifdef FORGET_BEFORE_PUBLISH
                        removed[g * ROWS + i] = true
#endif
                    :: else -> skip
                    fi
                }
#ifndef CUT_AT_PUBLISH
                cut[g] = rows[g]
#endif
            }
            i = 0; g = 0
        }
#ifdef SERVE_BEFORE_COMMIT
        atomic {
            byte early = times[0] + 3 * times[1] + 9 * late[0] + 18 * late[1];
            if
            :: seen[base + 1] == NONE -> seen[base + 1] = early
            :: else -> skip
            fi;
            early = 0
        }
#endif
        if
        :: kills < KILLS -> d_step { kills++; forget() } /* killed before the commit */
        :: d_step { /* publish: the primary key (experiment, epoch) is the fence */
#ifdef NO_FENCE
            true ->
#else
            newest == base ->
#endif
                base++;
                for (i : 0 .. REPORTS - 1) { model[base].times[i] = times[i]; model[base].late[i] = late[i] }
                for (g : 0 .. GATEWAYS - 1) {
#ifdef CUT_AT_PUBLISH
                    cut[g] = rows[g];
#endif
                    model[base].cut[g] = cut[g]
                }
                newest = (newest > base -> newest : base);
                check()
            }
#ifndef NO_FENCE
        :: d_step { newest != base -> /* fenced: another publisher was first */
#ifdef KEEP_AFTER_FENCE
                base = newest
#else
                forget()
#endif
            }
#endif
        fi
    od
}

/* Removes rows from the old end: seen by the newest model, of epochs that are closed. */
proctype Retention()
{
    byte i, g, k;
    bool waits;
    do
    :: newest > 0 -> d_step {
            for (g : 0 .. GATEWAYS - 1) {
                for (i : 0 .. ROWS - 1) {
                    if
                    :: i < model[newest].cut[g] && IS_OLD_END && MAY_GO(row[g * ROWS + i]) -> removed[g * ROWS + i] = true
#ifdef REMOVE_UNSEEN
                    :: i < rows[g] && i >= model[newest].cut[g] && !removed[g * ROWS + i] -> removed[g * ROWS + i] = true
#endif
                    :: else -> skip
                    fi
                }
            }
            check()
        }
    :: break
    od
}

init
{
    byte i;
    atomic {
        for (i : 0 .. EPOCHS) { seen[i] = NONE }
        for (i : 0 .. REPORTS - 1) { run Device(i) }
        for (i : 1 .. PUBLISHERS) { run Publisher() }
        run Retention()
    }
}
