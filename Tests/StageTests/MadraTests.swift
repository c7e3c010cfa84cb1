import Foundation
import Testing
import TestSupport

/// Runs Madra agus Cairde on the bundled exports and compares the result with an independent
/// calculation.
@Suite struct MadraTests {
  private static let bundled = Result { try MadraRun() }

  private func lists(_ name: String, of run: MadraRun) throws -> [String: [String]] {
    var lists: [String: [String]] = [:]
    for line in try RankingsFiles(run.rankings, list: name).lines {
      lists[line.user] = line.recommendations.map(\.candidate)
    }
    return lists
  }

  @Test func `minders see the dogs around them, nearest first`() throws {
    let run = try Self.bundled.get()
    let raw = run.raw
    let found = try RankingsFiles(run.rankings, list: "nearby").lines
    #expect(found.map(\.user) == raw.minders.keys.sorted())
    let (decided, friends) = (raw.decidedDogs, raw.friends)
    var listed = 0
    for line in found {
      let minder = try #require(raw.minders[line.user])
      let around = raw.dogs.values.compactMap { dog -> (id: String, kilometers: Double)? in
        guard dog.isAvailable, let from = minder.cell, let to = dog.cell else { return nil }
        let kilometers = PlainGeodesy.kilometers(from, to)
        guard kilometers <= 25, decided[line.user]?.contains(dog.id) != true,
          friends[[line.user, dog.owner]] == nil
        else { return nil }
        return (dog.id, kilometers)
      }
      #expect(line.recommendations.count == min(50, around.count))
      let distances = Dictionary(uniqueKeysWithValues: around.map { ($0.id, $0.kilometers) })
      let expected = around.map(\.kilometers).sorted().prefix(50)
      let shown = line.recommendations.map { distances[$0.candidate] ?? .infinity }
      // Candidates at equal distances may come in any order here. Other tests check the order by
      // the mix of ids.
      for (shown, expected) in zip(shown, expected) { #expect(abs(shown - expected) < 1e-6) }
      listed += shown.count
    }
    #expect(listed > 10_000)
  }

  @Test func `the list by a minder's likes has the same dogs, without decided ones`() throws {
    let run = try Self.bundled.get()
    let raw = run.raw
    let nearby = try lists("nearby", of: run)
    let (decided, friends) = (raw.decidedDogs, raw.friends)
    var (differing, whole) = (0, 0)
    for line in try RankingsFiles(run.rankings, list: "liked").lines {
      let dogs = line.recommendations.map(\.candidate)
      #expect(decided[line.user]?.intersection(dogs).isEmpty ?? true)
      for dog in dogs { #expect(friends[[line.user, raw.dogs[dog]?.owner ?? ""]] == nil) }
      let near = try #require(nearby[line.user])
      if near.count < 50 {
        #expect(Set(near) == Set(dogs))
        whole += 1
      }
      if nearby[line.user] != dogs { differing += 1 }
      let scores = line.recommendations.compactMap(\.score)
      #expect(scores == scores.sorted(by: >))
    }
    #expect(differing > 500 && whole > 0, "\(differing), \(whole)")
  }

  @Test(arguments: [("dogs_by_county", false), ("dogs_by_county_and_size", true)])
  func `every county lists its dogs, the newest first`(name: String, hasSize: Bool) throws {
    let run = try Self.bundled.get()
    var expected: [(key: String, created: String, id: String)] = []
    for dog in run.raw.dogs.values where dog.isAvailable {
      guard let county = dog.county else { continue }
      expected.append((hasSize ? "\(county)/\(dog.size)" : county, dog.created, dog.id))
    }
    expected.sort { ($0.key, $1.created, $0.id) < ($1.key, $0.created, $1.id) }
    var ranks: [String: Int] = [:]
    let rows = expected.map { entry -> [String] in
      ranks[entry.key, default: 0] += 1
      return [entry.key, String(ranks[entry.key] ?? 0), entry.id]
    }
    #expect(try Array(StageTests.rows(ofCSV: "\(run.rankings)/\(name).csv").dropFirst()) == rows)
    #expect(
      Set(expected.map { $0.key.prefix { $0 != "/" } }).count == 32,
      "the exports must contain all counties of Ireland")
    let text = try String(contentsOfFile: "\(run.rankings)/\(name)/part-00000.jsonl", encoding: .utf8)
    let lines = text.split(separator: "\n")
    #expect(lines.count == rows.count)
    for (line, row) in zip(lines, rows) {
      let entry = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(entry["key"] as? String == row[0] && entry["candidate"] as? String == row[2])
      let by = entry.object("by").compactMapValues { $0 as? String }
      #expect((hasSize ? "\(by["county"] ?? "")/\(by["size"] ?? "")" : by["county"]) == row[0])
      #expect(entry.object("shown")["name"] as? String == run.raw.dogs[row[2]]?.name)
    }
  }

  @Test func `an accepted request is a friendship with both ids and its time`() throws {
    let run = try Self.bundled.get()
    let expected = run.raw.friends.map { [$0.key[0], $0.key[1], $0.value] }
      .sorted { $0.lexicographicallyPrecedes($1) }
    let found = try rows(ofCSV: run.rankings + "/friends.csv")
    #expect(found.first == ["user_id", "other_user_id", "matched_at"])
    #expect(Array(found.dropFirst()) == expected)
    #expect(expected.count > 500)
  }

  @Test func `owners see people who wait for an answer, with their age, but no person under 18`() throws {
    let run = try Self.bundled.get()
    let raw = run.raw
    var pending: [String: Set<String>] = [:]
    for request in raw.requests where request.status == "pending" {
      pending[raw.dogs[request.dog]?.owner ?? "", default: []].insert(request.minder)
    }
    let text = try String(
      contentsOfFile: run.rankings + "/pending_requests/part-00000.jsonl", encoding: .utf8)
    var users: [String] = []
    var waiting = 0
    for line in text.split(separator: "\n") {
      let list = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let user = try #require(list["user"] as? String)
      users.append(user)
      let entries = try #require(list["recommendations"] as? [[String: Any]])
      let minders = entries.compactMap { $0["candidate"] as? String }
      #expect(Set(minders) == pending[user] ?? [] && minders.count == Set(minders).count)
      let scores = entries.compactMap { $0["score"] as? Double }
      #expect(scores == scores.sorted(by: >) && scores.count == minders.count)
      for (entry, minder) in zip(entries, minders) {
        let born = try #require(raw.minders[minder]?.born)
        let age = MadraRaw.age(born: born, on: MadraRun.newestSwipe)
        #expect(entry.object("shown")["age"] as? Int == age)
        #expect(age >= 18)
        waiting += 1
      }
    }
    #expect(users == raw.owners.sorted())
    #expect(waiting > 300)
  }

  @Test func `every document is counted`() throws {
    let run = try Self.bundled.get()
    let sources = try json(run.path + "/snapshot/manifest.json").object("counts").object("sources")
    for name in ["owners", "minders"] {
      let counts = sources.object(name)
      let rest = ["kept", "merged", "later"].compactMap(counts.integer).reduce(0, +)
      #expect(counts.integer("read") == rest + counts.byRule.values.reduce(0, +))
      #expect((counts.integer("read") ?? 0) + (counts.integer("left_out") ?? 0) == run.raw.accountCount)
      // The omitted rows are shelters and accounts without a type.
      #expect(counts.integer("left_out_by_all") == 4)
    }
    #expect(sources.object("owners").integer("kept") == run.raw.owners.count)
    #expect(sources.object("minders").integer("kept") == run.raw.minders.count)
    #expect(sources.object("dogs").byRule["unknown_name"] == 4)
    #expect(sources.object("dogs").integer("kept") == run.raw.dogs.count)
    let requests = sources.object("requests")
    #expect(requests.object("not_allowed").integer("under_age") == run.raw.underAge && run.raw.underAge > 50)
    #expect(
      requests.object("not_allowed").integer("age_unknown") == run.raw.ageUnknown && run.raw.ageUnknown > 20)
    #expect(requests.integer("kept") == run.raw.requests.count)
  }

  @Test func `the served data equal the ranked data`() throws {
    let run = try Self.bundled.get()
    func nightjar(_ arguments: String...) throws -> Program.Finished {
      try Program.run("nightjar", arguments + run.options)
    }
    let verified = try nightjar("verify", run.pipeline, "--work", run.work)
    #expect(verified.ending == .status(0) && verified.output.contains("all equal"), "\(verified.errors)")
    let rows = try rows(ofCSV: run.rankings + "/dogs_by_county_and_size.csv").filter { $0[0] == "Cork/large" }
    let shown = try nightjar(
      "show", run.pipeline, "--catalog", "dogs_by_county_and_size", "--key", "Cork/large", "--json")
    #expect(shown.ending == .status(0), "\(shown.errors)")
    let served = try shown.output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(served.map { $0["candidate"] as? String } == rows.map { $0[2] } && rows.count > 3)
    let some = try nightjar(
      "show", run.pipeline, "--catalog", "dogs_by_county", "--key", "Cork", "--top", "2")
    #expect(
      some.output.split(separator: "\n").count == 4 && some.output.hasPrefix("Cork:\n  rank  candidate"))
    let friend = try #require(run.raw.friends.keys.map { $0[1] }.sorted().first)
    let lists = try nightjar("show", run.pipeline, "--user", friend)
    #expect(lists.output.contains("friends: "), "\(lists.output)\(lists.errors)")
    let generations = try nightjar("generations", run.pipeline)
    let entries =
      try String(contentsOfFile: run.rankings + "/dogs_by_county.csv", encoding: .utf8)
      .split(separator: "\n").count - 1
    #expect(generations.output.contains("dogs_by_county \(entries)"), "\(generations.output)")
    for (arguments, status) in [
      (["--catalog", "dogs_by_town", "--key", "Cork"], 64),
      (["--catalog", "dogs_by_county", "--key", "Corcaigh"], 66),
      (["--catalog", "dogs_by_county"], 64), (["--key", "Cork"], 64), ([], 64),
      (["--user", "x", "--catalog", "dogs_by_county", "--key", "Cork"], 64),
      (["--directory", "dogs_by_county", "--key", "Cork"], 64),
    ] {
      let ended = try Program.run("nightjar", ["show", run.pipeline] + arguments + run.options)
      #expect(ended.ending == .status(Int32(status)), "\(arguments): \(ended.errors)")
      if arguments.first == "--directory" { #expect(ended.errors.contains("Use --catalog")) }
    }
  }

  @Test func `explain requires a choice of model`() throws {
    let run = try Self.bundled.get()
    let arguments = ["explain", run.pipeline, "--work", run.work] + run.options
    let list = try #require(
      try RankingsFiles(run.rankings, list: "liked").lines.first { !$0.recommendations.isEmpty })
    let minder = list.user
    let which = try Program.run("nightjar", arguments + ["--user", minder])
    #expect(which.ending == .status(64) && which.errors.contains("dogs, minders"), "\(which.errors)")
    let dogs = try Program.run("nightjar", arguments + ["--user", minder, "--model", "dogs"])
    #expect(dogs.ending == .status(0) && dogs.output.contains("age_born"))
    let best = try #require(list.recommendations.first)
    let explained = try Explanation(
      Program.run(
        "nightjar",
        arguments + ["--user", minder, "--model", "dogs", "--candidate", best.candidate, "--json"]))
    let sum = explained.terms.filter { $0.term != "(score)" }.reduce(0) { $0 + ($1.contribution ?? 0) }
    #expect(abs(sum - (best.score ?? .nan)) < 1e-9)
  }

  @Test func `the map shows available dogs`() throws {
    let run = try Self.bundled.get()
    let ended = try Program.run(
      "nightjar",
      ["near", "53.35", "-6.26", run.pipeline, "--radius-km", "1000", "--top", "100000", "--json"]
        + run.options)
    #expect(ended.ending == .status(0), "\(ended.errors)")
    let expected = run.raw.dogs.values.count { $0.isAvailable && $0.cell != nil }
    #expect(ended.output.split(separator: "\n").count == expected)
  }

  @Test func `other threads and other searches give the same bytes`() throws {
    let run = try Self.bundled.get()
    let other = try ScratchDirectory()
    let ended = try Program.run(
      "nightjar",
      ["run", run.pipeline, "--work", other("var"), "--threads", "1", "--until", "rank"] + run.options)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    for stage in ["snapshot", "models", "rankings"] {
      let differences = try DirectoryContents(of: other("var/madra/runs/1/\(stage)")).differences(
        from: DirectoryContents(of: run.path + "/" + stage))
      #expect(differences.isEmpty, "\(stage): \(differences)")
    }
  }
}

/// Erases people with all rows that belong to them.
@Suite struct MadraErasureTests {
  @Test func `erasing an owner removes the dogs from the run, the store, and the next run`() throws {
    let run = try MadraRun()
    let friends = run.raw.friends.keys.map { $0[1] }
    // The owner has a friend, a pending request, and a dog that precedes other dogs in a catalog.
    let waiting = Set(
      run.raw.requests.filter { $0.status == "pending" }.compactMap { run.raw.dogs[$0.dog]?.owner })
    let owner = try #require(friends.sorted().first { waiting.contains($0) })
    let gone = [owner] + run.raw.dogs.values.filter { $0.owner == owner }.map(\.id)
    try #require(gone.count > 1)
    let erased = try Program.run(
      "nightjar",
      ["erase", run.pipeline, "--work", run.work, "--entity", "owners", "--user", owner] + run.options)
    #expect(erased.ending == .status(0), "\(erased.output)\(erased.errors)")
    for id in gone { #expect(!erased.output.contains(id) && !erased.errors.contains(id)) }

    let counties = try rows(ofCSV: run.rankings + "/dogs_by_county.csv").dropFirst()
    #expect(
      counties.count
        == run.raw.dogs.values.count {
          $0.isAvailable && $0.county != nil && $0.owner != owner
        })
    let lines = try String(contentsOfFile: run.rankings + "/dogs_by_county/part-00000.jsonl", encoding: .utf8)
      .split(separator: "\n")
    #expect(lines.count == counties.count)
    for (line, row) in zip(lines, counties) {
      #expect(line.contains("\"rank\":\(row[1]),\"candidate\":\"\(row[2])\""))
    }
    try expectNobody(gone, in: run.path)
    let verified = try Program.run("nightjar", ["verify", run.pipeline, "--work", run.work] + run.options)
    #expect(verified.ending == .status(0), "\(verified.output)\(verified.errors)")

    let next = try Program.run(
      "nightjar",
      ["run", run.pipeline, "--work", run.work] + run.options)
    #expect(next.ending == .status(0), "\(next.errors)")
    try expectNobody(gone, in: run.work + "/madra/runs/2")
    let counts = try json(run.work + "/madra/runs/2/snapshot/manifest.json").object("counts").object(
      "sources")
    #expect(counts.object("owners").integer("erased") == 1)
    // Some of the planted invalid rows belong to these people too.
    #expect((counts.object("dogs").integer("erased") ?? 0) >= gone.count - 1)
  }

  /// Expects that no file contains any of the ids.
  private func expectNobody(_ ids: [String], in directory: String) throws {
    for (name, data) in try DirectoryContents(of: directory).files {
      for id in ids where data.range(of: Data(id.utf8)) != nil { Issue.record("an erased id is in \(name)") }
    }
  }
}
