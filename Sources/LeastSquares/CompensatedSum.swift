// Compensated sums are as accurate as sums that are computed in twice the working precision and rounded once.
// Source: Ogita, Rump and Oishi 2005, doi:10.1137/030601818, algorithm 5.3.

/// A compensated sum of numbers and products.
struct CompensatedSum {
  private var high = 0.0
  private var low = 0.0

  var value: Double { high + low }

  mutating func add(_ term: Double) {
    let sum = high + term
    let part = sum - high
    low += (high - (sum - part)) + (term - part)
    high = sum
  }

  mutating func add(_ first: Double, times second: Double) {
    let product = first * second
    low += (-product).addingProduct(first, second)
    add(product)
  }
}

/// Four compensated sums, one per SIMD lane.
///
/// The error of a product is computed by Dekker's splitting (1971, doi:10.1007/BF01397083) instead of a fused
/// multiply-add. On processors without this instruction, each lane would need a function call. Factors must
/// have magnitudes below 2^996. Scaled columns meet this condition.
struct CompensatedBlock {
  private(set) var high = SIMD4<Double>.zero
  private(set) var low = SIMD4<Double>.zero

  mutating func add(_ term: SIMD4<Double>) {
    let sum = high + term
    let part = sum - high
    low += (high - (sum - part)) + (term - part)
    high = sum
  }

  mutating func add(_ first: SIMD4<Double>, times second: SIMD4<Double>) {
    let product = first * second
    let (a, b) = Self.split(first)
    let (c, d) = Self.split(second)
    low += ((a * c - product) + a * d + b * c) + b * d
    add(product)
  }

  /// Splits a value into two parts of at most 26 bits each, whose products are exact.
  private static func split(_ value: SIMD4<Double>) -> (SIMD4<Double>, SIMD4<Double>) {
    let shifted = value * 0x1p27 + value
    let upper = shifted - (shifted - value)
    return (upper, value - upper)
  }
}
