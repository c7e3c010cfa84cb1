import Dispatch

/// Arrays that are empty again, with their room, for whoever fills the next ones: large memory that was given back comes
/// from the kernel anew, page by page, which takes longer than filling it.
final class SpareArrays<Element: Sendable>: @unchecked Sendable {
  // A lock that the thread sanitizer knows.
  private let lock = DispatchQueue(label: "spare arrays")
  private var arrays: [[Element]] = []
  private let most: Int

  /// - Parameter most: Arrays with room for more elements than this are not kept, such as that of a file that is one block.
  init(most: Int) { self.most = most }

  /// An empty array.
  func take() -> [Element] { lock.sync { arrays.popLast() } ?? [] }

  /// Takes an array that nobody else has; what is left has no room.
  func giveBack(_ array: inout [Element]) {
    var spare: [Element] = []
    swap(&spare, &array)
    guard spare.capacity <= most else { return }
    spare.removeAll(keepingCapacity: true)
    lock.sync { arrays.append(spare) }
  }
}
