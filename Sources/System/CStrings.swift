internal import Glibc

/// Calls `body` with `strings` as a null-terminated array of C strings, for `exec` and `posix_spawn`.
///
/// The array and the strings are valid until `body` returns. A string that contains U+0000 ends at this
/// character.
package func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  let pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
  defer { unsafe pointers.forEach { unsafe free($0) } }
  return unsafe pointers.withUnsafeBufferPointer { buffer in
    guard let base = buffer.baseAddress else { preconditionFailure("a nonempty array has a base address") }
    return unsafe body(base)
  }
}

/// The way in which a process ended, as reported by `waitpid` or `wait4`.
package enum ProcessEnding: Hashable, Sendable {
  case status(Int32)
  case signal(Int32)

  /// Interprets `status` like the C macros WIFSIGNALED and WEXITSTATUS. Swift does not import these macros.
  package init(waitStatus status: Int32) {
    let signal = status & 0x7F
    self = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
  }
}
