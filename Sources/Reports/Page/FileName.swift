extension String {
  /// The text as part of a file's name, and of an anchor's: letters and digits of ASCII, `-` and `_`, and everything else as
  /// `.` and its number, so that no two are the same.
  var fileName: String {
    utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      let isPlain =
        character.isASCII && (character.isLetter || character.isNumber) || "-_".contains(character)
      return isPlain ? String(character) : "." + String(byte, radix: 16)
    }.joined()
  }
}
