import Concurrency
import Foundation
import PipelineFile

/// Random exports with rows of every kind: people, their notes, replies to notes, visits and likes.
/// `CANARY` occurs in each id and text that belongs to a victim, and nowhere else.
struct OwnedWorld {
  static let victims = ["CANARY1", "CANARY with a long id 2"]
  static let sources = ["people", "notes", "replies", "visits", "likes", "claps"]
  private static let headers = [
    "people": "id,created,name", "notes": "id,created,by,text", "replies": "id,to,text",
    "visits": "id,who,at,lat,lon,place", "likes": "a,b,t,v", "claps": "a,b,t,v",
  ]

  private(set) var rows: [String: [[String]]] = [:]

  /// - Parameters:
  ///   - seed: The seed of the random generator.
  ///   - isPlain: Whether a run shows all rows that belong to a victim. If true, all rows of victims and of
  ///     their notes are valid, and no note has two owners.
  init(seed: UInt64, isPlain: Bool) {
    var random = SplitMix64(seed: seed)
    func pick(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
    func own(_ text: String, _ id: String) -> String { id.hasPrefix("CANARY") ? "CANARY \(text)" : text }
    let people = (0..<8).map { "p\($0)" } + ["a person with a long id", "é", "e\u{301}"] + Self.victims
    let moved = isPlain ? [] : (0..<4).map { "moved \($0)" }
    // Some notes belong to a stranger, who has no row in `people`, and some notes have no owner.
    let owners = (0..<40).map { number in
      (people + ["stranger", ""])[number % (people.count + 2)]
    }
    let notes = owners.enumerated().map { number, owner in own("note \(number)", owner) }
    let answered = (0..<60).map { number in (notes + ["no note", ""])[number * 5 % 42] }
    let replies = answered.enumerated().map { number, note in own("reply \(number)", note) }
    func time(of id: String) -> String {
      pick(isPlain && id.hasPrefix("CANARY") ? ["10"] : ["", "10", "20", "90", "x"])
    }
    func name(of id: String) -> String {
      isPlain ? own("name", id) : pick([own("name", id), own("name", id), ""])
    }
    // These rows are always valid, because notes that change owners belong to these people.
    rows["people"] = (isPlain ? people : ["p0"]).map { [$0, "1", own("name", $0)] }
    if isPlain { rows["notes"] = zip(notes, owners).map { [$0, "10", $1, own("text", $1)] } }
    for _ in 0..<60 {
      let id = pick(people + [""])
      rows["people", default: []].append([id, time(of: id), name(of: id)])
    }
    for number in 0..<150 {
      let note = Int.random(in: 0..<notes.count, using: &random)
      let id = pick([notes[note], notes[note], notes[note], ""])
      rows["notes", default: []].append([
        id, time(of: owners[note]), owners[note], own("text \(number)", owners[note]),
      ])
      if let id = moved.randomElement(using: &random) {
        let owner = pick(["p0", Self.victims[0]])
        rows["notes", default: []].append([id, "10", owner, own("text \(number)", owner)])
      }
      let reply = Int.random(in: 0..<replies.count, using: &random)
      rows["replies", default: []].append([
        pick([replies[reply], replies[reply], ""]), answered[reply], own("text", answered[reply]),
      ])
    }
    for id in moved { rows["notes", default: []].append([id, "10", "p0", "text"]) }
    for number in 0..<200 {
      let who = pick(people + ["nobody", ""])
      rows["visits", default: []].append([
        pick([own("visit \(number)", who), ""]), who, pick(["1", "20", "40", "99", "x"]),
        pick(["1", "2", "91"]),
        "7", pick([own("place \(number)", who), own("place \(number)", who), ""]),
      ])
      for (name, things) in [("likes", notes + moved), ("claps", replies)] {
        rows[name, default: []].append([
          pick(people + ["nobody", ""]), pick(things + ["nothing", ""]), pick(["1", "20", "50", "99", "x"]),
          pick(["yes", "no", "?"]),
        ])
      }
    }
  }

  /// These exports without the victims' rows and without everything that belongs to the victims.
  var withoutVictims: OwnedWorld {
    func isVictim(_ id: String) -> Bool { Self.victims.contains(id) }
    // Returns ids that occur only in the victims' rows.
    func gone(_ name: String, where isTheirs: ([String]) -> Bool) -> Set<String> {
      let rows = rows[name] ?? []
      return Set(rows.filter(isTheirs).map { $0[0] }).subtracting(
        [""] + rows.filter { !isTheirs($0) }.map { $0[0] })
    }
    let notes = gone("notes") { isVictim($0[2]) }
    let replies = gone("replies") { notes.contains($0[1]) }
    var world = self
    world.rows["people"]?.removeAll { isVictim($0[0]) }
    world.rows["notes"]?.removeAll { isVictim($0[2]) }
    world.rows["replies"]?.removeAll { notes.contains($0[1]) }
    world.rows["visits"]?.removeAll { isVictim($0[1]) }
    world.rows["likes"]?.removeAll { isVictim($0[0]) || notes.contains($0[1]) }
    world.rows["claps"]?.removeAll { isVictim($0[0]) || replies.contains($0[1]) }
    return world
  }

  var files: [String: String] {
    Dictionary(
      uniqueKeysWithValues: Self.sources.map { name in
        let lines = [Self.headers[name] ?? ""] + (rows[name] ?? []).map { $0.joined(separator: ",") }
        return (name + ".csv", lines.joined(separator: "\n") + "\n")
      })
  }

  /// Replies may have no owner. A reply whose note has no owner is therefore kept.
  static let yaml = """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    dangling_limit: 1
    privacy: { snap_positions_to: 12 }
    entities:
      people:
        source: { path: people.csv }
        id: id
        created: created
        attributes: { name: { type: text, required: true } }
      notes:
        source: { path: notes.csv }
        id: id
        created: created
        owner: { from: by, entity: people }
        attributes: { text: { type: category } }
      replies:
        source: { path: replies.csv }
        id: id
        owner: { from: to, entity: notes, optional: true }
        attributes: { text: { type: text } }
    check_ins:
      visits:
        source: { path: visits.csv }
        id: id
        user: { from: who, entity: people }
        at: at
        position: { latitude: lat, longitude: lon }
        attributes: { place: { type: text, required: true } }
    interactions:
      likes:
        source: { path: likes.csv }
        user: { from: a, entity: people }
        candidate: { from: b, entity: notes }
        at: t
        value: { from: v, map: { "yes": 1, "no": -1 } }
      claps:
        source: { path: claps.csv }
        user: { from: a, entity: people }
        candidate: { from: b, entity: replies }
        at: t
        value: { from: v, map: { "yes": 1, "no": -1 } }
    """
}
