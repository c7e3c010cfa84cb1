import Foundation
import Testing
import TestSupport

@testable import Readers

@Suite struct DelimitedTests {
  @Test func `columns are found by name in any order, and others are ignored`() throws {
    let text = "b,unused,a\n1,x,2\n3,\"y,\n\",4\n"
    #expect(try read(text, .csv, ["a", "b"]) == [.row(2, "2", "1"), .row(3, "4", "3")])
  }

  @Test func `a field may be requested twice`() throws {
    #expect(try read("a,b\n1,2\n", .csv, ["b", "a", "b"]) == [.row(2, "2", "1", "2")])
  }

  @Test func `records are read even without requested fields`() throws {
    #expect(try read("a,b\n1,2\n", .csv, []) == [.row(2)])
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `every kind of line end ends a row, and the last row may lack it`(_ end: String) throws {
    let text = ["a,b", "1,2", "", "3,\"4\(end)5\"", "6,7"].joined(separator: end)
    let expected: [ReadRecord] = [
      .row(2, "1", "2"), .row(4, "3", .text(Array("4\(end)5".utf8))), .row(6, "6", "7"),
    ]
    #expect(try read(text, .csv, ["a", "b"]) == expected)
    #expect(try read(text + end, .csv, ["a", "b"]) == expected)
  }

  @Test func `line numbers count each kind of line end once`() throws {
    let text = "a\r\n1\n\r2\r\r\n\n3\n"
    #expect(try read(text, .csv, ["a"]) == [.row(2, "1"), .row(4, "2"), .row(7, "3")])
  }

  /// DuckDB converts an export to CSV. The lines of that text are not places in the export.
  @Test(arguments: [(.line, [2, 4, 6, 7, 8, 9]), (.row, [1, 2, 3, 4, 5, 6])] as [(PlaceUnit, [Int])])
  func `records are counted in lines, or in rows if DuckDB wrote them`(
    unit: PlaceUnit, numbers: [Int]
  ) throws {
    // There are ordinary rows, a row of two lines, a faulty row, and a last row without a line end.
    let bytes = Array("a,b\n1,2\n\n\"x\ny\",3\n4\n5,6\n7,8\n9,0".utf8)
    for capacity in [1, 5, 16, bytes.count + 1] {
      let window = ByteWindow(MemoryBytes(bytes), file: "x", checksUTF8: true, capacity: capacity)
      let pass = try DelimitedPass(
        window, file: "x", fields: ["a", "b"], optional: [], unit: unit, delimiter: UInt8(ascii: ","),
        quote: UInt8(ascii: "\""), missing: MissingTexts([]), recordLimit: ByteWindow.recordLimit)
      var found: [Int] = []
      var units: Set<PlaceUnit> = []
      let summary = try pass.forEach { record in
        found.append(record.number)
        units.insert(record.unit)
      }
      #expect(found == numbers && units == [unit], "\(capacity) bytes at a time")
      #expect(summary.unendedRow == numbers.last)
    }
  }

  @Test func `a byte order mark is not part of the first name`() throws {
    #expect(try read("\u{FEFF}a,b\n1,2\n", .csv, ["a"]) == [.row(2, "1")])
    #expect(try read("\u{FEFF}\"a\",b\n1,2\n", .csv, ["a"]) == [.row(2, "1")])
  }

  @Test func `quoted fields may be empty, and quotes may be doubled or within plain fields`() throws {
    let text = "a,b,c\n\"x\"\"y\",\"\",z\"z\"\n\"\"\"\",\"\"\"a\"\"\",\n"
    #expect(
      try read(text, .csv, ["a", "b", "c"]) == [.row(2, "x\"y", nil, "z\"z\""), .row(3, "\"", "\"a\"", nil)])
  }

  @Test func `spaces belong to the field`() throws {
    #expect(try read("a, b\n 1 , 2\n", .csv, ["a", " b"]) == [.row(2, " 1 ", " 2")])
    #expect(failure("a, b\n1,2\n", .csv, ["b"])?.code == .missingColumn)
  }

  @Test func `a row of another length is a fault, and the next one is read`() throws {
    let text = "a,b\n1\n1,2,3\n1,2,\n5,6\n"
    #expect(
      try read(text, .csv, ["a"]) == [
        .fault(2, .wrongFieldCount, "1"), .fault(3, .wrongFieldCount, "1,2,3"),
        .fault(4, .wrongFieldCount, "1,2,"), .row(5, "5"),
      ])
  }

  @Test func `text after a closing quote makes only its line a fault`() throws {
    let text = "a,b\n\"O\"Brien\",2\n3,4\n"
    #expect(try read(text, .csv, ["a"]) == [.fault(2, .badQuote, "\"O\"Brien\",2"), .row(3, "3")])
  }

  @Test func `a stray quote does not affect the rows up to the next quote`() throws {
    let text = "a,b\n1,\"x\n2,y\n3,\"z\"\n4,w\n"
    #expect(
      try read(text, .csv, ["a"]) == [
        .fault(2, .badQuote, "1,\"x"), .row(3, "2"), .row(4, "3"), .row(5, "4"),
      ])
  }

  @Test func `an unclosed quote makes only its line a fault`() throws {
    let text = "a,b\n\"1\n1\",\"x\n2,y\n"
    #expect(try read(text, .csv, ["a"]) == [.fault(2, .unclosedQuote, "\"1\n1\",\"x"), .row(4, "2")])
    #expect(try read("a\n\"", .csv, ["a"]) == [.fault(2, .unclosedQuote, "\"")])
  }

  @Test func `an excerpt is short and ends between characters`() throws {
    let text = "a,b\n" + String(repeating: "é", count: 500) + "\n"
    let excerpt = try #require(try read(text, .csv, ["a"]).first?.excerpt)
    #expect(excerpt == String(repeating: "é", count: RecordFault.excerptLimit / 2))
    let odd = try #require(try read("a,b\nx" + text.dropFirst(4), .csv, ["a"]).first?.excerpt)
    #expect(odd == "x" + String(repeating: "é", count: RecordFault.excerptLimit / 2 - 1))
  }

  @Test func `tab-separated values keep commas`() throws {
    #expect(try read("a\tb\n1,5\t\"x\ty\"\n", .tsv, ["a", "b"]) == [.row(2, "1,5", "x\ty")])
  }

  @Test func `delimiter and quote can be chosen`() throws {
    let options = ExportOptions(delimiter: UInt8(ascii: ";"), quote: UInt8(ascii: "'"))
    let reader = try ExportReader(
      bytes: Array("a;b\n'x;''y';\"2\n".utf8), name: "x", format: .csv, fields: ["a", "b"], options: options)
    #expect(try reader.all().records == [.row(2, "x;'y", "\"2")])
  }

  @Test(arguments: ["1,x\n2,y\n", "\u{FEFF}1,x\r\n2,y", "\n1,x\n\n2,y\n"])
  func `columns names the columns of a file without a header`(text: String) throws {
    var options = ExportOptions()
    options.columns = ["id", "name"]
    for chunk in [1, 3, 100] {
      var reader = try ExportReader(
        bytes: Array(text.utf8), name: "x", format: .csv, fields: ["name", "id"], options: options)
      reader.chunk = chunk
      #expect(try reader.all().records.map(\.cells) == [["x", "1"], ["y", "2"]])
    }
  }

  @Test func `without a header, a column that is not listed is an error, and an empty file has no rows`()
    throws
  {
    var options = ExportOptions()
    options.columns = ["id", "name"]
    let missing = try ExportReader(
      bytes: Array("1,x\n".utf8), name: "x", format: .csv, fields: ["nam"], options: options)
    #expect { try missing.all() } throws: { ($0 as? ExportError)?.code == .missingColumn }
    let empty = try ExportReader(bytes: [], name: "x", format: .csv, fields: ["id"], options: options)
    #expect(try empty.all().records.isEmpty)
  }

  @Test func `without quotes, a quote is text`() throws {
    var options = ExportOptions(quote: ExportOptions.noQuote)
    options.delimiter = UInt8(ascii: "|")
    let reader = try ExportReader(
      bytes: Array("a|b\n5\" pipe|\"x\n\"|é\n".utf8), name: "x", format: .csv, fields: ["a", "b"],
      options: options)
    #expect(try reader.all().records == [.row(2, "5\" pipe", "\"x"), .row(3, "\"", "é")])
  }

  @Test func `a part without bytes has no rows if the options allow it`() throws {
    var options = ExportOptions()
    options.allowsEmpty = true
    for text in ["", "\u{FEFF}"] {
      let reader = try ExportReader(
        bytes: Array(text.utf8), name: "x", format: .csv, fields: ["a", "b", "a"], options: options)
      #expect(try reader.all().records.isEmpty)
    }
    let blank = try ExportReader(
      bytes: Array("\n".utf8), name: "x", format: .csv, fields: ["a"], options: options)
    #expect { try blank.all() } throws: { ($0 as? ExportError)?.code == .missingHeader }
  }

  @Test(arguments: [(10, 34), (44, 13), (34, 34), (0, 34), (0xC3, 34)] as [(UInt8, UInt8)])
  func `impossible delimiters and quotes are rejected`(_ delimiter: UInt8, _ quote: UInt8) {
    #expect {
      try ExportReader(
        bytes: Array("a\n".utf8), name: "x", format: .csv, fields: [],
        options: ExportOptions(delimiter: delimiter, quote: quote))
    } throws: {
      ($0 as? ExportError)?.code == .badOption
    }
  }

  @Test func `a header without rows has no record, and an empty file is an error`() throws {
    #expect(try read("a,b", .csv, ["b"]) == [])
    for (text, words) in [
      ("", "is empty"), ("\u{FEFF}", "is empty"), ("\n\r\n", "contains only white space"),
      ("\u{FEFF}\n", "contains only white space"),
    ] {
      let error = try #require(failure(text, .csv, ["a"]))
      #expect(error.code == .missingHeader)
      #expect(error.reason.hasPrefix("the file \(words); write a first line"), "\(error)")
    }
    for (text, words) in [
      ("\"a\"b,c\n", "text follows the closing quote of field 1 of the header"),
      ("a,\"b", "the quote that opens field 2 of the header is never closed"),
    ] {
      let error = failure(text, .csv, ["c"])
      #expect(error?.code == .badHeader)
      #expect(error?.reason.hasPrefix(words) == true, "\(error?.reason ?? "")")
    }
  }

  @Test func `the error for a missing column names the nearest column and all columns`() throws {
    let error = try #require(failure("\nswiper_id,target_id,at\n", .csv, ["swiped_id"]))
    #expect(error.code == .missingColumn)
    #expect(
      error.description
        == "x:2: the file has no column 'swiped_id' (did you mean 'swiper_id'?); the columns are swiper_id, "
        + "target_id, at; correct the pipeline file or the export"
    )
  }

  @Test func `a duplicate column is rejected, whether requested or not`() throws {
    for field in ["a", "b"] {
      let error = try #require(failure("a,b,a\n", .csv, [field]))
      #expect(error.code == .duplicateColumn)
      #expect(error.reason.contains("columns 1 and 3") && error.reason.contains("a, b, a"))
    }
  }

  @Test func `several columns may have no name`() throws {
    #expect(try read(",b,\n1,2,3\n", .csv, ["b"]) == [.row(2, "2")])
  }

  @Test func `column names are bytes, without normalization`() {
    #expect(failure("caf\u{E9}\n", .csv, ["cafe\u{301}"])?.code == .missingColumn)
  }

  @Test func `a pass can be repeated and counts its records`() throws {
    let reader = try ExportReader(bytes: Array("a,b\n1,2\n3\n".utf8), name: "x", format: .csv, fields: ["a"])
    let first = try reader.all()
    #expect(first.summary.records == 1)
    #expect(first.summary.faults == 1)
    #expect(first.summary.namesSeen == ["a", "b"])
    #expect(first.summary.neverPresent == [])
    #expect(try reader.all().records == first.records)
  }

  @Test(
    arguments: [
      (.csv, "a\n1\n2\n"), (.jsonl, "{}\n{}"), (.json, "[{},{}]"),
      (.firestore, #"{"documents":[{"name":"x"},{"name":"y"}]}"#),
      (.firestore, "{\"name\":\"x\"}\n{\"name\":\"y\"}"),
    ] as [(ExportFormat, String)])
  func `an error of the body ends the pass`(_ format: ExportFormat, _ text: String) throws {
    struct Enough: Error {}
    let reader = try ExportReader(bytes: Array(text.utf8), name: "x", format: format, fields: [])
    var count = 0
    #expect(throws: Enough.self) {
      try reader.forEachRecord { _ in
        count += 1
        throw Enough()
      }
    }
    #expect(count == 1)
  }
}

@Suite(.enabled(if: SharedData.exists("third-party/nasty/csv-spectrum"), "needs ../shared/data"))
struct CSVSpectrumTests {
  @Test(arguments: [
    "comma_in_quotes", "empty", "empty_crlf", "escaped_quotes", "json", "newlines", "newlines_crlf",
    "quotes_and_newlines", "simple", "simple_crlf", "utf8",
  ])
  func `a file equals its JSON`(_ name: String) throws {
    let folder = SharedData.url("third-party/nasty/csv-spectrum")
    let json = try Data(contentsOf: folder.appending(path: "json/\(name).json"))
    let expected = try #require(try JSONSerialization.jsonObject(with: json) as? [[String: String]])
    let fields = try #require(expected.first).keys.sorted()
    let file = folder.appending(path: "csvs/\(name).csv").path
    let read = try ExportReader(file: file, format: .csv, fields: fields).all()
    #expect(
      read.records.map(\.cells)
        == expected.map { row in
          fields.map { field in
            let text = row[field] ?? ""
            return text.isEmpty ? .missing : .text(Array(text.utf8))
          }
        })
    #expect(read.summary.faults == 0)
    #expect(read.summary.namesSeen.sorted() == fields)
  }
}
