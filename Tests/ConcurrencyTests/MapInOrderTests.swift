import Synchronization
import Testing

@testable import Concurrency

@Suite struct MapInOrderTests {
  private struct Failure: Error, Equatable { var item: Int }

  @Test(arguments: [1, 2, 8]) func `results are merged in the order of items`(threads: Int) throws {
    var next = 0
    var merged: [Int] = []
    try mapInOrder(threads: threads) {
      next += 1
      return next <= 500 ? next : nil
    } _: { item in
      // Some items take longer than others.
      (0..<(item % 7) * 1000).reduce(item) { $0 &+ $1 &- $1 }
    } merge: {
      merged.append($0)
    }
    #expect(merged == Array(1...500))
  }

  @Test(arguments: [1, 2, 8], [nil, 1, 77])
  func `each result is passed on before it is merged, in order and one at a time`(
    threads: Int, failing: Int?
  )
    throws
  {
    let passed = Mutex<[Int]>([])
    let passing = Atomic(0)
    var next = 0
    var merged: [Int] = []
    let result = Result {
      try mapInOrder(threads: threads) {
        next += 1
        return next <= 200 ? next : nil
      } _: { item in
        if item == failing { throw Failure(item: item) }
        return (0..<(item % 7) * 1000).reduce(item) { $0 &+ $1 &- $1 }
      } pass: { item in
        #expect(passing.add(1, ordering: .relaxed).newValue == 1)
        passed.withLock { $0.append(item) }
        passing.subtract(1, ordering: .relaxed)
      } merge: { item in
        #expect(passed.withLock { $0.contains(item) })
        merged.append(item)
      }
    }
    // Some items after the failing one may already have been passed on.
    #expect(merged == Array(1..<(failing ?? 201)))
    #expect(passed.withLock { $0.starts(with: merged) && $0 == $0.sorted() && !$0.contains(failing ?? 0) })
    if let failing {
      #expect(throws: Failure(item: failing)) { try result.get() }
    } else {
      try result.get()
    }
  }

  @Test(arguments: [1, 2, 8]) func `no items give no results`(threads: Int) throws {
    var merged = 0
    try mapInOrder(threads: threads, next: { nil as Int? }, { $0 }, merge: { merged += $0 })
    #expect(merged == 0)
  }

  @Test(arguments: [1, 2, 8], [1, 2, 77, 200])
  func `the first error in the order of items ends the work, and all items before it are merged`(
    threads: Int, first: Int
  ) {
    var next = 0
    var merged: [Int] = []
    #expect(throws: Failure(item: first)) {
      try mapInOrder(threads: threads) {
        next += 1
        return next <= 200 ? next : nil
      } _: { item in
        if item >= first { throw Failure(item: item) }
        return item
      } merge: {
        merged.append($0)
      }
    }
    #expect(merged == Array(1..<first))
  }

  @Test(arguments: [1, 2, 8]) func `an error from the source of items is thrown after the items before it`(
    threads: Int
  ) {
    var next = 0
    var merged = 0
    #expect(throws: Failure(item: 50)) {
      try mapInOrder(threads: threads) {
        next += 1
        if next == 50 { throw Failure(item: next) }
        return next as Int?
      } _: {
        $0
      } merge: { _ in
        merged += 1
      }
    }
    #expect(merged == 49)
  }

  @Test(arguments: [1, 2, 4, 40]) func `a limited number of items is in progress`(threads: Int) throws {
    let underWay = Atomic(0)
    let most = Atomic(0)
    var next = 0
    try mapInOrder(threads: threads) {
      next += 1
      most.max(underWay.wrappingAdd(1, ordering: .relaxed).newValue, ordering: .relaxed)
      return next <= 300 ? next : nil
    } _: {
      $0
    } merge: { _ in
      underWay.wrappingSubtract(1, ordering: .relaxed)
    }
    #expect((1...max(32, 2 * threads) + 1).contains(most.load(ordering: .relaxed)))
  }
}
