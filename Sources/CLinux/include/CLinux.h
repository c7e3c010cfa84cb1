// System calls that Swift's Glibc module lacks, because they need _GNU_SOURCE or are variadic, and the fork that it
// refuses.
#ifndef NIGHTJAR_CLINUX_H
#define NIGHTJAR_CLINUX_H

#include <stddef.h>

// Renames `from` to `to`, and fails with EEXIST where `to` exists. Returns 0, or -1 with errno set.
int linux_rename_without_replacing(const char *from, const char *to);

// Exchanges two names, which must both exist, in one step. Returns 0, or -1 with errno set.
int linux_rename_exchanging(const char *one, const char *other);

// Asks the kernel to send `signal` to this process when its parent dies. Returns 0, or -1 with errno set.
int linux_signal_on_parent_death(int signal);

// Asks the kernel to start writing the cached bytes of an open file to disk, without waiting. Only a hint: a failure loses
// nothing.
void linux_begin_writing(int descriptor);

// Sets the disk's room for `length` bytes from `offset`, the end of an open file, on aside; the file is then so long. Returns 1; 0
// where the file system cannot, or gains nothing by it; -1 with errno set where there is not so much room, or the disk fails: it
// tries to leave the file as it was.
int linux_reserve(int descriptor, long long offset, long long length);

// The first offset of `part` in `text`, or -1.
long linux_find(const void *text, size_t length, const void *part, size_t part_length);

// From now on, SIGINT, SIGTERM and SIGHUP do not end this process: the number of each that comes is written to the
// descriptor, as one byte. Signals that are ignored stay so (as under nohup). Programs that are started have the usual
// handling. Returns 0, or -1 with errno set.
int linux_watch_signals(int descriptor);

// Runs `body` on a new thread with a stack of this many bytes (0: the default). If `thread` is NULL, the thread is detached;
// otherwise the caller must call linux_join_thread with it once. Returns 0, or an error number.
int linux_start_thread(void *(*body)(void *), void *argument, size_t stack_size, unsigned long *thread);

// Waits for the end of a thread.
void linux_join_thread(unsigned long thread);

// From now on malloc keeps freed memory for the next call, but for blocks of `block` bytes and more that it got from the
// kernel for themselves, and what is free at the end of its memory beyond `rest` bytes. Sizes that are set do not adapt
// themselves any more.
void linux_keep_freed_memory(int block, int rest);

// Opens an empty file without a name in memory, closed on exec. Returns the descriptor, or -1 with errno set.
int linux_memory_file(const char *name);

// Makes a pipe whose ends, the reading one first, are closed on exec. Returns 0, or -1 with errno set.
int linux_pipe(int ends[2]);

// Starts the program at `path` in the directory `directory` (NULL: this one), with `environment` (NULL: this process's) and
// the three descriptors as its streams. The kernel kills it when the calling THREAD ends: only the child itself can ask for
// that, which is why posix_spawn will not do. An isolated child gets a process group of its own, the default handling of
// SIGPIPE, and no other descriptor; any other inherits what is not closed on exec. Returns the process id, or -1 with errno
// set, also for a program that cannot be executed.
int linux_start_process(const char *path, char *const arguments[], char *const environment[], const char *directory,
                        const int streams[3], int isolated);

#endif
