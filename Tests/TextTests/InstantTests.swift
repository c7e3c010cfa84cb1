import Concurrency
import Foundation
import Testing
import TestSupport

@testable import Text

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
  func `known instants have their documented texts`(milliseconds: Int64, text: String) {
    #expect(Instant(milliseconds: milliseconds).description == text)
  }

  @Test(
    arguments: [
      (0, "1970-01-01"), (951_782_400_000, "2000-02-29"), (-86_400_000, "1969-12-31"),
      (253_402_300_800_000, "10000-01-01"), (1, "1970-01-01T00:00:00.001Z"),
      (60_000, "1970-01-01T00:01:00Z"), (-1000, "1969-12-31T23:59:59Z"),
    ] as [(Int64, String)])
  func `only the start of a day is written as a date`(milliseconds: Int64, text: String) {
    #expect(Instant(milliseconds: milliseconds).dateDescription == text)
  }

  @Test func `the extremes of 64 bits have a description`() {
    #expect(Instant(milliseconds: .min).description.hasPrefix("-"))
    #expect(Instant(milliseconds: .max).description.hasSuffix("Z"))
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `every description equals Foundation's`(seed: UInt64) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    var random = SplitMix64(seed: seed)
    for _ in 0..<400 {
      // The range starts in October 1582. From then on, Foundation and `Instant` both use
      // the Gregorian calendar.
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
    // Counts day by day with the rule for leap years.
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

  @Test func `an instant is before any later one, and not before itself`() {
    let moments = ([.min, -1, 0, 1, .max] as [Int64]).map(Instant.init(milliseconds:))
    for (index, left) in moments.enumerated() {
      for (other, right) in moments.enumerated() {
        #expect((left < right) == (index < other), "\(left), \(right)")
      }
    }
  }
}
