internal import Concurrency

/// The times of a crowd's swipes, in sessions of up to 40 swipes. Each session is within one hour.
///
/// Sessions are grouped by hour, so that the rows of each hour can be written separately. The export is thus
/// in time order without a sort.
struct CrowdSessions: Sendable {
  /// A session: `count` consecutive swipes of a person. `first` is the number of the first of these swipes
  /// among all swipes of the person, counted from 0.
  struct Session: Sendable {
    var user: Int
    var first: Int
    var count: Int
  }

  /// The sessions of a chunk of people, sorted by hour. Each session is packed into 64 bits: 32 for the user,
  /// 24 for `first` and 8 for `count`.
  private struct Chunk: Sendable {
    var packed: [UInt64]
    /// For each hour, the index of its first session. The last element is the number of sessions.
    var starts: [UInt32]
  }

  private let chunks: [Chunk]
  /// The number of swipes by hour.
  let swipes: [Int]
  let usersWithoutSwipes: Int

  static let longest = 40
  private static let meanLength = 8.0

  /// - Complexity: 8 bytes of memory per session. A session has 7 swipes on average.
  init(_ activity: CrowdActivity, rhythm: DailyRhythm, seed: UInt64, threads: Int) {
    let made = parallelMap(count: activity.chunks, chunkSize: 1, threads: threads) { range in
      Self.make(activity, chunk: range.lowerBound, rhythm: rhythm, seed: seed)
    }
    chunks = made.map(\.chunk)
    var swipes = [Int](repeating: 0, count: rhythm.hourCount)
    for part in made { for (hour, count) in part.swipes.enumerated() { swipes[hour] += count } }
    self.swipes = swipes
    usersWithoutSwipes = made.reduce(0) { $0 + $1.idle }
  }

  /// Calls `body` with the sessions of an hour, sorted by user.
  func forEach(inHour hour: Int, _ body: (Session) -> Void) {
    for chunk in chunks {
      for index in Int(chunk.starts[hour])..<Int(chunk.starts[hour + 1]) {
        let packed = chunk.packed[index]
        body(Session(user: Int(packed >> 32), first: Int(packed >> 8 & 0xFF_FFFF), count: Int(packed & 0xFF)))
      }
    }
  }

  private static func make(_ activity: CrowdActivity, chunk number: Int, rhythm: DailyRhythm, seed: UInt64)
    -> (chunk: Chunk, swipes: [Int], idle: Int)
  {
    var sessions: [(hour: Int, packed: UInt64)] = []
    var starts = [UInt32](repeating: 0, count: rhythm.hourCount + 1)
    var swipes = [Int](repeating: 0, count: rhythm.hourCount)
    var idle = 0
    for (index, count) in activity.counts(ofChunk: number).enumerated() {
      let user = number * CrowdActivity.chunk + index
      if count == 0 { idle += 1 }
      var generator = SplitMix64(seed: seed, purpose: .crowdSessions, index: user)
      var first = 0
      while first < count {
        let length = min(count - first, Self.length(using: &generator))
        let hour = rhythm.nextHour(using: &generator)
        sessions.append((hour, UInt64(user) << 32 | UInt64(first) << 8 | UInt64(length)))
        starts[hour + 1] += 1
        swipes[hour] += length
        first += length
      }
    }
    for hour in 0..<rhythm.hourCount { starts[hour + 1] += starts[hour] }
    var next = starts
    var packed = [UInt64](repeating: 0, count: sessions.count)
    for session in sessions {
      packed[Int(next[session.hour])] = session.packed
      next[session.hour] += 1
    }
    return (Chunk(packed: packed, starts: starts), swipes, idle)
  }

  /// Draws the number of swipes in a session, at least 1. After each swipe, the session ends with a fixed
  /// probability.
  private static func length(using generator: inout SplitMix64) -> Int {
    var length = 1
    while length < longest, generator.nextBool(probability: 1 - 1 / meanLength) { length += 1 }
    return length
  }
}
