import Foundation
import Glibc
import Testing

/// Reads Fusion's exports without product code, with JSONSerialization and by splitting lines at
/// commas.
///
/// Only the compared values are read. The code relies on the form in which Fusion writes its
/// exports.
struct RawExports {
  struct Person {
    var id: String
    var businessField: String?
    var role: String?
    /// The exported position, or `nil` if it is missing.
    var position: (latitude: Double, longitude: Double)?
    var isDeleted: Bool
    var createdAt: Int64
    var updatedAt: Int64
    var element: Int
  }

  struct Swipe {
    var user: String
    var candidate: String
    var at: Int64
    var isLike: Bool
    var line: Int
  }

  struct Reject: Hashable, Comparable {
    var number: Int
    var rule: String

    static func < (left: Reject, right: Reject) -> Bool {
      (left.number, left.rule) < (right.number, right.rule)
    }
  }

  /// One row per id: the newest row up to the as-of time. If all rows are later, it is the newest row.
  private(set) var people: [String: Person] = [:]
  private(set) var swipes: [Swipe] = []
  /// The rejected elements of `users.json`, including merged duplicates.
  private(set) var rejectedPeople: [Reject] = []
  /// The rejected lines of `swipes.csv`.
  private(set) var rejectedSwipes: [Reject] = []
  /// The number of documents that are newer than the kept document with the same id.
  private(set) var laterDocuments = 0
  private(set) var documentCount = 0
  private(set) var rowCount = 0

  /// Reads `users.json` and `swipes.csv` in `directory` as of a time.
  init(in directory: String, asOf: Int64) throws {
    try readPeople(directory + "/users.json", asOf: asOf)
    try readSwipes(directory + "/swipes.csv")
  }

  // MARK: People

  private mutating func readPeople(_ path: String, asOf: Int64) throws {
    let data = try Data(contentsOf: URL(filePath: path))
    let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let documents = try #require(root["documents"] as? [[String: Any]])
    documentCount = documents.count
    var versions: [String: [Person]] = [:]
    for (index, document) in documents.enumerated() {
      let element = index + 1
      do {
        let person = try Self.person(document, element)
        versions[person.id, default: []].append(person)
      } catch let broken as Broken {
        rejectedPeople.append(Reject(number: element, rule: broken.rule))
      }
    }
    for versions in versions.values { settle(versions, asOf: asOf) }
    rejectedPeople.sort()
  }

  private struct Broken: Error {
    var rule: String
  }

  /// Selects one of the documents with the same id. If two are equally new, the later one in the
  /// file counts.
  private mutating func settle(_ versions: [Person], asOf: Int64) {
    let known = versions.filter { $0.updatedAt <= asOf }
    let choice = known.isEmpty ? versions : known
    guard let winner = choice.max(by: { ($0.updatedAt, $0.element) < ($1.updatedAt, $1.element) }) else {
      return
    }
    people[winner.id] = winner
    for loser in versions where loser.element != winner.element {
      if !known.isEmpty && loser.updatedAt > asOf {
        laterDocuments += 1
      } else {
        rejectedPeople.append(Reject(number: loser.element, rule: "duplicate_id"))
      }
    }
  }

  private static func person(_ document: [String: Any], _ element: Int) throws -> Person {
    let name = document["name"] as? String ?? ""
    let fields = document["fields"] as? [String: [String: Any]] ?? [:]
    guard let id = name.split(separator: "/").last, name.last != "/" else { throw Broken(rule: "missing_id") }
    func time(_ field: String) throws -> Int64 {
      let value = fields[field]?["timestampValue"] ?? fields[field]?["stringValue"]
      guard let text = value as? String, let time = milliseconds(text) else { throw Broken(rule: "bad_time") }
      return time
    }
    if let experience = fields["experience"] {
      let text = experience["integerValue"] as? String
      guard text.flatMap(Int.init) != nil || experience["nullValue"] != nil else {
        throw Broken(rule: "bad_number")
      }
    }
    return Person(
      id: String(id), businessField: fields["businessField"]?["stringValue"] as? String,
      role: fields["role"]?["stringValue"] as? String,
      position: try position(fields["location"] ?? [:]),
      isDeleted: fields["deleted"]?["booleanValue"] as? Bool ?? false,
      createdAt: try time("createdAt"), updatedAt: try time("updatedAt"), element: element)
  }

  private static func position(_ value: [String: Any]) throws -> (latitude: Double, longitude: Double)? {
    guard let point = value["geoPointValue"] as? [String: Any] else { return nil }
    guard let latitude = (point["latitude"] as? NSNumber)?.doubleValue, abs(latitude) <= 90 else {
      throw Broken(rule: "bad_latitude")
    }
    guard let longitude = (point["longitude"] as? NSNumber)?.doubleValue, abs(longitude) <= 180 else {
      throw Broken(rule: "bad_longitude")
    }
    return (latitude, longitude)
  }

  // MARK: Swipes

  private mutating func readSwipes(_ path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(separator: "\n")
    try #require(lines.first == "swiper_id,target_id,direction,swiped_at")
    rowCount = lines.count - 1
    for (index, line) in lines.enumerated().dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      if let rule = brokenRule(fields) {
        rejectedSwipes.append(Reject(number: index + 1, rule: rule))
      } else if let at = milliseconds(fields[3]) {
        swipes.append(
          Swipe(
            user: fields[0], candidate: fields[1], at: at, isLike: fields[2] == "right", line: index + 1))
      }
    }
  }

  private func brokenRule(_ fields: [String]) -> String? {
    guard fields.count == 4 else { return "wrong_field_count" }
    if fields[0].isEmpty || fields[1].isEmpty { return "missing_id" }
    if people[fields[0]] == nil { return "unknown_user" }
    if people[fields[1]] == nil { return "unknown_candidate" }
    if fields[0] == fields[1] { return "self_interaction" }
    if milliseconds(fields[3]) == nil { return "bad_time" }
    return ["right", "left"].contains(fields[2]) ? nil : "unknown_value"
  }
}

/// Milliseconds since 1970 of a time such as `2026-11-15T23:41:07.250Z`, computed by the system's
/// calendar.
func milliseconds(_ text: String) -> Int64? {
  let digits = text.split { "-T:.Z".contains($0) }.map(String.init)
  guard text.hasSuffix("Z"), text.count >= 20, (6...7).contains(digits.count) else { return nil }
  let numbers = digits.prefix(6).compactMap { Int32($0) }
  guard numbers.count == 6 else { return nil }
  var time = tm()
  time.tm_year = numbers[0] - 1900
  time.tm_mon = numbers[1] - 1
  time.tm_mday = numbers[2]
  time.tm_hour = numbers[3]
  time.tm_min = numbers[4]
  time.tm_sec = numbers[5]
  let written = time
  let seconds = timegm(&time)
  // `timegm` changes 30 February to a day in March. If the day changed, the date does not exist.
  guard time.tm_mday == written.tm_mday, time.tm_mon == written.tm_mon, time.tm_hour == written.tm_hour else {
    return nil
  }
  let fraction = digits.count == 7 ? (digits[6] + "000").prefix(3) : "000"
  return Int64(fraction).map { Int64(seconds) * 1000 + $0 }
}
