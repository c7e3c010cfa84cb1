internal import Algorithms
internal import Concurrency

/// The strongest neighbors of each candidate, with the number of users who like both candidates. A neighbor
/// of a candidate is another candidate that some of the same users like.
///
/// The strength of k for j is G_jk / √G_kk, where G_jk is the number of users who like both j and k. Apart
/// from a factor that is the same for all k, this is the cosine similarity of the likes of j and k.
struct CoLikes: Sendable {
  /// The maximum number of likes per user. Only the newest likes count, because the work grows with the
  /// square of this number.
  static let mostLikes = 100
  /// The minimum number of users who like both candidates of a kept pair. A smaller number could reveal the
  /// likes of individual people.
  static let leastUsers = 10

  /// The number of users who like each candidate. Only the newest likes of each user count.
  let likers: [Int]
  /// The number of users with likes.
  let users: Int
  /// The neighbors of candidate `j` are at `offsets[j]..<offsets[j + 1]`, strongest first.
  let offsets: [Int]
  let neighbors: [UInt32]
  /// For each neighbor, the number of users who like both candidates.
  let counts: [UInt32]

  func range(of candidate: Int) -> Range<Int> { offsets[candidate]..<offsets[candidate + 1] }

  /// Counts the users who like both candidates of each pair.
  ///
  /// - Parameters:
  ///   - liked: The likes of all users.
  ///   - strongest: The maximum number of neighbors to keep per candidate.
  ///   - threads: The maximum number of threads; the result does not depend on it.
  init(_ liked: LikedCandidates, strongest: Int, threads: Int) {
    let byCandidate = Likers(liked)
    let parts = parallelMap(count: liked.candidateCount, chunkSize: 1024, threads: threads) { chunk in
      var part: (ends: [Int], neighbors: [UInt32], counts: [UInt32]) = ([], [], [])
      var counts = [UInt32](repeating: 0, count: liked.candidateCount)
      for candidate in chunk {
        let touched = byCandidate.addCoLikes(of: candidate, in: liked, to: &counts)
        let strong = touched.filter { $0 != candidate && counts[Int($0)] >= Self.leastUsers }
          .map {
            (candidate: $0, strength: Double(counts[Int($0)]) / Double(byCandidate.count($0)).squareRoot())
          }
          .min(count: strongest) { ($1.strength, $0.candidate) < ($0.strength, $1.candidate) }
        for neighbor in strong {
          part.neighbors.append(neighbor.candidate)
          part.counts.append(counts[Int(neighbor.candidate)])
        }
        part.ends.append(part.neighbors.count)
        for other in touched { counts[Int(other)] = 0 }
      }
      return part
    }
    var (offsets, neighbors, counts): ([Int], [UInt32], [UInt32]) = ([0], [], [])
    for part in parts {
      let start = neighbors.count
      offsets += part.ends.map { start + $0 }
      neighbors += part.neighbors
      counts += part.counts
    }
    likers = (0..<liked.candidateCount).map { byCandidate.count(UInt32($0)) }
    (self.offsets, self.neighbors, self.counts) = (offsets, neighbors, counts)
    users = liked.usersWithLikes
  }
}

/// The users who like each candidate. Only the newest likes of each user count.
private struct Likers: Sendable {
  /// The users who like candidate `j` are at `starts[j]..<starts[j + 1]` of `users`, ascending.
  private let starts: [Int]
  private let users: [UInt32]

  init(_ liked: LikedCandidates) {
    var starts = [Int](repeating: 0, count: liked.candidateCount + 1)
    for user in 0..<liked.userCount {
      for place in Self.newest(user, liked) { starts[Int(liked.candidates[place]) + 1] += 1 }
    }
    for candidate in 0..<liked.candidateCount { starts[candidate + 1] += starts[candidate] }
    var users = [UInt32](repeating: 0, count: starts[liked.candidateCount])
    var next = starts
    for user in 0..<liked.userCount {
      for place in Self.newest(user, liked) {
        let candidate = Int(liked.candidates[place])
        users[next[candidate]] = UInt32(user)
        next[candidate] += 1
      }
    }
    (self.starts, self.users) = (starts, users)
  }

  private static func newest(_ user: Int, _ liked: LikedCandidates) -> Range<Int> {
    let range = liked.range(ofUser: user)
    return range.lowerBound..<min(range.upperBound, range.lowerBound + CoLikes.mostLikes)
  }

  /// Returns the number of users who like `candidate`.
  func count(_ candidate: UInt32) -> Int { starts[Int(candidate) + 1] - starts[Int(candidate)] }

  /// Counts, for each candidate, the users who like both this candidate and `candidate`. Adds the counts to
  /// `counts`, which has one element per candidate. All elements must be 0.
  ///
  /// - Returns: The candidates whose counts are above 0. They include `candidate` itself if a user likes it.
  func addCoLikes(of candidate: Int, in liked: LikedCandidates, to counts: inout [UInt32]) -> [UInt32] {
    var touched: [UInt32] = []
    for index in starts[candidate]..<starts[candidate + 1] {
      for place in Self.newest(Int(users[index]), liked) {
        let other = liked.candidates[place]
        if counts[Int(other)] == 0 { touched.append(other) }
        counts[Int(other)] += 1
      }
    }
    return touched
  }
}
