package import Foundation

extension Data {
  /// Copies the bytes of `file`, for decoders.
  package init(copying file: MappedFile) {
    self = unsafe file.bytes.withUnsafeBytes { unsafe Data($0) }
  }
}
