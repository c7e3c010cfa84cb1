import System
import Testing

@testable import Readers

/// Errors, summaries and options of readers.
struct ReaderValuesTests {
  @Test(
    arguments: [
      (.missingFile, .missingInput), (.unreadable, .ioError), (.invalidUTF8, .badData),
      (.corruptCompression, .badData), (.unsupportedCompression, .badData), (.expansionLimit, .badData),
      (.missingHeader, .badData), (.badHeader, .badData), (.missingColumn, .badData),
      (.duplicateColumn, .badData), (.badJSON, .badData), (.wrongShape, .badData),
      (.badField, .badPipelineFile), (.incomplete, .badData), (.oddFile, .badData),
      (.badOption, .badPipelineFile),
    ] as [(ExportError.Code, System.ExitStatus)])
  func `each error has its exit status`(code: ExportError.Code, status: System.ExitStatus) {
    #expect(ExportError(code, file: "f", reason: "r").exitStatus == status)
  }

  @Test(
    arguments: [
      (nil, "f: it is odd"), (.line(7), "f:7: it is odd"),
      (.element(3, byte: 40), "f: element 3, byte 40: it is odd"),
      (.byte(40, line: 7), "f:7: byte 40: it is odd"),
      (.compressedByte(9), "f: compressed byte 9: it is odd"),
    ] as [(ExportError.Place?, String)])
  func `a message begins with its place`(place: ExportError.Place?, text: String) {
    #expect(ExportError(.badJSON, file: "f", place: place, reason: "it is odd").description == text)
  }

  @Test(
    arguments: [
      (.csv, .line, 44), (.tsv, .line, 9), (.jsonl, .line, nil), (.json, .element, nil),
      (.firestore, .element, nil), (.parse, .element, nil), (.realtime, .element, nil), (.parquet, .row, nil),
      (.duckdb, .row, nil),
    ] as [(ExportFormat, PlaceUnit, UInt8?)])
  func `each format has its unit and delimiter`(format: ExportFormat, unit: PlaceUnit, delimiter: UInt8?) {
    #expect(format.unit == unit && format.delimiter == delimiter)
    #expect(ExportOptions().delimiter(in: format) == delimiter ?? 44)
    #expect(ExportOptions(delimiter: 59).delimiter(in: format) == 59)
  }

  @Test func `options have defaults`() {
    let options = ExportOptions()
    #expect(options.delimiter == nil && options.quote == 34 && options.missing.isEmpty)
    #expect(options.table == nil && options.query == nil && options.workingDirectory == nil)
    #expect(options.expansion == ExpansionLimits(bytes: 68_719_476_736, ratio: 1000))
    #expect(ExpansionLimits(bytes: 3, ratio: 2).bytes == 3 && ExpansionLimits(bytes: 3, ratio: 2).ratio == 2)
  }

  @Test(
    arguments: [
      (0, 0, 0, ["a", "b"], ["b", "c"], ["b", "c"]), (1, 0, 0, ["a", "b"], ["b", "c"], ["a", "b"]),
      (1, 0, 1, ["a", "b"], ["b", "c"], ["b"]), (0, 3, 1, ["a"], ["b"], ["b"]), (2, 0, 5, ["a"], [], []),
      (2, 0, 5, ["a", "b", "c"], ["c", "a"], ["a", "c"]),
    ] as [(Int, Int, Int, [String], [String], [String])])
  func `a field is absent if no part with records has it`(
    before: Int, faults: Int, records: Int, absent: [String], next: [String], expected: [String]
  ) {
    var sum = ReadSummary(records: before, faults: faults, neverPresent: absent)
    sum.add(ReadSummary(records: records, faults: 2, neverPresent: next))
    #expect(sum.neverPresent == expected)
    #expect(sum.records == before + records && sum.faults == faults + 2)
  }

  private static func gap(_ reason: String) -> ExportGap { ExportGap(place: .line(1), reason: reason) }

  @Test func `the first certain gap counts, and an error counts only at the end`() {
    var sum = ReadSummary()
    var error = ReadSummary()
    error.lastError = Self.gap("error")
    sum.add(error)
    #expect(sum.gap == Self.gap("error"))
    // A part without content keeps the error.
    sum.add(ReadSummary())
    #expect(sum.gap == Self.gap("error"))
    // Any of these parts shows that the export goes on.
    for number in 0..<4 {
      var (after, part) = (sum, ReadSummary())
      switch number {
      case 0: part.records = 1
      case 1: part.faults = 1
      case 2: part.isEmptyAnswer = true
      default: part.hasEmptyPage = true
      }
      after.add(part)
      #expect(after.gap == nil, "\(number)")
      #expect(after.hasEmptyPage == (number == 3))
      #expect(after.isEmptyAnswer == (number == 2))
    }
    for reason in ["first", "second"] {
      var cut = ReadSummary()
      cut.certainGap = Self.gap(reason)
      sum.add(cut)
      #expect(sum.gap == Self.gap("first"))
    }
  }

  @Test func `the last row without a line break and the last announced count are kept`() {
    var sum = ReadSummary()
    for (row, announced, expected) in [
      (nil, nil, [nil, nil]), (3, 7, [3, 7]), (nil, nil, [3, 7]), (9, nil, [9, 7]), (nil, 1, [9, 1]),
    ] as [(Int?, Int?, [Int?])] {
      var part = ReadSummary()
      (part.unendedRow, part.announced) = (row, announced)
      sum.add(part)
      #expect([sum.unendedRow, sum.announced] == expected)
    }
  }

  @Test func `the nearest name of a path is the nearest outermost key`() {
    let summary = ReadSummary(namesSeen: ["location", "name", "a.b"])
    #expect(summary.nearestName(to: "nam") == "name")
    #expect(summary.nearestName(to: "locaton.lat") == "location")
    #expect(summary.nearestName(to: "a.c") == "a.b")
    #expect(summary.nearestName(to: "other.lat") == nil && summary.nearestName(to: "other") == nil)
  }

  @Test func `suggestions are part of a sentence`() {
    #expect(suggestion(for: "nam", among: ["name"]) == "; did you mean 'name'?")
    #expect(inlineSuggestion(for: "nam", among: ["name"]) == " (did you mean 'name'?)")
    #expect(suggestion(for: "x", among: ["name"]) == "" && inlineSuggestion(for: "x", among: ["name"]) == "")
    let long = String(repeating: "a", count: 64)
    #expect(nearestName(to: long, among: [long + "a", long]) == long)
    #expect(listed((1...40).map(String.init)).hasSuffix(", 39, 40"))
    #expect(listed(["a", "b", "c"], limit: 2) == "a, b, and 1 more" && listed([]) == "")
  }

  @Test(
    arguments: [
      (1, 5, 2, 0, true), (2, 0, 1, 9, false), (1, 5, 1, 6, true), (1, 6, 1, 5, false), (1, 5, 1, 5, false),
    ] as [(Int64, UInt32, Int64, UInt32, Bool)])
  func `moments are ordered by milliseconds, then by the finer digits`(
    first: Int64, finer: UInt32, second: Int64, other: UInt32, isBefore: Bool
  ) {
    let (left, right) = (
      Moment(milliseconds: first, finer: finer), Moment(milliseconds: second, finer: other)
    )
    #expect((left < right) == isBefore)
    #expect(Moment(milliseconds: 1).finer == 0)
  }

  @Test(
    arguments: [
      ("", 0, 1), ("a\nb", 1, 1), ("a\nb", 2, 2), ("a\r\nb", 1, 1), ("a\r\nb", 2, 1), ("a\r\nb", 3, 2),
      ("a\rb", 2, 2), ("a\r\rb", 3, 3), ("a\n\rb", 3, 3), ("a\n", 9, 2), ("a\r", 2, 2), ("\n\n\n", 2, 3),
    ] as [(String, Int, Int)])
  func `a line number counts each line end before an offset once`(text: String, offset: Int, line: Int) {
    let bytes = Array(text.utf8)
    let found = lineNumber(of: offset, in: bytes.span)
    #expect(found == line)
  }

  @Test(
    arguments: [
      ("a", ["a"]), ("a.b", ["a", "b"]), (#"a\.b.c"#, ["a.b", "c"]), (#"a\\.b"#, [#"a\"#, "b"]),
      ("é. ", ["é", " "]), ("", nil), (".", nil), ("a.", nil), (".a", nil), ("a..b", nil), (#"a\"#, nil),
      (#"a\b"#, nil), (#"a\\\.b"#, [#"a\.b"#]),
    ] as [(String, [String]?)])
  func `a path consists of keys`(field: String, keys: [String]?) {
    let path = try? FieldPath(field, file: "f")
    #expect(path?.keys == keys.map { $0.map { Array($0.utf8) } })
    #expect(FieldPath(key: field).keys == [Array(field.utf8)])
  }
}
