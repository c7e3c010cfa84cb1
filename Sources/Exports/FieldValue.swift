internal import CSimdJSON

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
  /// A JSON array of scalars, where the reader was asked for a list: see `ExportReader.lists`.
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

/// The elements of a list, borrowed from the reader's memory: scalars, of which null is none.
package struct FieldList: ~Escapable {
  /// As CSimdJSON writes them: a byte of the kind, eight of length or value, the text.
  private let encoded: Span<UInt8>

  @_lifetime(copy encoded)
  @usableFromInline init(_ encoded: Span<UInt8>) {
    self.encoded = encoded
  }

  /// The elements as texts, numbers and flags written out; `nil` where one is no finite number.
  package var texts: [[UInt8]]? {
    var texts: [[UInt8]] = []
    var index = 0
    while index < encoded.count {
      let kind = encoded[index]
      var word: UInt64 = 0
      for byte in 0..<8 { word |= UInt64(encoded[index + 1 + byte]) << UInt64(8 * byte) }
      index += 9
      switch UInt32(kind) {
      case NJSON_TEXT.rawValue:
        let end = index + Int(word)
        texts.append(encoded.copied(index..<end))
        index = end
      case NJSON_INTEGER.rawValue: texts.append(Array(String(Int64(bitPattern: word)).utf8))
      case NJSON_BOOLEAN.rawValue: texts.append(Array(word == 0 ? "false".utf8 : "true".utf8))
      default:
        let number = Double(bitPattern: word)
        guard number.isFinite else { return nil }
        texts.append(Array(number.description.utf8))
      }
    }
    return texts
  }
}
