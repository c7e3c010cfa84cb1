// Functions that compare many bytes at once. Swift has vectors, but no operation that converts the result of
// a comparison to a bit mask. This module must not depend on the meaning of the bytes.
#ifndef NIGHTJAR_CBYTES_H
#define NIGHTJAR_CBYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// The number of elements that `places_behind` and `places_behind_text` may write to `places` past the last match.
static const size_t cbytes_slack = 8;

// Counts of certain bytes in a part of a delimited file.
struct cbytes_census {
  size_t line_feeds;
  // Not 0 if the part contains quotes or carriage returns.
  int has_rare;
};

// Marks the delimiters, quotes, LFs and CRs among 64 bytes: bit n represents byte n. Adds their counts to `census`.
static inline uint64_t bytes_ending_fields(const uint8_t *_Nonnull start, uint8_t delimiter, uint8_t quote,
                                           struct cbytes_census *_Nonnull census) {
  uint64_t bits = 0;
#ifdef __SSE2__
  const __m128i vdelimiter = _mm_set1_epi8((char)delimiter), vquote = _mm_set1_epi8((char)quote),
                vfeed = _mm_set1_epi8('\n'), vreturn = _mm_set1_epi8('\r');
  __m128i feeds = _mm_setzero_si128(), rare = feeds;
  for (int part = 0; part < 4; part++) {
    const __m128i x = _mm_loadu_si128((const __m128i *)start + part);
    const __m128i feed = _mm_cmpeq_epi8(x, vfeed);
    const __m128i other = _mm_or_si128(_mm_cmpeq_epi8(x, vquote), _mm_cmpeq_epi8(x, vreturn));
    const __m128i equal = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(x, vdelimiter), feed), other);
    bits |= (uint64_t)(uint16_t)_mm_movemask_epi8(equal) << (16 * part);
    // The mask of an equal byte is -1, so the subtraction adds 1.
    feeds = _mm_sub_epi8(feeds, feed);
    rare = _mm_or_si128(rare, other);
  }
  const __m128i sums = _mm_sad_epu8(feeds, _mm_setzero_si128());
  census->line_feeds += (size_t)_mm_cvtsi128_si32(sums) + (size_t)_mm_extract_epi16(sums, 4);
  census->has_rare |= _mm_movemask_epi8(rare);
#else
  for (int n = 0; n < 64; n++) {
    const int is_rare = start[n] == quote || start[n] == '\r';
    const uint64_t is = start[n] == delimiter || start[n] == '\n' || is_rare;
    bits |= is << n;
    census->line_feeds += start[n] == '\n';
    census->has_rare |= is_rare;
  }
#endif
  return bits;
}

// Adds the counts for `64 * chunks` bytes to `census`. `chunks` is at most 63, because a lane counts only to 255, and
// each chunk adds up to 4.
static inline void add_to_census(const uint8_t *_Nonnull start, size_t chunks, uint8_t quote,
                                 struct cbytes_census *_Nonnull census) {
#ifdef __SSE2__
  const __m128i vquote = _mm_set1_epi8((char)quote), vfeed = _mm_set1_epi8('\n'), vreturn = _mm_set1_epi8('\r');
  __m128i feeds = _mm_setzero_si128(), rare = feeds;
  for (size_t part = 0; part < 4 * chunks; part++) {
    const __m128i x = _mm_loadu_si128((const __m128i *)start + part);
    // The mask of an equal byte is -1, so the subtraction adds 1.
    feeds = _mm_sub_epi8(feeds, _mm_cmpeq_epi8(x, vfeed));
    rare = _mm_or_si128(rare, _mm_or_si128(_mm_cmpeq_epi8(x, vquote), _mm_cmpeq_epi8(x, vreturn)));
  }
  const __m128i sums = _mm_sad_epu8(feeds, _mm_setzero_si128());
  census->line_feeds += (size_t)_mm_cvtsi128_si32(sums) + (size_t)_mm_extract_epi16(sums, 4);
  census->has_rare |= _mm_movemask_epi8(rare);
#else
  for (size_t n = 0; n < 64 * chunks; n++) {
    census->line_feeds += start[n] == '\n';
    census->has_rare |= start[n] == quote || start[n] == '\r';
  }
#endif
}

// Counts the LFs among `count` bytes, and detects quotes and carriage returns. `has_rare` is exact unless `quote` is
// NUL, because NUL bytes pad the last chunk.
static inline struct cbytes_census census_of(const void *_Nonnull bytes, size_t count, uint8_t quote) {
  struct cbytes_census census = {0, 0};
  const uint8_t *at = bytes;
  size_t rest = count;
  while (rest >= 64) {
    const size_t chunks = rest / 64 < 63 ? rest / 64 : 63;
    add_to_census(at, chunks, quote, &census);
    at += 64 * chunks;
    rest -= 64 * chunks;
  }
  uint8_t last[64] = {0};
  memcpy(last, at, rest);
  if (rest > 0) add_to_census(last, 1, quote, &census);
  return census;
}

// Marks the bytes among 64 that end a JSON string or its plain text: quotes, backslashes and control characters.
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

// Appends the index of each set bit, plus `base` and one, to `places`, and returns the number of set bits.
//
// The loop always writes eight indices at once. A loop over the exact number would end at a different count
// for nearly every 64 bytes, which causes branch mispredictions.
static inline size_t places_of_bits(uint64_t bits, uint32_t base, uint32_t *_Nonnull places) {
  const size_t count = (size_t)__builtin_popcountll(bits);
  for (size_t found = 0; found < count; found += 8) {
    for (int n = 0; n < 8; n++) {
      // The top bit is set in case no other bit is left, because counting the trailing zeros of 0 is
      // undefined.
      places[found + n] = base + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63) + 1;
      bits &= bits - 1;
    }
  }
  return count;
}

// The state that is kept between calls. For each chunk of 64 bytes, `stops` contains one bit per byte: 1 for a stop,
// which is a delimiter, quote, LF or CR. `found` contains the number of stops up to the end of the chunk.
struct cbytes_chunks {
  uint64_t *_Nonnull stops;
  uint32_t *_Nonnull found;
  // The number of chunks whose values are still valid.
  size_t known;
};

// Appends the places of the stops in one chunk to the `found` places before it, and returns the new number of places.
//
// Rows often have the same length as the rows before them, because ids, times and flags usually have fixed lengths. If
// the stops of this and all earlier chunks equal the stops of the last call, their places are already written, which
// halves the time. A difference invalidates all later chunks. `places_of_bits` overwrites only places after the valid
// places.
static inline size_t places_of_chunk(uint64_t bits, size_t number, size_t found, uint32_t *_Nonnull places,
                                     struct cbytes_chunks *_Nonnull chunks) {
  if (number < chunks->known && chunks->stops[number] == bits) return chunks->found[number];
  found += places_of_bits(bits, (uint32_t)(64 * number), places + found);
  chunks->stops[number] = bits;
  chunks->found[number] = (uint32_t)found;
  chunks->known = number + 1;
  return found;
}

// Writes the offset after each delimiter, quote, LF and CR to `places`, in ascending order, and returns their
// number. The function reads up to 63 bytes beyond `count`, which may appear in the result and in `census`.
// Pass the same `places` and `chunks` as in the last call, or set `chunks->known` to 0.
static inline size_t places_behind(const void *_Nonnull bytes, size_t count, uint8_t delimiter, uint8_t quote,
                                   uint32_t *_Nonnull places, struct cbytes_chunks *_Nonnull chunks,
                                   struct cbytes_census *_Nonnull census) {
  size_t found = 0;
  struct cbytes_census sum = {0, 0};
  for (size_t number = 0; 64 * number < count; number++)
    found = places_of_chunk(bytes_ending_fields((const uint8_t *)bytes + 64 * number, delimiter, quote, &sum), number,
                            found, places, chunks);
  *census = sum;
  return found;
}

// Works like `places_behind`, but for the bytes that `bytes_ending_text` marks, and without a census.
static inline size_t places_behind_text(const void *_Nonnull bytes, size_t count, uint32_t *_Nonnull places,
                                        struct cbytes_chunks *_Nonnull chunks) {
  size_t found = 0;
  for (size_t number = 0; 64 * number < count; number++)
    found = places_of_chunk(bytes_ending_text((const uint8_t *)bytes + 64 * number), number, found, places, chunks);
  return found;
}

#endif
