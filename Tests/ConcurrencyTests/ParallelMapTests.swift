import Concurrency
import Testing

struct ParallelMapTests {
  struct Failed: Error, Equatable { var chunk: Int }

  @Test(arguments: [1, 2, 8], [0, 1, 7, 64, 1000])
  func `chunks are returned in order and cover everything once`(threads: Int, count: Int) {
    let ranges = parallelMap(count: count, chunkSize: 7, threads: threads) { $0 }
    #expect(ranges.flatMap(Array.init) == Array(0..<count))
  }

  @Test(arguments: [1, 2, 8])
  func `the first failing chunk's error is thrown`(threads: Int) {
    #expect(throws: Failed(chunk: 3)) {
      try parallelMap(count: 100, chunkSize: 10, threads: threads) { range throws(Failed) in
        if range.lowerBound >= 30 { throw Failed(chunk: range.lowerBound / 10) }
        return range.count
      }
    }
  }
}
