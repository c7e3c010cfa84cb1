/// The SHA-256 digest of a stream of bytes, optionally with the checksums of its blocks. Only one thread at a
/// time may call `update`.
package final class RunningDigest: @unchecked Sendable {
  package private(set) var bytes = 0
  private var hash: SHA256? = SHA256()
  private var running: RunningChecksums?

  /// Creates the digest of no bytes.
  ///
  /// - Parameter hasChecksums: Whether to compute `checksums`, with which readers check the files of a run.
  package init(hasChecksums: Bool = false) {
    running = hasChecksums ? RunningChecksums() : nil
  }

  package func update(_ span: RawSpan) {
    bytes += span.byteCount
    hash?.update(span)
    running?.update(span)
  }

  /// The checksums of all bytes so far; `nil` if they are not computed.
  package var checksums: BlockChecksums? { running?.checksums }

  /// Returns the digest of all bytes as hexadecimal digits. Call this method only once.
  package func finish() -> String {
    guard let hash = hash.take() else { preconditionFailure("the digest was finished twice") }
    return hash.finish()
  }
}
