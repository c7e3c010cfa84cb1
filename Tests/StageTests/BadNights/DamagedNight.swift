import Concurrency
import Foundation
import GRDB
import Testing
import TestSupport

/// A finished run of a product and the programs that read it. The files of the run are damaged one
/// by one.
struct DamagedNight {
  let product: DamagedProduct
  /// The directory of the product that the programs use.
  let place: String
  private let night: ScratchDirectory
  private var run: String { product.run }

  init(_ product: DamagedProduct) throws {
    self.product = product
    night = try ScratchDirectory()
    place = night("product")
  }

  /// Returns the product with a complete or interrupted run. The run is made at the first use.
  private func original(resumes: Bool) throws -> String {
    let directory = night(resumes ? "half" : "good")
    guard !FileManager.default.fileExists(atPath: directory) else { return directory }
    try product.create(directory)
    let until = resumes ? ["--until", product.isLearned ? "fit" : "index"] : product.evaluation
    let ended = try Program.run("nightjar", ["run", product.pipelineFile] + until, in: directory)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return directory
  }

  /// Restores the run and removes the output of the reader.
  func restore(for reader: RunReader) throws {
    try? FileManager.default.removeItem(atPath: place)
    try FileManager.default.copyItem(atPath: original(resumes: reader.resumes), toPath: place)
    for name in reader.removed {
      try? FileManager.default.removeItem(atPath: "\(place)/\(run)/\(name)")
    }
  }

  /// Returns the paths of the files that a reader may read, except those that it writes.
  func readable(by reader: RunReader) throws -> [String] {
    let files = try DirectoryContents(of: "\(original(resumes: reader.resumes))/\(run)").names
    return files.filter { file in !reader.removed.contains { file.hasPrefix($0 + "/") } }
  }

  /// Returns the result of a reader: its output, its files, or the published lists.
  private func answer(_ reader: RunReader, _ ended: Program.Finished) throws -> [String: Data] {
    if reader.prints { return ["": Data(ended.output.utf8)] }
    if let written = reader.removed.first {
      return try DirectoryContents(of: "\(place)/\(run)/\(written)").files
    }
    return ["": Data(try served().utf8)]
  }

  /// Returns everything that apps can read from the store.
  private func served() throws -> String {
    let database = try DatabaseQueue(path: place + "/" + product.store)
    return try database.read { database in
      let tables = ["lists", "matches", "people", "positions", "buckets", "catalogs"]
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

  /// Returns the result of a reader for the undamaged run.
  func good(_ reader: RunReader) throws -> [String: Data] {
    try restore(for: reader)
    let ended = try Program.run(reader.program, reader.arguments, in: place)
    try #require(ended.ending == .status(0), "\(reader): \(ended.errors)")
    return try answer(reader, ended)
  }

  /// Runs the reader after `file` was damaged. Returns `nil` if the reader ended with status 74 and
  /// named the file, or if its result is `good`.
  func flaw(_ reader: RunReader, _ file: String, _ damage: String, good: [String: Data]) throws -> String? {
    let ended = try Program.start(reader.program, reader.arguments, in: place).wait(limit: .seconds(120))
    let what = "\(product) \(reader) with \(damage) of \(file)"
    switch ended.ending {
    case .status(0): return try answer(reader, ended) == good ? nil : "\(what) gave another answer"
    case .status(74):
      // If a manifest does not match the files of its directory, the error names the file or the
      // directory.
      let names = [file, file.split(separator: "/").dropLast().joined(separator: "/")].filter { !$0.isEmpty }
      return names.contains { ended.errors.contains($0) } ? nil : "\(what) is not named: \(ended.errors)"
    default: return "\(what): \(ended.ending), \(ended.errors)"
    }
  }

  /// Returns a random file for the reader. Each stage is equally likely, because the snapshot has
  /// most of the files.
  func file(for reader: RunReader, _ random: inout SplitMix64) throws -> String {
    let readable = try readable(by: reader)
    let stage = Set(readable.map { $0.prefix { $0 != "/" } }).sorted().randomElement(using: &random) ?? ""
    return try #require(readable.filter { $0.hasPrefix(stage) }.randomElement(using: &random))
  }

  /// Flips a random bit of `file` or makes another change. Returns a description of the change.
  func damage(_ file: String, _ random: inout SplitMix64) throws -> String {
    let path = "\(place)/\(run)/\(file)"
    var bytes = try Data(contentsOf: URL(filePath: path))
    let what: String
    switch bytes.isEmpty ? 1 : Int.random(in: 0..<14, using: &random) {
    case 0:
      let count = Int.random(in: 1...bytes.count, using: &random)
      bytes.removeLast(count)
      what = "the last \(count) bytes cut off"
    case 1:
      bytes.append(0)
      what = "a byte more"
    case 2:
      let good = try original(resumes: false) + "/" + run
      let names = try DirectoryContents(of: good).names.filter { $0 != file }
      let other = try #require(names.randomElement(using: &random))
      let content = try Data(contentsOf: URL(filePath: "\(good)/\(other)"))
      bytes = content == bytes ? bytes + [0] : content
      what = "the content of \(other) instead"
    case 3 where file != "run.json":
      try FileManager.default.removeItem(atPath: path)
      return "the absence"
    case 4:
      let start = Int.random(in: 0..<(bytes.count + 4095) / 4096, using: &random) * 4096
      let page = start..<min(start + 4096, bytes.count)
      let zeros = Data(count: page.count)
      if bytes[page] == zeros { bytes.append(0) } else { bytes.replaceSubrange(page, with: zeros) }
      what = "a page of zeros at \(start)"
    default:
      let bit = Int.random(in: 0..<8 * bytes.count, using: &random)
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      what = "bit \(bit)"
    }
    try bytes.write(to: URL(filePath: path))
    return what
  }
}
