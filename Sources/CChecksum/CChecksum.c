#include "CChecksum.h"

#include <string.h>

// The remainder of one byte modulo the reflected polynomial 0x82F63B78. Source: RFC 3720, appendix B.4.
static uint32_t table_entry(uint32_t byte) {
  for (int bit = 0; bit < 8; bit++) byte = byte >> 1 ^ (0x82F63B78u & (0u - (byte & 1u)));
  return byte;
}

uint32_t crc32c_update_portable(uint32_t crc, const void *bytes, size_t count) {
  uint32_t table[256];
  for (int byte = 0; byte < 256; byte++) table[byte] = table_entry((uint32_t)byte);
  const uint8_t *next = bytes;
  crc = ~crc;
  for (size_t n = 0; n < count; n++) crc = crc >> 8 ^ table[(crc ^ next[n]) & 255];
  return ~crc;
}

#ifdef __x86_64__
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t update_fast(uint32_t crc, const uint8_t *next, size_t count) {
  uint64_t sum = (uint32_t)~crc, word;
  for (; count >= 8; count -= 8, next += 8) {
    memcpy(&word, next, 8);
    sum = _mm_crc32_u64(sum, word);
  }
  for (; count > 0; count--, next++) sum = _mm_crc32_u8((uint32_t)sum, *next);
  return ~(uint32_t)sum;
}

__attribute__((target("sse4.2"))) static void three_fast(const uint8_t *start, size_t count, uint32_t *sums) {
  const uint8_t *first = start, *second = start + count, *third = second + count;
  uint64_t a = 0xFFFFFFFFu, b = a, c = a, word;
  size_t n = 0;
  for (; n + 8 <= count; n += 8) {
    memcpy(&word, first + n, 8);
    a = _mm_crc32_u64(a, word);
    memcpy(&word, second + n, 8);
    b = _mm_crc32_u64(b, word);
    memcpy(&word, third + n, 8);
    c = _mm_crc32_u64(c, word);
  }
  sums[0] = update_fast(~(uint32_t)a, first + n, count - n);
  sums[1] = update_fast(~(uint32_t)b, second + n, count - n);
  sums[2] = update_fast(~(uint32_t)c, third + n, count - n);
}

static int is_fast(void) { return __builtin_cpu_supports("sse4.2"); }
#else
static uint32_t update_fast(uint32_t crc, const uint8_t *next, size_t count) {
  return crc32c_update_portable(crc, next, count);
}
static void three_fast(const uint8_t *start, size_t count, uint32_t *sums) { (void)start, (void)count, (void)sums; }
static int is_fast(void) { return 0; }
#endif

uint32_t crc32c_update(uint32_t crc, const void *bytes, size_t count) {
  return is_fast() ? update_fast(crc, bytes, count) : crc32c_update_portable(crc, bytes, count);
}

void crc32c_three(const void *start, size_t count, uint32_t *sums) {
  if (is_fast()) {
    three_fast(start, count, sums);
    return;
  }
  for (int part = 0; part < 3; part++)
    sums[part] = crc32c_update_portable(0, (const uint8_t *)start + (size_t)part * count, count);
}
