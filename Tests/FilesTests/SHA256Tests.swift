import Concurrency
import Foundation
import Testing
import TestSupport

@testable import Files
@testable import Text

@Suite struct SHA256Tests {
  /// The vectors of FIPS 180-2, appendix B, and the empty message of NIST's short-message vectors.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ]) func `digests equal the published vectors`(message: String, digest: String) {
    #expect(SHA256.digest(of: Array(message.utf8)) == digest)
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `a message in pieces has the same digest as the whole message`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let bytes = (0..<1000).map { _ in UInt8.random(in: 0...255, using: &random) }
    var hash = SHA256()
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + Int.random(in: 0...130, using: &random))
      hash.update(Array(bytes[start..<end]).span.bytes)
      start = end
    }
    #expect(hash.finish() == SHA256.digest(of: bytes))
  }

  @Test func `a running digest counts bytes, and has the digest and checksums of all bytes`() {
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let (running, plain) = (RunningDigest(hasChecksums: true), RunningDigest())
    for range in [0..<1, 1..<1, 1..<200_000, 200_000..<300_000] {
      for digest in [running, plain] { digest.update(bytes.span.extracting(range).bytes) }
      #expect(running.bytes == range.upperBound)
    }
    #expect(running.checksums == BlockChecksums(of: bytes.span.bytes) && plain.checksums == nil)
    #expect(running.finish() == SHA256.digest(of: bytes) && plain.finish() == SHA256.digest(of: bytes))
  }
}
