import Concurrency
import Files
import Foundation
import Testing
import TestSupport

/// Programs read a run with one damaged file. Each program must end with status 74 and name the
/// file. A program that does not read the file must give the same result as without the damage.
struct DamagedFileTests {
  private static let tally = Tally("damaged files", cases: DamagedProduct.all.count)

  @Test(arguments: DamagedProduct.all) func `every program that reads a damaged file reports it`(
    product: DamagedProduct
  )
    throws
  {
    let night = try DamagedNight(product)
    var random = SplitMix64(seed: 29)
    let readers = product.readers
    var good: [Int: [String: Data]] = [:]
    for _ in 0..<Soak.count(6, soak: 400) {
      let number = Int.random(in: readers.indices, using: &random)
      let reader = readers[number]
      let answer = try good[number] ?? night.good(reader)
      good[number] = answer
      try night.restore(for: reader)
      let file = try night.file(for: reader, &random)
      let damage = try night.damage(file, &random)
      let flaw = try night.flaw(reader, file, damage, good: answer)
      #expect(flaw == nil, "\(flaw ?? "")")
      Self.tally.add("files")
    }
    Self.tally.end()
  }

  /// Removes the checksums from all manifests of the run, because earlier versions did not write
  /// them.
  private func removeChecksums(_ night: DamagedNight) throws {
    let run = "\(night.place)/\(night.product.run)"
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

  @Test(arguments: DamagedProduct.all)
  func `a file with any content never ends a program without a message`(product: DamagedProduct) throws {
    let night = try DamagedNight(product)
    var random = SplitMix64(seed: 31)
    for _ in 0..<Soak.count(6, soak: 400) {
      let reader = try #require(product.readers.randomElement(using: &random))
      try night.restore(for: reader)
      try removeChecksums(night)
      let columns = try night.readable(by: reader).filter { $0.hasSuffix(".npy") }
      let file = try #require(columns.randomElement(using: &random))
      let path = "\(night.place)/\(product.run)/\(file)"
      var bytes = try Data(contentsOf: URL(filePath: path))
      let bit = Int.random(in: 0..<8 * bytes.count, using: &random)
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try bytes.write(to: URL(filePath: path))
      let ended = try Program.start(reader.program, reader.arguments, in: night.place).wait(
        limit: .seconds(120))
      #expect(
        [.status(0), .status(65), .status(74)].contains(ended.ending),
        "\(product) \(reader) with bit \(bit) of \(file): \(ended.ending), \(ended.errors)")
    }
  }
}
