import Concurrency
import Foundation
import Testing
import TestSupport

@testable import PipelineFile

@Suite struct HostileFileTests {
  @Test(arguments: ["", "\n", "# only a comment\n", "---\n", "---\n...\n", "~", "\u{FEFF}"])
  func `a file without content has no name`(yaml: String) throws {
    let error = try #require(mistake(yaml))
    #expect(error.place.hasPrefix("p.yaml"), "\(error)")
    let isEmpty = error.place == "p.yaml" && error.reason == "it is empty"
    #expect(
      isEmpty || error.reason == "the pipeline file must be a mapping of keys to values, not an empty value",
      "\(error)")
    #expect(isEmpty == !yaml.contains(/[-~]/))
  }

  @Test(arguments: [
    ("a: b: c", "p.yaml:1:5", "it is not YAML: mapping values are not allowed in this context"),
    ("\tpipeline: x", "p.yaml:1:1", "it is not YAML: found character that cannot start any token"),
    ("pipeline: [", "p.yaml:2:1", "it is not YAML: did not find expected node content"),
    ("pipeline: \"", "p.yaml:1:12", "it is not YAML: found unexpected end of stream"),
    ("a: *none", "p.yaml:1:4", "it is not YAML: found undefined alias"),
    ("{", "p.yaml:2:1", "it is not YAML: did not find expected node content"),
    ("- a\nb: c", "p.yaml:2:1", "it is not YAML: did not find expected '-' indicator"),
    ("%YAML 9.9\n---\n", "p.yaml:1:1", "it is not YAML: found incompatible YAML document"),
    ("a\n---\nb", "p.yaml:2:1", "it is not YAML: but found another document"),
    ("pipeline: x\n---\npipeline: y", "p.yaml:2:1", "it is not YAML: but found another document"),
    ("&a [*a]", "p.yaml:1:5", "it is not YAML: found undefined alias"),
    ("!!binary x", "p.yaml:1:1", "the pipeline file must be a mapping of keys to values, not 'x'"),
    ("? ? ? a", "p.yaml:1:3", "a key of the pipeline file is not plain text"),
    ("@", "p.yaml:1:1", "it is not YAML: found character that cannot start any token"),
    ("`", "p.yaml:1:1", "it is not YAML: found character that cannot start any token"),
    ("pipeline: x\0y", "p.yaml", "it is not YAML (1:12: error: reader: control characters are not allowed"),
    (
      "key: |\n\ttab", "p.yaml:2:1",
      "it is not YAML: found a tab character where an indentation space is expected"
    ),
    ("\u{1}", "p.yaml", "it is not YAML (1:1: error: reader: control characters are not allowed"),
    ("a: !<x", "p.yaml:1:7", "it is not YAML: did not find the expected '>'"),
    ("[a, b]", "p.yaml:1:1", "the pipeline file must be a mapping of keys to values, not a list"),
    ("just a text", "p.yaml:1:1", "the pipeline file must be a mapping of keys to values, not 'just a text'"),
    ("5", "p.yaml:1:1", "the pipeline file must be a mapping of keys to values, not '5'"),
    ("<<: { pipeline: x }", "p.yaml:1:1", "unknown key '<<'"),
  ])
  func `an error about a file that is not a pipeline file has the line and the column`(
    yaml: String, place: String, reason: String
  ) throws {
    let error = try #require(mistake(yaml))
    #expect(error.place == place && error.reason.hasPrefix(reason), "\(error)")
  }

  @Test func `anchors and aliases work as in YAML`() throws {
    let yaml = changed("latitude: lat\n      longitude: lon", "latitude: &field lat\n      longitude: *field")
    let position = try pipeline(yaml).entity("people")?.position
    #expect(position == Pipeline.PositionFields.coordinates(latitude: "lat", longitude: "lat"))
  }

  /// Each list has ten aliases of the list before. Expanded, they would have 10³⁰ elements.
  private static let laughs: String = (1...30).reduce("x0: &x0 [lol]\n") { yaml, level in
    yaml
      + "x\(level): &x\(level) [\(Array(repeating: "*x\(level - 1)", count: 10).joined(separator: ", "))]\n"
  }

  @Test func `aliases of aliases are rejected before they are expanded`() throws {
    #expect(try #require(mistake(everyKey + Self.laughs)).reason.contains("x0"))
    let nested = Self.laughs.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    for (key, reason) in [
      ("privacy", "unknown key 'x0' in 'privacy'"),
      ("reject_limit", "'reject_limit' must be a share from 0 to 1"),
      ("evaluation", "unknown key 'x0' in 'evaluation'"),
    ] {
      let yaml = "pipeline: p\nentities: { u: { source: { path: u.csv }, id: id } }\n\(key):\n\(nested)\n"
      #expect(mistake(yaml)?.reason.hasPrefix(reason) == true, "\(String(describing: mistake(yaml)))")
    }
  }

  @Test func `aliases of aliases in an override are rejected before they are expanded`() {
    let flow = (1...30).reduce("&x0 [lol]") { yaml, level in
      yaml + ", &x\(level) [" + Array(repeating: "*x\(level - 1)", count: 10).joined(separator: ", ") + "]"
    }
    let error = mistake(everyKey, ["seed=[\(flow)]"])
    #expect(
      error?.place == "--set seed" && error?.reason.contains("more than 10 000 nodes") == true,
      "\(String(describing: error))")
  }

  /// The list itself counts as one part.
  @Test(arguments: [(9_999, false), (10_000, true)])
  func `an override has at most 10 000 parts`(_ elements: Int, _ isRefused: Bool) throws {
    let value = "[\(Array(repeating: "1", count: elements).joined(separator: ","))]"
    let error = try #require(mistake(everyKey, ["seed=\(value)"]))
    #expect(error.reason.contains("more than 10 000 nodes") == isRefused, "\(error)")
  }

  @Test(arguments: [100, 5000, 100_000])
  func `deep nesting is an error and does not crash the program`(depth: Int) async throws {
    let texts = [
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth),
      String(repeating: "{a: ", count: depth) + "1" + String(repeating: "}", count: depth),
      String(repeating: "- ", count: min(depth, 20_000)) + "a",
      String(repeating: "? ", count: min(depth, 20_000)) + "a",
      String(repeating: "[", count: depth),
    ]
    for (index, text) in texts.enumerated() {
      // The thread has the stack size of a main thread. Threads of tests have smaller stacks.
      let error = await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: mistake(text)) }
        thread.stackSize = 8 << 20
        thread.start()
      }
      let reason = try #require(error).reason
      if depth > 1000 {
        #expect(reason.contains("Maximum nesting level reached"), "\(reason)")
      } else {
        let expected = [
          "must be a mapping of keys to values, not a list", "unknown key 'a'", "not a list",
          "a key of the pipeline file is not plain text", "did not find expected node content",
        ]
        #expect(reason.contains(expected[index]), "\(reason)")
      }
    }
  }

  @Test func `a file that is not text is rejected`() throws {
    let scratch = try ScratchDirectory()
    var random = SplitMix64(seed: 5)
    for size in [1, 3, 100, 5000] {
      let bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      let path = try scratch.write([0xFF] + bytes, to: "p.yaml")
      let error = #expect(throws: PipelineFileError.self) { _ = try Pipeline(file: path) }
      #expect(error?.reason == "it is not UTF-8")
    }
  }

  @Test func `a file of exactly one mebibyte is read, and a larger file is rejected`() throws {
    let scratch = try ScratchDirectory()
    let whole = designExample + String(repeating: "#", count: (1 << 20) - designExample.utf8.count - 1) + "\n"
    #expect(try Pipeline(file: try scratch.write(whole, to: "p.yaml")).name == "fusion")
    let error = #expect(throws: PipelineFileError.self) {
      _ = try Pipeline(file: try scratch.write(whole + "\n", to: "p.yaml"))
    }
    #expect(error?.reason.contains("1 048 577") == true)
  }
}

@Suite struct MutationTests {
  private static let bundled: String =
    (try? String(contentsOf: SharedData.repository.appending(path: "pipelines/fusion.yaml"), encoding: .utf8))
    ?? ""

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a file with deleted, doubled or swapped lines is read or rejected with a place`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    #expect(!Self.bundled.isEmpty)
    var refused = 0
    for _ in 0..<40 {
      var lines = Self.bundled.split(separator: "\n", omittingEmptySubsequences: false)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let (one, other) = (
          Int.random(in: lines.indices, using: &random), Int.random(in: lines.indices, using: &random)
        )
        switch random.next() % 4 {
        case 0: lines.remove(at: one)
        case 1: lines.insert(lines[one], at: other)
        case 2: lines.swapAt(one, other)
        default: lines[one] = "  " + lines[one]
        }
      }
      guard let error = mistake(lines.joined(separator: "\n")) else { continue }
      refused += 1
      #expect(error.place.hasPrefix("p.yaml:") && !error.reason.isEmpty, "\(error)")
    }
    #expect(refused > 5, "\(refused) of 40")
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a file with changed characters is read or rejected with a place`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    #expect(!Self.bundled.isEmpty)
    var refused = 0
    let odd = Array("{}[]:,-#&*!|>'\"%@`\t\n 0a~?.é🐕\u{0}\u{7F}")
    for _ in 0..<40 {
      var characters = Array(Self.bundled)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: characters.indices, using: &random)
        switch random.next() % 3 {
        case 0: characters.remove(at: index)
        case 1: characters.insert(odd.randomElement(using: &random) ?? " ", at: index)
        default: characters[index] = odd.randomElement(using: &random) ?? " "
        }
      }
      guard let error = mistake(String(characters)) else { continue }
      refused += 1
      #expect(error.place.hasPrefix("p.yaml") && !error.reason.isEmpty, "\(error)")
    }
    #expect(refused > 5 && refused < 40, "\(refused) of 40")
  }
}

@Suite struct OverrideTests {
  @Test func `a value is replaced, deep or in a list, and a new key is added`() throws {
    let changed = try pipeline(
      everyKey,
      [
        "seed=9", "rankings.friends.top=4", "model.features.1={ category: field }",
        "model.features.0=distance",
        "model.features.3={ number: age }", "entities.events.attributes.kind={ type: category }",
        "evaluation.at=[5, 6]",
        "publish.store=sqlite:a=b", "interactions.likes.value.map.maybe=0.5",
      ])
    #expect(changed.seed == 9)
    #expect(changed.rankings.first?.top == 4)
    #expect(changed.model?.features.prefix(4) == [.distance, .category("field"), .position, .number("age")])
    #expect(changed.entity("events")?.attributes.map(\.name) == ["kind"])
    #expect(changed.evaluation?.at == [5, 6])
    #expect(changed.publication?.stores == ["sqlite:a=b"])
    #expect(changed.interaction("likes")?.value.numbers == ["yes": 1, "no": -1, "maybe": 0.5])
  }

  @Test func `if two overrides set the same key, the last one counts`() throws {
    #expect(try pipeline(everyKey, ["seed=1", "seed=2"]).seed == 2)
  }

  @Test func `a numeric key is found as written`() throws {
    let yaml = changed("yes: 1\n        no: -1", "1: 1\n        \"2\": -1")
    let map = try pipeline(yaml, ["interactions.likes.value.map.1=5", "interactions.likes.value.map.2=6"])
      .interaction("likes")?.value.numbers
    #expect(map == ["1": 5, "2": 6])
  }

  @Test(arguments: [
    ("top=3", "--set top", "unknown key 'top'"),
    ("rankings.friends.tops=3", "--set rankings.friends.tops", "unknown key 'tops' in 'rankings.friends'"),
    (
      "rankings.friends.top=zero", "--set rankings.friends.top",
      "'rankings.friends.top' must be a whole number, not 'zero'"
    ),
    (
      "rankings.friends.top=", "--set rankings.friends.top",
      "'rankings.friends.top' must be a whole number, not ''"
    ),
    (
      "rankings.friends.top.x=3", "--set rankings.friends.top.x",
      "the key before 'x' has a plain value, so it contains no 'x'"
    ),
    ("model.features.9=position", "--set model.features.9", "'model.features.9' repeats an earlier feature"),
    (
      "model.features.-1=position", "--set model.features.-1",
      "'-1' is not an index of this list"
    ),
    (
      "model.features.x=position", "--set model.features.x",
      "'x' is not an index of this list"
    ),
    ("seed=[1", "--set seed", "'[1' is not YAML"),
    ("seed=a: b: c", "--set seed", "'a: b: c' is not YAML"),
    ("privacy={ snap: 6 }", "--set privacy.snap", "unknown key 'snap' in 'privacy'"),
    (
      "model.features.0={ categories: field }", "--set model.features.0.categories",
      "unknown key 'categories' in 'model.features.0'"
    ),
    ("seed=*x", "--set seed", "'*x' is not YAML"),
    (
      "entities.people.source.path=[]", "--set entities.people.source.path",
      "'entities.people.source.path' names no file"
    ),
  ])
  func `an error about an override names it`(override: String, place: String, reason: String) throws {
    let error = try #require(mistake(everyKey, [override]), "\(override) was accepted")
    #expect(error.place == place && error.reason.hasPrefix(reason), "\(error)")
  }

  @Test(arguments: [
    ("seed", "it has no '='"), ("", "it has no '='"), ("=5", "a part of its key is empty"),
    ("a..b=1", "a part of its key is empty"), (".a=1", "a part of its key is empty"),
    ("a.=1", "a part of its key is empty"),
  ])
  func `an invalid override is rejected`(argument: String, reason: String) throws {
    let error = #expect(throws: PipelineFileError.self) { _ = try Override(argument) }
    #expect(error?.place == "--set \(argument)" && error?.reason == reason)
  }

  @Test func `a mistake elsewhere in the file keeps its line under overrides`() throws {
    let error = try #require(mistake(changed("top: 3", "top: 0"), ["rankings.friends.within_km=50"]))
    let line = try #require(everyKey.split(separator: "\n").firstIndex { $0.hasSuffix(" top: 3") }) + 1
    #expect(error.place == "p.yaml:\(line):10")
  }
}
