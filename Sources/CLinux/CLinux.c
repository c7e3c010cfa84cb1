#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/magic.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

int linux_rename_without_replacing(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int linux_rename_exchanging(const char *one, const char *other) {
  return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

int linux_signal_on_parent_death(int signal) {
  return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}

void linux_begin_writing(int descriptor) {
  (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
}

int linux_reserve(int descriptor, long long offset, long long length) {
  struct statfs system;
  // On tmpfs, reserving pages costs as much as writing them.
  if (fstatfs(descriptor, &system) == 0 && system.f_type == TMPFS_MAGIC) return 0;
  int status;
  do status = fallocate(descriptor, 0, offset, length);
  while (status != 0 && errno == EINTR);
  if (status == 0) return 1;
  switch (errno) {
  case EOPNOTSUPP: case ENOSYS: case ENODEV: case ESPIPE: case EINVAL: case EPERM: case EFBIG: return 0;
  }
  // The file system may have reserved a part of the space, which this call releases.
  int code = errno;
  (void)!ftruncate(descriptor, offset);
  errno = code;
  return -1;
}

void linux_keep_freed_memory(int block, int rest) {
  (void)mallopt(M_MMAP_THRESHOLD, block);
  (void)mallopt(M_TRIM_THRESHOLD, rest);
}

void linux_name_process(const char *name) { (void)prctl(PR_SET_NAME, name); }

static int watched = -1;

// The signal handler. It calls only functions that POSIX allows in signal handlers.
static void note_signal(int signal) {
  int code = errno;
  unsigned char byte = (unsigned char)signal;
  // If the pipe is full, an earlier signal is already pending in it.
  (void)!write(watched, &byte, 1);
  errno = code;
}

int linux_watch_signals(int descriptor) {
  watched = descriptor;
  const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  // The parent process may have blocked these signals, for example in a pool thread.
  sigset_t all;
  sigemptyset(&all);
  for (int index = 0; index < 3; index++) sigaddset(&all, signals[index]);
  if (pthread_sigmask(SIG_UNBLOCK, &all, NULL) != 0) return -1;
  for (int index = 0; index < 3; index++) {
    struct sigaction action;
    if (sigaction(signals[index], NULL, &action) != 0) return -1;
    if (action.sa_handler == SIG_IGN) continue;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    action.sa_handler = note_signal;
    if (sigaction(signals[index], &action, NULL) != 0) return -1;
  }
  return 0;
}

int linux_start_thread(void *(*body)(void *), void *argument, size_t stack_size, unsigned long *thread) {
  pthread_attr_t attributes;
  int code = pthread_attr_init(&attributes);
  if (code != 0) return code;
  if (thread == NULL) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack_size > 0) pthread_attr_setstacksize(&attributes, stack_size);
  pthread_t created;
  code = pthread_create(&created, &attributes, body, argument);
  pthread_attr_destroy(&attributes);
  if (code == 0 && thread != NULL) *thread = created;
  return code;
}

void linux_join_thread(unsigned long thread) {
  (void)pthread_join(thread, NULL);
}

int linux_memory_file(const char *name) {
  return memfd_create(name, MFD_CLOEXEC);
}

int linux_pipe(int ends[2]) {
  return pipe2(ends, O_CLOEXEC);
}

// The data that the child needs to start the program: the arguments of linux_start_process and the parent's process id.
struct start {
  const char *path;
  char *const *arguments;
  char *const *environment;
  const char *directory;
  const int *streams;
  int isolated;
  pid_t parent;
};

// Runs in the child of linux_start_process. Returns only on failure, with errno set. After the fork of a multithreaded
// program, POSIX allows only async-signal-safe calls.
static void become(const struct start *start) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return;
  if (getppid() != start->parent) _exit(127);
  if (start->isolated) setpgid(0, 0);
  // If the parent's standard streams were closed, its pipes may have the descriptors 0, 1 and 2. All three streams are
  // therefore first copied to other descriptors.
  int copies[3];
  for (int index = 0; index < 3; index++) copies[index] = fcntl(start->streams[index], F_DUPFD_CLOEXEC, 3);
  for (int index = 0; index < 3; index++) {
    if (copies[index] < 0 || dup2(copies[index], index) < 0) return;
  }
  if (start->isolated) {
    // The child must not keep the parent's other descriptors open, especially the lock files. The descriptors
    // close on exec, and not before, so that a failed exec can still be reported through the pipe.
    if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return;
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
  }
  if (start->directory != NULL && chdir(start->directory) != 0) return;
  execve(start->path, start->arguments, start->environment);
}

int linux_start_process(const char *path, char *const arguments[], char *const environment[], const char *directory,
                        const int streams[3], int isolated) {
  // A successful exec closes this pipe. After a failed exec, the child writes the error number to the pipe.
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return -1;
  struct start start = {path, arguments, environment == NULL ? environ : environment, directory, streams, isolated,
                        getpid()};
  pid_t child = fork();
  if (child == 0) {
    become(&start);
    int code = errno;
    (void)!write(report[1], &code, sizeof code);
    _exit(127);
  }
  int code = errno;
  close(report[1]);
  if (child > 0) {
    ssize_t count;
    int failure = 0;
    do count = read(report[0], &failure, sizeof failure);
    while (count < 0 && errno == EINTR);
    if (count == sizeof failure) {
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
      child = -1;
      code = failure;
    }
  }
  close(report[0]);
  errno = code;
  return child;
}

long linux_find(const void *text, size_t length, const void *part, size_t part_length) {
  const char *found = memmem(text, length, part, part_length);
  return found == NULL ? -1 : found - (const char *)text;
}
