import Concurrency
import IngestFixture
import Readers
import Testing
import TestSupport
import Text

@testable import Ingest

@Suite struct RejectLogTests {
  private static func rejected(_ rule: IngestRule) -> RowRejected {
    RowRejected(rule: rule, field: "f", value: "v")
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `the first rejects of each rule and file are listed, and all are counted`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var log = RejectLog()
    var all: [(file: Int, number: Int, rule: IngestRule)] = []
    for file in 0..<3 {
      #expect(log.open("f\(file)") == file)
      var numbers = Array(1...6000)
      // Rejects of merged rows arrive out of order. They can belong to an earlier file.
      if seed % 2 == 0 { numbers.shuffle(using: &random) }
      for number in numbers {
        let rule: IngestRule = Int.random(in: 0..<10, using: &random) == 0 ? .missingID : .duplicateID
        let target = file > 0 && number.isMultiple(of: 50) ? file - 1 : file
        let place = target == file ? number : 6000 + number + 10_000 * file
        all.append((target, place, rule))
        log.add(Self.rejected(rule), file: target, number: place, unit: .line)
      }
    }
    for rule in [IngestRule.missingID, .duplicateID] {
      #expect(log.counts[rule] == all.count { $0.rule == rule })
    }
    let expected = (0..<3).flatMap { file in
      [IngestRule.missingID, .duplicateID].flatMap { rule in
        all.filter { $0.file == file && $0.rule == rule }.map(\.number).sorted().prefix(1000)
          .map { (file, $0, rule) }
      }.sorted { $0.1 < $1.1 }
    }
    #expect(log.listed.map(\.file) == expected.map { "f\($0.0)" })
    #expect(log.listed.map(\.reject.number) == expected.map(\.1))
    #expect(log.listed.map(\.reject.rule) == expected.map(\.2))
    #expect(log.countsWritten[.duplicateID] == 3000)
    #expect(log.countsWritten[.missingID] == expected.count { $0.2 == .missingID })
  }

  @Test(arguments: [999, 1000, 1001, 2500])
  func `the manifest counts the listed rejects if some are not listed`(count: Int) throws {
    let broken = String(repeating: ",,,,,,,,\n", count: count)
    let night = try Night(people: "a,,,,,,x,,\n" + broken + "b,,,,,,,,\n")
    #expect(night.accounts("people") == [count + 2, 1, count + 1, 0, 0])
    #expect(night.counts("people")?["rejected"] == ["bad_number": 1, "missing_id": .integer(count)])
    let rejects = try night.rejects()
    #expect(rejects.count == min(count, 1000) + 1)
    #expect(rejects.map { $0[2] } == (2..<rejects.count + 2).map(String.init))
    #expect(
      night.counts("people")?["rejects_written"]
        == (count > 1000 ? ["bad_number": 1, "missing_id": 1000] : nil))
  }
}
