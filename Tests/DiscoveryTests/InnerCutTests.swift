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

struct InnerCutTests {
  /// Two users take turns in eleven interactions at 10, 20, ..., 110.
  @Test func `the cuts of one time are at four fifths, seven tenths and three fifths, latest first`() throws {
    let rows = (0..<11).map { (user: $0 % 2, candidate: 0, at: 10 * ($0 + 1), value: 1.0) }
    let windows = InnerCut.time.windows(try LikesByHand.table(rows, users: 3, candidates: 1))
    #expect(windows.map(\.cuts) == [90, 80, 70].map { [$0, $0, $0] })
    #expect(windows.map(\.end) == [110, 90, 80])
  }

  @Test func `without interactions there is no cut`() throws {
    #expect(InnerCut.time.windows(try LikesByHand.table([], users: 2, candidates: 1)).isEmpty)
  }

  @Test func `each user's cut is after four fifths of the user's interactions`() throws {
    let counts = [10, 1, 0, 2, 5, 4]
    let rows = counts.enumerated().flatMap { user, count in
      (0..<count).map { (user: user, candidate: 0, at: 100 * user + $0, value: 1.0) }
    }
    let windows = InnerCut.eachUser.windows(try LikesByHand.table(rows, users: 6, candidates: 1))
    // Of ten interactions, eight are earlier, and of one interaction none is.
    #expect(windows.map(\.cuts) == [[7, .min, .min, 300, 403, 502]])
    #expect(windows.map(\.end) == [.max])
  }
}
