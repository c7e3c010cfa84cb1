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

// Which of the 64 bytes from `start` on end a JSON string or its plain text: quotes, backslashes and control characters.
static inline uint64_t bytes_ending_text(const uint8_t *_Nonnull start) {
  uint64_t bits = 0;
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), control = _mm_set1_epi8(0x1F);
  for (int part = 0; part < 4; part++) {
    const __m128i x = _mm_loadu_si128((const __m128i *)start + part);
    const __m128i equal = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, backslash)),
                                       _mm_cmpeq_epi8(_mm_min_epu8(x, control), x));
    bits |= (uint64_t)(uint16_t)_mm_movemask_epi8(equal) << (16 * part);
  }
#else
  for (int n = 0; n < 64; n++) {
    const int is = start[n] == '"' || start[n] == '\\' || start[n] <= 0x1F;
    bits |= (uint64_t)is << n;
  }
#endif
  return bits;
}

// Writes the numbers of the bits that are set, each plus `base` and one, behind `places`, and returns how many there are.
//
// Eight are written at once, whether there are so many or not: a loop over as many as there are is left at a different
// place for nearly every 64 bytes, which a processor cannot foresee.
static inline size_t places_of_bits(uint64_t bits, uint32_t base, uint32_t *_Nonnull places) {
  const size_t count = (size_t)__builtin_popcountll(bits);
  for (size_t found = 0; found < count; found += 8) {
    for (int n = 0; n < 8; n++) {
      // Without a bit the top one, as there is none to count to.
      places[found + n] = base + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63) + 1;
      bits &= bits - 1;
    }
  }
  return count;
}

// Writes to `places`, for each byte of `bytes` that is one of four, how many bytes end with it, in ascending order, and
// returns how many there are. Looks at up to 63 bytes more than `count`, which may be in the answer.
static inline size_t places_behind(const void *_Nonnull bytes, size_t count, uint8_t a, uint8_t b, uint8_t c, uint8_t d,
                                   uint32_t *_Nonnull places) {
  size_t found = 0;
  for (size_t base = 0; base < count; base += 64)
    found += places_of_bits(bytes_matching((const uint8_t *)bytes + base, a, b, c, d), (uint32_t)base, places + found);
  return found;
}

// The same for each byte that ends a JSON string or its plain text.
static inline size_t places_behind_text(const void *_Nonnull bytes, size_t count, uint32_t *_Nonnull places) {
  size_t found = 0;
  for (size_t base = 0; base < count; base += 64)
    found += places_of_bits(bytes_ending_text((const uint8_t *)bytes + base), (uint32_t)base, places + found);
  return found;
}

#endif
