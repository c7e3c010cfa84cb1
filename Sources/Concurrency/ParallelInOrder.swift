import Dispatch
internal import System

/// Makes a value for each number of `0..<count` on up to `threads` threads, and hands them over one by one, in order.
///
/// For what is too big to be held at once: no more than `2 * threads + 2` values exist that were not handed over yet.
/// `consume` runs on the calling thread alone, which makes values itself while the next one is not ready; so it may
/// write a file or fill a database, and what it does is the same for any number of threads.
///
/// - Parameters:
///   - count: How many values there are.
///   - threads: At most so many threads, the calling one included; at least 1.
///   - produce: Makes the value of a number; called once for each, in any order. After an error, maybe not for all.
///   - consume: Takes the values in the order of their numbers.
/// - Throws: The error of the first number, in order, whose value could not be made or consumed. Nothing runs then.
package func parallelInOrder<Value: Sendable, Failure: Error>(
  count: Int, threads: Int, _ produce: @escaping @Sendable (Int) throws(Failure) -> Value,
  consume: (Value) throws(Failure) -> Void
) throws(Failure) {
  precondition(threads > 0, "threads is \(threads)")
  let work = OrderedWork(count: count, window: 2 * threads + 2, produce)
  let others = DispatchGroup()
  for _ in 0..<max(0, min(threads, count) - 1) {
    others.enter()
    let isStarted = SideThread.start(stackSize: 0) {
      work.produceUntilDone()
      others.leave()
    }
    if !isStarted { others.leave() }
  }
  defer {
    work.stop(workers: threads)
    others.wait()
  }
  for number in 0..<count { try consume(work.value(number).get()) }
}

/// What the threads of one `parallelInOrder` share.
private final class OrderedWork<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var next = 0
    var made: [Int: Result<Value, Failure>] = [:]
    var isStopped = false
  }

  private let count: Int
  private let produce: @Sendable (Int) throws(Failure) -> Value
  private let state = Guarded(State())
  /// How many more values may be begun. It counts up from 0, since a semaphore must not end below its first value.
  private let places = DispatchSemaphore(value: 0)
  /// Signalled after each value that is made: the calling thread may be waiting for it.
  private let ready = DispatchSemaphore(value: 0)

  init(count: Int, window: Int, _ produce: @escaping @Sendable (Int) throws(Failure) -> Value) {
    self.count = count
    self.produce = produce
    for _ in 0..<window { places.signal() }
  }

  /// Makes values until there are no more; for all threads but the calling one.
  func produceUntilDone() {
    repeat { places.wait() } while makeNext()
  }

  /// The value of `number`, which is the next to be consumed. Gives back the place of the one before.
  func value(_ number: Int) -> Result<Value, Failure> {
    if number > 0 { places.signal() }
    while true {
      if let value = state.withLock({ $0.made.removeValue(forKey: number) }) { return value }
      // Either another thread is at it, or nobody: then numbers are taken in order, and this is the next.
      if places.wait(timeout: .now()) == .success, makeNext() { continue }
      ready.wait()
    }
  }

  /// Lets all workers end after what they are doing.
  func stop(workers: Int) {
    state.withLock { $0.isStopped = true }
    for _ in 0..<workers { places.signal() }
  }

  /// Makes the next value that nobody has taken yet; `false` where there is none.
  private func makeNext() -> Bool {
    let number = state.withLock { state -> Int? in
      guard !state.isStopped, state.next < count else { return nil }
      defer { state.next += 1 }
      return state.next
    }
    guard let number else { return false }
    let value: Result<Value, Failure>
    do throws(Failure) {
      value = .success(try produce(number))
    } catch {
      value = .failure(error)
    }
    state.withLock { $0.made[number] = value }
    ready.signal()
    return true
  }
}
