import Dispatch
internal import System

/// Computes a value for each number in `0..<count` on up to `threads` threads, and consumes the values in
/// order.
///
/// Use this function for values that do not fit into memory together. At most `2 * threads + 2` unconsumed
/// values exist at a time. `consume` runs only on the calling thread, which computes values itself while the
/// next value is not ready. Therefore, `consume` may write a file or fill a database, and its effect does not
/// depend on the number of threads.
///
/// - Parameters:
///   - count: The number of values.
///   - threads: The maximum number of threads, including the calling thread; at least 1.
///   - produce: Computes the value of a number. Called once for each number, in any order. After an error,
///     the remaining numbers may be skipped.
///   - consume: Receives the values in the order of their numbers.
/// - Throws: The error for the first number that could not be computed or consumed. By then, all threads have
///   ended.
package func parallelInOrder<Value: Sendable, Failure: Error>(
  count: Int, threads: Int, _ produce: @escaping @Sendable (Int) throws(Failure) -> Value,
  consume: (Value) throws(Failure) -> Void
) throws(Failure) {
  precondition(threads > 0, "threads must be at least 1, not \(threads)")
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

/// The shared state of one call of `parallelInOrder`.
private final class OrderedWork<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var next = 0
    var made: [Int: Result<Value, Failure>] = [:]
    var isStopped = false
  }

  private let count: Int
  private let produce: @Sendable (Int) throws(Failure) -> Value
  private let state = Guarded(State())
  /// The number of values that threads may still start to compute. The semaphore starts at 0 and is then
  /// raised, because a semaphore must not be destroyed below its initial value.
  private let places = DispatchSemaphore(value: 0)
  /// Signaled after each computed value, because the calling thread may be waiting for that value.
  private let ready = DispatchSemaphore(value: 0)

  init(count: Int, window: Int, _ produce: @escaping @Sendable (Int) throws(Failure) -> Value) {
    self.count = count
    self.produce = produce
    for _ in 0..<window { places.signal() }
  }

  /// Computes values until all values have been started, or the work is stopped. All threads except the
  /// calling thread run this method.
  func produceUntilDone() {
    repeat { places.wait() } while makeNext()
  }

  /// Returns the value of `number`, which is the next number to consume. Frees the place of the previous
  /// value.
  func value(_ number: Int) -> Result<Value, Failure> {
    if number > 0 { places.signal() }
    while true {
      if let value = state.withLock({ $0.made.removeValue(forKey: number) }) { return value }
      // Either another thread is computing the value, or no thread has started it yet. In the second case,
      // `makeNext` computes this value.
      if places.wait(timeout: .now()) == .success, makeNext() { continue }
      ready.wait()
    }
  }

  /// Stops all workers after their current values.
  func stop(workers: Int) {
    state.withLock { $0.isStopped = true }
    for _ in 0..<workers { places.signal() }
  }

  /// Computes the next value that no thread has started. Returns `false` if all values have been started.
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
