#define _GNU_SOURCE
#include "CSyncs.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic(SyncObserver) current = NULL;

void observe_syncs(SyncObserver observer) { atomic_store(&current, observer); }

static long observed(long call, int descriptor) {
  SyncObserver observer = atomic_load(&current);
  if (observer != NULL) observer(descriptor);
  return syscall(call, descriptor);
}

// The linker prefers these definitions to the C library's, also for calls from shared libraries.
int fsync(int descriptor) { return (int)observed(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return (int)observed(SYS_fdatasync, descriptor); }
