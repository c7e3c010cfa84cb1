import Dispatch

/// A pool of empty arrays that keep their capacity. Large arrays that are freed go back to the kernel page by
/// page, which takes longer than filling them.
final class SpareArrays<Element: Sendable>: @unchecked Sendable {
  // The lock is a dispatch queue, because the thread sanitizer supports dispatch queues.
  private let lock = DispatchQueue(label: "spare arrays")
  private var arrays: [[Element]] = []
  private let most: Int

  /// - Parameter most: The maximum capacity to keep. Larger arrays are released, such as the array of a large
  ///   file that is read as one block.
  init(most: Int) { self.most = most }

  /// An empty array.
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
