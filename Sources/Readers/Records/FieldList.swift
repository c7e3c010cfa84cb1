internal import CSimdJSON
internal import Text

/// The elements of a list, borrowed from the reader's memory: scalars, and objects of scalars. Nulls are
/// dropped.
///
/// In a Realtime Database, an object can be a list, too. The order of its members has no meaning.
package struct FieldList: ~Escapable {
  /// The elements as CSimdJSON encodes them. A scalar has one byte for its kind, and eight bytes for its
  /// value. For a text, the eight bytes contain the length, and the bytes of the text follow. An object has
  /// one byte for its kind, eight bytes for the number of its members, and then the key and the value of each
  /// member. All numbers are little-endian. If nulls or the keys of a Realtime object were dropped, a null
  /// follows the last element.
  private let encoded: Span<UInt8>

  @_lifetime(copy encoded)
  @usableFromInline init(_ encoded: Span<UInt8>) {
    self.encoded = encoded
  }

  /// One value of a list or of an object in it.
  package enum Scalar: Hashable, Sendable {
    case text([UInt8])
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
  }

  package enum Element: Sendable {
    case scalar(Scalar)
    /// The members that are scalars, in order. A key may occur twice.
    case object([(key: [UInt8], value: Scalar)])
  }

  /// All elements, in order.
  package var elements: [Element] {
    var elements: [Element] = []
    var index = 0
    while index < encoded.count {
      if isNull(index) { break }
      if UInt32(encoded[index]) == NJSON_STRUCTURE.rawValue {
        let count = word(index + 1)
        index += 9
        var members: [(key: [UInt8], value: Scalar)] = []
        for _ in 0..<count {
          guard case .text(let key) = scalar(&index) else { preconditionFailure("a key is a text") }
          members.append((key, scalar(&index)))
        }
        elements.append(.object(members))
      } else {
        elements.append(.scalar(scalar(&index)))
      }
    }
    return elements
  }

  /// The elements as texts, with numbers and flags converted; `nil` if an element is an object, or a number
  /// that is not finite.
  package var texts: [[UInt8]]? { texts(isOrdered: false) }

  /// The same as `texts`, but `nil` if nulls were dropped or if the elements have no order.
  package var orderedTexts: [[UInt8]]? { texts(isOrdered: true) }

  private func isNull(_ index: Int) -> Bool { UInt32(encoded[index]) == NJSON_NULL.rawValue }

  private func texts(isOrdered: Bool) -> [[UInt8]]? {
    var texts: [[UInt8]] = []
    var index = 0
    while index < encoded.count {
      if isNull(index) { return isOrdered ? nil : texts }
      if UInt32(encoded[index]) == NJSON_STRUCTURE.rawValue { return nil }
      switch scalar(&index) {
      case .text(let text): texts.append(text)
      case .integer(let value): texts.append(Array(String(value).utf8))
      case .boolean(let value): texts.append(Array(String(value).utf8))
      case .number(let value):
        guard value.isFinite else { return nil }
        texts.append(Array(value.description.utf8))
      }
    }
    return texts
  }

  /// Decodes the scalar at `index`, and moves `index` past it.
  private func scalar(_ index: inout Int) -> Scalar {
    let (kind, word) = (UInt32(encoded[index]), word(index + 1))
    index += 9
    switch kind {
    case NJSON_TEXT.rawValue:
      let end = index + Int(word)
      defer { index = end }
      return .text(Array(copying: encoded.extracting(index..<end)))
    case NJSON_INTEGER.rawValue: return .integer(Int64(bitPattern: word))
    case NJSON_BOOLEAN.rawValue: return .boolean(word != 0)
    default: return .number(Double(bitPattern: word))
    }
  }

  /// Returns the little-endian integer in the eight bytes at `index`.
  private func word(_ index: Int) -> UInt64 {
    var word: UInt64 = 0
    for byte in 0..<8 { word |= UInt64(encoded[index + byte]) << UInt64(8 * byte) }
    return word
  }
}
