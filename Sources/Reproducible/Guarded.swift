internal import Dispatch

/// A value at which one thread at a time may look.
///
/// Not a `Mutex`: the thread sanitizer does not see into one on Linux, and tells of races where threads wait for it.
package final class Guarded<Value>: @unchecked Sendable {
  // Unchecked because of `value`, which only `queue` touches.
  private let queue = DispatchQueue(label: "guarded")
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
  }

  /// What `body` returns for the value, which nobody else sees meanwhile.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try queue.sync { try body(&value) }
  }
}
