import Columns
import Concurrency
import Files
import LeastSquares
import RunSchemas
import StageFixture
import TestSupport
import Testing
import Text

@testable import Discovery

struct CoLikesTests {
  init() throws { try LinearAlgebraLibrary.load() }

  /// Eleven users like 0 and 1, ten like 0 and 2, five like only 1, and two like nothing.
  private static let likes: [[UInt32]] =
    ([([0, 1], 11), ([2, 0], 10), ([1], 5), ([], 2)] as [([UInt32], Int)])
    .flatMap { Array(repeating: $0.0, count: $0.1) }

  @Test func `pairs of candidates have the numbers of users who like both`() {
    let pairs = CoLikes(LikesByHand.liked(Self.likes, candidates: 4), strongest: 5, threads: 1)
    #expect(pairs.likers == [21, 16, 10, 0] && pairs.users == 26)
    // The strength of 1 for 0 is 11 / 4, and the strength of 2 for 0 is 10 / √10.
    #expect(pairs.offsets == [0, 2, 3, 4, 4])
    #expect(pairs.neighbors == [2, 1, 0, 0] && pairs.counts == [10, 11, 11, 10])
  }

  @Test func `of equally strong neighbors, the candidate with the smaller row comes first`() {
    let liked = LikesByHand.liked(Array(repeating: [2, 0, 1], count: 10), candidates: 3)
    #expect(CoLikes(liked, strongest: 2, threads: 1).neighbors == [1, 2, 0, 2, 0, 1])
    #expect(CoLikes(liked, strongest: 1, threads: 1).neighbors == [1, 0, 0])
  }

  @Test func `only the hundred newest likes of a user count`() {
    let likes = Array(repeating: (0..<101).map { UInt32($0) }, count: 10)
    let liked = LikesByHand.liked(likes, candidates: 101)
    let pairs = CoLikes(liked, strongest: 200, threads: 1)
    #expect(pairs.likers == Array(repeating: 10, count: 100) + [0])
    #expect((0...100).map { pairs.range(of: $0).count } == Array(repeating: 99, count: 100) + [0])
    // A sum covers the same number of likes.
    let items = ItemToItem(
      LikesByHand.liked(Array(repeating: [0, 1], count: 20), candidates: 120), threads: 1)
    func sum(after others: Int) -> Float {
      var sums = [Float](repeating: 0, count: 120)
      let likes = (0..<others).map { UInt32($0 + 2) } + [0]
      items.add(likes[...], halfPlace: nil, to: &sums)
      return sums[1]
    }
    #expect(sum(after: 99) == 20.0 / 320 && sum(after: 100) == 0)
  }

  /// Candidate 0 has 101 equally strong neighbors.
  @Test func `a regression has at most a hundred neighbors`() {
    let (first, second) = ((0...60).map { UInt32($0) }, (61...101).map { UInt32($0) })
    let likes = (0..<20).map { $0 < 10 ? first : [0] + second }
    let items = ItemToItem(LikesByHand.liked(likes, candidates: 102), threads: 2)
    let affecting = (0..<102).filter {
      items.targets[items.offsets[$0]..<items.offsets[$0 + 1]].contains(0)
    }
    #expect(affecting == Array(1...100))
    #expect(!items.isEmpty)
  }

  @Test func `without a pair that ten users like, there are no coefficients`() {
    #expect(ItemToItem(LikesByHand.liked(Self.likes, candidates: 4), threads: 1).isEmpty == false)
    let few = LikesByHand.liked(Array(repeating: [0, 1], count: 9), candidates: 2)
    #expect(ItemToItem(few, threads: 1).isEmpty)
  }
}
