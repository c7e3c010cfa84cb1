// Comparisons of many bytes at once, for which Swift has vectors, but no word that makes bits of their outcome.
#ifndef NIGHTJAR_CBYTES_H
#define NIGHTJAR_CBYTES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// How many more elements than there are matches `places_behind` may overwrite.
static const size_t cbytes_slack = 8;

// Which of the 64 bytes from `start` on are one of four: bit n for byte n.
static inline uint64_t bytes_matching(const uint8_t *_Nonnull start, uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
  uint64_t bits = 0;
#ifdef __SSE2__
  const __m128i va = _mm_set1_epi8((char)a), vb = _mm_set1_epi8((char)b), vc = _mm_set1_epi8((char)c),
                vd = _mm_set1_epi8((char)d);
  for (int part = 0; part < 4; part++) {
    const __m128i x = _mm_loadu_si128((const __m128i *)start + part);
    const __m128i equal = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, va), _mm_cmpeq_epi8(x, vb)),
                                       _mm_or_si128(_mm_cmpeq_epi8(x, vc), _mm_cmpeq_epi8(x, vd)));
    bits |= (uint64_t)(uint16_t)_mm_movemask_epi8(equal) << (16 * part);
  }
#else
  for (int n = 0; n < 64; n++) {
    const int is = start[n] == a || start[n] == b || start[n] == c || start[n] == d;
    bits |= (uint64_t)is << n;
  }
#endif
  return bits;
}

// Writes to `places`, for each byte of `bytes` that is one of four, how many bytes end with it, in ascending order, and
// returns how many there are. Looks at up to 63 bytes more than `count`, which may be in the answer.
//
// Eight are written at once, whether there are so many or not: a loop over as many as there are is left at a different
// place for nearly every 64 bytes, which a processor cannot foresee.
static inline size_t places_behind(const void *_Nonnull bytes, size_t count, uint8_t a, uint8_t b, uint8_t c, uint8_t d,
                                   uint32_t *_Nonnull places) {
  const uint8_t *start = (const uint8_t *)bytes;
  size_t found = 0;
  for (size_t base = 0; base < count; base += 64) {
    uint64_t bits = bytes_matching(start + base, a, b, c, d);
    const size_t end = found + (size_t)__builtin_popcountll(bits);
    while (found < end) {
      for (int n = 0; n < 8; n++) {
        // Without a bit the top one, as there is none to count to.
        const int bit = __builtin_ctzll(bits | (uint64_t)1 << 63);
        places[found + n] = (uint32_t)base + (uint32_t)bit + 1;
        bits &= bits - 1;
      }
      found += 8;
    }
    found = end;
  }
  return found;
}

#endif
