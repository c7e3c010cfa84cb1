internal import Concurrency

/// The customers and workers of some cities, with traits that the export does not contain.
struct FixItWorld: Sendable {
  /// The fault of a person's document.
  enum Fault: CaseIterable, Sendable {
    case badLatitude, badTime, badPrice, badSlots, endlessSlot, emptySlot

    /// The faults of customers, who have neither a price nor slots.
    static let ofCustomers = [badLatitude, badTime]

    var rule: BrokenRule {
      switch self {
      case .badLatitude: .badLatitude
      case .badTime: .badTime
      case .badPrice: .badNumber
      case .badSlots, .endlessSlot, .emptySlot: .badIntervals
      }
    }
  }

  struct Customer: Sendable {
    var id: String
    var name: String
    var city: Int
    /// The position; `nil` if the document has none.
    var place: Place?
    var createdAt: Int64
    /// The customer's sensitivity to the price: at twice the usual price, a worker gets 2 * `thrift` fewer
    /// stars.
    var thrift: Double
    /// The relative frequency of jobs.
    var activity: Double
    var fault: Fault?
  }

  struct Worker: Sendable {
    var id: String
    var name: String
    /// The id of the worker's account; `nil` if the worker has no account. A worker who is also a customer
    /// has the customer's account.
    var account: String?
    var city: Int
    var place: Place
    var createdAt: Int64
    var trade: Int
    var price: Double?
    var radius: Int?
    var isActive: Bool
    var slots: [Range<Int64>]
    /// The contribution of the worker's quality to the stars of a review.
    var quality: Double
    /// The probability that the worker does not come to a job.
    var noShows: Double
    var fault: Fault?
  }

  let customers: [Customer]
  let workers: [Worker]
  let rhythm: DailyRhythm
  let seed: UInt64
  /// The indices of workers, by city and trade.
  private let offers: [[[Int]]]

  /// The cities where people speak German or Dutch. The number of cities is small, so that most cities have
  /// workers of every trade.
  static let cities = City.europe.filter { $0.names == .german || $0.names == .dutch }

  init(customers count: Int, rhythm: DailyRhythm, seed: UInt64) {
    self.rhythm = rhythm
    self.seed = seed
    let choice = WeightedChoice(Self.cities.map(\.thousands))
    let customers = (0..<count).map { Self.customer($0, choice, rhythm, seed) }
    let workers = (0..<max(2, 2 * count / 5)).map { Self.worker($0, customers, choice, rhythm, seed) }
    var offers = [[[Int]]](
      repeating: Array(repeating: [], count: Trade.all.count), count: Self.cities.count)
    for (index, worker) in workers.enumerated() { offers[worker.city][worker.trade].append(index) }
    (self.customers, self.workers, self.offers) = (customers, workers, offers)
  }

  /// Returns the workers of a trade in a city. If the city has no workers of the trade, the result is all
  /// workers of the city. If the city has no workers, the result is all workers.
  func offers(city: Int, trade: Int) -> [Int] {
    let own = offers[city][trade]
    if !own.isEmpty { return own }
    let others = offers[city].flatMap { $0 }
    return others.isEmpty ? Array(workers.indices) : others
  }

  private static func customer(
    _ index: Int, _ choice: WeightedChoice, _ rhythm: DailyRhythm, _ seed: UInt64
  ) -> Customer {
    var generator = SplitMix64(seed: seed, purpose: .fixItCustomers, index: index)
    let city = choice.next(using: &generator)
    let place = cities[city].home(using: &generator)
    let order = index % 400
    return Customer(
      id: "c" + CivilTime.padded(index, 5), name: cities[city].names.fullName(using: &generator),
      city: city, place: generator.nextBool(probability: 0.02) ? nil : place,
      createdAt: generator.nextInstant(in: rhythm.start - 500 * CivilTime.day..<rhythm.start),
      thrift: 0.8 * generator.nextUnit(), activity: 0.1 + 2 * generator.nextUnit(),
      fault: order == 200 ? Fault.ofCustomers[index / 400 % Fault.ofCustomers.count] : nil)
  }

  private static func worker(
    _ index: Int, _ customers: [Customer], _ choice: WeightedChoice, _ rhythm: DailyRhythm, _ seed: UInt64
  ) -> Worker {
    var generator = SplitMix64(seed: seed, purpose: .fixItWorkers, index: index)
    // Half of the workers are also customers, usually at their own address.
    let own = generator.nextBool(probability: 0.5) ? generator.nextIndex(below: customers.count) : nil
    let city = own.map { customers[$0].city } ?? choice.next(using: &generator)
    let trade = WeightedChoice(Trade.all.map(\.weight)).next(using: &generator)
    let elsewhere = cities[city].home(using: &generator)
    let quality = 0.6 * generator.nextGaussian()
    let price = Trade.all[trade].price * (1 + 0.15 * quality + 0.2 * generator.nextGaussian())
    let form = generator.nextUnit()
    return Worker(
      id: "w" + CivilTime.padded(index, 5), name: cities[city].names.fullName(using: &generator),
      account: own.map { customers[$0].id } ?? (form < 0.5 ? "a" + CivilTime.padded(index, 5) : nil),
      city: city, place: own.flatMap { customers[$0].place } ?? elsewhere,
      createdAt: generator.nextInstant(in: rhythm.start - 500 * CivilTime.day..<rhythm.start), trade: trade,
      price: generator.nextBool(probability: 0.03) ? nil : max(12, (price * 2).rounded() / 2),
      radius: generator.nextBool(probability: 0.1) ? nil : 5 * generator.nextInteger(in: 1...10),
      isActive: generator.nextBool(probability: 0.9), slots: slots(index, rhythm.end, using: &generator),
      quality: quality, noShows: generator.nextBool(probability: 0.1) ? 0.25 : 0.01,
      fault: index % 60 == 30 ? Fault.allCases[index / 60 % Fault.allCases.count] : nil)
  }

  /// Draws some slots around the time of the newest job. A few workers have a single slot at the edge of the
  /// week after that job: the slot ends at or just after the start of the week, or begins at or just before
  /// the end of the week.
  private static func slots(
    _ index: Int, _ newest: Int64, using generator: inout SplitMix64
  ) -> [Range<Int64>] {
    let week = 7 * CivilTime.day
    switch index % 40 {
    case 7: return [newest - 2 * CivilTime.hour..<newest]
    case 17: return [newest + week..<newest + week + 3 * CivilTime.hour]
    case 27: return [newest - CivilTime.hour..<newest + CivilTime.second]
    case 37: return [newest + week - CivilTime.second..<newest + week + CivilTime.hour]
    default: break
    }
    let midnight = newest - newest % CivilTime.day
    return (0..<generator.nextInteger(in: 0...4)).map { _ in
      let day = midnight + Int64(generator.nextInteger(in: -3...18)) * CivilTime.day
      let begin = day + Int64(generator.nextInteger(in: 7...17)) * CivilTime.hour
      return begin..<begin + Int64(generator.nextInteger(in: 1...5)) * CivilTime.hour
    }
  }
}
