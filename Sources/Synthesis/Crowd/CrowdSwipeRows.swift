internal import Concurrency

/// The rows of a crowd's `swipes` file in time order, in chunks of hours.
struct CrowdSwipeRows: Sendable {
  /// The text of the rows of a chunk, and the counts of these rows.
  struct Text: Sendable {
    var bytes: [UInt8]
    var rows = 0
    var likes = 0
    /// The time of the newest row in milliseconds since 1970; `nil` if the chunk has no rows.
    var newest: Int64?
  }

  private struct Swipe {
    /// The second within the hour, 0 to 3599.
    var second: Int
    var user: UInt32
    var target: UInt32
    var isLike: Bool
  }

  let crowd: Crowd
  let sessions: CrowdSessions
  let rhythm: DailyRhythm
  private let rowText: CrowdSwipeText
  /// The range of hours of each chunk. The rows of a chunk are written together.
  let chunks: [Range<Int>]

  /// The minimum number of rows in every chunk except the last. This many rows are a few megabytes of text.
  private static let chunkRows = 50_000
  /// The maximum number of seconds between two successive swipes of a session.
  private static let longestPause = 40

  init(crowd: Crowd, sessions: CrowdSessions, rhythm: DailyRhythm, format: CrowdFormat, ids: CrowdIDs) {
    self.crowd = crowd
    self.sessions = sessions
    self.rhythm = rhythm
    rowText = CrowdSwipeText(format, ids)
    var chunks: [Range<Int>] = []
    var start = 0
    var rows = 0
    for (hour, count) in sessions.swipes.enumerated() {
      rows += count
      guard rows >= Self.chunkRows || hour + 1 == sessions.swipes.count else { continue }
      chunks.append(start..<hour + 1)
      start = hour + 1
      rows = 0
    }
    self.chunks = chunks
  }

  var header: String { rowText.header }

  /// Returns the rows of chunk `number`. Rows of the same second are sorted by user.
  func text(ofChunk number: Int) -> Text {
    var text = Text(bytes: [])
    let hours = chunks[number]
    text.bytes.reserveCapacity(hours.reduce(0) { $0 + sessions.swipes[$1] } * rowText.length)
    for hour in hours {
      let swipes = swipes(inHour: hour)
      rowText.append(swipes.count, hour: rhythm.start + Int64(hour) * CivilTime.hour, to: &text.bytes) {
        let swipe = swipes[$0]
        return (Int(swipe.user), Int(swipe.target), swipe.isLike, swipe.second)
      }
      text.rows += swipes.count
      text.likes += swipes.count { $0.isLike }
      if let last = swipes.last {
        text.newest =
          rhythm.start + Int64(hour) * CivilTime.hour + Int64(last.second) * CivilTime.second
      }
    }
    return text
  }

  /// Returns the swipes of an hour, sorted by second with a stable counting sort. Sessions are sorted by
  /// user, so the swipes of one second are sorted by user too.
  private func swipes(inHour hour: Int) -> [Swipe] {
    var made: [Swipe] = []
    made.reserveCapacity(sessions.swipes[hour])
    var starts = [Int](repeating: 0, count: 3601)
    sessions.forEach(inHour: hour) { session in
      append(session, to: &made)
    }
    for swipe in made { starts[swipe.second + 1] += 1 }
    for second in 0..<3600 { starts[second + 1] += starts[second] }
    var sorted = made
    for swipe in made {
      sorted[starts[swipe.second]] = swipe
      starts[swipe.second] += 1
    }
    return sorted
  }

  private func append(_ session: CrowdSessions.Session, to swipes: inout [Swipe]) {
    let user = session.user
    var generator = SplitMix64(
      seed: Mix64.pair(crowd.seed, UInt64(user), seed: UInt64(session.first)), purpose: .crowdSwiping)
    let targets = CrowdTargets(of: user, in: crowd)
    let taste = CrowdTaste(of: crowd[number: user], number: user, seed: crowd.seed)
    var second = generator.nextIndex(below: 3600 - Self.longestPause * session.count)
    for index in session.first..<session.first + session.count {
      let target = targets.target(index, draw: generator.nextUnit())
      let person = crowd.people[target]
      let isLike = generator.nextUnit() < taste.likeProbability(of: person)
      swipes.append(
        Swipe(second: second, user: UInt32(user), target: person.number, isLike: isLike))
      second += 1 + generator.nextIndex(below: Self.longestPause)
    }
  }
}
