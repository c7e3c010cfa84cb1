import Concurrency
import Testing

struct Mix64Tests {
  /// The test vectors that the authors of FNV publish for FNV-1a, 64 bits.
  @Test(
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)])
  func `FNV-1a equals the published values`(text: String, expected: UInt64) {
    #expect(Mix64.hash(Array(text.utf8).span) == expected)
  }

  /// The first outputs of the reference implementation for the seed 1234567.
  @Test func `SplitMix64 equals the reference stream`() {
    var generator = SplitMix64(seed: 1_234_567)
    let first = (0..<3).map { _ in generator.next() }
    #expect(first == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }

  /// Another program computed these values from the definition. A change would reorder candidates
  /// with equal scores.
  @Test(
    arguments: [
      (1, 2, 0, 0xBCD9DBB49673066B),
      (2, 1, 0, 0xE06DD043328BD285),
      (1, 2, 42, 0xF081F507E13D31DE),
      (14695981039346656037, 12638187200555641996, 7, 0x197A8BFA8DB056E1),
    ] as [(UInt64, UInt64, UInt64, UInt64)])
  func `the mix of a pair never changes`(first: UInt64, second: UInt64, seed: UInt64, expected: UInt64) {
    #expect(Mix64.pair(first, second, seed: seed) == expected)
  }

  @Test func `the mix of a pair depends on the order and the seed`() {
    #expect(Mix64.pair(1, 2, seed: 0) != Mix64.pair(2, 1, seed: 0))
    #expect(Mix64.pair(1, 2, seed: 0) != Mix64.pair(1, 2, seed: 1))
  }
}
