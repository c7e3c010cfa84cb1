import Testing
import TestSupport

@testable import Files

struct SealedJSONTests {
  private static let plain = Array("{\n  \"a\" : 1,\n  \"b\" : \"x\"\n}\n".utf8)

  @Test func `reading removes the checksum`() throws {
    let sealed = SealedJSON.sealed(Self.plain)
    // Another program computed this CRC-32C.
    #expect(
      String(decoding: sealed, as: UTF8.self)
        == "{\n  \"checksum\" : \"1a0eda4a\",\n  \"a\" : 1,\n  \"b\" : \"x\"\n}\n")
    let opened = try SealedJSON.Opened(sealed, path: "x")
    #expect(opened.plain == Self.plain && opened.isSealed)
    let unsealed = try SealedJSON.Opened(Self.plain, path: "x")
    #expect(unsealed.plain == Self.plain && !unsealed.isSealed)
  }

  @Test func `every flipped bit and every cut is found`() throws {
    let sealed = SealedJSON.sealed(Self.plain)
    func isFound(_ bytes: [UInt8]) -> Bool {
      do throws(FileError) {
        try SealedJSON.Opened(bytes, path: "x").requireSeal("x")
        return false
      } catch {
        return error.operation == .read && error.path == "x"
      }
    }
    #expect(!isFound(sealed))
    for bit in 0..<8 * sealed.count {
      var damaged = sealed
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(isFound(damaged), "bit \(bit)")
    }
    for count in 0..<sealed.count { #expect(isFound(Array(sealed.prefix(count))), "\(count) bytes") }
  }
}
