internal import Columns
internal import Files
internal import PipelineFile
internal import Text

/// The age of a run's newest interaction at the as-of time.
struct Freshness: Sendable {
  /// The age in days.
  let days: Double

  /// The exports of a nightly pipeline count as old from this age, in days.
  static let oldDays = 2.0

  var isOld: Bool { days >= Self.oldDays }

  var check: Page.Check {
    Page.Check(
      mark: isOld ? .attention : .good, title: "Age of the exports", figure: .init(.days(days)),
      meaning: "from the newest interaction to the as-of time", reservation: "the exports are old",
      step: "Check that the app still exports its data every night.")
  }

  /// Reads the newest interaction of a run. The result is `nil` if the run has no interactions, or if the
  /// pipeline file sets `as_of: newest`. This setting is for exports that do not change, so a high age is no
  /// fault.
  ///
  /// - Throws: `FileError` if the snapshot cannot be read.
  init?(_ run: ReportedRun) throws(FileError) {
    guard ["given", "clock"].contains(run.snapshot.counts["as_of_from"]) else { return nil }
    var newest: Int64?
    for kind in run.pipeline.interactions {
      let at = try Column<Int64>("\(run.directory)/snapshot/interactions/\(kind.name)/at.npy")
      newest = [newest, at.elements.max()].compactMap(\.self).max()
    }
    guard let newest else { return nil }
    days = (Double(run.snapshot.asOf.milliseconds) - Double(newest)) / 86_400_000
  }
}
