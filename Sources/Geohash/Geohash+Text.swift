/// The reason why a text is not a geohash.
public enum GeohashParsingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text has no characters.
  case empty
  /// The text has `count` characters, which is more than 12.
  case tooLong(count: Int)
  /// The text contains a character that is not in the base-32 alphabet. `position` is the place of the first
  /// of these characters, counted from 1.
  case invalidCharacter(Unicode.Scalar, position: Int)

  public var description: String {
    switch self {
    case .empty:
      return "A geohash has 1 to 12 characters, but this one is empty."
    case .tooLong(let count):
      return "A geohash has 1 to 12 characters, but this one has \(count). Keep at most the first 12."
    case .invalidCharacter(let scalar, let position):
      let digits = String(scalar.value, radix: 16, uppercase: true)
      let name =
        (0x21...0x7E).contains(scalar.value)
        ? "'\(scalar)'" : "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      return
        "A geohash contains only the digits 0 to 9 and the letters b to z without i, l and o, but character \(position) is \(name)."
    }
  }
}

extension Geohash: LosslessStringConvertible {
  /// Reads the geohash in `text`. Upper case is accepted; white space is not.
  ///
  /// - Parameter text: 1 to 12 characters of the base-32 alphabet.
  /// - Throws: A `GeohashParsingError` for a wrong length, otherwise for the first invalid character.
  public init(parsing text: some StringProtocol) throws(GeohashParsingError) {
    var bits: UInt64 = 0
    var count = 0
    for byte in text.utf8 {
      let value = Base32.value(of: byte)
      guard value != Base32.invalid, count < Self.precisions.upperBound else {
        throw Self.explanation(of: text)
      }
      bits = bits << 5 | UInt64(value)
      count += 1
    }
    guard count > 0 else { throw .empty }
    self.init(GridCell(bits: bits, depth: 5 * count))
  }

  /// Reads the geohash in `description`, or returns `nil` if ``init(parsing:)`` throws.
  public init?(_ description: String) {
    do throws(GeohashParsingError) {
      try self.init(parsing: description)
    } catch {
      return nil
    }
  }

  /// The characters of this geohash, in lower case.
  public var description: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the lower-case characters of this geohash as ASCII, without allocating a string.
  public func append(to text: inout [UInt8]) {
    let bits = bits
    for position in 1...precision {
      text.append(Base32.characters[Int(bits >> UInt64(5 * (precision - position)) & 31)])
    }
  }

  /// Returns the error for a text that is not a geohash.
  ///
  /// The reason why a text is not a geohash.
  ///
  /// The position in the error counts Unicode scalars, so a combining accent counts as a separate character.
  private static func explanation(of text: some StringProtocol) -> GeohashParsingError {
    let count = text.unicodeScalars.count
    if count > precisions.upperBound { return .tooLong(count: count) }
    for (offset, scalar) in text.unicodeScalars.enumerated()
    where !scalar.isASCII || Base32.value(of: UInt8(scalar.value)) == Base32.invalid {
      return .invalidCharacter(scalar, position: offset + 1)
    }
    return .empty
  }
}

/// The geohash alphabet: the digits, then the letters without a, i, l and o.
private enum Base32 {
  /// The character of each value 0 to 31, in lower case, as ASCII.
  static let characters = Array("0123456789bcdefghjkmnpqrstuvwxyz".utf8)

  /// The result of `value(of:)` for a byte outside the alphabet.
  static let invalid: UInt8 = 0xFF

  /// Returns the value of a character of either case, or `invalid`.
  static func value(of byte: UInt8) -> UInt8 {
    values[Int(byte)]
  }

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: invalid, count: 256)
    for (value, character) in characters.enumerated() {
      values[Int(character)] = UInt8(value)
      let isLetter = character >= UInt8(ascii: "a")
      if isLetter { values[Int(character) - 0x20] = UInt8(value) }
    }
    return values
  }()
}
