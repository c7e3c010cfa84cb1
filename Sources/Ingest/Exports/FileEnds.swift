internal import Files
internal import Foundation
internal import PipelineFile
internal import Readers
internal import Text

/// The ends of the files of one source. They can show that records are missing.
struct FileEnds: Sendable {
  private struct End: Sendable {
    let file: ExportFile
    let summary: ReadSummary
  }

  static let advice =
    "export the data again, or set 'incomplete: allowed' for this source in the pipeline file"

  private var ends: [End] = []
  /// The number of records in all files, including records with a fault.
  private(set) var rows = 0

  mutating func add(_ file: ExportFile, _ summary: ReadSummary) {
    ends.append(End(file: file, summary: summary))
    rows += summary.records + summary.faults
  }

  /// The number of delimited files whose last row has no line break.
  var unended: Int { ends.count { $0.summary.unendedRow != nil } }

  /// Checks that no page is missing, that each response contains records, and that the files have at least as
  /// many records as the server counted. An empty page is allowed after a page that names a next page. A page
  /// with an empty list is also allowed if another page has records.
  ///
  /// - Throws: `ExportError` with `incomplete`.
  func check(_ source: Pipeline.Source) throws(ExportError) {
    // Numbers in names are compared by value, so page-10 follows page-9.
    let inOrder = ends.sorted { $0.file.shown.compare($1.file.shown, options: .numeric) == .orderedAscending }
    for (index, end) in inOrder.enumerated() {
      let follows = index > 0 && inOrder[index - 1].summary.hasNextPage
      let isEmpty = end.summary.isEmptyAnswer || (rows == 0 && end.summary.hasEmptyPage)
      if isEmpty, !follows {
        throw ExportError(
          .incomplete, file: end.file.path,
          reason:
            "the response contains no record, so the collection is empty or its name is misspelled; correct the "
            + "name and \(Self.advice)")
      }
    }
    for series in Self.series(inOrder) {
      if let last = series.last, last.summary.hasNextPage {
        throw ExportError(
          .incomplete, file: last.file.path,
          reason: "the last page has a 'nextPageToken', but the next page is missing; \(Self.advice)")
      }
      if series.contains(where: { $0.summary.hasNextPage }), let missing = Self.gap(in: series) {
        throw ExportError(
          .incomplete, file: series[0].file.path,
          reason: "the pages of this export are numbered, and page \(missing) is missing; \(Self.advice)")
      }
    }
    let announced = ends.compactMap(\.summary.announced).max()
    if let announced, announced > rows {
      throw ExportError(
        .incomplete, file: source.label,
        reason:
          "the export has \(rows.grouped) of the \(announced.counted("result")) that its 'count' states, so "
          + "results are missing; \(Self.advice)")
    }
  }

  /// Groups the files into series of pages. The pages of a series are in order. Files whose paths differ only
  /// in digits form a series. All other files of a folder form one series.
  private static func series(_ ends: [End]) -> [[End]] {
    func stem(_ end: End) -> String { end.file.path.filter { !$0.isASCII || !$0.isNumber } }
    let sizes = Dictionary(grouping: ends, by: stem).mapValues(\.count)
    let series = Dictionary(grouping: ends) { end in
      let stem = stem(end)
      return (sizes[stem] ?? 0) > 1 ? stem : Directories.parent(of: end.file.path) + "/"
    }
    return series.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Returns the first missing page number if the file names number the pages in steps of 1; `nil` if no
  /// number is missing or the names do not number the pages.
  private static func gap(in pages: [End]) -> Int? {
    let numbers = pages.map { page in
      Directories.name(of: page.file.path).split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) }
    }
    // Names with several numbers are probably dates, and steps of ten or more are probably offsets.
    guard numbers.count > 1, numbers.allSatisfy({ $0.count == 1 }) else { return nil }
    let steps = zip(numbers.dropFirst(), numbers).map { $0[0] - $1[0] }
    // Numbers such as days can begin anywhere, but the numbers of pages begin with 0 or 1.
    if numbers[0][0] > 1, steps.contains(1), isPage(Directories.name(of: pages[0].file.path)) { return 1 }
    guard let largest = steps.max(), largest < 10, let place = steps.firstIndex(where: { $0 > 1 }) else {
      return nil
    }
    // If no two numbers are consecutive, the pages count as numbered only if the first page has the number 1.
    return steps.contains(1) || numbers[0][0] == 1 ? numbers[place][0] + 1 : nil
  }

  /// Returns whether the word before the number in the file name `name` means a part of an export, as in
  /// `page-2.json` or `usersPage2.json`.
  private static func isPage(_ name: String) -> Bool {
    let start = name.prefix { !$0.isASCII || !$0.isNumber }
    let word = start.split { !$0.isLetter }.last ?? ""
    return ["page", "part", "chunk", "shard", "segment"].contains {
      word.lowercased() == $0 || word.hasSuffix($0.prefix(1).uppercased() + $0.dropFirst())
    }
  }
}
