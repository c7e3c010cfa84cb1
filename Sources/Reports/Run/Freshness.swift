internal import Columns
internal import Files
internal import PipelineFile
internal import Text

/// The age of a run's interactions at the time of the run.
struct Freshness: Sendable {
  /// The time from the newest interaction to the as-of time or to the start of the run, in days.
  let days: Double

  /// The age in days from which exports count as old, for a nightly pipeline.
  static let oldDays = 2.0

  var isOld: Bool { days >= Self.oldDays }

  var check: Page.Check {
    Page.Check(
      mark: isOld ? .attention : .good, title: "Age of the exports",
      figure: .init(.number(days, decimals: 1, unit: "days")),
      meaning: "from the newest interaction to the run")
  }

  /// Creates the freshness of a run's data; `nil` without timestamps.
  ///
  /// - Throws: `FileError` if the snapshot cannot be read.
  init?(_ run: ReportedRun) throws(FileError) {
    let asOf = run.snapshot.asOf
    // With `as_of: newest`, the as-of time is the newest interaction, so only the start of the run shows its age.
    guard ["given", "clock"].contains(run.snapshot.counts["as_of_from"]) else {
      guard let started = run.record?.started else { return nil }
      days = Self.days(from: asOf.milliseconds, to: started.milliseconds)
      return
    }
    var newest: Int64?
    for kind in run.pipeline.interactions {
      let at = try Column<Int64>("\(run.directory)/snapshot/interactions/\(kind.name)/at.npy")
      newest = [newest, at.elements.max()].compactMap(\.self).max()
    }
    guard let newest else { return nil }
    days = Self.days(from: newest, to: asOf.milliseconds)
  }

  private static func days(from earlier: Int64, to later: Int64) -> Double {
    (Double(later) - Double(earlier)) / 86_400_000
  }
}
