// Operations on eight single-precision or four double-precision numbers at once.
// Swift's own SIMD types compute these operations lane by lane or with many instructions. All results have
// the same bits as in Swift. This module must not depend on features, models or lists.
#ifndef NIGHTJAR_CLANES_H
#define NIGHTJAR_CLANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Disables a warning about functions with vectors of eight numbers as parameters. The warning does not apply to inlined
// functions.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

typedef float lanes __attribute__((ext_vector_type(8)));
// All bits of a lane are set if the condition holds for the lane; otherwise, no bit is set.
typedef int32_t lanes_mask __attribute__((ext_vector_type(8)));
typedef bool lanes_flags __attribute__((ext_vector_type(8)));

#define NIGHTJAR_INLINED static inline __attribute__((always_inline))

NIGHTJAR_INLINED lanes lanes_square_root(lanes numbers) { return __builtin_elementwise_sqrt(numbers); }

// Returns the greater of the two numbers in each lane, or the second number if either is NaN.
NIGHTJAR_INLINED lanes lanes_greater(lanes first, lanes second) { return first > second ? first : second; }

// Returns the greatest number of all lanes. No lane may be NaN.
NIGHTJAR_INLINED float lanes_greatest(lanes numbers) {
  typedef float four __attribute__((ext_vector_type(4)));
  typedef float two __attribute__((ext_vector_type(2)));
  four left = numbers.lo, right = numbers.hi;
  four halves = left > right ? left : right;
  two low = halves.lo, high = halves.hi;
  two quarters = low > high ? low : high;
  return quarters.x > quarters.y ? quarters.x : quarters.y;
}

// Returns an approximation of the natural logarithm of each number. Numbers must be positive. Between two powers of two, the
// approximation is linear. At powers of two, it equals the logarithm, except for rounding errors.
NIGHTJAR_INLINED lanes lanes_line_logarithm(lanes numbers) {
  const float log_of_2 = 0.693147181f;
  return __builtin_convertvector((lanes_mask)numbers, lanes) * (log_of_2 * 0x1p-23f) - 127 * log_of_2;
}

NIGHTJAR_INLINED lanes_mask lanes_is_nan(lanes numbers) { return numbers != numbers; }

NIGHTJAR_INLINED lanes_mask lanes_is_less(lanes left, lanes right) { return left < right; }

// Returns, for each lane, the first number if the mask is set, and otherwise the second number.
NIGHTJAR_INLINED lanes lanes_choose(lanes_mask mask, lanes first, lanes second) { return mask ? first : second; }

// Packs the mask into eight bits. The first lane is the lowest bit.
NIGHTJAR_INLINED uint32_t lanes_bits(lanes_mask mask) {
  lanes_flags flags = __builtin_convertvector(mask, lanes_flags);
  uint8_t bits;
  memcpy(&bits, &flags, sizeof bits);
  return bits;
}

// Expands the lowest eight bits to a mask.
NIGHTJAR_INLINED lanes_mask lanes_mask_of(uint32_t bits) {
  lanes_mask each = {1, 2, 4, 8, 16, 32, 64, 128};
  return ((lanes_mask)(int32_t)bits & each) != 0;
}

// Four numbers in double precision.
typedef double lanes_of_doubles __attribute__((ext_vector_type(4)));

// Returns the numbers with 0 in place of NaN.
NIGHTJAR_INLINED lanes_of_doubles lanes_zero_for_nan(lanes_of_doubles numbers) {
  return numbers == numbers ? numbers : (lanes_of_doubles)0;
}

#pragma clang diagnostic pop

#endif
