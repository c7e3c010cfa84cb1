/// What a record holds in one requested field.
///
/// Delimited files give text or nothing. "Missing" is one rule for all formats: no such key, JSON's null, and
/// text without characters, quoted or not.
package enum FieldValue: ~Escapable {
  /// Nothing: no such key, null, or the empty text.
  case missing
  /// At least one byte of text.
  case text(ByteView)
  /// A JSON number without fraction and exponent that fits 64 bits, or Firestore's integerValue.
  case integer(Int64)
  /// Any other number; NaN and infinities only from Firestore's doubleValue.
  case number(Double)
  /// JSON's true or false.
  case boolean(Bool)
  /// A JSON array of scalars, or of objects, where the reader was asked for a list: see `ExportReader.lists`.
  case list(FieldList)
  /// An object, array, map, or position, where one value was asked for.
  case structure
}

/// One requested field of a record in a form that needs no pointers: text is a range of one of
/// three byte areas.
@usableFromInline struct FieldSlot: BitwiseCopyable {
  @usableFromInline enum Kind: UInt8, BitwiseCopyable {
    case missing, fileText, scratchText, integer, number, boolean, list, structure
  }

  @usableFromInline var kind = Kind.missing
  /// Text, list: where it starts. Integer and boolean: the value. Number: its bits.
  @usableFromInline var payload: Int64 = 0
  /// Text, list: its bytes.
  @usableFromInline var count = 0
}
