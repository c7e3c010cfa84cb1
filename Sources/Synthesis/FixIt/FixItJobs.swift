internal import Concurrency

/// The documents of jobs, one per line, in time order.
enum FixItJobs {
  /// The fault of a job's document.
  private enum Fault: Sendable {
    case tooManyStars, noStars, noSuchStatus, unknownUser, noWorker, badTime
    /// The time is in the year 2099. The row is valid, but later than the as-of time.
    case inTheFuture

    var rule: BrokenRule? {
      switch self {
      case .tooManyStars: .valueOutOfRange
      case .noStars, .noSuchStatus: .unknownValue
      case .unknownUser: .unknownUser
      case .noWorker: .missingID
      case .badTime: .badTime
      case .inTheFuture: nil
      }
    }

    /// The number of jobs with each fault, per 6000 jobs.
    static let shares: [(Fault, Int)] = [
      (.tooManyStars, 8), (.noStars, 6), (.noSuchStatus, 4), (.unknownUser, 6), (.noWorker, 4), (.badTime, 6),
      (.inTheFuture, 3),
    ]
  }

  /// A job that a customer and a worker arranged.
  private struct Job {
    var customer: FixItWorld.Customer
    var worker: FixItWorld.Worker
    var at: Int64
    var fault: Fault?
  }

  /// Generates `count` jobs in time order. The newest job without a fault is at the end of the period.
  static func rows(_ count: Int, in world: FixItWorld, _ summary: inout FixItSummary) -> [String] {
    var generator = SplitMix64(seed: world.seed, purpose: .fixItJobs)
    let faults = BrokenRule.planted(Fault.shares, rows: count, whole: 6000)
    let customers = WeightedChoice(world.customers.map(\.activity))
    let trades = WeightedChoice(Trade.all.map(\.weight))
    var rows: [(at: Int64, line: String)] = []
    for index in 0..<count {
      let fault = index < faults.count ? faults[index] : nil
      let isLast = index == count - 1
      var customer = world.customers[customers.next(using: &generator)]
      var worker = world.workers[0]
      repeat {
        if customer.fault != nil || worker.fault != nil {
          customer = world.customers[customers.next(using: &generator)]
        }
        let offers = world.offers(city: customer.city, trade: trades.next(using: &generator))
        // Workers at the top of the app's lists get most of the work.
        worker =
          world.workers[
            offers[min(generator.nextIndex(below: offers.count), generator.nextIndex(below: offers.count))]]
      } while (fault != nil || isLast) && (customer.fault != nil || worker.fault != nil)
      let at =
        isLast
        ? world.rhythm.end : world.rhythm.next(in: world.rhythm.start..<world.rhythm.end, using: &generator)
      let job = Job(customer: customer, worker: worker, at: at, fault: fault)
      let id = "j" + CivilTime.padded(index, 6)
      rows.append((at, line(job, id, isLast: isLast, &summary, using: &generator)))
    }
    summary.jobs = rows.count
    return rows.stablySorted { $0.at < $1.at }.map(\.line)
  }

  private static func line(
    _ job: Job, _ id: String, isLast: Bool, _ summary: inout FixItSummary, using generator: inout SplitMix64
  ) -> String {
    let (isCancelled, isMissed) = (
      generator.nextBool(probability: 0.08), generator.nextBool(probability: job.worker.noShows)
    )
    let stars = stars(job, using: &generator)
    var fields = FirestoreFields()
    fields.string("customer", job.fault == .unknownUser ? "c-gone" : job.customer.id)
    if job.fault != .noWorker { fields.string("worker", job.worker.id) }
    let done = CivilTime.text(job.at, .milliseconds)
    let isPlain = job.fault == nil && !isLast
    if isPlain && isCancelled {
      summary.cancelled += 1
      fields.string("status", "cancelled")
      return FixItRows.document("jobs/" + id, fields, at: done)
    }
    if isPlain && isMissed {
      fields.string("status", "no_show")
    } else {
      fields.string("status", job.fault == .noSuchStatus ? "lost" : "done")
      if job.fault != .noStars { fields.integer("stars", job.fault == .tooManyStars ? 6 : stars) }
    }
    switch job.fault {
    case .badTime: fields.string("doneAt", "2026-11-31T10:00:00Z")
    case .inTheFuture: fields.time("doneAt", "2099-01-01T00:00:00Z")
    default: fields.time("doneAt", done)
    }
    // Ingest counts a row only for the first rule that the row breaks, and it checks ids first.
    let rule: BrokenRule? =
      job.customer.fault != nil ? .unknownUser : job.worker.fault != nil ? .unknownCandidate : job.fault?.rule
    summary.jobsBreaking.add(rule)
    if job.fault == .inTheFuture { summary.later += 1 }
    return FixItRows.document("jobs/" + id, fields, at: done)
  }

  /// Draws the number of stars of a review, 1 to 5. It depends on the quality and the price of the work, and
  /// on the distance to the worker.
  private static func stars(_ job: Job, using generator: inout SplitMix64) -> Int {
    let usual = Trade.all[job.worker.trade].price
    let dearness = (job.worker.price ?? usual) / usual - 1
    let way = job.customer.place.map { $0.kilometers(to: job.worker.place) }
    let liked =
      4.2 + job.worker.quality - 2 * job.customer.thrift * dearness - 0.02 * (way ?? 10)
      + 0.7 * generator.nextGaussian()
    return Int(min(max(liked.rounded(), 1), 5))
  }
}
