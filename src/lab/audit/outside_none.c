/* For hosts that cannot start a program, such as a page. The audit reports this as a fault. */
#include "inner.h"

sotto_status sotto__ask_outside(sotto__subject *subject, const sotto__script *script,
                                sotto__taker *taker)
{
    (void)script;
    (void)taker;
    sotto__refuse(&subject->fault, "no program can be started here");
    return SOTTO_OK;
}
