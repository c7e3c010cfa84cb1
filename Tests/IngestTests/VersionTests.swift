import Columns
import Concurrency
import Files
import IngestFixture
import PipelineFile
import RunSchemas
import Testing
import TestSupport
import Text

@testable import Ingest

/// Returns CSV rows for one person with the given pairs of `updated` and `bio`. An empty text is a
/// missing value.
private func rows(_ versions: [(String, String)], id: String = "a") -> String {
  versions.map { "\(id),,\($0.0),,,,,,\($0.1)\n" }.joined()
}

@Suite struct EarlierVersionTests {
  @Test func `merged rows become earlier versions, in order, with separate words`() throws {
    let night = try Night(
      people: """
        b,1,30,3,3,law,3,,third
        a,1,20,9,9,arts,9,true,only
        b,2,10,1,1,zoo,1,true,first
        b,1,20,,,,,,second
        b,1,x,5,5,bad,5,,rejected

        """, asOf: Instant(milliseconds: 100))
    let people = try #require(try night.snapshot().entities["people"])
    #expect(night.accounts("people") == [5, 2, 1, 2, 0])
    #expect(night.counts("people")?["updated_later"] == 0)
    #expect(people.updated?.elements == [20, 30])
    #expect(people.created?.elements == [1, 1])
    #expect(people.texts["bio"]?.strings == ["only", "third"])
    #expect(people.categories["field"]?.vocabulary.strings == ["arts", "law"])
    let earlier = try #require(people.earlier)
    #expect(earlier.row.elements == [1, 1])
    #expect(earlier.updated.elements == [10, 20])
    #expect(earlier.created?.elements == [2, 1])
    #expect(earlier.latitude.map { $0.elements.map(\.isNaN) } == [false, true])
    #expect(earlier.longitude.map { $0.elements.map(\.isNaN) } == [false, true])
    #expect(earlier.attributes.texts["bio"]?.strings == ["first", "second"])
    #expect(earlier.attributes.categories["field"]?.vocabulary.strings == ["zoo"])
    #expect(earlier.attributes.categories["field"]?.codes.elements == [0, CategoryColumn.missing])
    #expect(earlier.attributes.numbers["age"].map { $0.elements.map(\.isNaN) } == [false, true])
    #expect(earlier.attributes.flags["gone"]?.elements == [1, 0])
  }

  @Test func `a version that was never in force is not an earlier version`() throws {
    // If several rows have the same time, the last row counts, even if its values are missing.
    let night = try Night(
      people: rows([
        ("", "w"), ("10", "x"), ("", "missing"), ("30", "lost"), ("10", "ten"), ("30", "thirty"),
      ]), asOf: Instant(milliseconds: 100))
    let people = try #require(try night.snapshot().entities["people"])
    #expect(people.texts["bio"]?.strings == ["thirty"])
    #expect(people.earlier?.attributes.texts["bio"]?.strings == ["missing", "ten"])
    #expect(people.earlier?.updated.elements == [.min, 10])
    #expect(night.accounts("people") == [6, 1, 0, 5, 0])
    #expect(try night.rejects().map { $0[2] } == ["2", "3", "4", "5", "6"])
    #expect(people.version(of: 0, at: 9) == .earlier(0))
    #expect(people.version(of: 0, at: 10) == .earlier(1))
    #expect(people.version(of: 0, at: 29) == .earlier(1))
    #expect(people.version(of: 0, at: 30) == .current)
  }

  @Test func `without merged rows or times of change there are no earlier versions`() throws {
    let single = try Night(people: rows([("10", "x")]) + rows([("20", "y")], id: "b"))
    let equal = try Night(people: rows([("10", "x"), ("10", "y")]))
    let untimed = try Night(
      Night.yaml().replacing("    updated: updated\n", with: ""),
      ["people.csv": Night.peopleHeader + rows([("10", "x"), ("5", "y")]), "likes.csv": Night.likesHeader])
    for night in [single, equal, untimed] {
      #expect(try night.snapshot().entities["people"]?.earlier == nil)
      #expect(!night.scratch.files.contains { $0.contains("earlier") })
    }
    let people = try #require(try untimed.snapshot().entities["people"])
    #expect(people.updated == nil)
    #expect(people.texts["bio"]?.strings == ["y"])
    #expect(untimed.counts("people")?["updated_later"] == nil)
    #expect(people.version(of: 0, at: .min) == .current)
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `the current columns equal an ingest without older versions`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let words = ["arts", "law", "zoo", ""]
    var lines: [(id: Int, updated: Int, line: String)] = []
    for updated in 0..<30 {
      let id = Int.random(in: 0..<6, using: &random)
      let word = words.randomElement(using: &random) ?? ""
      lines.append((id, updated, "p\(id),,\(updated),\(id),\(id),\(word),\(updated),,bio \(word)\n"))
    }
    lines.shuffle(using: &random)
    let newest = lines.filter { line in lines.allSatisfy { $0.id != line.id || $0.updated <= line.updated } }
    let all = try Night(people: lines.map(\.line).joined())
    let few = try Night(people: newest.map(\.line).joined())
    #expect(try all.columns("run") == few.columns("run"))
    #expect(try all.snapshot().entities["people"]?.earlier?.count == lines.count - newest.count)
  }

  @Test func `columns that do not fit together are rejected`() throws {
    let night = try Night(people: rows([("10", "x"), ("20", "y"), ("30", "z")]))
    let schema = try #require(night.pipeline.entity("people")?.schema)
    let directory = night.scratch("run/snapshot/entities/people/earlier")
    #expect(try EntityVersions(directory, schema, of: 1).count == 2)
    #expect(throws: FileError.self) { _ = try EntityVersions(directory, schema, of: 0) }
    try night.scratch.write(
      night.scratch.bytes("run/snapshot/entities/people/updated.npy"),
      to: "run/snapshot/entities/people/earlier/updated.npy")
    #expect(throws: FileError.self) { _ = try night.snapshot() }
  }
}

@Suite struct VersionInForceTests {
  @Test func `as of an earlier time, an older version is in force and newer ones are later`() throws {
    let people = rows([("10", "x"), ("60", "z"), ("30", "y"), ("70", "w")])
    let night = try Night(people: people, asOf: Instant(milliseconds: 50))
    let table = try #require(try night.snapshot().entities["people"])
    #expect(table.texts["bio"]?.strings == ["y"])
    #expect(table.updated?.elements == [30])
    #expect(table.earlier?.attributes.texts["bio"]?.strings == ["x"])
    #expect(night.accounts("people") == [4, 1, 0, 1, 2])
    #expect(try night.rejects().map { $0[2] } == ["2"])
    #expect(night.counts("people")?["updated_later"] == 0)
  }

  @Test func `the last of two versions at the as-of time is current`() throws {
    let night = try Night(
      people: rows([("50", "x"), ("51", "z"), ("50", "y"), ("51", "w")]), asOf: Instant(milliseconds: 50))
    #expect(try night.snapshot().entities["people"]?.texts["bio"]?.strings == ["y"])
    #expect(night.accounts("people") == [4, 1, 0, 1, 2])
  }

  @Test func `an entity that has only later versions is kept unchanged and counted`() throws {
    let night = try Night(
      people: rows([("60", "x"), ("70", "y")]) + rows([("40", "z")], id: "b")
        + "c,51,80,,,,,,not yet\n", asOf: Instant(milliseconds: 50))
    let people = try #require(try night.snapshot().entities["people"])
    #expect(people.ids.strings == ["a", "b"])
    #expect(people.texts["bio"]?.strings == ["y", "z"])
    #expect(night.accounts("people") == [4, 2, 0, 1, 1])
    #expect(night.counts("people")?["updated_later"] == 1)
    #expect(people.version(of: 0, at: 50) == .unknown)
    #expect(people.version(of: 0, at: 60) == .earlier(0))
  }

  /// The next run may have an earlier as-of time, so it is compared with rows up to the as-of time only.
  @Test func `a later change is the newest row, but it is not compared with the next run`() throws {
    let people = ["a,10", "b,20", "c,30", "d,40", "e,5000"].map {
      $0.replacing(",", with: ",1,") + ",,,,,,\n"
    }
    let night = try Night(people: people.joined(), asOf: Instant(milliseconds: 1000))
    let newest = try #require(night.counts("people")?["newest"])
    #expect(newest["milliseconds"] == 5000 && newest["milliseconds_of_fourth_user"] == 10)
  }

  @Test func `the newest interaction decides the as-of time`() throws {
    let night = try Night(
      people: rows([("10", "x"), ("60", "z")]) + rows([("", "other")], id: "b"), likes: "a,b,50,yes\n")
    #expect(night.manifest.asOf == Instant(milliseconds: 50))
    #expect(try night.snapshot().entities["people"]?.texts["bio"]?.strings == ["x", "other"])
    #expect(night.accounts("people") == [3, 2, 0, 0, 1])
  }

  @Test func `the version in force decides whether the entity exists`() throws {
    let night = try Night(
      people: "a,40,10,,,,,,x\na,20,60,,,,,,y\n", asOf: Instant(milliseconds: 100))
    let people = try #require(try night.snapshot().entities["people"])
    #expect(people.version(of: 0, at: 30) == .notYet)
    #expect(people.version(of: 0, at: 40) == .earlier(0))
    #expect(people.version(of: 0, at: 60) == .current)
    #expect(people.version(of: 0, at: 9) == .notYet)
    let then = try Night(people: "a,40,10,,,,,,x\na,20,60,,,,,,y\n", asOf: Instant(milliseconds: 30))
    #expect(then.accounts("people") == [2, 0, 0, 0, 2])
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `versions and counts equal a naive implementation`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let versions = (0..<40).map { order in
      (
        id: Int.random(in: 0..<8, using: &random), updated: Int.random(in: 0...9, using: &random),
        order: order
      )
    }
    let people = versions.map {
      "p\($0.id),,\($0.updated == 0 ? "" : "\($0.updated * 10)"),,,,,,\($0.order)\n"
    }
    func time(_ version: (id: Int, updated: Int, order: Int)) -> Int64 {
      version.updated == 0 ? .min : Int64(version.updated * 10)
    }
    let latest = try #require(
      try Night(people: people.joined(), asOf: Instant(milliseconds: 100)).snapshot().entities["people"])
    for asOf in [0, 10, 45, 90] as [Int64] {
      let night = try Night(people: people.joined(), asOf: Instant(milliseconds: asOf))
      let table = try #require(try night.snapshot().entities["people"])
      var (merged, later, unknown) = (0, 0, 0)
      for (row, id) in Set(versions.map(\.id)).sorted().enumerated() {
        let mine = versions.filter { $0.id == id }.sorted { (time($0), $0.order) < (time($1), $1.order) }
        let known = mine.last { time($0) <= asOf }
        let inForce = try #require(known ?? mine.last)
        #expect(table.texts["bio"]?.string(row) == "\(inForce.order)")
        switch latest.version(of: row, at: asOf) {
        case .current: #expect(latest.texts["bio"]?.string(row) == "\(inForce.order)")
        case .earlier(let index):
          #expect(latest.earlier?.attributes.texts["bio"]?.string(index) == "\(inForce.order)")
          #expect(latest.earlier?.row[index] == UInt32(row))
        case .unknown: #expect(known == nil)
        case .notYet: Issue.record("the rows have no creation time")
        }
        let lost = known == nil ? 0 : mine.count { time($0) > asOf }
        later += lost
        merged += mine.count - 1 - lost
        unknown += known == nil ? 1 : 0
      }
      #expect(night.accounts("people") == [40, table.count, 0, merged, later])
      #expect(try night.rejects().count == merged)
      #expect(night.counts("people")?["updated_later"]?.integerValue == unknown)
    }
  }
}
