import CChecksum
import Concurrency
import Foundation
import Testing

@testable import Files

struct BlockChecksumsTests {
  /// The test vectors of RFC 3720, appendix B.4, and of the catalog of CRC algorithms.
  static let vectors: [(bytes: [UInt8], sum: UInt32)] = [
    ([], 0), (Array("123456789".utf8), 0xE306_9283),
    ([UInt8](repeating: 0, count: 32), 0x8A91_36AA), ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
    (Array(0..<32), 0x46DD_794E), (Array((0..<32).reversed()), 0x113F_DB5C),
    (
      [
        0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14,
        0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0,
      ], 0xD996_3A56
    ),
  ]

  @Test(arguments: vectors) func `checksums equal the standard's test vectors`(bytes: [UInt8], sum: UInt32) {
    #expect(BlockChecksums.checksum(of: bytes.span.bytes) == sum)
    #expect(Self.bitwise(bytes) == sum)
  }

  /// Computes CRC-32C bit by bit, directly by the definition.
  private static func bitwise(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
    }
    return ~sum
  }

  @Test(
    arguments: [("", []), ("e3069283", [0xE306_9283]), ("0000000046dd794e", [0, 0x46DD_794E])]
      as [(String, [UInt32])])
  func `checksums are written as eight hexadecimal digits each`(digits: String, values: [UInt32]) throws {
    let json = Data("\"\(digits)\"".utf8)
    let checksums = try JSONDecoder().decode(BlockChecksums.self, from: json)
    #expect(checksums.values == values)
    #expect(try JSONEncoder().encode(checksums) == json)
  }

  @Test(arguments: [
    "e306928", "e3069283e", "e306928g", "xe306928", "e306928 ", "0xe30692", "e306928346dd794g", "éééé",
    "+0000001", "-0000001",
  ])
  func `other texts are not checksums`(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(BlockChecksums.self, from: Data("\"\(text)\"".utf8))
    }
  }

  private static func random(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  @Test func `the CPU instruction and the table give the right checksum at any alignment`() {
    let bytes = Self.random(400, seed: 3)
    for start in 0..<17 {
      for count in 0..<90 {
        let part = Array(bytes[start..<start + count])
        let sum = Self.bitwise(part)
        #expect(BlockChecksums.checksum(of: bytes.span.extracting(start..<start + count).bytes) == sum)
        #expect(part.withUnsafeBytes { crc32c_update_portable(0, $0.baseAddress, $0.count) } == sum)
        let (head, tail) = (Array(part.prefix(count / 3)), Array(part.dropFirst(count / 3)))
        let first = BlockChecksums.checksum(of: head.span.bytes)
        #expect(BlockChecksums.checksum(of: tail.span.bytes, after: first) == sum)
      }
    }
  }

  @Test(arguments: [0, 1, 7, 1 << 20, (1 << 20) + 1, 3 << 20, (7 << 20) - 5])
  func `a file and a stream of pieces have the same block checksums`(count: Int) {
    let bytes = Self.random(count, seed: 4)
    let whole = BlockChecksums(of: bytes.span.bytes)
    #expect(whole.values.count == (count + BlockChecksums.blockSize - 1) / BlockChecksums.blockSize)
    var running = RunningChecksums()
    var random = SplitMix64(seed: 5)
    var start = 0
    while start < count {
      let end = min(count, start + Int.random(in: 1...3_000_000, using: &random))
      running.update(bytes.span.extracting(start..<end).bytes)
      start = end
    }
    #expect(running.checksums == whole)
    for (block, value) in whole.values.enumerated() {
      let range = (block << 20)..<min(count, (block + 1) << 20)
      #expect(bytes[range].withUnsafeBytes { crc32c_update_portable(0, $0.baseAddress, $0.count) } == value)
    }
  }
}
