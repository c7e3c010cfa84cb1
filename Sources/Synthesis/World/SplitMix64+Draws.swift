internal import Concurrency
internal import Glibc

/// Random draws. Each method consumes a fixed number of values from the generator's stream.
///
/// The standard library's `Int.random(in:using:)` and `shuffled(using:)` do not guarantee how many values
/// they consume. If the exports used these methods, a new compiler could change all files of a seed.
extension SplitMix64 {
  /// Creates a generator for one purpose and index. Draws for other purposes do not change its stream.
  init(seed: UInt64, purpose: DrawPurpose, index: Int = 0) {
    self.init(seed: Mix64.pair(purpose.rawValue, UInt64(index), seed: seed))
  }

  /// Draws a uniform integer in `0..<count`. `count` must be positive. The bias is below `count` / 2⁶⁴.
  mutating func nextIndex(below count: Int) -> Int {
    precondition(count > 0, "count must be at least 1, not \(count)")
    return Int(next().multipliedFullWidth(by: UInt64(count)).high)
  }

  /// Draws a uniform integer in `range`.
  mutating func nextInteger(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + nextIndex(below: range.count)
  }

  /// Draws a uniform instant in `range`, in milliseconds. If the range is empty, its lower bound is returned.
  mutating func nextInstant(in range: Range<Int64>) -> Int64 {
    range.isEmpty ? range.lowerBound : range.lowerBound + Int64(nextIndex(below: range.count))
  }

  mutating func nextBool(probability: Double) -> Bool {
    nextUnit() < probability
  }

  /// Draws a number from the standard normal distribution.
  ///
  /// The system's `log` and `cos` may differ in the last bit on another kind of machine, so callers round the
  /// result before they write it.
  ///
  /// Source: Box and Muller 1958, doi:10.1214/aoms/1177706645.
  mutating func nextGaussian() -> Double {
    // `1 - nextUnit()` is in (0, 1], where the logarithm is finite.
    let radius = (-2 * log(1 - nextUnit())).squareRoot()
    return radius * cos(2 * Double.pi * nextUnit())
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[nextIndex(below: elements.count)]
  }

  /// Returns the numbers `0..<count` in a random order (Fisher–Yates shuffle).
  mutating func nextPermutation(of count: Int) -> [Int] {
    var order = Array(0..<count)
    for index in stride(from: count - 1, to: 0, by: -1) {
      order.swapAt(index, nextIndex(below: index + 1))
    }
    return order
  }
}

/// The purpose of a stream of random numbers. A new purpose gets a new number, and existing numbers never
/// change.
enum DrawPurpose: UInt64 {
  case circumstances = 1
  case person
  case taste
  case wording
  case activity
  case sessions
  case planting
  case swiping
  case documents
  case crowdCities
  case crowdPerson
  case crowdActivity
  case crowdSessions
  case crowdSwiping
  case crowdTaste
  case crowdTargets
  case friendsSpots = 101
  case friendsTravellers
  case friendsCheckIns
  case friendsPosts
  case friendsIdentities
  case fixItCustomers = 201
  case fixItWorkers
  case fixItJobs
  case madraOwners = 301
  case madraMinders
  case madraDogs
  case madraSpelling
  case madraActivity
  case madraTaste
  case madraSwipes
  case fusionSubfields = 401
  case fusionSubfieldTaste
  case funkifyMusicians = 501
  case funkifyGroups
  case funkifyEvents
  case funkifyFollows
  case funkifyAttendances
  case funkifyPosts
  case funkifyLikes
  case funkifyComments
}
