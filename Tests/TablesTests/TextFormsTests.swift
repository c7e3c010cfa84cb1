import Foundation
import Reproducible
import TestSupport
import Testing

@testable import Tables

@Suite struct SHA256Tests {
  /// FIPS 180-2, appendix B, and the empty message of NIST's short-message vectors.
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
  ]) func `the published digests`(message: String, digest: String) {
    #expect(SHA256.digest(of: Array(message.utf8)) == digest)
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `pieces give the digest of the whole`(seed: UInt64) {
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
}

@Suite struct InstantTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999Z"), (1, "1970-01-01T00:00:00.001Z"),
      (951_782_400_000, "2000-02-29T00:00:00Z"), (4_107_542_400_000, "2100-03-01T00:00:00Z"),
      (4_107_542_399_000, "2100-02-28T23:59:59Z"), (-62_135_596_800_000, "0001-01-01T00:00:00Z"),
      (-62_135_596_800_001, "0000-12-31T23:59:59.999Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (253_402_300_800_000, "10000-01-01T00:00:00Z"), (-62_198_755_200_000, "-0001-01-01T00:00:00Z"),
      (1_795_132_692_010, "2026-11-19T23:58:12.010Z"),
    ] as [(Int64, String)])
  func `known instants`(milliseconds: Int64, text: String) {
    #expect(Instant(milliseconds: milliseconds).description == text)
  }

  @Test func `the extremes of 64 bits have a description`() {
    #expect(Instant(milliseconds: .min).description.hasPrefix("-"))
    #expect(Instant(milliseconds: .max).description.hasSuffix("Z"))
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `every description is Foundation's`(seed: UInt64) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    var random = SplitMix64(seed: seed)
    for _ in 0..<400 {
      // From October 1582 on, where Foundation's calendar is the Gregorian one as ours always is.
      let milliseconds = Int64.random(in: -12_219_292_800_000...253_402_300_799_999, using: &random)
      let seconds = (Double(milliseconds) / 1000).rounded(.down)
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: seconds))
      func padded(_ value: Int?, _ width: Int) -> String {
        let digits = String(value ?? 0)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
      }
      let rest = Int(milliseconds - Int64(seconds) * 1000)
      let date = "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
      let time = "\(padded(parts.hour, 2)):\(padded(parts.minute, 2)):\(padded(parts.second, 2))"
      let expected = "\(date)T\(time)\(rest == 0 ? "" : "." + padded(rest, 3))Z"
      #expect(Instant(milliseconds: milliseconds).description == expected)
    }
  }

  @Test func `days follow each other through four centuries`() {
    // Counted day by day with the rule of leap years alone.
    var (year, month, day) = (1, 1, 1)
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    for index in 0..<146_097 as Range<Int64> {
      let text = Instant(milliseconds: -62_135_596_800_000 + index * 86_400_000).description.utf8.prefix(10)
      let digits = text.compactMap { $0 == UInt8(ascii: "-") ? nil : Int($0) - 48 }
      let number = digits.reduce(0) { $0 * 10 + $1 }
      guard number == year * 10_000 + month * 100 + day else {
        Issue.record("\(String(text) ?? "") is not \(year)-\(month)-\(day)")
        return
      }
      day += 1
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      if day > lengths[month - 1] + (month == 2 && isLeap ? 1 : 0) { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    #expect((year, month, day) == (401, 1, 1))
  }
}

@Suite struct JSONTextTests {
  private func parsed(_ text: JSONText) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.bytes), options: .fragmentsAllowed)
  }

  @Test func `every control character reads back, and stands escaped`() throws {
    for code in (0...0x20).map(UInt8.init) + [0x22, 0x2F, 0x5C, 0x7E, 0x7F] {
      var text = JSONText()
      text.append(string: [UInt8(ascii: "a"), code, UInt8(ascii: "b")].span)
      #expect(try parsed(text) as? String == "a\(Character(UnicodeScalar(code)))b", "\(code)")
      #expect(text.bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `random Unicode reads back scalar by scalar`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      var string = String.UnicodeScalarView()
      while string.count < 20 {
        let limit: UInt32 = [0x80, 0x800, 0x10000, 0x110000].randomElement(using: &random) ?? 0
        if let scalar = UnicodeScalar(UInt32.random(in: 0..<limit, using: &random)) { string.append(scalar) }
      }
      var text = JSONText()
      text.append(string: Array(String(string).utf8).span)
      let back = try #require(try parsed(text) as? String)
      #expect(Array(back.utf8) == Array(String(string).utf8))
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `random numbers read back with all their bits`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      var text = JSONText()
      text.append(number: value)
      // Not JSONSerialization, whose numbers lose bits on Linux.
      #expect(try JSONDecoder().decode(Double.self, from: Data(text.bytes)) == value)
      #expect(strtod(String(decoding: text.bytes, as: UTF8.self), nil).bitPattern == value.bitPattern)
    }
  }

  @Test(arguments: [
    (0.1, "0.1"), (1e16, "1e+16"), (.leastNonzeroMagnitude, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (.nan, "null"), (.infinity, "null"), (-.infinity, "null"),
  ]) func `a number is its shortest decimal, or null`(value: Double, expected: String) {
    var text = JSONText()
    text.append(number: value)
    #expect(String(decoding: text.bytes, as: UTF8.self) == expected)
  }

  @Test func `pieces follow each other, and removing empties`() throws {
    var text = JSONText()
    text.append(raw: "[")
    text.append(integer: .min)
    text.append(raw: ",")
    text.append(integer: .max)
    text.append(raw: "]")
    #expect(String(decoding: text.bytes, as: UTF8.self) == "[-9223372036854775808,9223372036854775807]")
    text.removeAll()
    #expect(text.bytes.isEmpty)
  }
}

@Suite struct ManifestTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private static let configurations: [JSONValue] = [
    .null, .boolean(true), .integer(.max), .integer(.min), .number(0.1), .number(1e300), .number(-2.5e-10),
    .string("é\u{0}\"\\/"), .array([]), .array([.null, .integer(1), .boolean(false), .string("1")]),
    .object([:]),
    ["a": ["b": .array([1, "x", .number(0.5)])], "": 0],
  ]

  @Test(arguments: configurations) func `any value reads back`(value: JSONValue) throws {
    let data = Data(value.pretty)
    #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
  }

  @Test func `a whole manifest reads back`() throws {
    var manifest = Manifest(
      tool: "nightjar 1", stage: "snapshot", pipeline: "p", configuration: .array(Self.configurations),
      asOf: Instant(milliseconds: -1), seed: .max,
      inputs: [FileDigest(path: "../x.csv", bytes: 3, sha256: "ab", rows: 1)],
      counts: ["sources": ["users": ["read": 3]]], parents: ["index": "cd"])
    manifest.outputs = [FileDigest(path: "y", bytes: 0, sha256: "ef")]
    try scratch.write(manifest.json, to: "s/manifest.json")
    #expect(try Manifest(of: scratch("s")) == manifest)
    let text = try scratch.text("s/manifest.json")
    #expect(text.contains("\"utc\" : \"1969-12-31T23:59:59.999Z\""))
    #expect(text.hasSuffix("}\n"))
  }

  @Test(arguments: [JSONValue.number(1000), .number(-0.0), .number(1e16), .number(0x1p64)])
  func `the digest of a manifest that was read is that of its file`(value: JSONValue) throws {
    let manifest = Manifest(
      tool: "t", stage: "s", pipeline: "p", configuration: ["x": value], asOf: Instant(milliseconds: 0),
      seed: 0,
      counts: .null)
    let bytes = manifest.json
    try scratch.write(bytes, to: "s/manifest.json")
    #expect(try Manifest(of: scratch("s")).digest == SHA256.digest(of: bytes))
  }

  @Test func `a missing stage is an error of find, a damaged manifest one of read`() throws {
    #expect(#expect(throws: FileError.self) { _ = try Manifest(of: scratch("none")) }?.operation == .find)
    let whole = Manifest.plain.json
    var random = SplitMix64(seed: 1)
    for count in stride(from: 0, to: whole.count - 3, by: 7) {
      try scratch.write(Array(whole.prefix(count)), to: "s/manifest.json")
      #expect(#expect(throws: FileError.self) { _ = try Manifest(of: scratch("s")) }?.operation == .read)
    }
    for _ in 0..<100 {
      var damaged = whole
      damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      try scratch.write(damaged, to: "s/manifest.json")
      do throws(FileError) { _ = try Manifest(of: scratch("s")) } catch { #expect(error.operation == .read) }
    }
  }

  @Test func `parts of values are reached by key`() {
    let value: JSONValue = ["a": ["x": 1, "y": 2, "z": "3"], "b": 5]
    #expect(value["a"]?["y"]?.integerValue == 2)
    #expect(value["a"]?.total == 3)
    #expect(value["b"]?["x"] == nil)
    #expect(value["b"]?.members == [:])
    #expect(JSONValue.number(1).integerValue == nil)
  }
}
