internal import PipelineFile
internal import Readers
internal import Text

/// Selects the rows of an export that meet the conditions of a source. Several sources may read different
/// rows of one export.
///
/// This is a class, because copying a structure for each row would update the reference counts of all its
/// strings.
final class RowFilter: Sendable {
  /// The counts of rows that a source leaves out.
  struct LeftOut: Sendable {
    var rows = 0
    /// The number of these rows that every other source of the same export also leaves out.
    var byAll = 0
  }

  private struct Condition: Sendable {
    let slot: Int
    let values: [[UInt8]]
  }

  /// The requested fields: the fields of the source, then the fields of its conditions.
  let names: [String]
  private let own: [Condition]
  /// The conditions of each other source that reads the same export.
  private let others: [[Condition]]
  private let optional: Set<String>
  private let needed: [String]

  /// - Parameters:
  ///   - source: The source that reads the rows.
  ///   - pipeline: The effective pipeline file.
  ///   - names: The fields that the source reads.
  init(_ source: Pipeline.Source, in pipeline: Pipeline, behind names: [String]) {
    var list = FieldSlots(names)
    func conditions(of source: Pipeline.Source) -> [Condition] {
      source.conditions.map {
        Condition(slot: list.position(of: $0.field), values: $0.values.map { Array($0.utf8) })
      }
    }
    own = conditions(of: source)
    needed = source.conditions.map(\.field)
    // A source without conditions reads all rows, so the conditions of other sources do not matter.
    others =
      own.isEmpty
      ? []
      : pipeline.sources.map(\.source).filter { $0.isSameExport(as: source) && $0 != source }.map(conditions)
    self.names = list.names
    optional = Set(list.names.dropFirst(names.count)).subtracting(needed)
  }

  /// Returns `request` with the fields of the conditions added.
  func extending(_ request: ExportRequest) -> ExportRequest {
    var request = request
    request.fields = names
    request.optional = request.optional.subtracting(needed).union(optional)
    return request
  }

  /// Returns the fields that at least one record must have, because the pipeline file probably misspells the
  /// name of a field that no record has. Returns no fields if the conditions selected no rows, for example
  /// before the first request exists. `read` is the number of selected rows.
  func required(_ required: [String], read: Int) -> [String] { own.isEmpty || read > 0 ? required : [] }

  /// Calls `body` with every record of the block that meets the conditions of the source. Rows that cannot be
  /// parsed are passed on too, because their conditions cannot be checked. If the source has no conditions
  /// and `onRows` is not `nil`, `onRows` receives ordinary rows in batches.
  ///
  /// - Returns: The block's counts, and the counts of left-out rows.
  /// - Throws: The errors of `RecordBlock.forEachRecord`.
  func forEachRecord(
    of block: RecordBlock, rows onRows: ((borrowing OrdinaryRows) -> Void)? = nil,
    _ body: (borrowing Record) -> Void
  ) throws -> (summary: ReadSummary, leftOut: LeftOut) {
    var leftOut = LeftOut()
    guard !own.isEmpty else { return (try block.forEachRecord(rows: onRows, body), leftOut) }
    let summary = try block.forEachRecord { record in
      if record.fault != nil || Self.meets(record, own) { return body(record) }
      leftOut.rows += 1
      if !others.contains(where: { Self.meets(record, $0) }) { leftOut.byAll += 1 }
    }
    return (summary, leftOut)
  }

  private static func meets(_ record: borrowing Record, _ conditions: [Condition]) -> Bool {
    for condition in conditions {
      // A list or an object never equals a condition's text.
      let isMet = try? record[condition.slot].withText("") { text in
        condition.values.contains { ByteOrder.equal($0.span, text) }
      }
      guard isMet == true else { return false }
    }
    return true
  }
}

extension IngestCounts {
  /// Adds the counts of left-out rows. For a source without conditions, the counts stay `nil`.
  mutating func add(_ leftOut: RowFilter.LeftOut, of source: Pipeline.Source) {
    guard !source.conditions.isEmpty else { return }
    self.leftOut = (self.leftOut ?? 0) + leftOut.rows
    leftOutByAll = (leftOutByAll ?? 0) + leftOut.byAll
  }
}
