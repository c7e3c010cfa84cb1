internal import Dispatch

/// A value at which one thread at a time may look.
///
/// Not a `Mutex`: the thread sanitizer does not see into one on Linux, and tells of races where threads wait for it.
package final class Guarded<Value: ~Copyable>: @unchecked Sendable {
  // Unchecked because of `value`, which only `queue` touches.
  private let queue = DispatchQueue(label: "guarded")
  private var value: Value

  package init(_ value: consuming sending Value) {
    self.value = value
  }

  /// What `body` returns for the value, which nobody else sees meanwhile.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = queue.sync { () -> Swift.Result<Result, Failure> in
      do throws(Failure) { return .success(try body(&value)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
