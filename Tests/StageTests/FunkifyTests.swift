import Foundation
import Testing
import TestSupport

/// Runs Funkify on the bundled export and compares the result with an independent calculation.
@Suite struct FunkifyTests {
  private static let bundled = Result { try FunkifyRun() }

  /// Compares a list that is ordered by distance with the expected candidates and distances of each
  /// user.
  private func expect(
    _ list: String, top: Int, of run: FunkifyRun,
    is expected: (String, FunkifyRaw.Musician) -> [String: Double]
  ) throws -> Int {
    var listed = 0
    let lines = try RankingsFiles(run.rankings, list: list).lines
    #expect(lines.map(\.user) == run.raw.musicians.keys.sorted())
    for line in lines {
      let around = expected(line.user, try #require(run.raw.musicians[line.user]))
      #expect(line.recommendations.count == min(top, around.count), "\(list)")
      let shown = line.recommendations.map { around[$0.candidate] ?? .infinity }
      // Candidates at equal distances may come in any order here. Other tests check the order by
      // the mix of ids.
      for (shown, expected) in zip(shown, around.values.sorted()) { #expect(abs(shown - expected) < 1e-6) }
      listed += shown.count
    }
    return listed
  }

  private func events(_ raw: FunkifyRaw, for user: String, _ musician: FunkifyRaw.Musician) -> [String:
    Double]
  {
    guard let from = musician.cell else { return [:] }
    return raw.events.compactMapValues { $0.cell.map { PlainGeodesy.kilometers(from, $0) } }.filter {
      id, far in
      guard let event = raw.events[id], far <= musician.limit, !event.isCancelled else { return false }
      return event.over >= FunkifyRaw.asOf && raw.attended[user]?.contains(id) != true
    }
  }

  @Test func `musicians see each other within their radii, nearest first`() throws {
    let run = try Self.bundled.get()
    let listed = try expect("nearby", top: 50, of: run) { user, musician in
      guard let from = musician.cell else { return [:] }
      return run.raw.musicians.compactMapValues { $0.cell.map { PlainGeodesy.kilometers(from, $0) } }
        .filter { $0.key != user && $0.value <= musician.limit }
    }
    #expect(listed > 20_000)
  }

  @Test func `a list has musicians who play all requested genres`() throws {
    let run = try Self.bundled.get()
    let listed = try expect("nearby_by_genre", top: 50, of: run) { user, musician in
      guard let from = musician.cell else { return [:] }
      return run.raw.musicians
        .filter { $0.key != user && musician.wanted.isSubset(of: $0.value.genres) }
        .compactMapValues { $0.cell.map { PlainGeodesy.kilometers(from, $0) } }
        .filter { $0.value <= musician.limit }
    }
    #expect(listed > 5000)
  }

  @Test func `each requested genre has a list of musicians who play it`() throws {
    let run = try Self.bundled.get()
    let text = try String(
      contentsOfFile: run.rankings + "/nearby_per_genre/part-00000.jsonl", encoding: .utf8)
    var (asking, listed): (Set<String>, Int) = ([], 0)
    for line in text.split(separator: "\n") {
      let document = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let user = try #require(document["user"] as? String)
      let musician = try #require(run.raw.musicians[user])
      asking.insert(user)
      let lists = document.object("lists")
      #expect(Set(lists.keys) == musician.wanted)
      for genre in musician.wanted {
        let found = lists.object(genre)["recommendations"] as? [[String: Any]] ?? []
        let around = run.raw.musicians.filter { $0.key != user && $0.value.genres.contains(genre) }
          .compactMapValues { other in
            musician.cell.flatMap { from in other.cell.map { PlainGeodesy.kilometers(from, $0) } }
          }.filter { $0.value <= musician.limit }
        let shown = found.map { ($0["candidate"] as? String).flatMap { around[$0] } ?? .infinity }
        #expect(shown.count == min(20, around.count))
        for (shown, expected) in zip(shown, around.values.sorted()) { #expect(abs(shown - expected) < 1e-6) }
        #expect((lists.object(genre)["shortfall"] is NSNull) == (around.count >= 20))
        listed += shown.count
      }
    }
    #expect(asking == Set(run.raw.musicians.filter { !$0.value.wanted.isEmpty }.keys))
    #expect(listed > 1000)
  }

  @Test func `likes and comments count for the author of a post, with one like per post`() throws {
    let run = try Self.bundled.get()
    let sources = try json(run.path + "/snapshot/manifest.json").object("counts").object("sources")
    #expect(sources.object("likes").integer("kept") == run.raw.likes)
    #expect(sources.object("comments").integer("kept") == run.raw.comments)
    #expect(run.raw.likes > 100 && run.raw.comments > 100)
  }

  @Test func `every genre has its musicians`() throws {
    let run = try Self.bundled.get()
    var expected: Set<[String]> = []
    for (id, musician) in run.raw.musicians { for genre in musician.genres { expected.insert([genre, id]) } }
    let found = try rows(ofCSV: run.rankings + "/musicians_by_genre.csv").dropFirst()
    #expect(Set(found.map { [$0[0], $0[2]] }) == expected && found.count == expected.count)
    #expect(expected.count > 100)
  }

  @Test func `events are upcoming, not canceled and not attended, nearest first`() throws {
    let run = try Self.bundled.get()
    #expect(run.raw.endings > 300)
    let listed = try expect("events_nearby", top: 50, of: run) { events(run.raw, for: $0, $1) }
    #expect(listed > 5000)
  }

  @Test func `the same events are ordered by past attendance, best first`() throws {
    let run = try Self.bundled.get()
    let lines = try RankingsFiles(run.rankings, list: "events_for_you").lines
    #expect(lines.map(\.user) == run.raw.musicians.keys.sorted())
    var (listed, scored) = (0, 0)
    for line in lines {
      let around = events(run.raw, for: line.user, try #require(run.raw.musicians[line.user]))
      #expect(line.recommendations.count == min(50, around.count))
      #expect(line.recommendations.allSatisfy { around[$0.candidate] != nil })
      let scores = line.recommendations.compactMap(\.score)
      #expect(scores == scores.sorted(by: >) && scores.count == line.recommendations.count)
      listed += line.recommendations.count
      scored += Set(scores).count
    }
    #expect(listed > 5000 && scored > 100)
  }

  @Test func `suggestions to follow exclude oneself and followed people, but not unfollowed people`() throws {
    let run = try Self.bundled.get()
    let lines = try RankingsFiles(run.rankings, list: "whom_to_follow").lines
    #expect(lines.map(\.user) == run.raw.musicians.keys.sorted())
    var listed = 0
    for line in lines {
      let musician = try #require(run.raw.musicians[line.user])
      let around = run.raw.musicians.filter { id, other in
        guard let from = musician.cell, let to = other.cell else { return false }
        return id != line.user && run.raw.follows[line.user]?.contains(id) != true
          && PlainGeodesy.kilometers(from, to) <= musician.limit
      }
      #expect(line.recommendations.count == min(20, around.count))
      #expect(line.recommendations.allSatisfy { around[$0.candidate] != nil })
      #expect(Set(line.recommendations.map(\.candidate)).count == line.recommendations.count)
      listed += line.recommendations.count
    }
    #expect(listed > 1000)
  }

  @Test func `the feed has the posts of followed people, the newest first`() throws {
    let run = try Self.bundled.get()
    var listed = 0
    let lines = try RankingsFiles(run.rankings, list: "feed").lines
    #expect(lines.map(\.user) == run.raw.musicians.keys.sorted())
    for line in lines {
      let posts = (run.raw.follows[line.user] ?? []).flatMap { run.raw.posts[$0] ?? [] }
      let times = Dictionary(uniqueKeysWithValues: posts.map { ($0.id, $0.at) })
      let shown = line.recommendations.compactMap { times[$0.candidate] }
      #expect(shown == Array(posts.map(\.at).sorted(by: >).prefix(100)))
      #expect(shown.count == line.recommendations.count)
      listed += shown.count
    }
    #expect(listed > 3000)
  }

  @Test func `fans are current followers, each once`() throws {
    let run = try Self.bundled.get()
    var fans: [String: Int] = [:]
    for other in run.raw.follows.values.joined() { fans[other, default: 0] += 1 }
    let text = try String(contentsOfFile: run.rankings + "/nearby/part-00000.jsonl", encoding: .utf8)
    var seen = 0
    for line in text.split(separator: "\n") {
      let list = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      for entry in try #require(list["recommendations"] as? [[String: Any]]) {
        let candidate = try #require(entry["candidate"] as? String)
        #expect(entry.object("shown")["fans"] as? Int == fans[candidate] ?? 0)
        seen += 1
      }
    }
    #expect(seen > 20_000)
  }

  @Test func `broken rows are reported by rule`() throws {
    let run = try Self.bundled.get()
    let sources = try json(run.path + "/snapshot/manifest.json").object("counts").object("sources")
    let expected = [
      "musicians": ["date_in_future": 3, "bad_latitude": 3], "events": ["date_too_early": 3],
      "follows": ["self_interaction": 3, "unknown_user": 3, "unknown_candidate": 3, "unknown_value": 3],
      "attendances": ["unknown_user": 3, "unknown_candidate": 3, "unknown_value": 3],
    ]
    for (name, rules) in expected { #expect(sources.object(name).byRule == rules) }
    #expect(sources.object("musicians").integer("kept") == run.raw.musicians.count)
  }

  @Test func `one thread gives the same bytes, including sampled pairs`() throws {
    let run = try Self.bundled.get()
    let other = try ScratchDirectory()
    let ended = try Program.run(
      "nightjar",
      ["run", run.pipeline, "--work", other("var"), "--threads", "1", "--until", "rank"] + run.options)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    for stage in ["snapshot", "models", "rankings"] {
      let differences = try DirectoryContents(of: other("var/funkify/runs/1/\(stage)")).differences(
        from: DirectoryContents(of: run.path + "/" + stage))
      #expect(differences.isEmpty, "\(stage): \(differences)")
    }
    let models = try json(run.path + "/models/manifest.json").object("counts").object("by_name")
    #expect((models.object("follows").integer("negatives") ?? 0) > 5000)
  }
}

/// A small pipeline with retracted rows, past events and rejected rows, and invalid settings for it.
@Suite struct TakenBackLikesTests {
  private let scratch: ScratchDirectory

  init() throws {
    scratch = try ScratchDirectory()
    try scratch.write(
      """
      pipeline: tiny
      as_of: newest
      reject_limit: 100 %
      entities:
        people:
          source: { path: people.csv }
          id: id
          created: since
          attributes: { born: { type: date, optional: true, not_in_future: true } }
        gigs:
          source: { path: gigs.csv }
          id: id
          created: since
          owner: { from: by, entity: people }
          attributes: { starts: { type: date, not_before: created } }
      interactions:
        follows:
          source: { path: follows.csv }
          user: { from: by, entity: people }
          candidate: { from: whom, entity: people }
          at: at
          value: { from: what, map: { yes: 1, no: taken_back }, latest: true }
        visits:
          source: { path: visits.csv }
          user: { from: by, entity: people }
          candidate: { from: gig, entity: gigs }
          at: at
          value: { from: what, map: { yes: 1, no: taken_back } }
      computed: { people: { fans: { count_of: follows } } }
      rankings:
        people: { users: people, candidates: people, exclude: [self], order_by: [fans desc], show: [fans] }
        gigs: { users: people, candidates: gigs, not_over: starts, exclude: [interacted], order_by: newest }
        feed: { users: people, candidates: gigs, among: { owner: follows }, order_by: newest }
        followed: { users: people, candidates: people, among: follows, order_by: distance }

      """, to: "tiny.yaml")
    try scratch.write(
      """
      id,since,born
      a,2026-01-01T00:00:00Z,1990-01-01
      b,2026-01-01T00:00:00Z,
      c,2026-01-01T00:00:00Z,2026-06-10T12:00:00Z
      d,2026-01-01T00:00:00Z,2026-06-10T12:00:01Z

      """, to: "people.csv")
    try scratch.write(
      """
      id,since,by,starts
      old,2026-01-01T00:00:00Z,a,2026-06-10T11:59:59Z
      now,2026-02-01T00:00:00Z,a,2026-06-10T12:00:00Z
      wrong,2026-02-01T00:00:01Z,a,2026-02-01T00:00:00Z
      next,2026-03-01T00:00:00Z,b,2026-07-01

      """, to: "gigs.csv")
    try scratch.write(
      """
      by,whom,what,at
      c,a,yes,2026-06-01T00:00:00Z
      c,a,yes,2026-06-02T00:00:00Z
      c,b,yes,2026-06-01T00:00:00Z
      c,b,no,2026-06-03T00:00:00Z
      b,a,no,2026-06-01T00:00:00Z
      b,a,yes,2026-06-02T00:00:00Z
      b,b,yes,2026-06-02T00:00:00Z

      """, to: "follows.csv")
    try scratch.write(
      """
      by,gig,what,at
      a,next,yes,2026-06-09T00:00:00Z
      b,next,yes,2026-06-09T00:00:00Z
      b,next,no,2026-06-10T00:00:00Z

      """, to: "visits.csv")
  }

  private func run(_ arguments: String...) throws -> Program.Finished {
    try Program.run(
      "nightjar",
      ["run", scratch("tiny.yaml"), "--work", scratch("var"), "--as-of", "2026-06-10T12:00:00Z"] + arguments)
  }

  private func lists(_ name: String) throws -> [String: [String]] {
    let lines = try RankingsFiles(scratch("var/tiny/runs/1/rankings"), list: name).lines
    return Dictionary(uniqueKeysWithValues: lines.map { ($0.user, $0.recommendations.map(\.candidate)) })
  }

  @Test func `a retracted action has no effect until it is repeated`() throws {
    let ended = try run()
    try #require(ended.ending == .status(0), "\(ended.errors)")
    #expect(try lists("followed") == ["a": [], "b": ["a"], "c": ["a"]])
    #expect(try lists("feed") == ["a": [], "b": ["now", "old"], "c": ["now", "old"]])
    // Both users follow `a` once.
    let text = try String(
      contentsOfFile: scratch("var/tiny/runs/1/rankings/people/part-00000.jsonl"), encoding: .utf8)
    #expect(
      text.contains(#""candidate":"a","score":null,"distance_km":null,"reasons":[],"shown":{"fans":2"#),
      "\(text)")
    #expect(try lists("people")["c"] == ["a", "b"])
  }

  @Test func `an event is over after its time, and an attended one is excluded`() throws {
    try #require(try run().ending == .status(0))
    #expect(try lists("gigs") == ["a": ["now"], "b": ["next", "now"], "c": ["next", "now"]])
    let sources = try json(scratch("var/tiny/runs/1/snapshot/manifest.json")).object("counts").object(
      "sources")
    #expect(sources.object("people").byRule == ["date_in_future": 1])
    #expect(sources.object("gigs").byRule == ["date_too_early": 1])
    #expect(sources.object("follows").byRule == ["self_interaction": 1])
    #expect(sources.object("follows").integer("kept") == 6)
  }

  @Test(arguments: [
    ("rankings.feed.among.owner=visits", "goes from 'people' to 'gigs'"),
    ("rankings.gigs.not_over=end", "unknown date attribute 'end' of 'gigs'"),
    ("entities.gigs.attributes.starts.not_before=begins", "unknown date attribute 'begins' of 'gigs'"),
    ("entities.people.attributes.born.type=text", "only for dates"),
    ("interactions.visits.value.map.yes=taken_back", "contains only 'taken_back'"),
    ("rankings.followed.among=visits", "must go from 'people' to 'people'"),
  ])
  func `invalid settings are rejected`(set: String, message: String) throws {
    let ended = try run("--set", set)
    #expect(ended.ending == .status(78) && ended.errors.contains(message), "\(ended.errors)")
  }
}
