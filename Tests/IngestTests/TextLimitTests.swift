import IngestFixture
import Testing
import TestSupport
import Text

@testable import Ingest

/// Limits on ids, words and texts. Every serving store can hold values within these limits.
@Suite struct TextLimitTests {
  private static func yaml(_ format: String, option: String = "") -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    dangling_limit: 1
    entities:
      people:
        source: { path: people.\(format)\(option) }
        id: id
        attributes:
          kind: { type: category }
          age: { type: number, optional: true }
          words: { type: tags }
          about: { type: text }
          county: { type: category, names: { Cork: [\(String(repeating: "c", count: 300))] }, optional: true }
    interactions:
      likes: { source: { path: likes.csv }, user: a, candidate: b, at: t, value: { from: v, map: { yes: 1 } } }
    """
  }

  /// A text of `count` bytes.
  private static func text(_ count: Int) -> String {
    String(repeating: "é", count: count / 2) + String(repeating: "x", count: count % 2)
  }

  private static let manyTags = (0..<257).map { "t\($0)" }.joined(separator: ";")

  /// Rows, the rule that each row breaks, if any, and the field of the reject.
  private static let rows: [(row: [String], rule: IngestRule?, field: String)] = [
    (["a", "k", "w", "t"], nil, ""),
    ([text(1024), text(256), text(256) + ";w", text(100_000)], nil, ""),
    ([text(1025), "k", "w", "t"], .idTooLong, "id"),
    (["b", text(257), "w", "t"], .wordTooLong, "kind"),
    (["c", "k", "w;" + text(257), "t"], .wordTooLong, "words"),
    (["d", "k", manyTags, "t"], .tooManyTags, "words"),
    (["e", "k", manyTags.replacing("t256", with: "t0"), "t"], nil, ""),
    (["f\u{0}", "k", "w", "t"], .nullCharacter, "id"),
    (["g", "\u{0}", "w", "t"], .nullCharacter, "kind"),
    (["h", "k", "w;v\u{0};u", "t"], .nullCharacter, "words"),
    (["i", "k", "w", "t\u{0}"], .nullCharacter, "about"),
  ]

  private static func files(_ format: String) throws -> String {
    let names = ["id", "kind", "words", "about"]
    guard format == "csv" else {
      return rows.map { row in
        "{"
          + zip(names, row.row).map { name, value in
            let parts =
              name == "words"
              ? "[" + value.split(separator: ";").map { "\"\($0)\"" }.joined(separator: ",") + "]"
              : "\"\(value)\""
            return "\"\(name)\":\(parts.replacing("\u{0}", with: "\\u0000"))"
          }.joined(separator: ",") + "}\n"
      }.joined()
    }
    return names.joined(separator: ",") + ",county\n"
      + rows.map { $0.row.joined(separator: ",") + ",\n" }.joined()
  }

  @Test(arguments: ["csv", "jsonl"], ["", ", missing: [no such text]"])
  func `a text that a serving store cannot hold is rejected`(format: String, option: String) throws {
    let night = try Night(
      Self.yaml(format, option: option),
      ["people.\(format)": try Self.files(format), "likes.csv": Night.likesHeader])
    let broken = Self.rows.enumerated().filter { $0.element.rule != nil }
    let first = format == "csv" ? 2 : 1
    #expect(
      try night.rejects().map { [$0[2], $0[3], $0[4]] }
        == broken.map { ["\($0.offset + first)", $0.element.field, $0.element.rule?.rawValue ?? ""] })
    #expect(night.accounts("people") == [Self.rows.count, 3, broken.count, 0, 0])
    let kept = try night.ids()
    #expect(Set(kept) == Set(Self.rows.filter { $0.rule == nil }.map { $0.row[0] }))
  }

  @Test(arguments: ["csv", "jsonl"])
  func `a reference to an invalid id counts as a reference to an unknown id`(format: String) throws {
    let likes = "\(Self.text(1025)),a,1,yes\na,b\u{0},1,yes\na,\(Self.text(1024)),1,yes\n"
    let night = try Night(
      Self.yaml("csv").replacing("likes.csv", with: "likes.\(format)"),
      [
        "people.csv": "id,kind,words,about,county\na,,,,\n",
        "likes.\(format)": format == "csv"
          ? Night.likesHeader + likes
          : likes.split(separator: "\n").map { row in
            let parts = row.replacing("\u{0}", with: "\\u0000").split(separator: ",")
            return "{\"a\":\"\(parts[0])\",\"b\":\"\(parts[1])\",\"t\":1,\"v\":\"yes\"}\n"
          }.joined(),
      ])
    // If one account has such an id, its interactions must not count against the limit of rejects.
    #expect(night.counts("likes")?["rejected"] == [:])
    #expect(night.counts("likes")?["dangling"] == ["unknown_user": 1, "unknown_candidate": 2])
  }

  @Test func `a synonym is not kept and may be longer`() throws {
    let night = try Night(
      Self.yaml("csv"),
      [
        "people.csv": "id,kind,words,about,county\na,,,,\(String(repeating: "c", count: 300))\n",
        "likes.csv": Night.likesHeader,
      ])
    #expect(night.accounts("people") == [1, 1, 0, 0, 0])
  }
}
