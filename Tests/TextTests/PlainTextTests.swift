import Testing

@testable import Columns
@testable import Files
@testable import RunSchemas
@testable import Text

@Suite struct NumberTextTests {
  @Test(arguments: [
    (0, "0"), (7, "7"), (999, "999"), (1000, "1 000"), (60_000, "60 000"), (1_234_567, "1 234 567"),
    (-1, "-1"),
    (-999, "-999"), (-1000, "-1 000"), (Int.max, "9 223 372 036 854 775 807"),
    (Int.min, "-9 223 372 036 854 775 808"),
  ])
  func `digits are in groups of three`(number: Int, text: String) {
    #expect(number.grouped == text)
  }

  @Test func `counts have nouns`() {
    #expect(1.counted("list") == "1 list")
    #expect(0.counted("list") == "0 lists")
    #expect(2000.counted("match", "matches") == "2 000 matches")
    #expect(1.counted("match", "matches") == "1 match")
  }

  @Test func `columns are padded, never cut`() {
    #expect("ab".padded(to: 4) == "ab  ")
    #expect("abcdef".padded(to: 4) == "abcdef")
    #expect(0.25.fixed(1) == "0.2")
    #expect(1234.5678.fixed(2) == "1234.57")
  }

  @Test(arguments: [
    (0, "0"), (0.125, "0.125"), (18, "18"), (-0.15751, "-0.1575"), (60_000, "60 000"), (1234.5, "1 235"),
    (999.96, "1000"), (1e100, "1e+100"), (-1e100, "-1e+100"), (1e-9, "1e-09"), (-0.0, "0"),
  ]) func `a number has few digits`(number: Double, text: String) {
    #expect(number.short == text)
  }

  @Test(arguments: [
    (0, "0 %"), (0.125, "12.5 %"), (0.3333, "33.33 %"), (1, "100 %"), (0.00001, "< 0.01 %"),
    (0.99999, "> 99.99 %"), (0.05, "5 %"), (3, "300 %"),
  ]) func `a share is a percentage`(share: Double, text: String) {
    #expect(share.percent == text)
  }

  @Test(arguments: [
    (0, "0 B"), (1, "1 B"), (999, "999 B"), (1000, "1.0 kB"), (99_449, "99.4 kB"), (99_500, "100 kB"),
    (999_499, "999 kB"), (999_500, "1.0 MB"), (1_000_000_000, "1.0 GB"), (3_149_999_999, "3.1 GB"),
    (12_000_000_000_000, "12.0 TB"), (1_234_000_000_000_000, "1234 TB"),
  ]) func `a size has at least two digits`(bytes: Int, text: String) {
    #expect(bytes.asBytes == text)
  }

  @Test func `a share of an empty set is undefined`() {
    #expect(0.share(of: 0) == "-")
    #expect(1.share(of: 4) == "25 %")
  }
}

@Suite struct TerminalTextTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ﾊﾝ", 2), ("한글", 4), ("Ａ", 2), ("🐕", 2),
    ("👩‍👩‍👧‍👦", 2),
    ("☂️", 2), ("☂", 1), ("\u{200B}", 0), ("a\u{200D}", 1),
    ("e" + String(repeating: "\u{301}", count: 500), 1),
  ]) func `a text has a number of columns on a terminal`(text: String, columns: Int) {
    #expect(text.terminalColumns == columns)
    #expect(text.padded(to: columns + 2).terminalColumns == columns + 2)
    #expect(text.leftPadded(to: columns + 2).hasSuffix(text))
    #expect(text.padded(to: 0) == text)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
    ("", 1, ""), ("ab", 1, "…"),
  ]) func `a text that is too wide is truncated`(text: String, width: Int, cut: String) {
    #expect(text.cut(to: width) == cut)
  }

  @Test func `a column of a thousand marks is cut`() {
    let text = "e" + String(repeating: "\u{301}", count: 5000)
    #expect(text.cut(to: 10).unicodeScalars.count <= 41)
  }
}

@Suite struct TextTableTests {
  @Test func `columns are aligned, and the last one is wrapped`() {
    var table = TextTable([.left, .right])
    table.append(["name", "rows"])
    table.append(["日本", "7"], ["aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc", "d"])
    table.append(["\u{1B}[2J", "1 000"], ["\u{202E}x"])
    #expect(
      table.lines(indent: 1, width: 45) == [
        " name        rows",
        " 日本           7  aaaaaaaaaa, bbbbbbbbbb,",
        "                   cccccccccc, d",
        " \\u001b[2J  1 000  \\u202ex",
      ])
    #expect(TextTable([.left]).isEmpty)
  }

  @Test func `the result of a query has a header, whole texts, and unbroken lines in a file`() {
    let long = String(repeating: "x", count: 50)
    var table = TextTable([.right, .left], header: ["n", "name", "why"], cutsTexts: false)
    #expect(table.isEmpty)
    table.append(["1", long], ["a", String(repeating: "y", count: 80), "b"])
    table.append(["22", ""])
    #expect(!table.isEmpty)
    let gap = String(repeating: " ", count: 46)
    #expect(
      table.lines(indent: 0, width: nil) == [
        " n  name\(gap)  why", " 1  \(long)  a, \(String(repeating: "y", count: 80)), b", "22",
      ])
    // The other columns need less space than the indentation of the next line.
    var narrow = TextTable([.left])
    narrow.append(["a"], [String(repeating: "b", count: 14), String(repeating: "c", count: 13), "d"])
    #expect(
      narrow.lines(indent: 2, width: 10) == [
        "  a  \(String(repeating: "b", count: 14)),", "     \(String(repeating: "c", count: 13)),", "     d",
      ])
  }

  @Test func `the last column goes below the others if it has no room beside them`() {
    var table = TextTable([.left, .left], header: ["name", "kind", "why"], cutsTexts: false)
    table.append([String(repeating: "n", count: 20), "k"], ["aa bb cc dd ee ff", "g"])
    table.append(["short", "k"], ["h"])
    #expect(
      table.lines(indent: 1, width: 40) == [
        " name                  kind  why", " nnnnnnnnnnnnnnnnnnnn  k", "     aa bb cc dd ee ff, g",
        " short                 k     h",
      ])
    // A part that is still too wide is broken between words.
    #expect(
      table.lines(indent: 1, width: 20).suffix(5) == [
        " nnnnnnnnnnnnnnnnnnnn  k", "     aa bb cc dd ee", "       ff, g", " short                 k",
        "     h",
      ])
  }

  @Test func `long cells and pieces are cut`() {
    var table = TextTable([.left])
    table.append([String(repeating: "x", count: 500)], [String(repeating: "y", count: 500)])
    #expect(table.lines(indent: 0).map(\.count) == [36 + 2 + 70])
  }
}
