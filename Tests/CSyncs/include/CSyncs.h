// Lets tests observe every sync of their own process.
#ifndef NIGHTJAR_CSYNCS_H
#define NIGHTJAR_CSYNCS_H

typedef void (*SyncObserver)(int descriptor);

// Calls `observer` before each `fsync` and `fdatasync` of this process, on the thread that syncs. NULL ends it.
void observe_syncs(SyncObserver observer);

#endif
