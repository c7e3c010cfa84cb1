/// The SHA-256 of bytes that go by, given by one thread at a time.
package final class RunningDigest: @unchecked Sendable {
  package private(set) var bytes = 0
  private var hash: SHA256? = SHA256()

  package init() {}

  package func update(_ span: RawSpan) {
    bytes += span.byteCount
    hash?.update(span)
  }

  /// The digest of all that went by, in hexadecimal digits; asked for once.
  package func finish() -> String {
    guard let hash = hash.take() else { preconditionFailure("a digest is finished once") }
    return hash.finish()
  }
}
