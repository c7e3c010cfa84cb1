import Testing

@testable import Models

struct ColumnScalesTests {
  @Test func `a missing value is standardized to 0, which is the mean`() {
    let scales = ColumnScales(
      columns: [0, 2], means: [10, 4], deviations: [5, 2], responseMean: 1, responseDeviation: 4)
    var z = [Double](repeating: .nan, count: 3)
    scales.standardize([.nan, 7, 8], into: &z)
    #expect(z == [1, 0, 2])
    scales.standardize([20, 7, .nan], into: &z)
    #expect(z == [1, 2, 0])
    #expect(scales.response(9) == 2)
  }
}
