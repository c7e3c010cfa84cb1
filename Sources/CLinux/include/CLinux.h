// System calls that Swift's Glibc module lacks, because they need _GNU_SOURCE or are variadic.
#ifndef NIGHTJAR_CLINUX_H
#define NIGHTJAR_CLINUX_H

// Renames `from` to `to`, and fails with EEXIST where `to` exists. Returns 0, or -1 with errno set.
int linux_rename_without_replacing(const char *from, const char *to);

// Asks the kernel to send `signal` to this process when its parent dies. Returns 0, or -1 with errno set.
int linux_signal_on_parent_death(int signal);

#endif
