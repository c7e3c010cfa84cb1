import Foundation
import Testing

/// Reads FixIT's exports without product code and computes its lists by checking every pair.
struct RawFixIt {
  struct Worker {
    var id: String
    var account: String?
    var cell: PlainGeodesy.Cell?
    var category: String?
    var price: Double?
    var radius: Double?
    var isActive: Bool
    var slots: [Range<Int64>]
    /// The sum of the received stars and the number of reviews.
    var stars = 0.0
    var reviews = 0.0
    var jobs = 0.0
  }

  private(set) var customers: [String: PlainGeodesy.Cell?] = [:]
  private(set) var workers: [String: Worker] = [:]
  private(set) var asOf: Int64 = 0
  /// The number of canceled jobs.
  private(set) var cancelled = 0
  /// The number of jobs that break a rule.
  private(set) var rejectedJobs = 0

  init(in directory: String) throws {
    for fields in try Self.documents(directory + "/customers.jsonl") {
      guard Self.instant(fields["createdAt"]) != nil, let cell = Self.cell(fields) else { continue }
      customers[fields["id"] as? String ?? ""] = cell
    }
    for fields in try Self.documents(directory + "/workers.jsonl") {
      let price = fields["pricePerHour"].map { Self.number($0) }
      guard Self.instant(fields["createdAt"]) != nil, let cell = Self.cell(fields), price != .some(nil),
        let slots = Self.slots(fields["freeSlots"])
      else { continue }
      let id = fields["id"] as? String ?? ""
      workers[id] = Worker(
        id: id, account: fields["account"] as? String, cell: cell, category: fields["category"] as? String,
        price: price ?? nil, radius: fields["serviceRadiusKm"].flatMap(Self.number),
        isActive: fields["active"] as? Bool ?? false, slots: slots)
    }
    try readJobs(directory + "/jobs.jsonl")
  }

  private mutating func readJobs(_ path: String) throws {
    var reviews: [(worker: String, at: Int64, stars: Double, isDone: Bool)] = []
    for fields in try Self.documents(path) {
      let status = fields["status"] as? String
      if status == "cancelled" {
        cancelled += 1
        continue
      }
      let stars = status == "no_show" ? 1 : fields["stars"].flatMap(Self.number)
      guard let customer = fields["customer"] as? String, customers[customer] != nil,
        let worker = fields["worker"] as? String, workers[worker] != nil,
        let at = Self.instant(fields["doneAt"]), status == "done" || status == "no_show", let stars,
        (1...5).contains(stars)
      else {
        rejectedJobs += 1
        continue
      }
      reviews.append((worker, at, stars, status == "done"))
    }
    // A time after the machine's clock cannot be the as-of time.
    let limit = Int64(Date().timeIntervalSince1970 * 1000)
    asOf = reviews.map(\.at).filter { $0 <= limit }.max() ?? limit
    for review in reviews where review.at <= asOf {
      workers[review.worker]?.stars += review.stars
      workers[review.worker]?.reviews += 1
      // A finished job counts with any rating.
      if review.isDone { workers[review.worker]?.jobs += 1 }
    }
  }

  /// Returns (sum of stars + 5 x category mean) / (reviews + 5). If the category has no reviews,
  /// the mean of all reviews replaces the category mean.
  func rating(_ worker: Worker) -> Double? {
    func mean(_ some: [Worker]) -> Double? {
      let count = some.reduce(0) { $0 + $1.reviews }
      return count == 0 ? nil : some.reduce(0) { $0 + $1.stars } / count
    }
    let all = Array(workers.values)
    guard let middle = mean(all.filter { $0.category == worker.category }) ?? mean(all) else { return nil }
    return worker.reviews == 0 ? middle : (worker.stars + 5 * middle) / (worker.reviews + 5)
  }

  /// Returns the eligible candidates among `workers` for `customer`, with their distances.
  func eligible(for customer: String, of workers: [Worker]) -> [(worker: Worker, distance: Double)] {
    guard let place = customers[customer] ?? nil else { return [] }
    let end = asOf + 7 * 86_400_000
    return workers.compactMap { worker in
      guard let cell = worker.cell, worker.isActive, worker.account != customer,
        worker.slots.contains(where: { $0.lowerBound < end && $0.upperBound > asOf })
      else { return nil }
      let distance = PlainGeodesy.kilometers(place, cell)
      return distance <= 30 && distance <= worker.radius ?? .infinity ? (worker, distance) : nil
    }
  }

  // MARK: Documents

  /// Returns the fields of each line without their types. The id is the last part of the name.
  private static func documents(_ path: String) throws -> [[String: Any]] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      let document = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let fields = document["fields"] as? [String: [String: Any]] ?? [:]
      var values = fields.compactMapValues { plain($0) }
      values["id"] = (document["name"] as? String)?.split(separator: "/").last.map(String.init)
      return values
    }
  }

  private static func plain(_ typed: [String: Any]) -> Any? {
    guard let (type, value) = typed.first else { return nil }
    switch type {
    case "mapValue":
      let fields = (value as? [String: Any])?["fields"] as? [String: [String: Any]] ?? [:]
      return fields.compactMapValues { plain($0) }
    case "arrayValue":
      return ((value as? [String: Any])?["values"] as? [[String: Any]] ?? []).compactMap { plain($0) }
    case "integerValue": return (value as? String).flatMap { Double($0) }
    default: return value
    }
  }

  private static func number(_ value: Any) -> Double? { value as? Double }

  /// Returns the cell of a position, `.some(nil)` if the position is missing, or `nil` if it is invalid.
  private static func cell(_ fields: [String: Any]) -> PlainGeodesy.Cell?? {
    guard let location = fields["location"] as? [String: Any] else { return .some(nil) }
    guard let latitude = location["latitude"] as? Double, let longitude = location["longitude"] as? Double,
      abs(latitude) <= 90, abs(longitude) <= 180
    else { return nil }
    return PlainGeodesy.cell(latitude: latitude, longitude: longitude, precision: 7)
  }

  private static func slots(_ value: Any?) -> [Range<Int64>]? {
    guard let value else { return [] }
    guard let maps = value as? [[String: Any]] else { return nil }
    var slots: [Range<Int64>] = []
    for map in maps {
      guard let from = instant(map["from"]), let to = instant(map["to"]), from < to else { return nil }
      slots.append(from..<to)
    }
    return slots
  }

  private static func instant(_ value: Any?) -> Int64? {
    guard let text = value as? String else { return nil }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
    // Foundation's result for an invalid date such as 31 November is unspecified, so such dates are rejected
    // here.
    guard let date = try? style.parse(text), style.format(date).prefix(10) == text.prefix(10) else {
      return nil
    }
    return Int64((date.timeIntervalSince1970 * 1000).rounded())
  }
}
