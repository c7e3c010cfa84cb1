import Files
import IngestFixture
import PipelineFile
import TestSupport
import Testing
import Text

@testable import Ingest

/// The rows of a few accounts cannot exceed `later_limit` or `reject_limit`, in sources of every kind.
@Suite struct FewAccountsTests {
  private static let yaml = """
    pipeline: p
    as_of: clock
    entities:
      people:
        source: { path: people.csv }
        id: id
        created: created
        updated: updated
      posts:
        source: { path: posts.csv }
        id: id
        owner: { from: by, entity: people }
        created: t
        attributes: { day: { type: date, not_in_future: true } }
    check_ins:
      visits:
        source: { path: visits.csv }
        id: id
        user: { from: by, entity: people }
        at: t
        position: { latitude: lat, longitude: lon }
    interactions:
      likes:
        source: { path: likes.csv }
        user: { from: by, entity: people }
        candidate: { from: to, entity: people }
        at: t
        value: { from: v, map: { yes: 1 } }
    requests:
      asks:
        source: { path: asks.csv }
        user: { from: by, entity: people }
        candidate: { from: post, entity: posts }
        at: t
        status: { from: s, map: { open: pending } }
        changed: c
    """

  private static let valid = "2025-12-01"
  private static let later = "2026-06-01"
  private static let implausible = "1950-01-01"

  private enum Source: String, CaseIterable {
    case people, posts, visits, likes, asks

    var header: String {
      switch self {
      case .people: "id,created,updated"
      case .posts: "id,by,t,day"
      case .visits: "id,by,t,lat,lon"
      case .likes: "by,to,t,v"
      case .asks: "by,post,t,s,c"
      }
    }

    /// Returns a row of the account `by`. `number` is different for each row.
    func row(_ number: Int, by: String, at time: String, to: String = "a") -> String {
      switch self {
      case .people: "\(by),,\(time)\n"
      case .posts: "post\(number),\(by),\(time),\n"
      case .visits: "\(number),\(by),\(time),50,8\n"
      case .likes: "\(by),\(to),\(time),yes\n"
      case .asks: "\(by),first,\(time),open,\n"
      }
    }
  }

  /// Returns the exports: each source has 900 valid rows of different people. `more` are further rows.
  private static func files(_ more: [Source: String]) -> [String: String] {
    var files: [String: String] = [:]
    for source in Source.allCases {
      var text = source.header + "\n"
      if source == .people { text += "a,,\(valid)\n" + (0..<1000).map { "u\($0),,\(valid)\n" }.joined() }
      if source == .posts { text += "first,a,\(valid),\n" }
      if source != .people {
        text += (0..<900).map { source.row($0, by: "u\($0)", at: valid) }.joined()
      }
      files[source.rawValue + ".csv"] = text + (more[source] ?? "")
    }
    return files
  }

  private func night(
    _ more: [Source: String], threads: Int = 1, blockSize: Int? = nil
  ) throws -> Manifest {
    let scratch = try ScratchDirectory()
    for (name, text) in Self.files(more) { try scratch.write(text, to: name) }
    return try IngestStage.run(
      Pipeline(yaml: Self.yaml, file: scratch("p.yaml")), in: scratch("run"), asOf: nil, clock: Night.clock,
      threads: threads, blockSize: blockSize, tool: "test")
  }

  /// Returns 40 rows by `writers` accounts.
  private static func rows(_ source: Source, at time: String, writers: Int) -> String {
    (0..<40).map { source.row(2000 + $0, by: "u\($0 % writers)", at: time) }.joined()
  }

  private static let sources = Source.allCases

  @Test(arguments: sources.indices, [1, 3, 40])
  func `later rows of a few accounts do not end a run`(index: Int, writers: Int) throws {
    let source = Self.sources[index]
    let more = [source: Self.rows(source, at: Self.later, writers: writers)]
    guard writers <= 3 else {
      let error = #expect(throws: LaterLimitExceeded.self) { _ = try night(more) }
      #expect(
        error?.description.hasPrefix("\(source.rawValue): 40 of ") == true, "\(error?.description ?? "")")
      return
    }
    let counts = try night(more).counts["sources"]?[source.rawValue]
    #expect(counts?["later"] == 40)
  }

  /// The result does not depend on the number of threads.
  @Test(arguments: sources.indices, [1, 3, 40])
  func `rejected rows of a few accounts do not end a run`(index: Int, writers: Int) throws {
    let source = Self.sources[index]
    let more = [source: Self.rows(source, at: Self.implausible, writers: writers)]
    for (threads, blockSize) in [(1, nil), (8, 700)] as [(Int, Int?)] {
      guard writers <= 3 else {
        let error = #expect(throws: RowLimitExceeded.self) {
          _ = try night(more, threads: threads, blockSize: blockSize)
        }
        #expect(error?.source == source.rawValue && error?.rules == ["implausible_time": 40])
        continue
      }
      let counts = try night(more, threads: threads, blockSize: blockSize).counts["sources"]?[source.rawValue]
      #expect(counts?["rejected"] == ["implausible_time": 40])
    }
  }

  /// The date is checked only when the as-of time is known.
  @Test(arguments: [1, 40]) func `forbidden future dates count for the owner`(writers: Int) throws {
    let posts = (0..<40).map { "new\($0),u\($0 % writers),\(Self.valid),\(Self.later)\n" }.joined()
    if writers == 1 {
      let counts = try night([.posts: posts]).counts["sources"]?["posts"]
      #expect(counts?["rejected"] == ["date_in_future": 40])
    } else {
      #expect(throws: RowLimitExceeded.self) { _ = try night([.posts: posts]) }
    }
  }

  /// All likes of a person are later if the person's creation time is later.
  @Test(arguments: [1, 40]) func `likes of later accounts count for these accounts`(accounts: Int) throws {
    let people = (0..<accounts).map { "late\($0),\(Self.later),\n" }.joined()
    let likes = (0..<40).map {
      Source.likes.row($0, by: "u\($0)", at: Self.valid, to: "late\($0 % accounts)")
    }.joined()
    if accounts == 1 {
      let counts = try night([.people: people, .likes: likes]).counts["sources"]?["likes"]
      #expect(counts?["later"] == 40)
    } else {
      #expect(throws: LaterLimitExceeded.self) { _ = try night([.people: people, .likes: likes]) }
    }
  }
}
