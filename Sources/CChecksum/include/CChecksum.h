// Computes CRC-32C (Castagnoli) with a processor instruction that Swift does not offer. On a processor without the
// instruction, a table gives the same values. This module must not open files.
#ifndef NIGHTJAR_CCHECKSUM_H
#define NIGHTJAR_CCHECKSUM_H

#include <stddef.h>
#include <stdint.h>

// Continues the CRC-32C `crc` with `count` bytes. The CRC-32C of no bytes is 0.
uint32_t crc32c_update(uint32_t crc, const void *_Nullable bytes, size_t count);

// Writes the CRC-32C of each of three adjacent ranges of `count` bytes to `sums`. The first range begins at
// `start`. The instruction takes three cycles, but a processor can start one in each cycle. Three ranges
// therefore take hardly more time than one.
void crc32c_three(const void *_Nonnull start, size_t count, uint32_t *_Nonnull sums);

// Returns the same value as `crc32c_update`, computed with the table. Only tests call this function directly.
uint32_t crc32c_update_portable(uint32_t crc, const void *_Nullable bytes, size_t count);

#endif
