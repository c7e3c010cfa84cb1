import Concurrency
import Foundation
import Testing

@testable import Columns
@testable import Files
@testable import RunSchemas
@testable import Text

/// Compares numbers as bytes with Foundation's texts.
struct DecimalTextTests {
  private func text(_ append: (inout [UInt8]) -> Void) -> String {
    var bytes = Array("x".utf8)
    append(&bytes)
    return String(decoding: bytes.dropFirst(), as: UTF8.self)
  }

  @Test(
    arguments: [
      (0, 0, "0"), (7, 0, "7"), (10, 0, "10"), (0, 1, "0.0"), (5, 1, "0.5"), (1234, 2, "12.34"),
      (.max, 0, "18446744073709551615"), (.max, 18, "18.446744073709551615"), (1, 18, "0.000000000000000001"),
    ] as [(UInt64, Int, String)])
  func `digits have their decimal point`(digits: UInt64, places: Int, expected: String) {
    #expect(text { $0.append(decimal: digits, places: places) } == expected)
  }

  @Test(
    arguments: [
      (0.5, "0.5"), (1, "1"), (0.7761, "0.7761"), (2.0 / 3, "0.666666666667"), (1e-4, "0.0001"),
      (0.999_999_999_999_9, "1"), (999_999.999_999, "999999.999999"), (999_999.999_999_9, "1000000"),
      (123_456.789_012_34, "123456.789012"), (9.999_999_999e-5, "9.999999999e-05"), (1e6, "1000000.0"),
      (.leastNonzeroMagnitude, "5e-324"),
    ] as [(Double, String)])
  func `twelve digits have no trailing zeros`(value: Double, expected: String) {
    #expect(text { $0.append(twelveDigits: value) } == expected)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `twelve digits are as exact as possible`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2000 {
      let exponent = Double(random.next() % 10) - 4
      let value = (1 + Double(random.next() >> 11) * 0x1p-53 * 8.9) * pow(10, exponent)
      let written = text { $0.append(twelveDigits: value) }
      let number = try #require(Double(written))
      #expect(abs(number - value) <= 5.001e-12 * value, "\(value): \(written)")
      #expect(written.filter(\.isNumber).drop { $0 == "0" }.count <= 12, "\(value): \(written)")
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `tenths equal description`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2000 {
      let value = Double(random.next() % 3_000_000) * 0.0173
      var json = JSONText()
      json.append(tenths: value)
      #expect(String(decoding: json.bytes, as: UTF8.self) == ((value * 10).rounded() / 10).description)
    }
  }

  @Test(
    arguments: [
      (0, "0.0"), (-0.05, "-0.1"), (-12.34, "-12.3"), (99_999_999_999_999.9, "99999999999999.9"),
      (1e19, "1e+19"), (.infinity, "null"),
    ] as [(Double, String)])
  func `tenths of negative and huge numbers equal description`(value: Double, expected: String) {
    var json = JSONText()
    json.append(tenths: value)
    #expect(String(decoding: json.bytes, as: UTF8.self) == expected)
  }
}
