import Dispatch

/// A pool of empty arrays that keep their capacity. The kernel takes back a freed large array page by page,
/// and this takes longer than filling the array.
final class SpareArrays<Element: Sendable>: @unchecked Sendable {
  // The lock is a dispatch queue instead of a `Mutex`, because the thread sanitizer does not support `Mutex`
  // on Linux and reports false races.
  private let lock = DispatchQueue(label: "spare arrays")
  private var arrays: [[Element]] = []
  private let most: Int

  /// - Parameter most: The maximum capacity to keep. Larger arrays, such as the array of a large file that is
  ///   read as one block, are freed.
  init(most: Int) { self.most = most }

  /// Returns an empty array, from the pool if possible.
  func take() -> [Element] { lock.sync { arrays.popLast() } ?? [] }

  /// Moves `array` into the pool and leaves an empty array without capacity. The array must not be shared.
  func giveBack(_ array: inout [Element]) {
    var spare: [Element] = []
    swap(&spare, &array)
    guard spare.capacity <= most else { return }
    spare.removeAll(keepingCapacity: true)
    lock.sync { arrays.append(spare) }
  }
}
