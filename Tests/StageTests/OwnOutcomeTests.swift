import Foundation
import Testing
import TestSupport

/// A feature of other people's outcomes must not reveal the outcome of a learning row. If each
/// candidate has one outcome, the mean of the other rows would reveal it.
struct OwnOutcomeTests {
  private static let yaml = """
    pipeline: stars
    as_of: newest
    plausible: [1970, 2100]
    reject_limit: 100 %
    entities:
      guests: { source: { path: guests.csv }, id: id }
      rooms: { source: { path: rooms.csv }, id: id, attributes: { price: { type: number } } }
    interactions:
      stays:
        source: { path: stays.csv }
        user: { from: guest, entity: guests }
        candidate: { from: room, entity: rooms }
        at: at
        value: { from: stars, range: [1, 5], liked_from: 4 }
    computed:
      rooms: { rating: { shrunken_mean_of: stays, strength: 5 } }
    model:
      learns_from: stays
      features: [FEATURES]
      prior: population
    rankings:
      best: { users: guests, candidates: rooms, order_by: score }
    """

  @Test(arguments: ["{ number: price }, { number: rating }", "{ number: price }, received_like_rate"])
  func `cheap rooms come first because they have the best ratings`(features: String) throws {
    let directory = try ScratchDirectory()
    try directory.write(Self.yaml.replacing("FEATURES", with: features), to: "stars.yaml")
    try directory.write("id\n" + (0..<6).map { "g\($0)\n" }.joined(), to: "guests.csv")
    let rooms = (0..<24).map { (id: "r\(10 + $0)", price: 10 + 2 * $0) }
    try directory.write("id,price\n" + rooms.map { "\($0.id),\($0.price)\n" }.joined(), to: "rooms.csv")
    // Each of the first 18 rooms has one stay.
    let stays = rooms.prefix(18).enumerated().map {
      "g\($0 % 6),\($1.id),\($0 + 1),\($1.price < 28 ? 5 : 1)\n"
    }
    try directory.write("guest,room,at,stars\n" + stays.joined(), to: "stays.csv")
    let ended = try Program.run(
      "nightjar", ["run", directory("stars.yaml"), "--work", directory("var"), "--until", "rank"])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let files = try RankingsFiles(directory("var/stars/runs/1/rankings"), list: "best")
    for line in files.lines {
      let found = line.recommendations.map(\.candidate)
      // Rooms must be ordered by price. Rooms without data may rank higher because of the mean over
      // all rooms.
      #expect(Set(found.prefix(5)).isSubset(of: rooms.prefix(9).map(\.id)), "\(line.user): \(found)")
      #expect(line.recommendations.allSatisfy { ($0.score ?? 0) < 8 })
    }
  }
}
