/// The geohash alphabet: the digits, then the letters without a, i, l and o.
enum Base32 {
  /// The character of each value 0 to 31, in lower case, as ASCII.
  static let characters = Array("0123456789bcdefghjkmnpqrstuvwxyz".utf8)

  /// What `value(of:)` gives for a byte outside the alphabet.
  static let invalid: UInt8 = 0xFF

  /// The value of a character of either case, or `invalid`.
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
