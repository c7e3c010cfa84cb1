import Concurrency
import PipelineFile
import Testing

@testable import Ranking

/// A distance that is rounded up becomes the smallest tenth that is not less than the distance.
@Suite struct DistanceRoundingTests {
  @Test(arguments: [
    (0, 0), (.leastNonzeroMagnitude, 0.1), (1e-9, 0.1), (0.05, 0.1), (0.1, 0.1), (0.1.nextUp, 0.2),
    (0.1.nextDown, 0.1),
    (0.3, 0.3), (0.7, 0.7), (1.0, 1.0), (1.0.nextUp, 1.1), (1.0.nextDown, 1.0), (1.0000000001, 1.1),
    (1.1, 1.1),
    (1.15, 1.2), (2.3, 2.3), (2.3.nextUp, 2.4), (4.35, 4.4), (1.4999999999999998, 1.5), (20037.4, 20037.4),
    (20037.400000000005, 20037.5),
  ]) func `a distance is rounded up to a tenth`(kilometers: Double, expected: Double) {
    #expect(Pipeline.DistanceRounding.up.tenths(kilometers) == expected)
  }

  @Test func `tenths are unchanged, and nearby numbers are rounded correctly`() {
    for tenths in 1...200_380 {
      let kilometers = Double(tenths) / 10
      for (value, expected) in [
        (kilometers, tenths), (kilometers.nextUp, tenths + 1), (kilometers.nextDown, tenths),
      ] where Pipeline.DistanceRounding.up.tenths(value) != Double(expected) / 10 {
        Issue.record("\(value) became \(Pipeline.DistanceRounding.up.tenths(value))")
      }
    }
  }

  @Test func `unknown distances stay unknown, and rounding to nearest happens on writing`() {
    #expect(Pipeline.DistanceRounding.up.tenths(.nan).isNaN)
    #expect(Pipeline.DistanceRounding.nearest.tenths(1.26) == 1.26)
  }
}
