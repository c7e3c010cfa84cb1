internal import Dispatch

/// A value that only one thread accesses at a time.
///
/// Does not use `Mutex`: the thread sanitizer does not support it on Linux, and reports false races.
package final class Guarded<Value: ~Copyable>: @unchecked Sendable {
  // The conformance is unchecked, because only `queue` accesses `value`.
  private let queue = DispatchQueue(label: "guarded")
  private var value: Value

  package init(_ value: consuming sending Value) {
    self.value = value
  }

  /// The result of `body` for the value, with exclusive access.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = queue.sync { () -> Swift.Result<Result, Failure> in
      do throws(Failure) { return .success(try body(&value)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
