internal import CCrypto

/// Computes authentication codes with HMAC-SHA256 and one key. Only a holder of the key can compute the code
/// of a message.
///
/// Source: RFC 2104.
package struct MessageAuthentication: Hashable, Sendable {
  private let key: [UInt8]

  package init(key: [UInt8]) {
    self.key = key
  }

  /// Returns the authentication code of `message`: 32 bytes.
  package func code(of message: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    let done = unsafe code.withUnsafeMutableBufferPointer { code in
      unsafe message.withUnsafeBufferPointer { message in
        unsafe key.withUnsafeBufferPointer { key in
          unsafe HMAC(
            EVP_sha256(), key.baseAddress, Int32(key.count), message.baseAddress, message.count,
            code.baseAddress, nil) != nil
        }
      }
    }
    precondition(done, "OpenSSL lacks HMAC-SHA256")
    return code
  }
}
