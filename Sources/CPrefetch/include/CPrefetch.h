// Functions that Swift does not offer: hints to the processor and the kernel. The hints never change the result of a
// program. This module must not depend on the content of the memory.
#ifndef NIGHTJAR_CPREFETCH_H
#define NIGHTJAR_CPREFETCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

// Prefetches the cache line at `address`, which may be invalid.
static inline void prefetch_line(const void *_Nonnull address) { __builtin_prefetch(address, 0, 3); }

// Requests huge pages for all pages that lie completely within `length` bytes from `start`. Random reads then need
// fewer page-table lookups. If the kernel refuses the request, only the speed changes.
static inline void prefer_huge_pages(void *_Nonnull start, size_t length) {
#ifdef MADV_HUGEPAGE
  uintptr_t page = 4096, first = ((uintptr_t)start + page - 1) / page * page, end = ((uintptr_t)start + length) / page * page;
  if (end > first) (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
  (void)start, (void)length;
#endif
}

#endif
