/// The value of one requested field in a record.
///
/// Delimited files contain only texts and missing values. One rule for "missing" applies to all formats; see
/// `missing`.
package enum FieldValue: ~Escapable {
  /// The key is absent, or the value is JSON's null, an empty list, an empty text (quoted or not), or a value
  /// that `ExportOptions.missing` names.
  case missing
  /// A text of at least one byte.
  case text(ByteView)
  /// A JSON number without fraction and exponent that fits in 64 bits, or Firestore's integerValue.
  case integer(Int64)
  /// Any other number. Only Firestore's doubleValue can be NaN or infinite.
  case number(Double)
  /// JSON's true or false.
  case boolean(Bool)
  /// A JSON array of scalars or of objects, if the reader was created with the field in `ExportReader.lists`.
  case list(FieldList)
  /// An object, array, map or position in a field that should be a single value.
  case structure
}

/// One requested field of a record, without pointers. A text or a list is a range of bytes: in the file, in
/// scratch memory, or in the memory for lists.
@usableFromInline struct FieldSlot: BitwiseCopyable {
  @usableFromInline enum SlotKind: UInt8, BitwiseCopyable {
    case missing, fileText, scratchText, integer, number, boolean, list, structure
  }

  @usableFromInline var kind = SlotKind.missing
  /// Text or list: the start. Integer or boolean: the value. Number: the bits.
  @usableFromInline var payload: Int64 = 0
  /// Text or list: the number of bytes.
  @usableFromInline var count = 0
}
