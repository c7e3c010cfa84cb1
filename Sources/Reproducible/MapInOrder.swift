import Dispatch
internal import Processes

/// Works on items on up to `threads` threads at once and merges the results in the order of the items.
///
/// A conveyor: one thread at a time takes the next item, any number work, and one at a time merges. So what
/// `merge` has seen does not depend on the number of threads, and no more than `2 * threads` items are under way,
/// however slow one of them is.
///
/// - Parameters:
///   - threads: At most so many threads; at least 1, which is the calling one.
///   - next: The next item, or `nil` at the end. Called by one thread at a time; not after it has thrown.
///   - work: Called for each item, by any thread.
///   - merge: Called with each result in the order of the items, by one thread at a time.
/// - Throws: The first error in the order of items. Everything before it was merged, nothing behind it is.
package func mapInOrder<Item: Sendable, Part: Sendable>(
  threads: Int, next: () throws -> Item?, _ work: @Sendable (Item) throws -> Part,
  merge: (Part) throws -> Void
) throws {
  precondition(threads > 0, "threads is \(threads)")
  try withoutActuallyEscaping(next) { next in
    try withoutActuallyEscaping(merge) { merge in
      let conveyor = Conveyor(places: 2 * threads, next, merge)
      SideThread.crew(threads) {
        while let (index, item) = conveyor.take() {
          conveyor.put(item.flatMap { item in Result { try work(item) } }, at: index)
        }
      }
      if let error = conveyor.error { throw error }
    }
  }
}

/// The state that threads of `mapInOrder` share.
private final class Conveyor<Item: Sendable, Part: Sendable>: @unchecked Sendable {
  /// Where results wait for those before them.
  private struct Results {
    var waiting: [Int: Result<Part, any Error>] = [:]
    var merged = 0
    var isMerging = false
    var error: (any Error)?
  }

  private let places: DispatchSemaphore
  // Locks that the thread sanitizer knows.
  private let taking = DispatchQueue(label: "mapInOrder takes")
  private let merging = DispatchQueue(label: "mapInOrder merges")
  // Guarded by `taking`.
  private let next: () throws -> Item?
  private var taken = 0
  private var isEnded = false
  // Guarded by `merging`.
  private var results = Results()
  // Called by whoever has set `isMerging`.
  private let merge: (Part) throws -> Void

  init(places: Int, _ next: @escaping () throws -> Item?, _ merge: @escaping (Part) throws -> Void) {
    // Raised from 0, as a semaphore must not go below where it began before it goes, and after an error some places stay
    // taken.
    self.places = DispatchSemaphore(value: 0)
    for _ in 0..<places { self.places.signal() }
    self.next = next
    self.merge = merge
  }

  /// The first error, once all threads are done.
  var error: (any Error)? { merging.sync { results.error } }

  /// The next item and its number, once there is a place for it; `nil` where there is none, or somebody failed.
  ///
  /// An error of `next` stands in its place among the items.
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
    // So that others who wait see the end as well.
    if item == nil { places.signal() }
    return item
  }

  /// Merges a result and those that waited for it; where the ones before it are missing, or another thread is at it, the
  /// result waits.
  func put(_ result: Result<Part, any Error>, at index: Int) {
    let isMine = merging.sync {
      results.waiting[index] = result
      if results.isMerging { return false }
      results.isMerging = true
      return true
    }
    guard isMine else { return }
    while let next = merging.sync(execute: { nextToMerge() }) {
      do {
        try merge(next.get())
      } catch {
        merging.sync { results.error = error }
      }
      places.signal()
    }
  }

  private func nextToMerge() -> Result<Part, any Error>? {
    guard results.error == nil, let next = results.waiting.removeValue(forKey: results.merged) else {
      results.isMerging = false
      return nil
    }
    results.merged += 1
    return next
  }
}
