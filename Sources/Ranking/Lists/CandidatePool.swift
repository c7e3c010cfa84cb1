internal import Features
internal import Geohash
package import Index
internal import Search

/// A set of candidates with consecutive numbers, for counting and random access.
package struct CandidatePool {
  /// Rows in the order of the index; `nil` if numbers are rows.
  let rows: [UInt32]?
  let ranges: [Range<Int>]

  package var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// The row of the candidate with the number `place`, from 0.
  ///
  /// - Complexity: O(ranges); there are at most 16 ranges.
  package subscript(place: Int) -> Int {
    var rest = place
    for range in ranges {
      if rest < range.count {
        let position = range.lowerBound + rest
        return rows.map { Int($0[position]) } ?? position
      }
      rest -= range.count
    }
    preconditionFailure("place \(place) is outside the pool of \(count)")
  }
}

extension Recommender {
  /// All candidates in the cells that cover the radius around `user`, or all candidates without a radius. It
  /// is a superset of the candidates in reach.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - index: The candidates' index; `nil` if the ranking has no radius.
  /// - Returns: The pool; empty for a user without a position if the ranking has a radius.
  package func pool(of user: Int, in index: SpatialIndex?) -> CandidatePool {
    guard let radius = rules.reach.searchRadius(ofUser: user), let index else {
      return CandidatePool(rows: nil, ranges: [0..<candidateCount])
    }
    guard let position = people.users[user] else { return CandidatePool(rows: index.rows, ranges: []) }
    return CandidatePool(
      rows: index.rows, ranges: index.candidateRanges(around: position, radiusInKilometers: radius))
  }

  /// All users in the cells that cover the greatest radius around `candidate`, or all users without a radius.
  /// It is a superset of the users who have the candidate in reach.
  func users(around candidate: Int) -> CandidatePool {
    guard let radius = rules.reach.searchRadius(ofCandidate: candidate), let userIndex else {
      return CandidatePool(rows: nil, ranges: [0..<userCount])
    }
    guard let position = people.candidates[candidate] else {
      return CandidatePool(rows: userIndex.rows, ranges: [])
    }
    return CandidatePool(
      rows: userIndex.rows,
      ranges: userIndex.candidateRanges(around: position, radiusInKilometers: radius))
  }
}
