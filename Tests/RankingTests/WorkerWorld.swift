import Concurrency
import Foundation
import Geohash
import StageFixture

/// Random customers and workers. Any value can be missing. There are few different values, so ties
/// are common.
struct WorkerWorld {
  struct Customer {
    var id: String
    var place: (latitude: Double, longitude: Double)?
    var reach: Double?
  }

  struct Worker {
    var id: String
    var owner: Int?
    var place: (latitude: Double, longitude: Double)?
    var trade: String?
    var skills: [String]
    var price: Double?
    var radius: Double?
    var created: Int64?
    var isActive: Bool
    var slots: [Range<Int64>]
  }

  struct Review {
    var customer: Int
    var worker: Int
    var at: Int64
    var stars: Double
  }

  static let asOf: Int64 = 1_700_000_000_000
  static let week: Int64 = 7 * 86_400_000
  static let seed: UInt64 = 7

  private(set) var customers: [Customer] = []
  private(set) var workers: [Worker] = []
  private(set) var reviews: [Review] = []

  init(seed: UInt64, workers count: Int = 90) {
    var random = SplitMix64(seed: seed)
    func chance(_ share: Double) -> Bool { random.nextUnit() < share }
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func place() -> (latitude: Double, longitude: Double)? {
      if chance(0.1) { return nil }
      let longitude = 179.8 + Double(number(0...5)) / 10
      return (52 + Double(number(0...5)) / 10, longitude > 180 ? longitude - 360 : longitude)
    }
    for index in 0..<25 {
      customers.append(
        Customer(
          id: "c\(100 + index)", place: place(),
          reach: chance(0.4) ? nil : [-1, 0, 12, 25, 400, 50_000][number(0...5)]))
    }
    for index in 0..<count {
      let edge = [Self.asOf, Self.asOf + Self.week, Self.asOf - 5, Self.asOf + 5]
      let slots = (0..<number(0...2)).map { _ in
        let begin = edge[number(0...3)] + Int64(number(-2...1)) * 3
        return begin..<begin + Int64(number(1...3)) * 3
      }
      workers.append(
        Worker(
          id: "w\(100 + index)", owner: chance(0.3) ? number(0...24) : nil, place: place(),
          trade: chance(0.1) ? nil : ["car", "electrics", "plumbing \"24/7\""][number(0...2)],
          skills: ["a", "b", "c"].filter { _ in chance(0.4) },
          price: chance(0.15) ? nil : Double(number(2...5)) * 10,
          radius: chance(0.3) ? nil : [-1, 0, 8, 20, 60][number(0...4)],
          created: chance(0.2) ? nil : Int64(number(1...4)), isActive: chance(0.8), slots: slots))
    }
    for _ in 0..<(count == 0 ? 0 : 150) {
      reviews.append(
        Review(
          customer: number(0...24), worker: number(0...count - 1), at: Int64(number(1...1000)),
          stars: Double(number(1...5))))
    }
  }

  static func yaml(_ rankings: String) -> String {
    """
    pipeline: workers
    as_of: newest
    plausible: [1, 9999]
    seed: \(seed)
    privacy: { snap_positions_to: 8 }
    entities:
      customers:
        source: { path: customers.csv }
        id: id
        position: { latitude: lat, longitude: lon }
        attributes: { reach: { type: number } }
      workers:
        source: { path: workers.csv }
        id: id
        created: created
        owner: { from: account, entity: customers, optional: true }
        position: { latitude: lat, longitude: lon }
        attributes:
          trade: { type: category }
          skills: { type: tags }
          price: { type: number }
          radius: { type: number }
          active: { type: flag }
          free: { type: intervals, from: slots }
    interactions:
      reviews:
        source: { path: reviews.csv }
        user: { from: c, entity: customers }
        candidate: { from: w, entity: workers }
        at: t
        value: { from: stars, range: [1, 5], liked_from: 4 }
    computed:
      workers:
        rating: { shrunken_mean_of: reviews, strength: 5, by: trade }
        reviews: { count_of: reviews }
    model:
      learns_from: reviews
      features: [{ number: rating }, { number: reviews }, { number: price }, { category: trade }, distance]
      prior: population
    rankings:
    \(rankings)
    """
  }

  var files: [String: String] {
    func place(_ place: (latitude: Double, longitude: Double)?) -> String {
      place.map { "\($0.latitude),\($0.longitude)" } ?? ","
    }
    func text(_ number: Double?) -> String { number?.description ?? "" }
    func line(_ worker: Worker) -> String {
      let trade = worker.trade.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
      let slots = worker.slots.map { "\($0.lowerBound)/\($0.upperBound)" }
      let fields: [String] = [
        worker.id, worker.owner.map { customers[$0].id } ?? "", place(worker.place), trade ?? "",
        worker.skills.joined(separator: ";"), text(worker.price), text(worker.radius),
        worker.created.map { String($0) } ?? "", worker.isActive ? "true" : "", slots.joined(separator: ";"),
      ]
      return fields.joined(separator: ",") + "\n"
    }
    let lines = [
      customers.map { "\($0.id),\(place($0.place)),\(text($0.reach))\n" }, workers.map(line),
      reviews.map { "\(customers[$0.customer].id),\(workers[$0.worker].id),\($0.at),\($0.stars)\n" },
    ]
    return [
      "customers.csv": "id,lat,lon,reach\n" + lines[0].joined(),
      "workers.csv": "id,account,lat,lon,trade,skills,price,radius,created,active,slots\n"
        + lines[1].joined(),
      "reviews.csv": "c,w,t,stars\n" + lines[2].joined(),
    ]
  }

  /// Each worker's rating, computed by its definition. A rating is `nil` if no worker has a review.
  var ratings: [Double?] {
    func mean(_ reviews: [Review]) -> Double? {
      reviews.isEmpty ? nil : reviews.reduce(0) { $0 + $1.stars } / Double(reviews.count)
    }
    return workers.indices.map { index in
      let own = reviews.filter { $0.worker == index }
      let trade = workers[index].trade
      let group = trade == nil ? [] : reviews.filter { workers[$0.worker].trade == trade }
      guard let middle = mean(group) ?? mean(reviews) else { return nil }
      return (own.reduce(0) { $0 + $1.stars } + 5 * middle) / Double(own.count + 5)
    }
  }

  func reviewCount(_ worker: Int) -> Double { Double(reviews.count { $0.worker == worker }) }
}
