import Dispatch
internal import System

/// Processes items on up to `threads` threads at once and merges the results in the order of the items.
///
/// At any time, at most one thread calls `next`, at most one calls `pass`, and at most one calls `merge`;
/// several threads may call `work`. The arguments of `pass` and `merge` therefore do not depend on the number
/// of threads. At most `max(32, 2 * threads)` items are in progress, however slow an item is.
///
/// - Parameters:
///   - threads: The maximum number of threads, including the calling thread; at least 1.
///   - next: Returns the next item, or `nil` at the end. Called by one thread at a time, and never again
///     after it returns `nil` or throws an error.
///   - work: Called for each item, by any thread.
///   - pass: Called with each result in the order of the items, by one thread at a time, before `merge`. It
///     may run while `merge` handles an earlier result, so it can do part of the sequential work.
///   - merge: Called with each result in the order of the items, by one thread at a time.
/// - Throws: The first error in the order of items. By then, exactly the results of the earlier items have
///   been merged.
package func mapInOrder<Item: Sendable, Part: Sendable>(
  threads: Int, next: () throws -> Item?, _ work: @Sendable (Item) throws -> Part,
  pass: @Sendable (Part) -> Void = { _ in }, merge: (Part) throws -> Void
) throws {
  precondition(threads > 0, "threads must be at least 1, not \(threads)")
  try withoutActuallyEscaping(next) { next in
    try withoutActuallyEscaping(pass) { pass in
      try withoutActuallyEscaping(merge) { merge in
        // Many more items than threads may be in progress, because a thread may wait for a processor while
        // the other threads finish many later items.
        let conveyor = Conveyor(places: max(32, 2 * threads), next, pass, merge)
        SideThread.crew(threads) {
          while let (index, item) = conveyor.take() {
            conveyor.put(item.flatMap { item in Result { try work(item) } }, at: index)
          }
        }
        if let error = conveyor.error { throw error }
      }
    }
  }
}

/// The state that the threads of one call of `mapInOrder` share.
private final class Conveyor<Item: Sendable, Part: Sendable>: @unchecked Sendable {
  private typealias Made = Result<Part, any Error>

  /// Results that wait until all earlier results are passed, or merged.
  private struct Turn {
    var waiting: [Int: Made] = [:]
    var next = 0
    var isBusy = false

    /// Returns the next result; `nil` if it is not ready, or if a thread is still handling the previous
    /// result.
    mutating func take() -> Made? {
      guard !isBusy, let made = waiting.removeValue(forKey: next) else { return nil }
      isBusy = true
      next += 1
      return made
    }
  }

  private struct Results {
    var passing = Turn()
    var merging = Turn()
    var error: (any Error)?
  }

  /// A task for a free thread.
  private enum Task {
    case pass(Made, Int)
    case merge(Made)
  }

  private let places: DispatchSemaphore
  // The locks are dispatch queues instead of `Mutex`, because the thread sanitizer does not support `Mutex`
  // on Linux and reports false races.
  private let taking = DispatchQueue(label: "mapInOrder takes")
  private let merging = DispatchQueue(label: "mapInOrder merges")
  // Guarded by `taking`.
  private let next: () throws -> Item?
  private var taken = 0
  private var isEnded = false
  // Guarded by `merging`.
  private var results = Results()
  // Only one thread at a time calls each of these functions.
  private let pass: @Sendable (Part) -> Void
  private let merge: (Part) throws -> Void

  init(
    places: Int, _ next: @escaping () throws -> Item?, _ pass: @escaping @Sendable (Part) -> Void,
    _ merge: @escaping (Part) throws -> Void
  ) {
    // The semaphore starts at 0 and is then raised. A semaphore must not be destroyed below its initial
    // value, and after an error, some places may still be in use.
    self.places = DispatchSemaphore(value: 0)
    for _ in 0..<places { self.places.signal() }
    self.next = next
    self.pass = pass
    self.merge = merge
  }

  /// The first error; `nil` if there is none. Valid after all threads have ended.
  var error: (any Error)? { merging.sync { results.error } }

  /// Waits for a free place, and returns the next item with its number; `nil` at the end or after an error.
  ///
  /// An error of `next` counts as an item.
  func take() -> (Int, Result<Item, any Error>)? {
    places.wait()
    let hasFailed = merging.sync { results.error != nil }
    let item = taking.sync { () -> (Int, Result<Item, any Error>)? in
      guard !isEnded, !hasFailed else { return nil }
      let item = Result { try next() }
      switch item {
      case .success(nil):
        isEnded = true
        return nil
      case .success(let item?):
        taken += 1
        return (taken - 1, .success(item))
      case .failure(let error):
        isEnded = true
        taken += 1
        return (taken - 1, .failure(error))
      }
    }
    // Another thread may be waiting for a place. With the freed place, this thread reaches the end, too.
    if item == nil { places.signal() }
    return item
  }

  /// Passes and merges a result, and then the later results that waited for it. The result waits while
  /// earlier results are missing or other threads handle them.
  func put(_ result: Result<Part, any Error>, at index: Int) {
    merging.sync { results.passing.waiting[index] = result }
    while let task = merging.sync(execute: { nextTask() }) {
      switch task {
      case .pass(let made, let index):
        if case .success(let part) = made { pass(part) }
        merging.sync {
          results.passing.isBusy = false
          results.merging.waiting[index] = made
        }
      case .merge(let made):
        do {
          try merge(made.get())
          merging.sync { results.merging.isBusy = false }
        } catch {
          // `merging.isBusy` stays true, so no later result is merged.
          merging.sync { results.error = error }
        }
        places.signal()
      }
    }
  }

  private func nextTask() -> Task? {
    guard results.error == nil else { return nil }
    if let made = results.merging.take() { return .merge(made) }
    return results.passing.take().map { .pass($0, results.passing.next - 1) }
  }
}
