// System functions that Swift's Glibc module lacks, because they need _GNU_SOURCE, are variadic, or call fork.
// This module must not decide when a function is called, and must not print messages.
#ifndef NIGHTJAR_CLINUX_H
#define NIGHTJAR_CLINUX_H

#include <stddef.h>

// Renames `from` to `to`. Fails with EEXIST if `to` exists. Returns 0, or -1 with errno set.
int linux_rename_without_replacing(const char *from, const char *to);

// Atomically exchanges two existing names. Returns 0, or -1 with errno set.
int linux_rename_exchanging(const char *one, const char *other);

// Makes the kernel send `signal` to this process when the thread that started this process ends. Returns 0, or -1 with
// errno set.
int linux_signal_on_parent_death(int signal);

// Makes the kernel start to write the cached bytes of an open file to disk. Does not wait, and ignores errors.
void linux_begin_writing(int descriptor);

// Reserves disk space for `length` bytes at `offset`, the end of an open file, and extends the file by `length`.
// Returns 1 on success, and 0 if the file system cannot reserve space or would gain nothing. Returns -1 with errno set
// if the disk has too little space or fails. The file is then truncated to `offset`.
int linux_reserve(int descriptor, long long offset, long long length);

// Returns the first offset of `part` in `text`, or -1 if `text` does not contain `part`.
long linux_find(const void *text, size_t length, const void *part, size_t part_length);

// Handles SIGINT, SIGTERM and SIGHUP. Instead of ending the process, each signal causes its number to be written, as
// one byte, to the descriptor. Ignored signals stay ignored, as under nohup. Child programs get the default handling.
// Returns 0, or -1 with errno set.
int linux_watch_signals(int descriptor);

// Runs `body` on a new thread with a stack of `stack_size` bytes (0: the default). If `thread` is NULL, the thread is
// detached. Otherwise the caller must call linux_join_thread exactly once. Returns 0, or an error number.
int linux_start_thread(void *(*body)(void *), void *argument, size_t stack_size, unsigned long *thread);

// Waits until a thread ends.
void linux_join_thread(unsigned long thread);

// Makes malloc keep freed memory for later calls.
// Blocks of at least `block` bytes still return to the kernel, and so does free memory at the end of the heap beyond
// `rest` bytes. Both thresholds stop adapting to the program.
void linux_keep_freed_memory(int block, int rest);

// Sets the name of this process in process lists. The kernel keeps only the first 15 bytes of the name.
void linux_name_process(const char *name);

// Opens an empty, unnamed file in memory that closes on exec. Returns the descriptor, or -1 with errno set.
int linux_memory_file(const char *name);

// Creates a pipe whose ends close on exec. ends[0] is the end for reading. Returns 0, or -1 with errno set.
int linux_pipe(int ends[2]);

// Starts the program at `path` with three streams: standard input, output and error. The program runs in `directory`
// (NULL: the current directory) and with `environment` (NULL: this process's environment). The kernel kills the child
// when the calling THREAD ends. Only the child can request this, so posix_spawn does not suffice.
// An isolated child gets its own process group, the default handling of SIGPIPE, and no other descriptor. Any
// other child inherits all descriptors that do not close on exec.
// Returns the process id, or -1 with errno set if the process cannot be started or the program cannot be executed.
int linux_start_process(const char *path, char *const arguments[], char *const environment[], const char *directory,
                        const int streams[3], int isolated);

#endif
