import Foundation
import Synthesis
import TestSupport

/// Parses an export without the code that wrote it: with `JSONSerialization`, by splitting at
/// commas, and with `timegm`.
struct ParsedExport: Sendable {
  struct User: Sendable {
    var id: String
    var businessField: String
    var role: String
    var experience: Int?
    /// The time in seconds since 1970.
    var createdAt: Double
    var updatedAt: Double
    var latitude: Double?
    var longitude: Double?
    var isDeleted: Bool
  }

  struct Swipe: Sendable {
    var swiper: String
    var target: String
    var isLike: Bool
    var at: Double
  }

  var summary: FusionSummary
  var documents = 0
  var documentIDs: Set<String> = []
  var usersBreaking: [String: Int] = [:]
  var rejectedIDs: Set<String> = []
  /// The kept document of each id.
  var users: [String: User] = [:]
  var fullNames: [String] = []
  var rows = 0
  var swipesBreaking: [String: Int] = [:]
  /// Rows that break more than one rule. For such rows, counts would depend on the order of checks.
  var ambiguousRows: [String] = []
  /// The valid swipes in the order of the file.
  var swipes: [Swipe] = []
  /// For each rejected person, the number of rows that contain the person's id as user or
  /// candidate.
  var rowsNamingRejected: [String: Int] = [:]

  /// Writes an export to a temporary directory and parses it.
  init(users: Int, swipes: Int, seed: UInt64) throws {
    let directory = try ScratchDirectory()
    summary = try FusionExport(users: users, swipes: swipes, seed: seed).write(into: directory.path)
    try readUsers(Data(contentsOf: URL(filePath: directory("users.json"))))
    try readSwipes(String(contentsOf: URL(filePath: directory("swipes.csv")), encoding: .utf8))
  }

  /// The export with the default size and seed 42. All tests share it.
  static let standard = Result { try ParsedExport(users: 2000, swipes: 60_000, seed: 42) }

  /// Parses a time in UTC by RFC 3339 with 0, 3 or 6 digits of fraction. The date must exist.
  static func seconds(_ text: String) -> Double? {
    let bytes = Array(text.utf8)
    guard [20, 24, 27].contains(bytes.count), bytes.last == UInt8(ascii: "Z") else { return nil }
    func number(_ range: Range<Int>) -> Int32? {
      let digits = bytes[range]
      guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
      return digits.reduce(0) { $0 * 10 + Int32($1 - 48) }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      [4, 7].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }), bytes[10] == UInt8(ascii: "T"),
      [13, 16].allSatisfy({ bytes[$0] == UInt8(ascii: ":") })
    else { return nil }
    var time = tm()
    time.tm_year = year - 1900
    time.tm_mon = month - 1
    time.tm_mday = day
    time.tm_hour = hour
    time.tm_min = minute
    time.tm_sec = second
    let whole = timegm(&time)
    // If `timegm` changed the time, the date was invalid.
    guard time.tm_mon == month - 1, time.tm_mday == day, time.tm_hour == hour, time.tm_min == minute else {
      return nil
    }
    if bytes.count == 20 { return Double(whole) }
    guard bytes[19] == UInt8(ascii: "."), let fraction = number(20..<bytes.count - 1) else { return nil }
    return Double(whole) + Double(fraction) / (bytes.count == 24 ? 1e3 : 1e6)
  }

  private mutating func readUsers(_ data: Data) throws {
    let root = try present(JSONSerialization.jsonObject(with: data) as? [String: Any])
    for document in try present(root["documents"] as? [[String: Any]]) {
      documents += 1
      let name = try present(document["name"] as? String)
      let id = try present(name.split(separator: "/").last.map(String.init))
      documentIDs.insert(id)
      let fields = try present(document["fields"] as? [String: [String: Any]])
      fullNames.append(try present(fields["fullName"]?["stringValue"] as? String))
      var broken: [String] = []

      let point = fields["location"]?["geoPointValue"] as? [String: Any]
      let latitude = point?["latitude"] as? Double
      let longitude = point?["longitude"] as? Double
      if point != nil, !(latitude.map { (-90...90).contains($0) } ?? false) { broken.append("bad_latitude") }
      if point != nil, !(longitude.map { (-180...180).contains($0) } ?? false) {
        broken.append("bad_longitude")
      }
      let experience = (fields["experience"]?["integerValue"] as? String).flatMap { Int($0) }
      if fields["experience"] != nil, experience == nil { broken.append("bad_number") }
      let createdAt = (fields["createdAt"]?["timestampValue"] as? String).flatMap(Self.seconds)
      let updatedAt = (fields["updatedAt"]?["timestampValue"] as? String).flatMap(Self.seconds)
      if createdAt == nil || updatedAt == nil { broken.append("bad_time") }
      if broken.count > 1 { ambiguousRows.append(id) }
      guard broken.isEmpty, let createdAt, let updatedAt else {
        for rule in broken { usersBreaking[rule, default: 0] += 1 }
        rejectedIDs.insert(id)
        continue
      }
      let user = User(
        id: id, businessField: try present(fields["businessField"]?["stringValue"] as? String),
        role: try present(fields["role"]?["stringValue"] as? String), experience: experience,
        createdAt: createdAt, updatedAt: updatedAt, latitude: latitude, longitude: longitude,
        isDeleted: try present(fields["deleted"]?["booleanValue"] as? Bool))
      if let other = users[id] {
        usersBreaking["duplicate_id", default: 0] += 1
        if other.updatedAt > user.updatedAt { continue }
      }
      users[id] = user
    }
  }

  private mutating func readSwipes(_ text: String) throws {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.removeFirst() == "swiper_id,target_id,direction,swiped_at", lines.removeLast() == "" else {
      throw ParseError(what: "header or last line feed")
    }
    for line in lines {
      rows += 1
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4 else {
        swipesBreaking["wrong_field_count", default: 0] += 1
        continue
      }
      for id in fields[0...1] where rejectedIDs.contains(id) { rowsNamingRejected[id, default: 0] += 1 }
      var broken: [String] = []
      if fields[0].isEmpty { broken.append("missing_id") }
      if fields[1].isEmpty { broken.append("missing_id") }
      if fields[2] != "right" && fields[2] != "left" { broken.append("unknown_value") }
      let at = Self.seconds(fields[3])
      if at == nil { broken.append("bad_time") }
      if fields[0] == fields[1] { broken.append("self_interaction") }
      if !fields[0].isEmpty, users[fields[0]] == nil { broken.append("unknown_user") }
      if !fields[1].isEmpty, users[fields[1]] == nil { broken.append("unknown_candidate") }
      if broken.count > 1 { ambiguousRows.append(String(line)) }
      for rule in broken { swipesBreaking[rule, default: 0] += 1 }
      guard broken.isEmpty, let at else { continue }
      swipes.append(Swipe(swiper: fields[0], target: fields[1], isLike: fields[2] == "right", at: at))
    }
  }
}

struct ParseError: Error {
  var what: String
}

/// Returns the value, or throws an error with the line of the call.
private func present<Value>(_ value: Value?, line: Int = #line) throws -> Value {
  guard let value else { throw ParseError(what: "a value is missing (line \(line))") }
  return value
}
