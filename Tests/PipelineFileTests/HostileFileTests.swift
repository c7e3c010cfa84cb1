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
  }

  @Test(arguments: [
    "a: b: c", "\tpipeline: x", "pipeline: [", "pipeline: \"", "a: *none", "{", "- a\nb: c",
    "%YAML 9.9\n---\n", "a\n---\nb",
    "pipeline: x\n---\npipeline: y", "&a [*a]", "!!binary x", "? ? ? a", "@", "`", "pipeline: x\0y",
    "key: |\n\ttab",
    "\u{1}", "a: !<x", "[a, b]", "just a text", "5", "<<: { pipeline: x }",
  ])
  func `what is no pipeline file is a mistake in it`(yaml: String) throws {
    let error = try #require(mistake(yaml))
    #expect(error.place.hasPrefix("p.yaml"), "\(error)")
  }

  @Test func `anchors and aliases mean what YAML says`() throws {
    let yaml = changed("latitude: lat\n      longitude: lon", "latitude: &field lat\n      longitude: *field")
    let position = try pipeline(yaml).entity("people")?.position
    #expect(position == Pipeline.PositionFields(latitude: "lat", longitude: "lat"))
  }

  /// Lists of ten aliases each of the list before: 10³⁰ elements if they were ever counted.
  private static let laughs: String = (1...30).reduce("x0: &x0 [lol]\n") { yaml, level in
    yaml
      + "x\(level): &x\(level) [\(Array(repeating: "*x\(level - 1)", count: 10).joined(separator: ", "))]\n"
  }

  @Test func `aliases of aliases are refused before they grow`() throws {
    #expect(try #require(mistake(everyKey + Self.laughs)).reason.contains("x0"))
    let nested = Self.laughs.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    for key in ["privacy", "evaluation", "reject_limit"] {
      #expect(mistake("pipeline: p\n\(key):\n\(nested)\n") != nil)
    }
  }

  @Test func `aliases of aliases in an override are refused before they grow`() {
    let flow = (1...30).reduce("&x0 [lol]") { yaml, level in
      yaml + ", &x\(level) [" + Array(repeating: "*x\(level - 1)", count: 10).joined(separator: ", ") + "]"
    }
    #expect(mistake(everyKey, ["seed=[\(flow)]"])?.place == "--set seed")
  }

  @Test(arguments: [100, 5000, 100_000])
  func `nesting ends in an error, not in a crash`(depth: Int) async throws {
    let texts = [
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth),
      String(repeating: "{a: ", count: depth) + "1" + String(repeating: "}", count: depth),
      String(repeating: "- ", count: min(depth, 20_000)) + "a",
      String(repeating: "? ", count: min(depth, 20_000)) + "a",
      String(repeating: "[", count: depth),
    ]
    for text in texts {
      // A thread with the stack of a program's first one; those of tests have less.
      let error = await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: mistake(text)) }
        thread.stackSize = 8 << 20
        thread.start()
      }
      #expect(error != nil)
    }
  }

  @Test func `bytes that are no text are refused`() throws {
    let scratch = try ScratchDirectory()
    var random = SplitMix64(seed: 5)
    for size in [1, 3, 100, 5000] {
      let bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      let path = try scratch.write([0xFF] + bytes, to: "p.yaml")
      let error = #expect(throws: PipelineFileError.self) { _ = try Pipeline(file: path) }
      #expect(error?.reason == "it is not UTF-8")
    }
  }

  @Test func `a file of more than a mebibyte is refused, one of exactly that is read`() throws {
    let scratch = try ScratchDirectory()
    let whole = designExample + String(repeating: "#", count: (1 << 20) - designExample.utf8.count - 1) + "\n"
    #expect(try Pipeline(file: try scratch.write(whole, to: "p.yaml")).name == "fusion")
    let error = #expect(throws: PipelineFileError.self) {
      _ = try Pipeline(file: try scratch.write(whole + "\n", to: "p.yaml"))
    }
    #expect(error?.reason.contains("1048577") == true)
  }
}

@Suite struct MutationTests {
  private static let bundled: String =
    (try? String(contentsOf: SharedData.repository.appending(path: "pipelines/fusion.yaml"), encoding: .utf8))
    ?? ""

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `lines deleted, doubled or swapped give a value or a mistake`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    #expect(!Self.bundled.isEmpty)
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
      if let error = mistake(lines.joined(separator: "\n")) {
        #expect(error.place.hasPrefix("p.yaml"), "\(error)")
      }
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `characters changed give a value or a mistake`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let odd = Array("{}[]:,-#&*!|>'\"%@`\t\n 0a~?.é🐕\u{0}\u{7F}")
    for _ in 0..<40 {
      var characters = Array(Self.bundled)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let index = Int.random(in: characters.indices, using: &random)
        switch random.next() % 3 {
        case 0: characters.remove(at: index)
        case 1: characters.insert(odd.randomElement(using: &random) ?? " ", at: index)
        default: characters[index] = odd.randomElement(using: &random) ?? " "
        }
      }
      if let error = mistake(String(characters)) { #expect(error.place.hasPrefix("p.yaml"), "\(error)") }
    }
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

  @Test func `the last of two for one key counts`() throws {
    #expect(try pipeline(everyKey, ["seed=1", "seed=2"]).seed == 2)
  }

  @Test func `a key that is a number is found as it is written`() throws {
    let yaml = changed("yes: 1\n        no: -1", "1: 1\n        \"2\": -1")
    let map = try pipeline(yaml, ["interactions.likes.value.map.1=5", "interactions.likes.value.map.2=6"])
      .interaction("likes")?.value.numbers
    #expect(map == ["1": 5, "2": 6])
  }

  @Test(arguments: [
    ("top=3", "--set top"), ("rankings.friends.tops=3", "--set rankings.friends.tops"),
    ("rankings.friends.top=zero", "--set rankings.friends.top"),
    ("rankings.friends.top=", "--set rankings.friends.top"),
    ("rankings.friends.top.x=3", "--set rankings.friends.top.x"),
    ("model.features.9=position", "--set model.features.9"),
    ("model.features.-1=position", "--set model.features.-1"),
    ("model.features.x=position", "--set model.features.x"),
    ("seed=[1", "--set seed"), ("seed=a: b: c", "--set seed"), ("privacy={ snap: 6 }", "--set privacy.snap"),
    ("model.features.0={ categories: field }", "--set model.features.0.categories"),
    ("seed=*x", "--set seed"),
    ("entities.people.source.path=[]", "--set entities.people.source.path"),
  ])
  func `a mistake in an override names it`(override: String, place: String) throws {
    let error = try #require(mistake(everyKey, [override]), "\(override) was accepted")
    #expect(error.place == place, "\(error)")
  }

  @Test(arguments: ["seed", "", "=5", "a..b=1", ".a=1", "a.=1"])
  func `an override that is none is refused`(argument: String) throws {
    let error = #expect(throws: PipelineFileError.self) { _ = try Override(argument) }
    #expect(error?.place == "--set \(argument)")
  }

  @Test func `a mistake elsewhere in the file keeps its line under overrides`() throws {
    let error = try #require(mistake(changed("top: 3", "top: 0"), ["rankings.friends.within_km=50"]))
    let line = try #require(everyKey.split(separator: "\n").firstIndex { $0.hasSuffix(" top: 3") }) + 1
    #expect(error.place == "p.yaml:\(line):10")
  }
}
