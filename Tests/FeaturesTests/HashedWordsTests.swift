import Concurrency
import Foundation
import RunSchemas
import StageFixture
import Testing

@testable import Features

struct HashedWordsTests {
  /// Writes texts to an export, ingests it and returns their vectors.
  private func vectors(_ texts: [String?], dimensions: Int) throws -> CandidateVectors {
    var lines = ""
    for (index, text) in texts.enumerated() {
      let record = ["id": "t\(1000 + index)", "text": text as Any? ?? NSNull()]
      lines += String(decoding: try JSONSerialization.data(withJSONObject: record), as: UTF8.self) + "\n"
    }
    let fixture = try StageFixture(
      yaml: """
        pipeline: texts
        as_of: newest
        plausible: [1, 9999]
        entities:
          texts: { source: { path: t.jsonl }, id: id, attributes: { text: { type: text } } }
        """, files: ["t.jsonl": lines])
    try fixture.runStages()
    let table = try #require(fixture.snapshot().entities["texts"])
    return HashedWords.vectors(of: try #require(table.texts["text"]), dimensions: dimensions)
  }

  private func hash(_ word: String) -> UInt64 {
    let bytes = Array(word.utf8)
    return Mix64.hash(bytes.span)
  }

  private func words(_ text: String) -> [UInt64] {
    let bytes = Array(text.utf8)
    return HashedWords.words(of: bytes.span)
  }

  @Test(
    arguments: [
      ("", []), (" .,;- ", []), ("Iron. IRON and steel", ["iron", "iron", "and", "steel"]),
      ("a1 B2-c3", ["a1", "b2", "c3"]),
      ("@AZ[ `az{ /09:", ["az", "az", "09"]), ("jazz Zoo 90", ["jazz", "zoo", "90"]),
      ("Übung macht den MEISTER", ["übung", "macht", "den", "meister"]),
      ("don't_stop", ["don", "t", "stop"]),
      ("ΜΈΓΑ", ["μέγα"]), ("日本語 123", ["日本語", "123"]), ("नमस्ते", ["नमस्ते"]), ("e\u{301}a", ["e\u{301}a"]),
      ("x🎉y", ["x", "y"]), ("٣ apples", ["٣", "apples"]), ("tab\tnew\nline", ["tab", "new", "line"]),
    ] as [(String, [String])])
  func `words are runs of letters, marks and digits in lower case`(text: String, expected: [String]) {
    #expect(words(text) == expected.map(hash), "\(text)")
  }

  @Test func `vectors equal a calculation by hand`() throws {
    let texts = ["iron and iron", "and", nil, "...", "Steel!"]
    let dimensions = 7
    let found = try vectors(texts, dimensions: dimensions)
    // Three texts have words. Two of them contain `and`. Each other word occurs in one text.
    let (common, rare) = (log(4.0 / 3) + 1, log(4.0 / 2) + 1)
    func unit(_ weights: [(String, Double)]) -> [Float] {
      var vector = [Double](repeating: 0, count: dimensions)
      for (word, weight) in weights {
        let mix = Mix64.finalized(hash(word))
        vector[Int((mix >> 1) % UInt64(dimensions))] += mix % 2 == 0 ? weight : -weight
      }
      let length = vector.map { $0 * $0 }.reduce(0, +).squareRoot()
      return vector.map { length == 0 ? 0 : Float($0 / length) }
    }
    let expected = [
      unit([("iron", 2 * rare), ("and", common)]), unit([("and", common)]), unit([]), unit([]),
      unit([("steel", rare)]),
    ]
    for row in texts.indices {
      for (left, right) in zip(found[row], expected[row]) { #expect(abs(left - right) < 1e-6) }
    }
    #expect(found[2].allSatisfy { $0 == 0 } && found[3].allSatisfy { $0 == 0 })
  }

  @Test(arguments: [2, 8, 64])
  func `a vector has length 1, or 0`(dimensions: Int) throws {
    var random = SplitMix64(seed: UInt64(dimensions))
    let texts = (0..<300).map { _ in
      (0..<Int.random(in: 0...12, using: &random)).map { _ in "w\(Int.random(in: 0...40, using: &random))" }
        .joined(separator: " ")
    }
    let found = try vectors(texts, dimensions: dimensions)
    for row in texts.indices {
      let length = found[row].reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
      // With two dimensions, the contributions of all words can cancel out, so that the vector is 0.
      #expect(
        abs(length - 1) < 1e-6 || (length == 0 && (texts[row].isEmpty || dimensions == 2)), "\(texts[row])")
    }
    #expect(found.components.count == texts.count * dimensions)
  }

  @Test func `signs and buckets are evenly distributed`() {
    var signs = 0
    var buckets = Set<UInt64>()
    for number in 0..<1000 {
      let mix = Mix64.finalized(hash("word\(number)"))
      signs += mix & 1 == 0 ? 1 : -1
      buckets.insert((mix >> 1) % 64)
    }
    #expect(abs(signs) < 130 && buckets.count == 64)
  }
}
