internal import CCrypto

/// Computes SHA-256 digests with OpenSSL's EVP interface.
@safe
package struct SHA256: ~Copyable {
  private let context: OpaquePointer

  package init() {
    guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    else { preconditionFailure("OpenSSL has no SHA-256") }
    unsafe self.context = context
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
  }

  package mutating func update(_ bytes: RawSpan) {
    let done = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    precondition(done == 1, "OpenSSL rejected \(bytes.byteCount) bytes")
  }

  /// Ends the computation and returns the digest as 64 lowercase hexadecimal digits.
  package consuming func finish() -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    let done = unsafe digest.withUnsafeMutableBufferPointer {
      unsafe EVP_DigestFinal_ex(context, $0.baseAddress, nil)
    }
    precondition(done == 1, "OpenSSL could not finish a digest")
    return Self.hexadecimal(digest)
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

extension SHA256 {
  /// Returns the digest of `bytes` as 64 lowercase hexadecimal digits.
  package static func digest(of bytes: [UInt8]) -> String {
    var hash = SHA256()
    unsafe hash.update(bytes.span.bytes)
    return hash.finish()
  }
}
