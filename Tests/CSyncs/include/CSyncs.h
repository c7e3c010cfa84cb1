// Lets tests observe every sync of their own process.
#ifndef NIGHTJAR_CSYNCS_H
#define NIGHTJAR_CSYNCS_H

typedef void (*SyncObserver)(int descriptor);

// Makes this process call `observer` before each `fsync` and `fdatasync`, on the thread that syncs.
// NULL stops the calls.
void observe_syncs(SyncObserver observer);

#endif
