internal import PipelineFile
internal import Readers
internal import Text

/// Tells the rows of an export that a source takes from those that are others'.
///
/// A class, as a copy for each row would count references to all of its texts.
final class RowFilter: Sendable {
  /// Rows that a source leaves out.
  struct LeftOut: Sendable {
    var rows = 0
    /// Those among them that no other source of the pipeline takes either.
    var byAll = 0
  }

  private struct Condition: Sendable {
    let slot: Int
    let values: [[UInt8]]
  }

  /// The fields that are asked for: those of the source, then those that decide.
  let names: [String]
  private let own: [Condition]
  /// Of each other source that reads the same export.
  private let others: [[Condition]]
  private let optional: Set<String>
  private let needed: [String]

  /// - Parameters:
  ///   - source: Whose rows are taken.
  ///   - pipeline: The pipeline file in force.
  ///   - names: The fields that the source has its rows from.
  init(_ source: Pipeline.Source, in pipeline: Pipeline, behind names: [String]) {
    var list = FieldSlots(names)
    func conditions(of source: Pipeline.Source) -> [Condition] {
      source.conditions.map {
        Condition(slot: list.position(of: $0.field), values: $0.values.map { Array($0.utf8) })
      }
    }
    own = conditions(of: source)
    needed = source.conditions.map(\.field)
    // Where all rows are taken, nobody asks what else takes them.
    others =
      own.isEmpty
      ? []
      : pipeline.sources.map(\.source).filter { $0.isSameExport(as: source) && $0 != source }.map(conditions)
    self.names = list.names
    optional = Set(list.names.dropFirst(names.count)).subtracting(needed)
  }

  /// What is asked of the files: the request of the source with the fields that decide.
  func extending(_ request: ExportRequest) -> ExportRequest {
    var request = request
    request.fields = names
    request.optional = request.optional.subtracting(needed).union(optional)
    return request
  }

  /// Those of the fields `required` that some record should have, or the pipeline file misspells them: none where the source
  /// takes no row, as of requests that nobody has made yet.
  func required(_ required: [String], read: Int) -> [String] { own.isEmpty || read > 0 ? required : [] }

  /// Calls `body` with every record of the block that is taken. Rows that are no records are: nobody knows whose they are.
  ///
  /// - Returns: The block's counts, and what was left out.
  /// - Throws: What reading throws.
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
      // A list or an object is no text.
      let isMet = try? record[condition.slot].withText("") { text in
        condition.values.contains { ByteOrder.equal($0.span, text) }
      }
      guard isMet == true else { return false }
    }
    return true
  }
}

extension IngestCounts {
  /// Counts rows that a source with conditions leaves out; none where it has no conditions.
  mutating func add(_ leftOut: RowFilter.LeftOut, of source: Pipeline.Source) {
    guard !source.conditions.isEmpty else { return }
    self.leftOut = (self.leftOut ?? 0) + leftOut.rows
    leftOutByAll = (leftOutByAll ?? 0) + leftOut.byAll
  }
}
