import Concurrency
import Testing

@testable import Ingest

/// Lists in the text of one field.
@Suite struct ListNotationTests {
  private static func elements(_ text: String) -> [String]? {
    ListNotation.elements(Array(text.utf8))?.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    arguments: [
      ("{en,fr}", ["en", "fr"]), ("{}", []), (" { en , fr } ", ["en", "fr"]), ("{NULL,en,null}", ["en"]),
      (#"{"fr, be",en}"#, ["fr, be", "en"]), (#"{"a\"b","c\\d"}"#, [#"a"b"#, #"c\d"#]),
      (#"{"NULL"}"#, ["NULL"]),
      (#"{"",en}"#, ["", "en"]), ("{it's}", ["it's"]), (#"{a\,b}"#, ["a,b"]), ("{None}", ["None"]),
      ("{Zürich,東京}", ["Zürich", "東京"]),
      (#"["en","fr"]"#, ["en", "fr"]), ("[]", []), (#"[ "en" , null, 7, true ]"#, ["en", "7", "true"]),
      (#"["a\"b", "\u00e9", "\ud83d\ude00", "\n"]"#, [#"a"b"#, "é", "😀", "\n"]), (#"["a]b"]"#, ["a]b"]),
      ("['en', 'fr, be', None]", ["en", "fr, be"]), (#"['it\'s', "it's",]"#, ["it's", "it's"]),
      (#"['caf\xe9']"#, ["café"]), ("[en, fr]", ["en", "fr"]), ("[1, 2.5]", ["1", "2.5"]),
      ("['en', nan]", ["en"]), ("{nan}", ["nan"]),
    ] as [(String, [String])])
  func `a list in each notation has its elements`(text: String, expected: [String]) {
    #expect(Self.elements(text) == expected)
  }

  /// These texts are not lists, so they are split at the separator as before.
  @Test(arguments: [
    "", "{", "}", "[", "en,fr", "{en", "en}", "[en", "[a] and [b]", "{a}{b}", "[[1],[2]]", "{{a},{b}}",
    "[a,,b]",
    "{,a}", #"["a" "b"]"#, #"["a"#, #"["a]"#, #"["\q"]"#, #"["\ud83d"]"#, #"["\u12"]"#, #"["\u+041"]"#,
    #"["\"#, #"{"a\"}"#,
    #"{"chess":true}"#, "['a'b]", "{a\\}", "[\"a\"}",
  ])
  func `any other text is not a list`(text: String) { #expect(Self.elements(text) == nil, "\(text)") }

  /// Writes random lists in each notation, and reads them back.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `a written list is read back`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let characters = Array(#"abc ,;"'\{}[]é😀"#)
    let words = (0..<Int.random(in: 0...5, using: &random)).map { _ in
      String(
        (0..<Int.random(in: 0...6, using: &random)).map { _ in characters.randomElement(using: &random)! })
    }
    func list(_ open: String, _ close: String, quote: Character) -> String {
      let quoted = words.map { word in
        let escaped = word.map { $0 == quote || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\(quote)\(escaped)\(quote)"
      }
      return open + quoted.joined(separator: Bool.random(using: &random) ? ", " : ",") + close
    }
    for text in [list("{", "}", quote: "\""), list("[", "]", quote: "\""), list("[", "]", quote: "'")] {
      #expect(Self.elements(text) == words, "\(text)")
    }
  }
}
