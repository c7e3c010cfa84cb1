import Concurrency
import Synchronization
import Testing

struct ParallelInOrderTests {
  struct Failed: Error, Equatable { var number: Int }

  @Test(arguments: [1, 2, 8], [0, 1, 2, 7, 1000])
  func `values are consumed in order, each once`(threads: Int, count: Int) {
    var consumed: [Int] = []
    parallelInOrder(count: count, threads: threads) {
      $0 * 3
    } consume: {
      consumed.append($0)
    }
    #expect(consumed == (0..<count).map { $0 * 3 })
  }

  @Test(arguments: [1, 2, 8])
  func `the first failing value ends the work, and all values before it are consumed`(threads: Int) {
    var consumed: [Int] = []
    #expect(throws: Failed(number: 30)) {
      try parallelInOrder(count: 100, threads: threads) { number throws(Failed) in
        if number >= 30 { throw Failed(number: number) }
        return number
      } consume: { number throws(Failed) in
        consumed.append(number)
      }
    }
    #expect(consumed == Array(0..<30))
  }

  @Test(arguments: [1, 2, 8])
  func `a failing consumer ends the work`(threads: Int) {
    #expect(throws: Failed(number: 5)) {
      try parallelInOrder(count: 1000, threads: threads) { number throws(Failed) in
        number
      } consume: { number throws(Failed) in
        if number == 5 { throw Failed(number: number) }
      }
    }
  }

  @Test(arguments: [1, 2, 8])
  func `a limited number of values wait for the consumer`(threads: Int) {
    let made = Atomic(0)
    var consumed = 0
    var most = 0
    parallelInOrder(count: 500, threads: threads) { number in
      made.add(1, ordering: .relaxed)
      return number
    } consume: { _ in
      most = max(most, made.load(ordering: .relaxed) - consumed)
      consumed += 1
    }
    #expect(made.load(ordering: .relaxed) == 500)
    #expect(most <= 2 * threads + 2)
  }
}
