internal import RunSchemas
import Testing
import Text

@testable import Reports

/// The verdict about calibration. The tests use the exact thresholds.
@Suite struct ReportedCalibrationTests {
  private static func calibration(
    slope: Double? = 1, brier: Double = 0.2, base: Double = 0.25, bins: [Int] = [10, 9]
  ) -> JSONValue {
    [
      "decisions": 30, "brier": .number(brier), "brier_of_base_rate": .number(base),
      "slope": slope.map { .number($0) } ?? .null, "intercept": .number(0.1),
      "bins": .array(
        bins.map { ["decisions": .integer($0), "mean_prediction": .number(0.5), "liked": .number(0.25)] }),
    ]
  }

  private static func own(_ calibration: JSONValue) throws -> MethodCalibration {
    try #require(MethodCalibration(Found.judged(Found.ranking(calibration: calibration)), "pipeline"))
  }

  @Test(
    arguments: [
      (0.79, false, "overconfident"), (0.8, true, "vary about equally"), (1.25, true, "vary about equally"),
      (1.26, false, "underconfident"),
    ])
  func `a slope is right from 0.8 to 1.25`(_ slope: Double, _ isRight: Bool, _ words: String) throws {
    let own = try Self.own(Self.calibration(slope: slope))
    #expect(own.isCalibrated == isRight && own.conclusion.shown.contains(words))
  }

  @Test(arguments: [(0.25, false), (0.2501, true), (0.24, false)])
  func `an error above the base rate's error is worse`(_ brier: Double, _ isWorse: Bool) throws {
    let own = try Self.own(Self.calibration(brier: brier))
    #expect(own.isWorseThanBaseRate == isWorse)
    #expect(own.conclusion.shown.contains("worse than predicting the base rate") == isWorse)
  }

  @Test func `a bin of fewer than ten decisions is not shown`() throws {
    #expect(try Self.own(Self.calibration(bins: [9, 10, 11])).bins.map(\.decisions) == [10, 11])
    var world = try RunByHand()
    world.judged = ["near": Found.ranking(calibration: Self.calibration(bins: [9, 9]))]
    #expect(
      try (Section.calibration(world.run())?.shown ?? ["none"]).allSatisfy {
        $0.hasPrefix("This ranking has no calibration")
      })
    world.judged = ["near": Found.ranking(calibration: Self.calibration())]
    let section = try #require(Section.calibration(world.run()))
    #expect(section.shown.contains("this pipeline | 50.0 % | 25.0 % | 10"))
    #expect(section.blocks.charts.count == 1)
  }

  @Test func `without a slope there is no judgment and no warning`() throws {
    let own = try Self.own(Self.calibration(slope: nil))
    #expect(
      own.isCalibrated
        && own.conclusion.shown
          == "The calibration cannot be measured, for example because all predictions are equal."
    )
  }

  @Test(arguments: [(1, 0.2, false), (0.5, 0.2, true), (1, 0.3, true)])
  func `wrong predictions are a caveat`(_ slope: Double, _ brier: Double, _ isReported: Bool) throws {
    var world = try RunByHand()
    world.judged = [
      "near": Found.ranking(calibration: Self.calibration(slope: slope, brier: brier))
    ]
    #expect(
      try (Section.caveats(world.run())?.shown ?? []).contains {
        $0.hasPrefix("The scores of near are not probabilities")
      } == isReported)
  }
}
