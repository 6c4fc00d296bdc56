/* First line of defence of the boundary: this directory's headers stop every other side's compiler. */
#ifndef SOTTO_SERVER_SIDE_H
#define SOTTO_SERVER_SIDE_H

#if !defined(SOTTO_SIDE_SERVER) && !defined(SOTTO_SIDE_LAB)
#error "src/server belongs to the server's side: client and core code may not use it"
#endif

#endif
