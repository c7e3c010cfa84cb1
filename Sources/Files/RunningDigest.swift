/// The SHA-256 of a stream of bytes, which one thread at a time appends.
package final class RunningDigest: @unchecked Sendable {
  package private(set) var bytes = 0
  private var hash: SHA256? = SHA256()

  package init() {}

  package func update(_ span: RawSpan) {
    bytes += span.byteCount
    hash?.update(span)
  }

  /// The digest of all bytes, as hexadecimal digits; called once.
  package func finish() -> String {
    guard let hash = hash.take() else { preconditionFailure("a digest is finished once") }
    return hash.finish()
  }
}
