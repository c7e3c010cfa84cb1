/// JSON objects in files that contain their own checksum: the first member, `checksum`, is the CRC-32C of all
/// other bytes.
package enum SealedJSON {
  private static let opening = Array("{\n".utf8)
  private static let start = "  \"checksum\" : \""
  private static let end = "\",\n"

  /// Returns the object `plain` with an added member `checksum`. The first line of `plain` must be `{`.
  package static func sealed(_ plain: [UInt8]) -> [UInt8] {
    let sum = BlockChecksums.hexadecimal(unsafe BlockChecksums.checksum(of: plain.span.bytes))
    return opening + Array((start + sum + end).utf8) + plain.dropFirst(opening.count)
  }

  /// An object as read from its file.
  package struct Opened {
    /// The bytes of the object without its member `checksum`.
    package var plain: [UInt8]
    /// Whether the object had a checksum. Files of earlier versions have none.
    package var isSealed: Bool

    /// Checks `bytes` against their checksum, and removes the member `checksum`. Bytes without this member
    /// stay unchanged.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file.
    ///   - path: The file.
    /// - Throws: `FileError` if the bytes do not match their checksum.
    package init(_ bytes: [UInt8], path: String) throws(FileError) {
      guard let (plain, checksum) = SealedJSON.separated(bytes) else {
        (self.plain, isSealed) = (bytes, false)
        return
      }
      guard BlockChecksums.hexadecimal(unsafe BlockChecksums.checksum(of: plain.span.bytes)) == checksum
      else {
        throw FileError(damaged: path, "its content does not match its first member, 'checksum'")
      }
      (self.plain, isSealed) = (plain, true)
    }

    /// Checks that the object has a checksum, for files that must have one. Without this check, one damaged
    /// byte in the member `checksum` would disable the comparison.
    ///
    /// - Throws: `FileError` if the object has no checksum.
    package func requireSeal(_ path: String) throws(FileError) {
      guard isSealed else { throw FileError(damaged: path, "its first member is not 'checksum'") }
    }
  }

  private static func separated(_ bytes: [UInt8]) -> (plain: [UInt8], checksum: String)? {
    let start = opening + Array(start.utf8)
    let line = start.count..<start.count + 8 + end.utf8.count
    guard bytes.count > line.upperBound, bytes.starts(with: start),
      bytes[line].dropFirst(8).elementsEqual(end.utf8)
    else { return nil }
    return (
      opening + bytes[line.upperBound...], String(decoding: bytes[line].prefix(8), as: UTF8.self)
    )
  }
}
