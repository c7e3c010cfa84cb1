import Concurrency
import IngestFixture
import Readers
import Testing
import TestSupport

@testable import Ingest

/// Reading interactions column by column must give the same result as reading them one by one.
@Suite struct OrdinaryInteractionsTests {
  /// The option `missing` turns the fast path off, because ingest then compares each value with the texts
  /// that mean a missing value.
  private static let oneByOne = "missing: [no such text]"

  private func yaml(_ format: String, _ option: String, _ extra: String) -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [2000, 2100]
    reject_limit: 1
    dangling_limit: 1
    entities:
      people: { source: { path: people.csv }, id: id }
    interactions:
      likes:
        source: { path: likes.\(format), format: \(format) \(option.isEmpty ? "" : ", " + option) }
        user: a
        candidate: b
        at: t
        value: { from: v, map: { "1": 1, "0": -1, "true": 1, view: ignore, some: { from: n } } }
    \(extra)
    """
  }

  /// Ingests the same rows with and without the fast path, and expects equal results.
  private func expectSame(_ people: [String], _ likes: String, format: String, extra: String = "") throws
    -> Night
  {
    let files = ["people.csv": "id\n" + people.map { $0 + "\n" }.joined(), "likes.\(format)": likes]
    let short = try Night(yaml(format, "", extra), files, asOf: Night.clock)
    let long = try Night(yaml(format, Self.oneByOne, extra), files, asOf: Night.clock)
    #expect(short.counts("likes") == long.counts("likes"))
    #expect(try short.rejects() == long.rejects())
    for file in ["candidate", "at", "value", "user.offsets", "by_candidate", "by_candidate.offsets"] {
      let path = "run/snapshot/interactions/likes/\(file).npy"
      #expect(try short.scratch.bytes(path) == long.scratch.bytes(path), "\(file)")
    }
    return short
  }

  @Test(arguments: 0..<24 as Range<UInt64>)
  func `columns and single records give the same interactions`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let isLong = seed % 3 == 0
    let people = (0..<40).map { isLong ? "somebody-with-a-long-id-\($0)" : "u\(10 + $0)" }
    let isJSON = seed % 2 == 0
    let times = [
      "2025-03-01T00:00:01Z", "2025-03-01T23:59:59Z", "2025-07-14 12:00", "1700000000000",
      "2024-02-29T00:00:00.5+01:00",
    ]
    let values = ["1", "0", "true", "view", "some"]
    func pick(_ usual: [String], _ unusual: [String]) -> String {
      (random.nextUnit() < 0.97 ? usual : unusual).randomElement(using: &random) ?? ""
    }
    var text = isJSON ? "" : "a,b,t,v,n\n"
    for _ in 0..<1500 {
      let cells = [
        pick(people, ["nobody", "", "u1"]), pick(people, ["", "nobody with an id that is long"]),
        pick(
          Array(times.prefix(seed % 4 == 0 ? 5 : 2)),
          ["", "yesterday", "2025-02-30T00:00:00Z", "1000", "1999-12-31T23:59:59Z"]),
        pick(Array(values.prefix(seed % 5 == 0 ? 5 : 2)), ["2", "", "maybe so", "view"]),
        pick(["3", "4"], ["", "x"]),
      ]
      guard isJSON else {
        text += cells.joined(separator: ",") + "\n"
        continue
      }
      let isNumber = Bool.random(using: &random) && (cells[3] == "0" || cells[3] == "1")
      var members = zip(["a", "b", "t"], cells).map { "\"\($0)\":\"\($1)\"" }
      members.append("\"v\":" + (isNumber || cells[3] == "true" ? cells[3] : "\"\(cells[3])\""))
      if seed % 5 == 0 || random.nextUnit() < 0.02 {
        members.append("\"n\":\(cells[4].isEmpty ? "null" : "\"\(cells[4])\"")")
      }
      if random.nextUnit() < 0.02 { members.swapAt(0, 2) }
      text += "{" + members.joined(separator: ",") + "}\n"
    }
    let extra = seed % 7 == 0 ? "    expect: { range: { value: [-10, 10] } }" : ""
    let night = try expectSame(people, text, format: isJSON ? "jsonl" : "csv", extra: extra)
    #expect(night.accounts("likes")[1] > 500)
  }

  @Test(arguments: [1, 2, 3, 7, 8, 9])
  func `an id that differs from a known id in a byte or in length is unknown`(length: Int) throws {
    // Ingest finds ids of up to eight bytes by their number.
    let first = length == 1 ? 0 : 10
    let people = (first..<first + 10).map { number in
      let digits = String(number)
      return String(repeating: "0", count: length - digits.count) + digits
    }
    let known = people[3]
    let (head, tail) = (String(known.dropLast()), String(known.dropFirst()))
    let changed: [String] = [head + "a", head + "/", head + ":", "-" + tail]
    let longer: [String] = [known + "0", known + "1", "0" + known, known + known]
    let candidates: [String] = changed + longer + [head, tail, String(repeating: "9", count: length)]
    let others = candidates.filter { !people.contains($0) }
    var text = "a,b,t,v,n\n"
    for other in others {
      text += "\(people[0]),\(other),2025-03-01T00:00:01Z,1,\n\(other),\(people[0]),2025-03-01T00:00:01Z,1,\n"
      text += "\(people[0]),\(known),2025-03-01T00:00:01Z,1,\n"
    }
    let night = try expectSame(people, text, format: "csv")
    #expect(night.accounts("likes")[1] == others.count)
    #expect(night.accounts("likes")[2] == 2 * others.count)
  }

  @Test func `a missing field does not reuse the form of the previous line`() throws {
    let long = String(repeating: "z", count: 200)
    let lines =
      [
        #"{"a":"u1","b":"u2","t":"2025-01-01T00:00:00Z","v":"1"}"#,
        #"{"a":"\#(long)","b":"u2","t":"2025-01-01T00:00:00Z","v":"1"}"#,
      ] + Array(repeating: #"{"a":"u1","b":"u3","t":"2025-01-01T00:00:02Z","w":"1"}"#, count: 12)
    let night = try expectSame(["u1", "u2", "u3"], lines.joined(separator: "\n"), format: "jsonl")
    #expect(night.accounts("likes") == [14, 1, 13, 0, 0])
  }
}
