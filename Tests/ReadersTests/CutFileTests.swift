import Foundation
import Testing
import TestSupport

@testable import Readers

/// Files that were not completely written.
@Suite struct CutFileTests {
  private static let formats: [(ExportFormat, String?)] = [
    (.csv, nil), (.tsv, nil), (.jsonl, nil), (.json, nil), (.firestore, nil), (.firestore, "pages"),
    (.parse, nil), (.parse, "lines"), (.parse, "array"), (.realtime, nil), (.realtime, "t"),
  ]

  /// Returns about 3 000 bytes of records.
  private static func file(_ format: ExportFormat, _ form: String?) -> String {
    let rows = (0..<60).map { ("u\($0)", "é \"\($0)\" 🐕, x") }
    let objects = rows.map { id, text in
      format == .firestore
        ? "{\"name\":\"u/\(id)\",\"fields\":{\"a\":{\"stringValue\":\"\(text.replacing("\"", with: "\\\""))\"}}}"
        : "{\"id\":\"\(id)\",\"a\":\"\(text.replacing("\"", with: "\\\""))\"}"
    }
    switch (format, form) {
    case (.csv, _), (.tsv, _):
      let delimiter = format == .csv ? "," : "\t"
      let lines = rows.map { id, text in "\(id)\(delimiter)\"\(text.replacing("\"", with: "\"\""))\r\n.\"" }
      return "id\(delimiter)a\r\n" + lines.joined(separator: "\r\n") + "\r\n"
    case (.firestore, "pages"):
      return "{\"documents\":[" + objects.prefix(30).joined(separator: ",")
        + "],\"nextPageToken\":\"x\"}\n{\"documents\":["
        + objects.dropFirst(30).joined(separator: ",") + "]}\n"
    case (.parse, nil): return "{\"results\":[" + objects.joined(separator: ",\r\n") + "]}"
    case (.jsonl, _), (.firestore, _), (.parse, "lines"): return objects.joined(separator: "\n") + "\n"
    case (.realtime, _):
      let members = zip(rows, objects).map { "\"\($0.0)\":\($1)" }.joined(separator: ",")
      return form == nil ? "{\(members)}" : "{\"s\":[1],\"t\":{\(members)},\"u\":{\"v\":[{}]}}"
    default: return "[" + objects.joined(separator: ",\n") + "]\n"
    }
  }

  @Test(arguments: formats)
  func `a truncated file gives its first records`(
    _ format: ExportFormat, _ form: String?
  ) {
    let bytes = Array(Self.file(format, form).utf8)
    let fields = ["id", "a"]
    let options = ExportOptions(table: format == .realtime ? form : nil)
    let whole = outcome(bytes, format, fields, options)
    #expect(whole.error == nil && whole.records.count == 60 && whole.records.allSatisfy { $0.rule == nil })
    for end in bytes.count - 1024..<bytes.count {
      for chunk in [100, 1 << 12] {
        let cut = Outcome(Array(bytes[..<end]), format, fields, options, chunk: chunk)
        // Only the last row may differ: it may be invalid or look complete. A quoted field may span
        // two lines.
        var common = cut.records[...]
        while common.last?.rule != nil { common.removeLast() }
        if common.count == cut.records.count { common = common.dropLast() }
        let isBeginning = whole.records.starts(with: common) && cut.records.count <= common.count + 2
        #expect(isBeginning, "\(end)")
        if let summary = cut.summary {
          #expect(summary.records + summary.faults == cut.records.count)
        } else {
          #expect([.badJSON, .invalidUTF8].contains(cut.error?.code))
        }
        // Formats with an end marker must report every truncation, except in trailing white space.
        let isWhole = bytes[end...].allSatisfy { $0 == lineFeed || $0 == carriageReturn }
        let tells =
          ![.csv, .tsv, .jsonl].contains(format) && form != "lines" && (format, form) != (.firestore, nil)
        if tells, !isWhole, !(form == "pages" && end < bytes.count / 2) {
          #expect(cut.error != nil, "\(end)")
        }
      }
    }
  }

  /// Expects that the reader returns as many records and faults as it counts.
  private func check(_ bytes: [UInt8], _ format: ExportFormat, _ table: String?, _ name: String) {
    for chunk in [3, 1 << 18] {
      let read = Outcome(bytes, format, ["a", "a.b"], ExportOptions(table: table), chunk: chunk)
      if let summary = read.summary {
        #expect(summary.records + summary.faults == read.records.count, "\(name) as \(format)")
        #expect(summary.faults == read.records.count { $0.rule != nil })
      }
      // A complete read has a summary, and an incomplete read has an error.
      #expect((read.summary == nil) == (read.error != nil), "\(name) as \(format)")
      let numbers = read.records.map(\.number)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(name) as \(format)")
    }
  }

  @Test(.enabled(if: SharedData.exists("third-party/nasty/JSONTestSuite"), "needs ../shared/data"))
  func `JSONTestSuite passes in every format, whole and as a part`() throws {
    for file in JSONTestSuiteTests.files {
      let bytes = try JSONTestSuiteTests.contents(file)
      let name = file.lastPathComponent
      for (format, head, tail) in [
        (ExportFormat.jsonl, "", ""), (.jsonl, "{}\n{\"a\":", "}\n{}"), (.json, "", ""), (.firestore, "", ""),
        (.firestore, "{\"documents\":[", "]}"), (.firestore, "{\"name\":\"x\",\"fields\":{\"a\":", "}}"),
        (.parse, "", ""), (.parse, "{\"results\":[", "]}"), (.parse, "{\"results\":", "}"),
        (.parse, "{\"a\":", "}\n{}"), (.realtime, "", ""), (.realtime, "{\"t\":", "}"),
        (.realtime, "{\"t\":{\"k\":", "}}"), (.realtime, "{\"t\":{},\"s\":", "}"),
      ] {
        check(Array(head.utf8) + bytes + Array(tail.utf8), format, head.contains("\"t\"") ? "t" : nil, name)
      }
      // As one of several records, the text may be a record, a fault or an error.
      guard name.hasPrefix("y_") else { continue }
      for (format, head, tail) in [
        (ExportFormat.json, "[{},", ",{}]"), (.parse, "{\"results\":[{},", ",{}]}"),
        (.realtime, "{\"k\":{},\"l\":{\"m\":", "},\"n\":{}}"),
      ] {
        let read = outcome(Array(head.utf8) + bytes + Array(tail.utf8), format, ["a"])
        #expect(read.error == nil && read.records.count == 3, "\(name) as \(format)")
      }
      let sibling = outcome(
        Array("{\"s\":".utf8) + bytes + Array(",\"t\":{\"k\":{}}}".utf8), .realtime, [],
        ExportOptions(table: "t"))
      #expect(sibling.error == nil && sibling.records.count == 1, "\(name)")
    }
  }
}
