import Files
import Foundation
import System
import Testing
import Text

@testable import ServingStore
import TestSupport

@Suite struct `Publishing a rankings directory` {
  private let directory: ScratchDirectory
  private let store: any ServingStore
  private var rankings: RankingsPublication

  init() throws {
    directory = try ScratchDirectory()
    store = try StoreAddress(sqlitePath: directory.path + "/serving.sqlite").open(for: .publishing)
    rankings = RankingsPublication(
      directory: directory.path + "/rankings", pipeline: "fusion", run: 12, asOf: 5, keep: 3,
      lists: ["partners"], matches: ["matches"])
    try directory.write("user_id,other_user_id,matched_at\n", to: "rankings/matches.csv")
    try directory.write("", to: "rankings/partners/part-00000.jsonl")
  }

  private func line(_ user: String) -> String {
    #"{"user":"\#(user)","recommendations":[{"rank":1,"candidate":"u9"}],"shortfall":null}"#
  }

  private func failure() throws -> ServingStoreError {
    try #require(throws: ServingStoreError.self) { try rankings.publish(to: store) }
  }

  @Test func `lists of several parts, matches and people are published unchanged`() throws {
    try directory.write(line("u1") + "\n" + line("u2") + "\n", to: "rankings/partners/part-00000.jsonl")
    try directory.write(line("u\\u0000\\ud83d\\ude00") + "\n", to: "rankings/partners/part-00001.jsonl")
    try directory.write("not a part", to: "rankings/partners/_SUCCESS")
    try directory.write(
      "user_id,other_user_id,matched_at\r\nu1,u2,2026-01-01T00:00:00Z\r\n"
        + "\"a,\"\"b\"\"\n\r\nc\",u2,\n", to: "rankings/matches.csv")
    let published = try rankings.publish(to: store) { loader in
      try loader.beginPeople("users")
      try loader.addPerson(#"{"field":"Technology"}"#, id: "u1")
    }
    #expect(published.tables.lists == [NamedCount(name: "partners", rows: 3)])
    #expect(published.tables.matches == [NamedCount(name: "matches", rows: 2)])
    #expect(try store.partners("u2") == line("u2"))
    #expect(try store.partners("u\u{0}\u{1F600}") == line("u\\u0000\\ud83d\\ude00"))
    #expect(
      try store.matches(pipeline: "fusion", name: "matches", user: "u2") == [
        ServedMatch(other: "a,\"b\"\n\r\nc", matchedAt: nil),
        ServedMatch(other: "u1", matchedAt: "2026-01-01T00:00:00Z"),
      ])
    #expect(
      try store.person(pipeline: "fusion", entity: "users", id: "u1") == #"{"field":"Technology"}"#.utf8Bytes)
    #expect(try store.currentGeneration(pipeline: "fusion")?.run == 12)
    #expect(try store.currentGeneration(pipeline: "fusion")?.asOf == 5)
  }

  @Test func `an empty list is published as empty`() throws {
    #expect(try rankings.publish(to: store).tables.lists == [NamedCount(name: "partners", rows: 0)])
  }

  @Test(arguments: [
    (2, "a line cut short", "{\"user\":\"u2\",\"recomm\n"),
    (2, "a last line without newline", "{\"user\":\"u2\"}"),
    (2, "an empty line", "\n"),
    (2, "CRLF", "{\"user\":\"u2\"}\r\n"),
    (2, "no JSON behind the id", "{\"user\":\"u2\",]}\n"),
    (3, "a user twice", "{\"user\":\"u2\"}\n{\"user\":\"u\\u0031\"}\n"),
    (3, "a user that is a number", "{\"user\":\"u2\"}\n{\"user\":2}\n"),
  ])
  func `a malformed list is an error with its line, and nothing is published`(
    number: Int, what: String, rest: String
  ) throws {
    try store.publishPartners(["a": "{\"run\":1}"])
    try directory.write(line("u1") + "\n" + rest, to: "rankings/partners/part-00000.jsonl")
    let error = try failure()
    #expect(error.code == .corruptRankings, "\(what)")
    #expect(error.place?.line == number)
    #expect(error.place?.file.hasSuffix("/rankings/partners/part-00000.jsonl") == true)
    #expect(!error.description.contains("u2"), "ids are private")
    #expect(try store.generations(pipeline: "fusion").map(\.number) == [1])
  }

  @Test func `bytes that are not UTF-8 are an error`() throws {
    let path = directory.path + "/rankings/partners/part-00000.jsonl"
    try Data(Array("{\"user\":\"u".utf8) + [0xFF] + Array("\"}\n".utf8)).write(to: URL(filePath: path))
    #expect(try failure().code == .corruptRankings)
  }

  @Test(arguments: [
    (1, "no header", ""), (1, "another header", "a,b,c\n"),
    (1, "a byte order mark", "\u{FEFF}user_id,other_user_id,matched_at\n"),
    (2, "two fields", "user_id,other_user_id,matched_at\na,b\n"),
    (2, "four fields", "user_id,other_user_id,matched_at\na,b,c,d\n"),
    (2, "an empty id", "user_id,other_user_id,matched_at\n,b,c\n"),
    (2, "a quote inside", "user_id,other_user_id,matched_at\na\"a,b,c\n"),
    (2, "text behind a quote", "user_id,other_user_id,matched_at\n\"a\"a,b,c\n"),
    (2, "a lone CR", "user_id,other_user_id,matched_at\na\ra,b,c\n"),
    (2, "no newline at the end", "user_id,other_user_id,matched_at\na,b,c"),
    (3, "an open quote", "user_id,other_user_id,matched_at\n\"a,b,c\nd,e,f\n"),
    (3, "a match twice", "user_id,other_user_id,matched_at\na,b,c\na,b,d\n"),
  ])
  func `a malformed matches file is an error with its line`(number: Int, what: String, text: String) throws {
    try directory.write(text, to: "rankings/matches.csv")
    let error = try failure()
    #expect(error.code == .corruptRankings, "\(what)")
    // An empty file has no line that the error could name.
    #expect(error.place?.line == (text.isEmpty ? 0 : number))
    #expect(try store.currentGeneration(pipeline: "fusion") == nil)
  }

  @Test func `a missing file is reported as missing`() throws {
    var other = rankings
    other.lists = ["partners", "absent"]
    var error = #expect(throws: ServingStoreError.self) { try other.publish(to: store) }
    #expect(error?.code == .missingRankings)
    other = rankings
    other.matches = ["absent"]
    error = #expect(throws: ServingStoreError.self) { try other.publish(to: store) }
    #expect(error?.code == .missingRankings)
    try FileManager.default.removeItem(atPath: rankings.directory + "/partners/part-00000.jsonl")
    #expect(try failure().code == .missingRankings)
  }

  /// Writes two lists, a match and a catalog with three entries.
  private func writeAll() throws -> RankingsPublication {
    try directory.write(line("u1") + "\n" + line("u2") + "\n", to: "rankings/partners/part-00000.jsonl")
    try directory.write(
      "user_id,other_user_id,matched_at\nu1,u2,2026-01-01T00:00:00Z\n", to: "rankings/matches.csv")
    try directory.write(
      [entry("Cork", 1), entry("Cork", 2), entry("Kerry", 3)].joined(), to: "rankings/rooms/part-00000.jsonl")
    var all = rankings
    all.catalogs = ["rooms"]
    return all
  }

  private func entry(_ key: String, _ number: Int) -> String {
    "{\"key\":\"\(key)\",\"id\":\"r\(number)\"}\n"
  }

  private static func loadMore(_ loader: GenerationLoader) throws {
    try loader.beginPeople("users")
    try loader.addPerson(#"{"field":"x","age":1}"#, id: "u1")
    try loader.addPerson(#"{"field":"x","age":2}"#, id: "u2")
    try loader.beginPositions("users")
    try loader.addPosition(53.35, -6.26, id: "u1")
    try loader.beginBuckets("users")
    try loader.addBucket("{}", cell: "gc7x3r")
  }

  @Test func `the rows of a directory have the digest of the store, and their loading is reported`() throws {
    let all = try writeAll()
    #expect(try store.heldDigest(of: "fusion") == nil)
    var seen: [String] = []
    var served = 0
    try all.publish(
      to: store, threads: 2, loadingMore: Self.loadMore,
      observe: { name, rows in seen.append("\(name) \(rows)") },
      beforeServing: { keepAlive in
        try keepAlive()
        served += 1
      })
    // The last table is not reported.
    #expect(seen == ["partners 2", "matches 1", "rooms 3", "users 2", "positions of users 1"])
    #expect(served == 1)
    let held = try store.heldDigest(of: "fusion")
    for threads in [1, 3] {
      let digest = try all.digest(for: store.address, threads: threads, loadingMore: Self.loadMore)
      #expect(digest == held)
    }
    let other = try rankings.digest(for: store.address, threads: 1, loadingMore: Self.loadMore)
    #expect(other != held)
  }

  @Test func `a comparison finds no difference between a store and its own run`() throws {
    let all = try writeAll()
    let comparison = RankingsVerification(
      directory: all.directory, pipeline: "fusion", lists: all.lists, matches: all.matches,
      catalogs: all.catalogs, loadingMore: Self.loadMore)
    #expect(try comparison.compare(with: store) == nil)
    try all.publish(to: store, loadingMore: Self.loadMore)
    let found = try #require(try comparison.compare(with: store))
    #expect(found.rows == 2 + 1 + 3 + 2 + 1 + 1 && found.differing == 0 && found.differences.isEmpty)
  }

  @Test(arguments: [[], ["age"], ["field"], ["field", "age"]] as [Set<String>])
  func `a comparison names each kind of difference`(changing: Set<String>) throws {
    let all = try writeAll()
    try all.publish(to: store, loadingMore: Self.loadMore)
    try directory.write(
      line("u1").replacing("\"rank\":1", with: "\"rank\":2") + "\n" + line("u3") + "\n",
      to: "rankings/partners/part-00000.jsonl")
    try directory.write("user_id,other_user_id,matched_at\n", to: "rankings/matches.csv")
    try directory.write(entry("Cork", 2), to: "rankings/rooms/part-00000.jsonl")
    let comparison = RankingsVerification(
      directory: all.directory, pipeline: "fusion", lists: all.lists, matches: all.matches,
      catalogs: all.catalogs, changing: ["users": changing]
    ) { loader in
      try loader.beginPeople("users")
      try loader.addPerson(#"{"age":7,"field":"x"}"#, id: "u1")
      try loader.beginPositions("users")
      try loader.addPosition(53.35, -6.27, id: "u1")
      try loader.beginBuckets("users")
      try loader.addBucket("{}", cell: "gc7x3r")
    }
    let found = try #require(try comparison.compare(with: store))
    let folder = all.directory
    // The age of a person changes daily, so it may differ.
    let person = ["people of users, row 1: the store lacks the row or has a different row"]
    let expected: [String] =
      [
        "\(folder)/partners/part-00000.jsonl:1: the document in the store differs from this line",
        "\(folder)/partners/part-00000.jsonl:2: the list is missing from the store",
        "matches: the store has too many matches: 1 more than the run",
        "\(folder)/rooms/part-00000.jsonl:1: the store lacks this entry or has a different entry",
        "rooms: the store has too many entries: 2 more than the run",
      ] + (changing.contains("age") ? [] : person) + [
        "positions of users, row 1: the store lacks the row or has a different row",
        "people of users: the store has too many rows: 1 more than the run",
      ]
    #expect(found.differences == expected)
    #expect(found.rows == 2 + 0 + 1 + 1 + 1 + 1)
    #expect(found.differing == (changing.contains("age") ? 8 : 9))
  }

  @Test func `a comparison groups the digits of large numbers`() throws {
    let all = try writeAll()
    try all.publish(
      to: store,
      loadingMore: { loader in
        try loader.beginPeople("users")
        for number in 0..<1_200 { try loader.addPerson("{}", id: StoredID("u\(number)")) }
      })
    let comparison = RankingsVerification(
      directory: all.directory, pipeline: "fusion", lists: all.lists, matches: all.matches,
      catalogs: all.catalogs
    ) { loader in try loader.beginPeople("users") }
    let found = try #require(try comparison.compare(with: store))
    #expect(
      found.differences == ["people of users: the store has too many rows: 1 200 more than the run"])
    #expect(found.differing == 1_200)
  }

  @Test func `a comparison finds changed matches, extra lists, and entries by their rank`() throws {
    let all = try writeAll()
    try all.publish(to: store)
    try directory.write(line("u1") + "\n", to: "rankings/partners/part-00000.jsonl")
    try directory.write(
      "user_id,other_user_id,matched_at\nu2,u1,2026-01-01T00:00:00Z\nu1,u2,\n",
      to: "rankings/matches.csv")
    try directory.write(
      [entry("Kerry", 3), entry("Cork", 1), entry("Cork", 1)].joined(), to: "rankings/rooms/part-00000.jsonl")
    let comparison = RankingsVerification(
      directory: all.directory, pipeline: "fusion", lists: all.lists, matches: all.matches,
      catalogs: all.catalogs)
    let found = try #require(try comparison.compare(with: store))
    #expect(
      found.differences == [
        "partners: the store has too many lists: 1 more than the run",
        "\(all.directory)/matches.csv:3: the match is missing from the store",
        "\(all.directory)/rooms/part-00000.jsonl:3: the store lacks this entry or has a different entry",
      ])
    #expect(found.rows == 1 + 2 + 3 && found.differing == 3)
  }

  /// Writes the manifest of the rankings, with these files and their checksums.
  private func writeManifest(_ names: [String]) throws {
    var manifest = Manifest(
      tool: "test", stage: "rankings", pipeline: "fusion", configuration: .null,
      asOf: Instant(milliseconds: 0), seed: 0, counts: [:])
    for name in names {
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: rankings.directory + "/" + name)))
      manifest.outputs.append(
        FileDigest(
          path: name, bytes: bytes.count, sha256: SHA256.digest(of: bytes),
          crc32c: BlockChecksums(of: bytes.span.bytes)))
    }
    try Directories.replace(rankings.directory + "/manifest.json", with: manifest.json)
  }

  /// Each line has 1 KiB, and each block of checksums 1 MiB. An empty file has no block.
  @Test(arguments: [0, 1, 1023, 1024, 1025, 2048])
  func `a list of any size is published if its checksums are right`(lines: Int) throws {
    let part = "partners/part-00000.jsonl"
    let text = (0..<lines).map { number in
      let start = "{\"user\":\"u\(number)\",\"x\":\""
      return start + String(repeating: "x", count: 1021 - start.utf8.count) + "\"}\n"
    }.joined()
    #expect(text.utf8.count == lines << 10)
    try directory.write(text, to: "rankings/" + part)
    try writeManifest([part, "matches.csv"])
    #expect(try rankings.publish(to: store).tables.lists == [NamedCount(name: "partners", rows: lines)])
  }

  @Test(arguments: [0, 1, 19, 20, 21, 45])
  func `a comparison counts all differences, and shows the first 20`(count: Int) throws {
    let part = "rankings/partners/part-00000.jsonl"
    let lines = (0..<50).map { line("u\($0)") + "\n" }
    try directory.write(lines.joined(), to: part)
    try rankings.publish(to: store)
    let changed = lines.prefix(count).map { $0.replacing("\"rank\":1", with: "\"rank\":2") }
    try directory.write((changed + lines.dropFirst(count)).joined(), to: part)
    let comparison = RankingsVerification(
      directory: rankings.directory, pipeline: "fusion", lists: ["partners"], matches: ["matches"])
    let found = try #require(try comparison.compare(with: store))
    #expect(found.rows == 50 && found.differing == count)
    #expect(
      found.differences
        == (0..<min(count, 20)).map {
          "\(directory.path)/\(part):\($0 + 1): the document in the store differs from this line"
        })
  }

  @Test func `a missing file that the manifest lists is damage`() throws {
    let part = "partners/part-00000.jsonl"
    let path = rankings.directory + "/" + part
    try writeManifest([part])
    try FileManager.default.removeItem(atPath: path)
    let error = try failure()
    #expect(error.code == .unreadableRankings && error.exitStatus == .ioError)
    #expect(error.place?.file == path && error.description.contains("it is missing"))
  }

  @Test func `an unreadable part is not reported as missing`() throws {
    try FileManager.default.createDirectory(
      atPath: rankings.directory + "/partners/part-00001.jsonl", withIntermediateDirectories: false)
    #expect(try failure().code == .unreadableRankings)
  }
}

@Suite struct `Reading lines` {
  @Test func `errors name the file and the line`() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/lines"
    func error() throws -> ServingStoreError {
      try #require(throws: ServingStoreError.self) {
        var reader = try LineReader(path: path)
        while try reader.next({ _ in }) {}
      }
    }
    let missing = try error()
    #expect(
      missing.code == .missingRankings && missing.place == ServingStoreError.Place(file: path, line: nil))
    #expect(missing.found == "the file cannot be opened: No such file or directory")
    try directory.write("a\nb\nc", to: "lines")
    let cut = try error()
    #expect(cut.code == .corruptRankings && cut.place == ServingStoreError.Place(file: path, line: 3))
    #expect(cut.found == "the last line is truncated: it has no line break" && cut.address == path)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let folder = try error()
    #expect(
      folder.code == .unreadableRankings && folder.place == ServingStoreError.Place(file: path, line: 1))
    #expect(folder.found == "the file cannot be read: Is a directory")
    let blocks = try #require(throws: ServingStoreError.self) { _ = try ListBlocks(path: path) }
    #expect(
      blocks.code == .unreadableRankings && blocks.place == ServingStoreError.Place(file: path, line: nil))
    #expect(blocks.found == "the file cannot be read: it is not a regular file")
    let none = try #require(throws: ServingStoreError.self) { _ = try ListBlocks(path: path + "/none") }
    #expect(none.code == .missingRankings && none.address == path + "/none")
  }

  @Test(
    arguments: 1...9, ["", "\n", "a\n", "\n\n", "abcdefgh\n\nij\nk\n", "abcdefghijklmnopqrstuvwxyz\nb\n"])
  func `gives the lines of a split for any chunk size`(chunk: Int, text: String) throws {
    let directory = try ScratchDirectory()
    try directory.write(text, to: "lines")
    var reader = try LineReader(path: directory.path + "/lines", chunk: chunk)
    var lines: [String] = []
    while try reader.next({ line in
      var bytes: [UInt8] = []
      for index in line.indices { bytes.append(line[index]) }
      lines.append(String(decoding: bytes, as: UTF8.self))
    }) {}
    #expect(
      lines == text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
    #expect(reader.line == lines.count)
  }
}

@Suite struct `Reading a list in blocks` {
  private func blocks(_ text: String, _ size: Int) throws -> [ListBlocks.Block] {
    let directory = try ScratchDirectory()
    try directory.write(text, to: "part")
    let blocks = try ListBlocks(path: directory.path + "/part", blockSize: size)
    return try (0..<blocks.count).map { try blocks.block($0) }
  }

  /// Documents of 14 to 40 bytes with escapes and multibyte letters.
  private static let documents = (0..<12).map { number in
    #"{"user":"\#(["u", #"\u0075\n"#, "é🙂", #"\""#][number % 4])\#(number)"\#(number % 3 == 0 ? "" : #","x":[1,null]"#)}"#
  }

  @Test(arguments: 1...45)
  func `gives every line once for any block size`(size: Int) throws {
    let blocks = try blocks(Self.documents.map { $0 + "\n" }.joined(), size)
    let lines = blocks.flatMap { block in
      block.lines.map { String(decoding: block.bytes[$0], as: UTF8.self) }
    }
    #expect(lines == Self.documents)
    let ids = blocks.flatMap { block in
      zip([0] + block.idEnds, block.idEnds).map { String(decoding: block.ids[$0..<$1], as: UTF8.self) }
    }
    #expect(ids == (0..<12).map { ["u", "u\n", "é🙂", "\""][$0 % 4] + "\($0)" })
    #expect(blocks.allSatisfy { $0.flaw == nil })
  }

  @Test(
    arguments: [1, 7, 20, 1000],
    [
      "{\"user\":\"u\"", "{\"user\":\"u\"}", "{\"user\":\"u\",}\n", "\n", "{\"user\":\"u\",\"x\":01}\n",
      "{\"user\":\"u\",\"x\":\"\u{1}\"}\n", "{\"user\":\"\"}\n", "{\"user\":\"u\"}{}\n",
    ])
  func `stops at a faulty line`(size: Int, line: String) throws {
    let blocks = try blocks(Self.documents.prefix(3).map { $0 + "\n" }.joined() + line, size)
    let flawed = try #require(blocks.firstIndex { $0.flaw != nil })
    #expect(blocks.prefix(flawed + 1).reduce(0) { $0 + $1.lines.count } == 3)
  }

  @Test(arguments: ["", "\u{FEFF}{}", "{", "nul", "{}x", "\"\u{0}\"", "\"a", "[1,]"])
  func `rejects text that is not JSON`(text: String) {
    var check = DocumentCheck()
    let (isRefused, isAccepted) = (
      !check.accepts(Array(text.utf8).span),
      check.accepts(Array("{\"a\":[1.5e300,true,\"\\u0000é\"]}".utf8).span)
    )
    #expect(isRefused && isAccepted)
  }
}
