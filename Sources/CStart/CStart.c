#include "CStart.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NIGHTJAR_SANITIZED 1
#endif
#endif

#if defined(__linux__) && !defined(NIGHTJAR_SANITIZED)
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

// The maximum number of environment variables that are passed on. With more, the program continues with the existing threads.
#define MOST 4096

static const char setting[] = "OPENBLAS_NUM_THREADS=1";

// OpenBLAS starts a thread per processor when it is loaded, before any code of a program, and each reserves 128 MB of address
// space. Under a limit it then hangs, at the start or at the end. Only the environment variable prevents this, so a program
// without it executes itself again with it. If that fails, the program continues.
static void hold_blas_to_one_thread(int argc, char **argv, char **environment) {
  (void)argc;
  size_t count = 0;
  for (; environment[count]; count++)
    if (!strncmp(environment[count], setting, sizeof setting - 2)) return;
  static char *all[MOST + 2];
  static char path[PATH_MAX];
  if (count > MOST) return;
  memcpy(all, environment, count * sizeof *all);
  all[count] = (char *)setting;
  // Executes the file by its real path, because process lists show that name.
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) execve(path, argv, all);
}

// Runs before the constructors of libraries, including OpenBLAS.
__attribute__((section(".preinit_array"), used)) static void (*const hook)(int, char **, char **) =
    hold_blas_to_one_thread;
#endif
