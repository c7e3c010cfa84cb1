import Dispatch

/// A pool of empty arrays that keep their capacity. The kernel returns large freed memory page by page, which takes longer than
/// filling it.
final class SpareArrays<Element: Sendable>: @unchecked Sendable {
  // A lock that the thread sanitizer supports.
  private let lock = DispatchQueue(label: "spare arrays")
  private var arrays: [[Element]] = []
  private let most: Int

  /// - Parameter most: The maximum capacity of an array to keep; larger ones, such as the array of a file with one block, are
  ///   released.
  init(most: Int) { self.most = most }

  /// An empty array.
  func take() -> [Element] { lock.sync { arrays.popLast() } ?? [] }

  /// Takes an array that has no other owner, and leaves an empty one without capacity.
  func giveBack(_ array: inout [Element]) {
    var spare: [Element] = []
    swap(&spare, &array)
    guard spare.capacity <= most else { return }
    spare.removeAll(keepingCapacity: true)
    lock.sync { arrays.append(spare) }
  }
}
