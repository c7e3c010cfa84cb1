import Concurrency
import Foundation
import Testing

@testable import Readers

private func instant(_ text: String, _ unit: TimeUnit = .milliseconds) -> Int64? {
  parseInstant(Array(text.utf8).span, unit: unit)
}

@Suite struct ParseInstantTests {
  // The time 2026-11-20T23:58:12Z, computed with `date -u -d ... +%s`.
  private static let reference: Int64 = 1_795_219_092_000

  @Test(arguments: [
    "2026-11-20T23:58:12Z", "2026-11-20t23:58:12z", "2026-11-20 23:58:12", "2026-11-20T23:58:12",
    "2026-11-21T00:58:12+01:00", "2026-11-21T00:58:12+0100", "2026-11-21 00:58:12+01",
    "2026-11-20T18:28:12-05:30",
    "2026-11-20 23:58:12 UTC", "2026-11-20T23:58:12.000Z", "2026-11-20T23:58:12-00:00",
    "2026-11-20T23:58:12.0009999999Z",
    "1795219092000", "+1795219092000",
  ])
  func `many forms of the same instant are read`(_ text: String) {
    #expect(instant(text) == Self.reference)
  }

  @Test(
    arguments: [
      ("1970-01-01", 0), ("1970-01-01T00:00", 0), ("1969-12-31T23:59:59.9999Z", -1),
      ("1969-12-31T23:59:59.5", -500),
      ("2026-11-20T23:58:12,25Z", reference + 250), ("2026-11-20T23:58:12.1Z", reference + 100),
      ("2000-02-29", 951_782_400_000), ("0001-01-01", -62_135_596_800_000),
      ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999), ("-1", -1), ("0", 0),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("2017-01-01T00:59:60.5+01:00", 1_483_228_800_500),
      ("2026-11-20T23:58Z", reference - 12_000), ("20261120", 20_261_120),
    ] as [(String, Int64)])
  func `instants equal a calculation by hand`(_ text: String, _ value: Int64) {
    #expect(instant(text) == value)
  }

  @Test(arguments: [
    "", "2026-11", "2026-11-2", "2026-1-20", "2026-13-01", "2026-00-01", "2026-11-31", "2025-02-29",
    "1900-02-29",
    "2026-11-00", "0000-01-01", "2026-11-20T", "2026-11-20T24:00:00Z", "2026-11-20T23",
    "2026-11-20T23:60:00Z",
    "2026-11-20T23:58:61Z", "2026-11-20T23:58:60Z", "2026-11-20T23:59:60+01:00", "2026-11-20T23:58:12.Z",
    "2026-11-20T23:58:12+1", "2026-11-20T23:58:12+01:0", "2026-11-20T23:58:12+24:00",
    "2026-11-20T23:58:12+01:60",
    "2026-11-20T23:58:12+01:00:00", "2026-11-20T23:58:12ZZ", "2026-11-20T23:58:12 Z",
    "2026-11-20T23:58:12 CET",
    "2026-11-20_23:58:12", "2026/11/20", "20.11.2026", "11-20-2026", " 2026-11-20", "2026-11-20 ",
    "+2026-11-20",
    "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "253402300800000", "-62135596800001",
    "9223372036854775808", "2026-11-20T23:58:", "2026-11-20T23:58:1", "1795219092000.", ".5",
    "2026-11-20T2३:58:12Z",
    "2026-11-20T23:58:12+01-00", "2026-11-20T23:58.5Z",
  ])
  func `an invalid instant is rejected`(_ text: String) {
    #expect(instant(text) == nil)
  }

  @Test(
    arguments: [
      ("1795219092.000000001", TimeUnit.seconds, 1_795_219_092_000, 1),
      ("1795219092.1239996", .seconds, 1_795_219_092_123, 999_600),
      ("-0.5", .seconds, -500, 0), ("-0.0000000001", .seconds, 0, 0),
      ("-1.000000001", .seconds, -1001, 999_999),
      ("1795219092000.5", .milliseconds, 1_795_219_092_000, 500_000), ("-0.25", .milliseconds, -1, 750_000),
      ("1795219092000123", .microseconds, 1_795_219_092_000, 123_000), ("-1", .microseconds, -1, 999_000),
      ("1.5", .microseconds, 0, 1500), ("1795219092000123456", .nanoseconds, 1_795_219_092_000, 123_456),
      ("-1", .nanoseconds, -1, 999_999), ("1", .daysSince1900, -2_209_075_200_000, 0),
      // The first case is 1900-03-01, because day 60 is the date 1900-02-29, which did not exist.
      // The second is noon of 2025-11-17 in LibreOffice.
      ("61", .daysSince1900, -2_203_891_200_000, 0), ("45978.5", .daysSince1900, 1_763_380_800_000, 0),
      // A spreadsheet writes 12:30:00 as this fraction of a day.
      ("45978.5208333333", .daysSince1900, 1_763_382_600_000, 0),
      ("0", .secondsSince2001, 978_307_200_000, 0), ("721692800.5", .secondsSince2001, 1_700_000_000_500, 0),
      ("2026-11-20T23:58:12.123456789Z", .nanoseconds, 1_795_219_092_123, 456_789),
    ] as [(String, TimeUnit, Int64, UInt32)])
  func `numbers count in their unit, to the nanosecond`(
    text: String, unit: TimeUnit, milliseconds: Int64, finer: UInt32
  ) {
    let bytes = Array(text.utf8)
    #expect(parseMoment(bytes.span, unit: unit) == Moment(milliseconds: milliseconds, finer: finer))
  }

  @Test(arguments: TimeUnit.allCases)
  func `numbers outside the years 1 to 9999 are no moments`(unit: TimeUnit) {
    let far: Set<TimeUnit> = [.nanoseconds]
    for number in [Int64.max, .min, .max - 1, .min + 1] {
      #expect((unit.moment(number) == nil) != far.contains(unit))
    }
    #expect(unit.moment(1e300) == nil && unit.moment(-1e300) == nil && unit.moment(.infinity) == nil)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `numbers of JSON and of text are the same moments to a microsecond`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for unit in TimeUnit.allCases {
      for _ in 0..<50 {
        let scale: Double =
          switch unit {
          case .seconds, .secondsSince2001: 1e9
          case .daysSince1900: 4e4
          case .milliseconds: 1e12
          case .microseconds, .nanoseconds: 1e14
          }
        let number = (Double.random(in: -1...1, using: &random) * scale * 64).rounded() / 64
        let bytes = Array(String(format: "%.9f", number).utf8)
        guard let text = parseMoment(bytes.span, unit: unit), let json = unit.moment(number) else {
          Issue.record("\(number) is no moment in \(unit)")
          continue
        }
        let difference =
          (text.milliseconds - json.milliseconds) * 1_000_000 + Int64(text.finer) - Int64(json.finer)
        #expect(abs(difference) <= (unit == .daysSince1900 ? 1_000_000 : 1000), "\(number) in \(unit)")
      }
    }
  }

  @Test func `integers can be seconds`() {
    #expect(instant("1795219092", .seconds) == Self.reference)
    #expect(instant("9223372036854775807", .seconds) == nil)
    #expect(instant("253402300800", .seconds) == nil)
  }

  @Test func `every day of 10 000 years follows the one before`() {
    var day: Int64 = -62_135_596_800_000
    var weekday = 1  // 0001-01-01 is a Monday.
    for year in 1...9999 {
      for month in 1...12 {
        let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        for date in [1, days] {
          let expected = day + Int64(date - 1) * 86_400_000
          if daysSince1970(year: year, month: month, day: date) != Int(expected / 86_400_000) {
            Issue.record("\(year)-\(month)-\(date)")
          }
        }
        #expect(daysInMonth(month, year: year) == days)
        day += Int64(days) * 86_400_000
        weekday = (weekday + days) % 7
      }
    }
    #expect(day == 253_402_300_800_000)
    #expect(weekday == 6)  // 10000-01-01 is a Saturday.
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `random instants formatted by Foundation are parsed`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for _ in 0..<300 {
      // Before October 1582, Foundation uses the Julian calendar.
      let value = Int64.random(in: -12_000_000_000_000...253_402_300_799_999, using: &random)
      let text = style.format(Date(timeIntervalSince1970: Double(value) / 1000 + 0.0001))
      #expect(instant(text) == value, "\(text)")
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `damaged instants never trap`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let alphabet = Array("0123456789-+:.TtZz ,UC".utf8)
    var read = 0
    for _ in 0..<2000 {
      var bytes = Array("2026-11-20T23:58:12.345+01:00".utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: bytes.indices, using: &random)
        if Bool.random(using: &random) {
          bytes[index] = alphabet[Int.random(in: alphabet.indices, using: &random)]
        } else {
          bytes.removeSubrange(index...)
        }
      }
      guard let value = parseInstant(bytes.span) else { continue }
      #expect(representableInstants.contains(value))
      read += 1
    }
    #expect(read > 10, "only \(read) of 2000 damaged texts are still valid instants")
  }
}

@Suite struct InstantCacheTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a cache gives the same results as parsing`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var cache = InstantCache()
    let days = [
      "2026-11-20", "2024-02-29", "2023-02-29", "1234567890", "0000000000", "1969-12-31", "9999-12-31",
    ]
    let times = ["T23:58:12Z", "T00:00:00Z", "T23:59:60Z", "T24:00:00Z", "T12:60:00Z", "t23:58:12Z", ""]
    var found = 0
    for _ in 0..<2000 {
      let text = (days.randomElement(using: &random) ?? "") + (times.randomElement(using: &random) ?? "")
      var bytes = Array(text.utf8)
      // One byte is replaced. The new bytes include characters close to digits, and digits that
      // cause carries.
      if Bool.random(using: &random), let place = bytes.indices.randomElement(using: &random) {
        let neighbours: [UInt8] = [0, 0x2F, 0x3A, 0x3B, 0x39, 0x7F, 0x80, 0xBA, 0xFF]
        bytes[place] =
          neighbours.randomElement(using: &random).flatMap { Bool.random(using: &random) ? $0 : nil }
          ?? UInt8.random(in: 0...255, using: &random)
      }
      let expected = parseMoment(bytes.span, unit: .seconds)
      #expect(cache.moment(bytes.span, unit: .seconds) == expected, "\(bytes)")
      if expected != nil { found += 1 }
    }
    #expect(found > 100)
    var empty = InstantCache()
    #expect(empty.moment(Array(repeating: UInt8(0), count: 20).span, unit: .seconds) == nil)
  }
}
