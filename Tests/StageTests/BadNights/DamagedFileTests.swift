import Concurrency
import Files
import Foundation
import GRDB
import Testing
import TestSupport

/// Programs that read a run with one damaged file. Each must end with status 74 and name the file, or give exactly the
/// answer of the good night, if it does not read the file.
struct DamagedFileTests {
  /// A program that reads a run.
  struct Reader: Sendable, CustomStringConvertible {
    var program: String
    /// The arguments, in the directory of the product.
    var arguments: [String]
    /// The stage directories that are removed first, because the program writes one of them.
    var removed: [String] = []
    /// Whether the answer is standard output. Otherwise it is the first of the removed directories.
    var prints = false

    var description: String { program + " " + arguments.joined(separator: " ") }

    static let run = "var/canary/runs/1"
    static func stage(_ name: String, removing: [String]) -> Reader {
      Reader(
        program: "nightjar-\(name)",
        arguments: ["canary.yaml", "--run-dir", run, "--threads", "1", "--quiet"],
        removed: removing)
    }

    static let all = [
      stage("index", removing: ["index", "models", "rankings"]),
      stage("fit", removing: ["models", "rankings"]),
      stage("rank", removing: ["rankings"]), stage("evaluate", removing: ["evaluation"]),
      Reader(
        program: "nightjar-publish",
        arguments: ["canary.yaml", "--run-dir", run, "--threads", "2", "--quiet", "--force"]),
      Reader(program: "nightjar", arguments: ["verify", "canary.yaml", "--work", "var"], prints: true),
      Reader(
        program: "nightjar", arguments: ["explain", "canary.yaml", "--work", "var", "--user", "u3"],
        prints: true),
      Reader(
        program: "nightjar",
        arguments: ["explain", "canary.yaml", "--work", "var", "--user", "u3", "--candidate", "u5"],
        prints: true),
      Reader(
        program: "nightjar-report", arguments: ["canary.yaml", "--work", "var", "--no-charts", "--quiet"],
        removed: ["../../../../reports"]),
      Reader(program: "nightjar", arguments: ["run", "canary.yaml", "--work", "var", "--from", "publish"]),
      Reader(
        program: "nightjar",
        arguments: ["run", "canary.yaml", "--work", "var", "--from", "rank", "--until", "rank"],
        removed: ["../2/rankings"]),
    ]
  }

  /// A finished night with an evaluation, to be copied.
  private let night: ScratchDirectory
  private let place: String
  /// The files of the stages of the run, by path below the run.
  private let files: [String]

  init() throws {
    let product = try CanaryProduct()
    let ended = try product.nightjar("run", "--evaluate")
    try #require(ended.ending == .status(0), "\(ended.errors)")
    night = try ScratchDirectory()
    place = night("product")
    try FileManager.default.copyItem(atPath: product.directory.path, toPath: night("good"))
    let run = night("good/" + Reader.run)
    files = try DirectoryContents(of: run).names.filter { $0.contains("/") }
  }

  /// Restores the night, and removes what the reader writes.
  private func restore(for reader: Reader) throws {
    try? FileManager.default.removeItem(atPath: place)
    try FileManager.default.copyItem(atPath: night("good"), toPath: place)
    for name in reader.removed {
      try? FileManager.default.removeItem(atPath: "\(place)/\(Reader.run)/\(name)")
    }
  }

  /// The answer of a reader: what it printed, wrote or published.
  private func answer(_ reader: Reader, _ ended: Program.Finished) throws -> [String: Data] {
    if reader.prints { return ["": Data(ended.output.utf8)] }
    if let written = reader.removed.first {
      return try DirectoryContents(of: "\(place)/\(Reader.run)/\(written)").files
    }
    return ["": Data(try served().utf8)]
  }

  /// Everything that apps can read from the store.
  private func served() throws -> String {
    let database = try DatabaseQueue(path: place + "/serving.sqlite")
    return try database.read { database in
      let tables = ["lists", "matches", "people", "positions", "buckets"]
      return try tables.flatMap { table in
        try Row.fetchAll(
          database,
          sql: """
            SELECT * FROM \(table) JOIN contents USING (content_id)
            JOIN served ON served.generation = contents.generation
            """
        ).map { row in
          row.filter { !["content_id", "position_id", "generation"].contains($0.0) }.map { "\($0)=\($1)" }
            .joined(separator: " ")
        }.sorted()
      }.joined(separator: "\n")
    }
  }

  /// Runs the reader on the night as it is now. `nil` if it ended as it should.
  private func flaw(
    _ reader: Reader, _ file: String, good: [String: Data], statuses: Set<Int32> = [74]
  ) throws -> String? {
    let ended = try Program.start(reader.program, reader.arguments, in: place).wait(limit: .seconds(120))
    switch ended.ending {
    case .status(0):
      return try answer(reader, ended) == good ? nil : "\(reader) with a damaged \(file) gave another answer"
    case .status(let status) where statuses.contains(status):
      // A hidden copy of an evaluation's cut has other names.
      return ended.errors.contains(file) ? nil : "\(reader) did not name \(file): \(ended.errors)"
    default: return "\(reader) with a damaged \(file): \(ended.ending), \(ended.errors)"
    }
  }

  private func good(_ reader: Reader) throws -> [String: Data] {
    try restore(for: reader)
    let ended = try Program.run(reader.program, reader.arguments, in: place)
    try #require(ended.ending == .status(0), "\(reader): \(ended.errors)")
    return try answer(reader, ended)
  }

  /// Flips a random bit of `file`, or changes it otherwise.
  private func damage(_ file: String, _ random: inout SplitMix64) throws {
    let path = "\(place)/\(Reader.run)/\(file)"
    var bytes = try Data(contentsOf: URL(filePath: path))
    switch bytes.isEmpty ? 1 : Int.random(in: 0..<12, using: &random) {
    case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
    case 1: bytes.append(0)
    case 2:
      let other = files.filter { $0 != file }.randomElement(using: &random) ?? file
      let content = try Data(contentsOf: URL(filePath: "\(place)/\(Reader.run)/\(other)"))
      bytes = content == bytes ? bytes + [0] : content
    case 3:
      try FileManager.default.removeItem(atPath: path)
      return
    default:
      let bit = Int.random(in: 0..<8 * bytes.count, using: &random)
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    }
    try bytes.write(to: URL(filePath: path))
  }

  @Test func `no damaged file is read without a word`() throws {
    var random = SplitMix64(seed: 29)
    let rounds = Soak.count(6, soak: 200)
    for reader in Reader.all {
      let good = try good(reader)
      let readable = files.filter { file in
        !reader.removed.contains { file.hasPrefix($0 + "/") }
      }
      for _ in 0..<rounds {
        // Each stage is as likely as every other, because the snapshot has most files.
        let stage = Set(readable.map { $0.prefix { $0 != "/" } }).sorted().randomElement(using: &random) ?? ""
        let file = try #require(readable.filter { $0.hasPrefix(stage + "/") }.randomElement(using: &random))
        try restore(for: reader)
        try damage(file, &random)
        #expect(try flaw(reader, file, good: good) == nil)
      }
    }
  }

  /// Removes the checksums from all manifests of the night, as if an earlier version had written them.
  private func removeChecksums() throws {
    let run = "\(place)/\(Reader.run)"
    var digests: [(old: String, new: String)] = []
    for stage in ["snapshot", "index", "models", "rankings", "evaluation"] {
      let path = "\(run)/\(stage)/manifest.json"
      guard let bytes = FileManager.default.contents(atPath: path) else { continue }
      var text = String(decoding: bytes, as: UTF8.self)
      text.replace(/\n *"(checksum|crc32c)" : "[0-9a-f]*",/, with: "")
      for digest in digests { text.replace(digest.old, with: digest.new) }
      digests.append((SHA256.digest(of: Array(bytes)), SHA256.digest(of: Array(text.utf8))))
      try Data(text.utf8).write(to: URL(filePath: path))
    }
  }

  @Test func `no content of a file ends a program without a message`() throws {
    var random = SplitMix64(seed: 31)
    let rounds = Soak.count(6, soak: 200)
    for reader in Reader.all {
      let readable = files.filter { file in
        file.hasSuffix(".npy") && !reader.removed.contains { file.hasPrefix($0 + "/") }
      }
      for _ in 0..<rounds {
        try restore(for: reader)
        try removeChecksums()
        let file = try #require(readable.randomElement(using: &random))
        let path = "\(place)/\(Reader.run)/\(file)"
        var bytes = try Data(contentsOf: URL(filePath: path))
        let bit = Int.random(in: 0..<8 * bytes.count, using: &random)
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        try bytes.write(to: URL(filePath: path))
        let ended = try Program.start(reader.program, reader.arguments, in: place).wait(limit: .seconds(120))
        #expect(
          [.status(0), .status(74)].contains(ended.ending),
          "\(reader) with bit \(bit) of \(file): \(ended.ending), \(ended.errors)")
      }
    }
  }
}
