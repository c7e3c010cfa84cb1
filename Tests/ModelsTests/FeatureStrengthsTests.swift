import Testing

@testable import Models

/// Compares the precisions of entries at the maximum of the evidence with the closed form for independent
/// columns.
@Suite struct FeatureStrengthsTests {
  /// The information is diagonal, with the same element i for the k columns of an entry. With the moments m,
  /// the fixed point is k i² / (Σ m² - k i).
  @Test func `independent columns have the precision of the closed form`() throws {
    let entries: [Int?] = [nil, 0, 1, 1, 2, 3]
    let diagonal: [Double] = [10, 40, 20, 20, 30, 50]
    let moments: [Double] = [500, 20, 10, 6, 3, 1e6]
    let order = entries.count
    var information = [Double](repeating: 0, count: order * order)
    for index in 0..<order { information[index * order + index] = diagonal[index] }
    let least = [0.125, 0.01, 0.01, 0.01, 0.01, 0.25]
    let found = try FeatureStrengths(entries: entries).precisions(
      information: information, moments: moments, least: least)
    // The base keeps its precision, and a strong entry gets its lower bound.
    #expect(found[0] == 0.125 && found[5] == 0.25)
    // The iteration stops when every precision changes by less than a thousandth.
    #expect(abs(found[1] / (1600.0 / 360) - 1) < 0.01, "\(found)")
    #expect(abs(found[2] / (800.0 / 96) - 1) < 0.01 && found[3] == found[2], "\(found)")
    // If an entry explains less than chance, no finite precision maximizes the evidence.
    #expect(found[4] > 1_000, "\(found)")
  }
}
