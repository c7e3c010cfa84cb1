extension String {
  /// The text as part of a file name or an anchor. ASCII letters, digits, `-` and `_` stay. Every other byte
  /// of the UTF-8 text becomes `.` and two hexadecimal digits, so that different texts have different names.
  var fileName: String {
    utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      let isPlain =
        character.isASCII && (character.isLetter || character.isNumber) || "-_".contains(character)
      return isPlain ? String(character) : (byte < 16 ? ".0" : ".") + String(byte, radix: 16)
    }.joined()
  }
}
