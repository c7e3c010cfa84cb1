internal import Dispatch

/// A value that only one thread accesses at a time.
///
/// It does not use `Mutex`, because the thread sanitizer does not support `Mutex` on Linux and reports false
/// races.
package final class Guarded<Value: ~Copyable>: @unchecked Sendable {
  // The conformance is unchecked, because only `queue` accesses `value`.
  private let queue = DispatchQueue(label: "guarded")
  private var value: Value

  package init(_ value: consuming sending Value) {
    self.value = value
  }

  /// Calls `body` with exclusive access to the value, and returns its result.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = queue.sync { () -> Swift.Result<Result, Failure> in
      do throws(Failure) { return .success(try body(&value)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
