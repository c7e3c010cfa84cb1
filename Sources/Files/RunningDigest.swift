/// The SHA-256 digest of a stream of bytes. One thread at a time appends bytes.
package final class RunningDigest: @unchecked Sendable {
  package private(set) var bytes = 0
  private var hash: SHA256? = SHA256()

  package init() {}

  package func update(_ span: RawSpan) {
    bytes += span.byteCount
    hash?.update(span)
  }

  /// Returns the digest of all bytes as hexadecimal digits. Call it once.
  package func finish() -> String {
    guard let hash = hash.take() else { preconditionFailure("a digest is finished once") }
    return hash.finish()
  }
}
