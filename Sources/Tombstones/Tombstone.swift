/// The trace of an erased person: an authentication code of the person's id. Only a holder of the key can
/// compute this code.
///
/// A plain digest would not be safe. The possible ids are few and have a known form, so an attacker could
/// find the id by trying all of them.
package struct Tombstone: Hashable, Sendable {
  /// The authentication code: 32 bytes.
  package let code: [UInt8]

  /// Computes the tombstone of an id.
  ///
  /// - Parameters:
  ///   - id: The bytes of the id.
  ///   - entity: The name of the entity, because two entities may use the same id for different people. The
  ///     name must not contain U+0000, because this character separates it from the id.
  ///   - key: The pipeline's key.
  package init(of id: Span<UInt8>, entity: String, under key: MessageAuthentication) {
    var message = Array(entity.utf8)
    message.append(0)
    for index in id.indices { message.append(id[index]) }
    code = key.code(of: message)
  }

  /// Parses a line of 64 lowercase hexadecimal digits. Returns `nil` for any other line.
  init?(line: some Collection<UInt8>) {
    guard let code = Hexadecimal.bytes(line), code.count == 32 else { return nil }
    self.code = code
  }

  /// The tombstone as a line, without the line break.
  var line: [UInt8] { Hexadecimal.digits(code) }
}

extension Tombstone: Comparable {
  package static func < (left: Tombstone, right: Tombstone) -> Bool {
    left.code.lexicographicallyPrecedes(right.code)
  }
}

/// Bytes as lowercase hexadecimal digits.
enum Hexadecimal {
  private static let alphabet = Array("0123456789abcdef".utf8)

  static func digits(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] }
  }

  /// Returns the bytes that an even number of lowercase digits represents; `nil` for any other input.
  static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
    let values = digits.compactMap { alphabet.firstIndex(of: $0) }
    guard values.count == digits.count, values.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }
}
