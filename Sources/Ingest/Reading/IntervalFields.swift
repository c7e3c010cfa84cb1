internal import PipelineFile
internal import Readers

extension FieldValue {
  /// Returns the intervals in the field, in milliseconds since 1970 UTC; an empty array if the field is
  /// missing. An interval is an object with two ends, or an ISO 8601 text: two times with `/` between them.
  ///
  /// The intervals are in a list, or in one text with the attribute's separator between them. An interval
  /// whose end is not after its beginning is rejected.
  func intervals(_ attribute: Pipeline.Attribute) throws(RowRejected) -> [Range<Int64>] {
    var intervals: [Range<Int64>] = []
    switch self {
    case .missing: return []
    case .text(let text):
      for piece in text.bytes.pieces(between: Array(attribute.separator.utf8)) {
        guard let interval = Self.interval(piece) else { throw rejected(.badIntervals, attribute.from) }
        intervals.append(interval)
      }
    case .list(let list):
      for element in list.elements {
        guard let interval = Self.interval(element, attribute.ends) else {
          throw rejected(.badIntervals, attribute.from)
        }
        intervals.append(interval)
      }
    case .integer, .number, .boolean, .structure: throw rejected(.badIntervals, attribute.from)
    }
    return intervals
  }

  private static func interval(_ element: FieldList.Element, _ ends: Pipeline.IntervalEnds) -> Range<
    Int64
  >? {
    switch element {
    case .scalar(.text(let text)): return interval(text)
    case .scalar: return nil
    case .object(let members):
      let begins = members.filter { $0.key.elementsEqual(ends.begin.utf8) }
      let ends = members.filter { $0.key.elementsEqual(ends.end.utf8) }
      // If two keys name the same end, the intended value is unclear.
      guard begins.count == 1, ends.count == 1 else { return nil }
      return interval(begins[0].value.instant, ends[0].value.instant)
    }
  }

  private static func interval(_ text: [UInt8]) -> Range<Int64>? {
    let parts = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    return interval(
      FieldList.Scalar.text(Array(parts[0])).instant,
      FieldList.Scalar.text(Array(parts[1])).instant)
  }

  private static func interval(_ begin: Int64?, _ end: Int64?) -> Range<Int64>? {
    guard let begin, let end, begin < end else { return nil }
    return begin..<end
  }
}
