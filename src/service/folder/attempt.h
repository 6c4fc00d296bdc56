/* One attempt to end an epoch: rows are folded on a copy, and published if enough of them count. */
#ifndef SERVICE_FOLDER_ATTEMPT_H
#define SERVICE_FOLDER_ATTEMPT_H

#include "known.h"
#include "service/fold/fold.h"

/* Rows after the known's cut up to `to`. A held epoch ends as was decided. FOLDER_DONE: it is durable, and the known
 * is the new model. FOLDER_TOO_FEW, FOLDER_HELD: the known is as before, but for its alarms. After all others it must
 * be loaded again. */
folder_outcome folder_attempt(folder_known *known, sottod_folding *folding, sottod_fold *fold,
                              const folding_cut *to, uint64_t minute);
/* Of a closed experiment: rows after the last model are folded and counted, and no epoch ends (folding_end).
 * FOLDER_DONE: that is durable. The known is not used any more. */
folder_outcome folder_attempt_last(folder_known *known, sottod_folding *folding, sottod_fold *fold,
                                   const folding_cut *to);

#endif
