import Concurrency
import Testing

@testable import Readers

@Suite struct JSONPropertyTests {
  /// The reader splits the array, and simdjson parses each record. Together they must accept
  /// exactly the texts that simdjson accepts.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `splitting an array and parsing the whole agree on mutated texts`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let start = Array(#"[{"a":1,"b":"x\"y"},{"a":[true,{"c":null}],"d":"]"}, {"é":-1.5e3} ]"#.utf8)
    let alphabet = Array("[]{},:\"\\ \n1-e.tx".utf8)
    var agreed = (valid: 0, invalid: 0)
    for _ in 0..<300 {
      var bytes = start
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let index = Int.random(in: bytes.indices, using: &random)
        let byte = alphabet[Int.random(in: alphabet.indices, using: &random)]
        switch random.next() % 3 {
        case 0: bytes[index] = byte
        case 1: bytes.insert(byte, at: index)
        default: bytes.remove(at: index)
        }
      }
      let error = failure(bytes: bytes, .json, ["a"])
      if validateJSON(bytes) == nil {
        agreed.valid += 1
        #expect(error == nil || error?.code == .wrongShape, "\(String(decoding: bytes, as: UTF8.self))")
      } else {
        agreed.invalid += 1
        #expect(error != nil || hasBadElement(bytes), "\(String(decoding: bytes, as: UTF8.self))")
      }
    }
    #expect(agreed.valid > 0 && agreed.invalid > 0)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the formats never trap on random bytes`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let alphabet =
      Array(
        #"{}[]",:\ "documents""results""fields""__type""Date""iso""name""stringValue""mapValue"0123n"#.utf8)
      + [10, 0xFF, 0xEF]
    for _ in 0..<300 {
      let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &random)]
      }
      // Formats that start a program are skipped, because the program would start 36 000 times.
      for format in ExportFormat.allCases where format != .parquet && format != .duckdb {
        // Any result is allowed, but in JSON Lines every fault belongs to a line.
        let error = failure(bytes: bytes, format, ["name"])
        if format == .jsonl { #expect(error == nil) }
      }
    }
  }
}
