internal import Features
internal import Geohash
package import Index
internal import Search

/// A set of candidates or users that are numbered from 0, for counting and random access.
package struct CandidatePool {
  /// Rows in the order of the index; `nil` if the numbers themselves are rows.
  let rows: [UInt32]?
  let ranges: [Range<Int>]

  package var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// The row of the member with the number `place`, from 0.
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
    preconditionFailure("the number \(place) must be below the size of the candidate pool, \(count)")
  }
}

extension Recommender {
  /// Returns the candidates in the cells that cover the radius around `user`; all candidates if there is no
  /// radius. The pool contains all candidates in reach, and usually some others.
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

  /// Returns the users in the cells that cover the greatest radius around `candidate`; all users if there is
  /// no radius. The pool contains all users who have the candidate in reach, and usually some others.
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
