import Foundation
import Synthesis
import TestSupport

/// Reads a crowd's CSV files by splitting lines.
struct ParsedCrowd: Sendable {
  struct User: Sendable {
    var latitude: Double
    var longitude: Double
    var field: String
    var rating: Double
    var age: Int
    /// The time in seconds since 1970.
    var updated: Double
  }

  struct Swipe: Sendable {
    var swiper: String
    var target: String
    var isLike: Bool
    var at: Double
  }

  var summary: CrowdSummary
  var ids: [String] = []
  var users: [String: User] = [:]
  var swipes: [Swipe] = []

  init(users count: Int, swipesPerUser: Int, seed: UInt64) throws {
    let directory = try ScratchDirectory()
    summary = try CrowdExport(
      users: count, swipesPerUser: swipesPerUser, seed: seed, format: .csv, compression: nil
    ).write(into: directory.path, threads: 2)
    let rows = try lines(of: "users.csv", in: directory, header: Self.userHeader)
    for row in rows {
      guard row.count == 7, let latitude = Double(row[1]), let longitude = Double(row[2]),
        let rating = Double(row[4]), let age = Int(row[5]), let updated = ParsedExport.seconds(row[6])
      else { throw Mistake(row: row) }
      ids.append(row[0])
      users[row[0]] = User(
        latitude: latitude, longitude: longitude, field: row[3], rating: rating, age: age, updated: updated)
    }
    for row in try lines(of: "swipes.csv", in: directory, header: "swiper_id,target_id,liked,swiped_at") {
      guard row.count == 4, row[2] == "1" || row[2] == "0", let at = ParsedExport.seconds(row[3]) else {
        throw Mistake(row: row)
      }
      swipes.append(Swipe(swiper: row[0], target: row[1], isLike: row[2] == "1", at: at))
    }
  }

  /// A crowd for all tests that check its properties. It is generated once.
  static let town = Result { try ParsedCrowd(users: 4000, swipesPerUser: 25, seed: 7) }

  /// The great-circle distance between two users in kilometers. It is infinite if one of them does
  /// not exist.
  func distance(_ first: String, _ second: String) -> Double {
    guard let first = users[first], let second = users[second] else { return .infinity }
    let radians = Double.pi / 180
    let (a, b) = (first.latitude * radians, second.latitude * radians)
    let half = sin((b - a) / 2)
    let across = sin((second.longitude - first.longitude) * radians / 2)
    return 2 * 6371 * asin((half * half + cos(a) * cos(b) * across * across).squareRoot())
  }

  private struct Mistake: Error { var row: [String] }

  private static let userHeader = "id,latitude,longitude,business_field,rating,age,updated_at"
}

private func lines(of name: String, in directory: ScratchDirectory, header: String) throws -> [[String]] {
  struct NoHeader: Error { var found: String }
  let text = try String(contentsOf: URL(filePath: directory(name)), encoding: .utf8)
  let lines = text.split(separator: "\n")
  guard text.hasSuffix("\n"), lines.first == header[...] else {
    throw NoHeader(found: String(lines.first ?? ""))
  }
  return lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
}
