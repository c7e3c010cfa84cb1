// Comparisons of many bytes at once, for which Swift has vectors, but no word that makes bits of their outcome.
#ifndef NIGHTJAR_CBYTES_H
#define NIGHTJAR_CBYTES_H

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Which of the 64 bytes from `start` on are one of four: bit n for byte n.
static inline uint64_t bytes_matching(const void *_Nonnull start, uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
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
  const uint8_t *bytes = (const uint8_t *)start;
  for (int n = 0; n < 64; n++) {
    const int is = bytes[n] == a || bytes[n] == b || bytes[n] == c || bytes[n] == d;
    bits |= (uint64_t)is << n;
  }
#endif
  return bits;
}

#endif
