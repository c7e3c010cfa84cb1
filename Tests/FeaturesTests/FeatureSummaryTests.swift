import Columns
import Testing

@testable import Features

/// The summary of candidates' values from which the search computes bounds.
struct FeatureSummaryTests {
  @Test func `a missing number or code has no range and no bin`() {
    for summary in [FeatureSummary(number: .nan), FeatureSummary(code: CategoryColumn.missing)] {
      #expect(summary.hasMissing && !summary.hasValues && summary.codes == 0)
    }
  }

  @Test func `a number is its own range, and a code is its own bin`() {
    let number = FeatureSummary(number: -2.5)
    #expect(number.low == -2.5 && number.high == -2.5 && !number.hasMissing && number.codes == 0)
    let code = FeatureSummary(code: 67)
    #expect(code.codes == 1 << 3 && !code.hasMissing && !code.hasValues)
  }

  @Test func `a group contains the values of its members and their missing values`() {
    var group = FeatureSummary()
    #expect(!group.hasValues && !group.hasMissing)
    for number in [3.0, -1, 2] { group.formUnion(FeatureSummary(number: number)) }
    #expect(group.low == -1 && group.high == 3 && !group.hasMissing)
    group.formUnion(FeatureSummary(number: .nan))
    #expect(group.low == -1 && group.high == 3 && group.hasMissing)
  }
}
