internal import Foundation
internal import PipelineFile
internal import Readers

/// How the files of one source end, to detect that some of its records were never exported.
struct FileEnds: Sendable {
  private struct End: Sendable {
    let file: ExportFile
    let hasNextPage: Bool
    let isEmptyAnswer: Bool
  }

  static let advice = "export it again, or write 'incomplete: allowed' in the source"

  private var ends: [End] = []
  private var announced: Int?
  /// The number of records in all files.
  private(set) var rows = 0

  mutating func add(_ file: ExportFile, _ summary: ReadSummary) {
    ends.append(
      End(file: file, hasNextPage: summary.hasNextPage, isEmptyAnswer: summary.isEmptyAnswer))
    announced = [announced, summary.announced].compactMap(\.self).max()
    rows += summary.records + summary.faults
  }

  /// Checks that each page that names a next page is followed by one, that no file is an empty answer, and that
  /// there are as many records as the server counted.
  ///
  /// - Throws: `ExportError` with `incomplete`.
  func check(_ source: Pipeline.Source) throws(ExportError) {
    // The numbers in names count: page-10 follows page-9.
    let inOrder = ends.sorted { $0.file.shown.compare($1.file.shown, options: .numeric) == .orderedAscending }
    for (index, end) in inOrder.enumerated() {
      let follows = index > 0 && inOrder[index - 1].hasNextPage
      if end.isEmptyAnswer, !follows {
        throw ExportError(
          .incomplete, file: end.file.path,
          reason:
            "the response contains no record, so the collection is empty or its name is misspelled; correct the "
            + "name and \(Self.advice)")
      }
    }
    if let last = inOrder.last, last.hasNextPage {
      throw ExportError(
        .incomplete, file: last.file.path,
        reason: "its last page has a 'nextPageToken', and the next page is missing; \(Self.advice)")
    }
    if let announced, announced > rows {
      throw ExportError(
        .incomplete, file: source.label,
        reason:
          "it has \(rows) results, but its 'count' is \(announced), so results are missing; \(Self.advice)")
    }
  }
}
