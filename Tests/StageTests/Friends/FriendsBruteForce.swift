import Foundation
import Testing

/// Computes the lists of Finding Friends by brute force from the raw exports.
struct FriendsBruteForce {
  struct Person {
    var name: String
    var cell: PlainGeodesy.Cell?
    var place: String?
    var picture: String?
  }

  struct Post {
    var id: String
    var author: String
    var at: Int64
    var cell: PlainGeodesy.Cell?
    var text: String?
    var picture: String?
  }

  struct Entry {
    var id: String
    var kilometers: Double
  }

  /// The counts of rows by outcome, and of rejects by rule.
  struct Counts: Equatable {
    var read = 0
    var kept = 0
    var merged = 0
    var later = 0
    var rejected: [String: Int] = [:]
  }

  private struct CheckIn {
    var id: String
    var at: Int64
    var cell: PlainGeodesy.Cell
    var place: String
    var picture: String
  }

  private(set) var people: [String: Person] = [:]
  private(set) var posts: [Post] = []
  private(set) var counts: [String: Counts] = [:]
  private(set) var expired = 0
  private static let day: Int64 = 24 * 3600 * 1000

  init(exports: String, asOf: Int64) throws {
    try readUsers(Self.objects(exports + "/users.json"), asOf)
    try readCheckIns(Self.objects(exports + "/check_ins.json"), asOf)
    try readPosts(Self.objects(exports + "/posts.json"), asOf)
  }

  private static func objects(_ path: String) throws -> [[String: Any]] {
    try #require(try json(path)["results"] as? [[String: Any]])
  }

  private static func text(_ value: Any?) -> String? {
    (value as? String).flatMap { $0.isEmpty ? nil : $0 }
  }

  private mutating func readUsers(_ objects: [[String: Any]], _ asOf: Int64) {
    var counts = Counts(read: objects.count)
    for object in objects {
      guard let id = Self.text(object["objectId"]) else {
        counts.rejected["missing_id", default: 0] += 1
        continue
      }
      guard milliseconds(object["createdAt"] as? String ?? "") != nil else {
        counts.rejected["bad_time", default: 0] += 1
        continue
      }
      guard let name = Self.text(object["name"]) else {
        counts.rejected["missing_attribute", default: 0] += 1
        continue
      }
      // No row of the bundled exports is later than the as-of time.
      if people[id] != nil { counts.merged += 1 }
      people[id] = Person(name: name)
    }
    counts.kept = people.count
    self.counts["users"] = counts
  }

  /// Returns the cell of a location, or the rule that it breaks.
  private static func cell(_ object: [String: Any]) -> (cell: PlainGeodesy.Cell?, rule: String?) {
    guard let location = object["location"] as? [String: Any], let latitude = location["latitude"] as? Double,
      let longitude = location["longitude"] as? Double
    else { return (nil, nil) }
    if abs(latitude) > 90 { return (nil, "bad_latitude") }
    if abs(longitude) > 180 { return (nil, "bad_longitude") }
    return (PlainGeodesy.cell(latitude: latitude, longitude: longitude, precision: 7), nil)
  }

  private static func url(_ object: [String: Any]) -> String? {
    text((object["picture"] as? [String: Any])?["url"])
  }

  private mutating func readCheckIns(_ objects: [[String: Any]], _ asOf: Int64) {
    var counts = Counts(read: objects.count)
    var all: [String: [CheckIn]] = [:]
    for object in objects {
      var rule: String?
      let user = Self.text((object["user"] as? [String: Any])?["objectId"])
      let (cell, flaw) = Self.cell(object)
      let at = milliseconds(object["createdAt"] as? String ?? "")
      let (place, picture) = (Self.text(object["place"]), Self.url(object))
      let id = Self.text(object["objectId"])
      if id == nil || user == nil {
        rule = "missing_id"
      } else if people[user ?? ""] == nil {
        rule = "unknown_user"
      } else if at == nil {
        rule = "bad_time"
      } else if flaw != nil {
        rule = flaw
      } else if cell == nil {
        rule = "missing_position"
      } else if place == nil || picture == nil {
        rule = "missing_attribute"
      }
      guard rule == nil, let id, let user, let at, let cell, let place, let picture else {
        counts.rejected[rule ?? "?", default: 0] += 1
        continue
      }
      if at > asOf {
        counts.later += 1
        continue
      }
      all[user, default: []].append(CheckIn(id: id, at: at, cell: cell, place: place, picture: picture))
    }
    for (user, checkIns) in all {
      guard
        let newest = checkIns.max(by: {
          $0.at != $1.at ? $0.at < $1.at : $0.id.utf8.lexicographicallyPrecedes($1.id.utf8)
        })
      else { continue }
      counts.kept += 1
      counts.merged += checkIns.count - 1
      if asOf - newest.at > Self.day {
        expired += 1
      } else {
        people[user]?.cell = newest.cell
        people[user]?.place = newest.place
        people[user]?.picture = newest.picture
      }
    }
    self.counts["check_ins"] = counts
  }

  private mutating func readPosts(_ objects: [[String: Any]], _ asOf: Int64) {
    var counts = Counts(read: objects.count)
    for object in objects {
      let author = Self.text((object["author"] as? [String: Any])?["objectId"])
      let at = milliseconds(object["createdAt"] as? String ?? "")
      let (cell, flaw) = Self.cell(object)
      var rule: String?
      if author == nil {
        rule = "missing_id"
      } else if people[author ?? ""] == nil {
        rule = "unknown_owner"
      } else if at == nil {
        rule = "bad_time"
      } else {
        rule = flaw
      }
      guard rule == nil, let id = Self.text(object["objectId"]), let author, let at else {
        counts.rejected[rule ?? "?", default: 0] += 1
        continue
      }
      if at > asOf {
        counts.later += 1
        continue
      }
      posts.append(
        Post(
          id: id, author: author, at: at, cell: cell, text: Self.text(object["text"]),
          picture: Self.url(object)))
    }
    counts.kept = posts.count
    self.counts["posts"] = counts
  }

  /// The ids of all people in byte order.
  var ids: [String] { people.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// Returns the people within 1.5 km of `user`, nearest first, or `nil` if the user has no
  /// position.
  func nearby(_ user: String, top: Int) -> [Entry]? {
    guard let origin = people[user]?.cell else { return nil }
    let found = people.compactMap { id, person -> Entry? in
      guard id != user, let cell = person.cell else { return nil }
      return Entry(id: id, kilometers: PlainGeodesy.kilometers(origin, cell))
    }.filter { $0.kilometers <= 1.5 }
    return Array(found.sorted { isBefore($0, $1, user) }.prefix(top))
  }

  /// The posts within 50 km of `user`, newest first.
  func posts(_ user: String) -> [Entry]? {
    guard let origin = people[user]?.cell else { return nil }
    let found = posts.compactMap { post -> (at: Int64, entry: Entry)? in
      guard post.author != user, let cell = post.cell else { return nil }
      let entry = Entry(id: post.id, kilometers: PlainGeodesy.kilometers(origin, cell))
      return entry.kilometers <= 50 ? (post.at, entry) : nil
    }
    return found.sorted { $0.at != $1.at ? $0.at > $1.at : isBefore($0.entry, $1.entry, user) }
      .prefix(100).map(\.entry)
  }

  /// Orders by distance, then by the mix of both ids. Distances within a micrometer count as equal,
  /// because sums may round differently.
  private func isBefore(_ left: Entry, _ right: Entry, _ user: String) -> Bool {
    if abs(left.kilometers - right.kilometers) > 1e-9 { return left.kilometers < right.kilometers }
    let mixes = [left, right].map { PlainMix.mix(user: user, candidate: $0.id, seed: 42) }
    return mixes[0] != mixes[1] ? mixes[0] < mixes[1] : left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
  }
}
