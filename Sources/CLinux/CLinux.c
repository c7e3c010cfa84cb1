#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>

int linux_rename_without_replacing(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int linux_signal_on_parent_death(int signal) {
  return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}
