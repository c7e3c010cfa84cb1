import Testing

@testable import Ranking

struct FunnelSampleTests {
  private func counted(_ users: Int, _ hasLists: (Int) -> Bool) -> [Int] {
    let sample = FunnelSample(users: users, hasLists: hasLists)
    return (0..<users).filter { sample.contains($0) }
  }

  @Test(arguments: [0, 1, 2_400, 9_999, 10_000])
  func `up to ten thousand users are all counted`(users: Int) {
    #expect(counted(users) { _ in true } == Array(0..<users))
  }

  @Test(arguments: [10_001, 11_999, 12_000, 20_000, 99_999, 1_000_000])
  func `if there are more users, about two thousand evenly spaced ones are counted`(users: Int) {
    let found = counted(users) { _ in true }
    #expect((2_000...2_400).contains(found.count))
    #expect(Set(zip(found, found.dropFirst()).map { $1 - $0 }) == [users / 2_000])
  }

  @Test func `only users with lists are counted, and all of them if they are few`() {
    #expect(counted(100_000) { $0 % 1_000 == 999 } == Array(stride(from: 999, to: 100_000, by: 1_000)))
    let half = counted(100_000) { $0 % 2 == 1 }
    #expect(half.count == 2_000)
    #expect(half.allSatisfy { $0 % 2 == 1 })
    #expect(counted(20_000) { _ in false }.isEmpty)
  }
}
