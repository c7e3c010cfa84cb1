internal import PipelineFile
internal import Readers
internal import Text

/// Selects the rows of an export that a source takes. Several sources may read different rows of one export.
///
/// This is a class, because copying a structure for each row would update the reference counts of all its
/// strings.
final class RowFilter: Sendable {
  /// The numbers of rows that a source leaves out.
  struct LeftOut: Sendable {
    var rows = 0
    /// The number of left-out rows that no other source of the pipeline takes either.
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
  ///   - source: The source that takes the rows.
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
    // A source without conditions takes all rows, so the conditions of other sources do not matter.
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

  /// The fields of `required` that at least one record must have. If no record has a field, the pipeline file
  /// probably misspells its name. Returns no fields if the conditions of the source select none of the rows,
  /// for example before the first request exists. `read` is the number of selected rows.
  func required(_ required: [String], read: Int) -> [String] { own.isEmpty || read > 0 ? required : [] }

  /// Calls `body` with every record of the block that the source takes, and with the rows that cannot be
  /// parsed, because the conditions cannot be checked for them. A source without conditions receives ordinary
  /// rows in batches through `onRows`, if it is not `nil`.
  ///
  /// - Returns: The block's counts, and the numbers of rows that were left out.
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
  /// Counts the rows that a source with conditions leaves out. For a source without conditions, the counts
  /// stay `nil`.
  mutating func add(_ leftOut: RowFilter.LeftOut, of source: Pipeline.Source) {
    guard !source.conditions.isEmpty else { return }
    self.leftOut = (self.leftOut ?? 0) + leftOut.rows
    leftOutByAll = (leftOutByAll ?? 0) + leftOut.byAll
  }
}
